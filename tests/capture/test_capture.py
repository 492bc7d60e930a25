"""capture/hbm_capture.py on stand-ins for torch and torch_npu: scripts are run as users run them, in a process of their
own, and what is on the disk afterwards is read back.

Run with: python3 -m unittest discover -s tests/capture
"""

import ast
import json
import os
import pickle
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CAPTURE = os.path.join(ROOT, "capture", "hbm_capture.py")
STANDIN = os.path.join(HERE, "standin")
MIB = 1 << 20

TRAIN = """
import torch

class SGD(torch.optim.Optimizer):
    pass

def train(device, steps):
    weights = [torch.empty(3 << 20, device) for _ in range(4)]
    optimizer = SGD()
    for _ in range(steps):
        activations = [torch.empty(300_000 + 7 * i, device) for i in range(6)]
        del activations
        optimizer.step()
    return weights
"""


class CaptureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="hbm-capture-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.dumps = os.path.join(self.folder, "dumps")

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith(("HBM_SNAPSHOT_", "STANDIN_", "SLURM_", "OMPI_", "PMI"))
                 and k not in ("RANK", "RANK_ID", "PYTHONPATH")}
        path = os.pathsep.join([STANDIN, os.path.dirname(CAPTURE)])
        clean.update(PYTHONPATH=path, HBM_SNAPSHOT_PATH=self.dumps, PYTHONDONTWRITEBYTECODE="1")
        return dict(clean, **more)

    def script(self, text, name="train.py"):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(TRAIN + textwrap.dedent(text))
        return path

    def python(self, arguments, code=0, **environment):
        """What a process said on standard output and standard error."""
        ran = subprocess.run([sys.executable] + arguments, env=self.environment(**environment), cwd=self.folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout.decode() + ran.stderr.decode())
        return ran.stdout.decode(), ran.stderr.decode()

    def wrapped(self, text, *options, code=0, **environment):
        return self.python([CAPTURE, "run"] + list(options) + [self.script(text)], code, **environment)

    def plain(self, text, code=0, **environment):
        return self.python([self.script(text)], code, **environment)

    def names(self):
        """The dumps, each of which has its counters beside it and nothing else is there."""
        there = sorted(os.listdir(self.dumps)) if os.path.isdir(self.dumps) else []
        dumps = [name for name in there if name.endswith(".pickle")]
        self.assertEqual(there, sorted(dumps + [name + ".counters.json" for name in dumps]))
        return dumps

    def read(self, name):
        with open(os.path.join(self.dumps, name), "rb") as file:
            snapshot = pickle.load(file)
        with open(os.path.join(self.dumps, name + ".counters.json")) as file:
            return snapshot, json.load(file)


class Wrapping(CaptureTest):
    def test_an_unchanged_script_runs_as_it_would_alone(self):
        text = """
            import __main__, pickle, sys
            def of_main(): pass
            assert pickle.loads(pickle.dumps(of_main)) is of_main and __main__.of_main is of_main
            print(__name__, __file__, sys.argv[1:], sys.path[0])
            sys.exit(7)
        """
        script = self.script(text)
        alone, _ = self.python([script, "--steps", "5", "run"], code=7)
        wrapped, said = self.python([CAPTURE, "run", "--steps", "1", script, "--steps", "5", "run"], code=7)
        self.assertEqual(wrapped, alone)
        self.assertIn("used no device", said)
        self.assertEqual(self.names(), [])

    def test_a_module_can_be_wrapped(self):
        self.script("", "package/__init__.py")
        self.script("import sys; keep = train('cuda', 1); print(__name__, sys.argv[1:])", "package/job.py")
        out, _ = self.python([CAPTURE, "run", "-m", "package.job", "--lr", "1"])
        self.assertEqual(out, "__main__ ['--lr', '1']\n")
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])

    def test_the_end_is_dumped_when_nothing_else_is(self):
        _, said = self.wrapped("keep = train('cuda', 3)")
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])
        snapshot, counters = self.read("snapshot_rank0_end.pickle")
        actions = [event["action"] for event in snapshot["device_traces"][0]]
        self.assertEqual((actions.count("alloc"), actions.count("free_completed")), (4 + 3 * 6, 3 * 6))
        self.assertEqual(counters["devices"][0]["memory_allocated"], 12 * MIB)
        self.assertIn("history is on (cuda, up to 1,000,000 events)", said)
        self.assertIn("wrote %s" % os.path.join(self.dumps, "snapshot_rank0_end.pickle"), said)
        self.assertNotIn("NO ", said)

    def test_the_script_imports_torch_itself(self):
        # What it sets before the import still counts, and the device is set up when the script first uses it.
        self.wrapped("""
            assert not torch.cuda.is_initialized() and torch.cuda.allocator.devices[0].limit == 123 << 20
            keep = train('cuda', 1)
            assert len(torch.cuda.allocator.calls) == 1
        """, STANDIN_LIMIT=str(123 << 20))
        out, _ = self.python(["-c", "import hbm_capture, sys; hbm_capture.hook('x'); print('torch' in sys.modules)"])
        self.assertEqual(out, "False\n")

    def test_the_scripts_own_import_is_the_same_module(self):
        self.wrapped("""
            import hbm_capture
            hbm_capture.start(steps='1')
            keep = train('cuda', 3)
            print(hbm_capture.dump('mine'))
        """, "--steps", "2")
        self.assertEqual(self.names(), ["snapshot_rank0_mine.pickle", "snapshot_rank0_step2.pickle"])

    def test_wrong_settings_end_the_run_before_it_begins(self):
        for options in (["--steps", "ten"], ["--steps", "0"], ["--steps", "9-3"], ["--max-entries", "many"],
                        ["--stacks", "c"], ["--ranks", "-1"]):
            _, said = self.wrapped("print('ran')", *options, code=2)
            self.assertIn("HBM_SNAPSHOT_" + options[0][2:].upper().replace("-", "_"), said)
        _, said = self.python([CAPTURE, "run", "absent.py"], code=2)
        self.assertIn("there is no script absent.py", said)

    def test_python_3_8_reads_it(self):
        with open(CAPTURE) as file:
            ast.parse(file.read(), feature_version=(3, 8))


