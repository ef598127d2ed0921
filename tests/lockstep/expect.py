#!/usr/bin/env python3
"""Runs a command that must return 0 and print exactly a text.

    expect.py <file with the text> <command>...
"""

import difflib
import pathlib
import subprocess
import sys

expected = pathlib.Path(sys.argv[1]).read_text()
done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True)
print("".join(difflib.unified_diff(expected.splitlines(True), done.stdout.splitlines(True), "expected", "printed")))
sys.exit(done.returncode != 0 or done.stdout != expected)
