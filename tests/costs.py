#!/usr/bin/env python3
"""What the check costs: CPU seconds of compiling and running per target and test, and of each step of .ci/run.

    costs.py [--top N]      prints, for the builds in this tree, the sums by step and kind, the N dearest (default 60)
    costs.py --record       writes them to tests/costs.csv, from which the next configure run orders the tests

GNU time measures while the builds and tests run (cmake/CastorTest.cmake); user and system seconds are added. A target
that a compiler cache served costs what the cache took: record after a build with an empty one. Names that were not
built or run this time keep their recorded figures.
"""

import argparse
import collections
import csv
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "costs.csv"
BUILDS = ("release", "asan")


def seconds(path, kind):
    """{name: CPU seconds} of a file of lines "NAME USER SYSTEM". A target has a line for each of its sources, which are
    added; a test one for each time that it ran, of which the last counts."""
    found = collections.Counter()
    if path.exists():
        for line in path.read_text().splitlines():
            name, user, system = line.rsplit(" ", 2)
            before = found[name] if kind == "compile" else 0
            found[name] = before + float(user) + float(system)
    return found


def measured():
    """{(kind, name, build): CPU seconds}; kind is step, compile (linking included) or run."""
    found = {}
    for build in BUILDS:
        folder = ROOT / "build" / build
        for kind, path in (
            ("compile", folder / "costs-of-build.txt"),
            ("run", folder / "test-results" / "costs.txt"),
            ("run", folder / "test-results-programs" / "costs.txt"),
        ):
            for name, value in seconds(path, kind).items():
                found[kind, name, build] = value
    steps = ROOT / "build" / "costs-of-steps.txt"
    if steps.exists():
        for line in steps.read_text().splitlines():
            name, _, value = line.split()
            found["step", name, ""] = float(value)
    return found


def recorded():
    with RECORD.open(encoding="utf-8", newline="") as file:
        return {(row["kind"], row["name"], row["build"]): float(row["cpu_seconds"]) for row in csv.DictReader(file)}


def record(costs):
    rows = sorted((kind, name, f"{value:.1f}", build) for (kind, name, build), value in costs.items() if value >= 0.1)
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("kind", "name", "cpu_seconds", "build"))
        writer.writerows(rows)


def report(costs, top):
    for kind in ("step", "compile", "run"):
        for build in ("", *BUILDS):
            values = [value for (k, _, b), value in costs.items() if (k, b) == (kind, build)]
            if values:
                print(f"{kind:8} {build or 'all':8} {sum(values):8.0f} s of CPU, {len(values)} entries")
    print()
    for (kind, name, build), value in sorted(costs.items(), key=lambda item: -item[1])[:top]:
        print(f"{value:8.1f} s  {kind:8} {build:8} {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--top", type=int, default=60, metavar="N")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    costs = {**recorded(), **measured()}
    if options.record:
        record(costs)
    else:
        report(costs, options.top)


if __name__ == "__main__":
    main()
