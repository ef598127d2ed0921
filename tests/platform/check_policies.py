#!/usr/bin/env python3
"""Runs a program under every built-in issue policy, with 1, 2 and 4 schedulers per SM of equal issue width.

  check_policies.py TIMES PROGRAM ARGUMENTS...

Its results must be right and the same every time, and every policy but the two-level one must conserve work: in no tick
does a scheduler with a ready warp issue nothing. In such a tick its oldest clear warp would lack neither a collector
nor a unit, so the ticks spent before a pipe must be exactly those in which one of the two was lacking. The runs must
take at least TIMES different numbers of cycles, so that the policies decide something. Programs with locks also show
that no warp starves.
"""

import json
import os
import subprocess
import sys
import tempfile

POLICIES = ("gto", "lrr", "oldest", "tl", "catls")
SCHEDULERS = ({"schedulers": 1, "issue.warps": 4}, {"schedulers": 2, "issue.warps": 2}, {"schedulers": 4})


def run(program, keys, report):
    environment = dict(
        os.environ,
        CASTOR_PLATFORM="kepler_k20c_study",
        CASTOR_REPORT=report,
        CASTOR_SET=";".join(f"{key}={value}" for key, value in keys.items()),
    )
    done = subprocess.run(
        program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, env=environment, check=False
    )
    if done.returncode != 0 or "PASS " not in done.stdout:
        sys.exit(f"{keys}: exit {done.returncode}\n{done.stdout}")
    with open(report, encoding="utf-8") as file:
        return done.stdout, json.load(file)


def main():
    times, *program = sys.argv[1:]
    outputs, cycles, failed = set(), set(), False
    with tempfile.TemporaryDirectory() as folder:
        for schedulers in SCHEDULERS:
            for policy in POLICIES:
                output, report = run(
                    program, {**schedulers, "issue.policy": policy}, os.path.join(folder, "report.json")
                )
                outputs.add(output)
                cycles.add(report["cycles"])
                total = report["statistics"]["total"]
                before_pipe = total["stall"]["memory_pipe"] + total["stall"]["compute_pipe"]
                lacking = total["collector_full"] + total["unit_busy"]
                if policy != "tl" and before_pipe != lacking:
                    print(
                        f"{schedulers} {policy}: {before_pipe} scheduler-ticks without issue before a pipe, "
                        f"{lacking} lacked one"
                    )
                    failed = True
    if len(outputs) != 1:
        print(f"{len(outputs)} different outputs")
        failed = True
    if len(cycles) < int(times):
        print(f"only {len(cycles)} different run times")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
