#!/usr/bin/env python3
"""Runs a program of sw/kernels/dynamic in all its forms; all must give the same results.

  check_forms.py PROGRAM [--against OTHER] [--no-launches ARGUMENTS]... ARGUMENTS...

Each of ARGUMENTS is one input ("citation --nodes 500"). It runs flat, with child kernels, and with them and a limit of
one pending launch, where some of many must be refused; every run must print PASS and the same hash. Child kernels must
be launched, for the inputs behind --no-launches not one. The form dtbl must do the same. With
--against the first input runs with child kernels as OTHER too, the same source compiled at another level. With
CASTOR_TEST_FIRST_RUN only the first input runs.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

LAUNCHES = re.compile(r" launches (\d+), refused (\d+), failed 0$", re.MULTILINE)


class Checker:
    bad = 0

    def complain(self, text):
        print(text, flush=True)
        self.bad += 1

    def run(self, program, form, arguments):
        """Returns (hash, launches, refused), or None."""
        done = subprocess.run(
            [program, form] + shlex.split(arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            check=False,
            env={**os.environ, "CASTOR_SET": ";".join([os.environ.get("CASTOR_SET", ""), "pool.full=refuse"])},
        )
        line = f"{program} {form} {arguments}: exit {done.returncode}"
        launches = LAUNCHES.search(done.stdout)
        result = re.search(r"^PASS .*; hash ([0-9a-f]{16})$", done.stdout, re.MULTILINE)
        if done.returncode != 0 or not launches or not result:
            self.complain(f"{line}\n{done.stdout}{done.stderr}")
            return None
        print(f"{line}, launches {launches[1]}, refused {launches[2]}, hash {result[1]}", flush=True)
        return result[1], int(launches[1]), int(launches[2])

    def check(self, programs, arguments, wanted):
        flat = self.run(programs[0], "flat", arguments)
        if not flat:
            return
        if flat[1:] != (0, 0):
            self.complain("the flat form launched")
        launches = 0
        runs = [(program, form, "") for program in programs for form in ("cdp", "dtbl")]
        for program, form, more in runs + [(programs[0], "cdp", " --pending 1")]:
            other = self.run(program, form, arguments + more)
            if not other:
                continue
            if other[0] != flat[0]:
                self.complain(f"form {form} has other results")
            if (other[1] > 0) != wanted:
                self.complain("child kernels were launched" if other[1] else "no child kernel was launched")
            if not more:
                launches = max(launches, other[1])
            elif launches > 50 and other[2] == 0:
                self.complain("no launch was refused")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--no-launches", action="append", default=[])
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    checker = Checker()
    if os.environ.get("CASTOR_TEST_FIRST_RUN"):
        del options.runs[1:], options.no_launches[:]
    for i, arguments in enumerate(options.runs):
        others = [options.against] if options.against and i == 0 else []
        checker.check([options.program] + others, arguments, True)
    for arguments in options.no_launches:
        checker.check([options.program], arguments, False)
    return 1 if checker.bad else 0


if __name__ == "__main__":
    sys.exit(main())
