"""castor prove: proves the properties of a block's RTL and reports which engine decided each."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import formal, proof_record, tools, tree
from .circuits import elaborate, elaborate_parts, split, write_circuit
from .errors import WrongRequest
from .proof_search import ENGINES, decide
from .properties import BOUNDED, FAILED, PROVEN, REACHED, REFUTED


def add_arguments(parser):
    parser.add_argument(
        "block", help=f"block, or a module shared by blocks, such as fifo, or '{tree.COMMON}' for all shared modules"
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
        help="prove nothing: print the verdicts of tb/<block>/proofs.json, which must be of the present sources",
    )
    parser.add_argument(
        "--quick",
        metavar="S",
        type=float,
        help="only properties proven in at most S seconds",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="only N properties, chosen by names and RTL",
    )
    parser.add_argument("--accept-bounded", action="store_true", help="exit 0 also if properties hold only to a bound")


def run(options, progress):
    """Runs the command. Returns the exit code: 1 if a verdict is weaker than the recorded one or, without --check, if a
    property failed, is undecided, or (without --accept-bounded) is only checked to a bound."""
    tools.need("yosys", "yosys-smtbmc", "berkeley-abc", "z3")
    if options.record and (options.property or options.engine or options.quick is not None or options.sample):
        raise WrongRequest(
            "--record needs a run of all properties with all engines",
            "leave out --property, --engine, --quick and --sample",
        )
    if options.recorded and (options.record or options.check or options.engine or options.quick is not None):
        raise WrongRequest("--recorded proves nothing", "leave out --record, --check, --engine and --quick")
    began = time.monotonic()
    runs = [
        Run(block, chosen, options)
        for block in tree.designs(options.root, options.block)
        for chosen in sets_of(block, options.params)
    ]
    # A run without a requested property is skipped if another run has one.
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
    """Returns the names of the parameter sets that --params selects."""
    return list(block.sets) if params == "all" else [params] if params else block.proof_sets


class NothingChosen(WrongRequest):
    """A run has none of the requested properties."""


class Run:
    """A proof run: the properties of a block at one parameter set."""

    def __init__(self, block, params, options):
        self.block = block
        self.params = params
        self.values = block.parameters(params)
        self.known = proof_record.recorded(block, params, self.values)
        if self.known is None and (options.check or options.quick is not None):
            raise WrongRequest(
                f"no verdicts of {block.name} are recorded at the set {params} and its values",
                f"castor prove {block.name} --params {params} --record",
            )
        self.work = (Path(options.work) / block.name / f"prove-{params}").resolve()
        self.lost = []

    def prepare(self, options, progress):
        """Elaborates the block and chooses its properties. Raises NothingChosen if the options select none."""
        progress.say("elaborating")
        block, values, work = self.block, self.values, self.work
        if options.recorded:  # nothing is proven, so no circuits are needed
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
            self.chosen = [one for one in self.chosen if proof_record.is_quick(self.known.get(one.name), options.quick)]
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
        """Decides the chosen properties, compares the results with the recorded ones, and records them with
        --record."""
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
            self.lost = proof_record.losses(self.chosen, self.known, there)
        for line in self.lost:
            progress.line(f"lost: {line}")
        if options.record:
            proof_record.record(self.block, self.params, self.values, self.chosen)
            progress.line(f"recorded in {proof_record.record_of(self.block)}")

    def recall(self, progress):
        """Uses the recorded verdicts as results. Raises WrongRequest if they are of other sources or lack a
        property."""
        told = proof_record.of_these_sources(self.block, self.params, self.values)
        if any(prop.name not in told for prop in self.chosen):
            raise proof_record.not_recorded(self.block, self.params)
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
        """Returns whether this run allows exit code 0."""
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
    """Returns the numbers of properties that are decided without a bound, only to a bound, and neither."""
    good = sum(one.result in (PROVEN, REACHED) for one in properties)
    only = sum(one.result == BOUNDED for one in properties)
    return good, only, len(properties) - good - only


def summary(properties, began):
    """Returns the text with the counts of results, and the seconds since `began` (time.monotonic())."""
    _, only, bad = counts(properties)
    return (
        f"{sum(one.result == PROVEN for one in properties)} proven, {only} only to a bound, "
        f"{sum(one.result == REACHED for one in properties)} covers reached, {bad} failed or undecided, "
        f"{time.monotonic() - began:.0f} s"
    )


def line_of(one, width):
    """Returns the line that reports one property; names are padded to `width` characters."""
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
