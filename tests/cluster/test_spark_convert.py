"""cluster/spark_convert.py in Spark's local mode: one dataset of 64 ranks, with the figures of hbmlens ranks.

The snapshots are made by the project's own simulation; the Rust test `spark` makes them and runs this with

    HBMLENS_PROGRAM   the terminal program
    HBMLENS_DUMPS     ranks/mem_rank0.pickle … 63, of which one is odd, series/mem_rank5_step4.pickle …, profile/…/…_ascend_pt
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HBMLENS_PROGRAM")
DUMPS = os.environ.get("HBMLENS_DUMPS")
RANKS = 64


def hbmlens(*args):
    ran = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@unittest.skipUnless(PROGRAM and DUMPS, "the Rust test `spark` runs this")
class SparkConvert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="hbmlens-spark-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.dumps = pathlib.Path(folder.name), pathlib.Path(DUMPS)
        cls.out = cls.folder / "out"
        ranks = sorted((cls.dumps / "ranks").iterdir())
        assert len(ranks) == RANKS
        cls.bad = cls.folder / "bad_rank64.pickle"
        cls.bad.write_bytes(b"\x80\x04 no pickle")
        lines = [f"{path}\ttrain 64\n" for path in ranks]
        lines += [f"{cls.bad}\ttrain 64\n", f"{cls.folder}/missing_rank65.pickle\n", "# a comment\n", "\n"]
        lines += [f"{path}\t2026\n" for path in sorted((cls.dumps / "series").iterdir())]
        cls.profiles = sorted((cls.dumps / "profile").rglob("*_ascend_pt"))
        lines += [f"{path}\tprofile\t{rank}\n" for rank, path in enumerate(cls.profiles)]
        cls.listing = cls.folder / "listing.txt"
        cls.listing.write_text("".join(lines))
        cls.first = cls.spark("convert", cls.listing, cls.out, "--hbmlens", PROGRAM)
        code, told, errors = cls.spark("analyse", cls.out, "--json", "--top", "0")
        assert code == 0, errors
        cls.report = json.loads(told.splitlines()[-1])

    @classmethod
    def spark(cls, *args):
        environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1",
                           PYSPARK_SUBMIT_ARGS=f"--master local[2] --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 "
                                               f"--conf spark.local.dir={cls.folder} pyspark-shell")
        ran = subprocess.run([sys.executable, ROOT / "cluster/spark_convert.py", *map(str, args)], env=environment, cwd=cls.folder,
                             capture_output=True, text=True)
        return ran.returncode, ran.stdout, ran.stderr

    def counts(self, ran):
        code, told, errors = ran
        self.assertEqual(code, 0, errors)
        return json.loads(told.splitlines()[-1])

    def test_bad_files_are_told_and_stop_nothing(self):
        good = RANKS + 3 + len(self.profiles)
        self.assertTrue(self.profiles)
        self.assertEqual(self.counts(self.first), {"inputs": good + 2, "converted": good, "there": 0, "failed": 2})
        errors = [line for line in self.first[2].splitlines() if "_rank6" in line]
        self.assertEqual(len(errors), 2, self.first[2])
        failed = json.loads((self.out / "_failed/job=train%2064/rank=64/part.json").read_text())
        self.assertIn("bad_rank64.pickle", failed["errors"][0])
        self.assertTrue((self.out / "_failed/job=job/rank=65/part.json").exists())

    def test_partitions_are_by_job_and_rank(self):
        self.assertEqual([p for p in self.out.iterdir() if p.name.startswith(".")], [])
        tables = {p.name for p in self.out.iterdir() if not p.name.startswith("_")}
        self.assertTrue({"traces", "lives", "segments", "blocks", "call_stacks", "operator_memory"} <= tables, tables)
        for table in tables:
            ranks = {p.parent.name for p in (self.out / table / "job=train%2064").glob("rank=*/part.parquet")}
            self.assertEqual(ranks, {f"rank={rank}" for rank in range(RANKS)}, table)
            steps = sorted(p.name for p in (self.out / table / "job=2026/rank=5").iterdir())
            self.assertEqual(steps, ["step-12.parquet", "step-4.parquet", "step-8.parquet"])

    def test_figures_are_those_of_ranks(self):
        ours = hbmlens("ranks", self.dumps / "ranks", "--json", "--top", "0")
        figures = lambda rows: sorted((r["rank"], r["device"], r["peak"], r["peak_event"], r["reserved"]) for r in rows)
        found = [row for row in self.report["ranks"] if row["job"] == "train 64"]
        self.assertEqual(figures(found), figures(ours["ranks"]))
        self.assertEqual(len(found), RANKS)
        odd = lambda rows: sorted((o["rank"], o["figure"], o["bytes"], o["median_bytes"], o["diff_bytes"], round(o["deviation"], 9)) for o in rows)
        self.assertEqual(odd(self.report["outliers"]), odd(ours["outliers"]))
        self.assertTrue(self.report["outliers"])

    def test_growth_is_that_of_ranks(self):
        ours = hbmlens("ranks", self.dumps / "series", "--json", "--top", "0")["series"][0]
        (total,) = self.report["series"]
        told = lambda row: (row["bytes"], row["diff_bytes"], round(row["bytes_per_snapshot"], 6), round(row["fit"], 9), row["straight"])
        self.assertEqual((total["job"], total["rank"], total["steps"]), ("2026", 5, [4, 8, 12]))
        self.assertEqual(told(total), told(ours["total"]))
        self.assertEqual(sorted(map(told, self.report["growth"])), sorted(map(told, ours["growth"])))
        self.assertTrue(any(row["straight"] for row in self.report["growth"]))
        last = [row for row in self.report["ranks"] if row["job"] == "2026"]
        self.assertEqual([(row["rank"], row["step"]) for row in last], [(5, 12)])

    def test_spark_reads_every_row(self):
        script = ("import json, sys\nfrom pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"
                  "read = lambda table: spark.read.parquet(f'{sys.argv[1]}/{table}')\n"
                  "rows = [read('traces').groupBy('job').count().collect(), read('operator_memory').groupBy('job').count().collect()]\n"
                  "print(json.dumps([{row[0]: row[1] for row in each} for each in rows]))\n")
        environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1",
                           PYSPARK_SUBMIT_ARGS=f"--master local[2] --conf spark.ui.enabled=false --conf spark.local.dir={self.folder} pyspark-shell")
        ran = subprocess.run([sys.executable, "-c", script, self.out], env=environment, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        traces, operators = json.loads(ran.stdout.splitlines()[-1])
        events = collections.Counter()
        for kind, job in (("ranks", "train 64"), ("series", "2026")):
            for path in (self.dumps / kind).iterdir():
                events[job] += sum(device["events"] for device in hbmlens("overview", path, "--json")["devices"])
        self.assertEqual(traces, dict(events))
        rows = sum(len(rank["rows"]) for path in self.profiles
                   for rank in hbmlens("ops", path, "--json", "--top", "0")["ranks"])
        self.assertEqual(operators, {"profile": rows})

    def test_what_is_there_is_not_made_again(self):
        # A copy of the listing's last state, so that tests may run in any order.
        out = self.folder / "again"
        listing = self.folder / "again.txt"
        first, second = (self.folder / f"again_rank{rank}.pickle" for rank in (0, 1))
        source = sorted((self.dumps / "ranks").iterdir())
        first.write_bytes(source[0].read_bytes())
        second.write_bytes(b"cut off")
        listing.write_text(f"{first}\n{second}\n")
        run = lambda: self.counts(self.spark("convert", listing, out, "--hbmlens", PROGRAM))
        self.assertEqual(run(), {"inputs": 2, "converted": 1, "there": 0, "failed": 1})
        made = out / "traces/job=job/rank=0/part.parquet"
        before = made.stat().st_mtime_ns
        second.write_bytes(source[1].read_bytes())
        self.assertEqual(run(), {"inputs": 2, "converted": 1, "there": 1, "failed": 0})
        self.assertEqual(made.stat().st_mtime_ns, before)
        self.assertFalse((out / "_failed/job=job/rank=1/part.json").exists())
        # As after a run that was stopped: the marker is what counts.
        (out / "_done/job=job/rank=0/part.json").unlink()
        self.assertEqual(run(), {"inputs": 2, "converted": 1, "there": 1, "failed": 0})
        self.assertGreater(made.stat().st_mtime_ns, before)
        # A listing without a single good input says so by its exit code.
        listing.write_text(f"{self.bad}\n")
        self.assertEqual(self.spark("convert", listing, self.folder / "none", "--hbmlens", PROGRAM)[0], 1)


if __name__ == "__main__":
    unittest.main()
