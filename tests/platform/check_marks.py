#!/usr/bin/env python3
"""Runs one program of sw/kernels on the functional machine with redundancy marks, each of which the machine checks by
brute force (docs/marks.md), and once without: it must print PASS both times, with the same hash.

  check_marks.py PROGRAM [--nothing-shared] ARGUMENTS...

Each of ARGUMENTS is one run ("--n 100 --seed 2"; "" for the defaults). A program of which no run compared two warps
fails, unless --nothing-shared says that it is known for that.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

MARKS = "run.functional=1;compile.marks=1;check.marks=1"


def run(program, arguments, settings, report):
    """Returns (exit code, last line of the output, all output)."""
    environment = {**os.environ, "CASTOR_SET": settings, "CASTOR_REPORT": str(report), "CASTOR_PLATFORM": ""}
    done = subprocess.run(
        [program] + shlex.split(arguments),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    return done.returncode, lines[-1] if lines else "", done.stdout + done.stderr


def counted(report):
    """Returns (compared executions of marked instructions, racing loads), summed over all kernels of a run."""
    kernels = json.loads(report.read_text())["kernels"]
    return tuple(
        sum(k.get("counts", {}).get(name, 0) for k in kernels) for name in ("marks_compared", "marks_racy_loads")
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--nothing-shared", action="store_true")
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    bad = 0
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        for arguments in options.runs:
            lines = []
            for settings in (MARKS, "run.functional=1"):
                code, line, everything = run(options.program, arguments, settings, report)
                lines.append(line)
                if code != 0 or not line.startswith("PASS "):
                    print(f"{options.program} {arguments} ({settings}): exit {code}\n{everything}")
                    bad += 1
                elif settings == MARKS:
                    shared, racy = counted(report)
                    compared += shared
                    print(f"{options.program} {arguments}: {shared} compared, {racy} racy loads", flush=True)
            if len(set(lines)) != 1:
                print(f"with and without marks: {lines}")
                bad += 1
    if (compared == 0) != options.nothing_shared:
        print(f"{compared} executions were compared; expected {'none' if options.nothing_shared else 'some'}")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
