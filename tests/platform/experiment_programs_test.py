#!/usr/bin/env python3
"""castor experiment lax --tier programs: a tiny comparison with real kernels, end to end.

    experiment_programs_test.py <castor> <job_mix>
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CASTOR, PROGRAM = sys.argv[1:]
JOBS = 8
TINY = [
    "--tier",
    "programs",
    "--workload",
    "GMM",
    "--rate",
    "high",
    "--scheduler",
    "RR",
    "--scheduler",
    "LAX",
    "--seeds",
    "1",
    "--jobs",
    str(JOBS),
    "--quiet",
]
failures = []


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    return subprocess.run([CASTOR, "experiment", "lax", *arguments], capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    one = run(*TINY, "--program", PROGRAM, "--out", str(root / "one"))
    check("exit code 0: " + one.stderr, one.returncode == 0)
    rows = {row["scheduler"]: row for row in csv.DictReader((root / "one" / "results.csv").open())}
    check("a row for every scheduler", sorted(rows) == ["LAX", "RR"])
    for name, row in rows.items():
        ends = {key: int(row[key]) for key in ("met", "late", "rejected", "open")}
        check(f"{name}: every job ended in one way: {ends}", sum(ends.values()) == JOBS and ends["open"] == 0)
        check(name + ": TBs of the jobs that ran", int(row["all_tbs"]) == 8 * (ends["met"] + ends["late"]))
    check("round robin refuses nothing", rows["RR"]["rejected"] == "0")
    parameters = json.loads((root / "one" / "runs" / "GMM-high-RR-1-programs-jobs_8.json").read_text())["parameters"]
    calibration = parameters["calibration"]
    check("the job alone is its only kernel alone", calibration["kernels"] == [calibration["measured"]])
    check("published time of the job", calibration["published"] == 1500 * 1500)
    # 128 jobs at 32,000/s under round robin were over after 4 ms and the published tail of 41.5 ms.
    crowded = 32000 / (128 / (128 / 32000 + 41.5e-3))
    check(
        "as crowded as the published machine",
        abs(parameters["per_second"] / calibration["jobs_per_second"] / crowded - 1) < 1e-3,
    )

    # The isolated time is that of a job with warm caches: of the second of two isolated jobs.
    steps = 16
    (root / "jobs").write_text(f"job gmm {steps} 0 0\njob gmm {steps} 1000000 0\n")
    settings = ["blocks.lax.enable=1", "blocks.lax.policy=rr", "host.launch_us=0"]
    environment = dict(os.environ, CASTOR_PLATFORM="gcn_apu", CASTOR_SET=";".join(settings))
    environment["CASTOR_REPORT"] = str(root / "alone.json")
    alone = subprocess.run(
        [PROGRAM, "--divide", "1", "--list", str(root / "jobs")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    check("two jobs alone: " + alone.stdout + alone.stderr, alone.returncode == 0)
    cold, warm = (kernel["cycles"] for kernel in json.loads((root / "alone.json").read_text())["kernels"])
    check(f"the first job is slower: {cold}, {warm}", cold > warm)
    check(f"calibrated with warm caches: {calibration['kernels']}, {warm}", calibration["kernels"] == [warm])
    latency = float(rows["RR"]["p99_ms"])
    check(f"no job is faster than alone: {latency} ms", latency >= 1.5)
    check("the report tells the calibration", "published / measured" in (root / "one" / "report.md").read_text())

    two = run(*TINY, "--program", os.path.relpath(PROGRAM), "--out", str(root / "two"), "--workers", "1")
    check("exit code 0 again: " + two.stderr, two.returncode == 0)
    for name in ("results.csv", "results.json", "report.md"):
        check(name + " is the same again", (root / "one" / name).read_bytes() == (root / "two" / name).read_bytes())

    def changed(option, value):
        words = [*TINY, "--program", PROGRAM, "--out", str(root / "bad")]
        if option in words and option != "--scheduler":
            words[words.index(option) + 1] = value
        else:
            words += [option, value]
        return run(*words)

    for option, value, said in (
        ("--scheduler", "BAY", "BAY"),
        ("--w0", "3", "--w0"),
        ("--deadline", "50", "--deadline"),
        ("--jobs", "121", "120"),
        ("--program", str(root / "none"), "none"),
        ("--set", "queue.count=oops", "queue.count"),
    ):
        bad = changed(option, value)
        check(f"{option} {value}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{option} {value}: says what is wrong: {bad.stderr}", said in bad.stderr)
    lying = root / "lying"
    lying.write_text("#!/bin/sh\necho FAIL job_mix: wrong\nexit 1\n")
    lying.chmod(0o755)
    bad = changed("--program", str(lying))
    check(f"wrong results end the experiment: {bad.stderr}", bad.returncode == 1 and "wrong" in bad.stderr)
    every = run("--tier", "programs", "--program", str(lying), "--out", str(root / "every"))
    check(f"so they do with every scheduler: {every.returncode}", every.returncode == 1 and "wrong" in every.stderr)

sys.exit(1 if failures else 0)
