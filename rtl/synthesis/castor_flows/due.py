"""Which rungs are due: planning them in parts, the page that lists them, and why a figure is stale.

docs/campaign.md has a table under the heading "Rungs due":

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

#: Seconds that a rung is taken to need if no record says what it took.
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
    """Where the page of the block's tree lies: `path`, else docs/campaign.md."""
    return path or block.root / "docs" / "campaign.md"


def rows(text):
    """[(number of the line, block, rung)] of the table of a page's text."""
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
    """Rungs of the block that its page lists as due. Raises WrongRequest if a page that was named is not there."""
    page = page_of(block, path)
    if path is None and not page.exists():
        return []
    return [rung for _, name, rung in rows(tree.read_text(page)) if name == block.name]


def strike(block, rung, path=None):
    """Takes a rung that was recorded off the page."""
    page = page_of(block, path)
    if not page.exists():
        return
    lines = tree.read_text(page).splitlines(keepends=True)
    gone = {number for number, name, one in rows("".join(lines)) if (name, one) == (block.name, rung)}
    if gone:
        page.write_text("".join(line for number, line in enumerate(lines) if number not in gone), encoding="utf-8")


# --- states -----------------------------------------------------------------------------------------------------------


def states(block, path=None, view=None):
    """{rung: state} of the rungs that are planned or recorded (evidence.state); a rung that the page lists is due, if
    it is not fresh."""
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
    """{"blocks": {block: {rung: state}}, "campaign": [part, ...]} as JSON, for castor list blocks."""
    view = sources.WorkingTree()
    found = {block.name: states(block, path, view) for block in blocks}
    tree.write_json("-", {"blocks": found, "campaign": campaign_parts(blocks)})


def campaign_parts(blocks):
    """[{"part": ..., "result": ..., "date": ..., "commit": ..., ...}] of the campaign of the tree in which the blocks
    lie, in the order in which they ran (tests/campaign.sh)."""
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
    """Exit code 1 if a rung is neither fresh nor listed as due, or listed and fresh, or no rung at all."""
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
    """What a rung is taken to need: what it took when it was recorded, else a guess."""
    return content.get(rung, {}).get("seconds") or _GUESSED[rung]


def parts_of(todo, minutes):
    """[[(block, rung, seconds), ...], ...]: what is to be done, cheapest first, cut so that no part takes longer than
    `minutes`; what takes longer by itself is a part."""
    parts, left = [], 0
    for one in sorted(todo, key=lambda one: one[2]):
        if not parts or one[2] > left:
            parts.append([])
            left = minutes * 60
        parts[-1].append(one)
        left -= one[2]
    return parts


def work_off(blocks, options, progress):
    """Climbs all rungs that are stale or missing, or those of the first part. What was recorded stays recorded when it
    is interrupted, and the next call goes on. Exit code 1 if a rung failed."""
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
    """Prints of what the digests of the rungs are made, and what has changed since their figures were recorded."""
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
    """{name: digest} at the recorded commit; None if that is not known."""
    top = evidence.top_of(block)
    at = entry.get("commit", "")
    if not top or not re.fullmatch(r"[0-9a-f]{7,40}", at):
        return None
    try:
        view = sources.Commit(Path(top), at)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name: one for name, (_, _, one) in sources.files(block, rung, lines, view).items()}
