"""castor faults: checks that verification finds hand-made faults in a block's RTL.

Lockstep with the default runs has to find each fault of a block. Modules that blocks share (rtl/common) have no model;
their properties have to find each fault.

tb/<block>/faults.json is a list of
    {"name": ..., "what": ..., "file": "castor_x.sv", "at": "text with «expression» in it", "to": "expression",
     "found": {"set": cycle}}
`found` names the first of the default runs (castor cosim NAME) that finds the fault, and the cycle. A run of a sequence
that is no part of the medley is named "set/sequence". A fault of a shared
module may also have "sets": ["default", ...]; it has to be found at each of these parameter sets.
For lockstep one build per parameter set contains all faults, and the environment variable CASTOR_MUTANT activates one.
For properties a copy of the sources is made for each fault. The RTL in rtl/ contains no faults.
"""

import copy
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import circuits, cosim, engines, tools, tree
from .errors import WrongRequest
from .properties import FAILED

_PACKAGE = """// Which of the faults is there: 0 none.
package castor_faults;
  import "DPI-C" function int castor_mutant_number();
  int number = castor_mutant_number();
endpackage
"""


def add_arguments(parser):
    parser.add_argument(
        "block", help=f"block, or a module shared by blocks, such as fifo, or '{tree.COMMON}' for all shared modules"
    )
    parser.add_argument("--fault", metavar="NAME", action="append", help="only this fault (repeatable)")
    parser.add_argument(
        "--params",
        metavar="SET",
        action="append",
        help="only at this parameter set (repeatable; default: the sets that castor cosim runs)",
    )
    parser.add_argument(
        "--cycles", metavar="C", type=int, help="cycles of each run (default: as castor cosim runs the set)"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="seed of each run (default: %(default)s)")
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="only N of the faults recorded as detected, at one recorded set; the choice depends on names and RTL only",
    )
    parser.add_argument("--waves", action="store_true", help="leave waves of each difference in the work folder")
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the cycle in which each fault was detected to tb/<block>/faults.json",
    )


#: Limit for one property to find a fault, in seconds of CPU time.
_SECONDS = 30
#: Cycles of a run at a parameter set that is not among the default runs.
_CYCLES = 1_000_000


def run(options, progress):
    """Runs the command. Returns the exit code: 1 if a fault is not found."""
    if options.sample is not None and options.record:
        raise WrongRequest("--record needs a run of all faults", "leave out --sample")
    blocks = tree.designs(options.root, options.block)
    lists = [read(block) for block in blocks]
    every = [fault for listed in lists for fault in listed]
    for name in options.fault or ():
        tree.choose(f"fault of {options.block}", name, [fault["name"] for fault in every])
    for name in options.params or ():
        tree.choose(f"parameter set of {options.block}", name, list({one: 0 for block in blocks for one in block.sets}))
    missed = []
    for block, listed in zip(blocks, lists):
        chosen = [fault for fault in listed if not options.fault or fault["name"] in options.fault]
        if chosen:
            missed += run_block(block, listed, chosen, options, progress)
    if options.json:
        tree.write_json(
            options.json, {"command": options.command, "block": options.block, "faults": every, "missed": missed}
        )
    return 1 if missed else 0


def run_block(block, listed, chosen, options, progress):
    """Runs the faults `chosen` of a block, and stores in each fault where it was found. Returns the names of the faults
    that were not found."""
    missed, runs = [], 0
    work = (Path(options.work) / block.name / "faults").resolve()
    hunt = by_lockstep if block.manifest else by_properties
    if options.record:
        for fault in chosen:
            fault.pop("found", None)
    for fault, params, where in hunt(block, listed, chosen, work, options, progress):
        runs += 1
        if where is None:
            missed.append(fault["name"])
            progress.line(f"{block.name}, {fault['name']} at {params}: NOT FOUND")
        else:
            cycle, what = where
            progress.line(f"{block.name}, {fault['name']} at {params}: found by {what} in cycle {cycle}")
            fault.setdefault("found", {})[params] = cycle
    progress.line(f"{block.name}: {runs - len(missed)} of {runs} found")
    if options.record:
        (block.bench / "faults.json").write_text(json.dumps(listed, indent=2, ensure_ascii=False) + "\n")
    return missed


