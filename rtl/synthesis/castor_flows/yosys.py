"""Writes and runs Yosys scripts, and parses the output of Yosys and ABC."""

import json
import re
from pathlib import Path

from . import tools
from .errors import WrongRequest


#: Yosys command before `write_verilog` for Verilator. It splits vectors whose bits have different drivers. If one bit
#: of a vector depends on another bit, Verilator 5.006 sees a combinational loop, and may stop evaluating the loop
#: before all values have settled.
SPLIT = "splitnets -driver"


def quoted(path):
    """Returns a path as a word of a Yosys script. Raises WrongRequest if Yosys does not accept the file name."""
    text = tools.plain(path)
    if re.search(r'["\\\s;#]', text):
        raise WrongRequest(f"Yosys cannot read the path '{path}'", "use a path without blanks, quotes, ';' and '#'")
    return text


def read(block, values, formal=False, extra=(), replaced=None, ties=()):
    """Returns Yosys commands that read a block's sources and elaborate its top module with the parameters `values`.
    Names CASTOR_... in `values` are macros.

    `extra`: more source files; `replaced`: {source: file that is read instead}; `ties`: [(signal, bits, value)],
    signals of the flattened block that are tied to a constant; `bits` is "[high:low]", "[bit]" or "".
    """
    sources = [(replaced or {}).get(source, source) for source in block.sources] + list(extra)
    includes = " ".join(f"-I{quoted(folder)}" for folder in block.includes)
    macros = "".join(f"-D{name}={value} " for name, value in values.items() if name.startswith("CASTOR_"))
    chosen = " ".join(f"-chparam {name} {value}" for name, value in values.items() if not name.startswith("CASTOR_"))
    commands = [
        f"read_verilog -sv -defer {'-formal ' if formal else ''}{macros}{includes} {' '.join(map(quoted, sources))}",
        f"hierarchy -check -top {block.top} {chosen}",
    ]
    if ties:
        commands += ["proc", "flatten", f"cd {block.top}"]
        for signal, bits, value in ties:
            commands += [
                f"select -assert-count 1 w:{signal}",
                "select -clear",
                f"connect -set \\{signal}{bits} {value}",
            ]
        commands += ["cd", "opt_clean"]
    return commands


def tables(block, values, ties, work):
    """Returns the tables (memories) of a block, sorted by name: [{"name", "entries", "width", "read_ports",
    "write_ports"}]."""
    run(
        read(block, values, ties=ties)
        + ["proc", "flatten", "opt", "memory_collect", "select t:$mem_v2", "dump -o tables.txt"],
        work,
        "tables",
    )
    return tables_of((Path(work) / "tables.txt").read_text())


def tables_of(dump):
    """Returns the result of `tables` from the text of Yosys' `dump` of memory cells."""
    found = []
    for line in dump.splitlines():
        words = line.split()
        if words[:2] == ["cell", "$mem_v2"]:
            found.append({"name": words[2].lstrip("\\")})
        elif len(words) == 3 and words[0] == "parameter" and words[1] in _TABLE:
            found[-1][_TABLE[words[1]]] = int(words[2])
    return sorted(found, key=lambda table: table["name"])


def run(commands, work, name, timeout=None):
    """Runs Yosys commands. The script and the log are kept in `work` as <name>.ys and <name>.log. Returns the
    tools.Result.

    Raises WrongRequest with Yosys' message if Yosys fails or exceeds `timeout` (seconds of CPU time).
    """
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    script = work / f"{name}.ys"
    script.write_text("\n".join(commands) + "\n")
    tools.need("yosys")
    result = tools.run(["yosys", "-Q", "-s", script.name], work / f"{name}.log", timeout, cwd=work)
    if result.timed_out:
        raise WrongRequest(f"Yosys did not finish in {timeout} s", f"its log: {work / (name + '.log')}")
    if result.code != 0:
        raise WrongRequest(first_error(result.output), f"its log: {work / (name + '.log')}")
    return result


def first_error(output):
    """Returns the line of Yosys' output that says why it failed."""
    tied = re.search(r"selection contains 0 elements instead of the asserted 1: w:(\S+)", output)
    if tied:
        return f"--tie {tied.group(1)}: the flattened block has no signal of this name"
    found = re.search(r"^(.*ERROR: .*)$", output, re.MULTILINE)
    return "Yosys: " + (found.group(1).replace("ERROR: ", "") if found else "it ended without a message")


def counts(stat_json):
    """Returns {cell type: number} from a `stat -json` text: of the whole design if it has several modules."""
    try:
        data = json.loads(stat_json)
        part = data.get("design") or next(iter(data["modules"].values()))
        return {name: int(number) for name, number in part["num_cells_by_type"].items()}
    except (ValueError, KeyError, StopIteration, AttributeError, TypeError):
        raise WrongRequest("Yosys' statistics cannot be read", "Yosys 0.23 is required") from None


def modules(stat_json):
    """Returns {module: statistics} from a `stat -json` text.

    If the hierarchy has more than one level, Yosys 0.23 writes invalid JSON after the modules. That part is cut off.
    """
    head = re.match(r"(.*?\n   \})", stat_json, re.DOTALL)
    try:
        return json.loads(head.group(1) + "}")["modules"]
    except (ValueError, KeyError, AttributeError, TypeError):
        raise WrongRequest("Yosys' statistics cannot be read", "Yosys 0.23 is required") from None


_TABLE = {"\\SIZE": "entries", "\\WIDTH": "width", "\\RD_PORTS": "read_ports", "\\WR_PORTS": "write_ports"}
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_STATS = re.compile(r"ABC: .*\bnd =\s*(\d+).*\barea =\s*([\d.]+).*\blev =\s*(\d+)")
_GATE = re.compile(r"^ABC: (\S+)\s+Fanin =\s*\d+\s+Instance =\s*(\d+)", re.MULTILINE)


def abc_levels(output):
    """Returns the number of gates on the longest path for each `print_stats` of a mapped network in ABC's log, in
    order."""
    return [int(found.group(3)) for found in _STATS.finditer(_COLOUR.sub("", output))]


def abc_gates(output):
    """Returns {cell: number} from the last `print_gates` list in ABC's log, without constants."""
    result = {}
    for found in _GATE.finditer(_COLOUR.sub("", output)):
        if found.group(1) not in ("_const0_", "_const1_"):
            result[found.group(1)] = int(found.group(2))
    return result
