"""castor area: synthesises a block's RTL and reports gates, flip-flops, memory bits, logic levels and clock period."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import liberty, sta, tools, tree, yosys
from .errors import WrongRequest

#: Relative difference of a figure from rtl/<block>/area.json that `--check` accepts.
TOLERANCE = 0.005

#: Figures that `--check` compares.
CHECKED = ("kge", "flops", "memory_bits", "levels", "period_ns", "register_period_ns", "sized_kge")

# Type of the cell that replaces a table with --macros.
_MACRO = "castor_macro"

# Scripts of ABC. _MAP: the one that Yosys runs for a liberty file, with statistics printed at the end. _SIZE: inserts
# buffers and sizes gates.
_MAP = "strash;&get,-n;&fraig,-x;&put;scorr;dc2;dretime;strash;&get,-n;&dch,-f;&nf;&put;print_stats;print_gates"
_SIZE = "topo;buffer,-p,-N,16;topo;upsize;dnsize;topo;print_stats"


def add_arguments(parser):
    parser.add_argument("block", nargs="?", help="block (default: every block)")
    parser.add_argument(
        "--params",
        metavar="SET",
        help="parameter set, or 'all' (default: the set 'default'; with --check: all that are recorded)",
    )
    parser.add_argument("--liberty", metavar="FILE", help="standard cells, plain or gzipped (default: OSU018)")
    parser.add_argument(
        "--macros",
        action="store_true",
        help="replace every table of the RTL by a memory macro, which is not counted",
    )
    parser.add_argument(
        "--tie",
        metavar="SIGNAL=VALUE",
        action="append",
        default=[],
        help="tie a signal of the flattened block to a constant, to see what its variability costs (repeatable)",
    )
    parser.add_argument("--split", action="store_true", help="also print figures per module, each module mapped alone")
    parser.add_argument("--no-timing", action="store_true", help="no sizing, no clock period")
    parser.add_argument(
        "--check", action="store_true", help="fail if a figure differs from rtl/<block>/area.json by more than 0.5 %%"
    )
    parser.add_argument("--record", action="store_true", help="write the figures to rtl/<block>/area.json")


def run(options, progress):
    """Runs the command. Returns the exit code."""
    tools.need("yosys", *([] if options.no_timing else ["sta"]))
    if options.check and options.record:
        raise WrongRequest("--check and --record exclude each other")
    if (options.check or options.record) and (options.liberty or options.no_timing):
        raise WrongRequest(
            "the recorded figures are those of OSU018 with timing", "leave out --liberty and --no-timing"
        )
    progress.say("reading the library")
    library = liberty.Library(options.liberty or liberty.DEFAULT)
    ties(options.tie)
    if options.tie and (options.check or options.record or not options.block):
        raise WrongRequest("--tie is for one block, and its figures are not recorded")
    if options.split and (options.tie or options.macros):
        raise WrongRequest("--split maps the modules as they are", "leave out --tie and --macros")
    names = [options.block] if options.block else tree.blocks(options.root)
    if not names:
        raise WrongRequest("no block with RTL" + (f" in '{Path(options.root) / 'rtl'}'" if options.root else ""))
    wanted = []
    for name in names:
        block = tree.find(options.root, name, points="area")
        for chosen in _sets(block, options):
            wanted.append((block, chosen, block.parameters(chosen)))
            if options.check:
                expected(block, chosen, options.macros)  # fails early if no figures are recorded

    state = _Running(progress)
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [
            pool.submit(measure, block, chosen, values, library, options, state.show)
            for block, chosen, values in wanted
        ]
        results = [job.result() for job in jobs]

    code = 0
    for name in names:
        mine = [result for result in results if result["block"] == name]
        block = tree.find(options.root, name, points="area")
        for line in report(mine, library, options.macros):
            progress.line(line)
        if options.record:
            record(block, mine, options.macros)
            progress.line(f"recorded in {block.folder / 'area.json'}")
        if options.check:
            drifts = check(block, mine, options.macros)
            for drift in drifts:
                progress.line(f"DRIFT {drift}")
            progress.line(f"{name}: {'differs from' if drifts else 'agrees with'} {block.folder / 'area.json'}")
            code = 1 if drifts else code
    if options.json:
        tree.write_json(options.json, {"command": options.command, "tools": versions(), "results": results})
    return code


def versions():
    """Returns the versions of the tools that determine the figures."""
    return {name: tools.version(name) for name in ("yosys", "berkeley-abc", "sta")}


def _sets(block, options):
    if options.params == "all":
        return list(block.sets)
    if options.params:
        return [options.params]
    if options.check:
        return [name for name, figures in recorded(block)["sets"].items() if part(figures, options.macros) is not None]
    return ["default" if "default" in block.sets else next(iter(block.sets))]


def part(figures, macros):
    """Returns the recorded figures of one parameter set: without the tables if `macros` is set, else with tables as
    flip-flops. Returns None if these figures are not recorded."""
    return figures.get("macros") if macros else figures if "kge" in figures else None


def ties(words):
    """Parses the arguments of --tie. Returns [(signal, bits, value)], where `bits` is "[high:low]", "[bit]" or "".
    Raises WrongRequest for an argument of any other form."""
    found = [re.fullmatch(r"([A-Za-z_][\w.]*)((?:\[\d+(?::\d+)?\])?)=(\d+)", word) for word in words]
    for word, match in zip(words, found):
        if match is None:
            raise WrongRequest(f"--tie {word}: not of the form SIGNAL=VALUE", "for instance f_q=0, config_q[98:95]=8")
    return [(match.group(1), match.group(2), int(match.group(3))) for match in found]


class _Running:
    """Shows the current steps of several measurements, which run in threads, as one progress line."""

    def __init__(self, progress):
        self.progress = progress
        self.lock = threading.Lock()
        self.steps = {}

    def show(self, who, step):
        """Sets the current step of the measurement `who`; None ends it. Thread-safe."""
        with self.lock:
            self.steps[who] = step
            if step is None:
                del self.steps[who]
            self.progress.say("; ".join(f"{name}: {what}" for name, what in self.steps.items()))


def measure(block, chosen, values, library, options, show=lambda who, step: None):
    """Measures one parameter set. Returns all figures as a dictionary; docs/guides/flows.md defines the figures. `show`
    is called with the name of the measurement and its current step, None at the end."""
    began = time.monotonic()
    who = f"{block.name} {chosen}"
    tied = ties(options.tie)
    variant = ("-macros" if options.macros else "") + "".join(
        "-" + re.sub(r"\W+", "_", f"{signal}{bits} {value}") for signal, bits, value in tied
    )
    work = Path(options.work) / block.name / f"area-{chosen}-{library.name}{variant}"
    work.mkdir(parents=True, exist_ok=True)
    plain = liberty.plain_copy(library.path, work)
    result = {
        "block": block.name,
        "set": chosen,
        "parameters": values,
        "library": library.name,
        "reference_cell": library.nand2.name,
        "reference_area": library.nand2.area,
    }
    if tied:
        result["ties"] = {signal + bits: value for signal, bits, value in tied}
    show(who, "tables")
    result["tables"] = yosys.tables(block, values, tied, work)
    result["memories"] = len(result["tables"])
    result["memory_bits"] = sum(table["entries"] * table["width"] for table in result["tables"])

    show(who, "synthesis")
    timing = not options.no_timing
    out = [table["name"] for table in result["tables"]] if options.macros else []
    mapped = yosys.run(
        yosys.read(block, values, ties=tied)
        + [
            f"synth -flatten -top {block.top} -run begin:fine",
            *(f"chtype -set {_MACRO} {block.top}/{name}" for name in out),
            "synth -run fine:check",
            f"dfflibmap -liberty {yosys.quoted(plain)}",
            f"abc -liberty {yosys.quoted(plain)} -script +{_MAP}{';' + _SIZE if timing else ''}",
            "opt_clean -purge",
            "tee -q -o cells.json stat -json",
            # `rename -wire` names flip-flops after their registers. The library tells Yosys which pins are outputs.
            f"read_liberty -lib -ignore_miss_func {yosys.quoted(plain)}",
            "rename -wire",
            # OpenSTA reads neither the parameters of the tables' cells nor assignments to concatenated nets.
            *([f"delete t:{_MACRO}"] if out else []),
            "write_verilog -noattr -noexpr -nohex -nodec -simple-lhs mapped.v",
        ],
        work,
        "synthesis",
    )
    final = yosys.counts((work / "cells.json").read_text())
    macros = final.pop(_MACRO, 0)
    if macros != len(out):
        raise WrongRequest(f"only {macros} of {len(out)} tables are in the mapped netlist", f"logs in {work}")
    levels = yosys.abc_levels(mapped.output)
    gates = yosys.abc_gates(mapped.output)
    # Counts before sizing: gates as listed by ABC, flip-flops from the final netlist, because ABC does not see them.
    counts = {name: number for name, number in final.items() if name not in gates and _register(library, name)}
    counts.update(gates)
    if not timing and library.area(counts) != library.area(final):
        raise WrongRequest("ABC and Yosys do not count the same gates", f"logs in {work}")
    area = library.area(counts)
    result.update(
        {
            "kge": round(area / library.nand2.area / 1000, 4),
            "area": round(area, 3),
            "cells": sum(counts.values()),
            "flops": library.flops(counts),
            "levels": levels[0] if levels else 0,
        }
    )
    if timing:
        show(who, "timing")
        result["sized_kge"] = round(library.area(final) / library.nand2.area / 1000, 4)
        result["sized_levels"] = levels[-1] if levels else 0
        paths = sta.run("mapped.v", block.top, plain, library, work, "timing")
        whole, inside = paths.get("all"), paths.get("registers")
        result["period_ns"] = whole["period_ns"] if whole else 0.0
        result["register_period_ns"] = inside["period_ns"] if inside else 0.0
        result["critical_path"] = whole
        result["critical_register_path"] = inside
    if options.split:
        show(who, "modules")
        result["modules"] = split(block, values, library, plain, work)
    result["seconds"] = round(time.monotonic() - began, 1)
    show(who, None)
    return result


def _register(library, name):
    cell = library.cells.get(name)
    if cell is None:
        raise WrongRequest(f"Yosys left cells of the type '{name}'", f"the library {library.name} has no cell for them")
    return not cell.combinational


def split(block, values, library, plain, work):
    """Returns figures by module: [{"module", "instances", "kge", "flops"}], largest first. The figures of a module
    exclude its submodules.

    Each module is mapped alone, without optimisation across module boundaries. So the sum is larger than the figure of
    the flattened block.
    """
    yosys.run(
        yosys.read(block, values)
        + [
            f"synth -top {block.top}",
            f"dfflibmap -liberty {yosys.quoted(plain)}",
            f"abc -liberty {yosys.quoted(plain)}",
            "opt_clean",
            "tee -q -o modules.json stat -json",
        ],
        work,
        "modules",
    )
    return split_of(yosys.modules((work / "modules.json").read_text()), block.top, library)


def split_of(modules, top, library):
    """Returns the figures of `split` from the modules of Yosys' `stat -json`."""
    rows = {}

    def visit(name, times):
        own = {}
        for cell, number in modules[name]["num_cells_by_type"].items():
            inner = cell if cell in modules else "\\" + cell
            if inner in modules:
                visit(inner, times * number)
            else:
                own[cell] = number
        row = rows.setdefault(_plain_name(name), {"instances": 0, "kge": 0.0, "flops": 0})
        row["instances"] += times
        row["kge"] += times * library.area(own) / library.nand2.area / 1000
        row["flops"] += times * library.flops(own)

    visit("\\" + top if "\\" + top in modules else next(name for name in modules if _plain_name(name) == top), 1)
    listed = [
        {"module": name, "instances": row["instances"], "kge": round(row["kge"], 4), "flops": row["flops"]}
        for name, row in rows.items()
    ]
    return sorted(listed, key=lambda row: (-row["kge"], row["module"]))


