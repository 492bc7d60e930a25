#!/usr/bin/env python3
"""Records the device memory of a PyTorch run (torch or torch_npu) for HBM Lens.

One file without dependencies, to lay beside a training script. Either wrap an unchanged script,

    python hbm_capture.py run train.py --its --arguments
    torchrun --nproc-per-node 8 hbm_capture.py run train.py --its --arguments

or call it:

    import hbm_capture
    hbm_capture.start()                     # before the first tensor on the device
    hbm_capture.step()                      # after each step; without it, steps of the optimizer count
    hbm_capture.dump("after_warmup")        # at any moment
    tensor.register_hook(hbm_capture.hook("in_backward"))    # or a module's backward hook

Dumps are written at the chosen steps and when memory runs out, else at the end of the run, each with the
counters of the process beside it: snapshot_rank0_step10.pickle and snapshot_rank0_step10.pickle.counters.json.

    HBM_SNAPSHOT_STEPS=10,20,50-52,end   after which steps to dump, counted from 1
    HBM_SNAPSHOT_PATH=hbm_snapshots      the folder, or NAME.pickle: NAME_rank0_step10.pickle
    HBM_SNAPSHOT_RANKS=0,8-15            which ranks record; all unless set
    HBM_SNAPSHOT_MAX_ENTRIES=1000000     events to keep; older ones are overwritten
    HBM_SNAPSHOT_STACKS=all              all, or python: no C++ frames, which makes smaller dumps

Nothing here raises into the program that is recorded: what goes wrong is said on standard error. History
is switched on when the program itself first uses the device, because doing so earlier would set up a
device that the program has not chosen yet.
"""

import argparse
import atexit
import builtins
import gc
import importlib
import importlib.abc
import importlib.util
import json
import os
import pickle
import re
import runpy
import stat
import sys
import threading
import time
import types
import weakref

__all__ = ["start", "step", "dump", "hook", "stop", "main"]

MAX_OOM_DUMPS = 3
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK_ID")


class Settings:
    """What is asked for: arguments of start(), else the environment. Wrong values raise ValueError."""

    def __init__(self, steps=None, path=None, ranks=None, max_entries=None, stacks=None):
        steps = _given(steps, "HBM_SNAPSHOT_STEPS", "")
        self.at_end = "end" in _words(steps)
        self.steps = _numbers([word for word in _words(steps) if word != "end"], "HBM_SNAPSHOT_STEPS", 1)
        ranks = _words(_given(ranks, "HBM_SNAPSHOT_RANKS", ""))
        self.ranks = _numbers(ranks, "HBM_SNAPSHOT_RANKS", 0) if ranks else None
        path = os.path.abspath(os.path.expanduser(str(_given(path, "HBM_SNAPSHOT_PATH", "") or "hbm_snapshots")))
        self.folder, self.stem = path, "snapshot"
        if path.endswith((".pickle", ".pkl")):
            self.folder, self.stem = os.path.dirname(path), os.path.basename(path).rsplit(".", 1)[0]
        entries = str(_given(max_entries, "HBM_SNAPSHOT_MAX_ENTRIES", "") or "1000000").replace("_", "")
        if not entries.isdigit() or int(entries) < 1:
            raise ValueError("HBM_SNAPSHOT_MAX_ENTRIES: %r is not a number of events" % entries)
        self.max_entries = int(entries)
        self.stacks = _given(stacks, "HBM_SNAPSHOT_STACKS", "") or "all"
        if self.stacks not in ("all", "python"):
            raise ValueError("HBM_SNAPSHOT_STACKS: %r is neither all nor python" % self.stacks)


def _given(value, variable, default):
    return os.environ.get(variable, default) if value is None else value


def _words(value):
    if isinstance(value, (str, int)):
        value = str(value).replace(",", " ").split()
    return [str(word) for word in value]


def _numbers(words, variable, least):
    numbers = set()
    for word in words:
        match = re.match(r"(\d{1,15})(?:-(\d{1,15}))?$", word)
        first, last = (int(match.group(1)), int(match.group(2) or match.group(1))) if match else (0, -1)
        if not least <= first <= last or last - first > 1000000:
            raise ValueError("%s: %r is neither a number from %d nor a range such as 10-12" % (variable, word, least))
        numbers.update(range(first, last + 1))
    return numbers


