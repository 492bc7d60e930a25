"""What the views of a snapshot show, worked out from the unpickled file: `views.py FILE` reads questions as a JSON list
from standard input and prints a JSON list of answers.

Written apart from the program that it checks: plain passes over the dicts of the file. Of the moments of a device number 0
lies before its first event and number k behind event k - 1.
"""
import json
import os
import pickle
import runpy
import sys
import types

beside = lambda name: runpy.run_path(os.path.join(os.path.dirname(__file__), name), run_name="beside")
RULES = beside("attribution.py")
python, noise, LIBRARY, path = (RULES[n] for n in ("python", "noise", "LIBRARY", "path"))
KNOWN = {}


def of_stack(find):
    """`find` asked once for each stack: files hold a stack once and speak of it often."""
    def asked(frames):
        key = (find, tuple(map(id, frames)))
        if key not in KNOWN:
            KNOWN[key] = find(frames)
        return KNOWN[key]
    return asked


category = of_stack(RULES["category"])
steps, Categories = beside("steps.py")["steps"], beside("categories.py")["Categories"]


def own(frame):
    return python(frame) and not LIBRARY.search(path(frame))


def label(frame):
    if frame["filename"] in ("", "??"):
        return frame["name"]
    return f"{frame['name']} {frame['filename']}" + (f":{frame['line']}" if frame["line"] else "")


class Device:
    """The lives of one device: dicts with birth and death as moments, size, address, frames and of whom the frames are."""

    def __init__(self, snapshot, number):
        self.events = snapshot["device_traces"][number]
        self.segments = [s for s in snapshot["segments"] if s.get("device", 0) == number]
        self.annotations = [a for a in snapshot.get("external_annotations") or [] if a.get("device", number) == number]
        closing = "free_completed" if any(e["action"] == "free_completed" for e in self.events) else "free_requested"
        live, self.lives, initial = {}, [], []
        for i, e in enumerate(self.events):
            if e["action"] == "alloc":
                if e["addr"] in live:
                    live[e["addr"]]["death"] = i + 1
                live[e["addr"]] = life = {"birth": i + 1, "death": None, "pending": None, "freed_by": None, "size": e["size"], "addr": e["addr"],
                                          "frames": e.get("frames") or [], "of_free": False, "stream": e.get("stream", 0)}
                self.lives.append(life)
            elif e["action"] in ("free_requested", "free_completed"):
                life = live.get(e["addr"])
                if life is None:
                    life = live[e["addr"]] = {"birth": 0, "death": None, "pending": None, "freed_by": None, "size": e["size"], "addr": e["addr"],
                                              "frames": e.get("frames") or [], "of_free": True, "stream": e.get("stream", 0)}
                    initial.append(life)
                if e["action"] == "free_requested":
                    life["pending"] = i + 1
                if life["freed_by"] is None:
                    life["freed_by"] = e.get("frames") or []
                if e["action"] == closing:
                    life["death"] = i + 1
                    del live[e["addr"]]
        for segment in self.segments:
            address = segment["address"]
            for block in segment["blocks"]:
                address = block.get("address", address)
                newest = (block.get("history") or [{}])[0]
                size = block.get("requested_size", newest.get("real_size", block["size"]))
                if block["state"] == "active_allocated" and address not in live:
                    initial.append({"birth": 0, "death": None, "pending": None, "freed_by": None, "size": size, "addr": address, "block": block["size"],
                                    "frames": block.get("frames", newest.get("frames")) or [], "of_free": False, "stream": segment.get("stream", 0)})
                elif address in live and live[address]["death"] is None:
                    live[address]["block"] = block["size"]
                address += block["size"]
        self.lives = initial + self.lives

    def alive(self, moment):
        return [l for l in self.lives if l["birth"] <= moment and (l["death"] is None or l["death"] > moment)]

    def peak(self):
        change = [0] * (len(self.events) + 1)
        for l in self.lives:
            change[l["birth"]] += l["size"]
            if l["death"] is not None:
                change[l["death"]] -= l["size"]
        now = best = at = 0
        for moment, delta in enumerate(change):
            now += delta
            if moment == 0 or now > best:
                best, at = now, moment
        return at, best

    def counted(self):
        """Which `forward` frames make modules: those of own code, else of packages other than torch, else torch's."""
        used = [l["frames"] for l in self.lives] + [e.get("frames") or [] for e in self.events] + [b.get("frames") or [] for s in self.segments for b in s["blocks"]]
        forward = {(f["filename"], f["line"]) for frames in used for f in frames if python(f) and f["name"] == "forward"}
        tests = (lambda file: not LIBRARY.search(file), lambda file: "/torch/" not in file, lambda file: True)
        for test in tests:
            kept = {(file, line) for file, line in forward if test(file.replace("\\", "/"))}
            if kept:
                return kept
        return set()


