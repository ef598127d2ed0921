#!/usr/bin/env python3
"""Counts the host instructions of three kernels on the timing GPU with callgrind and compares them with a record.

  instruction_counts.py BUILD [--record]

Host times vary from run to run. Host instructions hardly vary: with the same compiler the counts agree to a fraction of
a per cent. Only instructions inside the simulation (TimingDevice::advance_until) of BUILD/benchmarks/timing_gpu count.
The exit code is 1 if a kernel needs over 5 per cent more instructions than benchmarks/instruction_counts.json records.
--record rewrites that file, after a change that is worth its cost (docs/performance.md gives the reasons).
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).resolve().with_suffix(".json")
TOLERANCE = 0.05
KERNELS = ["tiled_matrix_multiply/128", "breadth_first_search/13", "pointer_chase/20000/1024"]


def count(program, kernel, folder):
    """Returns the number of host instructions of one run of a kernel. Ends the program if valgrind fails."""
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={folder}/out",
        "--toggle-collect=castor::gpu::TimingDevice::advance_until(unsigned long)",
        str(program),
        f"--benchmark_filter=^{kernel}/",
    ]
    # Every host can run the "baseline" build of the lane operations, so counts are comparable.
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        check=False,
        env=dict(os.environ, CASTOR_LANES="baseline"),
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or int(found.group(1)) == 0 or kernel not in done.stdout:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}\nexit code {done.returncode}: nothing was counted")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    program = options.build / "benchmarks" / "timing_gpu"
    with tempfile.TemporaryDirectory() as folder:
        counts = {kernel: count(program, kernel, folder) for kernel in KERNELS}
    if options.record:
        RECORD.write_text(json.dumps(counts, indent=2) + "\n")
    recorded = json.loads(RECORD.read_text())
    bad = 0
    for kernel, instructions in counts.items():
        change = instructions / recorded[kernel] - 1
        bad += change > TOLERANCE
        print(
            f"{kernel:28} {instructions:14,} instructions, recorded {recorded[kernel]:14,}: {change:+.1%}"
            + (" TOO MANY" if change > TOLERANCE else "")
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
