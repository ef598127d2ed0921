"""castor prove: the properties of a block's RTL, each with the engine that proved it."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import aiger, formal, tools, tree, yosys
from .errors import WrongRequest

PROVEN, BOUNDED, FAILED, REACHED, UNREACHABLE, UNKNOWN = (
    "proven",
    "bounded",
    "failed",
    "reached",
    "unreachable",
    "unknown",
)
#: The block was not decided, and the module that the property was written for fails it if its inputs are free.
REFUTED = "refuted alone"

#: How much a verdict says for the block; less than the recorded one is a loss.
_WORTH = {PROVEN: 3, REACHED: 3, BOUNDED: 2, UNKNOWN: 1, REFUTED: 1, FAILED: 0, UNREACHABLE: 0}

# Without --unroll z3 did not answer on a block of 40 cells.
_SMTBMC = ("yosys-smtbmc", "--unroll", "--noprogress", "-s", "z3")

#: In the order in which they are tried.
ENGINES = ("pdr", "k-induction", "bmc")

_LONGEST_INDUCTION = 20

#: Of induction by ABC, which goes before all longer searches.
_SHORT_INDUCTION = 3

#: Parts of the time that pdr gets in its turns: what one proves early makes others inductive, which need none then.
_TURNS = (0.1, 0.3, 1)

#: So begins the label of a cover that asks for no more than that the module that it is bound to reaches it.
_ALONE = "alone_"


def add_arguments(parser):
    parser.add_argument(
        "block", help=f"block, a module that blocks share, such as fifo, or '{tree.COMMON}' for all of those"
    )
    parser.add_argument(
        "--params", metavar="SET", help="parameter set, or 'all' (default: proof; of a shared module: all)"
    )
    parser.add_argument(
        "--property", metavar="NAME", action="append", help="only properties whose name contains this (repeatable)"
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=float,
        default=120,
        help="CPU time for one engine at one property (default: %(default)g)",
    )
    parser.add_argument(
        "--engine",
        action="append",
        choices=ENGINES,
        help="only this engine (repeatable; default: all, in the order listed)",
    )
    parser.add_argument(
        "--check", action="store_true", help="fail only if a verdict is worse than the one in tb/<block>/proofs.json"
    )
    parser.add_argument("--record", action="store_true", help="write the verdicts to tb/<block>/proofs.json")
    parser.add_argument(
        "--recorded",
        action="store_true",
        help="prove nothing: tell the verdicts of tb/<block>/proofs.json, which must be of the present sources",
    )
    parser.add_argument(
        "--quick",
        metavar="S",
        type=float,
        help="only properties that, as recorded, were decided within so many seconds",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="only N, chosen by name and RTL",
    )
    parser.add_argument("--accept-bounded", action="store_true", help="exit 0 also if some are only checked to a bound")


class Property:
    """One assertion or cover: its Yosys cell, what to call it, where it is written, and what became of it."""

    def __init__(self, cell, source, cover):
        self.cell = cell
        self.part = None  # the part of the block that it was written for; None: the block
        self.alone = ""  # module that it was proven of, whatever its inputs are
        self.refuted = None  # (module, engine, cycle) if that module alone fails it
        self.name = display_name(cell, source)
        self.source = source
        self.cover = cover
        self.result = UNKNOWN
        self.engine = ""
        self.depth = None
        self.seconds = 0.0
        self.expected = ""  # engine that decided it, without others as assumptions, when it was recorded
        self.given = []  # properties that the engine tried last may assume
        self.late = 0  # cycles by which the circuit for ABC asks before Yosys' cell does
        self.assuming = []  # names of those that the proof assumes
        self.trace = ""

    def json(self):
        return {
            "name": self.name,
            "cell": self.cell,
            "kind": "cover" if self.cover else "assert",
            "source": self.source,
            "result": self.result,
            "engine": self.engine,
            "depth": self.depth,
            "seconds": round(self.seconds, 1),
            "assuming": self.assuming,
            "alone": self.alone,
            "refuted_alone": self.refuted and {"module": self.refuted[0], "cycle": self.refuted[2]},
            "trace": self.trace,
        }


def display_name(cell, source):
    """The label with its instance; file and position where there is no label."""
    return Path(source.split("|")[-1]).name if "$" in cell else cell


def run(options, progress):
    """The command. Returns the exit code."""
    tools.need("yosys", "yosys-smtbmc", "berkeley-abc", "z3")
    if options.record and (options.property or options.engine or options.quick is not None or options.sample):
        raise WrongRequest(
            "--record is for all properties and engines", "leave out --property, --engine, --quick and --sample"
        )
    if options.recorded and (options.record or options.check or options.engine or options.quick is not None):
        raise WrongRequest("--recorded proves nothing", "leave out --record, --check, --engine and --quick")
    began = time.monotonic()
    runs = [
        Run(block, chosen, options)
        for block in tree.designs(options.root, options.block)
        for chosen in sets_of(block, options.params)
    ]
    # Several runs need not each have a property that is asked for.
    refused, done = None, []
    for one in runs:
        try:
            one.prepare(options, progress)
        except NothingChosen as nothing:
            refused = nothing
            continue
        if options.recorded:
            one.recall(progress)
        else:
            one.decide(options, progress)
        done.append(one)
    if not done:
        raise refused
    if len(done) > 1:
        progress.line(f"{options.block}: {len(done)} runs: {summary(sum((one.chosen for one in done), []), began)}")
    if options.json:
        head = {
            "command": options.command,
            "tools": {name: tools.version(name) for name in ("yosys", "berkeley-abc", "z3")},
        }
        found = [one.json() for one in done]
        tree.write_json(options.json, {**head, **found[0]} if len(runs) == 1 else {**head, "runs": found})
    return 0 if all(one.good(options) for one in done) else 1


def sets_of(block, params):
    """Names of the sets that --params asks for."""
    return list(block.sets) if params == "all" else [params] if params else block.proof_sets


class NothingChosen(WrongRequest):
    """No property of a run is one of those that are asked for."""


class Run:
    """The properties of a block at one parameter set."""

    def __init__(self, block, params, options):
        self.block = block
        self.params = params
        self.values = block.parameters(params)
        self.known = recorded(block, params, self.values)
        if self.known is None and (options.check or options.quick is not None):
            raise WrongRequest(
                f"no verdicts of {block.name} are recorded at the set {params} and its values",
                f"castor prove {block.name} --params {params} --record",
            )
        self.work = (Path(options.work) / block.name / f"prove-{params}").resolve()
        self.lost = []

    def prepare(self, options, progress):
        """Elaborates. Raises NothingChosen."""
        progress.say("elaborating")
        block, values, work = self.block, self.values, self.work
        if options.recorded:  # nothing is proven, so that no circuit is needed
            self.properties = elaborate(block, values, work)
            self._choose(options)
            return
        with ThreadPoolExecutor(options.jobs) as pool:
            parts = pool.submit(elaborate_parts, block, values, work / "parts")
            self.properties = pool.submit(elaborate, block, values, work).result()
            instances = parts.result()
        self._choose(options)
        with ThreadPoolExecutor(options.jobs) as pool:
            whole = pool.submit(write_circuit, work)
            pool.submit(split, block, instances, self.chosen, work / "parts").result()
            whole.result()

    def _choose(self, options):
        for one in self.properties:
            then = (self.known or {}).get(one.name)
            one.expected = then["engine"] if then and not then["given"] else ""
        self.chosen = [
            one for one in self.properties if not options.property or any(word in one.name for word in options.property)
        ]
        if options.quick is not None:
            self.chosen = [one for one in self.chosen if is_quick(self.known.get(one.name), options.quick)]
            if not self.chosen:
                raise NothingChosen(f"no property is recorded as decided within {options.quick:g} s")
        if options.sample:
            self.chosen = tree.sample(self.chosen, options.sample, self.block.folder, key=lambda one: one.name)
        if not self.chosen:
            raise NothingChosen(
                "no property is called so", "there are: " + ", ".join(one.name for one in self.properties)
            )
        self.chosen.sort(key=lambda one: (one.cover, self.properties.index(one)))

    def decide(self, options, progress):
        """Decides the chosen properties, compares with what is recorded, and records."""
        width = max(len(one.name) for one in self.chosen)
        numbers = " ".join(f"{name}={value}" for name, value in self.values.items())
        covers = sum(one.cover for one in self.chosen)
        progress.line(
            f"{self.block.name}, set {self.params} ({numbers}), {len(self.chosen) - covers} properties, {covers} covers"
        )
        began = time.monotonic()
        decide(
            self.chosen, self.properties, self.work, options, progress, lambda one: progress.line(line_of(one, width))
        )
        progress.line(summary(self.chosen, began))
        if self.known:
            there = None if options.property else {one.name for one in self.properties}
            self.lost = losses(self.chosen, self.known, there)
        for line in self.lost:
            progress.line(f"lost: {line}")
        if options.record:
            record(self.block, self.params, self.values, self.chosen)
            progress.line(f"recorded in {_record_of(self.block)}")

    def recall(self, progress):
        """Takes the recorded verdicts. Raises WrongRequest if they are of other sources or of other properties."""
        told = _recorded_of_these_sources(self.block, self.params, self.values)
        if any(prop.name not in told for prop in self.chosen):
            raise _not_recorded(self.block, self.params)
        for prop in self.chosen:
            then = told[prop.name]
            prop.result, prop.engine, prop.depth, prop.seconds = (
                then[key] for key in ("result", "engine", "depth", "seconds")
            )
        good, only, bad = counts(self.chosen)
        progress.line(
            f"{self.block.name}, set {self.params}, as recorded: {good} decided for good, {only} only to a bound, "
            f"{bad} not"
        )

    def good(self, options):
        """Whether the exit code is 0 as far as this run goes."""
        _, only, bad = counts(self.chosen)
        if self.lost and not options.record:
            return False
        return options.check or not (bad or (only and not options.accept_bounded))

    def json(self):
        return {
            "block": self.block.name,
            "set": self.params,
            "parameters": self.values,
            "sources": formal.fingerprint(self.block),
            "properties": [one.json() for one in self.chosen],
        }


def counts(properties):
    """How many are decided for good, only to a bound, and neither."""
    good = sum(one.result in (PROVEN, REACHED) for one in properties)
    only = sum(one.result == BOUNDED for one in properties)
    return good, only, len(properties) - good - only


def summary(properties, began):
    _, only, bad = counts(properties)
    return (
        f"{sum(one.result == PROVEN for one in properties)} proven, {only} only to a bound, "
        f"{sum(one.result == REACHED for one in properties)} covers reached, {bad} failed or undecided, "
        f"{time.monotonic() - began:.0f} s"
    )


def line_of(one, width):
    text = f"{one.name:<{width}}  {one.result:<11} {one.engine:<11} {one.seconds:7.1f} s"
    if one.result in (BOUNDED, FAILED, REACHED):
        text += (
            f"  {'cycle' if one.result != BOUNDED else 'first'} {one.depth}{' cycles' if one.result == BOUNDED else ''}"
        )
    if one.alone:
        text += f"  of {one.alone} alone"
    if one.refuted and one.result in (BOUNDED, REFUTED):
        text += f"  {one.refuted[0]} alone fails in cycle {one.refuted[2]}"
    if one.assuming:
        text += f"  given {len(one.assuming)} proven before"
    if one.trace:
        text += f"  trace: {one.trace}"
    return text


def elaborate(block, values, work):
    """Elaborates block and properties; the design stays in `work` for the engines. Returns every Property."""
    extra, replaced, origins = formal.prepare(block, work)
    yosys.run(
        yosys.read(block, values, formal=True, extra=extra, replaced=replaced)
        + [
            f"prep -flatten -top {block.top}",
            "async2sync",
            "dffunmap",
            "write_ilang design.il",
            "tee -q -o cells.txt dump -n t:$assert t:$cover",
        ],
        work,
        "elaborate",
    )
    properties = cells_of((work / "cells.txt").read_text())
    for one in properties:
        one.source = written_at(one.source, origins, block.root)
    if sum(not one.cover for one in properties) == 0:
        raise WrongRequest(
            f"{block.bench / f'castor_{block.name}_properties.sv'}: no assertion came out of it",
            "is there a bind, and an assert in always_ff?",
        )
    return properties


def write_circuit(work):
    """The circuit of what `elaborate` left in `work`, for prepare_aiger."""
    yosys.run(["read_ilang design.il", *_gates("properties")], work, "gates")


def _gates(stem):
    """Yosys commands that write the properties and assumptions and what they depend on as AIGER."""
    return [
        "delete -output",
        "memory_map",
        "techmap",
        "dfflegalize -cell $_DFF_P_ 01",
        "expose -evert t:$assert t:$cover t:$assume",
        "setundef -anyseq",
        "opt_clean",
        "aigmap",
        f"write_aiger -I -O -B -zinit -map {stem}.map {stem}.aig",
    ]


class Part:
    """A module inside the block that has properties, as a circuit of its own: its inputs do what they like."""

    def __init__(self, prefix, module, stem):
        self.prefix = prefix  # of its properties' names in the block
        self.module = module
        self.stem = stem  # of its files


def elaborate_parts(block, values, work):
    """Elaborates the block with its modules as they are; the design stays in `work`. Returns its instances."""
    extra, replaced, _ = formal.prepare(block, work, parts=True)
    yosys.run(
        yosys.read(block, values, formal=True, extra=extra, replaced=replaced)
        + [f"prep -top {block.top}", "write_ilang hierarchy.il"],
        work,
        "hierarchy",
    )
    return instances_of((work / "hierarchy.il").read_text())


def split(block, instances, properties, work):
    """Gives each assertion of a module inside the block its Part, and each cover that asks for one; the circuits are in
    `work`."""
    parts, commands = {}, []
    for one in properties:
        path = part_of(one.cell, block.top, instances)
        if path is None or (one.cover and not one.cell.split(".")[-1].startswith(_ALONE)):
            continue
        prefix, module = path
        if prefix not in parts:
            parts[prefix] = Part(prefix, re.findall(r"castor_\w+", module)[0], f"part{len(parts)}")
            commands += [
                "design -reset",
                "read_ilang hierarchy.il",
                f"hierarchy -top {module}",
                "flatten",
                "async2sync",
                "dffunmap",
                "opt_clean",
                f"write_ilang {parts[prefix].stem}.il",
                *_gates(parts[prefix].stem),
            ]
        one.part = parts[prefix]
    if commands:
        yosys.run(commands, work, "parts")


def instances_of(ilang):
    """{module: {instance: module}} of a design."""
    found = {}
    for line in ilang.splitlines():
        words = line.split()
        if words[:1] == ["module"]:
            found[words[1].lstrip("\\")] = inside = {}
        elif words[:1] == ["cell"]:
            inside[words[2].lstrip("\\")] = words[1].lstrip("\\")
    return found


def part_of(cell, top, instances):
    """(prefix, module) of the module inside the block that the property `cell` is bound to; None if that is the
    block."""
    chain = [("", top)]
    while True:
        prefix, module = chain[-1]
        below = [
            (f"{prefix}{name}.", kind)
            for name, kind in instances[module].items()
            if kind in instances and cell.startswith(f"{prefix}{name}.")
        ]
        if not below:
            break
        chain.append(max(below))
    # The last one holds the properties themselves.
    return chain[-2] if len(chain) > 2 else None


def cells_of(dump):
    """The properties in the text of Yosys' `dump`."""
    found = []
    source = ""
    for line in dump.splitlines():
        words = line.split()
        if words[:2] == ["attribute", "\\src"]:
            source = line.split('"')[1]
        elif words[:1] == ["cell"]:
            found.append(Property(words[2].lstrip("\\"), source, words[1] == "$cover"))
            source = ""
    return found


