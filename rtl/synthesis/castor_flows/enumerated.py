"""Which signals of a design are enumerations, out of what Verilator says of it with --xml-only."""

import re
from xml.etree import ElementTree


def signals(path):
    """{"top.instance.signal": {value: name}} of the signals of modules whose type is an enumeration. Those in arrays,
    structures and generate blocks are left out."""
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
            # Instances of different generate blocks have one path here.
            found[path] = members if found.get(path, members) == members else {}
    return {path: members for path, members in found.items() if members}


def _members(types, module, variable):
    """{value: name} of the type of a variable; empty if that is no enumeration, or one of several with its name."""
    kind = variable.get("vartype")
    own = types.get(f"{module.get('origName')}.{kind}")
    if own is not None:
        return own
    shared = [members for name, members in types.items() if name.endswith(f"::{kind}")]
    return shared[0] if shared and all(members == shared[0] for members in shared) else {}


def _value(text):
    """The value of 4'hf, 32'sh2 and the like."""
    base, digits = re.fullmatch(r"\d*'s?([hdbo])([0-9a-f_]+)", text.lower()).groups()
    return int(digits, {"h": 16, "d": 10, "b": 2, "o": 8}[base])