class Backend:
    """torch.cuda or torch_npu.npu: the same functions, but for the name of the one for observers."""

    def __init__(self, name, module, c_module):
        self.name, self.module, self.c_module = name, module, c_module

    @staticmethod
    def imported():
        """Of the modules that the program has imported. With torch_npu, torch.cuda is but a shell."""
        torch, torch_npu = sys.modules.get("torch"), sys.modules.get("torch_npu")
        if torch_npu is not None:
            return Backend("npu", torch_npu.npu, torch_npu._C) if hasattr(torch_npu, "npu") else None
        return Backend("cuda", torch.cuda, torch._C) if hasattr(torch, "cuda") else None

    def initialized(self):
        return bool(self.module.is_initialized())

    def when_initialized(self, then):
        """Calls `then` as soon as the program uses the device."""
        self.module._lazy_call(then)

    def switch_on(self, max_entries, stacks):
        """Starts the history, whatever the version calls its arguments; says what kind of stacks it is."""
        record = getattr(self.module.memory, "_record_memory_history", None)
        if record is None:
            raise RuntimeError("this version has no memory history")
        try:
            record("all", context="all", stacks=stacks, max_entries=max_entries)
            return stacks
        except TypeError:
            pass  # before torch 2.1
        except RuntimeError:
            if stacks == "python":
                raise
            # C++ stacks cannot be had on every platform.
            record("all", context="all", stacks="python", max_entries=max_entries)
            return "python"
        try:
            record(True, trace_alloc_max_entries=max_entries, trace_alloc_record_context=True)  # torch 2.0
        except TypeError:
            record(True)  # torch 1.13: stacks of live blocks, no events
        return "python"

    def observe_oom(self, observer):
        """Has `observer` called before an out-of-memory error is raised; False where there is no such call."""
        attach = getattr(self.c_module, "_%s_attach_out_of_memory_observer" % self.name, None)
        if attach is not None:
            attach(observer)
        return attach is not None

    def snapshot(self):
        """What `_dump_snapshot` would pickle. That itself is not called: torch_npu's starts and stops a profiler
        and makes files that their owner cannot read."""
        take = getattr(self.module.memory, "_snapshot", None) or self.module.memory_snapshot
        return take()

    def counters(self, device, used):
        stats = self.module.memory_stats(device)
        counters = {"device": device}
        for name, key in (
            ("memory_allocated", "allocated_bytes.all.current"),
            ("max_memory_allocated", "allocated_bytes.all.peak"),
            ("memory_reserved", "reserved_bytes.all.current"),
            ("max_memory_reserved", "reserved_bytes.all.peak"),
            ("num_alloc_retries", "num_alloc_retries"),
            ("num_ooms", "num_ooms"),
        ):
            if key in stats:
                counters[name] = int(stats[key])
        if not used:
            return counters  # asking more might set the device up
        try:
            counters["limit"] = int(self.module.get_device_properties(device).total_memory)
            fraction = getattr(self.module, "get_per_process_memory_fraction", lambda device: 1.0)(device)
            if 0 < fraction < 1:
                counters["limit"] = int(counters["limit"] * fraction)
        except Exception:
            pass  # the memory of the device is welcome, not needed
        return counters


