"""Engines that decide a property: reachability (PDR), induction and bounded search by ABC, k-induction by z3."""

import re

from . import aiger, tools, yosys
from .errors import WrongRequest
from .properties import BOUNDED, FAILED, PROVEN, REACHED, UNREACHABLE

# Without --unroll z3 did not answer on a block of 40 cells.
_SMTBMC = ("yosys-smtbmc", "--unroll", "--noprogress", "-s", "z3")
_LONGEST_INDUCTION = 20

#: Of induction by ABC, which goes before all longer searches.
_SHORT_INDUCTION = 3


def _select_only(one, assumed, part=None):
    """Yosys commands that keep one assertion and turn `assumed` into assumptions."""
    return [
        *(f"chformal -assert2assume {_cell(other, part)}" for other in assumed),
        "delete t:$cover",
        f"delete t:$assert {_cell(one, part)} %d",
    ]


def _name(one, part):
    """The property's cell, in the block or in a part of it."""
    return one.cell[len(part.prefix) :] if part else one.cell


def _cell(one, part):
    """A selection of that one cell; its name may hold what Yosys takes for a pattern."""
    name = _name(one, part)
    escaped = re.sub(r"[\[\]*?]", "?", name)
    return f"*/c:{'' if name.startswith('$') else chr(92)}{escaped}"


def prepare_aiger(todo, properties, work, assumed, tag, part=None):
    """One AIGER file for each property of `todo`: all the same circuit, with another output and other constraints.

    A cover is the assertion of its opposite: a counterexample is a way to reach it. The constraints are those
    properties of `assumed` that the engine can use: with the tag "near" only those that depend on no register beyond
    what the property depends on itself, because others make the circuit larger, with their histories of what went in.
    """
    if not todo:
        return
    stem = part.stem if part else "properties"
    circuit = aiger.Circuit(work / f"{stem}.aig", work / f"{stem}.map")

    def pair(name):
        return circuit.before_registers((f"{name}.A", 0), (f"{name}.EN", 0))

    def bad(one):
        value, enable, one.late = pair(_name(one, part))
        return (value if one.cover else value ^ 1), enable

    def history(one):
        return circuit.support(bad(one), history=True) if one.late else circuit.history_before(bad(one))

    checked = {_name(one, part) for one in properties if one.cell.startswith(part.prefix if part else "")}
    names = {name[: -len(".A")] for name, _ in circuit.outputs_by_name if name.endswith(".A")}
    constraints = [(value ^ 1, enable) for value, enable, _ in map(pair, sorted(names - checked))]
    # What Yosys found to be always true in the block is no output of it.
    assumed = [other for other in assumed if (f"{_name(other, part)}.A", 0) in circuit.outputs_by_name]
    behind = {other: history(other) for other in assumed} if tag == "near" else {}
    for one in todo:
        one.files = f"p{properties.index(one)}"
        one.given = [other for other in assumed if other is not one]
        if tag == "near":
            reach = history(one)
            one.given = [other for other in one.given if behind[other] <= reach]
        assumptions = constraints + [bad(other) for other in one.given]
        aiger.write_property(work / f"{one.files}-{tag}.aig", circuit, bad(one), assumptions)


def _abc(one, work, tag, script, seconds):
    """Runs ABC, whose own limit is in CPU time, too; what it spends after that is cut off."""
    name = f"{one.files}-{tag}"
    aiger = f"{one.files}-{'alone' if tag == 'bound' else tag}.aig"
    return tools.run(
        ["berkeley-abc", "-c", f"read_aiger {aiger}; fold; strash; scleanup; {script}"],
        work / f"{name}.log",
        seconds + 60,
        cwd=work,
    )


def pdr(one, work, seconds, tag, traced=True):
    """Property-directed reachability: proves without a bound, or finds a counterexample."""
    result = _abc(one, work, tag, f"pdr -T {int(seconds)}", seconds)
    one.seconds += result.seconds
    verdict, depth = abc_verdict(result.output)
    if verdict is None:
        return
    one.engine, one.depth = "pdr", None if verdict else depth + one.late
    if verdict:
        one.result = UNREACHABLE if one.cover else PROVEN
        one.assuming = [other.name for other in one.given]
    else:
        one.result = REACHED if one.cover else FAILED
        if traced and not one.cover:
            trace(one, work)


def abc_verdict(output):
    """(True, None) proven, (False, cycle) counterexample, (None, None) neither."""
    if re.search(r"^Property proved\.", output, re.MULTILINE):
        return True, None
    found = re.search(r"was asserted in frame (\d+)", output)
    return (False, int(found.group(1))) if found else (None, None)


