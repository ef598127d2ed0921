"""castor evidence: runs rungs of a block's verification ladder and records the figures, with sources and tool versions.

A rung is a type of verification: unit, lockstep, cover, formal, netlist, mutation, platform, area. The ladder of a
block is tb/<block>/rungs.json: {"rung": ["command", ...], ...}. Commands are `castor ...` of these flows, `castor cosim
...`, `castor run ...` and `ctest -R PATTERN`. The figure of a rung is always computed from the output of its commands.
"""

import datetime
import json
import re
import resource
import shlex
import time
from pathlib import Path

from . import due, installation, sources, tools, tree
from .errors import WrongRequest

#: Limit of a command, in seconds of CPU time.
_SECONDS = 4 * 3600

#: States of a rung. OK: the figure was measured on the present sources. STALE: it was measured on other sources.
#: DUE: the rung is stale or missing, and docs/campaign.md lists it. MISSING: no figure is recorded. RECORDED: a figure
#: is recorded, but the sources are not available for a comparison.
OK, STALE, DUE, MISSING, RECORDED = "ok", "stale", "due", "missing", "recorded"


def add_arguments(parser):
    parser.add_argument("block", nargs="?", help="block (required to run rungs; otherwise default: all blocks)")
    parser.add_argument("rungs", nargs="*", metavar="RUNG", help=f"rungs (default: all): {', '.join(sources.RUNGS)}")
    parser.add_argument("--due", action="store_true", help="run every rung that is stale or missing, cheapest first")
    parser.add_argument(
        "--parts", metavar="MINUTES", type=float, help="with --due: stop after the rungs that together take this long"
    )
    parser.add_argument(
        "--plan", action="store_true", help="with --due: run nothing, print how --parts divides the rungs"
    )
    parser.add_argument(
        "--check", action="store_true", help="fail if a rung is stale or missing and not listed as due, or the reverse"
    )
    parser.add_argument(
        "--due-list", metavar="FILE", type=Path, help="file with the table of due rungs (default: docs/campaign.md)"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="run nothing: list the files behind each digest and which of them changed since the record",
    )
    parser.add_argument("--states", action="store_true", help="run nothing: print the state of each rung as JSON")


def run(options, progress):
    """Runs the command. Returns the exit code: 1 if a check failed or a command of a rung failed. No figure is recorded
    for a rung that failed."""
    if options.states and not options.block:
        due.print_states(tree.readable_blocks(options.root), options.due_list)
        return 0
    names = [options.block] if options.block else tree.blocks(options.root)
    every = [tree.find(options.root, name) for name in names]
    chosen = [tree.choose("rung", rung, list(sources.RUNGS)) for rung in options.rungs]
    if options.states:
        due.print_states(every, options.due_list)
        return 0
    if options.check:
        return due.check(every, options.due_list, progress)
    if options.due:
        return due.work_off(every, options, progress)
    if not options.block:
        raise WrongRequest("a block is required", "castor evidence saws lockstep")
    if options.explain:
        return due.explain(every[0], chosen, progress)
    code = 0
    for rung in chosen or list(read_plan(every[0])):
        code = max(code, record(every[0], rung, options, progress))
    return code


def record(block, rung, options, progress):
    """Runs one rung and records its figure. Returns the exit code. Raises WrongRequest if tb/<block>/rungs.json does
    not have the rung, or if a file on which the figure depends has uncommitted changes."""
    if block.manifest is None or "evidence" not in block.manifest:
        raise WrongRequest(
            f"{block.name} has no file of evidence",
            "castor_block names it: EVIDENCE, default docs/blocks/NAME.evidence.json",
        )
    plan = read_plan(block)
    if rung not in plan:
        raise WrongRequest(f"{block.bench / 'rungs.json'} has no commands for rung '{rung}'")
    measured_on = commit(block, rung, plan[rung])
    before = sources.digest(block, rung, plan[rung])
    work = (Path(options.work) / block.name / f"evidence-{rung}").resolve()
    began, used = time.monotonic(), _cpu_seconds()
    figure = climb(block, rung, plan[rung], work, progress)
    if figure is None:
        return 1
    if sources.digest(block, rung, plan[rung]) != before:
        raise WrongRequest(f"sources of {block.name} changed while its rung {rung} ran", "run it again")
    cost = {"seconds": round(time.monotonic() - began), "cpu_seconds": round(_cpu_seconds() - used)}
    write(block, rung, plan[rung], figure, measured_on, cost)
    due.strike(block, rung, options.due_list)
    progress.line(f"{block.name} {rung}: {figure}")
    return 0


