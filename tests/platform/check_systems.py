#!/usr/bin/env python3
"""Runs a program of sw/kernels whose thread blocks meet between iterations, with all its systems.

  check_systems.py PROGRAM MACHINE [--against OTHER] --systems SYSTEM,... ARGUMENTS...

Each of ARGUMENTS is one input ("--width 40 --height 20"). Every system runs with it on the functional machine and on
the timing GPU. Each run must print PASS, and all of an input the same hash. The timing GPU stops at a load that returns
old data (check.stale=error). With --against, the functional machine runs PROGRAM and OTHER, the same source compiled at
another level.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys


def run(program, machine, system, arguments, settings):
    """Returns (exit code, hash or None, all output)."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CASTOR_")}
    done = subprocess.run(
        [program, system] + shlex.split(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        env={**environment, "CASTOR_PLATFORM": machine, "CASTOR_SET": settings},
        check=False,
    )
    found = re.search(r"^PASS .*; hash ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
    return done.returncode, found and found.group(1), done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("machine")
    parser.add_argument("--against")
    parser.add_argument("--systems", required=True)
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    ways = [(options.program, "run.functional=1"), (options.program, "check.stale=error")]
    if options.against:
        ways = [(options.program, "run.functional=1"), (options.against, "run.functional=1")]
    bad = 0
    for arguments in options.runs:
        hashes = set()
        for system in options.systems.split(","):
            for program, settings in ways:
                code, digest, output = run(program, options.machine, system, arguments, settings)
                print(f"{program} {system} {arguments} ({settings}): exit {code}, hash {digest}", flush=True)
                if code != 0 or not digest:
                    print(output[:2000])
                    bad += 1
                hashes.add(digest)
        if len(hashes) != 1:
            print(f"{arguments}: the systems differ")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