class Moments(CaptureTest):
    def test_steps_are_those_of_the_optimizer(self):
        _, said = self.wrapped("keep = train('cuda', 6)", HBM_SNAPSHOT_STEPS="2,4-5,9")
        self.assertEqual(self.names(), ["snapshot_rank0_step%d.pickle" % n for n in (2, 4, 5)])
        self.assertIn("not reached: step 9 (the last one was 6)", said)
        snapshot, counters = self.read("snapshot_rank0_step4.pickle")
        allocs = sum(event["action"] == "alloc" for event in snapshot["device_traces"][0])
        self.assertEqual((allocs, counters["step"], counters["tag"]), (4 + 4 * 6, 4, "step4"))

    def test_steps_can_be_told(self):
        self.plain("""
            import hbm_capture
            hbm_capture.start(steps=[1, 3, 'end'])
            for n in range(1, 4):
                keep = train('cuda', 2)     # two steps of an optimizer are one step here
                hbm_capture.step()
        """)
        self.assertEqual(self.names(), ["snapshot_rank0_%s.pickle" % tag for tag in ("end", "step1", "step3")])
        self.assertEqual(self.read("snapshot_rank0_step3.pickle")[1]["step"], 3)

    def test_the_busiest_of_several_optimizers_counts(self):
        self.wrapped("""
            keep = torch.empty(1000)
            often, seldom = SGD(), SGD()
            for n in range(4):
                often.step()
                if n % 2:
                    seldom.step()
        """, HBM_SNAPSHOT_STEPS="1-9")
        self.assertEqual(len(self.names()), 4)

    def test_a_version_that_tells_no_steps_is_named(self):
        _, said = self.wrapped("keep = train('cuda', 2)", "--steps", "1", STANDIN_NO_STEP_HOOK="1")
        self.assertIn("call hbm_capture.step() after each step", said)
        self.assertIn("not reached: step 1 (the last one was 0)", said)
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])

    def test_a_tag_is_a_moment_and_never_another_folder(self):
        out, _ = self.plain("""
            import hbm_capture
            hbm_capture.start()
            keep = train('cuda', 1)
            for tag in ('warm', 'warm', '../../etc/passwd', 'a b', ''):
                print(hbm_capture.dump(tag))
        """)
        wanted = ["warm", "warm_2", "etc-passwd", "a-b", "dump"]
        self.assertEqual(out.split("\n")[:-1], [os.path.join(self.dumps, "snapshot_rank0_%s.pickle" % w) for w in wanted])
        self.assertEqual(len(self.names()), 5)

    def test_a_hook_dumps_in_backward_and_leaves_the_gradient(self):
        self.plain("""
            import hbm_capture
            hbm_capture.start()
            tensor = torch.empty(5000)
            tensor.register_hook(hbm_capture.hook('in_backward'))
            tensor.register_hook(hbm_capture.hook('twice', times=2))
            for _ in range(3):
                assert tensor.backward() == 'gradient'
        """)
        self.assertEqual(self.names(), ["snapshot_rank0_%s.pickle" % tag for tag in ("in_backward", "twice", "twice_2")])

    def test_a_hook_may_run_on_a_thread(self):
        self.plain("""
            import hbm_capture, threading
            hbm_capture.start()
            keep = train('cuda', 1)
            threads = [threading.Thread(target=hbm_capture.dump, args=('t',)) for _ in range(6)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """)
        self.assertEqual(len(self.names()), 6)

    def test_nobody_to_tell_is_no_error(self):
        self.wrapped("""
            import sys
            sys.stderr.close()
            keep = train('cuda', 2)
        """, HBM_SNAPSHOT_STEPS="1")
        self.assertEqual(self.names(), ["snapshot_rank0_step1.pickle"])

    def test_history_can_be_stopped(self):
        _, said = self.plain("""
            import hbm_capture
            hbm_capture.start()
            keep = train('cuda', 1)
            hbm_capture.stop()
            hbm_capture.dump('later')
        """)
        self.assertIn("NO EVENTS", said)
        self.assertIn("stop() was called", said)


