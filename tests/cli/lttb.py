"""Replays a snapshot's requested bytes, reduces the curve by the published algorithm, and compares it with a report's."""
import json
import math
import pickle
import sys

snapshot = pickle.load(open(sys.argv[1], "rb"))
report = json.load(open(sys.argv[2]))
MOST = 2000


def curve(device):
    """Requested bytes before the first event and after each: lives close at free_completed."""
    entries = snapshot["device_traces"][device]
    live, deltas, before = {}, [], 0
    for entry in entries:
        action, delta = entry["action"], 0
        if action == "alloc":
            delta = entry["size"] - live.get(entry["addr"], 0)
            live[entry["addr"]] = entry["size"]
        elif action == "free_completed":
            if entry["addr"] in live:
                delta = -live.pop(entry["addr"])
            else:
                before += entry["size"]
                delta = -entry["size"]
        deltas.append(delta)
    for segment in snapshot["segments"]:
        address = segment["address"]
        for block in segment["blocks"]:
            if segment["device"] == device and block["state"] == "active_allocated" and address not in live:
                before += block["requested_size"]
            address += block["size"]
    values = [before]
    for delta in deltas:
        values.append(values[-1] + delta)
    return values


def lttb(values, most):
    """Sveinn Steinarsson's algorithm as published, but for the maximum, which is always taken."""
    count = len(values)
    if count <= most:
        return list(enumerate(values))
    top = values.index(max(values))
    every = (count - 2) / (most - 2)
    chosen, a = [0], 0
    for i in range(most - 2):
        start, end = math.floor(i * every) + 1, math.floor((i + 1) * every) + 1
        next_end = min(math.floor((i + 2) * every) + 1, count)
        ahead = range(end, next_end)
        mean_x = sum(ahead) / len(ahead)
        mean_y = sum(values[j] for j in ahead) / len(ahead)
        best, best_area = start, -1.0
        for j in range(start, end):
            area = abs((a - mean_x) * (values[j] - values[a]) - (a - j) * (mean_y - values[a]))
            if area > best_area:
                best, best_area = j, area
        a = top if start <= top < end else best
        chosen.append(a)
    return [(j, values[j]) for j in chosen + [count - 1]]


compared = 0
for device in report:
    number = device["drawing"]["device"]
    line = next(line for line in device["drawing"]["curves"] if line["name"] == "requested")
    values = curve(number)
    assert line["of"] == len(values), (line["of"], len(values))
    expected = lttb(values, MOST)
    found = [(event + 1, value) for event, value in zip(line["event"], line["value"])]
    assert found == expected, next(pair for pair in zip(found, expected) if pair[0] != pair[1])
    compared += len(found)
print("the same:", compared, "points")
