"""The overview figures of a snapshot by a few plain lines: an opinion that shares nothing with the program.

    overview.py FILE    prints a JSON list with one object for each device that has segments or events

Values are unpickled by Python's own pickle, which is not allowed to look up anything.
"""
import collections
import json
import pickle
import sys


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def requested(block):
    if "requested_size" in block:
        return block["requested_size"]
    return block["history"][0]["real_size"] if block.get("history") else block["size"]


def overview(number, segments, events):
    workspaces = {e["addr"] for e in events if e["action"] == "workspace_snapshot"}
    blocks = []
    for s in segments:
        address = s["address"]
        for b in s["blocks"]:
            state = "workspace" if address in workspaces and b["state"] == "inactive" else b["state"]
            blocks.append((b.get("address", address), state.replace("awaiting", "pending"), b))
            address += b["size"]

    def total(state):
        return sum(b["size"] for _, s, b in blocks if s == state)

    actions = collections.Counter(e["action"] for e in events)
    completes = actions["free_completed"] > 0
    # Lives: [bytes, first event, last event]; -1 and None: before and after the trace.
    lives, live, freed = [], {}, set()
    for n, e in enumerate(events):
        address = e.get("addr")
        if e["action"] == "alloc":
            if address in live:
                lives[live[address]][2] = n
            live[address] = len(lives)
            lives.append([e["size"], n, None])
            freed.discard(address)
        elif e["action"] in ("free_requested", "free_completed"):
            if address not in live and address not in freed:
                live[address] = len(lives)
                lives.append([e["size"], -1, None])
            if address in live and (e["action"] == "free_completed" or not completes):
                lives[live.pop(address)][2] = n
                freed.add(address)
    for address, state, b in blocks:
        if state == "active_allocated" and address not in live:
            lives.append([requested(b), -1, None])
    change = [0] * (len(events) + 1)
    for size, first, last in lives:
        change[first + 1] += size
        if last is not None:
            change[last + 1] -= size
    now, peak, peak_event = change[0], change[0], -1
    for n in range(len(events)):
        now += change[n + 1]
        if now > peak:
            peak, peak_event = now, n
    reserved = sum(s["total_size"] for s in segments)
    growth = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
    steps = [growth.get(e["action"], 0) * e["size"] for e in events]
    level = reserved_peak = reserved - sum(steps)
    reserved_event = -1
    for n, step in enumerate(steps):
        level += step
        if level > reserved_peak:
            reserved_peak, reserved_event = level, n
    allocated, pending = total("active_allocated"), total("active_pending_free")
    workspace = total("workspace")
    asked = sum(requested(b) for _, s, b in blocks if s == "active_allocated")
    return {
        "device": number,
        "segments": len(segments),
        "blocks": len(blocks),
        "events": len(events),
        "actions": dict(actions),
        "has_time": any("time_us" in e for e in events),
        "reserved": reserved,
        "allocated": allocated,
        "active": allocated + pending,
        "requested": asked,
        "rounding": allocated - asked,
        "pending_free": pending,
        "workspace": workspace,
        "cached_free": reserved - allocated - pending - workspace,
        "largest_free_block": max((b["size"] for _, s, b in blocks if s == "inactive"), default=0),
        "initial_requested": change[0],
        "peak_requested": peak,
        "peak_event": peak_event,
        "final_requested": now,
        "peak_reserved": reserved_peak,
        "peak_reserved_event": reserved_event,
        "lives": len(lives),
        "initial_lives": sum(first < 0 for _, first, _ in lives),
    }


def main():
    with open(sys.argv[1], "rb") as file:
        text = file.read(1) in (b"{", b"[")
        file.seek(0)
        data = json.load(file) if text else Plain(file).load()
    if isinstance(data, list):
        data = {"segments": data}
    traces = data.get("device_traces", [])
    numbers = {s["device"] for s in data["segments"]} | {n for n, t in enumerate(traces) if t}
    print(json.dumps([
        overview(n, [s for s in data["segments"] if s["device"] == n], traces[n] if n < len(traces) else [])
        for n in sorted(numbers)
    ]))


main()
