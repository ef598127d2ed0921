"""Makes circuits from a block and its properties: one of the whole block, and one of each module inside the block that
has properties."""

import re

from . import formal, yosys
from .errors import WrongRequest
from .properties import cells_of, written_at

#: Prefix of the label of a cover that only has to be reached in its module alone, not in the block.
_ALONE = "alone_"


def elaborate(block, values, work):
    """Elaborates the block with its properties. Returns all properties as a list of Property; leaves the design in the
    folder `work` for the engines."""
    extra, replaced, origins = formal.prepare(block, work)
    yosys.run(
        yosys.read(block, values, formal=True, extra=extra, replaced=replaced)
        + [
            f"prep -flatten -top {block.top}",
            "async2sync",
            "dffunmap",
            "write_ilang design.il",
            "tee -q -o cells.txt dump -n t:$assert t:$cover",
        ],
        work,
        "elaborate",
    )
    properties = cells_of((work / "cells.txt").read_text())
    for one in properties:
        one.source = written_at(one.source, origins, block.root)
    if sum(not one.cover for one in properties) == 0:
        raise WrongRequest(
            f"{block.bench / f'castor_{block.name}_properties.sv'}: no assertion was elaborated from it",
            "it needs a bind, and an assert in always_ff",
        )
    return properties


def write_circuit(work):
    """Writes the circuit of the design that `elaborate` left in `work` as AIGER files for prepare_aiger."""
    yosys.run(["read_ilang design.il", *_gates("properties")], work, "gates")


def _gates(stem):
    """Returns Yosys commands that write <stem>.aig and <stem>.map: the properties and assumptions of a design, with the
    logic on which they depend."""
    return [
        "delete -output",
        "memory_map",
        "techmap",
        "dfflegalize -cell $_DFF_P_ 01",
        "expose -evert t:$assert t:$cover t:$assume",
        "setundef -anyseq",
        "opt_clean",
        "aigmap",
        f"write_aiger -I -O -B -zinit -map {stem}.map {stem}.aig",
    ]


class Part:
    """A module inside the block that has properties, as a circuit of its own with unconstrained inputs."""

    def __init__(self, prefix, module, stem):
        self.prefix = prefix  # prefix of the names of its properties in the block
        self.module = module
        self.stem = stem  # stem of the names of its files


def elaborate_parts(block, values, work):
    """Elaborates the block without flattening and leaves the design in `work`. Returns its instances as `instances_of`
    does."""
    extra, replaced, _ = formal.prepare(block, work, parts=True)
    yosys.run(
        yosys.read(block, values, formal=True, extra=extra, replaced=replaced)
        + [f"prep -top {block.top}", "write_ilang hierarchy.il"],
        work,
        "hierarchy",
    )
    return instances_of((work / "hierarchy.il").read_text())


def split(block, instances, properties, work):
    """Sets the Part of each assertion of a module inside the block, and of each cover whose label begins with `alone_`.
    Writes the circuits of the parts to `work`."""
    parts, commands = {}, []
    for one in properties:
        path = part_of(one.cell, block.top, instances)
        if path is None or (one.cover and not one.cell.split(".")[-1].startswith(_ALONE)):
            continue
        prefix, module = path
        if prefix not in parts:
            parts[prefix] = Part(prefix, re.findall(r"castor_\w+", module)[0], f"part{len(parts)}")
            commands += [
                "design -reset",
                "read_ilang hierarchy.il",
                f"hierarchy -top {module}",
                "flatten",
                "async2sync",
                "dffunmap",
                "opt_clean",
                f"write_ilang {parts[prefix].stem}.il",
                *_gates(parts[prefix].stem),
            ]
        one.part = parts[prefix]
    if commands:
        yosys.run(commands, work, "parts")


def instances_of(ilang):
    """Returns {module: {instance: module of the instance}} of a design in Yosys' ILANG format."""
    found = {}
    for line in ilang.splitlines():
        words = line.split()
        if words[:1] == ["module"]:
            found[words[1].lstrip("\\")] = inside = {}
        elif words[:1] == ["cell"]:
            inside[words[2].lstrip("\\")] = words[1].lstrip("\\")
    return found


def part_of(cell, top, instances):
    """Returns (prefix, module) of the module inside the block to which the property `cell` is bound; None if the
    property is bound to the block itself."""
    chain = [("", top)]
    while True:
        prefix, module = chain[-1]
        below = [
            (f"{prefix}{name}.", kind)
            for name, kind in instances[module].items()
            if kind in instances and cell.startswith(f"{prefix}{name}.")
        ]
        if not below:
            break
        chain.append(max(below))
    # The last element of the chain is the module that contains the properties.
    return chain[-2] if len(chain) > 2 else None
