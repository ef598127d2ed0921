"""Proof engines for a property: property-directed reachability (PDR), induction and bounded model checking by ABC, and
k-induction by z3."""

import re

from . import aiger, tools, yosys
from .errors import WrongRequest
from .properties import BOUNDED, FAILED, PROVEN, REACHED, UNREACHABLE

# --unroll is needed: without it z3 gave no answer for a block of 40 cells.
_SMTBMC = ("yosys-smtbmc", "--unroll", "--noprogress", "-s", "z3")
_LONGEST_INDUCTION = 20

#: Largest k of the induction by ABC, which runs before all longer searches.
_SHORT_INDUCTION = 3


def _select_only(one, assumed, part=None):
    """Returns Yosys commands that delete all covers and assertions but `one`, and turn the assertions `assumed` into
    assumptions."""
    return [
        *(f"chformal -assert2assume {_cell(other, part)}" for other in assumed),
        "delete t:$cover",
        f"delete t:$assert {_cell(one, part)} %d",
    ]


def _name(one, part):
    """Returns the name of the property's cell: in the block, or in the part if `part` is set."""
    return one.cell[len(part.prefix) :] if part else one.cell


def _cell(one, part):
    """Returns a Yosys selection of the property's cell. Characters of the name that are special in Yosys patterns are
    replaced."""
    name = _name(one, part)
    escaped = re.sub(r"[\[\]*?]", "?", name)
    return f"*/c:{'' if name.startswith('$') else chr(92)}{escaped}"


def prepare_aiger(todo, properties, work, assumed, tag, part=None):
    """Writes an AIGER file for each property of `todo`: the same circuit with the property as output, and constraints.

    A cover is written as the assertion that it is never true; a counterexample then reaches the cover. The constraints
    are the assumptions of the design, and the proven properties `assumed`. With the tag "near" only proven properties
    are used that depend on no register beyond those of the property itself, because others enlarge the circuit.
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
    # A property that Yosys found to be always true has no output in the circuit.
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
    """Runs ABC on the AIGER file of a property. `script` limits ABC itself to `seconds` of CPU time; after 60 s more,
    the process is ended. Returns the tools.Result."""
    name = f"{one.files}-{tag}"
    aiger = f"{one.files}-{'alone' if tag == 'bound' else tag}.aig"
    return tools.run(
        ["berkeley-abc", "-c", f"read_aiger {aiger}; fold; strash; scleanup; {script}"],
        work / f"{name}.log",
        seconds + 60,
        cwd=work,
    )


def pdr(one, work, seconds, tag, traced=True):
    """Runs property-directed reachability by ABC, which proves the property without a bound or finds a counterexample.
    Sets the result of the property; leaves it undecided if `seconds` of CPU time do not suffice."""
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
    """Returns (True, None) if ABC's output reports a proof, (False, cycle) for a counterexample, else (None, None)."""
    if re.search(r"^Property proved\.", output, re.MULTILINE):
        return True, None
    found = re.search(r"was asserted in frame (\d+)", output)
    return (False, int(found.group(1))) if found else (None, None)


def induction(one, work, seconds, tag):
    """Runs k-induction by ABC for small k. It proves properties that are inductive by themselves, or together with the
    properties `one.given`, without a search."""
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
    """Returns k of ABC's induction if it succeeded; else None."""
    found = re.search(r"Completed (\d+) iterations\.\s+Networks are equivalent", output)
    return int(found.group(1)) if found else None


def prepare_smt(todo, properties, work, proven, part=None):
    """Writes an SMT-LIB file for each property of `todo`, with the properties `proven` as assumptions. Outputs of the
    design and logic that only they need are removed."""
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
    """Runs k-induction by z3: the induction step for k up to 20, then the base case of k + 1 cycles. Skips covers."""
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
    """Returns k of a successful induction, else None. The output of smtbmc numbers the steps downwards from the
    largest allowed k."""
    if "Status: PASSED" not in output:
        return None
    steps = re.findall(r"Trying induction in step (\d+)", output)
    return _LONGEST_INDUCTION - int(steps[-1]) if steps else None


def bounded(one, work, seconds):
    """Runs bounded model checking by ABC. It finds a counterexample, or shows that there is none within a number of
    cycles, which is no proof."""
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
    """Returns the number of cycles that ABC's bmc3 searched without a counterexample; 0 if its output has no number."""
    found = re.findall(r"(?:No output asserted in|after completing) (\d+) frames", output)
    return int(found[-1]) if found else 0


def trace(one, work, part=None):
    """Writes waves of the counterexample, which z3 finds again at the known depth. Leaves the property without waves if
    z3 takes longer than 120 s of CPU time."""
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