def written_at(source, origins, root):
    """ "tb/x/castor_x_properties.sv:29" out of Yosys' chain of places, whose last one is the innermost."""
    file, _, position = source.split("|")[-1].rpartition(":")
    origin = Path(origins.get(Path(file).name, tools.original(file)))
    shown = origin.relative_to(root) if origin.is_relative_to(root) else origin
    return f"{shown}:{position.split('.')[0]}"


# --- recorded verdicts ----------------------------------------------------------------------------------------------


def _record_of(block):
    return block.bench / "proofs.json"


def recorded(block, chosen, values):
    """{property: verdict} as recorded at the set `chosen`; None if there is none at these values. Raises WrongRequest
    if the file is not as `record` writes it."""
    one = _recorded_set(block, chosen, values)
    return None if one is None else one["properties"]


def recorded_as_proven(block, chosen, values):
    """Names of the assertions that were recorded as proven at the set `chosen`, as Yosys calls them; those without a
    name of their own are left out. Raises WrongRequest if they were recorded of other sources or at other values."""
    told = _recorded_of_these_sources(block, chosen, values)
    return [name for name, entry in told.items() if entry["result"] == PROVEN and ":" not in name]


def _recorded_of_these_sources(block, chosen, values):
    one = _recorded_set(block, chosen, values)
    if one is None or one["sources"] != formal.fingerprint(block):
        raise _not_recorded(block, chosen)
    return one["properties"]


