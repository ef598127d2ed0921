#!/usr/bin/env python3
"""Runs a program with the SM's own greedy-then-oldest policy and with the block saws kept in that mode: every total of
the statistics must be the same. With promotion the same program must take another course.

  check_saws_gto.py MACHINE PROGRAM ARGUMENTS...
"""

import json
import os
import subprocess
import sys
import tempfile


def run(machine, program, settings, report):
    environment = dict(os.environ, CASTOR_PLATFORM=machine, CASTOR_REPORT=report, CASTOR_SET=settings)
    done = subprocess.run(
        program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, env=environment, check=False
    )
    if done.returncode != 0 or "PASS " not in done.stdout:
        sys.exit(f"{settings}: exit {done.returncode}\n{done.stdout}")
    with open(report, encoding="utf-8") as file:
        content = json.load(file)
    return done.stdout, content["cycles"], content["statistics"]["total"]


def main():
    machine, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        own = run(machine, program, "issue.policy=gto", report)
        block = run(machine, program, "blocks.saws.enable=1;blocks.saws.mode=gto", report)
        promoting = run(machine, program, "blocks.saws.enable=1", report)
    differing = [key for key in own[2] if own[2][key] != block[2].get(key)]
    if own[:2] != block[:2] or differing:
        print(f"{own[1]} cycles and {block[1]}, differing: {', '.join(differing)}")
        print(own[0] + block[0])
        return 1
    if promoting[2]["barrier_wait"] == own[2]["barrier_wait"]:
        print("promotion changes nothing: the program has no barrier that it could act on")
        return 1
    return promoting[0] != own[0]


if __name__ == "__main__":
    sys.exit(main())
