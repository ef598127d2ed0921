"""castor mutate: measures which share of the RTL's mutants lockstep detects.

Yosys makes one design with all mutants, each active only if the signal `castor_mutant` has its number. A lockstep run
activates one mutant. Mutants that survive all runs are compared with the RTL formally; mutants that are proven
equivalent do not count.
"""

import hashlib
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cosim, tools, tree, width_mutants, yosys
from .equivalence import EQUIVALENT, SURVIVED, UNREACHED, Model, compare, compare_structure, proven_by
from .errors import WrongRequest

KILLED = "killed"

#: Share of the non-equivalent mutants that lockstep must detect.
GOAL = 0.95

#: Cycles of the first, short run of each mutant, if the planned runs are longer.
_GLANCE = 100_000

#: Limit of a lockstep run, in seconds of CPU time.
_RUN_SECONDS = 600


def add_arguments(parser):
    parser.add_argument("block", help="block")
    parser.add_argument(
        "--params",
        metavar="SET",
        default="proof",
        help="parameter set, with other values as in 'golden,CntW=10' (default: %(default)s)",
    )
    parser.add_argument("--count", metavar="N", type=int, default=100, help="mutants (default: %(default)s)")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=1, help="seed of the random choice of mutants (default: %(default)s)"
    )
    parser.add_argument(
        "--widths",
        action="store_true",
        help="only mutants of widths and constants: a high bit of a wide signal is 0, a bit of a constant is inverted",
    )
    parser.add_argument(
        "--cycles", metavar="C", type=int, default=20000, help="cycles of each run (default: %(default)s)"
    )
    parser.add_argument(
        "--runs", metavar="R", type=int, default=3, help="seeds for every sequence of the block (default: %(default)s)"
    )
    parser.add_argument(
        "--sequence",
        metavar="NAME",
        action="append",
        help="run this sequence alone (repeatable; default: all sequences of the block)",
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=float,
        default=60,
        help="CPU time to prove one survivor equivalent (default: %(default)g)",
    )
    parser.add_argument(
        "--waves", action="store_true", help="leave waves of each difference beside its log (takes twice as long)"
    )
    parser.add_argument(
        "--proven",
        metavar="FILE",
        help="JSON of castor prove at the same set, or 'recorded' for the recorded verdicts: a mutant that differs "
        "only where a property proven there does not hold is equivalent",
    )


class Mutant:
    """A mutant: its number, Yosys' command that makes it, its places in the sources, and its result."""

    def __init__(self, number, command):
        self.number = number
        self.command = re.sub(r" -ctrl \S+ \d+ \d+", "", command)
        self.mode = re.search(r"-mode (\S+)", command).group(1)
        self.places = re.findall(r"-src (\S+)", command)
        self.result = None
        self.by = ""
        self.cycle = None
        self.runs = 0  # number of planned runs that did not detect it

    def json(self, root):
        return {
            "number": self.number,
            "mode": self.mode,
            "source": place(self.places, root),
            "result": self.result,
            "by": self.by,
            "cycle": self.cycle,
            "command": self.command,
        }


def place(places, root):
    """Returns the place with the fewest lines as "rtl/x/castor_x.sv:12". Of equally long places it takes the last one,
    which belongs to the cell itself."""
    best, narrowest = "", None
    for text in places:
        found = re.fullmatch(r"(.*):(\d+)\.\d+-(\d+)\.\d+", text)
        if not found or found.group(2) == "0":
            continue
        lines = int(found.group(3)) - int(found.group(2))
        if narrowest is None or lines <= narrowest:
            path = Path(tools.original(found.group(1)))
            shown = path.relative_to(root) if path.is_relative_to(root) else path
            best, narrowest = f"{shown}:{found.group(2)}", lines
    return best


