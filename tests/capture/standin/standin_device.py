"""What torch.cuda and torch_npu.npu have in common, made by one function: lazy initialisation with queued calls, the
memory module in the shape of the version that STANDIN_API names, counters."""

import os
import sys
import types

from standin_allocator import Allocator


class Properties:
    def __init__(self, total_memory):
        self.total_memory = total_memory


def device_module(name, c_module, short):
    """A module `name`; its observer call is `_{short}_attach_out_of_memory_observer` of `c_module`."""
    module, memory = types.ModuleType(name), types.ModuleType(name + ".memory")
    module.__path__ = []
    allocator = module.allocator = Allocator(
        limit=int(os.environ.get("STANDIN_LIMIT", 256 << 20)), with_time=short == "cuda")
    state = {"initialized": False, "initializing": False}
    queued = []

    def lazy_init():
        if state["initialized"] or state["initializing"]:
            return
        state["initializing"] = True
        for call in queued:
            call()
        state.update(initialized=True, initializing=False)

    def record_new(enabled="all", context="all", stacks="all", max_entries=sys.maxsize, device=None):
        lazy_init()
        allocator.calls.append(("new", enabled, context, stacks, max_entries))
        if stacks == "all" and os.environ.get("STANDIN_NO_CPP"):
            raise RuntimeError("record_context_cpp is not support on non-linux non-x86_64 platforms")
        allocator.record(max_entries if enabled == "all" else None)

    def record_2_0(enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False,
                   device=None, record_context_cpp=False):
        lazy_init()
        allocator.calls.append(("2.0", enabled, trace_alloc_max_entries, trace_alloc_record_context))
        allocator.record(trace_alloc_max_entries if enabled else None)

    def record_1_13(enabled, device=None):
        lazy_init()
        allocator.calls.append(("1.13", enabled))

    def refuse(*_args, **_kwargs):
        raise RuntimeError("cudaMallocAsync does not yet support recordHistory")

    def snapshot(device=None):
        taken = allocator.snapshot()
        return taken["segments"] if api == "1.13" else taken

    api = os.environ.get("STANDIN_API", "new")
    memory._record_memory_history = {"new": record_new, "2.0": record_2_0, "1.13": record_1_13, "refuse": refuse}[api]
    memory._snapshot = snapshot
    module.memory = memory
    module.memory_stats = allocator.stats
    module.is_initialized = lambda: state["initialized"]
    module.is_available = lambda: True
    module._lazy_init = module.init = lazy_init
    module._lazy_call = lambda call: call() if state["initialized"] else queued.append(call)
    module.get_device_properties = lambda index: Properties(allocator.devices[index].limit)
    if not os.environ.get("STANDIN_NO_OBSERVER"):
        setattr(c_module, "_%s_attach_out_of_memory_observer" % short, allocator.observers.append)
    sys.modules[name], sys.modules[name + ".memory"] = module, memory
    return module
