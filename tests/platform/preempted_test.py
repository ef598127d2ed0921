#!/usr/bin/env python3
"""PREMA on SMs that execute instructions: a CUDA program whose jobs are preempted.

  preempted_test.py PROGRAM

PROGRAM is deadline_jobs. With context.mover drain, thread blocks of a preempted queue run to their end; with rate they
are swapped out at an instruction boundary and come back. Its results are the same, and all that left came back.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

KEYS = "chip.sms=2;blocks.lax.enable=1;blocks.lax.policy=prema;blocks.lax.prema_period=2000"
ARGUMENTS = ["--n", "6000", "--jobs", "16", "--rounds", "120", "--deadline", "1000000"]


def run(program, mover, folder):
    """(standard output, statistics, cycles)"""
    report = pathlib.Path(folder) / f"{mover}.json"
    environment = dict(
        os.environ,
        CASTOR_PLATFORM="gcn_apu",
        CASTOR_SET=f"{KEYS};context.mover={mover}",
        CASTOR_REPORT=str(report),
    )
    done = subprocess.run(
        [program] + ARGUMENTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        env=environment,
        check=False,
    )
    if done.returncode != 0 or "PASS " not in done.stdout:
        sys.exit(f"{mover}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    content = json.loads(report.read_text())
    return done.stdout, content["statistics"], content["cycles"]


def moves(statistics, which):
    return sum(unit["moves"][which] for unit in statistics.values() if isinstance(unit, dict) and "moves" in unit)


def check(holds, what):
    if not holds:
        sys.exit(what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        drained, still, _ = run(sys.argv[1], "drain", folder)
        moved, statistics, cycles = run(sys.argv[1], "rate", folder)
    front_end = statistics["front_end"]
    saved, restored = front_end["tb_saved"], front_end["tb_restored"]
    print(f"{saved} thread blocks saved, {restored} restored, {cycles} cycles")
    check(drained == moved, f"the results differ:\n{drained}{moved}")
    check(still["front_end"]["tb_saved"] == 0 and moves(still, "out") == 0, "thread blocks move that should drain")
    check(saved > 0, "nothing was preempted")
    check(saved == restored == moves(statistics, "out") == moves(statistics, "in"), "not all that left came back")
    check(moves(statistics, "transfer_out") > 0, "contexts move in no time")


if __name__ == "__main__":
    main()