def _plain_name(name):
    """Returns castor_x for \\castor_x, $paramod\\castor_x\\N=4 and $paramod$<hash>\\castor_x."""
    parts = name.split("\\")
    return parts[1] if len(parts) > 1 else name


def report(results, library, macros=False):
    """Yields the lines of the printed report. `macros`: the figures exclude the tables."""
    if not results:
        return []
    timing = "period_ns" in results[0]
    head = f"{'set':<10} {'kGE':>9} {'flops':>7} {'memory bits':>11} {'levels':>6}"
    if timing:
        head += f" {'sized kGE':>10} {'period ns':>9} {'inside ns':>9}  longest path"
    tables = "without the tables" if macros else "tables as flip-flops"
    gate = f"{library.nand2.name} ({library.nand2.area:g})"
    yield f"{results[0]['block']}: {library.name}, gate equivalent {gate}, {tables}"
    for signal, value in results[0].get("ties", {}).items():
        yield f"{signal} held at {value}"
    yield head
    for one in results:
        line = f"{one['set']:<10} {one['kge']:>9.2f} {one['flops']:>7} {one['memory_bits']:>11} {one['levels']:>6}"
        if timing:
            path = one["critical_path"]
            line += f" {one['sized_kge']:>10.2f} {one['period_ns']:>9.3f} {one['register_period_ns']:>9.3f}"
            line += f"  {path['from']} -> {path['to']}" if path else "  none"
        yield line
        for row in one.get("modules", []):
            times = f" x {row['instances']}" if row["instances"] > 1 else ""
            yield f"  {row['kge']:>17.2f} {row['flops']:>7}  {row['module']}{times}"


