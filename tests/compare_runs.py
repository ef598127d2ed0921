#!/usr/bin/env python3
"""Compares what programs printed and reported on the timing GPU under two builds.

  compare_runs.py FOLDER OTHER_FOLDER

The folders are those of tests/platform/check_timing.py --keep. The runs of OTHER_FOLDER count: each must be in FOLDER
and equal it in output, cycles, hash of all statistics and the rest of the report.
"""

import json
import pathlib
import sys


def runs_of(folder):
    """{(program, machine): what was kept}"""
    return {
        (path.stem, machine): kept
        for path in sorted(pathlib.Path(folder).glob("*.json"))
        for machine, kept in json.loads(path.read_text()).items()
    }


def differences(first, second):
    """A line for each run of the second that the first does not have, or not so."""
    for name, kept in second.items():
        if name not in first:
            yield f"{' on '.join(name)}: not run by the first build"
        elif kept != first[name]:
            for key in sorted({*kept, *first[name]}):
                one, other = first[name].get(key), kept.get(key)
                if one != other:
                    yield f"{' on '.join(name)}: {key}: {one} and {other}"


def main():
    first, second = (runs_of(folder) for folder in sys.argv[1:])
    found = list(differences(first, second))
    print("\n".join(found))
    print(f"{len(second)} runs compared on two builds, {len(found)} differences")
    return 1 if found or not second else 0


if __name__ == "__main__":
    sys.exit(main())