def chain(frames, kept):
    return tuple((f["filename"], f["line"]) for f in reversed(frames) if f["name"] == "forward" and (f["filename"], f["line"]) in kept)


def modules(device, moment):
    """By chain: bytes, count, and what checkpointing would free: what began in that forward, lives at the moment and was not
    let go in a forward, less what a further call of the module was given, the last thing kept of the call before it."""
    kept = device.counted()
    rows = {}
    for l in device.alive(moment):
        # The stack of a free tells nothing of the allocation.
        whole = () if l["of_free"] else chain(l["frames"], kept)
        for depth in range(1, len(whole) + 1):
            row = rows.setdefault(whole[:depth], [0, 0, 0])
            row[0] += l["size"]
            row[1] += 1
    activations = [(chain(l["frames"], kept), l) for l in device.lives if 0 < l["birth"] <= moment and category(l["frames"]) == "activation"]
    for key, row in rows.items():
        calls, before, first, previous = [], None, None, None
        for whole, l in activations:
            if not whole:
                continue
            if whole[:len(key)] != key:
                before = first = previous = None
                continue
            stack = [(f["name"], f["filename"], f["line"]) for f in l["frames"]]
            if before is None:
                calls.append([False, []])
                first = stack
            elif stack == first and stack != previous:
                calls.append([True, []])
            before, previous = whole, stack
            lives_on = l["death"] is None or l["death"] > moment
            if lives_on and not (l["freed_by"] and category(l["freed_by"]) == "activation"):
                calls[-1][1].append(l["size"])
        row[2] = sum(sum(sizes) for _, sizes in calls)
        given, handed = 0, 0
        for follows, sizes in calls:
            if follows:
                given += handed
                handed = 0
            else:
                handed = 0
            if sizes:
                handed = sizes[-1]
        row.append(row[2])
        row[2] -= given
    name = lambda key: " > ".join(f"{file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{line}" for file, line in key)
    return sorted([name(key), len(key), *row] for key, row in rows.items())


def flame(device, question):
    inner, no_native, no_framework = question["innermost"], question["hide_native"], question["hide_framework"]
    tree = {}
    if question["of"] == "moment":
        weighted = [(l, l["size"]) for l in device.alive(question["moment"])]
    else:
        start, end = question["from"], question["to"]
        clock = list(range(len(device.events) + 1))
        if question["of"] == "range_time":
            clock, latest = [0], device.events[0]["time_us"]
            for e in device.events:
                latest = max(latest, e["time_us"])
                clock.append((latest - device.events[0]["time_us"]) * 1000)
        weighted = []
        for l in device.lives:
            born, died = max(start, l["birth"]), min(end, l["death"] if l["death"] is not None else end)
            if l["birth"] < end and died > born:
                weighted.append((l, l["size"] * (clock[died] - clock[born])))
    for l, weight in weighted:
        frames = [f for f in l["frames"] if not noise(f) and not (no_native and not python(f)) and not (no_framework and python(f) and not own(f))]
        names = [label(f) for f in (frames if inner else reversed(frames))]
        if not l["frames"]:
            names = ["<none>"]
        else:
            names = names or ["<hidden>"]
            if l["of_free"]:
                names.insert(0, "<freed>")
        for depth in range(len(names) + 1):
            node = tree.setdefault("\n".join(["", *names[:depth]]), [0, 0])
            node[0] += weight
            node[1] += 1
    return tree


@of_stack
def site_frame(frames):
    """The call site: the innermost own Python frame, else the innermost Python frame, else the first native that is neither noise nor plumbing."""
    py = [f for f in frames if python(f)]
    for f in py:
        if own(f):
            return f
    if py:
        return py[0]
    for f in frames:
        if noise(f):
            continue
        name = qualified(f["name"])
        if name.startswith(("at::", "c10::", "std::")) or "CachingAllocator" in name or "::empty_" in name:
            continue
        return f
    return None