def recorded(block):
    """Returns the content of rtl/<block>/area.json. Raises WrongRequest if it has no figures."""
    path = block.folder / "area.json"
    try:
        data = json.loads(tree.read_text(path))
        if not isinstance(data.get("sets"), dict) or not data["sets"]:
            raise ValueError
    except (ValueError, AttributeError):
        raise WrongRequest(f"{path}: it holds no figures", f"castor area {block.name} --record writes it") from None
    return data


def expected(block, chosen, macros=False):
    """Returns the recorded figures of a parameter set. Raises WrongRequest if there are none."""
    found = part(recorded(block)["sets"].get(chosen, {}), macros)
    if found is None:
        raise WrongRequest(
            f"no figures of the set '{chosen}' in {block.folder / 'area.json'}",
            f"castor area {block.name} --params {chosen}{' --macros' if macros else ''} --record",
        )
    return found


def record(block, results, macros=False):
    """Writes the figures of `results` to rtl/<block>/area.json. Keeps the figures of other parameter sets, and for the
    same set the figures of the other treatment of tables (with or without `macros`)."""
    path = block.folder / "area.json"
    sets = recorded(block)["sets"] if path.exists() else {}
    for one in results:
        old = sets.get(one["set"], {})
        figures = {key: one[key] for key in CHECKED}
        other = {} if old.get("parameters") != one["parameters"] else old
        if macros:
            other = {key: value for key, value in other.items() if key != "macros"}
            sets[one["set"]] = {**other, "parameters": one["parameters"], "macros": figures}
        else:
            kept = {"macros": other["macros"]} if "macros" in other else {}
            sets[one["set"]] = {"parameters": one["parameters"], **figures, **kept}
    ordered = {name: sets[name] for name in block.sets if name in sets}
    tree.write_json(
        path,
        {
            "command": f"castor area {block.name} --params SET [--macros] --record",
            "library": results[0]["library"],
            "reference_cell": results[0]["reference_cell"],
            "tools": versions(),
            "sets": ordered,
        },
    )


def check(block, results, macros=False):
    """Returns a line for each figure that differs from the recorded one by more than 0.5 %."""
    known = recorded(block)
    drifts = []
    for one in results:
        was_all = expected(block, one["set"], macros)
        if known["sets"][one["set"]].get("parameters") != one["parameters"]:
            drifts.append(f"{one['block']} {one['set']}: the set's parameters are not those recorded")
        for key in CHECKED:
            was, now = was_all.get(key), one[key]
            if not isinstance(was, (int, float)):
                raise WrongRequest(f"{block.folder / 'area.json'}: {one['set']} has no '{key}'")
            if abs(now - was) > TOLERANCE * abs(was):
                change = f"{100 * (now - was) / was:+.2f} %" if was else "new"
                drifts.append(f"{one['block']} {one['set']}: {key} was {was:g}, is {now:g} ({change})")
    if drifts and versions() != known.get("tools"):
        drifts.append(f"recorded with {known.get('tools')}")
    return drifts
