"""Plain categories at the peak of each device, from the unpickled file: `attribution.py FILE…` prints a JSON object a device.

Written apart from the program that it checks: one pass over the dicts of the file, rules as code. What only lifetimes
tell apart is one figure here: `optimizer` includes its temporaries, and in traces of Python stacks only `backward`
includes gradients.
"""
import json
import pickle
import re
import sys

NOISE_NAMES = ("unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "PyEval_", "PyObject_", "PyFunction_")
NOISE_FILES = ("core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c",
               "Objects/methodobject.c", "pycore_ceval.h", "ceval.c", "cpython/abstract.h")
OPTIMIZERS = re.compile(r"torch/optim/|apex/optimizers|deepspeed/ops/adam|bitsandbytes/optim|megatron/core/optimizer"
                        r"|mindspeed/.*optimizer")
LIBRARY = re.compile(r"site-packages|dist-packages|/lib(64)?/python\d|^[A-Za-z]:.*/Lib/|^<(frozen|string|eval_with_key)")


def python(frame):
    return frame["filename"].endswith(".py") or re.match(r"<.*>", frame["filename"])


def path(frame):
    return frame["filename"].replace("\\", "/")


def noise(frame):
    if python(frame):
        return False
    name = frame["name"]
    return (name in ("", "??", "_start", "__libc_start_main") or any(n in name for n in NOISE_NAMES)
            or any(f in frame["filename"] for f in NOISE_FILES))


def category(frames):
    """The first rule that speaks, from the plain text of the rules."""
    if not frames:
        return "unknown"
    frames = [f for f in frames if not noise(f)]
    py = [f for f in frames if python(f)]
    native = [f for f in frames if not python(f)]
    if not py and any("torch::autograd::AccumulateGrad" in f["name"] for f in native):
        return "gradient"
    for f in frames:
        if python(f) and (OPTIMIZERS.search(path(f)) or f["name"] == "_init_group"):
            return "optimizer"
        if f["name"] in ("forward", "backward") if python(f) else "torch::autograd::Engine::" in f["name"]:
            break
    if any("kv_cache" in f["name"] + path(f) or "cache_engine.py" in path(f) for f in frames):
        return "kv_cache"
    for f in frames:
        p, n = path(f), f["name"]
        if python(f) and p.endswith("torch/nn/modules/module.py") and n in ("convert", "_apply", "to", "cuda", "npu"):
            return "parameter"
        if python(f) and (p.endswith("torch/nn/parameter.py") or n == "reset_parameters" or re.search("torch/nn/.*init.py", p)
                          or "flat_param" in p):
            return "parameter"
        if "load_state_dict" in n or "safetensors" in n + p or "model_loader" in n + p or p.endswith("torch/serialization.py"):
            return "parameter"
    if any(path(f).endswith(("distributed_c10d.py", "_functional_collectives.py")) for f in py) \
            or any("c10d::" in f["name"] or "ProcessGroup" in f["name"] for f in native):
        return "communication"
    if any("torch::autograd::Engine::" in f["name"] for f in native) or any(f["name"] == "backward" for f in py):
        return "backward"
    if any(f["name"] == "forward" for f in py):
        return "activation"
    if any("torch/utils/data/" in path(f) or re.search("data_?loader", path(f), re.I) for f in py):
        return "input"
    copies = ("THPVariable_to", "THPVariable_cuda", "THPVariable_npu", "at::_ops::to_", "_to_copy")
    if any(c in f["name"] for f in native for c in copies) and any(not LIBRARY.search(path(f)) for f in py):
        return "input"
    return "other"


def lives(trace, segments):
    """(first event, event of its end or None, bytes, category, freed in the trace though from before it)"""
    closing = "free_completed" if any(e["action"] == "free_completed" for e in trace) else "free_requested"
    live, done, workspace = {}, [], None
    for i, e in enumerate(trace):
        if e["action"] == "workspace_snapshot":
            workspace = e["addr"]
        elif e["action"] == "alloc":
            if e["addr"] in live:
                done.append((*live.pop(e["addr"]), i))
            kind = "workspace" if workspace == e["addr"] else category(e.get("frames"))
            live[e["addr"]] = (i, e["size"], kind, False)
            workspace = None
        elif e["action"] in ("free_requested", "free_completed"):
            first = live.setdefault(e["addr"], (-1, e["size"], "unknown", True))
            if e["action"] == closing:
                done.append((*first, i))
                del live[e["addr"]]
    for segment in segments:
        address = segment["address"]
        for block in segment["blocks"]:
            address = block.get("address", address)
            if block["state"] == "active_allocated" and address not in live:
                newest = (block.get("history") or [{}])[0]
                size = block.get("requested_size", newest.get("real_size", block["size"]))
                done.append((-1, size, category(block.get("frames", newest.get("frames"))), False, None))
            address += block["size"]
    done += [(*life, None) for life in live.values()]
    return [(first, end, size, kind, freed) for first, size, kind, freed, end in done]


def at_peak(trace, segments):
    found = lives(trace, segments)
    change = [0] * len(trace)
    now = sum(size for first, _, size, _, _ in found if first < 0)
    for first, end, size, _, _ in found:
        if first >= 0:
            change[first] += size
        if end is not None:
            change[end] -= size
    peak, event = now, -1
    for i, delta in enumerate(change):
        now += delta
        if now > peak:
            peak, event = now, i
    by, freed_bytes = {}, 0
    for first, end, size, kind, freed in found:
        if first <= event and (end is None or end > event):
            by[kind] = by.get(kind, 0) + size
            freed_bytes += size if kind == "unknown" and freed else 0
    stacks = [e["frames"] for e in trace if e.get("frames") and e["action"] in ("alloc", "free_requested", "free_completed")]
    named = any(not python(f) and f["name"] not in ("", "??") for frames in stacks for f in frames)
    return {"peak_requested": peak, "peak_event": event, "by_category": by, "unknown_freed": freed_bytes,
            "python_only": bool(stacks) and not named}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        snapshot = pickle.load(open(name, "rb"))
        if isinstance(snapshot, list):
            snapshot = {"segments": snapshot, "device_traces": []}
        numbers = {s.get("device", 0) for s in snapshot["segments"]}
        numbers |= {i for i, trace in enumerate(snapshot["device_traces"]) if trace}
        for number in sorted(numbers):
            traces = snapshot["device_traces"]
            trace = traces[number] if number < len(traces) else []
            segments = [s for s in snapshot["segments"] if s.get("device", 0) == number]
            print(json.dumps({"file": name.replace("\\", "/").rsplit("/", 1)[-1], "device": number, **at_peak(trace, segments)}))
