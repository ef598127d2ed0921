"""castor coverage: reports which lines of a block's RTL its stimulus sequences execute, and which bits toggle.

Verilator counts two types of points: branches of processes (line), and bits of signals that change (toggle).
"""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cosim, rtl_object, tools, tree
from .errors import WrongRequest

#: Page of a point in Verilator's coverage data -> type of the point.
_KINDS = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle"}


def add_arguments(parser):
    parser.add_argument("block", help="block")
    parser.add_argument("--params", metavar="SET", default="odd", help="parameter set (default: %(default)s)")
    parser.add_argument(
        "--cycles", metavar="C", type=int, default=20000, help="cycles of each run (default: %(default)s)"
    )
    parser.add_argument(
        "--runs", metavar="R", type=int, default=1, help="seeds for every sequence of the block (default: %(default)s)"
    )
    parser.add_argument("--missing", action="store_true", help="also list lines and toggles that were not covered")


def run(options, progress):
    """Runs the command. Returns the exit code."""
    if options.cycles < 1 or options.runs < 1:
        raise WrongRequest("--cycles and --runs must be at least 1")
    block = tree.find(options.root, options.block)
    values = block.parameters(options.params)
    work = (Path(options.work) / block.name / f"coverage-{options.params}").resolve()
    work.mkdir(parents=True, exist_ok=True)
    for old in work.glob("*.dat"):
        old.unlink()
    began = time.monotonic()
    progress.say("building RTL with counters")
    harness = cosim.Harness(block, cosim.build(block, values, coverage=True))
    names = harness.sequences(work)
    plan = [(name, seed) for seed in range(1, options.runs + 1) for name in names]
    left = len(plan)

    def one(what):
        nonlocal left
        sequence, seed = what
        data = work / f"{sequence}-{seed}.dat"
        result = harness.run(
            work / f"{sequence}-{seed}.log", options.params, options.cycles, sequence, seed, "--coverage", data
        )
        if result.code != 0 or not data.exists():
            raise WrongRequest(
                f"lockstep fails, sequence {sequence}, seed {seed}", f"log: {work / f'{sequence}-{seed}.log'}"
            )
        left -= 1
        progress.say(f"{left} runs to go")
        return read(data.read_text(errors="replace"))

    points = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for counts in pool.map(one, plan):
            for point, count in counts.items():
                points[point] = points.get(point, 0) + count
    sources = set(block.sources)
    links = rtl_object.links(harness.rtl)
    points = {
        (kind, tools.with_originals(file, links), line, name): count
        for (kind, file, line, name), count in points.items()
    }
    points = {point: count for point, count in points.items() if Path(point[1]).resolve() in sources}
    if not points:
        raise WrongRequest(f"the runs recorded no coverage of {block.folder}", f"logs in {work}")
    table = shares(points)
    progress.line(
        f"{block.name}, set {options.params}: {len(plan)} runs of {options.cycles} cycles, "
        f"{time.monotonic() - began:.0f} s"
    )
    width = max(len(name) for name in table)
    for name, row in table.items():
        progress.line(
            f"  {name:<{width}}  " + "   ".join(f"{kind} {text_of(*row[kind])}" for kind in ("line", "toggle"))
        )
    if options.missing:
        for kind, file, line, name in sorted(point for point, count in points.items() if count == 0):
            progress.line(f"  not reached: {kind:<6} {Path(file).name}:{line} {name}")
    if options.json:
        tree.write_json(
            options.json,
            {
                "command": options.command,
                "tools": {"verilator": tools.version("verilator")},
                "block": block.name,
                "set": options.params,
                "files": {
                    name: {kind: dict(zip(("reached", "points"), row[kind])) for kind in row}
                    for name, row in table.items()
                },
                "missing": [list(point) for point, count in sorted(points.items()) if count == 0],
            },
        )
    return 0


def read(text):
    """Parses Verilator's coverage data. Returns {(kind, file, line, name): count}, summed over the instances of a
    module."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"C '(.*)' (\d+)", line)
        if not match:
            continue
        words = dict(item.split("\x02", 1) for item in match.group(1).split("\x01") if "\x02" in item)
        kind = _KINDS.get(words.get("page", "").split("/")[0])
        if kind:
            # Several branches on one line differ in their column.
            name = words.get("o", "") + (f" at column {words.get('n', '')}" if kind == "line" else "")
            key = (kind, words.get("f", ""), int(words.get("l", 0)), name)
            found[key] = found.get(key, 0) + int(match.group(2))
    return found


def shares(points):
    """Returns {file name: {kind: (points reached, points)}}, sorted by name, with the sum as "all" at the end."""
    table = {}
    for (kind, file, _, _), count in sorted(points.items(), key=lambda item: Path(item[0][1]).name):
        for name in (Path(file).name, "all"):
            row = table.setdefault(name, {"line": (0, 0), "toggle": (0, 0)})
            reached, known = row[kind]
            row[kind] = (reached + (count > 0), known + 1)
    table["all"] = table.pop("all")
    return table


def text_of(reached, known):
    """Returns the text "REACHED of KNOWN (PERCENT %)" with a fixed width."""
    return f"{reached:>6} of {known:>6} ({100 * reached / known:5.1f} %)" if known else f"{'none':>6}" + " " * 21
