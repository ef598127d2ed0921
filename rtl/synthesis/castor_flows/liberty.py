"""Reads liberty files (cells, areas, functions) and writes functions of cells as Verilog.

The parser covers what the flows need. A group `name (arguments) { ... }` becomes a Group; delay tables are not
evaluated.
"""

import gzip
import re
from pathlib import Path

from .errors import WrongRequest

DEFAULT = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
DEFAULT_PACKAGE = "qflow-tech-osu018"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}();:,]|[^\s{}();:,"]+', re.DOTALL)
_SKIP = re.compile(r"/\*.*?\*/|//[^\n]*|\\\n", re.DOTALL)


class Group:
    """A group of a liberty file: type (`kind`), arguments, simple attributes, and inner groups."""

    def __init__(self, kind, arguments):
        self.kind = kind
        self.arguments = arguments
        self.attributes = {}
        self.groups = []

    @property
    def name(self):
        return self.arguments[0] if self.arguments else ""

    def all(self, kind):
        """Returns the inner groups of type `kind`."""
        return [group for group in self.groups if group.kind == kind]


def parse(text, file="liberty"):
    """Parses a liberty text and returns its library group. Raises WrongRequest with file and line if the text is no
    liberty file."""
    tokens = []
    clean = _SKIP.sub(lambda match: "\n" * match.group().count("\n"), text)
    line, last = 1, 0
    for match in _TOKEN.finditer(clean):
        line += clean.count("\n", last, match.start())
        last = match.start()
        tokens.append((match.group(), line))

    def wrong(index, what):
        where = tokens[index][1] if index < len(tokens) else line
        return WrongRequest(f"{file}:{where}: {what}", "a plain or gzipped liberty file is wanted")

    def at(index):
        return tokens[index][0] if index < len(tokens) else ""

    root = Group("file", [])
    stack = [root]
    i = 0
    while i < len(tokens):
        word = at(i)
        if word == "}":
            if len(stack) == 1:
                raise wrong(i, "a '}' too many")
            stack.pop()
            i += 1
        elif word in (";", ","):
            i += 1
        elif at(i + 1) == ":":
            value = []
            i += 2
            start = tokens[min(i, len(tokens) - 1)][1]
            # The last attribute of a group, or an attribute on a line of its own, may lack its semicolon.
            while i < len(tokens) and at(i) not in (";", "}") and tokens[i][1] == start:
                value.append(_plain(at(i)))
                i += 1
            stack[-1].attributes[word] = " ".join(value)
        elif at(i + 1) == "(":
            arguments = []
            i += 2
            while at(i) != ")":
                if i >= len(tokens) or at(i) in ("{", "}", ";"):
                    raise wrong(i, f"the brackets of '{word}' are not closed")
                if at(i) != ",":
                    arguments.append(_plain(at(i)))
                i += 1
            i += 1
            if at(i) == "{":
                group = Group(word, arguments)
                stack[-1].groups.append(group)
                stack.append(group)
                i += 1
            else:
                stack[-1].attributes[word] = arguments
        else:
            raise wrong(i, f"'{word[:40]}' is neither an attribute nor a group")
    if len(stack) != 1:
        raise wrong(len(tokens), f"the group '{stack[-1].kind}' is not closed")
    libraries = root.all("library")
    if len(libraries) != 1 or not libraries[0].all("cell"):
        raise wrong(0, "no library with cells")
    return libraries[0]


def _plain(word):
    return word[1:-1] if word.startswith('"') else word


# --- functions ------------------------------------------------------------------------------------------------------

_FUNCTION = re.compile(r"[A-Za-z_][\w\[\]]*|[01]|[!'()*&+|^]")


def verilog_expression(function):
    """Returns a liberty function as a fully bracketed Verilog expression.

    Operators by decreasing precedence: ! (prefix) and ' (postfix) for NOT; ^ for XOR; *, & or a space for AND; + or |
    for OR. Raises ValueError for anything else.
    """
    words = _FUNCTION.findall(function)
    if "".join(words) != re.sub(r"\s", "", function) or not words:
        raise ValueError(function)
    position = 0

    def peek():
        return words[position] if position < len(words) else ""

    def take():
        nonlocal position
        position += 1
        return words[position - 1]

    def atom():
        word = peek()
        if word == "!":
            take()
            return f"(~{atom()})"
        if word == "(":
            take()
            value = either()
            if peek() != ")":
                raise ValueError(function)
            take()
        elif word in ("0", "1"):
            value = f"1'b{take()}"
        elif word and (word[0].isalpha() or word[0] == "_"):
            value = take()
        else:
            raise ValueError(function)
        while peek() == "'":
            take()
            value = f"(~{value})"
        return value

    def differs():
        value = atom()
        while peek() == "^":
            take()
            value = f"({value} ^ {atom()})"
        return value

    def both():
        value = differs()
        while peek() not in ("", ")", "+", "|"):
            if peek() in ("*", "&"):
                take()
            value = f"({value} & {differs()})"
        return value

    def either():
        value = both()
        while peek() in ("+", "|"):
            take()
            value = f"({value} | {both()})"
        return value

    result = either()
    if position != len(words):
        raise ValueError(function)
    return result


def evaluate(function, values):
    """Returns the value (0 or 1) of a liberty function. `values` has the value 0 or 1 of each input."""
    expression = verilog_expression(function).replace("1'b", "").replace("~", "1^")
    return eval(expression, {"__builtins__": {}}, dict(values))  # noqa: S307 - the grammar above lets only bits through


class Cell:
    """A standard cell: area in the library's unit (usually um2), input pins, output pins with functions, and its
    flip-flop or latch group, if any."""

    def __init__(self, group):
        self.name = group.name
        self.area = float(group.attributes.get("area", 0) or 0)
        self.inputs = []
        self.input_capacitance = 0.0  # capacitance of the first input, in the library's unit
        self.outputs = {}  # output pin -> its function, "" without a function
        for pin in group.all("pin"):
            direction = pin.attributes.get("direction", "")
            for name in pin.arguments:
                if direction == "input":
                    if not self.inputs:
                        self.input_capacitance = float(pin.attributes.get("capacitance", 0) or 0)
                    self.inputs.append(name)
                elif direction == "output":
                    self.outputs[name] = pin.attributes.get("function", "")
        flops = group.all("ff") + group.all("ff_bank")
        latches = group.all("latch") + group.all("latch_bank")
        self.flop = flops[0] if flops else None
        self.latch = latches[0] if latches else None
        self.tristate = any("three_state" in pin.attributes for pin in group.all("pin"))
        self.unused = group.attributes.get("dont_use", "false").lower() == "true"

    @property
    def combinational(self):
        """Whether the cell is neither flip-flop, latch nor three-state."""
        return self.flop is None and self.latch is None and not self.tristate

    def truth(self):
        """Returns the truth table of the output as a tuple of bits; the first input is bit 0 of the index. Returns None
        if the cell is not combinational, has several outputs or has more than 6 inputs."""
        if not self.combinational or len(self.outputs) != 1 or len(self.inputs) > 6:
            return None
        function = next(iter(self.outputs.values()))
        try:
            return tuple(
                evaluate(function, {pin: row >> i & 1 for i, pin in enumerate(self.inputs)})
                for row in range(1 << len(self.inputs))
            )
        except (ValueError, NameError):
            return None


def _farads(library):
    """Returns the library's unit of capacitance in farads."""
    number, unit = (library.attributes.get("capacitive_load_unit", []) + ["1", "pf"])[:2]
    return float(number) * {"ff": 1e-15, "pf": 1e-12, "nf": 1e-9}.get(unit.lower(), 1e-12)


class Library:
    """The cells of a liberty file by name. `nand2`, the smallest two-input NAND, is the reference of gate
    equivalents."""

    def __init__(self, path, text=None):
        self.path = Path(path)
        group = parse(read(path) if text is None else text, str(path))
        self.name = group.name
        self.cells = {cell.name: cell for cell in map(Cell, group.all("cell"))}
        self.farads = _farads(group)
        self.nand2 = self._smallest((1, 1, 1, 0), "two-input NAND")
        self.inverter = self._smallest((1, 0), "inverter")

    def _smallest(self, truth, what):
        fitting = [cell for cell in self.cells.values() if not cell.unused and cell.area > 0 and cell.truth() == truth]
        if not fitting:
            raise WrongRequest(
                f"{self.path}: the library has no {what} with an area", "it cannot be used for synthesis"
            )
        return min(fitting, key=lambda cell: (cell.area, cell.name))

    def output_load_pf(self):
        """Returns the assumed load of a block's output in pF: four inputs of the smallest inverter."""
        return round(4 * self.inverter.input_capacitance * self.farads * 1e12, 9)

    def area(self, counts):
        """Returns the area of the cells `counts`, {name: number}. Raises WrongRequest for a cell that the library does
        not have."""
        total = 0.0
        for name, number in counts.items():
            if name not in self.cells:
                raise WrongRequest(
                    f"cell '{name}' is not in the library {self.name}", "Yosys could not map everything to it"
                )
            total += number * self.cells[name].area
        return total

    def flops(self, counts):
        """Returns the number of flip-flops among the cells `counts`, {name: number}."""
        return sum(number for name, number in counts.items() if name in self.cells and self.cells[name].flop)


def read(path):
    """Returns the text of a plain or gzipped liberty file. Raises WrongRequest if it cannot be read."""
    path = Path(path)
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return data.decode("utf-8", "replace")
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or "it is damaged"
        hint = f"apt-get install {DEFAULT_PACKAGE}, or --liberty FILE" if path == DEFAULT else ""
        raise WrongRequest(f"cannot read the library '{path}': {why}", hint) from None


def plain_copy(path, folder):
    """Returns the path of a plain file with the content of the library `path`, because Yosys and OpenSTA cannot read
    gzipped files. A copy is written to `folder` if `path` is gzipped."""
    path = Path(path)
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    if not zipped:
        return path.resolve()
    copy = Path(folder) / (path.name[:-3] if path.suffix == ".gz" else path.name + ".lib")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(read(path), encoding="utf-8")
    return copy.resolve()


# --- Verilog models --------------------------------------------------------------------------------------------------


def verilog_model(cell):
    """Returns a functional Verilog module of the cell, without delays, power pins and unknown values. Raises
    WrongRequest for latches, three-state cells and asynchronous resets."""
    if cell.latch or cell.tristate:
        raise WrongRequest(f"cell '{cell.name}' is a latch or three-state: no functional model of it is made")
    ports = [f"input {pin}" for pin in cell.inputs] + [f"output {pin}" for pin in cell.outputs]
    lines = [f"module {cell.name} ({', '.join(ports)});"]
    try:
        if cell.flop:
            state, inverse = (cell.flop.arguments + ["", ""])[:2]
            lines += [f"  reg {state};"]
            if inverse:
                lines += [f"  wire {inverse} = ~{state};"]
            clock = cell.flop.attributes["clocked_on"].strip()
            pin = re.sub(r"[!'()\s]", "", clock)
            falling = verilog_expression(clock) != pin
            if cell.flop.attributes.get("clear") or cell.flop.attributes.get("preset"):
                raise WrongRequest(f"cell '{cell.name}' has an asynchronous reset, which no block of ours uses")
            lines += [
                f"  always @({'negedge' if falling else 'posedge'} {pin}) "
                f"{state} <= {verilog_expression(cell.flop.attributes['next_state'])};"
            ]
        lines += [f"  assign {pin} = {verilog_expression(function)};" for pin, function in cell.outputs.items()]
    except (ValueError, KeyError) as error:
        raise WrongRequest(f"cell '{cell.name}': its function cannot be read: {error}") from None
    return "\n".join(lines + ["endmodule"]) + "\n"