def site(frames):
    frame = site_frame(frames)
    return "" if frame is None else label(frame)


def qualified(signature):
    start = depth = 0
    for i, c in enumerate(signature):
        if c == "(" and depth == 0 and not signature.startswith("(anonymous", i):
            return signature[start:i]
        depth += (c in "<{[(") - (c in ">}])" and depth > 0)
        if c == " " and depth == 0:
            start = i + 1
    return signature[start:]


def categories(device):
    if "category" not in device.lives[0]:
        Categories(device, types.SimpleNamespace(python=python, noise=noise, path=path, category=category, of_stack=of_stack, site_frame=site_frame, optimizers=RULES["OPTIMIZERS"]))


def in_range(device, start, end):
    categories(device)
    total, by_site, by_category = [0] * 6, {}, {}
    for l in device.lives:
        born = start < l["birth"] <= end
        died = l["death"] is not None and start < l["death"] <= end
        rows = [total, by_site.setdefault(site(l["frames"]), [0] * 6), by_category.setdefault(l["category"], [0] * 6)]
        for row in rows:
            for place, holds in ((0, born), (2, died), (4, born and not died)):
                row[place] += l["size"] * holds
                row[place + 1] += holds
    happened = lambda rows: {k: v for k, v in rows.items() if v[1] or v[3]}
    return {"total": total, "by_call_site": happened(by_site), "by_category": happened(by_category)}


def found(device, text):
    needle = text.lower()
    hits = [l for l in device.lives if any(needle in f"{f['name']} {f['filename']}:{f['line']}".lower() for f in l["frames"])]
    return {"count": len(hits), "bytes": sum(l["size"] for l in hits), "births": sorted(l["birth"] for l in hits)}


def found_address(device, address):
    """Lives that cover an address with what was requested: ask for a byte that no padding has."""
    hits = [l for l in device.lives if l["addr"] <= address < l["addr"] + max(1, l["size"])]
    return {"count": len(hits), "bytes": sum(l["size"] for l in hits), "births": sorted(l["birth"] for l in hits)}


def lanes(device):
    marks = {"oom": [], "snapshot": [], "grown": [], "shrunk": []}
    names = {"oom": "oom", "snapshot": "snapshot", "segment_alloc": "grown", "segment_map": "grown", "segment_free": "shrunk", "segment_unmap": "shrunk"}
    for i, e in enumerate(device.events):
        if e["action"] in names:
            marks[names[e["action"]]].append(i + 1)
    spans, open_ = [], []
    for a in device.annotations:
        if a["stage"].lower() == "start":
            open_.append((a["name"], a["time_us"]))
        else:
            for k in range(len(open_) - 1, -1, -1):
                if open_[k][0] == a["name"]:
                    spans.append([a["name"], open_.pop(k)[1], a["time_us"]])
                    break
    return {**marks, "annotations": spans, "steps": steps(device)}


def rows_of_events(device, keep):
    """Rows as CSV tells them, of events that `keep` (an expression over e and i) keeps."""
    test = eval("lambda e, i, text: " + keep)
    text = lambda e: "\n".join(f"{f['name']} {f['filename']}:{f['line']}".lower() for f in e.get("frames") or [])
    return [[i, e["action"], hex(e.get("addr", 0)), e["size"], e.get("stream", 0), e.get("time_us"), [[f["filename"], f["line"], f["name"]] for f in e.get("frames") or []]]
            for i, e in enumerate(device.events) if test(e, i, text)]


def take(ranges, start, end):
    """Takes a stretch out of the range that holds it."""
    for a, b in list(ranges.items()):
        if a <= start and end <= b:
            del ranges[a]
            if a < start:
                ranges[a] = start
            if end < b:
                ranges[end] = b
            return
    raise ValueError(f"nothing holds {start:#x}..{end:#x}")


def give(ranges, start, end, joins):
    """Adds a stretch; what grows is joined with what it touches."""
    for a, b in list(ranges.items()) if joins else []:
        if b == start:
            del ranges[a]
            start = a
        elif a == end:
            del ranges[a]
            end = b
    ranges[start] = end


