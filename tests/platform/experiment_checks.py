"""What tests of experiments do: run one, read its table, tell what is wrong."""

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
    """Rows of the table of runs, whole numbers as such."""
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [{key: int(text) if text.isdigit() else text for key, text in row.items()} for row in rows]
