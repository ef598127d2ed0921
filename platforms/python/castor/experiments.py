"""Reader of the results that `castor experiment` writes to its folder (docs/guides/experiments.md)."""

from pathlib import Path

from .errors import BadFile, need
from .reports import read_json


def experiment(path):
    """Returns a frame with the parameters and figures of every run, one row per run. `path`: the folder, its
    results.json or results.csv, or a file of runs beside a result page (docs/results/NAME/SET.csv).

    A figure with several parts has a column for each part, such as barrier_waits.from_1 (not in a folder's
    results.csv). Raises BadFile, OSError.
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
    """Returns the frame's name of a column: barrier_waits.from_1 for result/barrier_waits/from_1."""
    part, slash, name = column.partition("/")
    return name.replace("/", ".") if slash and part in ("parameters", "result") else column
