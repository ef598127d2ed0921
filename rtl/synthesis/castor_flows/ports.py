"""Completes properties modules and probe tops, so that ports need not be declared again in them.

A properties module may omit the ports and parameters that it shares with the module to which it is bound. The `bind`
statement may omit their connections:

    module castor_turn_properties (
      input logic idle                    // ports of its own, if any
    );
      `CASTOR_ASSERT(quiet, !idle || count_q == '0)
    endmodule

    bind castor_turn castor_turn_properties u_properties (.idle (pick_valid_o == '0));

`complete` adds clock, reset, and every parameter, port and signal of `castor_turn` that the module uses and does not
declare (here `count_q`), with the connections in the `bind`. Line numbers are preserved.

A probe top `module castor_turn_probe;` has no header. `probe_top` adds the header of the block, an instance `u_dut` of
the block, and an output probe_<name>_o for each probe of the block's port list.
"""

import re

from . import tools, tree
from .errors import WrongRequest

#: Type of a signal, a parameter or a variable.
_TYPE = re.compile(
    r"(?:logic|bit|byte|int|integer|genvar|wire|reg|real|[A-Za-z_]\w*::[A-Za-z_]\w*|[A-Za-z_]\w*_[te])\b"
    r"(?:\s+(?:un)?signed\b)?"
)
_DECLARATION = re.compile(rf"(?<![\w.$`'\\:])(?:(localparam|parameter)\s+(?:{_TYPE.pattern})?|{_TYPE.pattern})")
_NAME = re.compile(r"[A-Za-z_]\w*")
_IMPORT = re.compile(r"import\b[^;]*;")
_MEMBERS = re.compile(r"\b(?:struct|union)\b[^;{]*\{[^}]*\}")
_END = re.compile(r"\bendmodule\b")
_NESTED = re.compile(r"\b(?:(begin|function|task)|(end|endfunction|endtask))\b")

#: A name that is read: no member, package or type, no number, no directive. `.name` without brackets connects a port to
#: the signal of that name.
_USE = re.compile(r"(?<![\w$`'\\:.])([A-Za-z_]\w*)\b(?!\s*::)|(?<![\w\])])\.([A-Za-z_]\w*)\b(?!\s*\()")
_LABEL = re.compile(r"(`CASTOR_\w+\s*\(\s*)\w+|\bbegin\s*:\s*\w+|\b\w+\s*:\s*(?=assert\b|assume\b|cover\b)")
_BIND = re.compile(r"\bbind\s+(\w+)\s+(\w+)\b([^;]*);")


def blank_comments(text):
    """Returns the text with comments and strings replaced by blanks, so that positions do not change."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', blank, text, flags=re.DOTALL)


class Module:
    """A SystemVerilog module in a source text: its parameters, ports and signals, each as {name: declaration} in the
    order of the source."""

    def __init__(self, name, clean, match):
        """`clean`: the source without comments; `match`: the match of `module <name>` in `clean`."""
        self.name = name
        at = _blank_end(clean, match.end())
        self.imports = []
        while (word := _IMPORT.match(clean, at)) is not None:
            self.imports.append(word.group())
            at = _blank_end(clean, word.end())
        self.header = at  # position at which the header begins
        given = ports = ""
        if clean.startswith("#", at):
            opening = clean.index("(", at)
            given, at = _inside(clean, opening)
            self.given_begin = opening + 1
            at = _blank_end(clean, at)
        else:
            self.given_begin = None
        if clean.startswith("(", at):
            self.ports_begin = at + 1
            ports, at = _inside(clean, at)
        else:
            self.ports_begin = None
        self.body = clean.index(";", at) + 1  # position at which the body begins
        self.end = _END.search(clean, self.body).start()
        self.text = clean[self.body : self.end]
        self.parameters = dict(_parameters(given))
        self.ports = {name: (direction, kind) for name, direction, kind in _ports(ports)}

    def declared(self):
        """Returns all names that the module declares, in any scope."""
        return {*self.parameters, *self.ports, *(name for name, *_ in _declarations(self.text))}

    def constants(self):
        """Returns {name: "localparam ... = ..."} of the constants in the module's body, outside of blocks."""
        found = {}
        for name, constant, kind, rest in _declarations(_outside_blocks(self.text)):
            if constant:
                found[name] = f"localparam {kind} {name} {rest}".replace("  ", " ")
        return found

    def signals(self):
        """Returns {name: type} of the signals in the module's body, outside of blocks. The type is None if the signal
        cannot be passed through a port."""
        found = {}
        for name, constant, kind, rest in _declarations(_outside_blocks(self.text)):
            if not constant:
                found[name] = None if rest.startswith("[") else self._visible(kind)
        return found

    def _visible(self, kind):
        """Returns a type with the same bits that is known outside of the module; None if there is none."""
        word = kind.split()[0]
        if "::" in word or not re.fullmatch(r"\w+_[te]", word):
            return kind
        base = re.search(rf"\btypedef\s+(?:enum\s+)?(logic[^{{;]*?)\s*(?:\{{[^}}]*\}})?\s*\b{word}\s*;", self.text)
        return base.group(1) if base else None


