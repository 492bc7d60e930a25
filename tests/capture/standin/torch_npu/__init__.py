"""Stands in for torch_npu: `npu` is the same as torch.cuda, the rest is absent."""

import sys
import types

import torch
from standin_device import device_module

__version__ = "2.6.0.post1+standin"
_C = types.ModuleType("torch_npu._C")
npu = torch.npu = device_module("torch_npu.npu", _C, "npu")
sys.modules["torch_npu._C"] = _C
