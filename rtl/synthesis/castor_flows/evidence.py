"""castor evidence: climbs rungs of a block's ladder and records what was measured, with what, on which sources.

tb/<block>/rungs.json says how far: {"rung": ["command", ...], ...}. Its commands are `castor ...` of these flows,
`castor cosim ...`, `castor run ...` and `ctest -R PATTERN`. A figure is made of what they print, never typed.
"""

import datetime
import json
import re
import shlex
import subprocess
from pathlib import Path

from . import installation, sources, tools, tree
from .errors import WrongRequest

#: What a command may take.
_SECONDS = 4 * 3600

#: Tools whose versions are recorded, by the flow that uses them.
_TOOLS = {
    "cosim": ("verilator",),
    "coverage": ("verilator",),
    "prove": ("yosys", "berkeley-abc", "z3"),
    "netlist": ("yosys", "berkeley-abc", "verilator"),
    "mutate": ("yosys", "berkeley-abc", "verilator"),
    "area": ("yosys", "berkeley-abc", "sta"),
    "run": (),
}


def add_arguments(parser):
    parser.add_argument("block", nargs="?", help="block (with --stale: default all)")
    parser.add_argument("rungs", nargs="*", metavar="RUNG", help=f"rungs (default: all): {', '.join(sources.RUNGS)}")
    parser.add_argument(
        "--stale",
        action="store_true",
        help="run nothing: print as JSON the rungs of each block whose sources are not those recorded",
    )


def run(options, progress):
    """The command. Returns the exit code: 1 if a command of a rung failed, of which nothing is recorded."""
    if options.stale:
        names = [options.block] if options.block else tree.blocks(options.root)
        tree.write_json("-", {name: stale(tree.find(options.root, name)) for name in names})
        return 0
    if not options.block:
        raise WrongRequest("which block?", "castor evidence saws lockstep")
    block = tree.find(options.root, options.block)
    if block.manifest is None or "evidence" not in block.manifest:
        raise WrongRequest(
            f"{block.name} has no file of evidence",
            "castor_block names it: EVIDENCE, default docs/blocks/NAME.evidence.json",
        )
    plan = read_plan(block)
    chosen = [tree.choose("rung", rung, list(sources.RUNGS)) for rung in options.rungs] or list(plan)
    code = 0
    for rung in chosen:
        if rung not in plan:
            raise WrongRequest(f"{block.bench / 'rungs.json'} does not say how to climb '{rung}'")
        work = (Path(options.work) / block.name / f"evidence-{rung}").resolve()
        figure = climb(block, rung, plan[rung], work, progress)
        if figure is None:
            code = 1
            continue
        write(block, rung, plan[rung], figure)
        progress.line(f"{block.name} {rung}: {figure}")
    return code


def read_plan(block):
    """{rung: commands} of tb/<block>/rungs.json. Raises WrongRequest if it is not of that form."""
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
    """Runs the rung's commands. Returns its figure, or None if one of them failed."""
    parts = []
    for number, line in enumerate(lines):
        words = shlex.split(line)
        flow = words[1] if words[0] == "castor" and len(words) > 1 else words[0]
        if flow not in _FIGURES:
            raise WrongRequest(f"'{line}': no rung is climbed by it", f"there are: {', '.join(_FIGURES)}")
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
    # Commands of one flow are one sentence.
    texts = []
    for flow in dict.fromkeys(flow for flow, _, _ in parts):
        text = _FIGURES[flow]([(output, data) for kind, output, data in parts if kind == flow])
        if text is None:
            progress.line(f"{block.name} {rung}: FAILED: what {flow} printed says nothing, logs: {work}")
            return None
        texts.append(text)
    return "; ".join(texts)


def write(block, rung, lines, figure):
    path = block.manifest["evidence"]
    content = json.loads(tree.read_text(path)) if path.exists() else {}
    flows = [shlex.split(line)[1] for line in lines if line.startswith("castor ")]
    used = dict.fromkeys(tool for flow in flows for tool in _TOOLS[flow])
    content[rung] = {
        "figure": figure,
        "command": command_of(lines),
        "date": datetime.date.today().isoformat(),
        "commit": commit(block.root, path),
        "tools": {tool: tools.version(tool) for tool in used},
        "sources": sources.digest(block, rung),
    }
    tree.write_json(path, content)


def command_of(lines):
    return " && ".join(lines)


def commit(root, record):
    """Of the tree at `root`, with a plus sign if files that it knows are changed, the file `record` aside; "" if it is
    none."""

    def git(*words):
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)

    head = git("rev-parse", "--short=12", "HEAD")
    if head.returncode != 0:
        return ""
    place = record.relative_to(root) if record.is_relative_to(root) else record.name
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", f":(exclude){place}")
    return head.stdout.strip() + ("+" if changed.stdout else "")


def stale(block):
    """Rungs whose figures were measured with other sources or commands, or with none that is known; none for installed
    blocks."""
    path = block.manifest.get("evidence") if block.manifest else None
    if path is None or not path.exists():
        return []
    try:
        content = json.loads(tree.read_text(path))
    except ValueError:
        raise WrongRequest(f"{path}: not JSON") from None
    plan = read_plan(block)
    found = []
    for rung in sources.RUNGS:
        now = sources.digest(block, rung)
        if rung not in content or now is None:
            continue
        if content[rung].get("sources") != now or content[rung].get("command") != command_of(plan.get(rung, [])):
            found.append(rung)
    return found


def count_text(number):
    """1234567 -> 1.2 million, 12345 -> 12,345."""
    return f"{number / 1e6:.1f} million" if number >= 1e6 else f"{number:,}"


def _sum(pattern, parts):
    """Groups of all matches in the texts, added up; None if there is no match."""
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
    # `--all` prints a line like that for each of its runs.
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
        asserts = [one["result"] for one in data["properties"] if one["kind"] == "assert"]
        covers = [one["result"] for one in data["properties"] if one["kind"] == "cover"]
        text = f"{len(asserts)} assertions at the set {data['set']}: {asserts.count('proven')} proven without bound"
        rest = {result: asserts.count(result) for result in dict.fromkeys(asserts) if result != "proven"}
        text += "".join(f", {number} {result}" for result, number in sorted(rest.items()))
        texts.append(text + f"; {covers.count('reached')} of {len(covers)} covers reached")
    return "; ".join(texts)


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
        counted = data["killed"] + data["survived"]
        texts.append(
            f"{_share(data['killed'], counted)} killed: {data['killed']} of {counted} at the set {data['set']}; "
            f"{data['equivalent']} of {counted + data['equivalent']} mutants proven equivalent"
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
    """Runs of one rung are to agree: engines of a block, or a block that does what the machine does without it."""
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