def module_in(name, texts):
    """Returns the Module `name` from the first of the texts that has it; None if no text has it."""
    for text in texts:
        clean = blank_comments(text)
        match = re.search(rf"\bmodule\s+(?:automatic\s+|static\s+)?{re.escape(name)}\b", clean)
        if match:
            return Module(name, clean, match)
    return None


# --- properties -------------------------------------------------------------------------------------------------------


def complete(text, sources):
    """Returns the text of a properties file in which every bound module is completed. `sources`: texts with the modules
    to which they are bound."""
    edits = []
    clean = blank_comments(text)
    for bind in _BIND.finditer(clean):
        target = module_in(bind.group(1), sources)
        match = re.search(rf"\bmodule\s+{re.escape(bind.group(2))}\b", clean)
        if target is not None and match is not None:
            edits += _completed(Module(bind.group(2), clean, match), target, clean, bind)
    for at, addition in sorted(edits, reverse=True):
        text = text[:at] + addition + text[at:]
    return text


def write_completed(properties, sources, folder, name=tools.plain):
    """Writes completed copies of the properties files to `folder`. `sources`: source files with the modules to which
    they are bound. A `line directive makes tools report positions in the original files; `name` returns the name of a
    file there. Returns the paths of the copies."""
    texts = [tree.read_text(path) for path in sources]
    paths = [folder / path.name for path in properties]
    for source, path in zip(properties, paths):
        path.write_text(f'`line 1 "{name(source)}" 0\n{complete(tree.read_text(source), texts)}', encoding="utf-8")
    return paths


def _completed(module, target, clean, bind):
    """Returns [(position, text to insert)] for the header of `module` and for its `bind` statement."""
    wanted = _used(module.text + clean[module.header : module.body]) - module.declared()
    parameters, ports = _shared(target, wanted | ({"clk_i", "rst_ni"} - module.declared()))
    edits, opening = [], ""
    given = ", ".join(_of_target(target, parameters))
    if given and module.given_begin is not None:
        edits.append((module.given_begin, f"{given}, "))
    elif given:
        opening = f" #({given}) "
    declared = ", ".join(f"input {kind} {name}" for name, kind in ports.items())
    if declared and module.ports_begin is not None:
        edits.append((module.ports_begin, declared + (", " if module.ports else "")))
    elif declared:
        opening += f" ({declared})"
    edits.append((module.header, opening))
    passed = [name for name in parameters if name in target.parameters and target.parameters[name][0]]
    return edits + _connected(clean, bind, passed, list(ports))


def _connected(clean, bind, parameters, ports):
    """Returns [(position, text to insert)] for a bind statement."""
    edits = []
    at = _blank_end(clean, bind.start(3))
    given = ", ".join(f".{name}({name})" for name in parameters)
    if clean.startswith("#", at):
        opening = clean.index("(", at)
        inside, at = _inside(clean, opening)
        if given:
            edits.append((opening + 1, given + (", " if inside.strip() else "")))
    elif given:
        edits.append((at, f"#({given}) "))
    opening = clean.index("(", at)
    inside, _ = _inside(clean, opening)
    connections = ", ".join(f".{name}({name})" for name in ports)
    if connections:
        edits.append((opening + 1, connections + (", " if inside.strip() else "")))
    return edits


def _shared(target, wanted):
    """Finds the names `wanted` in the module `target`. Returns (names of parameters and constants, {signal: type}), in
    the order of the target, including constants on which others depend. Raises WrongRequest for a signal that cannot be
    passed through a port."""
    signals = {name: kind for name, (_, kind) in target.ports.items()} | target.signals()
    ports = {name: kind for name, kind in signals.items() if name in wanted}
    for name, kind in ports.items():
        if kind is None:
            raise WrongRequest(
                f"properties of {target.name}: no port can carry its signal {name}",
                "bind an expression to a port of the properties' own",
            )
    constants = {name: text for name, (_, text) in target.parameters.items()} | target.constants()
    names, todo = set(), [*wanted, *_used(" ".join(ports.values()))]
    while todo:
        name = todo.pop()
        if name in constants and name not in names:
            names.add(name)
            todo += _used(constants[name].partition(name)[2]) | _used(constants[name].partition(name)[0])
    return [name for name in constants if name in names], ports


