"""castor netlist: writes a block's gate netlist with functional models of its cells, as one Verilog file for any
simulator.

With --lockstep the netlist is verilated and compared with the block's cycle model, like the RTL.
"""

from pathlib import Path

from . import cosim, liberty, tools, tree, yosys
from .errors import WrongRequest


def add_arguments(parser):
    parser.add_argument("block", help="block")
    parser.add_argument("--params", metavar="SET", default="minimum", help="parameter set (default: %(default)s)")
    parser.add_argument("--liberty", metavar="FILE", help="standard cells, plain or gzipped (default: OSU018)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="Verilog file to write (default: netlist.sv in the folder of scripts and logs)",
    )
    parser.add_argument(
        "--lockstep",
        action="store_true",
        help="then run the block's model against the netlist, and fail if an output differs",
    )
    parser.add_argument(
        "--sequence",
        metavar="NAME",
        action="append",
        help="with --lockstep: this sequence (repeatable; default: the block's first)",
    )
    parser.add_argument(
        "--cycles",
        metavar="C",
        type=int,
        default=20000,
        help="with --lockstep: cycles of each run (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", metavar="S", type=int, default=1, help="with --lockstep: seed of each run (default: %(default)s)"
    )


def run(options, progress):
    """Runs the command. Returns the exit code."""
    tools.need("yosys")
    progress.say("reading the library")
    library = liberty.Library(options.liberty or liberty.DEFAULT)
    block = tree.find(options.root, options.block)
    values = block.parameters(options.params)
    work = (Path(options.work) / block.name / f"netlist-{options.params}-{library.name}").resolve()
    output = Path(options.output or work / "netlist.sv").resolve()
    progress.say(f"{block.name} {options.params}: synthesis")
    counts = write(block, values, library, work, output)
    used = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
    progress.line(
        f"{block.name}, set {options.params}: {sum(counts.values())} cells of {library.name}, "
        f"{library.flops(counts)} flip-flops -> {output}"
    )
    if options.json:
        tree.write_json(
            options.json,
            {
                "command": options.command,
                "block": block.name,
                "set": options.params,
                "parameters": values,
                "library": library.name,
                "cells": counts,
                "flops": library.flops(counts),
            },
        )
    else:
        progress.line(f"  {used}")
    return lockstep(block, values, output, work, options, progress) if options.lockstep else 0


def lockstep(block, values, netlist, work, options, progress):
    """Runs the block's model in lockstep with the netlist, which has outputs but no probes. Returns the exit code."""
    progress.say(f"{block.name} {options.params}: building the netlist")
    how = {"source": netlist, "unoptimized": True}
    harness = cosim.Harness(block, cosim.build(block, values, **how))
    known = harness.sequences(work)
    code = 0
    for sequence in options.sequence or known[:1]:
        tree.choose(f"sequence of {block.name}", sequence, known)
        progress.say(f"{block.name} {options.params}: {sequence}")
        log = work / f"{sequence}-{options.seed}.log"
        dump = ("--no-skip", "--dump", log.with_suffix(""))
        words = (log, options.params, options.cycles, sequence, options.seed, *dump)
        result = harness.run(*words)
        if result.code != 0:  # repeats the run with an object that can write waves, which takes longer to build
            result = cosim.Harness(block, cosim.build(block, values, **how, waves=True)).run(*words)
        verdict = "no difference" if result.code == 0 else f"FAILED, see {log}"
        progress.line(f"  {sequence}, seed {options.seed}, {options.cycles} cycles: {verdict}")
        code = code or (0 if result.code == 0 else 1)
    return code


def write(block, values, library, work, output):
    """Synthesises the block and writes the netlist and the cell models to `output`. Returns {cell: number}."""
    work.mkdir(parents=True, exist_ok=True)
    plain = yosys.quoted(liberty.plain_copy(library.path, work))
    yosys.run(
        yosys.read(block, values)
        + [
            f"synth -flatten -top {block.top}",
            f"dfflibmap -liberty {plain}",
            f"abc -liberty {plain}",
            "opt_clean -purge",
            "tee -q -o cells.json stat -json",
            yosys.SPLIT,
            "write_verilog -noattr -noexpr -nohex netlist.v",
        ],
        work,
        "synthesis",
    )
    counts = yosys.counts((work / "cells.json").read_text())
    library.area(counts)  # raises WrongRequest for a cell that is not in the library
    text = (work / "netlist.v").read_text()
    text += "\n// The cells' functions, out of the liberty file: no delays, no unknowns.\n"
    text += "\n".join(liberty.verilog_model(library.cells[name]) for name in sorted(counts))
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongRequest(f"cannot write '{output}': {error.strerror}") from None
    return counts
