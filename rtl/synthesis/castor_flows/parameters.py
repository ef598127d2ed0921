"""Compares the parameter defaults of a block's SystemVerilog module with those of its C++ parameter list.

Castor itself always passes every parameter to RTL and model. Users who take the RTL alone, or write `Params()`, rely on
the defaults.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

from . import tools
from .errors import WrongRequest

_PROGRAM = """#include <cstdio>

#include "{ports}"

int main() {{
  {type}::Params::each([](const castor::twin::Param& param, auto) {{
    std::printf("%.*s %u\\n", static_cast<int>(param.name.size()), param.name.data(), param.standard);
  }});
}}
"""


def of_module(block, work):
    """Returns {parameter: default} of the SystemVerilog module, as Verilator resolves them. `work`: folder for
    generated files. Raises WrongRequest if the module does not elaborate."""
    work = Path(work)
    output = work / "defaults.xml"
    command = ["verilator", "--xml-only", "--xml-output", output, "--Mdir", work / "defaults", "-Wno-lint"]
    command += ["--top-module", block.top, *(f"+incdir+{tools.plain(folder)}" for folder in block.includes)]
    result = tools.run([*command, *map(tools.plain, block.sources)], work / "defaults.log")
    if result.code != 0:
        raise WrongRequest(f"{block.top} does not elaborate at its defaults: {_last_line(result.output)}")
    module = next(one for one in ElementTree.parse(output).iter("module") if one.get("topModule") == "1")
    return {
        one.get("name"): _number(one.find("const").get("name")) for one in module.findall("var") if one.get("param")
    }


def of_list(block, home, work):
    """Returns {parameter: default} of the C++ list in the block's port header. `home`: the installation.Installation.
    Raises WrongRequest if the header does not compile."""
    work = Path(work)
    source, program = work / "defaults.cpp", work / "defaults-of-list"
    source.write_text(_PROGRAM.format(ports=block.manifest["ports"], type=block.manifest["type"]))
    compiler = block.manifest.get("compiler") or "g++"
    headers = [f"-I{folder}" for folder in (*block.manifest["include"], home.include)]
    built = tools.run([compiler, "-std=c++17", "-O0", *headers, source, "-o", program], work / "defaults-of-list.log")
    if built.code != 0:
        raise WrongRequest(f"{block.manifest['ports']} of {block.name} does not compile: {_last_line(built.output)}")
    lines = tools.run([program], work / "defaults-of-list.log").output.splitlines()
    return {name: int(value) for name, value in (line.split() for line in lines)}


def differences(module, listed):
    """Yields a text for each parameter whose default differs between `module` and `listed`."""
    for name in sorted(module.keys() | listed.keys()):
        ours, theirs = module.get(name), listed.get(name)
        if ours == theirs:
            continue
        yield f"parameter {name} is {_shown(ours)} in the RTL and {_shown(theirs)} in the block's list of parameters"


def _shown(value):
    return "not there" if value is None else f"{value} by default"


def _number(text):
    digits = re.fullmatch(r"\d+'s?([hbd])([0-9a-f]+)", text)
    return int(digits[2], {"h": 16, "b": 2, "d": 10}[digits[1]])


def _last_line(text):
    return (text.strip().splitlines() or ["no reason given"])[-1]
