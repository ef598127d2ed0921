#!/usr/bin/env python3
"""Runs one program of sw/kernels with several sets of arguments; each run must print PASS and return 0.

  check_kernel.py PROGRAM [--against OTHER] ARGUMENTS...

Each of ARGUMENTS is one run ("--n 100 --seed 2"; "" for the defaults). With --against, OTHER is the same source
compiled at another level: its line must show the same hash.
"""

import argparse
import re
import shlex
import subprocess
import sys


def run(program, arguments):
    """Returns (exit code, last line of the output, all output)."""
    try:
        done = subprocess.run(
            [program] + shlex.split(arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            check=False,
        )
    except OSError as error:
        return -1, "", str(error)
    lines = done.stdout.splitlines()
    return done.returncode, lines[-1] if lines else "", done.stdout + done.stderr


def hash_of(line):
    found = re.search(r"; hash ([0-9a-f]{16})$", line)
    return found.group(1) if found else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    bad = 0
    for arguments in options.runs:
        lines = []
        for program in [options.program] + ([options.against] if options.against else []):
            code, line, everything = run(program, arguments)
            print(f"{program} {arguments}: exit {code}: {line}", flush=True)
            lines.append(line)
            if code != 0 or not line.startswith("PASS "):
                print(everything)
                bad += 1
        if len({hash_of(line) for line in lines}) != 1:
            print(f"the hashes differ: {lines}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
