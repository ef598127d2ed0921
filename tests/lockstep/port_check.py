#!/usr/bin/env python3
"""Holds the C++ description of a block's ports against its RTL, as Verilator resolves it.

    port_check.py <verilator> <castor> <folder of the RTL> <block>

Compared: names, directions and widths of all ports, of the block and of its probe top as it is completed, at the RTL's
own defaults and at every set of parameter_sets.json; names and defaults of all parameters. The description comes from
`castor cosim --describe json`.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "rtl/synthesis"))
from castor_flows import rtl_object, tree  # noqa: E402


def elaborated(verilator, top, files, params, names):
    """{name: (ports, parameters)} of the modules `names` below and at `top`: {port: (direction, bits)}, {parameter:
    value}."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.xml"
        subprocess.run(
            [verilator, "--xml-only", "--xml-output", str(output), "--Mdir", folder, "--top-module", top]
            + [f"-G{name}={value}" for name, value in params.items()]
            + [str(file) for file in files],
            check=True,
        )
        design = xml.parse(output)
    types = {node.get("id"): node for node in design.iter("typetable").__next__()}
    modules = {node.get("origName"): node for node in design.iter("module")}
    return {name: interface(modules[name], types) for name in names}


def interface(module, types):
    def bits(identifier):
        node = types[identifier]
        if node.tag == "basicdtype":
            left = node.get("left")
            return 1 if left is None else abs(int(left) - int(node.get("right"))) + 1
        if node.tag in ("refdtype", "enumdtype"):
            return bits(node.get("sub_dtype_id"))
        raise SystemExit(f"{module.get('origName')}: port of a type that is not understood: {node.tag}")

    ports, parameters = {}, {}
    for var in module.findall("var"):
        if var.get("dir"):
            ports[var.get("name")] = (var.get("dir"), bits(var.get("dtype_id")))
        elif var.get("param"):
            value = re.fullmatch(r"\d+'s?([hbd])([0-9a-f]+)", var.find("const").get("name"))
            parameters[var.get("name")] = int(value[2], {"h": 16, "b": 2, "d": 10}[value[1]])
    return ports, parameters


def differences(what, expected, actual):
    for name in sorted(expected.keys() | actual.keys()):
        if expected.get(name) != actual.get(name):
            yield f"{what}: {name}: the description says {expected.get(name)}, the RTL {actual.get(name)}"


def main():
    verilator, program, rtl, block = sys.argv[1:]
    rtl = pathlib.Path(rtl)
    os.environ.setdefault("CASTOR_PREFIX", str(pathlib.Path(program).resolve().parents[1]))
    known = tree.find(None, block)
    lines = (rtl / f"{block}.f").read_text().splitlines()
    sources = [rtl.parent / line.strip() for line in lines if line.strip() and not line.startswith(("#", "/"))]
    waivers = rtl / f"{block}.vlt"
    if waivers.exists():
        sources.insert(0, waivers)
    sets = json.loads((rtl / "parameter_sets.json").read_text())
    found = []
    compared = 0
    for name, values in [("RTL defaults", None), *sets.items()]:
        arguments = [program, "cosim", block, "--describe", "json"] + (["--params", name] if values else ["--defaults"])
        described = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout)
        clock = {"clk_i": ("input", 1), "rst_ni": ("input", 1)}
        ports = clock | {p["name"]: (p["direction"], p["width"]) for p in described["inputs"] + described["outputs"]}
        probes = ports | {p["name"]: (p["direction"], p["width"]) for p in described["probes"]}
        params = {p["name"]: p["value"] for p in described["params"]}
        block_top, probe_top = described["top"], described["top"] + "_probe"
        with tempfile.TemporaryDirectory() as folder:
            files = [*sources, *rtl_object.complete_bench(known, params, pathlib.Path(folder))]
            actual = elaborated(verilator, probe_top, files, values or {}, (block_top, probe_top))
        if values is None:  # the probe top hands its own defaults down
            actual.update(elaborated(verilator, block_top, sources, {}, (block_top,)))
        for top, expected in ((block_top, ports), (probe_top, probes)):
            found += differences(f"{top} at {name}", expected, actual[top][0])
            found += differences(f"{top} at {name}", params, actual[top][1])
            compared += len(expected) + len(params)
    print("\n".join(found))
    print(f"{block}: {compared} ports and parameters compared, {len(found)} differ")
    return 1 if found or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