def by_lockstep(block, listed, chosen, work, options, progress):
    """Hunts faults by lockstep. Yields (fault, parameter set, (cycle, sequence)) of the first run that finds the fault,
    or (fault, names of all sets, None)."""
    sources = patch(block, listed, work)
    plan = planned(options.params, cosim.default_runs(block, work))
    names = list(plan)
    if options.sample is not None:
        names, chosen = sample(block, chosen, names, options.sample)
    left = chosen
    for name in names:
        params, cycles, sequence = plan[name]
        progress.say(f"{block.name} {name}: building")
        code = Path(__file__).with_name("mutant_number.cpp")
        harness = cosim.Harness(
            block, cosim.build(block, block.parameters(params), patched=sources, code=code, waves=options.waves)
        )
        sequence = sequence or harness.sequences(work)[0]
        # Number 0 is the RTL without a fault. A run that fails on it would seem to find every fault.
        if look(harness, work, params, sequence, options, 20_000, 0) is not None:
            raise WrongRequest(f"{block.name} at {name} fails without a fault", f"logs: {work}")
        cycles = options.cycles or cycles
        with ThreadPoolExecutor(options.jobs) as pool:
            found = pool.map(
                lambda one: look(harness, work, params, sequence, options, cycles, listed.index(one) + 1), left
            )
            still = []
            for fault, cycle in zip(left, found):
                if cycle is None:
                    still.append(fault)
                else:
                    yield fault, name, (cycle, sequence)
        left = still
        if not left:
            return
    for fault in left:
        yield fault, ", ".join(names), None


def planned(wanted, default):
    """Returns {name of a run: (parameter set, cycles, sequence or None)}. The runs are the default ones, of the wanted
    parameter sets if any are given. A wanted set without a default run has a run of _CYCLES cycles."""
    runs = [run for run in default if not wanted or run[0] in wanted]
    runs += [(params, _CYCLES, None) for params in wanted or () if params not in [run[0] for run in default]]
    return {
        params + (f"/{sequence}" if sequence else ""): (params, cycles, sequence) for params, cycles, sequence in runs
    }


def sample(block, chosen, names, number):
    """Returns ([run], faults) for --sample: the name of one of the runs that found faults, and `number` of the faults
    found there. Raises WrongRequest if no run found a fault."""
    known = {name: [fault for fault in chosen if name in fault.get("found", ())] for name in names}
    there = tree.sample([name for name in names if known[name]], 1, block.folder)
    if not there:
        raise WrongRequest(f"no fault of {block.name} is recorded as detected", f"castor faults {block.name} --record")
    return there, tree.sample(known[there[0]], number, block.folder, key=lambda fault: fault["name"])


def by_properties(block, listed, chosen, work, options, progress):
    """Hunts faults by properties. Yields (fault, parameter set, (cycle, property)) for each parameter set of the fault,
    or (fault, parameter set, None) if no property fails."""
    tools.need("yosys", "berkeley-abc")
    if options.sample is not None:
        chosen = tree.sample(chosen, options.sample, block.folder, key=lambda fault: fault["name"])
    for params in dict.fromkeys(params for fault in chosen for params in sets_of(fault)):
        if options.params and params not in options.params:
            continue
        progress.say(f"{block.name} {params}")
        here = [fault for fault in chosen if params in sets_of(fault)]

        def hunt(fault, folder=work / params, params=params):
            design = broken(block, fault, folder / fault["name"] / "rtl") if fault else block
            return first_failure(design, params, folder / (fault["name"] if fault else "-"))

        with ThreadPoolExecutor(options.jobs) as pool:
            # A property that fails without a fault would seem to find every fault.
            sound, *found = pool.map(hunt, [None, *here])
        if sound is not None:
            raise WrongRequest(f"{block.name} at {params} fails without a fault", f"castor prove {block.name}")
        for fault, where in zip(here, found):
            yield fault, params, where


def broken(block, fault, folder):
    """Returns a copy of the block in which one source contains the fault. The changed source is in `folder`."""
    source = source_of(block, fault)
    plain = tree.read_text(source)
    before, old, after = parts_of(fault, plain)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / source.name
    path.write_text(plain.replace(before + old + after, f"{before}({fault['to']}){after}"))
    other = copy.copy(block)
    other.sources = [path if one == source else one for one in block.sources]
    return other


def first_failure(block, params, work):
    """Returns (cycle, name) of the first assertion that fails; None if all hold or stay undecided."""
    properties = circuits.elaborate(block, block.parameters(params), work)
    claims = [one for one in properties if not one.cover]
    circuits.write_circuit(work)
    engines.prepare_aiger(claims, properties, work, [], "alone")
    for one in claims:
        engines.pdr(one, work, _SECONDS, "alone", traced=False)
        if one.result == FAILED:
            return one.depth, one.name
    return None