def _not_recorded(block, chosen):
    return WrongRequest(
        f"{_record_of(block)}: not recorded of these sources at the set '{chosen}'",
        f"castor prove {block.name} --params {chosen} --record",
    )


def _recorded_set(block, chosen, values):
    path = _record_of(block)
    if not path.exists():
        return None
    try:
        one = json.loads(tree.read_text(path))["sets"].get(chosen)
        if one is None or one["parameters"] != values:
            return None
        if any(entry["result"] not in _WORTH or "given" not in entry for entry in one["properties"].values()):
            raise ValueError
        if not isinstance(one["sources"], str):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WrongRequest(f"{path}: not as castor prove --record writes it") from None
    return one


def record(block, chosen, values, properties):
    """Writes the verdicts of a set; those of the other sets stay."""
    path = _record_of(block)
    sets = json.loads(tree.read_text(path))["sets"] if path.exists() else {}
    sets[chosen] = {
        "parameters": values,
        "sources": formal.fingerprint(block),
        "tools": {name: tools.version(name) for name in ("yosys", "berkeley-abc", "z3")},
        "properties": {
            one.name: {
                "result": one.result,
                "engine": one.engine,
                "depth": one.depth,
                "seconds": round(one.seconds, 1),
                "given": len(one.assuming),
            }
            for one in sorted(properties, key=lambda one: one.name)
        },
    }
    tree.write_json(
        path,
        {
            "command": f"castor prove {block.name} --params SET --record",
            "sets": {name: sets[name] for name in block.sets if name in sets},
        },
    )