class Recorder:
    """The state of a recording; there is one in a process."""

    def __init__(self, settings):
        self.settings = settings
        self.backend = None
        self.stacks = settings.stacks
        self.why_off = "start() was not called before the memory was allocated"
        self.observed = False
        self.at_step = 0
        self.explicit_steps = False
        self.written = []
        self.dumped_steps = set()
        self.ooms = 0
        self.started = False
        self.finished = False
        self.dumping = False
        self.lock = threading.RLock()
        self.pid = os.getpid()
        self.watched = set()
        self.optimizers = None

    # Switching on

    def watch(self):
        """Waits for the program to use a device of the modules it has imported so far."""
        try:
            backend = Backend.imported()
            if backend is not None and backend.name not in self.watched:
                self.watched.add(backend.name)
                self.why_off = "the device was set up behind torch's back"
                backend.when_initialized(lambda: self.switch_on(backend))
            self.count_steps()
        except Exception as error:
            say("recording could not be prepared: %s" % _text(error))

    def switch_on(self, backend):
        if not self.chosen_rank():
            return
        self.backend = backend
        try:
            self.stacks = backend.switch_on(self.settings.max_entries, self.settings.stacks)
            self.why_off = "something switched it off (a call of _record_memory_history?), or this version keeps none"
            more = "" if self.stacks == self.settings.stacks else ", Python stacks only"
            say("history is on (%s, up to %s events%s)" % (backend.name, _count(self.settings.max_entries), more))
        except Exception as error:
            self.why_off = "it could not be switched on: %s" % _text(error)
            say("history is off: " + self.why_off)
        try:
            self.observed = backend.observe_oom(self.on_oom)
        except Exception as error:
            say("no dump when memory runs out, but one when the error ends the program: %s" % _text(error))
        # Again, now that the libraries are imported: this one runs before their exit handlers.
        atexit.register(self.finish)

    def chosen_rank(self):
        return self.settings.ranks is None or rank() in self.settings.ranks

    def count_steps(self):
        """Steps are those of the optimizer, unless step() is called."""
        if self.optimizers is not None or "torch" not in sys.modules:
            return
        optimizer = importlib.import_module("torch.optim.optimizer")
        register = getattr(optimizer, "register_optimizer_step_post_hook", None)
        self.optimizers = weakref.WeakKeyDictionary()
        if register is not None:
            register(self.on_optimizer)
        elif self.settings.steps:
            say("this version of torch does not tell of optimizer steps: call hbm_capture.step() after each step")

    # Moments

    def on_optimizer(self, optimizer, *_):
        # With several optimizers the busiest one counts.
        try:
            self.optimizers[optimizer] = taken = self.optimizers.get(optimizer, 0) + 1
            if not self.explicit_steps and taken > self.at_step:
                self.reached(taken)
        except Exception as error:
            say("a step could not be counted: %s" % _text(error))

    def step(self, number):
        if not self.explicit_steps:
            self.explicit_steps, self.at_step = True, 0
        self.reached(self.at_step + 1 if number is None else int(number))

    def reached(self, number):
        self.at_step = number
        if number in self.settings.steps and number not in self.dumped_steps:
            self.dumped_steps.add(number)
            self.dump("step%d" % number)

    def on_oom(self, *numbers):
        try:
            self.ooms += 1
            if self.ooms <= MAX_OOM_DUMPS:
                self.dump("oom", {"oom": dict(zip(("device", "requested", "device_total", "device_free"), numbers))})
            elif self.ooms == MAX_OOM_DUMPS + 1:
                say("memory ran out more than %d times: no further dumps of it" % MAX_OOM_DUMPS)
        except Exception as error:
            say("no dump: %s" % _text(error))

    def on_error(self, error):
        """An error that ends the program; where there was no observer this is the moment to dump."""
        if not self.ooms and (type(error).__name__ == "OutOfMemoryError" or "out of memory" in str(error).lower()):
            self.on_oom()

    def finish(self):
        if self.finished or os.getpid() != self.pid:
            return
        self.finished = True
        if not self.chosen_rank():
            return
        if self.backend is None:
            say("nothing recorded: this process used no device")
            return
        if self.settings.at_end or not self.written:
            self.dump("end")
        missed = sorted(self.settings.steps - self.dumped_steps)
        if missed:
            some = ", ".join(map(str, missed[:5])) + (", …" if len(missed) > 5 else "")
            say("not reached: step %s (the last one was %d)" % (some, self.at_step))

    # Writing

    def dump(self, tag, more=None):
        """Writes a snapshot and its counters; the file's path, or None after saying why there is none."""
        with self.lock:
            if self.dumping or not self.chosen_rank():
                return None
            self.dumping = True
            collecting = gc.isenabled()
            gc.disable()  # millions of new containers would have it run over and over
            try:
                return self.write(tag, more or {})
            except OSError as error:
                say("NO DUMP of %s: %s" % (tag, _text(error)))
            except Exception as error:
                say("NO DUMP of %s: the snapshot could not be taken: %s" % (tag, _text(error)))
            finally:
                self.dumping = False
                if collecting:
                    gc.enable()
            return None

    def write(self, tag, more):
        backend = self.backend or Backend.imported()
        if backend is None or not (self.backend or backend.initialized()):
            say("NO DUMP of %s: this process has used no device yet" % tag)
            return None
        snapshot = backend.snapshot()
        segments, traces = _parts(snapshot)
        events = [_events(trace) for trace in traces]
        used = {int(segment.get("device", 0)) for segment in segments} | {i for i, n in enumerate(events) if n}
        if not used:
            say("NO DUMP of %s: no memory has been allocated yet" % tag)
            return None
        full = [i for i, trace in enumerate(traces) if len(trace) >= self.settings.max_entries]
        torch_npu = sys.modules.get("torch_npu")
        about = {
            "written_by": "hbm_capture",
            "rank": rank(),
            "tag": tag,
            "step": self.at_step,
            "time_us": time.time_ns() // 1000,
            "torch": str(getattr(sys.modules.get("torch"), "__version__", "")),
            "torch_npu": str(getattr(torch_npu, "__version__", "")) if torch_npu else None,
            "max_entries": self.settings.max_entries,
            "stacks": self.stacks,
            "ring_full": bool(full),
            # A device that is not used is in the snapshot too, where history is on: its counters are 0.
            "devices": [backend.counters(i, i in used) for i in sorted(used | {i for i, t in enumerate(traces) if t})],
        }
        path, part, file = reserve(self.settings.folder, "%s_rank%d_%s" % (self.settings.stem, rank(), _safe(tag)))
        beside = path + ".counters.json"
        try:
            with file:
                pickle.dump(snapshot, file, protocol=4)
                size = _settle(file)
            check(part, size)
            # The counters come first: who sees the snapshot finds them.
            with _create(part + ".json") as counters:
                counters.write(json.dumps(dict(about, **more), indent=1).encode() + b"\n")
                _settle(counters)
            os.replace(part + ".json", beside)
            os.replace(part, path)
            check(path, size)
        except BaseException:
            for left in (part, part + ".json", beside):
                if os.path.exists(left):
                    os.remove(left)
            raise
        self.written.append(path)
        say("wrote %s (%s, %s events)" % (path, _size(size), _count(sum(events))))
        if not any(events):
            say("that dump has NO EVENTS, only what is allocated now. History is off: %s" % self.why_off)
        for device in full:
            say("device %d: the ring is FULL (%s events): what came before is overwritten. Dump earlier or set "
                "HBM_SNAPSHOT_MAX_ENTRIES higher" % (device, _count(len(traces[device]))))
        return path


