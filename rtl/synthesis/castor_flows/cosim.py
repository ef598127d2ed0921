"""`castor cosim` as flows use it: a block's model against an RTL object."""

import re

from . import installation, rtl_object, tools
from .errors import WrongRequest

#: What a run of lockstep may take.
_SECONDS = 1800


def build(block, values, **variant):
    """The RTL object of a block at these values, as rtl_object.build. Raises WrongRequest for a block without
    manifest."""
    if block.manifest is None:
        raise WrongRequest(
            f"{block.name} has no manifest, and so no model to run against",
            "blocks with one are those that castor list blocks shows; leave out --root",
        )
    return rtl_object.build(block, values, installation.find(), **variant)


def default_runs(block, work):
    """[(set, cycles)] of what `castor cosim NAME` runs."""
    output = listing(block, work)
    return [(params, int(cycles)) for params, cycles in re.findall(r"^--params (\S+) --cycles (\d+)$", output, re.M)]


def listing(block, work):
    """What `castor cosim NAME --list` says."""
    work.mkdir(parents=True, exist_ok=True)
    log = work / "list.log"
    result = tools.run([installation.find().program(), "cosim", block.name, "--list"], log, _SECONDS)
    if result.code != 0:
        raise WrongRequest(f"castor cosim {block.name} --list fails", f"log: {log}")
    return result.output


class Harness:
    """Runs of one block over one RTL object."""

    def __init__(self, block, rtl):
        self.block = block
        self.rtl = rtl
        self.program = installation.find().program()

    @property
    def parts(self):
        """Files that results depend on: RTL, model and sequences; after `sequences`."""
        return [self.rtl, self.block.manifest["folder"] / "bench.so"]

    def sequences(self, work):
        """Names of the block's sequences, its default first."""
        names = re.findall(r"^--sequence (\S+):", listing(self.block, work), re.MULTILINE)
        if not names:
            raise WrongRequest(f"castor cosim {self.block.name} does not list its sequences", f"log: {work}/list.log")
        return names

    def run(self, log, params, cycles, sequence, seed, *more, mutant=None, seconds=_SECONDS):
        """One run. Returns the tools.Result; its code is 0 if there was no difference, 1 if there was one."""
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
