"""Static timing analysis of a mapped netlist by OpenSTA."""

import re
from pathlib import Path

from . import tools
from .errors import WrongRequest

#: Clock period of the analysis; the shortest period is this value minus the slack. It is small because OpenSTA computes
#: in single precision.
_TRIAL_NS = 1

_SCRIPT = """\
read_liberty {library}
read_verilog {netlist}
link_design {top}
set_cmd_units -time ns -capacitance pF
create_clock -name clock -period {period} [get_ports clk_i]
set_driving_cell -lib_cell {driver} [all_inputs]
set_load {load} [all_outputs]
set_input_delay 0 -clock clock [all_inputs]
set_output_delay 0 -clock clock [all_outputs]
puts "== all"
report_checks -digits 5 -path_delay max
puts "== registers"
if {{[llength [all_registers]] > 0}} {{
  report_checks -digits 5 -path_delay max -from [all_registers -clock_pins] -to [all_registers -data_pins]
}}
puts "== end"
exit
"""


def run(netlist, top, library_file, library, work, name, timeout=None):
    """Finds the longest paths of a mapped netlist. Returns {"all": path, "registers": path}, in the form of `parse`;
    "registers" is the longest path between registers.

    The clock is ideal. Inputs change at the clock edge, driven by the smallest inverter. Each output drives four inputs
    of that inverter. Wires have no capacitance. Raises WrongRequest if OpenSTA fails.
    """
    tools.need("sta")
    work = Path(work)
    script = work / f"{name}.tcl"
    script.write_text(
        _SCRIPT.format(
            library=tools.plain(library_file),
            netlist=tools.plain(netlist),
            top=top,
            period=_TRIAL_NS,
            driver=library.inverter.name,
            load=library.output_load_pf(),
        )
    )
    result = tools.run(["sta", "-exit", script.name], work / f"{name}.log", timeout, cwd=work)
    found = re.search(r"^(Error.*)$", result.output, re.MULTILINE)
    if result.timed_out or result.code != 0 or found or "== end" not in result.output:
        raise WrongRequest(
            "OpenSTA: " + (found.group(1) if found else "it did not finish"), f"its log: {work / (name + '.log')}"
        )
    sections = re.split(r"^== (\w+)$", result.output, flags=re.MULTILINE)[1:]
    return {title: parse(text) for title, text in zip(sections[::2], sections[1::2]) if title != "end"}


def parse(report):
    """Parses the output of `report_checks`. Returns the path {"period_ns", "from", "to", "gates"}; None without a path.

    `period_ns` is the shortest clock period at which the path meets the set-up time. `gates` is the number of cells
    between the registers or ports at the ends of the path.
    """
    slack = re.search(r"^\s*(-?[\d.]+)\s+slack", report, re.MULTILINE)
    if not slack:
        return None
    start = re.search(r"^Startpoint: (\S+)", report, re.MULTILINE)
    end = re.search(r"^Endpoint: (\S+)", report, re.MULTILINE)
    arrival = report.split("data arrival time")[0]
    cells = re.findall(r"^\s*-?[\d.]+\s+-?[\d.]+\s+[\^v] \S+ \((\w+)\)", arrival, re.MULTILINE)
    cells = [cell for cell in cells if cell not in ("in", "out", "net")]
    # The launching register has two lines in the report (clock pin and output pin), the capturing register one.
    points = re.findall(r"^(?:Start|End)point: .*(?:\n\s+.*)?", report, re.MULTILINE)
    registers = ["flip-flop" in point for point in points]
    return {
        "period_ns": round(_TRIAL_NS - float(slack.group(1)), 4),
        "from": _register(start.group(1)) if start else "",
        "to": _register(end.group(1)) if end else "",
        "gates": len(cells) - 2 * registers[0] - registers[1],
    }


def _register(instance):
    """Returns the register name of a flip-flop that Yosys named <register>\\<cell>; any other name is unchanged."""
    return instance.split("\\")[0]
