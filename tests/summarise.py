#!/usr/bin/env python3
"""Counts what the tests of one run gave and prints "N passed, N failed" as the last line.

Reads <folder>/ctest.xml (one entry per test process) and, where a process was a GoogleTest program,
<folder>/<name>.json, so that its cases are counted one by one. A process that ended badly although none of its cases
failed (crash, timeout, sanitizer report) counts as one failure more. Exit code: 0 if something passed and nothing
failed.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def gtest_cases(path):
    """(passed, names of failed cases, skipped) of one GoogleTest report, or None if it wrote no whole report."""
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    passed, failed, skipped = 0, [], 0
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            if case.get("failures"):
                failed.append(f"{suite['name']}.{case['name']}")
            elif case.get("result") == "SKIPPED":
                skipped += 1
            elif case.get("status") == "RUN":
                passed += 1
    return passed, failed, skipped


def main():
    folder = pathlib.Path(sys.argv[1])
    passed, failures, skipped = 0, [], 0
    try:
        entries = ElementTree.parse(folder / "ctest.xml").getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"no result of ctest: {error}")
        entries = []
    for entry in entries:
        name = entry.get("name")
        ended_well = entry.get("status") == "run"
        not_run = entry.find("skipped")
        # A program that is missing is "notrun" too, and that is a failure.
        if entry.get("status") == "disabled" or (
            not_run is not None and not_run.get("message", "").startswith("SKIP_")
        ):
            skipped += 1
            continue
        cases = gtest_cases(folder / f"{name}.json")
        if cases is None:
            if ended_well:
                passed += 1
            else:
                failures.append(name)
            continue
        passed += cases[0]
        failures += [f"{name}: {case}" for case in cases[1]]
        skipped += cases[2]
        if not ended_well and not cases[1]:
            failures.append(f"{name}: ended badly after its cases")
        if ended_well and not cases[0] and not cases[2]:
            failures.append(f"{name}: ran no case")
    for failure in failures:
        print(f"FAILED {failure}")
    if skipped:
        print(f"{skipped} skipped")
    if not passed and not failures:
        print("no test ran")
    print(f"{passed} passed, {len(failures)} failed")
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
