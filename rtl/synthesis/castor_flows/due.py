"""Finds rungs of the blocks' evidence that are due, plans and runs them in parts, and explains why a figure is stale.

A rung is a type of verification (unit, lockstep, formal, ...) whose measured figure is recorded. docs/campaign.md lists
due rungs in a table under the heading "Rungs due":

    | block | rung | since or why |
    |---|---|---|
    | saws | area | never measured on these sources |
"""

import json
import re
import subprocess
from pathlib import Path

from . import evidence, sources, tree
from .errors import WrongRequest

#: Assumed run time of a rung in seconds, if none is recorded.
_GUESSED = {
    "unit": 60,
    "lockstep": 120,
    "cover": 120,
    "formal": 60,
    "netlist": 600,
    "mutation": 3000,
    "platform": 120,
    "area": 900,
}

_HEADING = re.compile(r"^#+\s*rungs due\s*$", re.IGNORECASE)


# --- the page ---------------------------------------------------------------------------------------------------------


def page_of(block, path=None):
    """Returns the path of the page that lists due rungs: `path` if it is set, else docs/campaign.md of the block's
    tree."""
    return path or block.root / "docs" / "campaign.md"


def rows(text):
    """Returns [(line number, block, rung)] of the table in a page's text."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines()):
        if line.startswith("#"):
            inside = bool(_HEADING.match(line))
        elif inside and line.startswith("|"):
            cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
            if len(cells) >= 2 and cells[0] != "block" and not set(cells[0]) <= set("-: "):
                found.append((number, cells[0], cells[1]))
    return found


def listed(block, path=None):
    """Returns the rungs of the block that the page lists as due. Raises WrongRequest if `path` does not exist."""
    page = page_of(block, path)
    if path is None and not page.exists():
        return []
    return [rung for _, name, rung in rows(tree.read_text(page)) if name == block.name]


def strike(block, rung, path=None):
    """Removes a rung from the page, after its figure has been recorded."""
    page = page_of(block, path)
    if not page.exists():
        return
    lines = tree.read_text(page).splitlines(keepends=True)
    gone = {number for number, name, one in rows("".join(lines)) if (name, one) == (block.name, rung)}
    if gone:
        page.write_text("".join(line for number, line in enumerate(lines) if number not in gone), encoding="utf-8")


# --- states -----------------------------------------------------------------------------------------------------------


def states(block, path=None, view=None):
    """Returns {rung: state} of the rungs that are planned or recorded (evidence.state). The state of a stale or missing
    rung that the page lists is DUE."""
    content = evidence.read_record(block)
    installed = block.manifest is None or not block.manifest.get("sources")
    plan = {} if installed or not (block.bench / "rungs.json").exists() else evidence.read_plan(block)
    excused = [] if installed else listed(block, path)
    found, view = {}, view or sources.WorkingTree()
    for rung in sources.RUNGS:
        one = evidence.state(block, rung, content, plan, view)
        if one in (evidence.STALE, evidence.MISSING) and rung in excused:
            one = evidence.DUE
        if one is not None:
            found[rung] = one
    return found


def print_states(blocks, path=None):
    """Prints {"blocks": {block: {rung: state}}, "campaign": [part, ...]} as JSON, for `castor list blocks`."""
    view = sources.WorkingTree()
    found = {block.name: states(block, path, view) for block in blocks}
    tree.write_json("-", {"blocks": found, "campaign": campaign_parts(blocks)})


def campaign_parts(blocks):
    """Returns [{"part": ..., "result": ..., "date": ..., "commit": ..., ...}]: the parts of the long test campaign
    (tests/campaign.sh) of the blocks' source tree, in the order of their dates."""
    for root in dict.fromkeys(block.root for block in blocks if block.manifest and block.manifest.get("sources")):
        path = root / "tests" / "campaign.json"
        if path.exists():
            try:
                told = [{"part": name, **one} for name, one in json.loads(tree.read_text(path)).items()]
            except (ValueError, TypeError, AttributeError):
                raise WrongRequest(f"{path}: not as tests/campaign.sh writes it") from None
            return sorted(told, key=lambda one: one.get("date", ""))
    return []


def check(blocks, path, progress):
    """Prints rungs whose state does not fit the page. Returns exit code 1 if a stale or missing rung is not listed as
    due, if a fresh rung is listed, if a listed block does not exist, or if there is no rung at all."""
    wrong, fresh, excused = [], 0, 0
    view = sources.WorkingTree()
    for block in blocks:
        found = states(block, path, view)
        wrong += [f"{block.name} {rung}: {one}" for rung, one in found.items() if one in ("stale", "missing")]
        wrong += [
            f"{block.name} {rung}: listed as due, but it is {found.get(rung, 'not planned')}"
            for rung in listed(block, path)
            if found.get(rung) != evidence.DUE
        ]
        fresh += sum(one == evidence.OK for one in found.values())
        excused += sum(one == evidence.DUE for one in found.values())
    if blocks and page_of(blocks[0], path).exists() and len(blocks) == len(tree.blocks()):
        known = {block.name for block in blocks}
        wrong += [
            f"{name} {rung}: listed as due, but there is no such block"
            for _, name, rung in rows(tree.read_text(page_of(blocks[0], path)))
            if name not in known
        ]
    for line in wrong:
        progress.line(line)
    progress.line(f"{fresh} rungs fresh, {excused} due as listed, {len(wrong)} wrong")
    return 1 if wrong or not fresh + excused else 0