OOM = """
    def grow(device, blocks):
        while True:
            blocks.append(torch.empty(9 << 20, device))
"""


class OutOfMemory(CaptureTest):
    def test_it_is_dumped_where_it_happens(self):
        _, said = self.wrapped(OOM + "    grow('cuda', [])", code=1)
        self.assertEqual(self.names(), ["snapshot_rank0_oom.pickle"])
        snapshot, counters = self.read("snapshot_rank0_oom.pickle")
        events = snapshot["device_traces"][0]
        self.assertEqual([event["action"] for event in events[-2:]], ["oom", "snapshot"])
        self.assertEqual(counters["oom"], {"device": 0, "requested": 9 * MIB, "device_total": 256 * MIB,
                                           "device_free": 16 * MIB})
        # All are still there: the stack is not unwound yet.
        self.assertEqual(counters["devices"][0]["memory_allocated"], 24 * 9 * MIB)
        self.assertIn("OutOfMemoryError", said)
        self.assertNotIn("hbm_capture.py", said.split("Traceback")[1], "the traceback is the script's alone")

    def test_without_an_observer_the_error_is_the_moment(self):
        for run in (self.wrapped, self.plain):
            text = "import hbm_capture; hbm_capture.start()\n" + textwrap.dedent(OOM) + "grow('cuda', [])"
            run(text, code=1, STANDIN_NO_OBSERVER="1")
        self.assertEqual(self.names(), ["snapshot_rank0_oom.pickle", "snapshot_rank0_oom_2.pickle"])

    def test_who_tries_again_and_again_gets_three(self):
        _, said = self.wrapped(textwrap.dedent(OOM) + textwrap.dedent("""
            for _ in range(5):
                try:
                    grow('cuda', [])
                except torch.OutOfMemoryError:
                    pass
        """))
        self.assertEqual(len(self.names()), 3)
        self.assertEqual(said.count("more than 3 times"), 1)

    def test_another_error_is_no_oom(self):
        _, said = self.wrapped("keep = train('cuda', 1)\nraise ValueError('a b c')", code=1)
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])
        self.assertIn("ValueError: a b c", said)


