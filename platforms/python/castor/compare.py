"""Comparison of runs: ratios input by input, their means and confidence intervals."""

import math

from .errors import need


def _share_within(t, freedom):
    """Returns the probability that a Student's t variable with `freedom` degrees of freedom lies within ±t. The closed
    form is valid for integer `freedom`."""
    angle = math.atan2(t, math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    term, total = 1.0, 0.0
    for i in range(freedom % 2, freedom - 1, 2):  # adds the term of cos^i
        total += term * (math.cos(angle) if freedom % 2 else 1)
        term *= square * (i + 1) / (i + 2)
    if freedom % 2:
        return (angle + sine * total) * 2 / math.pi
    return sine * total


def confidence(deviation, count, share=0.95):
    """Returns half the width of the confidence interval of a mean of `count` values, by Student's t with count - 1
    degrees of freedom. `share`: confidence level. NaN for fewer than two values."""
    if count < 2:
        return math.nan
    low, high = 0.0, 1e6
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _share_within(middle, count - 1) < share else (low, middle)
    return low * deviation / math.sqrt(count)


def speedups(runs, system, base, by, figure="cycles", inputs=("size", "seed")):
    """Returns the ratio of `figure` in runs of `base` to `figure` in the other runs, computed input by input.

    `runs`: a frame of castor.experiment. `system`: the column whose values are compared ("policy", "system"). `base`:
    the value that the others are compared with. `by`: columns whose values are kept apart (["program"]). `inputs`:
    columns that identify an input, as far as they exist. Several runs that agree in all these columns raise a KeyError.

    The result is a frame with the columns of `by`, `system`, and: speedup (geometric mean over inputs), deviation,
    count, confidence (half of the 95 % interval). It has no rows for `base`.
    """
    need("pandas")
    by = [by] if isinstance(by, str) else list(by)
    keys = [*by, *(name for name in inputs if name in runs and name not in by)]
    for name in [system, figure, *by]:
        if name not in runs:
            raise KeyError(f"the runs have no column {name}; they have {', '.join(map(str, runs.columns))}")
    if runs.duplicated([*keys, system]).any():
        raise KeyError(f"several runs have the same {', '.join([*keys, system])}: take one of them, or add to `by`")
    reference = runs[runs[system] == base].set_index(keys)[figure]
    if reference.empty:
        raise KeyError(f"no run has {system} {base}; there are {', '.join(map(str, runs[system].unique()))}")
    others = runs[runs[system] != base].set_index(keys)
    others = others[others.index.isin(reference.index)]
    frame = others[[system]].copy()
    frame["speedup"] = reference.reindex(others.index).to_numpy() / others[figure].to_numpy()
    frame = frame.reset_index()
    frame["log"] = frame["speedup"].map(math.log)
    groups = frame.groupby([*by, system], sort=False)
    out = groups.agg(speedup=("log", "mean"), deviation=("speedup", "std"), count=("speedup", "size")).reset_index()
    out["speedup"] = out["speedup"].map(math.exp)
    out["confidence"] = [confidence(d, n) for d, n in zip(out["deviation"], out["count"])]
    return out
