#!/usr/bin/env python3
"""Runs a program four times: twice alike, then with each build of the lane operations.

  determinism.py PROGRAM [ARGUMENTS...]

Its output and its JSON report must be the same, byte for byte, every time. A host without AVX2 compares three runs.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(command, lanes, folder):
    """(standard output, report)"""
    report = pathlib.Path(folder) / "report.json"
    environment = dict(os.environ, CASTOR_REPORT=str(report))
    environment.pop("CASTOR_LANES", None)
    if lanes:
        environment["CASTOR_LANES"] = lanes
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True)
    content = report.read_bytes()
    report.unlink()
    return done.stdout, content


def main():
    command = sys.argv[1:]
    has_avx2 = "avx2" in pathlib.Path("/proc/cpuinfo").read_text().split()
    with tempfile.TemporaryDirectory() as folder:
        first = run(command, None, folder)
        parsed = json.loads(first[1])
        assert parsed["kernels"] and parsed["warp_instructions"] > 0, "the report is empty"
        # Wall-clock times of the host would make this test, and any comparison of reports, meaningless.
        assert not re.search(rb"wall|host_seconds", first[1]), "the report holds host times"
        for lanes in [None, "baseline"] + (["avx2"] if has_avx2 else []):
            again = run(command, lanes, folder)
            for what, a, b in [("output", first[0], again[0]), ("report", first[1], again[1])]:
                if a != b:
                    print(
                        f"{what} differs, second run with CASTOR_LANES={lanes}\n--- first\n{a.decode()}\n--- then\n"
                        f"{b.decode()}"
                    )
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
