"""Where the steps of a device's trace begin, for `views.py`.

Written apart from the program that it checks, from what a step is: a stretch of the trace from one beginning to the next, the last
one to the end of the trace; what comes before the first beginning belongs to none. Beginnings are told by annotations: of
`ProfilerStep#N`, of an optimizer's step, of a name with "step", of an iteration, of an optimizer's zero_grad, the first kind of
which three begin in the trace, each at the first event that is not before it. Without any, they are told by valleys of requested bytes.
"""
import re

KINDS = (
    lambda name: name.startswith("ProfilerStep#"),
    lambda name: "optimizer.step" in name.lower(),
    lambda name: "step" in name.lower(),
    lambda name: "iteration" in name.lower() or re.search(r"iter[#:_ ]*$", name.lower()),
    lambda name: "optimizer.zero_grad" in name.lower(),
)


def annotated(events, annotations):
    """A beginning whose time is before the first event is none that the trace shows."""
    begun = {}
    for a in annotations:
        if a["stage"].lower() == "start":
            begun.setdefault(re.sub(r"\d+", "#", a["name"]), []).append(a["time_us"])
    times = [e.get("time_us") for e in events]
    if not times or times[0] is None:
        return None
    for kind in KINDS:
        for name, starts in sorted(begun.items(), key=lambda item: (-len(item[1]), item[0])):
            if next(i for i, test in enumerate(KINDS) if test(name) or i == len(KINDS) - 1) != KINDS.index(kind) or not kind(name):
                continue
            firsts = {next((i for i, t in enumerate(times) if t >= start), None) for start in starts if start >= times[0]}
            firsts.discard(None)
            if len(firsts) >= 3:
                return {"source": "profiler" if kind is KINDS[0] else "annotations", "begin": sorted(firsts)}
    return None


def is_valley(curve, at, height):
    """From here the curve rises by `height` to both sides before it falls lower (or, behind, comes down as low again)."""
    low = curve[at]
    before = next((v for v in reversed(curve[:at]) if v < low or v >= low + height), None)
    behind = next((v for v in curve[at + 1:] if v <= low or v >= low + height), None)
    return before is not None and before > low and behind is not None and behind > low


def valleys(curve):
    """Of the heights (shares of the curve's range) the greatest that gives four or more valleys at even distances, that is ones whose
    standard deviation, without that of the first step, is at most 35 % of their mean."""
    reach = max(curve) - min(curve)
    lows = [i for i in range(1, len(curve) - 1) if curve[i - 1] >= curve[i] < curve[i + 1]]
    for share in (0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05):
        found = [i for i in lows if int(reach * share) > 0 and is_valley(curve, i, int(reach * share))]
        apart = [b - a for a, b in zip(found[1:], found[2:])]
        if len(found) >= 4:
            mean = sum(apart) / len(apart)
            if (sum((d - mean) ** 2 for d in apart) / len(apart)) ** 0.5 <= 0.35 * mean:
                return {"source": "valleys", "begin": found}
    return None


def steps(device):
    change = [0] * (len(device.events) + 1)
    for l in device.lives:
        change[l["birth"]] += l["size"]
        if l["death"] is not None:
            change[l["death"]] -= l["size"]
    curve = [sum(change[:1])]
    for delta in change[1:]:
        curve.append(curve[-1] + delta)
    return annotated(device.events, device.annotations) or valleys(curve) or {"source": None, "begin": []}
