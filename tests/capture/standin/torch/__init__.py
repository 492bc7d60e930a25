"""Stands in for torch: as much of it as a small training script and hbm_capture.py use."""

import os
import sys
import types

from standin_device import device_module

__version__ = "2.6.0+standin"


class OutOfMemoryError(RuntimeError):
    pass


class Tensor:
    def __init__(self, size, device):
        kind, _, index = device.partition(":")
        backend = cuda if kind == "cuda" else sys.modules["torch_npu"].npu
        backend._lazy_init()
        self.allocator, self.index = backend.allocator, int(index or 0)
        self.address = self.allocator.allocate(size, self.index)
        self.hooks = []

    def register_hook(self, hook):
        self.hooks.append(hook)

    def backward(self):
        gradient = "gradient"
        for hook in self.hooks:
            changed = hook(gradient)
            gradient = gradient if changed is None else changed
        return gradient

    def __del__(self):
        if hasattr(self, "address"):
            self.allocator.free(self.address, self.index)


def empty(size, device="cuda"):
    return Tensor(size, device)


_C = types.ModuleType("torch._C")
cuda = device_module("torch.cuda", _C, "cuda")

distributed = types.ModuleType("torch.distributed")
distributed.is_available = lambda: True
distributed.is_initialized = lambda: "STANDIN_RANK" in os.environ
distributed.get_rank = lambda: int(os.environ["STANDIN_RANK"])

optim = types.ModuleType("torch.optim")
optimizer = types.ModuleType("torch.optim.optimizer")
_post_hooks = []


class Optimizer:
    def step(self):
        for hook in _post_hooks:
            hook(self, (), {})


optim.Optimizer = Optimizer
optim.optimizer = optimizer
if not os.environ.get("STANDIN_NO_STEP_HOOK"):
    optimizer.register_optimizer_step_post_hook = _post_hooks.append
sys.modules.update({"torch._C": _C, "torch.distributed": distributed, "torch.optim": optim,
                    "torch.optim.optimizer": optimizer})
if os.environ.get("STANDIN_AUTOLOAD"):
    import torch_npu  # as torch does from 2.5 on where a backend is installed
