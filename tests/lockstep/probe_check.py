#!/usr/bin/env python3
"""Holds a block's probes against the registers of its RTL, as Verilator resolves it.

    probe_check.py <verilator> <folder of the RTL> <folder of the probe top> <block> [<set>...]
                   [--ports <header> <type>]

The probe top is completed out of the port list (castor_flows/ports.py) of the block of that name, which `castor list
blocks` shows, or of the header, which lies in a folder above.

A register is what a clocked process assigns. Every bit of it must reach a port of the probe wrapper, where lockstep
compares it in each cycle, through nothing but wires, or through a choice between it and 0 or an AND with a bit that is
a probe itself (a value that is shown only while it means something); a table counts if the row that is read does.
Registers of which a bit does not are in unprobed.json beside the wrapper, {"path below the block": "reason"}, with [*]
for the numbers of a generate loop. The check is made at every set of parameter_sets.json, or those that are named. A
reason for a register that does not exist, or that is a probe at every set, is an error too.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "rtl/synthesis"))
from castor_flows import rtl_object, tree  # noqa: E402

DUT = "u_dut"


def elaborate(verilator, top, files, params):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.xml"
        subprocess.run(
            [verilator, "--xml-only", "--xml-output", str(output), "--Mdir", folder, "--top-module", top]
            + [f"-G{name}={value}" for name, value in params.items()]
            + [str(file) for file in files],
            check=True,
        )
        return xml.parse(output)


def number(node):
    """The value of a constant, None if the node is none."""
    if node.tag != "const":
        return None
    value = re.fullmatch(r"\d+'s?([hbd])([0-9a-fA-F]+)", node.get("name"))
    return int(value[2], {"h": 16, "b": 2, "d": 10}[value[1]]) if value else None


class Design:
    """The elaborated wrapper: widths, registers and wires of every scope. A scope is the path of an instance or of a
    generate block; a name is (scope, variable)."""

    def __init__(self, tree):
        self.types = {node.get("id"): node for node in tree.iter("typetable").__next__()}
        self.modules = {node.get("name"): node for node in tree.iter("module")}
        self.widths, self.tables, self.registers = {}, set(), {}
        self.wires = {}  # name: [(first bit, bits, scope, expression)]
        self.parents = {}  # of scopes
        top = next(node for node in self.modules.values() if node.get("topModule"))
        self.outputs = [((), var.get("name")) for var in top.findall("var") if var.get("dir") == "output"]
        self.enter((), top, None)
        self.known = {}

    def width(self, identifier):
        """Bits of a type; those of one row if it is a table."""
        node = self.types[identifier]
        if node.tag == "basicdtype":
            left = node.get("left")
            return 1 if left is None else abs(int(left) - int(node.get("right"))) + 1
        if node.tag == "structdtype":
            return sum(self.width(member.get("sub_dtype_id")) for member in node.findall("memberdtype"))
        if node.tag == "packarraydtype":
            first, last = (number(one) for one in node.find("range").findall("const"))
            return (abs(first - last) + 1) * self.width(node.get("sub_dtype_id"))
        return self.width(node.get("sub_dtype_id"))  # a name of a type, an enumeration, rows of a table

    def is_table(self, identifier):
        node = self.types[identifier]
        return node.tag == "unpackarraydtype" or (node.tag == "refdtype" and self.is_table(node.get("sub_dtype_id")))

    def enter(self, scope, node, parent):
        """Takes in the module or generate block `node`; `parent` is the scope whose names it sees."""
        self.parents[scope] = parent
        for var in node.findall("var"):
            name = (scope, var.get("name"))
            self.widths[name] = self.width(var.get("dtype_id"))
            if self.is_table(var.get("dtype_id")):
                self.tables.add(name)
        for part in node:
            if part.tag == "begin" and part.get("name"):
                self.enter((*scope, part.get("name")), part, scope)
            elif part.tag == "instance":
                inside = (*scope, part.get("name"))
                self.enter(inside, self.modules[part.get("defName")], None)
                for port in part.findall("port"):
                    if len(port) and port.get("direction") == "in":
                        name = (inside, port.get("name"))
                        self.wires.setdefault(name, []).append((0, self.widths[name], scope, port[0]))
                    elif len(port):
                        self.connect(scope, port[0], inside, port.get("name"))
        for wire in node.findall("contassign"):
            self.connect(scope, wire[1], scope, wire[0])
        for process in node.findall("always"):
            for store in process.iter("assigndly"):
                target = next(ref for ref in store[1].iter("varref"))
                name = self.resolve(scope, target.get("name"))
                self.registers[name] = self.widths[name]

    def connect(self, scope, target, source_scope, source):
        """`target`, an expression in `scope`, shows `source`, an expression or the name of a port."""
        first, bits = 0, None
        if target.tag == "sel":
            first, bits = number(target[1]), number(target[2])
            target = target[0]
        if target.tag == "concat":  # low bits last
            offset = 0
            for part in (target[1], target[0]):
                self.connect_part(scope, part, source_scope, source, offset)
                offset += self.width(part.get("dtype_id"))
        elif target.tag in ("varref", "varxref") and first is not None:
            name = self.name_of(scope, target)
            entry = (first, bits or self.widths[name], source_scope, source)
            self.wires.setdefault(name, []).append(entry)

    def connect_part(self, scope, part, source_scope, source, offset):
        if part.tag == "concat":
            for one in (part[1], part[0]):
                self.connect_part(scope, one, source_scope, source, offset)
                offset += self.width(one.get("dtype_id"))
        elif part.tag == "varref":
            name = self.name_of(scope, part)
            self.wires.setdefault(name, []).append((-offset, self.widths[name] + offset, source_scope, source))

    def resolve(self, scope, variable):
        while (scope, variable) not in self.widths:
            scope = self.parents[scope]
            if scope is None:
                raise SystemExit(f"no variable {variable}")
        return (scope, variable)

    def name_of(self, scope, reference):
        if reference.tag == "varref":
            return self.resolve(scope, reference.get("name"))
        # Verilator writes the number of a generate loop in a path as __BRA__0__KET__.
        path = reference.get("dotted").replace("__BRA__", "[").replace("__KET__", "]").split(".")
        while scope is not None:
            name = ((*scope, *path), reference.get("name"))
            if name in self.widths:
                return name
            scope = self.parents[scope]
        raise SystemExit(f"no variable {reference.get('dotted')}.{reference.get('name')}")

    def trace(self, name, bit):
        """The register, or the table, of which the bit is: (name, bit); None if there is none, but logic. An AND of two
        such is Both of them."""
        if name in self.registers:
            return name, bit
        if (name, bit) not in self.known:
            self.known[name, bit] = None  # a loop leads nowhere
            for first, bits, scope, source in self.wires.get(name, ()):
                if first <= bit < first + bits:
                    if isinstance(source, str):
                        self.known[name, bit] = self.trace((scope, source), bit - first)
                    else:
                        self.known[name, bit] = self.follow(scope, source, bit - first)
        return self.known[name, bit]

    def follow(self, scope, node, bit):
        if node.tag in ("varref", "varxref"):
            return self.trace(self.name_of(scope, node), bit)
        if node.tag == "sel":
            first = number(node[1])
            return None if first is None else self.follow(scope, node[0], first + bit)
        if node.tag == "arraysel":
            name = self.name_of(scope, node[0]) if node[0].tag in ("varref", "varxref") else None
            return (name, bit) if name in self.registers else None
        if node.tag == "extend":
            return self.follow(scope, node[0], bit) if bit < self.width(node[0].get("dtype_id")) else None
        if node.tag == "concat":
            low = self.width(node[1].get("dtype_id"))
            return self.follow(scope, node[1], bit) if bit < low else self.follow(scope, node[0], bit - low)
        if node.tag == "cond":
            if number(node[2]) == 0:
                return self.follow(scope, node[1], bit)
            if number(node[1]) == 0:
                return self.follow(scope, node[2], bit)
        if node.tag in ("and", "logand"):
            return Both(self.follow(scope, node[0], bit), self.follow(scope, node[1], bit))
        return None


class Both:
    """An AND: each of the two is shown while the other one is 1."""

    def __init__(self, one, other):
        self.sides = ((one, other), (other, one))

    def shown(self, seen):
        """What it shows, if bits of `seen` are probes."""
        for value, mask in self.sides:
            if mask in seen:
                return value.shown(seen) if isinstance(value, Both) else value
        return None


def unprobed(design):
    """Names of the block's registers of which a bit reaches no port of the wrapper; and all of them."""
    seen = {design.trace(name, bit) for name in design.outputs for bit in range(design.widths[name])}
    masked = [one for one in seen if isinstance(one, Both)]
    seen -= {None}
    while not seen >= (more := {one.shown(seen) for one in masked} - {None}):
        seen |= more
    plain = {}
    for name, bits in design.registers.items():
        scope, variable = name
        if scope[:1] != (DUT,):
            continue
        path = re.sub(r"\[\d+\]", "[*]", ".".join((*scope[1:], variable)))
        plain[path] = plain.get(path, True) and all((name, bit) in seen for bit in range(bits))
    return {path for path, shown in plain.items() if not shown}, set(plain)


