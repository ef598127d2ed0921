"""Shared code of the tests of experiments: runs one, reads its table, and reports errors."""

import csv
import subprocess

failures = []


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(castor, experiment, programs, *arguments):
    return subprocess.run(
        [castor, "experiment", experiment, "--programs", programs, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def rows_of(folder):
    """Returns the rows of the table of runs. Whole numbers are converted to int."""
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [{key: int(text) if text.isdigit() else text for key, text in row.items()} for row in rows]
