#!/usr/bin/env python3
"""Runs a program and compares what it prints with a text.

  compare_output.py EXPECTED PROGRAM...

EXPECTED (.txt) holds the standard output and, as its last line, "exit N". If a file of the same name ending in .err
exists, each of its lines is a regular expression that must match somewhere in the standard error; without that file the
standard error must be empty. Several programs (the same source at several levels) are held to the same text.
"""

import difflib
import pathlib
import re
import subprocess
import sys


def main():
    expected_path = pathlib.Path(sys.argv[1])
    expected = expected_path.read_text().splitlines()
    patterns_path = expected_path.with_suffix(".err")
    patterns = patterns_path.read_text().splitlines() if patterns_path.exists() else None
    bad = 0
    for program in sys.argv[2:]:
        done = subprocess.run(
            [program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False
        )
        got = done.stdout.splitlines() + [f"exit {done.returncode}"]
        difference = list(difflib.unified_diff(expected, got, str(expected_path), program, lineterm=""))
        print("\n".join(difference))
        bad += bool(difference)
        if patterns is None and done.stderr:
            print(f"{program}: unexpected on standard error")
            bad += 1
        for pattern in patterns or []:
            if not re.search(pattern, done.stderr):
                print(f"{program}: nothing on standard error matches '{pattern}'")
                bad += 1
        if done.stderr:
            print(f"standard error:\n{done.stderr}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
