"""Finds the signals of a design whose type is an enumeration, from Verilator's XML output (--xml-only)."""

import re
from xml.etree import ElementTree


def signals(path):
    """Returns {"top.instance.signal": {value: name}} for the signals of modules whose type is an enumeration. Signals
    in arrays, structures and generate blocks are left out. `path`: the XML file."""
    root = ElementTree.parse(path).getroot()
    types = {}  # "module.type" or "package::type" -> members
    for one in root.iterfind("netlist/typetable/enumdtype"):
        members = {_value(item.find("const").get("name")): item.get("name") for item in one.iterfind("enumitem")}
        types[one.get("name")] = members
    named = {}
    for module in root.iterfind("netlist/module"):
        chosen = ((one.get("name"), _members(types, module, one)) for one in module.iterfind("var"))
        named[module.get("name")] = {signal: members for signal, members in chosen if members}
    found = {}
    for cell in root.iterfind("cells//cell"):
        for signal, members in named.get(cell.get("submodname"), {}).items():
            path = f"{cell.get('hier')}.{signal}"
            # Instances in different generate blocks have the same path in the XML file.
            found[path] = members if found.get(path, members) == members else {}
    return {path: members for path, members in found.items() if members}


def _members(types, module, variable):
    """Returns {value: name} of the type of a variable. Returns an empty dictionary if the type is no enumeration, or if
    several packages have different enumerations of that name."""
    kind = variable.get("vartype")
    own = types.get(f"{module.get('origName')}.{kind}")
    if own is not None:
        return own
    shared = [members for name, members in types.items() if name.endswith(f"::{kind}")]
    return shared[0] if shared and all(members == shared[0] for members in shared) else {}


def _value(text):
    """Returns the value of a literal such as 4'hf or 32'sh2."""
    base, digits = re.fullmatch(r"\d*'s?([hdbo])([0-9a-f_]+)", text.lower()).groups()
    return int(digits, {"h": 16, "d": 10, "b": 2, "o": 8}[base])
