"""Formal comparison of a mutant with the RTL, for castor mutate."""

import hashlib
import json
import re
import threading

from . import aiger, circuits, formal, proof_record, reach, tools, tree, yosys
from .errors import WrongRequest
from .properties import PROVEN

#: Results of a mutant that no run has killed: it is the same as the RTL, always or in all that a run can reach; or not.
EQUIVALENT, UNREACHED, SURVIVED = "equivalent", "out of reach", "survived"


class Model:
    """The gate-level circuit with all mutants, for equivalence checks. Yosys makes it at the first comparison."""

    def __init__(self, block, work, values=None, proven=()):
        """`proven`: names of properties that hold in every reachable state of the block."""
        self.block = block
        self.work = work
        self.values = values
        self.proven = proven
        self.cycles = 0  # cycles of the longest part of a run without a reset
        self.invariants = None
        self.counts = {}  # latches of counts that are proven to grow by at most 1 per cycle
        self._lock = threading.Lock()
        self._pair = None

    def compare(self, mutant, path, combinational, zero=()):
        """Writes the comparison of a mutant with the RTL as an AIGER file. Returns False if they are structurally
        equal. `zero`: numbers of latches that are 0 in the combinational comparison."""
        with self._lock:
            if self._pair is None:
                self._make()
            bits = sorted(
                (bit, number) for (name, bit), number in self._circuit.inputs_by_name.items() if name == "castor_mutant"
            )
            gold = {number: 0 for _, number in bits}
            gate = {number: mutant.number >> bit & 1 for bit, number in bits}
            return self._pair.write(path, gold, gate, combinational, self.invariants if combinational else None, zero)

    def prove_counts(self, options):
        """Proves that the counts of tb/<block>/counts.json grow by at most 1 per cycle (reach.py). Raises WrongRequest
        if one may grow by more, or if it cannot be decided."""
        with self._lock:
            if self.counts or not self.cycles:
                return
            counts = reach.words(reach.read(self.block), self._circuit.latches_by_name)
            gold = {number: 0 for (name, _), number in self._circuit.inputs_by_name.items() if name == "castor_mutant"}
            growth = self._pair.write_growth(self.work / "growth.aig", gold, list(counts.values()))
            for name, _ in zip(counts, growth):
                if not _never("growth", self, options):
                    raise WrongRequest(f"{name} of {self.block.name} is not shown to grow by at most 1 per cycle")
            self.counts = counts

    def _make(self):
        # A mutation at the output of a register gives the register a new name. The signals with the old names are kept
        # as outputs, because properties may refer to them.
        behind = sorted(set(re.findall(r"-port Q .*?-wire (\S+)", (self.work.parent / "mutations.txt").read_text())))
        mark = self.work / "mutants.sha256"
        made_of = hashlib.sha256((self.work.parent / "mutants.il").read_bytes()).hexdigest()
        if not mark.exists() or mark.read_text() != made_of:
            yosys.run(
                [
                    "read_ilang ../mutants.il",
                    *(f"expose {self.block.top}/w:{name}" for name in behind),
                    "memory_map",
                    "async2sync",
                    "techmap",
                    "dffunmap",
                    "opt_clean",
                    "zinit -all",
                    "dfflegalize -cell $_DFF_P_ 01",
                    "aigmap",
                    "setundef -zero",
                    "opt_clean",
                    "write_aiger -I -O -L -zinit -map mutants.map mutants.aig",
                ],
                self.work,
                "mutants",
            )
            mark.write_text(made_of)
        self._circuit = aiger.Circuit(self.work / "mutants.aig", self.work / "mutants.map")
        nets = self._circuit.values_of(set(behind))  # must be read before outputs that are no ports are removed
        self._circuit.hide(set(behind) - self._ports())
        if self.proven:
            self._make_invariants(nets)
        self._pair = aiger.Pair(self._circuit)
        self._pair.reset(3)  # all inputs are 0, so rst_ni is active

    def _ports(self):
        """Returns the names of the block's ports."""
        header = re.search(
            rf"^module {re.escape(self.block.top)}\((.*?)\);",
            (self.work.parent / "mutants.sv").read_text(),
            re.MULTILINE | re.DOTALL,
        )
        return {port.strip() for port in header.group(1).split(",")} if header else set()

    def _make_invariants(self, nets):
        """Makes the invariants: a circuit of the proven properties. All its latches are initially 0, like those of the
        mutants' circuit."""
        folder = self.work / "properties"
        circuits.elaborate(self.block, self.values, folder)
        yosys.run(
            [
                "read_ilang design.il",
                "delete t:$cover",
                "delete -output",
                "memory_map",
                "techmap",
                "opt_clean",
                "zinit -all",
                "dfflegalize -cell $_DFF_P_ 01",
                "expose -evert t:$assert",
                "opt_clean",
                "setundef -zero",
                "aigmap",
                "opt_clean",
                "write_aiger -I -O -zinit -map invariants.map invariants.aig",
            ],
            folder,
            "invariants",
        )
        circuit = aiger.Circuit(folder / "invariants.aig", folder / "invariants.map")
        outputs = [
            tuple(circuit.outputs[circuit.outputs_by_name[f"{name}.{port}", 0]] for port in ("A", "EN"))
            for name in self.proven
        ]
        self.invariants = aiger.Invariants(circuit, outputs, self._circuit, nets)


