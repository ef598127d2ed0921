"""castor faults: faults that were put into a block's RTL by hand, and whether the default run of lockstep finds each.

tb/<block>/faults.json is a list of
    {"name": ..., "what": ..., "file": "castor_x.sv", "at": "text with «expression» in it", "to": "expression",
     "sets": ["default", ...], "found": {"default": cycle, ...}}
     "sets": ["default", ...], "found": {"set": cycle, ...}}
build of each set: a number from the environment chooses one. The RTL itself carries none of it.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cosim, tree
from .errors import WrongRequest

_PACKAGE = """// Which of the faults is there: 0 none.
package castor_faults;
  import "DPI-C" function int castor_mutant_number();
  int number = castor_mutant_number();
endpackage
"""


def add_arguments(parser):
    parser.add_argument("block", help="block")
    parser.add_argument("--fault", metavar="NAME", action="append", help="only this one (repeatable)")
    parser.add_argument("--params", metavar="SET", action="append", help="only at this set (repeatable)")
    parser.add_argument(
        "--cycles", metavar="C", type=int, default=1_000_000, help="cycles of each run (default: %(default)s)"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="seed of each run (default: %(default)s)")
    parser.add_argument(
        "--quick",
        metavar="N",
        type=int,
        help="only the N that were found last but within 50,000 cycles, at the first set recorded, for ten times "
        "as long",
    )
    parser.add_argument("--record", action="store_true", help="write the cycles to tb/<block>/faults.json")


def run(options, progress):
    """The command. Returns the exit code: 1 if a fault is not found."""
    block = tree.find(options.root, options.block)
    listed = read(block)
    for name in options.fault or ():
        tree.choose(f"fault of {block.name}", name, [fault["name"] for fault in listed])
    for name in options.params or ():
        block.parameters(name)
    chosen = [fault for fault in listed if not options.fault or fault["name"] in options.fault]
    runs = quick(chosen, options.quick) if options.quick else everything(chosen, options)
    if not runs:
        raise WrongRequest(f"no fault of {block.name} to run", "castor faults NAME --record notes what --quick needs")
    work = (Path(options.work) / block.name / "faults").resolve()
    sources = patch(block, listed, work)
    missed = []
    for params in dict.fromkeys(params for _, params, _ in runs):
        progress.say(f"{block.name} {params}: building")
        code = Path(__file__).with_name("mutant_number.cpp")
        harness = cosim.Harness(block, cosim.build(block, block.parameters(params), patched=sources, code=code))
        sequence = harness.sequences(work)[0]
        # The object without a fault is the RTL: what finds something in it would find everything.
        if look(harness, work, params, sequence, options.seed, 20_000, 0) is not None:
            raise WrongRequest(f"{block.name} at {params} fails without a fault", f"logs: {work}")
        with ThreadPoolExecutor(options.jobs) as pool:
            here = [(fault, cycles) for fault, at, cycles in runs if at == params]
            found = pool.map(
                lambda one: look(harness, work, params, sequence, options.seed, one[1], listed.index(one[0]) + 1), here
            )
            for (fault, cycles), cycle in zip(here, found):
                if cycle is None:
                    missed.append(fault["name"])
                    progress.line(f"{fault['name']} at {params}: NOT FOUND in {cycles} cycles of {sequence}")
                else:
                    progress.line(f"{fault['name']} at {params}: found by {sequence} in cycle {cycle}")
                    fault.setdefault("found", {})[params] = cycle
    progress.line(f"{block.name}: {len(runs) - len(missed)} of {len(runs)} found")
    if options.record:
        (block.bench / "faults.json").write_text(json.dumps(listed, indent=2, ensure_ascii=False) + "\n")
    if options.json:
        tree.write_json(
            options.json, {"command": options.command, "block": block.name, "faults": listed, "missed": missed}
        )
    return 1 if missed else 0


def read(block):
    """The faults of a block. Raises WrongRequest if the list is not as described above."""
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
    """Names of the parameter sets at which the fault exists."""
    return fault.get("sets", ["default"])


def everything(chosen, options):
    return [
        (fault, params, options.cycles)
        for fault in chosen
        for params in sets_of(fault)
        if not options.params or params in options.params
    ]


def quick(chosen, count):
    """The runs of --quick: (fault, set, cycles)."""
    known = [(fault, *next(iter(fault["found"].items()))) for fault in chosen if fault.get("found")]
    short = sorted((one for one in known if one[2] <= 50_000), key=lambda one: -one[2])[:count]
    return [(fault, params, max(20_000, 10 * cycle)) for fault, params, cycle in short]


def patch(block, faults, work):
    """Copies of the block's sources with all faults behind their numbers. Returns what Verilator reads."""
    folder = work / "rtl"
    folder.mkdir(parents=True, exist_ok=True)
    package = folder / "castor_faults.sv"
    package.write_text(_PACKAGE)
    plains, texts = {}, {}
    for number, fault in enumerate(faults, 1):
        source = next((path for path in block.sources if path.name == fault["file"]), None)
        if source is None:
            raise WrongRequest(f"fault {fault['name']}: {block.name} has no source {fault['file']}")
        if source not in plains:
            plains[source] = texts[source] = tree.read_text(source)
        texts[source] = insert(texts[source], number, fault, plains[source])
    patched = {}
    for source, text in texts.items():
        patched[source] = folder / source.name
        patched[source].write_text(text)
    return [package, *(patched.get(path, path) for path in block.verilated)]


def insert(text, number, fault, plain):
    """`text` with one more fault in it; `plain` is the source without any."""
    parts = re.fullmatch(r"(?s)(.*)«(.+)»(.*)", fault["at"])
    if parts is None:
        raise WrongRequest(f"fault {fault['name']}: no «expression» in '{fault['at']}'")
    before, old, after = parts.groups()
    if plain.count(before + old + after) != 1:
        raise WrongRequest(
            f"fault {fault['name']} does not fit: {fault['file']} has '{before + old + after}' "
            f"{plain.count(before + old + after)} times",
            "the RTL has changed: write the fault anew",
        )
    # Where faults share an expression, the one before wraps it already.
    wrapped = re.compile(
        re.escape(before)
        + r"((?:\(\(castor_faults::number == \d+\) \? \([^«»]*?\) : \()*)"
        + re.escape(old)
        + r"(\)*)"
        + re.escape(after)
    )
    found = wrapped.search(text)
    if found is None:
        raise WrongRequest(f"fault {fault['name']} overlaps with another one in {fault['file']}")
    new = f"((castor_faults::number == {number}) ? ({fault['to']}) : ({old}))"
    return text[: found.start()] + before + found.group(1) + new + found.group(2) + after + text[found.end() :]


def look(harness, work, params, sequence, seed, cycles, number):
    """The cycle in which the run finds fault `number`, or None."""
    log = work / f"{params}-{number}.log"
    data = log.with_suffix(".json")
    data.unlink(missing_ok=True)
    harness.run(log, params, cycles, sequence, seed, "--json", data, "--dump", log.with_suffix(""), mutant=number)
    if not data.exists():
        raise WrongRequest(f"castor cosim {harness.block.name} does not run", f"log: {log}")
    result = json.loads(data.read_text())
    return result["cycles"] if result["mismatch"] else None
