#!/usr/bin/env python3
"""Gives every program of sw/kernels help requests and bad arguments.

  check_arguments.py FOLDER PROGRAM...

--help prints the options, with their defaults inside their bounds, and returns 0. All programs read their options by
the same function: each is given an unknown option, and values beyond the bounds of its last option; the first program
values of every wrong form. Each returns 2 with one line on standard error that names the option, and nothing else.
"""

import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    bad = 0
    for name in sys.argv[2:]:
        program = folder / name
        asked = run(program, "--help")
        bounds = re.findall(r"--(\w+) +.*\((-?\d+) to (-?\d+), default (-?\d+)\)", asked.stdout)
        if asked.returncode != 0 or asked.stderr or not bounds:
            print(f"{name} --help: exit {asked.returncode}\n{asked.stdout}{asked.stderr}")
            bad += 1
            continue
        wrong = [("no-such-option", ["--no-such-option", "1"])]
        for option, low, high, default in bounds:
            if not int(low) <= int(default) <= int(high):
                print(f"{name}: the default of {option} is out of its bounds")
                bad += 1
        option, low, high, _ = bounds[-1]
        wrong += [(option, [f"--{option}", str(value)]) for value in (int(low) - 1, int(high) + 1)]
        if name == sys.argv[2]:
            wrong += [(option, [f"--{option}", value]) for value in ("12x", "", "9" * 30)]
            wrong += [(option, [f"--{option}=x"]), (option, [f"--{option}"])]
        for option, arguments in wrong:
            done = run(program, *arguments)
            lines = done.stderr.splitlines()
            if done.returncode != 2 or done.stdout or len(lines) != 1 or option not in lines[0]:
                print(f"{name} {arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
