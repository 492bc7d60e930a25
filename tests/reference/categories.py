"""The category of every life that a trace frees or allocates, for `views.py`: what stacks say, what lifetimes refine, and what is concluded
of lives from before the trace that end in it. Lives that last from before the trace to its end are left as their stacks have them.

Written apart from the program that it checks, from the description of categories (docs/attribution.md) as plain passes over dicts. `basics` are
the functions of `attribution.py` and `views.py` that it needs.
"""

NEVER = float("inf")


def released(life):
    return min(x if x is not None else NEVER for x in (life["pending"], life["death"]))


class Categories:
    def __init__(self, device, basics):
        self.device, self.b = device, basics
        self.recorded = [l for l in device.lives if l["birth"] > 0]
        self.before = [l for l in device.lives if l["birth"] == 0]
        self.look_at_events()
        for l in device.lives:
            l["category"] = self.plain(l)
        self.engine_thread()
        self.outliving()
        self.freed()

    def in_optimizer(self, frames):
        """Optimizer code, with no forward or backward further in."""
        for f in frames:
            if self.b.noise(f):
                continue
            is_python = self.b.python(f)
            if is_python and (self.b.optimizers.search(self.b.path(f)) or f["name"] == "_init_group"):
                return True
            if f["name"] in ("forward", "backward") if is_python else "torch::autograd::Engine::" in f["name"]:
                return False
        return False

    def look_at_events(self):
        """Runs of optimizer code, which only other Python code ends; what kinds of stacks there are; workspace."""
        self.optimizer_events, self.runs, self.workspaces = [], [], set()
        has_python = has_native = self.backward = running = False
        announced = None
        optimizer, pythonic = self.b.of_stack(self.in_optimizer), self.b.of_stack(lambda frames: any(map(self.b.python, frames)))
        native = self.b.of_stack(lambda frames: any(not self.b.python(f) and f["name"] not in ("", "??") for f in frames))
        for i, e in enumerate(self.device.events):
            if e["action"] == "workspace_snapshot":
                announced = e["addr"]
            if e["action"] not in ("alloc", "free_requested", "free_completed"):
                continue
            if e["action"] == "alloc":
                if e["addr"] == announced:
                    self.workspaces.add(i + 1)
                announced = None
            frames = e.get("frames") or []
            has_python |= pythonic(frames)
            has_native |= native(frames)
            self.backward |= self.b.category(frames) == "backward"
            if optimizer(frames):
                self.optimizer_events.append(i)
                if running:
                    self.runs[-1][1] = i
                else:
                    self.runs.append([i, i])
                running = True
            elif pythonic(frames):
                running = False
        self.python_only = has_python and not has_native

    def reaches_optimizer(self, life):
        """Held when optimizer code next runs, or let go by it."""
        runs_next = next((e for e in self.optimizer_events if e >= life["birth"]), None)
        return runs_next is not None and released(life) > runs_next

    def plain(self, life):
        if life["birth"] in self.workspaces:
            return "workspace"
        if life["of_free"]:
            return "unknown"
        kind = self.b.category(life["frames"])
        if kind == "optimizer" and any(first <= life["birth"] - 1 <= last and released(life) <= last + 1 for first, last in self.runs):
            return "optimizer_temporary"
        if kind == "backward" and self.python_only and self.reaches_optimizer(life):
            return "gradient"
        return kind

    def engine_thread(self):
        """Without a stack in a trace of Python stacks: a thread without Python, that of the autograd engine."""
        if self.python_only and (self.optimizer_events or self.backward):
            for l in self.recorded:
                if l["category"] == "unknown":
                    l["category"] = "gradient" if self.reaches_optimizer(l) else "backward"

    def outliving(self):
        """What is let go after the last gradient of its size: a model taken down, shared out by how many there are to one gradient."""
        changes, last = {}, {}
        for l in self.device.lives:
            if l["category"] == "gradient":
                death = l["death"] if l["death"] is not None else NEVER
                changes.setdefault(l["size"], []).extend([(l["birth"], 1), (death, -1)])
                last[l["size"]] = max(last.get(l["size"], 0), death)
        together = {}
        for size, moments in changes.items():
            now = 0
            for _, change in sorted(moments):
                now += change
                together[size] = max(together.get(size, 0), now)
        groups = {}
        for l in self.before:
            if l["category"] == "unknown" and last.get(l["size"], NEVER) < NEVER and released(l) > last[l["size"]]:
                groups.setdefault(l["size"], []).append(l)
        ratios = {}
        for size, lives in groups.items():
            n, rest = divmod(len(lives), together[size])
            if any(l["death"] is not None for l in lives) and rest == 0 and n in (1, 2, 3, 4, 6):
                ratios[size] = n
        weight = {n: sum(size * len(groups[size]) for size, m in ratios.items() if m == n) for n in (1, 2, 3)}
        common = max(weight, key=lambda n: (weight[n], -n))
        for size, n in ratios.items():
            parts = common if n != common and n % common == 0 else n
            lives = sorted(groups[size], key=lambda l: l["addr"])
            for k, l in enumerate(lives):
                l["category"] = "parameter" if k < len(lives) // parts else "optimizer"

    def free_stack(self, life):
        for moment in (released(life), life["death"]):
            frames = self.device.events[moment - 1].get("frames") if moment not in (None, NEVER) else None
            if frames:
                return frames
        return []

    def freed(self):
        """What was freed like it, of the same size, was this: at the same line, in the same function, made anew by the function
        that frees it, at all (weighed by how long they last, then by number)."""
        wanted = [l for l in self.before if l["category"] == "unknown" and l["death"] is not None]
        sizes, votes = {l["size"] for l in wanted}, {}
        place = lambda frame: (frame["filename"], frame["name"])
        for l in self.recorded:
            kind = l["category"]
            if l["size"] not in sizes or kind == "unknown":
                continue
            lasted = min(released(l), len(self.device.events)) - l["birth"]
            ways = [("size", None, lasted), ("number", None, 1)]
            freed, made = self.b.site_frame(self.free_stack(l)), self.b.site_frame(l["frames"])
            if freed:
                ways += [("at", (*place(freed), freed["line"]), 1), ("in", place(freed), 1)]
            if made:
                ways.append(("made", place(made), 1))
            for way, key, weight in ways:
                vote = votes.setdefault((l["size"], way, key), {"weight": {}, "longest": 0})
                vote["weight"][kind] = vote["weight"].get(kind, 0) + weight
                if kind == "backward":
                    vote["longest"] = max(vote["longest"], lasted)
        for l in wanted:
            frames = self.free_stack(l)
            site, by_optimizer = self.b.site_frame(frames), self.in_optimizer(frames)
            ways = [("at", (*place(site), site["line"])), ("in", place(site)), ("made", place(site))] if site else []
            for way, key in [*ways, ("size", None), ("number", None)]:
                vote = votes.get((l["size"], way, key))
                if vote is None:
                    continue
                weight = dict(vote["weight"])
                # State and temporaries are one answer.
                weight["optimizer"] = weight.get("optimizer", 0) + weight.pop("optimizer_temporary", 0)
                total, kind = sum(weight.values()), max(weight, key=weight.get)
                if total == 0 or weight[kind] < 0.6 * total:
                    continue
                # A temporary of the optimizer is freed by no other code.
                if kind == "optimizer" and not vote["weight"].get("optimizer") and not by_optimizer:
                    continue
                if kind == "backward" and by_optimizer:
                    kind = "gradient"
                elif kind == "backward" and self.b.category(frames) == "backward" and released(l) > vote["longest"]:
                    # It lasted longer than any temporary of the backward pass.
                    kind = "activation"
                l["category"] = kind
                break
