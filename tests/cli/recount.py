"""Recounts the totals of a snapshot from the unpickled file, by device, as JSON."""
import json
import pickle
import sys

snapshot = pickle.load(open(sys.argv[1], "rb"))
segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
traces = [] if isinstance(snapshot, list) else snapshot.get("device_traces", [])
devices = {}
for segment in segments:
    number = segment.get("device", 0)
    device = devices.setdefault(number, {"pools": {}, "states": {}, "largest": 0, "pending": 0, "workspace": 0,
                                         "reserved": 0, "active": 0})
    entries = traces[number] if number < len(traces) else []
    named = {e["addr"] for e in entries if e["action"] == "workspace_snapshot"}
    key = (tuple(segment.get("segment_pool_id", (0, 0))), segment["stream"], segment["segment_type"])
    pool = device["pools"].setdefault(key, {"segments": 0, "reserved": 0, "allocated": 0, "active": 0,
                                            "largest_free_block": 0})
    pool["segments"] += 1
    for figure, name in (("reserved", "total_size"), ("allocated", "allocated_size"), ("active", "active_size")):
        pool[figure] += segment[name]
    device["reserved"] += segment["total_size"]
    address = segment["address"]
    for block in segment["blocks"]:
        state = block["state"].replace("awaiting", "pending")
        if len(segment["blocks"]) == 1 and state == "inactive" and block.get("address", address) in named:
            state = "workspace"
            device["workspace"] += block["size"]
        count = device["states"].setdefault(state, [0, 0])
        count[0] += 1
        count[1] += block["size"]
        if state == "inactive":
            pool["largest_free_block"] = max(pool["largest_free_block"], block["size"])
            device["largest"] = max(device["largest"], block["size"])
        if state == "active_pending_free":
            device["pending"] += block["size"]
        if state.startswith("active"):
            device["active"] += block["size"]
        address += block["size"]
print(json.dumps({
    number: {
        "by_pool": [{"pool": list(pool), "stream": stream, "segment_type": kind, **figures}
                    for (pool, stream, kind), figures in sorted(device["pools"].items())],
        "by_state": [{"state": state, "count": count, "bytes": size}
                     for state, (count, size) in sorted(device["states"].items())],
        "largest_free_block": device["largest"],
        "pending_free": device["pending"],
        "workspace": device["workspace"],
        "cached_free": device["reserved"] - device["active"] - device["workspace"],
    } for number, device in devices.items()}))
