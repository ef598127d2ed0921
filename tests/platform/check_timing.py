#!/usr/bin/env python3
"""Runs a program on the timing GPU and on the functional machine and compares what it prints and its exit code.

  check_timing.py [--keep FOLDER] PROGRAM ARGUMENTS MACHINE...

ARGUMENTS is one word ("--n 100 --seed 2"). A program that a machine refuses (a block too large for it) must be refused
alike; on the first machine it must print PASS. CASTOR_TEST_MACHINES=N takes the first N machines alone.

--keep writes FOLDER/<program>.json (CASTOR_TEST_RUNS names another folder): for each machine cycles, hash of the
statistics and a digest of the whole report, which tests/compare_runs.py compares with those of another build.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile


def run(command, machine, functional, report=""):
    """Returns (exit code, standard output, standard error)."""
    environment = dict(os.environ, CASTOR_PLATFORM=machine, CASTOR_SET=f"run.functional={functional}")
    if report:
        environment["CASTOR_REPORT"] = report
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


def of_report(path):
    """Returns the parts of a report that are kept. A machine that refused the program has written none."""
    if not path.exists() or not path.stat().st_size:
        return {}
    report = json.loads(path.read_text())
    report.pop("versions", None)  # versions of the compiler, among others
    text = json.dumps(report, sort_keys=True)
    kept = {key: report[key] for key in ("cycles", "statistics_hash")}
    return {**kept, "digest": hashlib.sha256(text.encode()).hexdigest()}


def keep(folder, program, machine, what):
    path = pathlib.Path(os.environ.get("CASTOR_TEST_RUNS", folder)) / (pathlib.Path(program).name + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    runs = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**runs, machine: what}, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("program")
    parser.add_argument("arguments")
    parser.add_argument("machines", nargs="+")
    options = parser.parse_args()
    program, arguments, machines = options.program, options.arguments, options.machines
    machines = machines[: int(os.environ.get("CASTOR_TEST_MACHINES", len(machines)))]
    if not machines:
        print("no machine")
        return 1
    command = [program] + shlex.split(arguments)
    bad = 0
    for index, machine in enumerate(machines):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            timing = run(command, machine, 0, str(report) if options.keep else "")
            if options.keep:
                keep(options.keep, program, machine, {"output": timing, **of_report(report)})
        functional = run(command, machine, 1)
        good = timing == functional and (index > 0 or (timing[0] == 0 and "PASS " in timing[1]))
        print(f"{machine}: exit {timing[0]}: {(timing[1].splitlines() or [''])[-1]}", flush=True)
        if not good:
            bad += 1
            print(f"timing GPU: {timing}\nfunctional machine: {functional}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