class Checks(CaptureTest):
    def test_a_full_ring_is_said_at_once(self):
        _, said = self.wrapped("keep = train('cuda', 9)", HBM_SNAPSHOT_MAX_ENTRIES="50", HBM_SNAPSHOT_STEPS="1,9")
        self.assertIn("device 0: the ring is FULL (50 events)", said)
        self.assertEqual([self.read(name)[1]["ring_full"] for name in self.names()], [False, True])

    def test_history_that_is_off_is_said_at_once(self):
        _, said = self.plain("keep = train('cuda', 1)\nimport hbm_capture\nhbm_capture.dump('late')")
        self.assertIn("NO EVENTS", said)
        self.assertIn("start() was not called", said)
        _, said = self.wrapped("keep = train('cuda', 1)", STANDIN_API="refuse")
        self.assertIn("history is off: it could not be switched on: RuntimeError: cudaMallocAsync does not", said)
        self.assertIn("NO EVENTS", said)
        self.wrapped("train('cuda', 1)\ntorch.cuda.memory._record_memory_history(None)\nkeep = torch.empty(1)")
        self.assertEqual(len(self.names()), 3)

    def test_an_empty_dump_is_none(self):
        out, said = self.plain("""
            import hbm_capture
            hbm_capture.start()
            print(hbm_capture.dump('early'))
            torch.cuda.init()
            print(hbm_capture.dump('empty'))
        """)
        self.assertEqual((out, self.names()), ("None\nNone\n", []))
        self.assertIn("NO DUMP of early: this process has used no device yet", said)
        self.assertIn("NO DUMP of empty: no memory has been allocated yet", said)

    def test_files_are_for_their_owner_alone(self):
        for umask in (0o000, 0o777):
            self.plain("""
                import hbm_capture, os
                hbm_capture.start()
                keep = train('cuda', 1)
                os.makedirs(os.environ['HBM_SNAPSHOT_PATH'], exist_ok=True)
                os.umask(%d)
                hbm_capture.dump('umask')
            """ % umask)
        self.assertEqual(len(self.names()), 2)
        for name in os.listdir(self.dumps):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.dumps, name)).st_mode), 0o600, name)

    def test_a_place_that_takes_no_file_does_not_stop_the_training(self):
        with open(self.dumps, "w"):
            pass
        out, said = self.wrapped("keep = train('cuda', 2)\nprint('trained')", HBM_SNAPSHOT_STEPS="1")
        self.assertEqual(out, "trained\n")
        self.assertIn("NO DUMP of step1: FileExistsError", said)

    def test_a_full_disk_leaves_nothing_behind(self):
        _, said = self.plain("""
            import hbm_capture, os
            hbm_capture.start()
            keep = train('cuda', 1)
            real = os.fsync
            def full(_): raise OSError(28, 'No space left on device')
            os.fsync = full
            assert hbm_capture.dump('full') is None
            os.fsync = real
            assert hbm_capture.dump('room')
        """)
        self.assertIn("NO DUMP of full: OSError: [Errno 28] No space left on device", said)
        self.assertEqual(self.names(), ["snapshot_rank0_room.pickle"])

    def test_a_dump_that_did_not_arrive_is_no_dump(self):
        _, said = self.plain("""
            import hbm_capture, os
            hbm_capture.start()
            keep = train('cuda', 1)
            real = os.fsync
            def lossy(descriptor):
                os.ftruncate(descriptor, 1000)
            os.fsync = lossy
            assert hbm_capture.dump('cut') is None
            os.fsync = real
        """, HBM_SNAPSHOT_STEPS="5,end")
        self.assertRegex(said, r"NO DUMP of cut: OSError: .* did not arrive whole: 1000 bytes of \d+")
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])

    def test_no_name_is_given_twice(self):
        script = self.script("keep = train('cuda', 1)")
        started = [subprocess.Popen([sys.executable, CAPTURE, "run", script], env=self.environment(),
                                    stderr=subprocess.DEVNULL) for _ in range(6)]
        self.assertEqual([process.wait(120) for process in started], [0] * 6)
        self.assertEqual(len(self.names()), 6)
        for name in self.names():
            self.read(name)

    def test_a_path_may_name_the_file(self):
        self.wrapped("keep = train('cuda', 1)", HBM_SNAPSHOT_PATH=os.path.join(self.dumps, "run7.pickle"))
        self.assertEqual(self.names(), ["run7_rank0_end.pickle"])


class Ranks(CaptureTest):
    def test_each_rank_writes_its_own(self):
        for environment in ({"RANK": "3"}, {"SLURM_PROCID": "4"}, {"RANK": "5", "STANDIN_RANK": "6"}):
            _, said = self.wrapped("keep = train('cuda', 1)", **environment)
        self.assertEqual(self.names(), ["snapshot_rank%d_end.pickle" % n for n in (3, 4, 6)])
        self.assertIn("hbm_capture rank 6: wrote", said)
        self.assertEqual(self.read("snapshot_rank4_end.pickle")[1]["rank"], 4)

    def test_ranks_that_are_not_chosen_record_nothing(self):
        for number in ("0", "1", "9"):
            out, _ = self.wrapped("keep = train('cuda', 1)\nprint(len(torch.cuda.allocator.calls))", RANK=number,
                                  HBM_SNAPSHOT_RANKS="0,8-9", HBM_SNAPSHOT_STEPS="1")
            self.assertEqual(out, "0\n" if number == "1" else "1\n")
        self.assertEqual(self.names(), ["snapshot_rank0_step1.pickle", "snapshot_rank9_step1.pickle"])

    def test_a_forked_child_does_not_finish_its_parents_recording(self):
        self.wrapped("""
            import os, sys
            keep = train('cuda', 1)
            child = os.fork()
            if child == 0:
                sys.exit(0)
            os.waitpid(child, 0)
        """)
        self.assertEqual(self.names(), ["snapshot_rank0_end.pickle"])