def _of_target(target, names):
    constants = target.constants()
    for name in names:
        yield target.parameters[name][1] if name in target.parameters else constants[name]


# --- probe tops -------------------------------------------------------------------------------------------------------


class Listed:
    """A port of a block's C++ port list at given parameter values. `direction` is "input", "output" or "probe"."""

    def __init__(self, direction, name, bits, always_one, meaning):
        """`always_one`: "1" if the port has one bit at all parameter values."""
        self.direction = direction
        self.pin = f"probe_{name}_o" if direction == "probe" else f"{name}_{direction[0]}"
        self.bits = int(bits)
        self.kind = "logic" if always_one == "1" else f"logic [{self.bits - 1}:0]"
        self.meaning = meaning


def probe_top(block, list_ports, place, name=tools.plain):
    """Returns the completed text of a block's probe top. `place`: the file that is completed; `name` returns its name
    for messages of tools. `list_ports`: a function that returns every Listed at the wanted parameter values; it is
    called only if the file needs completion. Raises WrongRequest if port list, RTL and file do not agree."""
    text = tree.read_text(place)
    clean = blank_comments(text)
    top = f"{block.top}_probe"
    match = re.search(rf"\bmodule\s+{top}\s*;", clean)
    if match is None:
        return f'`line 1 "{name(place)}" 0\n{text}'
    listed = list_ports()
    module = module_in(block.top, [tree.read_text(source) for source in block.sources])
    if module is None:
        raise WrongRequest(f"no source of {block.name} has the module {block.top}")
    body = Module(top, clean, re.search(rf"\bmodule\s+{top}\b", clean))
    shown = [one for one in listed if one.direction == "probe"]
    same = [one for one in listed if one.direction != "probe"]
    _compare(block, module, same)
    _all_shown(body, shown, place)
    lines = [
        *_top_header(module, top, _used(body.text) - body.declared(), shown),
        *_instance(module),
        *(_width_check(block, one) for one in same),
        f'`line {text.count(chr(10), 0, match.end()) + 1} "{name(place)}" 0',
    ]
    begun = f'`line 1 "{name(place)}" 0\n{text[: match.start()]}' + "\n".join(lines)
    return begun + text[match.end() :]


def _top_header(module, top, used, shown):
    """Returns the lines of the probe top's header: parameters and ports of the module, its constants among `used`, and
    an output for each probe in `shown`."""
    constants = _shared(module, used)[0]
    names = [name for name in {**module.parameters, **module.constants()} if name in {*module.parameters, *constants}]
    given = ["#(", ",\n".join(f"  {one}" for one in _of_target(module, names)), ")"] if names else []
    ports = [(f"  {direction} {kind} {name}", "") for name, (direction, kind) in module.ports.items()]
    ports += [(f"  output {one.kind} {one.pin}", f"  // {one.meaning}") for one in shown]
    rows = [port + ("," if number < len(ports) else "") + meaning for number, (port, meaning) in enumerate(ports, 1)]
    return [f"module {top}", *module.imports, *given, "(", *rows, ");"]


def _instance(module):
    """Returns the lines that instantiate the module as u_dut, connected by name."""
    given = ", ".join(f".{name}({name})" for name, (free, _) in module.parameters.items() if free)
    return [
        f"  {module.name} " + (f"#({given}) " if given else "") + "u_dut (",
        ",\n".join(f"    .{name}({name})" for name in module.ports),
        "  );",
    ]


def _compare(block, module, listed):
    """Raises WrongRequest if the ports of the RTL module differ from the C++ port list."""
    wanted = {one.pin: one.direction for one in listed}
    there = {name: direction for name, (direction, _) in module.ports.items() if name not in ("clk_i", "rst_ni")}
    found = [f"{name} is in the list of ports only" for name in wanted if name not in there]
    found += [f"{name} is a port of the RTL only" for name in there if name not in wanted]
    found += [
        f"{name} is an {wanted[name]} in the list of ports and an {there[name]} of the RTL"
        for name in wanted
        if there.get(name, wanted[name]) != wanted[name]
    ]
    if found:
        raise WrongRequest(f"ports of {block.name} and of {module.name} differ: {'; '.join(found)}")


