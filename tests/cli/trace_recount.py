"""The figures of a trace that hbmlens wrote, counted anew from the snapshot.  trace_recount.py SNAPSHOT TRACE

Prints, for each device: slices, events shown as moments, and the greatest of the requested curve.
"""

import json
import pickle
import sys
from collections import Counter, defaultdict
from decimal import Decimal

snapshot = pickle.load(open(sys.argv[1], "rb"))
traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]
trace = json.load(open(sys.argv[2]), parse_float=Decimal)
base = trace.get("baseTimeNanoseconds")
events = trace["traceEvents"]
nanos = lambda number: int(number * 1000)
SHOWN = {"segment_alloc", "segment_free", "segment_map", "segment_unmap", "snapshot", "workspace_snapshot", "oom"}
names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
by_pid = defaultdict(list)
for event in events:
    by_pid[event["pid"]].append(event)

for pid, name in sorted(names.items()):
    device = int(name.removeprefix("device "))
    own = by_pid[pid]
    history = traces[device] if device < len(traces) else []
    timed = any("time_us" in e for e in history)
    # A nanosecond between events that say the same time.
    clock, last = [], None
    for number, event in enumerate(history):
        if timed:
            now = event["time_us"] * 1000 - base
            now = now if last is None else max(now, last + 1)
        else:
            now = (number + 1) * 1000
        clock.append(now)
        last = now

    moments = [e for e in own if e["ph"] == "i"]
    wanted = Counter(e["action"] for e in history if e["action"] in SHOWN)
    assert Counter(e["cat"] for e in moments) == wanted, (name, wanted)
    for moment in moments:
        event = history[moment["args"]["event"]]
        assert event["action"] == moment["cat"] and event["size"] == moment["args"]["size"]
        assert nanos(moment["ts"]) == clock[moment["args"]["event"]]
        if event["action"] == "oom":
            assert moment["args"]["device_free"] == event["device_free"] and moment["name"] == "OOM"

    slices = [e for e in own if e["ph"] == "X" and e["cat"] == "allocation"]
    begun = {e["args"]["begin_event"]: e for e in slices if e["args"]["begin_event"] is not None}
    closing = "free_completed" if any(e["action"] == "free_completed" for e in history) else "free_requested"
    ends = {}
    for number in range(len(history) - 1, -1, -1):
        event = history[number]
        if event["action"] == closing:
            ends[event["addr"]] = number
        elif event["action"] == "alloc":
            end = ends.pop(event["addr"], None)
            found = begun.pop(number)
            args = found["args"]
            assert (args["bytes"], int(args["address"], 16), args["end_event"]) == (event["size"], event["addr"] % 2**64, end), found
            assert nanos(found["ts"]) == clock[number]
            if end is not None:
                assert nanos(found["ts"]) + nanos(found["dur"]) == clock[end]
    assert not begun, "slices that no event began"

    # What is live by the slices is what the counter says, at every point of it.
    changes = defaultdict(int)
    for piece in slices:
        changes[nanos(piece["ts"])] += piece["args"]["bytes"]
        changes[nanos(piece["ts"]) + nanos(piece["dur"])] -= piece["args"]["bytes"]
    points = [(nanos(e["ts"]), e["args"]["bytes"]) for e in own if e["ph"] == "C" and e["name"] == "requested"]
    curve, live = {}, 0
    for at in sorted(changes):
        live += changes[at]
        curve[at] = live
    end = max(curve, default=0)
    peak = 0
    at_times = sorted(curve)
    position, now = 0, 0
    for at, value in points:
        while position < len(at_times) and at_times[position] <= at:
            now = curve[at_times[position]]
            position += 1
        assert now == value, (name, at, now, value)
        peak = max(peak, value)
    print(json.dumps({"device": device, "slices": len(slices), "moments": len(moments), "peak_requested": peak}))