def _cpu_seconds():
    """Returns the CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_plan(block):
    """Returns {rung: commands} of tb/<block>/rungs.json. Raises WrongRequest if the file is not of that form."""
    path = block.bench / "rungs.json"
    try:
        plan = json.loads(tree.read_text(path))
        good = isinstance(plan, dict) and all(
            rung in sources.RUNGS and lines and all(isinstance(line, str) for line in lines)
            for rung, lines in plan.items()
        )
    except (ValueError, TypeError):
        good = False
    if not good:
        raise WrongRequest(f'{path}: not of the form {{"rung": ["command", ...]}}, rungs {", ".join(sources.RUNGS)}')
    return plan


def climb(block, rung, lines, work, progress):
    """Runs the commands `lines` of the rung. Returns the figure as text, or None if a command failed."""
    parts = []
    for number, line in enumerate(lines):
        words = shlex.split(line)
        flow = words[1] if words[0] == "castor" and len(words) > 1 else words[0]
        if flow not in _FIGURES:
            raise WrongRequest(f"'{line}': this command is of no rung", f"commands of rungs: {', '.join(_FIGURES)}")
        log, data = work / f"{number}.log", work / f"{number}.json"
        data.unlink(missing_ok=True)
        if words[0] == "castor":
            words[0] = installation.find().program()
            if flow == "run":
                words[2:2] = ["--report", data]
            elif flow != "cosim":
                words += ["--json", data, "--work", work / "flow"]
        elif words[0] == "ctest":
            words[1:1] = ["--test-dir", installation.find().prefix, "--no-tests=error", "-V"]
        progress.say(f"{block.name} {rung}: {line}")
        result = tools.run(words, log, _SECONDS, cwd=block.root)
        if result.code != 0:
            progress.line(f"{block.name} {rung}: FAILED: {line}, log: {log}")
            return None
        parts.append((flow, result.output, json.loads(data.read_text()) if data.exists() else None))
    # All commands of one flow give one part of the figure.
    texts = []
    for flow in dict.fromkeys(flow for flow, _, _ in parts):
        text = _FIGURES[flow]([(output, data) for kind, output, data in parts if kind == flow])
        if text is None:
            progress.line(f"{block.name} {rung}: FAILED: what {flow} printed says nothing, logs: {work}")
            return None
        texts.append(text)
    return "; ".join(texts)


def write(block, rung, lines, figure, measured_on, cost):
    """Writes a figure to the block's record, with command, date, commit, cost in seconds, tool versions and a digest of
    the sources."""
    content = read_record(block)
    content[rung] = {
        "figure": figure,
        "command": command_of(lines),
        "date": datetime.date.today().isoformat(),
        "commit": measured_on,
        **cost,
        "tools": {tool: sources.version_of(block, tool) for tool in sources.tool_names(rung, lines)},
        "sources": sources.digest(block, rung, lines),
    }
    tree.write_json(block.manifest["evidence"], content)


def read_record(block):
    """Returns {rung: record} of the block's evidence file; an empty dictionary without a file. Raises WrongRequest if
    the file is not JSON."""
    path = block.manifest.get("evidence") if block.manifest else None
    if path is None or not path.exists():
        return {}
    try:
        return json.loads(tree.read_text(path))
    except ValueError:
        raise WrongRequest(f"{path}: not JSON") from None


def command_of(lines):
    """Returns the commands of a rung as one shell command line."""
    return " && ".join(lines)


def commit(block, rung, lines):
    """Returns the commit of the repository that holds the block's record; "" if the record is not under version
    control. Raises WrongRequest if a file on which the figure depends has uncommitted changes."""
    path = block.manifest["evidence"]
    top = top_of(block)
    head = tools.head_of(path.parent)
    if not top or not head or tools.git(path.parent, "check-ignore", "--", path.name):
        return ""
    found = sources.files(block, rung, lines) or {}
    names = [one for one, _, _ in found.values() if one.resolve().is_relative_to(Path(top).resolve())]
    changed = tools.uncommitted(top, names)
    if changed:
        raise WrongRequest(
            f"{block.name} {rung}: files on which the figure depends have changes that are not committed: "
            + ", ".join(changed),
            "a record names the commit that was measured",
        )
    return head


def top_of(block):
    """Returns the root folder of the repository that holds the block's record; "" if it is in no repository."""
    return tools.git(block.manifest["evidence"].parent, "rev-parse", "--show-toplevel")