def described(block, rtl, tb, header=None, kind=None):
    """The tree.Block, with what its port list is made of."""
    if header is None:
        manifest = tree.manifests().get(block)
        return tree.read_manifest(manifest) if manifest else tree.Block(block, rtl, tb, rtl.parent)
    folders = [str(folder) for folder in rtl.resolve().parents]
    return tree.Block(
        block, rtl, tb, rtl.parent, None, {"ports": header, "type": kind, "include": folders, "libraries": []}
    )


def main():
    verilator, rtl, tb, block, *chosen = sys.argv[1:]
    rtl, tb = pathlib.Path(rtl), pathlib.Path(tb)
    given = chosen.index("--ports") if "--ports" in chosen else len(chosen)
    known = described(block, rtl, tb, *chosen[given + 1 :])
    del chosen[given:]
    listed = tb / "unprobed.json"
    reasons = json.loads(listed.read_text()) if listed.exists() else {}
    sets = json.loads((rtl / "parameter_sets.json").read_text())
    found, hidden, registers = [], set(), set()
    for name in chosen or sets:
        top = f"castor_{block}_probe"
        with tempfile.TemporaryDirectory() as folder:
            bench = rtl_object.complete_bench(known, sets[name], pathlib.Path(folder))
            design = Design(elaborate(verilator, top, [*known.verilated, *bench], sets[name]))
        missing, here = unprobed(design)
        found += [f"{path} at {name}: no probe, and no reason in {listed}" for path in sorted(missing - set(reasons))]
        hidden |= missing
        registers |= here
    found += [f"{path}: no reason is given" for path, reason in reasons.items() if not str(reason).strip()]
    if not chosen:
        found += [f"{path}: there is no such register" for path in reasons if path not in registers]
        found += [f"{path}: is a probe, and needs no reason" for path in reasons if path in registers - hidden]
    print("\n".join(found))
    probes = len(registers) - len(hidden)
    print(f"{block}: {len(registers)} registers, {probes} are probes, {len(hidden)} have a reason")
    return 1 if found or not registers else 0


if __name__ == "__main__":
    sys.exit(main())
