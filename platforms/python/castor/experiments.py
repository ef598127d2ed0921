"""What `castor experiment` leaves in its folder (docs/guides/experiments.md)."""

from pathlib import Path

from .errors import BadFile, need
from .reports import read_json


def experiment(path):
    """Parameters and figures of every run, a row each. `path`: the folder, or its results.json or results.csv, or runs
    that are kept beside a page (docs/results/NAME/SET.csv).

    A figure with parts has a column for each: barrier_waits.from_1 (not in a folder's results.csv).
    Raises BadFile, OSError.
    """
    pandas = need("pandas")
    path = Path(path)
    if path.is_dir():
        path = path / "results.json"
    if path.suffix == ".csv":
        return pandas.read_csv(path).rename(columns=_name_of_column)
    rows = read_json(path, "list of results", "castor experiment NAME")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadFile(f"{path}: these are no results of an experiment; castor experiment NAME writes them")
    return pandas.json_normalize(rows)


def _name_of_column(column):
    """Of result/barrier_waits/from_1: barrier_waits.from_1."""
    part, slash, name = column.partition("/")
    return name.replace("/", ".") if slash and part in ("parameters", "result") else column
