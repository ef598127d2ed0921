"""The usual pictures, drawn with matplotlib. Every function with a parameter `ax` draws into `ax`, or into a new figure
if `ax` is None, and returns the axes."""

import math
import subprocess

from .errors import need
from .reports import Report

#: Results of a scheduler tick (issued, or the stall reason), in the order of the stacked bars.
_STALLS = ["issued", "unit busy", "LSU busy", "register", "load", "idle"]


def _axes(ax, width=9, height=4):
    if ax is not None:
        return ax
    pyplot = need("matplotlib.pyplot")
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def speedups(frame, source=None, ax=None, value="speedup", base=1.0):
    """Draws the result of castor.speedups as bars from the base line, with 95 % intervals. The first column of `frame`
    gives the groups of bars, the second the systems. `source`: {(group, system): figure}, drawn as diamonds."""
    ax = _axes(ax, width=max(7, 0.25 * len(frame) + 3))
    group_column, system_column = frame.columns[:2]
    groups, systems = list(frame[group_column].unique()), list(frame[system_column].unique())
    width = 0.84 / max(1, len(systems))
    low = high = base
    for index, system in enumerate(systems):
        part = frame[frame[system_column] == system].set_index(group_column)
        at = {group: i + (index - (len(systems) - 1) / 2) * width for i, group in enumerate(groups)}
        values = [part.loc[group, value] if group in part.index else math.nan for group in groups]
        ends = [part.loc[group, "confidence"] if group in part.index else math.nan for group in groups]
        places = [at[group] for group in groups]
        ax.bar(places, [v - base for v in values], width * 0.9, bottom=base, label=system, zorder=2)
        known = [bar for bar in zip(places, values, ends) if math.isfinite(bar[2])]  # a single input has no interval
        if known:
            x, y, half = zip(*known)
            ax.errorbar(x, y, yerr=half, fmt="none", ecolor="#404040", elinewidth=1, capsize=2, zorder=3)
        marks = [(at[g], source[g, system]) for g in groups if source and (g, system) in source]
        if marks:
            ax.scatter(*zip(*marks), marker="D", s=28, facecolor="white", edgecolor="black", zorder=4)
        shown = [v for v in [*values, *(y for _, y in marks)] if math.isfinite(v)]
        low, high = min([low, *shown]), max([high, *shown])
    span = (high - low) or 0.01
    # Intervals that would compress the bars too much are cut off.
    bottom, top = ax.get_ylim()
    ax.set_ylim(max(bottom, low - 0.6 * span), min(top, high + 0.6 * span))
    ax.axhline(base, color="black", linewidth=0.8, zorder=3)
    ax.set_xticks(range(len(groups)), groups, rotation=-30 if len(groups) > 8 else 0)
    ax.set_ylabel(value)
    ax.grid(axis="y", color="#dddddd", zorder=0)
    if source:
        ax.scatter([], [], marker="D", s=28, facecolor="white", edgecolor="black", label="source")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def stalls(reports, ax=None):
    """Draws the results of scheduler ticks (issued, or the stall reason) in percent, as stacked bars. `reports`: a
    report, or {name: report} for a bar per report."""
    if isinstance(reports, Report):
        reports = {reports.machine: reports}
    ax = _axes(ax, height=1.2 + 0.5 * len(reports))
    left = [0.0] * len(reports)
    shares = [one.stalls() for one in reports.values()]
    for name in _STALLS:
        values = [100 * one[name] for one in shares]
        ax.barh(list(reports), values, left=left, label=name, color="#d0d0d0" if name == "idle" else None)
        left = [a + b for a, b in zip(left, values)]
    ax.set_xlim(0, 100)
    ax.invert_yaxis()
    ax.set_xlabel("% of scheduler ticks")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def readable(names):
    """Returns {name: readable name}, demangled by c++filt if it is installed. Leading "_" are removed, because
    legends omit such names."""
    names = list(names)
    try:
        done = subprocess.run(["c++filt", "-p"], input="\n".join(names), capture_output=True, text=True, check=True)
        plain = done.stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        plain = names
    return {name: text.lstrip("_") for name, text in zip(names, plain)}


def timeline(time, ax=None):
    """Draws kernels by queue and copies by engine over simulated time."""
    ax = _axes(ax, height=3)
    lanes = []
    for frame, column, colours in (
        (time.kernels, "queue", [f"C{i}" for i in range(10)]),
        (time.copies, "engine", ["#909090", "#c0c0c0", "#606060"]),
    ):
        if frame.empty:
            continue
        texts = readable(frame["name"].unique())
        names = list(texts)
        for lane, group in frame.groupby(column, sort=True):
            for name, part in group.groupby("name", sort=False):
                spans = list(zip(part["start_us"], part["duration_us"]))
                colour = colours[names.index(name) % len(colours)]
                ax.broken_barh(spans, (len(lanes) - 0.4, 0.8), facecolor=colour, label=texts[name])
            lanes.append(lane)
    ax.set_yticks(range(len(lanes)), lanes)
    ax.invert_yaxis()
    ax.set_xlabel("us")
    ax.grid(axis="x", color="#dddddd", zorder=0)
    ax.set_axisbelow(True)
    handles = {}
    for handle, name in zip(*ax.get_legend_handles_labels()):
        handles.setdefault(name, handle)
    ax.legend(handles.values(), handles, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def occupancy(time, ax=None):
    """Draws a heat map of the resident thread blocks of every SM over simulated time."""
    ax = _axes(ax)
    windows = time.windows
    table = windows.pivot(index="sm", columns="start_us", values="resident")
    edges = list(table.columns)
    edges.append(edges[-1] + (edges[-1] - edges[-2] if len(edges) > 1 else 1))
    rows = [sm - 0.5 for sm in table.index] + [table.index[-1] + 0.5]
    drawn = ax.pcolormesh(edges, rows, table.to_numpy(), cmap="viridis", vmin=0)
    ax.figure.colorbar(drawn, ax=ax, label="resident thread blocks")
    ax.set_xlabel("us")
    ax.set_ylabel("SM")
    return ax


def windows(time, ax=None):
    """Draws the results of all scheduler ticks (issued, or the stall reason) over simulated time, in percent."""
    ax = _axes(ax)
    columns = ["issued", "compute_pipe", "memory_pipe", "raw", "raw_memory", "idle"]
    table = time.windows.groupby("start_us")[columns].sum()
    total = table.sum(axis=1)
    shares = 100 * table.div(total.where(total > 0), axis=0).fillna(0)
    colours = ["C0", "C1", "C2", "C3", "C4", "#d0d0d0"]
    ax.stackplot(shares.index, shares.to_numpy().T, labels=_STALLS, colors=colours, step="post")
    ax.set_ylim(0, 100)
    ax.set_xlabel("us")
    ax.set_ylabel("% of scheduler ticks")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def scatter(frame, x, y, by=None, label=None, ax=None):
    """Draws a point for each row of `frame`. `by`: column that selects the colour; `label`: column with the text."""
    ax = _axes(ax, width=7)
    for name, part in frame.groupby(by, sort=False) if by else [(None, frame)]:
        ax.scatter(part[x], part[y], label=name, zorder=2)
        for _, row in part.iterrows() if label else ():
            ax.annotate(str(row[label]), (row[x], row[y]), textcoords="offset points", xytext=(4, 4), fontsize=8)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(color="#dddddd", zorder=0)
    if by:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax
