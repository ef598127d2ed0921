#!/usr/bin/env python3
"""Reads the files of castor run and castor experiment, prints the main figures and draws the usual pictures.

look.py --report run.json --timeline run-timeline.json --experiment castor-saws --out pictures

Every input is optional. The first commands of docs/guides/python.md create all of them.
"""

import argparse
import sys
from pathlib import Path

import castor


def look_at_run(path, save):
    run = castor.report(path)
    print(run)
    print(run.kernels[["name", "cycles", "thread_blocks", "warp_instructions", "ipc"]].to_string(index=False))
    print(run.ratios.loc[["ipc", "active_lanes", "occupancy"], ["value", "meaning"]].to_string())
    save(castor.plot.stalls(run), "stalls")


def look_at_timeline(path, save):
    time = castor.timeline(path)
    print(time)
    print(time.thread_blocks.groupby("name")["cycles"].describe()[["count", "mean", "min", "max"]].to_string())
    save(castor.plot.timeline(time), "timeline")
    save(castor.plot.occupancy(time), "occupancy")
    save(castor.plot.windows(time), "windows")


def look_at_experiment(path, save):
    runs = castor.experiment(path)
    gains = castor.speedups(runs, "policy", "GTO", ["program"])
    print(gains.round(3).to_string(index=False))
    save(castor.plot.speedups(gains), "speedups")
    save(castor.plot.scatter(runs, "barrier_wait", "cycles", by="policy", label="program"), "scatter")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", help="file that castor run --report wrote")
    parser.add_argument("--timeline", help="file that castor run --timeline wrote")
    parser.add_argument("--experiment", help="folder of castor experiment saws")
    parser.add_argument("--out", default="pictures", help="folder for the pictures (default: pictures)")
    options = parser.parse_args()
    folder = Path(options.out)

    def save(axes, name):
        folder.mkdir(parents=True, exist_ok=True)
        axes.figure.savefig(folder / f"{name}.svg")
        axes.figure.savefig(folder / f"{name}.png", dpi=110)

    if options.report:
        look_at_run(options.report, save)
    if options.timeline:
        look_at_timeline(options.timeline, save)
    if options.experiment:
        look_at_experiment(options.experiment, save)


if __name__ == "__main__":
    try:
        main()
    except (castor.MissingPackage, castor.BadFile, OSError) as error:
        sys.exit(f"look.py: {error}")