def reasons(block, rung, entry, plan, view=None):
    """Returns the reasons why the recorded figure `entry` of the rung is stale, a line each; an empty list if it is
    fresh; None for an installed block, whose sources are not available."""
    lines = plan.get(rung, [])
    now = sources.digest(block, rung, lines, view)
    if now is None:
        return None
    found = []
    if entry.get("command") != command_of(lines):
        found.append("the command is another")
    then = entry.get("sources")
    if not isinstance(then, dict):
        found.append("its sources were never recorded")
    else:
        found += [
            f"{room}: {now.get(room, 'none')}, recorded: {then.get(room, 'none')}"
            for room in sources.ROOMS
            if now.get(room) != then.get(room)
        ]
    known = entry.get("tools", {})
    for tool in sources.tool_names(rung, lines):
        version = sources.version_of(block, tool)
        if version and version != known.get(tool):
            found.append(f"{tool}: {version}, recorded: {known.get(tool, 'none')}")
    if sources.takes_recorded_proofs(lines):
        for tool, versions in sources.tools_of_proofs(block).items():
            version = sources.version_of(block, tool)
            if version and versions != {version}:
                found.append(f"{tool}: {version}, proofs.json: {', '.join(sorted(versions))}")
    return found


def state(block, rung, content, plan, view=None):
    """Returns the state of a rung: OK, STALE, MISSING or RECORDED; None if the rung is neither planned nor recorded.
    `view`: a sources.WorkingTree that several calls share, so that each file is read once."""
    if rung not in content:
        return MISSING if rung in plan else None
    why = reasons(block, rung, content[rung], plan, view)
    return RECORDED if why is None else STALE if why else OK


def count_text(number):
    """Returns a number as text: 1234567 as 1.2 million, 12345 as 12,345."""
    return f"{number / 1e6:.1f} million" if number >= 1e6 else f"{number:,}"


def _sum(pattern, parts):
    """Adds up the groups of all matches of `pattern` in the outputs `parts`. Returns a list with the sum of each group,
    or None if there is no match."""
    found = re.findall(pattern, _text(parts), re.MULTILINE)
    return [sum(int(one[i]) for one in found) for i in range(len(found[0]))] if found else None


def _text(parts):
    return "\n".join(output for output, _ in parts)


def _cosim(parts):
    runs = _sum(r"^\w+: (\d+) runs, (\d+) cycles, (\d+) failed$", parts)
    single = _sum(r"seed \d+: (\d+) cycles, .* (\d+) of (\d+) cover points", parts)
    texts = []
    if runs:
        texts.append(f"{runs[2]} of {runs[0]} runs with a mismatch, {count_text(runs[1])} cycles")
    # `castor cosim --all` prints a line of the second form for each of its runs, too.
    if single and not runs:
        texts.append(f"0 mismatches in {count_text(single[0])} cycles, {single[1]} of {single[2]} cover points")
    return "; ".join(texts) or None


