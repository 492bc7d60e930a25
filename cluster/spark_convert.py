#!/usr/bin/env python3
"""Thousands of snapshots or profiler folders as one dataset, and what it says of the jobs.

    spark-submit cluster/spark_convert.py convert LISTING OUT [--hbmlens PROGRAM]
    spark-submit cluster/spark_convert.py analyse OUT [--json]

LISTING is a text file with one input a line: PATH, or PATH, JOB, RANK and STEP with tabs between. Where a line does not tell them,
the job is "job", the rank is the number after the word rank in the path (else the number of the line), and the step is
the number after the word step, if there is one. Inputs and OUT must be reachable from every executor under these names, as
on a shared file system; so must the program, unless it is sent along with --files.

`convert` runs `hbmlens convert --parquet` on the executors and leaves OUT/TABLE/job=J/rank=N/part.parquet (step-S.parquet where
there is a step), which Spark, DuckDB and Polars read as one table with the columns job and rank. An input is complete when
OUT/_done/job=J/rank=N/part.json is there: a second run does only what is missing, and what has changed since. A bad input leaves
its error in OUT/_failed instead; it is reported and stops nothing.

`analyse` gives the peak of every rank, the ranks that are off, and which stacks grow from step to step, by the rules of
`hbmlens ranks`, job by job.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# The rules of hbmlens ranks. More median absolute deviations than this are odd, of which one counts as at least that
# share of the median; fewer ranks have no odd one out.
DEVIATIONS = 3.0
FLOOR = {"peak": 0.001, "reserved": 0.02}
LEAST = 3
# The index of the host's own allocator.
HOST = -1
# What grows rises so often, and so much of it lies on a straight line.
RISING, FIT = 0.8, 0.95


# Converting, on the executors.

def inputs(listing):
    """(path, job, rank, step) of each line; step may be None."""
    found = []
    with open(listing, encoding="utf-8") as lines:
        for number, line in enumerate(line.rstrip("\r\n") for line in lines):
            if not line.strip() or line.startswith("#"):
                continue
            path, job, rank, step = (line.split("\t") + ["", "", ""])[:4]
            ranks, steps = (re.findall(word + r"[-_=]?(\d+)", path, re.IGNORECASE) for word in ("rank", "step"))
            rank = int(rank) if rank else int(ranks[-1]) if ranks else number
            step = int(step) if step else int(steps[-1]) if steps else None
            found.append((path, job or "job", rank, step))
    seen = {}
    for path, *place in found:
        other = seen.setdefault(tuple(place), path)
        if other != path:
            raise SystemExit(f"{path} and {other} are both rank {place[1]} of {place[0]}: tell job, rank or step in the listing")
    return found


def partition(job, rank):
    """The folders of a partition; what a folder's name cannot have is written as Spark writes it."""
    job = re.sub(r"[\x00-\x20\"#%'*/:=?\\{}\[\]^\x7f]", lambda found: f"%{ord(found[0]):02X}", job)
    return os.path.join(f"job={job}", f"rank={rank}")


def part_name(step):
    return "part" if step is None else f"step-{step}"


def stamp(path):
    """What changes when an input does: its files' lengths and the time of the last change."""
    files = [path]
    if os.path.isdir(path):
        files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    told = [os.stat(file) for file in files]
    return [len(told), sum(each.st_size for each in told), max((each.st_mtime_ns for each in told), default=0)]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(part, path)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def remove(path):
    try:
        os.remove(path)
    except FileNotFoundError:
        pass


def program_here(program):
    """The program on this machine: as it was named, or as Spark sent it along."""
    if os.path.exists(program) or shutil.which(program):
        return program
    from pyspark import SparkFiles
    sent = SparkFiles.get(os.path.basename(program))
    if os.path.exists(sent) and not os.access(sent, os.X_OK):
        os.chmod(sent, 0o755)
    return sent


def convert_one(item, out, program):
    """Makes one partition. Never raises for an input's sake."""
    path, job, rank, step = item
    name = part_name(step)
    done, failed = (os.path.join(out, kind, partition(job, rank), f"{name}.json") for kind in ("_done", "_failed"))
    result = {"path": path, "job": job, "rank": rank, "step": step}
    try:
        result["stamp"] = stamp(path)
        before = read(done)
        if before.get("path") == path and before.get("stamp") == result["stamp"]:
            return dict(before, status="there")
        remove(done)
        os.makedirs(out, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".convert-", dir=out) as folder:
            command = [program_here(program), "convert", path, "--parquet", folder, "--rank", str(rank), "--json"]
            ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
            told = [json.loads(line) for line in ran.stdout.splitlines()]
            errors = [line["error"]["message"] for line in told if "error" in line]
            made = [file["path"] for line in told for file in line.get("written", ())]
            if not made:
                raise ValueError("; ".join(errors) or ran.stderr.strip() or f"exit code {ran.returncode}")
            tables = sorted(file for file in os.listdir(made[0]) if file.endswith(".parquet"))
            for table in tables:
                target = os.path.join(out, table.removesuffix(".parquet"), partition(job, rank))
                os.makedirs(target, exist_ok=True)
                os.replace(os.path.join(made[0], table), os.path.join(target, f"{name}.parquet"))
        # Of a profiler's folder some files may be bad and the others good.
        result.update(status="converted", errors=errors)
        write(done, result)
        remove(failed)
    except (OSError, ValueError, KeyError) as error:
        result.update(status="failed", errors=[str(error)])
        try:
            write(failed, result)
        except OSError as unwritable:
            result["errors"].append(str(unwritable))
    return result