def reserve(ranges, event, backwards=False):
    """What an event of segments does to the ranges of addresses, or undoes."""
    action, start, end = event["action"], event["addr"], event["addr"] + event["size"]
    if action in (("segment_free", "segment_unmap") if backwards else ("segment_alloc", "segment_map")):
        give(ranges, start, end, action in ("segment_map", "segment_unmap"))
    elif action in ("segment_alloc", "segment_map", "segment_free", "segment_unmap"):
        take(ranges, start, end)


def memory_at(device, moments, padding):
    """Segments, and blocks in use with their sizes, by a replay of the allocator: a request is rounded up to 512 bytes; of a
    free block that is larger what is left over is split off when it is at least 512 bytes (small or expandable segments) or more than
    1 MiB (large ones). A block that was there before the trace and is gone at its end has no size that is known: null."""
    kinds = {s["address"]: s.get("segment_type") for s in device.segments}
    rounded = lambda size: max(512, (size + padding + 511) // 512 * 512)
    expandable = any(e["action"] == "segment_map" for e in device.events) or any(s.get("is_expandable") for s in device.segments)
    ranges = {s["address"]: s["address"] + s["total_size"] for s in device.segments}
    for e in reversed(device.events):
        reserve(ranges, e, backwards=True)
    occupied = {l["addr"]: [l.get("block"), l] for l in device.lives if l["birth"] == 0}
    by_birth = {l["birth"]: l for l in device.lives if l["birth"] > 0}
    by_death = {l["death"]: l for l in device.lives if l["death"] is not None}
    found = {}
    for k in range(max(moments) + 1):
        if k > 0:
            reserve(ranges, device.events[k - 1])
        gone, l = by_death.get(k), by_birth.get(k)
        if gone and occupied.get(gone["addr"], [0, None])[1] is gone:
            del occupied[gone["addr"]]
        if l:
            start, end = next((a, b) for a, b in ranges.items() if a <= l["addr"] < b)
            room = min((a for a in occupied if l["addr"] < a < end), default=end) - l["addr"]
            need = rounded(l["size"])
            is_small = kinds[start] == "small" if start in kinds else end - start == 2 << 20
            whole = room - need < 512 if is_small or expandable else room - need <= 1 << 20
            occupied[l["addr"]] = [room if whole else need, l]
        if k in moments:
            blocks = [[address, l.get("block") or size, l["size"], "pending" if l["pending"] is not None and l["pending"] <= k else "allocated"]
                      for address, (size, l) in sorted(occupied.items())]
            found[k] = {"moment": k, "segments": sorted([a, b - a] for a, b in ranges.items()), "blocks": blocks,
                        "sites": [site(l["frames"]) for _, (_, l) in sorted(occupied.items())]}
    return [found[moment] for moment in moments]


DEVICES = {}


def answer(snapshot, question):
    device = DEVICES.setdefault(question.get("device", 0), None) or Device(snapshot, question.get("device", 0))
    DEVICES[question.get("device", 0)] = device
    kind = question["ask"]
    peak, _ = device.peak()
    # Moments may be told by the peak: [0.5, -3] is three before the half of it.
    for name in ("from", "to", "moment"):
        if isinstance(question.get(name), list):
            times, more = question[name]
            question[name] = int(peak * times) + more
    if kind == "peak":
        return device.peak()
    if kind == "requested":
        return [sum(l["size"] for l in device.alive(moment)) for moment in question["moments"]]
    if kind == "states":
        return question["from"], question["to"]
    if kind == "modules":
        return modules(device, question.get("moment", peak))
    if kind == "flame":
        return flame(device, question)
    if kind == "range":
        return {**in_range(device, question["from"], question["to"]), "from": question["from"], "to": question["to"]}
    if kind == "search":
        return found(device, question["text"])
    if kind == "address":
        return found_address(device, question["address"])
    if kind == "lanes":
        return lanes(device)
    if kind == "events":
        return rows_of_events(device, question["keep"])
    if kind == "memory":
        moments = [int(peak * moment[0]) + moment[1] if isinstance(moment, list) else moment for moment in question["moments"]]
        return memory_at(device, moments, question.get("padding", 0))
    raise ValueError(kind)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        opened = json.load(file) if sys.argv[1].endswith(".json") else pickle.load(file)
    print(json.dumps([answer(opened, question) for question in json.load(sys.stdin)]))
