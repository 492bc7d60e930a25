"""What is live at given states of a snapshot's traces, by brute force: an independent second opinion.

    brute_force.py FILE DEVICE STATE...

Prints one JSON object a state: requested and reserved bytes and the live (address, size) pairs. Lives are
kept in a plain dict that is rebuilt from nothing for every state asked for, and lives from before the trace are
found by looking ahead at the rest of the trace and at the blocks, so nothing is shared with the program tested."""
import json
import pickle
import sys

MASK = (1 << 64) - 1


def blocks_of(segments, device):
    for segment in segments:
        if segment.get("device", 0) != device:
            continue
        at = segment["address"] & MASK
        for block in segment["blocks"]:
            history = block.get("history") or []
            size = block.get("requested_size", history[0]["real_size"] if history else block["size"])
            yield block.get("address", at) & MASK, size, block["state"]
            at += block["size"]


def live_at(trace, blocks, state, closing):
    live = {}
    for event in trace[:state]:
        if event["action"] == "alloc":
            live[event["addr"] & MASK] = event["size"]
        elif event["action"] == closing:
            live.pop(event["addr"] & MASK, None)
    seen = {e["addr"] & MASK for e in trace[:state] if e["action"] in ("alloc", closing)}
    # What the rest of the trace frees, or the snapshot still holds, without an alloc: it was there before.
    for event in trace[state:]:
        address = event.get("addr", 0) & MASK
        if event["action"] in ("alloc", "free_requested", closing) and address not in seen:
            if event["action"] != "alloc":
                live[address] = event["size"]
            seen.add(address)
    for address, size, what in blocks:
        if what == "active_allocated" and address not in seen:
            live[address] = size
    return live


def main():
    with open(sys.argv[1], "rb") as f:
        snapshot = pickle.load(f)
    device = int(sys.argv[2])
    segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
    trace = [] if isinstance(snapshot, list) else snapshot["device_traces"][device]
    closing = "free_completed" if any(e["action"] == "free_completed" for e in trace) else "free_requested"
    blocks = list(blocks_of(segments, device))
    total = sum(s["total_size"] for s in segments if s.get("device", 0) == device)
    for state in map(int, sys.argv[3:]):
        live = live_at(trace, blocks, state, closing)
        sign = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
        reserved = total - sum(e["size"] * sign.get(e["action"], 0) for e in trace[state:])
        print(json.dumps({"requested": sum(live.values()), "reserved": reserved, "live": sorted(live.items())}))


main()
