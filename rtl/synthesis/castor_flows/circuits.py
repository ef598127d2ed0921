"""Circuits out of a block and its properties: the block as a whole, and the modules inside it alone."""

import re

from . import formal, yosys
from .errors import WrongRequest
from .properties import cells_of, written_at

#: So begins the label of a cover that asks for no more than that the module that it is bound to reaches it.
_ALONE = "alone_"


def elaborate(block, values, work):
    """Elaborates block and properties; the design stays in `work` for the engines. Returns every Property."""
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
            f"{block.bench / f'castor_{block.name}_properties.sv'}: no assertion came out of it",
            "is there a bind, and an assert in always_ff?",
        )
    return properties


def write_circuit(work):
    """The circuit of what `elaborate` left in `work`, for prepare_aiger."""
    yosys.run(["read_ilang design.il", *_gates("properties")], work, "gates")


def _gates(stem):
    """Yosys commands that write the properties and assumptions and what they depend on as AIGER."""
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
    """A module inside the block that has properties, as a circuit of its own: its inputs do what they like."""

    def __init__(self, prefix, module, stem):
        self.prefix = prefix  # of its properties' names in the block
        self.module = module
        self.stem = stem  # of its files


def elaborate_parts(block, values, work):
    """Elaborates the block with its modules as they are; the design stays in `work`. Returns its instances."""
    extra, replaced, _ = formal.prepare(block, work, parts=True)
    yosys.run(
        yosys.read(block, values, formal=True, extra=extra, replaced=replaced)
        + [f"prep -top {block.top}", "write_ilang hierarchy.il"],
        work,
        "hierarchy",
    )
    return instances_of((work / "hierarchy.il").read_text())


def split(block, instances, properties, work):
    """Gives each assertion of a module inside the block its Part, and each cover that asks for one; the circuits are in
    `work`."""
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
    """{module: {instance: module}} of a design."""
    found = {}
    for line in ilang.splitlines():
        words = line.split()
        if words[:1] == ["module"]:
            found[words[1].lstrip("\\")] = inside = {}
        elif words[:1] == ["cell"]:
            inside[words[2].lstrip("\\")] = words[1].lstrip("\\")
    return found


def part_of(cell, top, instances):
    """(prefix, module) of the module inside the block that the property `cell` is bound to; None if that is the
    block."""
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
    # The last one holds the properties themselves.
    return chain[-2] if len(chain) > 2 else None