def _parts(snapshot):
    """Segments and traces; torch 1.13 has but a list of segments."""
    if isinstance(snapshot, dict):
        return snapshot.get("segments") or [], snapshot.get("device_traces") or []
    return snapshot or [], []


def _events(trace):
    """Taking a snapshot is an event itself, also where history is off."""
    return len(trace) if len(trace) > 2 else sum(entry.get("action") != "snapshot" for entry in trace)


def _create(path):
    """A new file for its owner alone, whatever the umask."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "wb")


def reserve(folder, name):
    """A name that no dump has, with a hidden file to write to, which holds the name against other processes."""
    os.makedirs(folder, exist_ok=True)
    for number in range(1, 100000):
        numbered = "%s%s.pickle" % (name, "" if number == 1 else "_%d" % number)
        path, part = os.path.join(folder, numbered), os.path.join(folder, "." + numbered + ".part")
        if os.path.exists(path):
            continue
        try:
            file = _create(part)
        except FileExistsError:
            continue
        if not os.path.exists(path):
            return path, part, file
        file.close()
        os.remove(part)
    raise OSError("%s is full of dumps of that name" % folder)


def _settle(file):
    """Puts the file on the disk; its size."""
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


def check(path, size):
    """That the dump arrived: all of it, a pickle from its first byte to its last, for its owner alone."""
    with open(path, "rb") as file:
        there = os.fstat(file.fileno())
        ends = file.read(1) + (file.seek(-1, os.SEEK_END) and file.read(1) if there.st_size > 1 else b"")
    if there.st_size != size or ends != b"\x80.":
        raise OSError("%s did not arrive whole: %d bytes of %d" % (path, there.st_size, size))
    if os.name == "posix" and stat.S_IMODE(there.st_mode) & 0o077:
        say("others can read %s: its folder keeps no file modes" % path)


def rank():
    """The process's rank: of torch.distributed, else of the launcher, else 0."""
    try:
        distributed = sys.modules["torch"].distributed
        if distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank())
    except Exception:
        pass  # not imported, or built without
    for variable in RANK_VARIABLES:
        if os.environ.get(variable, "").isdigit():
            return int(os.environ[variable])
    return 0