class Versions(CaptureTest):
    CALLS = "keep = train('cuda', 1)\nprint(torch.cuda.allocator.calls)"

    def test_arguments_fit_the_version(self):
        out, _ = self.wrapped(self.CALLS, HBM_SNAPSHOT_STACKS="python", HBM_SNAPSHOT_MAX_ENTRIES="2_000")
        self.assertEqual(out, "[('new', 'all', 'all', 'python', 2000)]\n")
        out, _ = self.wrapped(self.CALLS, STANDIN_API="2.0")
        self.assertEqual(out, "[('2.0', True, 1000000, True)]\n")
        out, said = self.wrapped(self.CALLS, STANDIN_API="1.13")
        self.assertEqual(out, "[('1.13', True)]\n")
        self.assertIn("NO EVENTS", said)
        self.assertIsInstance(self.read("snapshot_rank0_end_3.pickle")[0], list)

    def test_platforms_without_native_stacks_get_python_ones(self):
        out, said = self.wrapped(self.CALLS, STANDIN_NO_CPP="1")
        self.assertEqual(out, "[('new', 'all', 'all', 'all', 1000000), ('new', 'all', 'all', 'python', 1000000)]\n")
        self.assertIn("Python stacks only", said)
        self.assertEqual(self.read("snapshot_rank0_end.pickle")[1]["stacks"], "python")

    def test_torch_npu(self):
        for text, environment in (
            ("import torch_npu\nkeep = train('npu:1', 2)", {}),
            ("keep = train('npu:1', 2)", {"STANDIN_AUTOLOAD": "1"}),
            ("import torch_npu, hbm_capture; hbm_capture.start()\nkeep = train('npu:1', 2)", {}),
        ):
            _, said = self.wrapped(text, HBM_SNAPSHOT_STEPS="2", **environment)
            self.assertEqual(said.count("history is on (npu"), 1, said)
        self.assertEqual(len(self.names()), 3)
        snapshot, counters = self.read("snapshot_rank0_step2.pickle")
        self.assertEqual([len(trace) > 20 for trace in snapshot["device_traces"]], [False, True])
        allocated = [(device["device"], device["memory_allocated"]) for device in counters["devices"]]
        self.assertEqual(allocated, [(0, 0), (1, 12 * MIB)])
        self.assertEqual([device.get("limit") for device in counters["devices"]], [None, 256 * MIB])
        self.assertEqual(counters["torch_npu"], "2.6.0.post1+standin")
        self.wrapped(textwrap.dedent(OOM) + "import torch_npu\ngrow('npu', [])", code=1)
        self.assertIn("snapshot_rank0_oom.pickle", self.names())


def program():
    """The built terminal program: HBMLENS_PROGRAM, else the newest under target/."""
    named = os.environ.get("HBMLENS_PROGRAM")
    built = [os.path.join(ROOT, "target", profile, "hbmlens") for profile in ("debug", "release", "quick")]
    return named or max(filter(os.path.isfile, built), key=os.path.getmtime, default=None)