def convert(spark, args):
    found, out, program = inputs(args.listing), os.path.abspath(args.out), args.hbmlens
    context = spark.sparkContext
    tasks = context.parallelize(found, max(1, min(len(found), args.tasks or len(found))))
    counts = {"converted": 0, "there": 0, "failed": 0}
    for result in tasks.map(lambda item: convert_one(item, out, program)).collect():
        counts[result["status"]] += 1
        for error in result["errors"]:
            print(f"{result['path']}: {error}", file=sys.stderr)
    print(json.dumps({"inputs": len(found), **counts}))
    return 1 if found and counts["failed"] == len(found) else 0


# Analysing, over the dataset.

def median(values):
    """Of an even number of values, the middle between the middle two."""
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) // 2


def outliers(rows, figure):
    """The odd ones among the ranks of a job."""
    if len(rows) < LEAST:
        return []
    middle = median([row[figure] for row in rows])
    spread = max(median([abs(row[figure] - middle) for row in rows]), middle * FLOOR[figure], 1.0)
    odd = []
    for row in rows:
        deviation = (row[figure] - middle) / spread
        if abs(deviation) > DEVIATIONS:
            odd.append({"job": row["job"], "rank": row["rank"], "device": row["device"], "figure": figure, "bytes": row[figure],
                        "median_bytes": middle, "diff_bytes": row[figure] - middle, "deviation": deviation})
    return odd


def line(at, values):
    """The straight line through values, and what of their change lies on it."""
    steps = max(len(values) - 1, 1)
    xs, ys = [x - at[0] for x in at], [y - values[0] for y in values]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    xx = sum((x - mean_x) ** 2 for x in xs)
    yy = sum((y - mean_y) ** 2 for y in ys)
    xy = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys))
    slope, fit = (xy / xx, min(xy * xy / (xx * yy), 1.0)) if xx and yy else (0.0, 0.0)
    rising = sum(b > a for a, b in zip(values, values[1:])) / steps
    return {"bytes": values, "diff_bytes": ys[-1], "bytes_per_snapshot": slope * xs[-1] / steps, "fit": fit,
            "straight": len(values) >= LEAST and ys[-1] > 0 and fit >= FIT and rising >= RISING}


def grown(row):
    """A stack of a series, at each of its steps."""
    at_step = {each["step"]: each["bytes"] for each in row["held"]}
    found = line(row["steps"], [at_step.get(step, 0) for step in row["steps"]])
    place = {key: row[key] for key in ("job", "rank", "device", "stack_hash", "frames_json")}
    return {**place, "steps": row["steps"], **found}


def views(spark, out):
    """The tables, with the step that a file's name tells."""
    for table in ("devices", "figures", "segments", "traces", "lives", "call_stacks"):
        rows = spark.read.parquet(os.path.join(out, table)).select("*", "_metadata.file_name")
        rows = rows.selectExpr("*", "CAST(NULLIF(regexp_extract(file_name, '^step-([0-9]+)', 1), '') AS BIGINT) AS step")
        rows.withColumn("rank", rows["rank"].cast("bigint")).createOrReplaceTempView(table)


# Figures of every snapshot. Every process sees all devices of its machine; those it does not use are no ranks.
RANKS = """
WITH used AS (SELECT DISTINCT job, rank, file_name, device_id FROM traces),
     reserves AS (SELECT job, rank, file_name, device_id, SUM(total_size) AS bytes FROM segments GROUP BY ALL),
     figured AS (SELECT * FROM (SELECT job, rank, file_name, device_id, name, value FROM figures)
                 PIVOT (MAX(value) FOR name IN ('peak_requested' AS peak, 'peak_event' AS peak_event, 'final_requested' AS requested))),
     seen AS (
       SELECT d.job, d.rank, d.step, d.device_index AS device, f.peak, f.peak_event, f.requested, COALESCE(r.bytes, 0) AS reserved,
         u.device_id IS NOT NULL AS is_used, MAX(u.device_id IS NOT NULL) OVER (PARTITION BY d.job, d.rank, d.file_name) AS any_used
       FROM devices d
       JOIN figured f ON f.job = d.job AND f.rank = d.rank AND f.file_name = d.file_name AND f.device_id = d.id
       LEFT JOIN reserves r ON r.job = d.job AND r.rank = d.rank AND r.file_name = d.file_name AND r.device_id = d.id
       LEFT JOIN used u ON u.job = d.job AND u.rank = d.rank AND u.file_name = d.file_name AND u.device_id = d.id)
SELECT job, rank, step, device, peak, peak_event, requested, reserved FROM seen WHERE is_used OR NOT any_used
ORDER BY job, rank, device, step"""