def run(options, progress):
    """Runs the command. Returns the exit code: 1 if the share of detected mutants is below GOAL."""
    if options.count < 1 or options.cycles < 1 or options.runs < 1:
        raise WrongRequest("--count, --cycles and --runs must be at least 1")
    tools.need("yosys", "berkeley-abc")
    block = tree.find(options.root, options.block)
    values = chosen_values(block, options.params)
    work = (Path(options.work) / block.name / f"mutate-{kind(options)}").resolve()
    work.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    progress.say("drawing mutants")
    mutants = draw(block, values, options.count, options.seed, work, options.widths)
    progress.say("building the model of all mutants")
    harness = cosim.Harness(
        block,
        cosim.build(
            block,
            values,
            source=work / "mutants.sv",
            code=Path(__file__).with_name("mutant_number.cpp"),
            waves=options.waves,
        ),
    )

    names = chosen_sequences(block, harness.sequences(work), options)
    plan = [(name, seed) for seed in range(1, options.runs + 1) for name in names]
    kept = Kept(work / "results.json", fingerprint(work, harness, options, names))
    for mutant in mutants:
        kept.restore(mutant)
    first = plan[: len(plan) // options.runs]
    model = Model(block, work / "equivalence", values, proven_by(options, block, values))
    model.cycles = sound(harness, options, plan, work)
    if options.cycles > _GLANCE:
        todo = [mutant for mutant in mutants if mutant.result is None]
        _work_off(
            todo,
            options,
            progress,
            kept,
            "mutants to look at",
            lambda one: glance(one, harness, options, *plan[0], work, model),
        )
    # Most mutants are killed in the first round (one seed). Survivors are then compared formally, so that equivalent
    # mutants skip the other rounds.
    for runs in first, plan:
        todo = [mutant for mutant in mutants if mutant.result in (None, SURVIVED) and mutant.runs < len(runs)]
        _work_off(
            todo,
            options,
            progress,
            kept,
            f"mutants of {len(mutants)} to run",
            lambda one: kill(one, harness, options, runs, work),
        )
        todo = [mutant for mutant in mutants if mutant.result == SURVIVED and not mutant.by]
        _work_off(todo, options, progress, kept, "survivors to compare", lambda one: compare(one, model, options))

    code = report(block, options, mutants, len(plan), time.monotonic() - began, progress)
    if options.json:
        counts = {
            result.replace(" ", "_"): sum(mutant.result == result for mutant in mutants)
            for result in (KILLED, SURVIVED, EQUIVALENT, UNREACHED)
        }
        tree.write_json(
            options.json,
            {
                "command": options.command,
                "tools": {name: tools.version(name) for name in ("yosys", "berkeley-abc", "verilator")},
                "block": block.name,
                "set": options.params,
                "parameters": values,
                "widths": options.widths,
                **counts,
                "killed_share": share(mutants),
                "mutants": [mutant.json(block.root) for mutant in mutants],
            },
        )
    return code


def chosen_values(block, text):
    """Returns the parameter values of a request "SET" or "SET,Name=Value,...", which changes values of the set. Raises
    WrongRequest for an unknown set or name, or a value that is not a number."""
    name, *changes = text.split(",")
    values = dict(block.parameters(name))
    for change in changes:
        found = re.fullmatch(r"(\w+)=(\d+)", change)
        if not found:
            raise WrongRequest(f"'{change}': not of the form Name=Value")
        values[tree.choose(f"parameter of {block.name}", found.group(1), list(values))] = int(found.group(2))
    return values


def chosen_sequences(block, known, options):
    """Returns the names of the sequences of each run: those of --sequence, or all. Raises WrongRequest for an unknown
    name."""
    for name in options.sequence or ():
        tree.choose(f"sequence of {block.name}", name, known)
    return list(dict.fromkeys(options.sequence)) if options.sequence else known


def kind(options):
    """Returns what distinguishes the mutants of this campaign from those of others of the block."""
    return f"{options.params}-{options.count}-{options.seed}" + ("-widths" if options.widths else "")


def share(mutants):
    """Returns the share of killed mutants among those that a run can show; 1 if there are none."""
    killed = sum(mutant.result == KILLED for mutant in mutants)
    counted = sum(mutant.result not in (EQUIVALENT, UNREACHED) for mutant in mutants)
    return round(killed / counted, 4) if counted else 1.0


def report(block, options, mutants, runs, seconds, progress):
    """Prints the survivors and the counts. Returns the exit code: 1 if the share of killed mutants is below GOAL."""
    added = " of widths and constants" if options.widths else ""
    progress.line(
        f"{block.name}, set {options.params}, seed {options.seed}: {len(mutants)} mutants{added}, up to {runs} runs of "
        f"{options.cycles} cycles each"
    )
    for mutant in mutants:
        if mutant.result in (SURVIVED, UNREACHED):
            progress.line(
                f"  {mutant.result}: {mutant.number:>4} {mutant.mode:<6} {place(mutant.places, block.root)}  "
                f"({mutant.by})"
            )
    killed = sum(mutant.result == KILLED for mutant in mutants)
    survived = sum(mutant.result == SURVIVED for mutant in mutants)
    unreached = sum(mutant.result == UNREACHED for mutant in mutants)
    far = f"{unreached} out of reach, " if unreached else ""
    progress.line(
        f"{killed} killed, {survived} survived, {far}{len(mutants) - killed - survived - unreached} equivalent: "
        f"{100 * share(mutants):.1f} % of those that differ are killed, goal {100 * GOAL:.0f} %, {seconds:.0f} s"
    )
    return 0 if share(mutants) >= GOAL else 1


def _work_off(todo, options, progress, kept, what, step):
    left = len(todo)

    def one(mutant):
        nonlocal left
        step(mutant)
        left -= 1
        progress.say(f"{left} {what}")
        return mutant

    progress.say(f"{left} {what}")
    with ThreadPoolExecutor(options.jobs) as pool:
        for mutant in pool.map(one, todo):
            kept.keep(mutant)


class Kept:
    """Results of a mutation campaign on disk, with which an interrupted campaign resumes. Results of a campaign with
    another fingerprint are discarded."""

    def __init__(self, path, mark):
        self.path = path
        self.data = {"campaign": mark, "mutants": {}}
        try:
            old = json.loads(path.read_text())
            if old["campaign"] == mark:
                self.data = old
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def restore(self, mutant):
        """Sets the result of a mutant from the stored results, if there is one."""
        mutant.result, mutant.by, mutant.cycle, mutant.runs = self.data["mutants"].get(
            str(mutant.number), (None, "", None, 0)
        )

    def keep(self, mutant):
        """Stores the result of a mutant; the file is replaced atomically."""
        self.data["mutants"][str(mutant.number)] = (mutant.result, mutant.by, mutant.cycle, mutant.runs)
        scratch = self.path.with_suffix(".new")
        scratch.write_text(json.dumps(self.data))
        scratch.replace(self.path)


def fingerprint(work, harness, options, names):
    """Returns a digest of everything on which the results depend: design, mutations, RTL object, bench, parameter set,
    cycles and names of the sequences."""
    parts = [
        (work / "base.il").read_bytes(),
        (work / "mutations.txt").read_bytes(),
        *(path.read_bytes() for path in harness.parts),
        f"{options.params} {options.cycles} {' '.join(names)}".encode(),
    ]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


# --- mutants ----------------------------------------------------------------------------------------------------------


def draw(block, values, count, seed, work, widths=False):
    """Elaborates the block, draws `count` mutations and writes the design with all mutants. Returns a list of Mutant.
    `widths`: only mutants of widths and constants (width_mutants.py).

    Memories are not mutated, because Yosys cannot make a change of their ports depend on a number. The logic around
    memories is.
    """
    bits = max(1, count.bit_length())
    sources = hashlib.sha256(
        b"\0".join(path.read_bytes() for path in block.sources) + repr(sorted(values.items())).encode()
    ).hexdigest()
    mark = work / "sources.sha256"
    if (
        not (work / "mutants.sv").exists()
        or not (work / "mutants.il").exists()
        or not mark.exists()
        or mark.read_text() != sources
    ):
        listed = f"mutate -list {count} -seed {seed} -ctrl castor_mutant {bits} 1 -o mutations.txt t:* t:$mem* %d"
        yosys.run(
            yosys.read(block, values)
            + ["proc", "flatten", "opt", "memory -nordff -nomap", "opt_clean", "write_ilang base.il"]
            + (["write_json base.json"] if widths else [listed]),
            work,
            "base",
        )
        if widths:
            lines = width_mutants.commands(work / "base.json", block.top, count, seed, bits)
            (work / "mutations.txt").write_text("\n".join(lines) + "\n")
        yosys.run(
            [
                "read_ilang base.il",
                "script mutations.txt",
                "opt_clean",
                "write_ilang mutants.il",
                yosys.SPLIT,
                "write_verilog -noattr mutants.v",
            ],
            work,
            "mutants",
        )
        (work / "mutants.sv").write_text(numbered((work / "mutants.v").read_text(), block.top))
        mark.write_text(sources)
    lines = (work / "mutations.txt").read_text().splitlines()
    mutants = [Mutant(number, line) for number, line in enumerate(lines, 1)]
    if not mutants:
        raise WrongRequest(f"Yosys finds nothing to change in {block.top}")
    return mutants


def numbered(verilog, top):
    """Turns the port `castor_mutant` into a register, which is initialised with the number of the active mutant.

    The module then has the same ports as the block. The number comes from castor_mutant_number() of the host program.
    """
    header = re.search(rf"^module {re.escape(top)}\((.*?)\);", verilog, re.MULTILINE | re.DOTALL)
    ports = [port.strip() for port in header.group(1).split(",")]
    ports.remove("castor_mutant")
    width = re.search(r"^  input (\[\d+:0\] )?castor_mutant;\n", verilog, re.MULTILINE)
    text = verilog[: header.start(1)] + ", ".join(ports) + verilog[header.end(1) :]
    text = text.replace(
        width.group(),
        f"  import \"DPI-C\" function int castor_mutant_number();\n  reg {width.group(1) or ''}castor_mutant;\n"
        "  initial castor_mutant = castor_mutant_number();\n",
        1,
    )
    return re.sub(r"^  wire (\[\d+:0\] )?castor_mutant;\n", "", text, count=1, flags=re.MULTILINE)


# --- lockstep ---------------------------------------------------------------------------------------------------------


def lockstep(number, harness, options, sequence, seed, log, *more, cycles=None):
    """Performs one lockstep run with mutant `number` active (0: no mutant). Returns the tools.Result. `more`: further
    arguments of `castor cosim`."""
    return harness.run(
        log,
        options.params,
        cycles or options.cycles,
        sequence,
        seed,
        "--dump",
        log.with_suffix(""),
        *more,
        mutant=number,
        seconds=_RUN_SECONDS,
    )


def sound(harness, options, plan, work):
    """Raises WrongRequest if lockstep fails without a mutant, because it would then seem to detect all mutants. Returns
    the number of cycles of the longest part of a run without a reset."""
    longest = 0
    log, data = work / "without.log", work / "without.json"
    for sequence, seed in plan:
        if lockstep(0, harness, options, sequence, seed, log, "--json", data).code != 0:
            raise WrongRequest(
                f"lockstep fails without any mutation, sequence {sequence}, seed {seed}",
                f"first make 'castor cosim {options.block} --params {options.params}' pass; log: {log}",
            )

        longest = max(longest, json.loads(data.read_text())["longest"])
    return longest


def glance(mutant, harness, options, sequence, seed, work, model):
    """Performs the first _GLANCE cycles of a run. If they do not detect the mutant, compares its structure with the
    RTL, so that no long run is needed for a mutant that changes nothing, or nothing that the runs reach."""
    log = work / "logs" / f"{mutant.number}.log"
    result = lockstep(mutant.number, harness, options, sequence, seed, log, cycles=_GLANCE)
    found = re.search(r"\bcycle (\d+)", result.output)
    if result.code == 1 and found:
        mutant.result, mutant.by, mutant.cycle = KILLED, f"{sequence} {seed}", int(found.group(1))
    elif result.code == 0:
        compare_structure(mutant, model, options)


def kill(mutant, harness, options, plan, work):
    """Performs the runs of the plan until one detects the mutant, and sets the mutant's result. Runs that the mutant
    has already survived are skipped."""
    log = work / "logs" / f"{mutant.number}.log"
    for sequence, seed in plan[mutant.runs :]:
        result = lockstep(mutant.number, harness, options, sequence, seed, log)
        if result.code == 0:
            mutant.runs += 1
            continue
        if result.code == 1:
            found = re.search(r"\bcycle (\d+)", result.output)
            mutant.result, mutant.by, mutant.cycle = (
                KILLED,
                f"{sequence} {seed}",
                int(found.group(1)) if found else None,
            )
            return
        if result.timed_out:
            mutant.result, mutant.by = KILLED, f"{sequence} {seed}: no end"
            return
        raise WrongRequest(f"mutant {mutant.number}: castor cosim ended with code {result.code}", f"log: {log}")
    mutant.result = SURVIVED