@unittest.skipUnless(program(), "the terminal program is not built")
class ReadByHbmLens(CaptureTest):
    def hbmlens(self, *arguments, code=0):
        ran = subprocess.run([program()] + list(arguments) + ["--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             timeout=120, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (code, b""), ran.stdout.decode())
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def checks(self, name, *options, code=0):
        (check,) = self.hbmlens("check", os.path.join(self.dumps, name), *options, code=code)
        return {row["name"]: row["status"] for row in check["checks"]}

    def test_the_counters_are_found_and_all_checks_pass(self):
        text = """
            import hbm_capture
            weights = train('%s', 2)
            activations = [torch.empty(400_000, '%s') for i in range(6)]
            hbm_capture.dump('at_peak')
        """
        for device, number in (("cuda", "0"), ("npu:1", "1")):
            before = "import torch_npu\n" if number == "1" else ""
            self.wrapped(before + textwrap.dedent(text) % (device, device), RANK=number)
            name = "snapshot_rank%s_at_peak.pickle" % number
            device = ("--device", device.partition(":")[2] or "0")
            self.assertEqual(set(self.checks(name, *device).values()), {"pass"})
        # Without the counters three of them cannot be made.
        os.remove(os.path.join(self.dumps, name + ".counters.json"))
        unknown = [check for check, status in self.checks(name, *device).items() if status != "pass"]
        self.assertEqual(sorted(unknown), ["allocated_counter", "reserved_counter", "snapshot_is_peak"])

    def test_a_dump_past_the_peak_is_told_from_one_at_it(self):
        self.wrapped("keep = train('cuda:0', 3), train('cuda:1', 2)")
        checks = self.checks("snapshot_rank0_end.pickle", code=2)
        self.assertEqual([name for name, status in checks.items() if status != "pass"], ["snapshot_is_peak"])

    def test_a_folder_of_dumps_is_the_figures_of_each(self):
        self.wrapped("keep = train('cuda', 4)", HBM_SNAPSHOT_STEPS="1-4")
        overviews = self.hbmlens("overview", self.dumps)
        self.assertEqual(len(overviews), 4)
        for name, overview in zip(self.names(), overviews):
            snapshot, counters = self.read(name)
            (device,) = [d for d in overview["devices"] if d["device"] == 0]
            self.assertEqual(device["allocated"], counters["devices"][0]["memory_allocated"])
            self.assertEqual(device["reserved"], counters["devices"][0]["memory_reserved"])
            self.assertEqual(device["events"], len(snapshot["device_traces"][0]))
            self.assertEqual(device["anomalies"], {})

    def test_memory_that_ran_out_is_explained(self):
        self.wrapped(OOM + "    grow('cuda', [])", code=1)
        (report,) = self.hbmlens("oom", os.path.join(self.dumps, "snapshot_rank0_oom.pickle"))
        (oom,) = report["devices"][0]["ooms"]
        # The stand-in took 12 segments of 20 MiB, two blocks of 9 MiB in each, and had 256 MiB in all.
        wanted = {"requested": 9 * MIB, "device_free": 16 * MIB, "limit": 256 * MIB, "allocated": 24 * 9 * MIB,
                  "reserved": 240 * MIB, "largest_usable": 2 * MIB, "verdict": "fragmentation"}
        self.assertEqual({key: oom[key] for key in wanted}, wanted)
        self.assertEqual((oom["by_call_site"][0]["function"], oom["by_call_site"][0]["count"]), ("grow", 24))


@unittest.skipUnless(program(), "the terminal program is not built")
class GuideForAgents(unittest.TestCase):
    """docs/agents.md names only commands, options and keys that there are."""

    def rows(self):
        with open(os.path.join(ROOT, "docs", "agents.md"), encoding="utf-8") as file:
            for line in file:
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                if len(cells) == 3 and cells[1].startswith("`hbmlens "):
                    yield cells[1].strip("`").split()[1:], [key for key in cells[2].split("`")[1::2]]

    def test_commands_and_options_exist(self):
        for command, _ in self.rows():
            words = command[:2] if command[0] == "ge" else command[:1]
            ran = subprocess.run([program()] + words + ["--help"], stdout=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual(ran.returncode, 0, command)
            for option in (word for word in command if word.startswith("-")):
                self.assertRegex(ran.stdout.decode(), r"(?m)^ +(-\w, )?%s\b" % option, command)

    def test_keys_are_those_of_the_schemas(self):
        checked = 0
        for command, keys in self.rows():
            name = os.path.join(ROOT, "docs", "schema", command[0] + ".json")
            if "--json" not in command:
                continue
            with open(name) as file:
                schema = json.load(file)
            for key in keys:
                node = schema
                for part in key.split("."):
                    node = at(schema, at(schema, node)["properties"][part.replace("[]", "")])
                    node = at(schema, node["items"]) if part.endswith("[]") else node
                checked += 1
        self.assertGreater(checked, 40)


def at(schema, node):
    """The node itself, behind references and "or null"."""
    while True:
        if "$ref" in node:
            path = node["$ref"].partition("#/")[2]
            for part in path.split("/") if path else []:
                schema = schema[part]
            node = schema
        elif "anyOf" in node or "oneOf" in node:
            node = next(one for one in node.get("anyOf") or node["oneOf"] if one.get("type") != "null")
        else:
            return node


if __name__ == "__main__":
    unittest.main()
