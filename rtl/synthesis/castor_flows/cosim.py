"""Runs `castor cosim` for other flows: lockstep of a block's cycle model with an RTL object."""

import re

from . import installation, rtl_object, tools
from .errors import WrongRequest

#: Limit of a lockstep run, in seconds of CPU time.
_SECONDS = 1800


def build(block, values, **variant):
    """Returns the path of the RTL object of a block at these parameter values. `variant`: arguments of
    rtl_object.build. Raises WrongRequest for a block without manifest."""
    if block.manifest is None:
        raise WrongRequest(
            f"{block.name} has no manifest, and so no model to run against",
            "blocks with one are those that castor list blocks shows; leave out --root",
        )
    return rtl_object.build(block, values, installation.find(), **variant)


def default_runs(block, work):
    """Returns [(parameter set, cycles, sequence)] of the runs that `castor cosim NAME` performs by default. The
    sequence is None if it is the block's first one."""
    output = listing(block, work)
    found = re.findall(r"^--params (\S+) --cycles (\d+)(?: --sequence (\S+))?$", output, re.M)
    return [(params, int(cycles), sequence or None) for params, cycles, sequence in found]


def listing(block, work):
    """Returns the output of `castor cosim NAME --list`. Raises WrongRequest if the command fails."""
    work.mkdir(parents=True, exist_ok=True)
    log = work / "list.log"
    result = tools.run([installation.find().program(), "cosim", block.name, "--list"], log, _SECONDS)
    if result.code != 0:
        raise WrongRequest(f"castor cosim {block.name} --list fails", f"log: {log}")
    return result.output


class Harness:
    """Starts lockstep runs of one block with one RTL object."""

    def __init__(self, block, rtl):
        self.block = block
        self.rtl = rtl
        self.program = installation.find().program()

    @property
    def parts(self):
        """Files on which results of runs depend: the RTL object, and bench.so with model and sequences. Call
        `sequences` first, which builds bench.so if necessary."""
        return [self.rtl, self.block.manifest["folder"] / "bench.so"]

    def sequences(self, work):
        """Returns the names of the block's stimulus sequences, the default one first."""
        names = re.findall(r"^--sequence (\S+):", listing(self.block, work), re.MULTILINE)
        if not names:
            raise WrongRequest(f"castor cosim {self.block.name} does not list its sequences", f"log: {work}/list.log")
        return names

    def run(self, log, params, cycles, sequence, seed, *more, mutant=None, seconds=_SECONDS):
        """Performs one run. Returns the tools.Result; its code is 0 if model and RTL agree, 1 if they differ. `more`:
        further arguments of `castor cosim`; `mutant`: number of the mutant or fault that the RTL object activates."""
        command = [
            self.program,
            "cosim",
            self.block.name,
            "--rtl",
            self.rtl,
            "--params",
            params,
            "--cycles",
            cycles,
            "--sequence",
            sequence,
            "--seed",
            seed,
            *more,
        ]
        if mutant is not None:
            command = ["env", f"CASTOR_MUTANT={mutant}", *command]
        return tools.run(command, log, seconds)