def _coverage(parts):
    texts = []
    for _, data in parts:
        line, toggle = data["files"]["all"]["line"], data["files"]["all"]["toggle"]
        texts.append(
            f"RTL at the set {data['set']}: {_share(line['reached'], line['points'])} of {line['points']:,} branches, "
            f"{_share(toggle['reached'], toggle['points'])} of {toggle['points']:,} bits toggle"
        )
    return "; ".join(texts)


def _share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _prove(parts):
    texts = []
    for _, data in parts:
        asserts = [one for one in data["properties"] if one["kind"] == "assert"]
        covers = [one for one in data["properties"] if one["kind"] == "cover"]
        proven = sum(one["result"] == "proven" for one in asserts)
        reached = sum(one["result"] == "reached" for one in covers)
        text = f"{len(asserts)} assertions at the set {data['set']}: {proven} proven without bound"
        text += _others(asserts, "proven")
        texts.append(text + f"; {reached} of {len(covers)} covers reached" + _others(covers, "reached"))
    return "; ".join(texts)


def _others(properties, good):
    """Returns the text ", N RESULT" for each result other than `good`. For bounded properties it adds the number of
    cycles."""
    text = ""
    for result in sorted({one["result"] for one in properties} - {good}):
        depths = [one.get("depth") for one in properties if one["result"] == result]
        text += f", {len(depths)} {result}"
        if result == "bounded" and None not in depths:
            least, most = min(depths), max(depths)
            text += f" (no counterexample in {least if least == most else f'{least} to {most}'} cycles)"
    return text


def _netlist(parts):
    found = re.findall(r", seed \d+, (\d+) cycles: no difference$", _text(parts), re.MULTILINE)
    if not found:
        return None
    sets = ", ".join(dict.fromkeys(data["set"] for _, data in parts))
    cycles = count_text(sum(map(int, found)))
    return f"0 mismatches in {cycles} cycles at the set {sets}: {len(found)} runs, outputs compared"


def _mutate(parts):
    texts = []
    for _, data in parts:
        counted, far = data["killed"] + data["survived"], data.get("out_of_reach", 0)
        texts.append(
            f"{_share(data['killed'], counted)} killed: {data['killed']} of {counted} at the set {data['set']}"
            f"{', mutants of widths and constants' if data.get('widths') else ''}; "
            f"{data['equivalent']} of {counted + data['equivalent'] + far} mutants proven equivalent"
            + (f", {far} out of reach of a run" if far else "")
        )
    return "; ".join(texts)


def _area(parts):
    texts = []
    for _, data in parts:
        for one in data["results"]:
            period = f", {one['period_ns']:.1f} ns" if "period_ns" in one else ""
            texts.append(f"{one['set']} {one['kge']:.1f} kGE, {one['flops']:,} flops{period}")
    return "; ".join(texts)


def _run(parts):
    """Returns the figure of `castor run` commands. All runs of a rung must have equal statistics, for example with a
    block as model and as RTL; otherwise returns None."""
    reports = [data for _, data in parts]
    if len({report["statistics_hash"] for report in reports}) != 1:
        return None
    runs = f"{len(reports)} runs with equal statistics" if len(reports) > 1 else "1 run"
    return f"{reports[0]['machine']}: {runs}, {count_text(reports[0]['cycles'])} cycles"


def _ctest(parts):
    tests = _sum(r"^\d+% tests passed, (\d+) tests failed out of (\d+)$", parts)
    if not tests:
        return None
    said = dict.fromkeys(re.findall(r"^\d+: evidence: (.*)$", _text(parts), re.MULTILINE))
    return "; ".join([f"{tests[1]} tests passed", *said])


_FIGURES = {
    "cosim": _cosim,
    "coverage": _coverage,
    "prove": _prove,
    "netlist": _netlist,
    "mutate": _mutate,
    "area": _area,
    "run": _run,
    "ctest": _ctest,
}
