#!/usr/bin/env python3
"""Runs a program on the timing GPU and on the functional machine and compares what it prints and its exit code.

  check_timing.py PROGRAM ARGUMENTS MACHINE...

ARGUMENTS is one word ("--n 100 --seed 2"). A program that a machine refuses (a block too large for it) must be refused
alike; on the first machine it must print PASS. With CASTOR_TEST_MACHINES only the machines that it names are taken.
"""

import os
import shlex
import subprocess
import sys


def run(command, machine, functional):
    """(exit code, standard output, standard error)"""
    environment = dict(os.environ, CASTOR_PLATFORM=machine, CASTOR_SET=f"run.functional={functional}")
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=environment, check=False
    )
    return done.returncode, done.stdout, done.stderr


def main():
    program, arguments, machines = sys.argv[1], sys.argv[2], sys.argv[3:]
    if os.environ.get("CASTOR_TEST_MACHINES"):
        machines = [machine for machine in machines if machine in os.environ["CASTOR_TEST_MACHINES"].split()]
    if not machines:
        print("no machine")
        return 1
    command = [program] + shlex.split(arguments)
    bad = 0
    for index, machine in enumerate(machines):
        timing = run(command, machine, 0)
        functional = run(command, machine, 1)
        good = timing == functional and (index > 0 or (timing[0] == 0 and "PASS " in timing[1]))
        print(f"{machine}: exit {timing[0]}: {(timing[1].splitlines() or [''])[-1]}", flush=True)
        if not good:
            bad += 1
            print(f"timing GPU: {timing}\nfunctional machine: {functional}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