# What each stack holds at the end of every snapshot that is one of a series.
HELD = """
WITH held AS (
  SELECT l.job, l.rank, l.step, d.device_index AS device, c.stack_hash, FIRST(c.frames_json) AS frames_json, SUM(l.size) AS bytes
  FROM lives l
  JOIN devices d ON d.job = l.job AND d.rank = l.rank AND d.file_name = l.file_name AND d.id = l.device_id
  JOIN call_stacks c ON c.job = l.job AND c.rank = l.rank AND c.file_name = l.file_name AND c.id = l.stack_id
  WHERE l.end_event IS NULL AND l.step IS NOT NULL GROUP BY l.job, l.rank, l.step, d.device_index, c.stack_hash)
SELECT h.job, h.rank, h.device, h.stack_hash, FIRST(h.frames_json) AS frames_json, FIRST(s.steps) AS steps,
  COLLECT_LIST(STRUCT(h.step, h.bytes)) AS held
FROM held h
JOIN (SELECT job, rank, device, SORT_ARRAY(COLLECT_LIST(step)) AS steps FROM ranks WHERE step IS NOT NULL GROUP BY ALL HAVING COUNT(*) > 1) s
  ON s.job = h.job AND s.rank = h.rank AND s.device = h.device
GROUP BY h.job, h.rank, h.device, h.stack_hash"""


def analyse(spark, args):
    views(spark, args.out)
    ranks = spark.sql(RANKS)
    rows = [row.asDict() for row in ranks.collect()]
    series = {}
    for row in rows:
        series.setdefault((row["job"], row["rank"], row["device"]), []).append(row)
    totals, growth = [], []
    for (job, rank, device), of in series.items():
        stepped = [row for row in of if row["step"] is not None]
        if len(stepped) > 1:
            steps = [row["step"] for row in stepped]
            total = line(steps, [row["requested"] for row in stepped])
            totals.append({"job": job, "rank": rank, "device": device, "steps": steps, **total})
    if totals:
        ranks.createOrReplaceTempView("ranks")
        found = spark.sql(HELD).rdd.map(grown).filter(lambda row: row["diff_bytes"] > 0)
        growth = found.takeOrdered(args.top or sys.maxsize, key=lambda row: (not row["straight"], -row["diff_bytes"], row["stack_hash"]))
    # Of a series its last snapshot stands for the rank.
    jobs = {}
    for of in series.values():
        jobs.setdefault(of[-1]["job"], []).append(of[-1])
    odd = [each for job in jobs.values() for figure in ("peak", "reserved") for each in outliers(job, figure)]
    odd.sort(key=lambda each: -abs(each["deviation"]))
    report = {"ranks": [row for job in jobs.values() for row in job], "outliers": odd, "series": totals, "growth": growth}
    for row in (row for rows in report.values() for row in rows if row["device"] == HOST):
        row["device"] = "host"
    if args.json:
        print(json.dumps(report))
    else:
        tell(jobs, report)
    return 0


def tell(jobs, report):
    for name, job in jobs.items():
        peaks = [row["peak"] for row in job]
        print(f"{name}: {len(job)} ranks, peaks {min(peaks):,} to {max(peaks):,} bytes, median {median(peaks):,}")
    for each in report["outliers"]:
        print(f"{each['job']} rank {each['rank']}: {each['figure']} {each['bytes']:,} bytes, {each['diff_bytes']:+,} from the median")
    for each in report["series"]:
        print(f"{each['job']} rank {each['rank']}: {each['bytes'][0]:,} bytes at step {each['steps'][0]}, {each['diff_bytes']:+,} at step {each['steps'][-1]}")
    for each in report["growth"]:
        frame = (json.loads(each["frames_json"]) or [None])[0]
        place = f"{frame['filename']}:{frame['line']}" if isinstance(frame, dict) else frame
        print(f"{each['job']} rank {each['rank']}: {place} {each['diff_bytes']:+,} bytes{', on a straight line' if each['straight'] else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("convert", help="make the dataset, or what is missing of it")
    one.add_argument("listing")
    one.add_argument("out")
    one.add_argument("--hbmlens", default="hbmlens", metavar="PROGRAM", help="the terminal program")
    one.add_argument("--tasks", type=int, help="tasks at most (default: one an input)")
    two = commands.add_parser("analyse", help="peaks, odd ranks and growth over the dataset")
    two.add_argument("out")
    two.add_argument("--json", action="store_true")
    two.add_argument("--top", type=int, default=20, help="rows of growth, 0 for all")
    args = parser.parse_args()
    from pyspark.sql import SparkSession
    # A job may have a number for its name.
    never = "spark.sql.sources.partitionColumnTypeInference.enabled"
    spark = SparkSession.builder.appName("hbmlens").config(never, "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        return convert(spark, args) if args.command == "convert" else analyse(spark, args)
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