def induction(one, work, seconds, tag):
    """k-induction by ABC, for small k: what is inductive as it stands, or with `one.given`, needs no search."""
    step = _abc(one, work, tag, f"ind -v -F {_SHORT_INDUCTION} -T {max(1, int(seconds))}", seconds)
    one.seconds += step.seconds
    length = abc_induction_length(step.output)
    if length is None:
        return
    base = _abc(one, work, tag, f"bmc3 -F {length} -T {max(1, int(seconds))}", seconds)
    one.seconds += base.seconds
    if abc_frames(base.output) >= length and abc_verdict(base.output)[0] is None:
        one.result, one.engine, one.depth = PROVEN, "k-induction", length
        one.assuming = [other.name for other in one.given]


def abc_induction_length(output):
    """Cycles over which ABC's induction went, if it succeeded; else None."""
    found = re.search(r"Completed (\d+) iterations\.\s+Networks are equivalent", output)
    return int(found.group(1)) if found else None


def prepare_smt(todo, properties, work, proven, part=None):
    """One SMT-LIB file for each property of `todo`, the proven ones being assumptions. Outputs go, and what is for
    them."""
    if not todo:
        return
    commands = [f"read_ilang {part.stem if part else 'design'}.il", "delete -output", "design -save all"]
    for one in todo:
        commands += [
            "design -load all",
            *_select_only(one, [other for other in proven if other is not one], part),
            "opt_clean",
            f"write_smt2 -wires p{properties.index(one)}.smt2",
        ]
        one.files = f"p{properties.index(one)}"
    yosys.run(commands, work, "smt")


def k_induction(one, work, seconds, proven):
    """k-induction by z3: the step for k up to 20, then the first k + 1 cycles. Covers are left alone."""
    if one.cover:
        return
    step = tools.run(
        [*_SMTBMC, "-i", "-t", _LONGEST_INDUCTION, f"{one.files}.smt2"],
        work / f"{one.files}-step.log",
        seconds,
        cwd=work,
    )
    one.seconds += step.seconds
    length = induction_length(step.output) if step.code == 0 else None
    if length is None:
        return
    base = tools.run(
        [*_SMTBMC, "-t", length + 1, f"{one.files}.smt2"], work / f"{one.files}-base.log", seconds, cwd=work
    )
    one.seconds += base.seconds
    if base.code == 0 and "Status: PASSED" in base.output:
        one.result, one.engine, one.depth = PROVEN, "k-induction", length
        one.assuming = [other.name for other in proven if other is not one]


def induction_length(output):
    """k of a successful induction; None if there was none. smtbmc counts steps down from the longest it may try."""
    if "Status: PASSED" not in output:
        return None
    steps = re.findall(r"Trying induction in step (\d+)", output)
    return _LONGEST_INDUCTION - int(steps[-1]) if steps else None


def bounded(one, work, seconds):
    """Bounded model checking: no counterexample within so many cycles, which is no proof."""
    result = _abc(one, work, "bound", f"bmc3 -T {int(seconds)}", seconds)
    one.seconds += result.seconds
    one.engine = "bmc"
    verdict, depth = abc_verdict(result.output)
    if verdict is False:
        one.depth = depth + one.late
        one.result = REACHED if one.cover else FAILED
        if not one.cover:
            trace(one, work)
        return
    frames = abc_frames(result.output)
    if frames and not one.cover:
        one.result, one.depth = BOUNDED, frames + one.late


def abc_frames(output):
    """Cycles that bmc3 has searched without finding anything; 0 if it does not say."""
    found = re.findall(r"(?:No output asserted in|after completing) (\d+) frames", output)
    return int(found[-1]) if found else 0


def trace(one, work, part=None):
    """Waves of the counterexample, by z3 at the depth that is known; without them if that takes too long."""
    depth = (one.depth or 0) + 2
    smt = work / f"{one.files}-trace.smt2"
    try:
        yosys.run(
            [
                f"read_ilang {part.stem if part else 'design'}.il",
                *_select_only(one, [], part),
                f"write_smt2 -wires {smt.name}",
            ],
            work,
            f"{one.files}-trace",
        )
    except WrongRequest:
        return
    waves = work / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', one.name)}.vcd"
    waves.unlink(missing_ok=True)
    tools.run(
        [*_SMTBMC, "-t", depth, "--dump-vcd", waves.name, smt.name], work / f"{one.files}-trace.smt.log", 120, cwd=work
    )
    if waves.exists():
        one.trace = str(waves)
