"""Requested bytes by full stack of two snapshots, counted without the program: of the blocks that are allocated at the end.

The stack of a block is its own; a block that waits for a stream counts with the stack of its last alloc event.
"""
import json
import pickle
import sys


def count(path):
    with open(path, "rb") as file:
        data = pickle.load(file)
    segments = data["segments"] if isinstance(data, dict) else data
    traces = data.get("device_traces", []) if isinstance(data, dict) else []
    device = max(range(len(traces)), key=lambda d: len(traces[d])) if traces else 0
    events = traces[device] if traces else []
    live = {}
    completes = any(event["action"] == "free_completed" for event in events)
    for event in events:
        if event["action"] == "alloc":
            live[event["addr"]] = (event["size"], event.get("frames") or [])
        elif event["action"] == ("free_completed" if completes else "free_requested"):
            live.pop(event["addr"], None)
        elif event["action"] == "workspace_snapshot":
            live.pop(event["addr"], None)
    workspace = {event["addr"] for event in events if event["action"] == "workspace_snapshot"}
    for event in events:
        if event["action"] == "alloc" and event["addr"] in workspace:
            live[event["addr"]] = (event["size"], event.get("frames") or [])
    for segment in segments:
        if segment.get("device", 0) != device:
            continue
        address = segment["address"]
        for block in segment["blocks"]:
            at = block.get("address", address)
            address = at + block["size"]
            if block["state"] == "active_allocated" and at not in live:
                live[at] = (block.get("requested_size", block["size"]), block.get("frames") or [])
    stacks = {}
    for size, frames in live.values():
        key = "\n".join(f"{f['filename']}:{f['line']} {f['name']}" for f in frames)
        stacks[key] = stacks.get(key, 0) + size
    return device, stacks


(a_device, a), (b_device, b) = count(sys.argv[1]), count(sys.argv[2])
rows = sorted([a.get(key, 0), b.get(key, 0), key] for key in a.keys() | b.keys())
print(json.dumps({"a_device": a_device, "b_device": b_device, "diff": sum(b.values()) - sum(a.values()), "stacks": rows}))
