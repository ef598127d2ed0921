#!/usr/bin/env python3
"""Runs a program of sw/kernels under DARSIE and every system that it is compared with (docs/blocks/darsie.md, "Compared
systems"), and without any: it must print the same each time, and each system must have done something.

  check_compared.py PROGRAM [--idle SYSTEM]... ARGUMENTS...

ARGUMENTS is one run ("--n 100 --seed 2"; "" for the defaults). --idle names a system that finds nothing to do there.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

# {system: (its keys, counters of which at least one must not be 0, counters that must be 0)}
SYSTEMS = {
    "darsie": ("", ("darsie.skips_hit", "darsie.skips_wake"), ()),
    "ignore_store": ("blocks.darsie.store_inv=0", ("darsie.skips_hit", "darsie.skips_wake"), ("darsie.load_drops",)),
    "silicon_sync_1": ("blocks.darsie.skip=0", ("darsie.meetings",), ("darsie.skips_hit", "darsie.skips_wake")),
    "uv": ("blocks.darsie.system=uv", ("uniform_vector.hits",), ()),
    "no_cf_sync": ("blocks.darsie.system=no_cf_sync", ("no_cf_sync.skips",), ()),
    "dac_ideal": ("blocks.darsie.system=dac_ideal", ("dac_ideal.ghosts",), ("dac_ideal.refused",)),
}
MACHINE = ("chip.sms=2", "compile.marks=1")


def run(program, arguments, settings, report=None):
    """Returns the output and the report."""
    environment = {**os.environ, "CASTOR_SET": ";".join(settings), "CASTOR_PLATFORM": "pascal_titanx_study"}
    if report is not None:
        environment["CASTOR_REPORT"] = str(report)
    done = subprocess.run(
        [program] + shlex.split(arguments),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
        check=False,
    )
    if done.returncode != 0 or "PASS " not in done.stdout:
        sys.exit(f"{settings}: exit {done.returncode}\n{done.stdout}")
    return done.stdout, json.loads(report.read_text()) if report is not None else {}


def counted(report, path):
    """Returns the sum of a counter over the fetch filters."""
    total = 0
    for sm in (group for name, group in report["statistics"].items() if name.startswith("sm")):
        node = sm["fetch_filter"]
        for name in path.split("."):
            node = node[name]
        total += node
    return total


def cycles(report):
    """Returns the cycles of all kernels."""
    return sum(kernel["cycles"] for kernel in report["kernels"])


def barriers(report):
    return report["statistics"]["total"]["warp_instructions_by_class"]["barrier"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--idle", action="append", default=[])
    parser.add_argument("arguments")
    options = parser.parse_args()
    program, arguments = options.program, options.arguments
    failed = False

    def judge(name, output, busy, report):
        nonlocal failed
        right = output == expected and busy == (name not in options.idle)
        print(f"{name}: {cycles(report)} cycles of {cycles(base)}" + ("" if right else ": WRONG"))
        if not right:
            print(f"busy: {busy}\n{output}")
            failed = True

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        affine = f"blocks.darsie.affine={pathlib.Path(folder) / 'affine.txt'}"
        expected, base = run(program, arguments, MACHINE, file)
        run(program, arguments, (*MACHINE, "run.functional=1", "blocks.darsie.enable=1", affine))
        for name, (keys, some, none) in SYSTEMS.items():
            settings = (*MACHINE, "blocks.darsie.enable=1", affine, *([keys] if keys else []))
            output, report = run(program, arguments, settings, file)
            counts = {path: counted(report, path) for path in some + none}
            busy = any(counts[path] for path in some) and not any(counts[path] for path in none)
            print(counts)
            judge(name, output, busy, report)
        output, report = run(program, arguments, (*MACHINE, "compile.barriers=1"), file)
        judge("silicon_sync_2", output, barriers(report) > barriers(base), report)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
