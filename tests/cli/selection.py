"""Is a pickle that hbmlens wrote what Python finds in the original?  selection.py ORIGINAL WRITTEN [FROM TO]

With a range, the events asked for and those later ones that lead to the snapshot must be there, told by a
few lines of their own. Where HBMLENS_MEMORY_VIZ names PyTorch's _memory_viz.py, that must read it, too.
"""

import importlib.util
import os
import pickle
import sys

# What the tables do not keep, and what stands for "nothing" in some versions.
DROPPED = {"forward_frames", "compile_context", "user_metadata"}


def plain(value):
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in DROPPED and v is not None}
        return {k: plain(v) for k, v in kept.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def window(events, first, last):
    """The events of a range, and after it what changes the snapshot."""
    born, kept = {}, dict(enumerate(events[first:last], first))
    lead = 0
    while lead < len(events) and events[lead]["action"] == "workspace_snapshot":
        lead += 3
    kept.update((i, events[i]) for i in range(lead))
    for i, event in enumerate(events[last:], last):
        action, where = event["action"], event.get("addr")
        if action == "alloc":
            born[where] = [i]
        elif action == "free_requested" and where in born:
            born[where].append(i)
        elif action == "free_completed" and where in born:
            for gone in born.pop(where):
                kept.pop(gone, None)
            continue
        elif action in ("oom", "snapshot", "user_defined", "annotate"):
            continue
        kept[i] = event
    return [kept[i] for i in sorted(kept)]


def addresses(segments):
    """Old layouts have no addresses of blocks: they follow each other."""
    for segment in segments:
        segment.setdefault("is_expandable", False)
        at = segment["address"]
        for block in segment["blocks"]:
            block.setdefault("address", at)
            at = block["address"] + block["size"]
    return segments


original, written = (pickle.load(open(path, "rb")) for path in sys.argv[1:3])
if isinstance(original, list):
    original = {"segments": original, "device_traces": []}
assert plain(addresses(written["segments"])) == plain(addresses(original["segments"])), "segments"
first, last = map(int, sys.argv[3:5]) if len(sys.argv) > 4 else (0, None)
for device, (found, wanted) in enumerate(zip(written["device_traces"], original["device_traces"], strict=True)):
    if last is not None:
        wanted = window(wanted, first, last)
    assert len(found) == len(wanted), (device, len(found), len(wanted))
    for number, (a, b) in enumerate(zip(found, wanted)):
        assert plain(a) == plain(b), (device, number, a, b)
assert plain(written.get("external_annotations", [])) == plain(original.get("external_annotations", []))

viz = os.environ.get("HBMLENS_MEMORY_VIZ")
if viz:
    spec = importlib.util.spec_from_file_location("memory_viz", viz)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("memory", "segments"):
        lines = [getattr(module, name)(s, format_flamegraph=lambda text: text) for s in (written, original)]
        assert sorted(lines[0].splitlines()) == sorted(lines[1].splitlines()), name
    if last is None:
        # Entries of kinds that it does not know it prints whole, keys in the order of the file.
        known = lambda text: [line for line in text.splitlines() if not line.startswith("{")]
        assert known(module.trace(written)) == known(module.trace(original)), "trace"
    print("memory_viz", end=" ")
print("ok")