def _all_shown(body, probes, place):
    """Raises WrongRequest if the probes that the probe top assigns differ from the C++ list of probes."""
    shown = set(re.findall(r"\bprobe_\w+_o\b", body.text))
    names = {one.pin for one in probes}
    found = [f"{name} is in the list of probes, and nothing is assigned to it" for name in sorted(names - shown)]
    found += [f"{name} is not in the list of probes" for name in sorted(shown - names)]
    if found:
        raise WrongRequest(f"{place}: {'; '.join(found)}")


def _width_check(block, port):
    """Returns a line that stops the elaboration if the width of the RTL's port differs from the C++ port list."""
    return (
        f'  if ($bits({port.pin}) != {port.bits}) $fatal(1, "{block.top}: port {port.pin} is %0d bits wide in the RTL '
        f'and {port.bits} in the list of ports", $bits({port.pin}));'
    )


# --- text -------------------------------------------------------------------------------------------------------------


def _blank_end(text, at):
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _inside(text, at):
    """Returns the text between the bracket at position `at` and its closing bracket, and the position after it."""
    closing = {"(": ")", "[": "]", "{": "}"}
    todo = [closing[text[at]]]
    end = at + 1
    while todo:
        if text[end] in closing:
            todo.append(closing[text[end]])
        elif text[end] == todo[-1]:
            todo.pop()
        end += 1
    return text[at + 1 : end - 1], end


def _parts(text, mark=","):
    """Splits a list at `mark`, except inside brackets. Returns the parts that are not empty, with blanks normalised."""
    parts, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == mark and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [one for one in (" ".join(part.split()) for part in [*parts, text[begin:]]) if one]


def _parameters(text):
    """Yields (name, (can be set, declaration)) for each parameter of a parameter list."""
    before = "parameter"
    for part in _parts(text):
        left = part.partition("=")[0]
        name = _NAME.findall(left)[-1]
        if part.startswith(("parameter", "localparam")):
            before = left.rpartition(name)[0].strip()
        else:
            part = f"{before} {part}"
        yield name, (not part.startswith("localparam"), part)


def _ports(text):
    """Yields (name, direction, type) for each port of a port list. A port without direction has direction and type of
    the port before it."""
    direction, kind = "input", "logic"
    for part in _parts(text):
        words = part.split()
        if words[0] in ("input", "output", "inout"):
            direction = words[0]
            kind = part[len(direction) :].strip()
            name = _NAME.findall(kind)[-1]
            kind = kind.rpartition(name)[0].strip() or "logic"
        else:
            name = words[-1]
        yield name, direction, kind


def _declarations(text):
    """Yields (name, whether it is a constant, type, text after the name) for each declaration."""
    for match in _DECLARATION.finditer(text):
        kind = match.group().removeprefix(match.group(1) or "").strip()
        at = _blank_end(text, match.end())
        while at < len(text) and text[at] == "[":
            dimension, end = _inside(text, at)
            kind += f" [{dimension}]"
            at = _blank_end(text, end)
        if not _NAME.match(text, at):
            continue
        for part in _parts(_until_end(text, at)):
            name = _NAME.match(part)
            if name is None:
                break
            yield name.group(), match.group(1) is not None, " ".join(kind.split()), part[name.end() :].strip()


def _until_end(text, at):
    """Returns the text from position `at` to the next semicolon, or to the bracket that closes the enclosing
    bracket."""
    depth = 0
    for end in range(at, len(text)):
        if text[end] in "([{":
            depth += 1
        elif text[end] in ")]}":
            depth -= 1
        if depth < 0 or (text[end] == ";" and depth == 0):
            return text[at:end]
    return text[at:]


def _outside_blocks(text):
    """Returns the text without begin-end blocks, functions, tasks and members of structures."""
    text = _MEMBERS.sub("", text)
    kept, depth, last = [], 0, 0
    for match in _NESTED.finditer(text):
        if match.group(1):
            if depth == 0:
                kept.append(text[last : match.start()])
            depth += 1
        else:
            depth -= 1
            last = match.end()
    return " ".join([*kept, text[last:]])


def _used(text):
    """Returns the names that the text reads."""
    text = _LABEL.sub(lambda match: match.group(1) or "", text)
    return {match.group(match.lastindex) for match in _USE.finditer(text)}
