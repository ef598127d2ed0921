"""Command line of the flows: parses the arguments and runs the chosen command."""

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

#: Command -> (meaning, example). The module of a command has the same name.
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

#: Commands that programs of Castor call, not users.
_FOR_PROGRAMS = ("rtl-object", "experiment-sources")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise WrongRequest(message, f"{self.prog} --help lists options and arguments")

    def _print_message(self, message, file=None):
        """Prints a message as the base class does, but raises OSError if writing fails."""
        (file or sys.stderr).write(message)


def module_of(name):
    """Imports and returns the module of a command. Other modules are not loaded, because `rtl-object` is called often
    and must start fast."""
    return importlib.import_module("." + name.replace("-", "_"), __package__)


def parser(chosen=None):
    """Returns the argument parser of all commands, with the options of the command `chosen` only."""
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
    """Prints an operating system error (such as a full disk) as one line. Returns the exit code WRONG."""
    name = f" '{error.filename}'" if error.filename else ""
    print(f"castor: error {error.strerror or error}{name}", file=sys.stderr)
    return WRONG


def _flushed(code):
    """Flushes standard output. Returns `code`, or the exit code WRONG if the output cannot be written."""
    try:
        sys.stdout.flush()
        return code
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes again at its end
        return code if isinstance(error, BrokenPipeError) else _not_done(error)


def run(words):
    """Runs one command with the arguments `words`. Returns the exit code. Prints an error as one line on standard
    error."""
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
