"""Reads results of Castor into pandas frames, and draws the usual pictures of them.

    import castor

    run = castor.report("run.json")              # castor run --report run.json ...
    run.kernels, run.ratios, run.statistics      # frames
    time = castor.timeline("run-timeline.json")  # castor run --timeline run-timeline.json ...
    time.kernels, time.thread_blocks, time.windows
    castor.waves("run.vcd", ["gpu.sm0.resident"])
    runs = castor.experiment("castor-saws")      # castor experiment saws
    castor.plot.speedups(castor.speedups(runs, "policy", "GTO", ["program"]))

Frames need pandas, pictures also need matplotlib. If one is missing, a call raises MissingPackage, whose message says
what to install. docs/guides/python.md has more.
"""

from . import plot
from .compare import confidence, speedups
from .errors import BadFile, MissingPackage
from .experiments import experiment
from .reports import Report, report
from .timelines import Timeline, timeline
from .vcd import signals, waves

__all__ = [
    "BadFile",
    "MissingPackage",
    "Report",
    "Timeline",
    "confidence",
    "experiment",
    "plot",
    "report",
    "signals",
    "speedups",
    "timeline",
    "waves",
]
