#!/usr/bin/env python3
"""Runs one program of sw/kernels on a machine with the block darsie and its checking mode (check.skips), and on the
same machine without: it must print PASS with the same results both times, and warps must have skipped instructions.

  check_skips.py PROGRAM [--nothing-skipped] MACHINE ARGUMENTS...

Each of ARGUMENTS is one run ("--n 100 --seed 2"; "" for the defaults). The machine gets four times its registers, so
that rows are left for every kernel: without, programs that fill the register file would skip nothing. For each run it
says how many of the marked instructions were skipped. A program of which no run skipped anything fails, unless
--nothing-skipped says that it is known for that. With CASTOR_TEST_FIRST_RUN only the first run is made, and may skip
nothing.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

MARKS = "compile.marks=1;sm.registers=262144"
BLOCK = MARKS + ";blocks.darsie.enable=1;check.skips=1;check.rows=1"


def run(program, arguments, machine, settings, report):
    """Returns (exit code, last line of the output, all output)."""
    environment = {
        **os.environ,
        "CASTOR_PLATFORM": machine,
        "CASTOR_SET": settings,
        "CASTOR_REPORT": str(report),
    }
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


class Counts:
    """Counters of a run, summed over its kernels."""

    def __init__(self, report):
        self.sums = {}
        if report.exists() and report.stat().st_size:
            for kernel in json.loads(report.read_text())["kernels"]:
                for name, value in kernel["counts"].items():
                    self.sums[name] = self.sums.get(name, 0) + value

    def of(self, group):
        """Returns the sum over all classes."""
        return sum(value for name, value in self.sums.items() if name.startswith(group + "."))

    def one(self, name):
        return self.sums.get(name, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--nothing-skipped", action="store_true")
    parser.add_argument("machine")
    parser.add_argument("runs", nargs="+")
    options = parser.parse_args()
    first_alone = bool(os.environ.get("CASTOR_TEST_FIRST_RUN"))
    bad = 0
    all_skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        for arguments in options.runs[:1] if first_alone else options.runs:
            lines = []
            counts = []
            for settings in (MARKS, BLOCK):
                report.unlink(missing_ok=True)
                code, line, everything = run(options.program, arguments, options.machine, settings, report)
                lines.append(line)
                counts.append(Counts(report))
                if code != 0 or not line.startswith("PASS "):
                    print(f"{options.program} {arguments} ({settings}): exit {code}\n{everything}")
                    bad += 1
            if lines[0] != lines[1]:
                print(f"without and with the block: {lines}")
                bad += 1
            before, after = counts
            skipped = after.of("filter.skipped")
            marked = skipped + after.of("filter.led") + after.of("filter.executed")
            without = sum(after.one("filter.tbs_" + why) for why in ("of_one_warp", "without_rows", "without_run"))
            print(
                f"{options.program} {arguments}: {skipped} of {marked} marked instructions skipped"
                f" ({100 * skipped / max(marked, 1):.0f} %), {after.of('warp_instructions')} instead of"
                f" {before.of('warp_instructions')} executed; {after.one('filter.tbs_with_pool')} thread blocks with"
                f" rows, {without} without",
                flush=True,
            )
            if skipped != after.one("filter.checked_skips"):
                print(f"{after.one('filter.checked_skips')} skips were checked")
                bad += 1
            all_skipped += skipped
    if (all_skipped == 0) != options.nothing_skipped and not (first_alone and all_skipped == 0):
        print(f"{all_skipped} instructions were skipped; expected {'none' if options.nothing_skipped else 'some'}")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