def say(text):
    try:
        print("hbm_capture rank %d: %s" % (rank(), text), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass  # nobody is left to tell


def _text(error):
    return "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0])


def _safe(tag):
    return re.sub(r"[^A-Za-z0-9._-]+", "-", str(tag)).strip(".-")[:80] or "dump"


def _count(number):
    return "{:,}".format(number)


def _size(size):
    return "%.1f MiB" % (size / 1048576) if size >= 104858 else "%.1f KiB" % (size / 1024)


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls `then` after one of the modules has been imported; importing it here would be too early for
    scripts that set the environment first."""

    def __init__(self, names, then):
        self.names, self.then = set(names), then

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        self.names.discard(name)  # the search below comes by here again
        spec = importlib.util.find_spec(name)
        load = getattr(spec and spec.loader, "exec_module", None)
        if load is None:
            self.names.add(name)
            return spec

        def load_then(module):
            try:
                load(module)
            except BaseException:
                self.names.add(name)
                raise
            self.then()

        spec.loader.exec_module = load_then
        return spec


_recorder = None


def _recording():
    global _recorder
    if _recorder is None:
        _recorder = Recorder(Settings())
    return _recorder


def start(steps=None, path=None, ranks=None, max_entries=None, stacks=None):
    """Records from the first use of the device on. Arguments win over the environment's variables."""
    global _recorder
    if _recorder is not None and _recorder.started:
        return
    _recorder = Recorder(Settings(steps, path, ranks, max_entries, stacks))
    _recorder.started = True
    atexit.register(_recorder.finish)
    waiting = [name for name in ("torch", "torch_npu") if name not in sys.modules]
    if waiting:
        sys.meta_path.insert(0, AfterImport(waiting, _recorder.watch))
    _recorder.watch()
    before = sys.excepthook

    def on_uncaught(kind, error, trace):
        _recorder.on_error(error)
        before(kind, error, trace)

    sys.excepthook = on_uncaught


def step(number=None):
    """Says that a step is done: the next one, or the one of that number."""
    _recording().step(number)


def dump(tag="dump"):
    """Writes a snapshot now. The file's path, or None after saying why there is none."""
    return _recording().dump(str(tag))


def hook(tag, times=1):
    """A hook for tensors and modules, forward or backward, that dumps the first times it is called."""
    left = [times]

    def dump_here(*_args, **_kwargs):
        if left[0] > 0:
            left[0] -= 1
            dump(tag)

    return dump_here


def stop():
    """Switches history off."""
    recorder = _recording()
    if recorder.backend is not None:
        recorder.why_off = "stop() was called"
        recorder.backend.module.memory._record_memory_history(None)


def run(script, arguments, as_module):
    """Runs a script, or a module, as `python` would."""
    sys.modules.setdefault("hbm_capture", sys.modules[__name__])  # so that the script's own import is this one
    sys.argv = [script] + arguments
    try:
        if as_module:
            sys.path[0] = os.getcwd()
            runpy.run_module(script, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(script))
            program = types.ModuleType("__main__")
            program.__file__, program.__builtins__ = script, builtins
            with open(script, "rb") as file:
                code = compile(file.read(), script, "exec")
            sys.modules["__main__"] = program  # and it stays: threads and exit handlers need it
            exec(code, program.__dict__)
    except Exception as error:
        _recorder.on_error(error)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
            trace = trace.tb_next
        # As if the script had been the program: its own frames only.
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="hbm_capture.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", metavar="run", required=True)
    runs = commands.add_parser("run", help="run a script and record it")
    for name in ("steps", "path", "ranks", "max-entries", "stacks"):
        runs.add_argument("--" + name, help="instead of HBM_SNAPSHOT_" + name.upper().replace("-", "_"))
    runs.add_argument("-m", dest="as_module", action="store_true", help="the script is the name of a module")
    runs.add_argument("script", metavar="train.py", help="the script; what follows are its arguments")
    runs.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    try:
        start(given.steps, given.path, given.ranks, given.max_entries, given.stacks)
    except ValueError as error:
        parser.error(str(error))
    if not given.as_module and not os.path.isfile(given.script):
        parser.error("there is no script %s" % given.script)
    run(given.script, given.arguments, given.as_module)


if __name__ == "__main__":
    main()