# --- working off ------------------------------------------------------------------------------------------------------


def seconds_of(content, rung):
    """Returns the expected run time of a rung in seconds: as recorded, else the assumed one."""
    return content.get(rung, {}).get("seconds") or _GUESSED[rung]


def parts_of(todo, minutes):
    """Splits the rungs `todo`, cheapest first, into parts of at most `minutes`. A rung that takes longer is a part of
    its own. Returns [[(block, rung, seconds), ...], ...]."""
    parts, left = [], 0
    for one in sorted(todo, key=lambda one: one[2]):
        if not parts or one[2] > left:
            parts.append([])
            left = minutes * 60
        parts[-1].append(one)
        left -= one[2]
    return parts


def work_off(blocks, options, progress):
    """Measures all rungs that are stale or missing or, with --parts, those of the first part. Each figure is recorded
    at once, so after an interruption the next call resumes. Returns exit code 1 if a rung failed."""
    todo = []
    for block in blocks:
        content = evidence.read_record(block)
        for rung, one in states(block, options.due_list).items():
            if one not in (evidence.OK, evidence.RECORDED) and (not options.rungs or rung in options.rungs):
                todo.append((block, rung, seconds_of(content, rung)))
    parts = parts_of(todo, options.parts or 60)
    if options.plan:
        for number, part in enumerate(parts, 1):
            progress.line(f"part {number}: {sum(seconds for _, _, seconds in part)} s")
            for block, rung, seconds in part:
                progress.line(f"  {block.name} {rung} {seconds} s")
        progress.line(f"{len(todo)} rungs in {len(parts)} parts")
        return 0
    failed = 0
    chosen = parts[:1] if options.parts else parts
    for block, rung, _ in (one for part in chosen for one in part):
        failed += evidence.record(block, rung, options, progress) != 0
    left = len(todo) - sum(map(len, chosen))
    progress.line(f"{sum(map(len, chosen)) - failed} rungs recorded, {failed} failed, {left} for later parts")
    return 1 if failed else 0


# --- why --------------------------------------------------------------------------------------------------------------


def explain(block, rungs, progress):
    """Prints the files and tools on which each rung's figure depends, and their changes since it was recorded."""
    plan, content = evidence.read_plan(block), evidence.read_record(block)
    for rung in rungs or list(plan):
        lines, entry = plan.get(rung, []), content.get(rung)
        found = sources.files(block, rung, lines)
        if found is None:
            raise WrongRequest(f"{block.name} is installed: its sources are elsewhere")
        progress.line(f"{block.name} {rung}: {evidence.command_of(lines)}")
        why = [] if entry is None else evidence.reasons(block, rung, entry, plan)
        if entry is None:
            progress.line("  never recorded")
        else:
            at = f"recorded {entry.get('date')} at {entry.get('commit') or 'no commit'}"
            progress.line(f"  {at}: {'stale' if why else 'fresh'}")
        for line in why:
            progress.line(f"  changed: {line}")
        then = _files_then(block, rung, lines, entry) if why else None
        if why and then is None:
            progress.line("  which files changed is not known: the recorded commit is not in this repository")
        for room, counted in sources.digest(block, rung, lines).items():
            progress.line(f"  {room}: {counted}")
            for name, (_, _, one) in ((name, file) for name, file in found.items() if file[1] == room):
                was = None if then is None else then.get(name)
                mark = "" if then is None or was == one else "  new" if was is None else f"  changed, was {was}"
                progress.line(f"    {one} {name}{mark}")
        for name in sorted(set(then or ()) - set(found)):
            progress.line(f"    {then[name]} {name}  gone")
        for tool in sources.tool_names(rung, lines):
            progress.line(f"  {tool}: {sources.version_of(block, tool) or 'not installed'}")
    return 0


def _files_then(block, rung, lines, entry):
    """Returns {name: digest} of the rung's files at the recorded commit; None if that commit is unknown."""
    top = evidence.top_of(block)
    at = entry.get("commit", "")
    if not top or not re.fullmatch(r"[0-9a-f]{7,40}", at):
        return None
    try:
        view = sources.Commit(Path(top), at)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name: one for name, (_, _, one) in sources.files(block, rung, lines, view).items()}