def proven_by(options, block, values):
    """Returns the names of the properties that are proven according to --proven. Raises WrongRequest if those proofs
    are of other sources or of other parameter values."""
    if not options.proven:
        return []
    if options.proven == "recorded":
        return proof_record.recorded_as_proven(block, options.params, values)
    try:
        data = json.loads(tree.read_text(options.proven))
        if data["sources"] != formal.fingerprint(block) or data["parameters"] != values:
            raise WrongRequest(
                f"{options.proven}: the proofs are of other sources or of another parameter set",
                "run castor prove again",
            )
        return [one["cell"] for one in data["properties"] if one["result"] == PROVEN]
    except (ValueError, KeyError, TypeError):
        raise WrongRequest(f"{options.proven}: not what castor prove --json writes") from None


def compare_structure(mutant, model, options):
    """Sets the result of a mutant that has the structure of the RTL, in every state or in every state in which no count
    has a bit that the runs do not reach (reach.py)."""
    path = model.work / f"m{mutant.number}.aig"
    if not model.compare(mutant, path, combinational=True):
        mutant.result, mutant.by = EQUIVALENT, "structure"
    elif reach.read(model.block):
        model.prove_counts(options)
        least = reach.bits(model.cycles)
        if not model.compare(mutant, path, True, reach.upper_latches(model.counts, least)):
            mutant.result, mutant.by = UNREACHED, f"equal for 2^{least} cycles after a reset"


def compare(mutant, model, options):
    """Tries to prove a surviving mutant equivalent to the RTL, and sets its result.

    The first check is combinational: outputs and next states must be equal in every state, or with --proven in every
    state in which the proven properties hold. The RTL reaches only such states, so RTL and mutant then stay in equal
    states. The second check makes the same comparison without the upper bits of counts that no run reaches (reach.py);
    a mutant that passes is out of reach. The third check is sequential: outputs must be equal in every state that is
    reachable from reset, with memories initially 0. The mutant remains a survivor if a difference is found, or if the
    time does not suffice.
    """
    name = f"m{mutant.number}"
    path = model.work / f"{name}.aig"
    compare_structure(mutant, model, options)
    if mutant.result != SURVIVED:
        return
    model.compare(mutant, path, combinational=True)
    if _never(name, model, options):
        mutant.result, mutant.by = EQUIVALENT, "every state that can be reached" if model.invariants else "every state"
        return
    least = reach.bits(model.cycles)
    if reach.read(model.block):
        model.compare(mutant, path, True, reach.upper_latches(model.counts, least))
        if _never(name, model, options):
            mutant.result, mutant.by = UNREACHED, f"equal for 2^{least} cycles after a reset"
            return
    model.compare(mutant, path, combinational=False)
    output = _abc(name, model.work, f"strash; scleanup; scorr; pdr -T {int(options.seconds)}", options).output
    if re.search(r"^Property proved\.|Networks are equivalent", output, re.MULTILINE):
        mutant.result, mutant.by = EQUIVALENT, "pdr"
    elif re.search(r"was asserted in frame (\d+)", output):
        mutant.by = "differs from cycle " + re.search(r"was asserted in frame (\d+)", output).group(1) + " on"
    else:
        mutant.by = "not decided"


def _never(name, model, options):
    """Returns whether the output of a combinational comparison is proven to be 0 for all inputs."""
    return "UNSATISFIABLE" in _abc(name, model.work, "strash; &get; &fraig -C 20; &put; iprove", options).output


def _abc(name, work, script, options):
    return tools.run(
        ["berkeley-abc", "-c", f"read_aiger {name}.aig; {script}"],
        work / f"{name}.log",
        2 * options.seconds + 10,
        cwd=work,
    )