def is_quick(entry, seconds):
    """Recorded as decided for good within `seconds`, and without others that would have to be proven first."""
    return entry is not None and _WORTH[entry["result"]] == 3 and entry["seconds"] <= seconds and not entry["given"]


def losses(properties, known, there):
    """What says less for the block than was recorded, a line each; also what is recorded and not among the names
    `there`, unless that is None."""
    lines = []
    for one in properties:
        then = known.get(one.name)
        if then is not None and _WORTH[one.result] < _WORTH[then["result"]]:
            lines.append(f"{one.name} is {one.result}, it was {then['result']}")
    if there is not None:
        lines += [f"{name} is not there, it was {then['result']}" for name, then in known.items() if name not in there]
    return lines


# --- engines --------------------------------------------------------------------------------------------------------


def decide(chosen, properties, work, options, progress, done):
    """Decides every property of `chosen`; `done` is called with each as it is.

    First k-induction on what it proved when that was recorded: PDR takes all its time before it gives up. Then the
    modules inside the block, each alone. Then the block: PDR, in turns that get longer; after each of them induction
    with what is proven as assumptions, again and again while that proves something, and after the first one a bounded
    search for covers; PDR with what is proven as assumptions, those only that bring no registers of their own, then
    all; then k-induction by z3; then a bound.
    """
    engines = options.engine or ENGINES
    expected = [one for one in chosen if one.expected == "k-induction" and not one.part]
    if expected and "k-induction" in engines:
        prepare_smt(expected, properties, work, [])
        _each(expected, options, progress, done, lambda one: k_induction(one, work, options.seconds, []))
    inside = [one for one in chosen if one.part]
    if inside:
        decide_parts(inside, properties, work / "parts", options, progress, engines, done)
    todo = [one for one in chosen if one.result == UNKNOWN]

    def induction_while_it_proves(todo):
        while "k-induction" in engines:
            proven = [one for one in chosen if one.result == PROVEN]
            asserts = [one for one in todo if not one.cover]
            prepare_aiger(asserts, properties, work, proven, "given")
            left = _each(asserts, options, progress, done, lambda one: induction(one, work, options.seconds, "given"))
            if len(left) == len(asserts):
                break
            todo = [one for one in todo if one.result == UNKNOWN]
        return todo

    prepare_aiger(todo, properties, work, [], "alone")
    for share in _TURNS:
        if "pdr" in engines:
            seconds = max(1, options.seconds * share)
            for one in todo:
                one.given = []
            todo = _each(todo, options, progress, done, lambda one, limit=seconds: pdr(one, work, limit, "alone"))
        todo = induction_while_it_proves(todo)
        if "bmc" in engines and share == _TURNS[0]:
            covers = [one for one in todo if one.cover]
            _each(covers, options, progress, done, lambda one: bounded(one, work, options.seconds))
            todo = [one for one in todo if one.result == UNKNOWN]
    if "pdr" in engines:
        for tag in ("near", "given"):
            proven = [one for one in chosen if one.result == PROVEN]
            now = [one for one in todo if proven and not one.cover]
            prepare_aiger(now, properties, work, proven, tag)
            _each(now, options, progress, done, lambda one, tag=tag: pdr(one, work, options.seconds, tag))
            todo = induction_while_it_proves([one for one in todo if one.result == UNKNOWN])
    if "k-induction" in engines:
        proven = [one for one in chosen if one.result == PROVEN]
        prepare_smt([one for one in todo if not one.cover], properties, work, proven)
        todo = _each(todo, options, progress, done, lambda one: k_induction(one, work, options.seconds, proven))
    if "bmc" in engines:
        asserts = [one for one in todo if not one.cover]
        _each(asserts, options, progress, done, lambda one: bounded(one, work, options.seconds))
    for one in todo:
        if one.result != UNKNOWN:
            continue
        if one.refuted:
            one.result, one.engine, one.depth = REFUTED, *one.refuted[1:]
            trace(one, work / "parts", one.part)
        done(one)