def read(block):
    """Returns the faults of a block from tb/<block>/faults.json. Raises WrongRequest if the file is not of the form
    described at the top of this module."""
    path = block.bench / "faults.json"
    try:
        faults = json.loads(tree.read_text(path))
        good = isinstance(faults, list) and all(
            isinstance(fault[key], str) for fault in faults for key in ("name", "what", "file", "at", "to")
        )
    except (ValueError, KeyError, TypeError):
        good = False
    if not good or not faults:
        raise WrongRequest(f"{path}: not a list of faults", "docs/guides/flows.md says how one is written")
    names = [fault["name"] for fault in faults]
    for fault in faults:
        if names.count(fault["name"]) > 1:
            raise WrongRequest(f"{path}: two faults are called {fault['name']}")
        for params in sets_of(fault):
            block.parameters(params)
    return faults


def sets_of(fault):
    """Returns the names of the parameter sets at which a property has to find the fault."""
    return fault.get("sets", ["default"])


def patch(block, faults, work):
    """Writes copies of the block's sources with all faults, each active only while the simulation selects its number.
    Returns the source files for Verilator."""
    folder = work / "rtl"
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "castor_faults.sv"
    package.write_text(_PACKAGE)
    here = {}
    for number, fault in enumerate(faults, 1):
        here.setdefault(source_of(block, fault), {})[number] = fault
    patched = {}
    for source, numbered in here.items():
        patched[source] = folder / source.name
        patched[source].write_text(with_faults(tree.read_text(source), numbered))
    return [package, *(patched.get(path, path) for path in block.verilated)]


def source_of(block, fault):
    """Returns the source file to which the fault belongs. Raises WrongRequest if the block has no such file."""
    for path in block.sources:
        if path.name == fault["file"]:
            return path
    raise WrongRequest(f"fault {fault['name']}: {block.name} has no source {fault['file']}")


def parts_of(fault, plain):
    """Returns (text before, expression, text after) of the fault's place in `plain`, the source without faults. Raises
    WrongRequest if the source does not have exactly one such place."""
    parts = re.fullmatch(r"(?s)(.*)«(.+)»(.*)", fault["at"])
    if parts is None:
        raise WrongRequest(f"fault {fault['name']}: no «expression» in '{fault['at']}'")
    before, old, after = parts.groups()
    if plain.count(before + old + after) != 1:
        raise WrongRequest(
            f"fault {fault['name']} does not fit: {fault['file']} has '{before + old + after}' "
            f"{plain.count(before + old + after)} times",
            "the RTL has changed: adapt the fault",
        )
    return before, old, after


def with_faults(plain, faults):
    """Returns the source `plain` with the faults {number: fault}, each active only for its number. A fault may lie
    inside the expression of another. Raises WrongRequest if two faults overlap in another way."""
    places = {}
    for number, fault in faults.items():
        before, old, after = parts_of(fault, plain)
        begin = plain.index(before + old + after) + len(before)
        places.setdefault((begin, begin + len(old)), []).append((number, fault))
    # A fault that encloses others comes before them.
    ordered = sorted(places, key=lambda place: (place[0], -place[1]))

    def text_of(begin, end):
        """Returns the text from `begin` to `end`, with the faults inside it inserted."""
        text, at = "", begin
        while ordered and ordered[0][0] < end:
            place = ordered.pop(0)
            if place[1] > end:
                raise WrongRequest(f"fault {places[place][0][1]['name']} overlaps with another one")
            inside = text_of(*place)
            for number, fault in places[place]:
                inside = f"((castor_faults::number == {number}) ? ({fault['to']}) : ({inside}))"
            text += plain[at : place[0]] + inside
            at = place[1]
        return text + plain[at:end]

    return text_of(0, len(plain))


def look(harness, work, params, sequence, options, cycles, number):
    """Performs one lockstep run with fault `number` active. Returns the cycle of the mismatch, or None."""
    log = work / f"{params}-{sequence}-{number}.log"
    data = log.with_suffix(".json")
    data.unlink(missing_ok=True)
    harness.run(
        log, params, cycles, sequence, options.seed, "--json", data, "--dump", log.with_suffix(""), mutant=number
    )
    try:
        result = json.loads(data.read_text())
    except (OSError, ValueError):
        raise WrongRequest(f"castor cosim {harness.block.name} does not run", f"log: {log}") from None
    return result["cycles"] if result["mismatch"] else None
