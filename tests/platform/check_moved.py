#!/usr/bin/env python3
"""Runs a program on the timing GPU while its thread blocks are swapped out and restored at random instruction
boundaries (context.random). It must print what it prints without.

  check_moved.py PROGRAM ARGUMENTS SEEDS MACHINE...

ARGUMENTS is one word ("--n 100 --seed 2"), SEEDS a number of seeds, from 1 on. MACHINE may have keys behind it
(NAME,blocks.saws.enable=1). On the first machine the program must
print PASS, and over all runs some thread block must have been swapped out. Every block that left must have come back.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def run(command, machine, seed, report):
    """Returns (exit code, standard output, standard error)."""
    name, *keys = machine.split(",")
    environment = dict(
        os.environ,
        CASTOR_PLATFORM=name,
        CASTOR_SET=";".join(keys + ["run.functional=0", f"context.random={seed}"]),
        CASTOR_REPORT=str(report),
    )
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=environment, check=False
    )
    # The first run on a machine may have to build a model or RTL, and prints a message about it.
    return done.returncode, done.stdout, re.sub(r"castor: (building|built) .*\n", "", done.stderr)


def swaps(report):
    """Returns (thread blocks swapped out, thread blocks restored); (0, 0) if the machine refused the program."""
    if not report.exists() or not report.stat().st_size:
        return 0, 0
    statistics = json.loads(report.read_text())["statistics"]
    moves = [unit["moves"] for unit in statistics.values() if isinstance(unit, dict) and "moves" in unit]
    if not moves:
        sys.exit("the report has no moves")
    return sum(one["out"] for one in moves), sum(one["in"] for one in moves)


def main():
    program, arguments, seeds, *machines = sys.argv[1:]
    command = [program] + shlex.split(arguments)
    bad, out = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for index, machine in enumerate(machines):
            still = run(command, machine, 0, pathlib.Path(folder) / "still.json")
            if index == 0 and (still[0] != 0 or "PASS " not in still[1]):
                print(f"{machine}: {still}")
                bad += 1
            for seed in range(1, int(seeds) + 1):
                report = pathlib.Path(folder) / f"{machine}-{seed}.json"
                moved = run(command, machine, seed, report)
                left, back = swaps(report)
                out += left
                print(f"{machine}, seed {seed}: {left} swaps, exit {moved[0]}", flush=True)
                if moved != still or left != back:
                    bad += 1
                    print(f"{back} came back\nmoved: {moved}\nstill: {still}")
    if out == 0:
        print("no thread block was swapped out")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
