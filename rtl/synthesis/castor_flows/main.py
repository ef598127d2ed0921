"""The command line of the flows."""

import argparse
import importlib
import os
import shlex
import signal
import sys
import threading

from . import tools
from .errors import Interrupted, WrongRequest
from .progress import Progress

GOOD, FAILED, WRONG = 0, 1, 2

#: Of each command its meaning and an example; the module has its name.
_COMMANDS = {
    "area": (
        "Gates, flip-flops, memory bits, logic levels and clock period of a block's RTL",
        "castor area lax --params minimum --split",
    ),
    "prove": ("Prove the properties of a block's RTL", "castor prove lax --json proofs.json"),
    "lint": ("Every warning of Verilator about the blocks' RTL, at every parameter set", "castor lint lax saws"),
    "mutate": (
        "Break a block's RTL in many small ways and see whether lockstep notices",
        "castor mutate lax --count 200 --seed 1",
    ),
    "coverage": ("Lines and toggles of a block's RTL that its sequences reach", "castor coverage lax --missing"),
    "netlist": (
        "Write a block's gate netlist, with functional models of the cells",
        "castor netlist lax --params minimum -o lax.v",
    ),
    "faults": (
        "Does the default run of lockstep find the faults that were put in by hand?",
        "castor faults saws --params default",
    ),
    "evidence": (
        "Climb rungs of a block's ladder and record what was measured, on which sources",
        "castor evidence saws lockstep formal",
    ),
    "rtl-object": (
        "Build the RTL of a block at given values as a shared object, unless the cache has it, and print its path",
        "flows.py rtl-object lib/castor/blocks/saws/block.json NumSched=4 ...",
    ),
    "experiment-sources": (
        "Print a digest of the sources that can change the runs of an experiment, and the commit",
        "flows.py experiment-sources . sw/kernels/dynamic sw/workloads/children",
    ),
}

#: Commands that programs of Castor give, not people.
_FOR_PROGRAMS = ("rtl-object", "experiment-sources")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise WrongRequest(message, f"{self.prog} --help shows what it takes")

    def _print_message(self, message, file=None):
        """As the base class, which keeps silent where nothing can be written."""
        (file or sys.stderr).write(message)


def module_of(name):
    """The module of a command. Only the one that is run is loaded: RTL objects are asked for often."""
    return importlib.import_module("." + name.replace("-", "_"), __package__)


def parser(chosen=None):
    """The parser, with the options of the command `chosen`."""
    top = _Parser(prog="castor", description="Flows over the blocks' RTL.", allow_abbrev=False)
    commands = top.add_subparsers(dest="name", required=True, metavar="COMMAND")
    for name, (what, example) in _COMMANDS.items():
        one = commands.add_parser(
            name,
            help=what,
            description=what + ".",
            allow_abbrev=False,
            epilog=f"Example: {example}. Exit codes: 0 good, 1 the thing under test failed, 2 the request was wrong.",
        )
        if name != chosen:
            continue
        module_of(name).add_arguments(one)
        if name not in _FOR_PROGRAMS:
            one.add_argument(
                "--json", metavar="FILE", help="write the result as JSON ('-': standard output, after the text)"
            )
            one.add_argument(
                "--work",
                metavar="DIR",
                default="castor-work",
                help="folder for scripts and logs (default: %(default)s)",
            )
            one.add_argument(
                "--root",
                metavar="DIR",
                help="folder that holds rtl/ and tb/ (default: the blocks that castor list blocks shows)",
            )
        one.add_argument(
            "--jobs", metavar="N", type=_positive, default=tools.cores(), help="processes at once (default: all cores)"
        )
    return top


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _not_done(error):
    """Says in a line what the system refused, a write to a full disk above all; returns the exit code."""
    name = f" '{error.filename}'" if error.filename else ""
    print(f"castor: error {error.strerror or error}{name}", file=sys.stderr)
    return WRONG


def _flushed(code):
    """`code`, or that of a wrong request if what was printed does not reach standard output."""
    try:
        sys.stdout.flush()
        return code
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the interpreter, which flushes at its end
        return code if isinstance(error, BrokenPipeError) else _not_done(error)


def run(words):
    """Runs one command; returns the exit code. Errors are one line on standard error."""
    return _flushed(_run(words))


def _run(words):
    if threading.current_thread() is threading.main_thread():

        def interrupted(number, _):
            tools.stop_all()
            raise Interrupted(number)

        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, interrupted)
    try:
        options = parser(words[0] if words else None).parse_args(words)
        options.command = "castor " + " ".join(map(shlex.quote, words))
        with Progress() as progress:
            return module_of(options.name).run(options, progress)
    except WrongRequest as error:
        sys.stdout.flush()
        print(f"castor: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG
    except (Interrupted, KeyboardInterrupt) as end:
        print("castor: interrupted", file=sys.stderr)
        return end.code if isinstance(end, Interrupted) else 128 + signal.SIGINT
    except BrokenPipeError:
        return GOOD
    except OSError as error:
        return _not_done(error)
    except SystemExit as end:  # --help
        return end.code or GOOD
    finally:
        tools.stop_all()
