#!/usr/bin/env python3
"""Tests tests/summarise.py on results written by hand: its last line and its exit code."""

import json
import pathlib
import subprocess
import sys
import tempfile


def gtest(passed, failed, skipped=0):
    cases = [{"name": f"p{i}", "status": "RUN", "result": "COMPLETED"} for i in range(passed)]
    cases += [{"name": f"f{i}", "status": "RUN", "result": "COMPLETED", "failures": [{}]} for i in range(failed)]
    cases += [{"name": f"s{i}", "status": "RUN", "result": "SKIPPED"} for i in range(skipped)]
    return json.dumps({"testsuites": [{"name": "S", "testsuite": cases}]})


MISSING = '<testcase name="{}" status="notrun"><skipped message="Unable to find executable"/></testcase>'
SKIPPED = '<testcase name="{}" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'
RAN = '<testcase name="{}" status="run"/>'
FAILED = '<testcase name="{}" status="fail"><failure message=""/></testcase>'

# what is checked: entries of ctest, reports of GoogleTest, last line, exit code
CASES = {
    "cases are counted one by one": ([(RAN, gtest(3, 0)), (RAN, gtest(4, 0))], "7 passed, 0 failed", 0),
    "a failed case fails the run": ([(FAILED, gtest(3, 2))], "3 passed, 2 failed", 1),
    "a script counts as one": ([(RAN, None), (FAILED, None)], "1 passed, 1 failed", 1),
    "a crash without a report is a failure": ([(RAN, gtest(1, 0)), (FAILED, None)], "1 passed, 1 failed", 1),
    "a cut report is a failure": ([(FAILED, gtest(3, 0)[:40])], "0 passed, 1 failed", 1),
    "a bad end after good cases is a failure": ([(FAILED, gtest(3, 0))], "3 passed, 1 failed", 1),
    "a program without cases is a failure": ([(RAN, gtest(1, 0)), (RAN, gtest(0, 0))], "1 passed, 1 failed", 1),
    "a missing program is a failure": ([(RAN, gtest(1, 0)), (MISSING, None)], "1 passed, 1 failed", 1),
    "skipped ones are not passed": ([(RAN, gtest(2, 0, 3)), (SKIPPED, None)], "2 passed, 0 failed", 0),
    "no test is no success": ([], "0 passed, 0 failed", 1),
    "no result of ctest is no success": (None, "0 passed, 0 failed", 1),
}


def main():
    wrong = 0
    for claim, (entries, line, code) in CASES.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if entries is not None:
                text = "".join(entry.format(f"t{i}") for i, (entry, _) in enumerate(entries))
                (folder / "ctest.xml").write_text(f"<testsuite>{text}</testsuite>")
                for i, (_, report) in enumerate(entries):
                    if report is not None:
                        (folder / f"t{i}.json").write_text(report)
            run = subprocess.run([sys.executable, sys.argv[1], name], capture_output=True, text=True, check=False)
            last = run.stdout.splitlines()[-1] if run.stdout else ""
            if (last, run.returncode) != (line, code):
                print(f"{claim}: expected '{line}' and {code}, got '{last}' and {run.returncode}\n{run.stderr}")
                wrong += 1
    print(f"{len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