def decide_parts(inside, properties, work, options, progress, engines, done):
    """Decides what can be decided of modules alone. A counterexample is none of the block, where not all inputs come:
    it is kept for the case that nothing else is found out."""

    def only_proofs(engine):
        def run_one(one):
            engine(one)
            if one.result == PROVEN or (one.cover and one.result != UNKNOWN):
                one.alone = one.part.module
            else:
                if one.result == FAILED:
                    one.refuted = (one.part.module, one.engine, one.depth)
                one.result, one.engine, one.depth, one.trace = UNKNOWN, "", None, ""

        return run_one

    parts = list(dict.fromkeys(one.part for one in inside))
    todo = inside
    for part in parts:
        prepare_aiger([one for one in inside if one.part is part], properties, work, [], "alone", part)

    def turn(engine, wanted=lambda one: True):
        chosen = [one for one in todo if wanted(one)]
        _each(chosen, options, progress, done, only_proofs(engine))
        return [one for one in todo if one.result == UNKNOWN and not one.refuted]

    def inductive(tag):
        return turn(lambda one: induction(one, work, options.seconds, tag), lambda one: not one.cover)

    def search(seconds):
        return turn(lambda one: pdr(one, work, seconds, "alone", traced=False))

    if "k-induction" in engines:
        todo = inductive("alone")
    if "pdr" in engines:
        todo = search(max(1, options.seconds * _TURNS[0]))
    if "k-induction" in engines:
        for part in parts:
            mine = [one for one in todo if one.part is part and not one.cover]
            proven = [one for one in inside if one.part is part and one.result == PROVEN]
            prepare_aiger(mine, properties, work, proven, "given", part)
        todo = inductive("given")
    if "bmc" in engines:
        todo = turn(lambda one: bounded(one, work, options.seconds), lambda one: one.cover)
    if "pdr" in engines:
        for one in todo:
            one.given = []
        todo = search(options.seconds)
    if "k-induction" in engines:
        for part in dict.fromkeys(one.part for one in todo if not one.cover):
            mine = [one for one in todo if one.part is part and not one.cover]
            proven = [one for one in inside if one.part is part and one.result == PROVEN]
            prepare_smt(mine, properties, work, proven, part)
            _each(
                mine,
                options,
                progress,
                done,
                only_proofs(lambda one, given=proven: k_induction(one, work, options.seconds, given)),
            )


def _each(todo, options, progress, done, engine):
    """Runs the engine on each; returns those that are still open, in order."""
    left = len(todo)

    def one_by_one(one):
        nonlocal left
        engine(one)
        left -= 1
        progress.say(f"{left} properties to go")
        return one

    progress.say(f"{left} properties to go")
    still = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(one_by_one, todo):
            if one.result == UNKNOWN:
                still.append(one)
            else:
                done(one)
    return still


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
