#!/usr/bin/env python3
"""Unit tests of rtl/synthesis: everything that reads somebody else's text, and how outside tools are run. Of
those it runs none but the interpreter."""

import gzip
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import (  # noqa: E402
    aiger,
    area,
    circuits,
    coverage,
    due,
    engines,
    evidence,
    faults,
    formal,
    installation,
    liberty,
    normal,
    progress,
    proof_record,
    properties,
    prove,
    sources,
    sta,
    tools,
    tree,
    yosys,
)
from castor_flows.errors import WrongRequest  # noqa: E402

LIBERTY = """
/* a comment with a } in it */
library(small) {
  time_unit : "1ns";
  capacitive_load_unit (1, ff);
  lu_table_template(t) { variable_1 : input_net_transition; index_1 ("1.0, 2.0"); }
  cell (NAND2X2) { area : 4; pin(A) { direction : input; } pin(B) { direction : input; }
                   pin(Y) { direction : output; function : "(A B)'"; } }
  cell ("NAND2X1") {
    area : 2.5
    pin(A, B) { direction : input; capacitance : 3.0; }
    pin(Y) { direction : output; function : "!A | !B";
             timing() { related_pin : "A"; cell_rise(t) { values ("0.1, 0.2", \\
                                                                  "0.3, 0.4"); } } }
  }
  cell (INV) { area : 1; pin(A) { direction : input; capacitance : 1.5; }
               pin(Y) { direction : output; function : "A'"; } }
  cell (DFF) { area : 9; ff(IQ, IQN) { clocked_on : "CK"; next_state : "D"; }
    pin(CK) { direction : input; clock : true; } pin(D) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; } pin(QN) { direction : output; function : "IQN"; } }
  cell (DFFN) { area : 9; ff(IQ, IQN) { clocked_on : "!CK"; next_state : "D E + IQ E'"; }
    pin(CK, D, E) { direction : input; } pin(Q) { direction : output; function : "IQ"; } }
  cell (DFFR) { area : 12; ff(IQ, IQN) { clocked_on : "CK"; next_state : "D"; clear : "R"; }
    pin(CK, D, R) { direction : input; } pin(Q) { direction : output; function : "IQ"; } }
  cell (LAT) { area : 7; latch(IQ, IQN) { enable : "G"; data_in : "D"; } pin(G, D) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; } }
  cell (TRI) { area : 3; pin(A, E) { direction : input; }
    pin(Y) { direction : output; function : "A"; three_state : "!E"; } }
}
"""

STA = """Startpoint: req_i[0] (input port clocked by clock)
Endpoint: sum_o[18]\\\\DFFPOSX1 (rising edge-triggered flip-flop clocked by clock)
Path Group: clock
Path Type: max

  Delay    Time   Description
---------------------------------------------------------
 0.00000 0.00000   clock clock (rise edge)
 0.00000 0.00000   clock network delay (ideal)
 0.00000 0.00000 ^ input external delay
 0.05000 0.05000 ^ req_i[0] (in)
 0.05000 0.10000 v _40887_/Y (INVX2)
 0.30000 0.40000 v _40968_/Y (BUFX2)
 0.00000 0.40000 ^ sum_o[18]\\\\DFFPOSX1/D (DFFPOSX1)
         0.40000   data arrival time

 1.00000 1.00000   clock clock (rise edge)
         1.00000 ^ sum_o[18]\\\\DFFPOSX1/CLK (DFFPOSX1)
-0.20000 0.80000   library setup time
         0.80000   data required time
---------------------------------------------------------
         0.80000   data required time
        -0.40000   data arrival time
---------------------------------------------------------
         0.40000   slack (MET)
"""


def library(text=LIBERTY):
    return liberty.Library("small.lib", text)


class Liberty(unittest.TestCase):
    def test_smallest_nand_is_the_reference_however_its_function_is_written(self):
        self.assertEqual((library().nand2.name, library().nand2.area), ("NAND2X1", 2.5))

    def test_area_and_flip_flops_are_sums_over_cells(self):
        counts = {"NAND2X1": 3, "DFF": 2, "DFFN": 1, "INV": 4}
        self.assertEqual(library().area(counts), 3 * 2.5 + 3 * 9 + 4)
        self.assertEqual(library().flops(counts), 3)

    def test_output_load_is_four_inverter_inputs_in_the_librarys_unit(self):
        self.assertAlmostEqual(library().output_load_pf(), 4 * 1.5e-3)

    def test_cell_that_the_library_lacks_is_refused(self):
        with self.assertRaisesRegex(WrongRequest, "'LATCH9' is not in the library small"):
            library().area({"LATCH9": 1})

    def test_functions_follow_the_precedence_of_liberty(self):
        for function, expression in {
            "A B + C": "((A & B) | C)",
            "A + B C": "(A | (B & C))",
            "(A+B)'": "(~(A | B))",
            "!A^B": "((~A) ^ B)",
            "A * B' * 1": "((A & (~B)) & 1'b1)",
            "A & B | C": "((A & B) | C)",
            "A ^ B C": "((A ^ B) & C)",
        }.items():
            self.assertEqual(liberty.verilog_expression(function), expression)

    def test_what_is_no_function_is_refused(self):
        for function in ("", "A +", "(A", "A)", "A ? B", "A; B", "2"):
            with self.assertRaises(ValueError, msg=function):
                liberty.verilog_expression(function)

    def test_evaluation_agrees_with_the_truth_of_the_gates(self):
        table = [
            liberty.evaluate("!((A B) + C)", {"A": a, "B": b, "C": c}) for a in (0, 1) for b in (0, 1) for c in (0, 1)
        ]
        self.assertEqual(table, [1, 0, 1, 0, 1, 0, 0, 0])
        self.assertEqual([liberty.evaluate("A^B'", {"A": a, "B": b}) for a in (0, 1) for b in (0, 1)], [1, 0, 0, 1])

    def test_models_are_functional_verilog(self):
        cells = library().cells
        self.assertEqual(
            liberty.verilog_model(cells["DFFN"]),
            "module DFFN (input CK, input D, input E, output Q);\n  reg IQ;\n  wire IQN = ~IQ;\n"
            "  always @(negedge CK) IQ <= ((D & E) | (IQ & (~E)));\n  assign Q = IQ;\nendmodule\n",
        )
        self.assertIn("always @(posedge CK) IQ <= D;", liberty.verilog_model(cells["DFF"]))
        self.assertIn("assign QN = IQN;", liberty.verilog_model(cells["DFF"]))

    def test_cells_without_a_functional_model_are_refused(self):
        for name in ("LAT", "TRI", "DFFR"):
            with self.assertRaisesRegex(WrongRequest, name):
                liberty.verilog_model(library().cells[name])

    def test_damaged_files_are_refused_with_their_line(self):
        cut = LIBERTY[: LIBERTY.index("cell (INV)")]
        for text in (
            cut,
            LIBERTY + "}",
            "library(x) { }",
            "",
            "cell (",
            "}{",
            "what is this",
            "library(x) { cell (a b",
        ):
            with self.assertRaises(WrongRequest, msg=text[:40]) as caught:
                library(text)
            self.assertRegex(str(caught.exception), r"small\.lib")

    def test_library_without_a_nand_is_refused(self):
        with self.assertRaisesRegex(WrongRequest, "no two-input NAND"):
            library(LIBERTY.replace("NAND2X1", "X").replace("!A | !B", "A").replace("(A B)'", "A"))

    def test_gzipped_files_are_read_and_unpacked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "small.lib.gz"
            path.write_bytes(gzip.compress(LIBERTY.encode()))
            self.assertEqual(liberty.Library(path).nand2.name, "NAND2X1")
            self.assertEqual(liberty.plain_copy(path, folder).read_text(), LIBERTY)
            path.write_bytes(gzip.compress(LIBERTY.encode())[:40])
            with self.assertRaisesRegex(WrongRequest, "damaged"):
                liberty.Library(path)
            with self.assertRaisesRegex(WrongRequest, "cannot read the library"):
                liberty.Library(Path(folder) / "none.lib")


class Yosys(unittest.TestCase):
    STAT = json.dumps({"modules": {"\\a": {"num_cells_by_type": {"DFF": 1, "INV": 2}}}})

    def test_counts_are_those_of_the_only_module_or_of_the_design(self):
        self.assertEqual(yosys.counts(self.STAT), {"DFF": 1, "INV": 2})
        both = json.loads(self.STAT)
        both["design"] = {"num_cells_by_type": {"DFF": 3}}
        self.assertEqual(yosys.counts(json.dumps(both)), {"DFF": 3})

    def test_tables_are_read_from_a_dump_of_their_cells(self):
        dump = (
            "module \\top\n  cell $mem_v2 \\u_b.mem_q\n    parameter \\WIDTH 5\n    parameter \\SIZE 16\n"
            "    parameter \\RD_PORTS 2\n    parameter \\WR_PORTS 1\n    parameter \\ABITS 4\n"
            "  cell $mem_v2 \\a_q\n    parameter \\SIZE 3\n    parameter \\WIDTH 48\n    parameter \\WR_PORTS 3\n"
            "    parameter \\RD_PORTS 1\n"
        )
        self.assertEqual(
            yosys.tables_of(dump),
            [
                {"name": "a_q", "entries": 3, "width": 48, "write_ports": 3, "read_ports": 1},
                {"name": "u_b.mem_q", "width": 5, "entries": 16, "read_ports": 2, "write_ports": 1},
            ],
        )

    def test_modules_are_read_although_yosys_breaks_its_json_behind_them(self):
        text = (
            '{\n   "creator": "Yosys",\n   "modules": {\n      "\\\\a": {\n         "num_cells_by_type": {\n'
            '            "INV": 2\n'
            '         }\n      }\n   },\n       $paramod$0a\\b      2\n   "design": {\n'
        )
        self.assertEqual(yosys.modules(text), {"\\a": {"num_cells_by_type": {"INV": 2}}})
        with self.assertRaises(WrongRequest):
            yosys.modules("{}")

    def test_unreadable_statistics_are_refused(self):
        for text in ("", "[]", "{}", '{"modules": {}}', '{"modules": {"a": {}}}'):
            with self.assertRaises(WrongRequest, msg=text):
                yosys.counts(text)

    def test_levels_and_gates_of_abc_are_read_through_its_colours(self):
        log = (
            "ABC: \x1b[1;37mnetlist                       :\x1b[0m i/o =   56/    4  lat =    0  nd =   110  "
            "edge =    300  area =1234.00  delay =10.00  lev = 10\n"
            "ABC: NAND2X1   Fanin =  2   Instance =        7   Area =     168.00    8.90 %   Y=!A+!B\n"
            "ABC: netlist : i/o = 1/ 1  lat = 0  nd = 1  edge = 2  area =1.00  delay =1.00  lev = 12\n"
        )
        self.assertEqual(yosys.abc_levels(log), [10, 12])
        self.assertEqual(yosys.abc_gates(log), {"NAND2X1": 7})
        # A port of a table that is always 0 is a constant, no cell.
        constant = "ABC: _const0_     Fanin =  0   Instance =        2   Area =       0.00     0.00 %\n"
        self.assertEqual(yosys.abc_gates(log + constant), {"NAND2X1": 7})

    def test_first_error_is_one_line_with_file_and_line(self):
        self.assertEqual(yosys.first_error("a\nx.sv:3: ERROR: syntax error\nmore\n"), "Yosys: x.sv:3: syntax error")
        self.assertIn("without a message", yosys.first_error("killed"))

    def test_names_that_a_script_cannot_hold_are_refused(self):
        for path in ("/a b.sv", '/a"b', "/a;b"):
            with self.assertRaises(WrongRequest):
                yosys.quoted(path)

    def test_files_in_folders_of_any_name_are_reached(self):
        self.assertEqual(tools.plain("/a/b.sv"), "/a/b.sv")
        with tempfile.TemporaryDirectory() as holder:
            for name in ("plain", "a b", 'q"u', "#;", "x/a b/y"):
                folder = Path(holder) / name
                folder.mkdir(parents=True)
                (folder / "c.sv").write_text(name)
                for path in (folder / "c.sv", folder):
                    word = yosys.quoted(path)
                    self.assertNotRegex(word, r'[\s"#;]')
                    self.assertTrue(Path(word).samefile(path))
                    self.assertEqual(tools.original(word), str(path))


class Timing(unittest.TestCase):
    def test_period_is_where_the_path_just_meets_set_up(self):
        path = sta.parse(STA)
        self.assertAlmostEqual(path["period_ns"], 0.4 + 0.2)  # arrival and set-up
        self.assertEqual((path["from"], path["to"]), ("req_i[0]", "sum_o[18]"))

    def test_gates_of_a_path_are_those_between_its_ends(self):
        self.assertEqual(sta.parse(STA)["gates"], 2)
        from_register = STA.replace("req_i[0] (input port", "q\\\\DFF (rising edge-triggered flip-flop").replace(
            " 0.00000 0.00000 ^ input external delay\n 0.05000 0.05000 ^ req_i[0] (in)\n",
            " 0.00000 0.00000 ^ q\\\\DFF/CK (DFF)\n 0.10000 0.10000 ^ q\\\\DFF/Q (DFF)\n",
        )
        self.assertEqual(sta.parse(from_register)["gates"], 2)

    def test_no_path_is_none(self):
        self.assertIsNone(sta.parse("No paths found.\n"))


class Area(unittest.TestCase):
    MODULES = {
        "\\top": {"num_cells_by_type": {"DFF": 1, "$paramod\\child\\N=4": 2, "other": 1}},
        "$paramod\\child\\N=4": {"num_cells_by_type": {"NAND2X1": 10, "$paramod$0a1b\\leaf": 3}},
        "$paramod$0a1b\\leaf": {"num_cells_by_type": {"INV": 5}},
        "\\other": {"num_cells_by_type": {"DFF": 7}},
        "\\unused": {"num_cells_by_type": {"DFF": 700}},
    }

    def test_split_counts_every_instance_once(self):
        rows = {row["module"]: row for row in area.split_of(self.MODULES, "top", library())}
        self.assertEqual(
            {name: row["instances"] for name, row in rows.items()}, {"top": 1, "child": 2, "leaf": 6, "other": 1}
        )
        self.assertAlmostEqual(rows["child"]["kge"], 2 * 10 / 1000)
        self.assertAlmostEqual(rows["leaf"]["kge"], 6 * 5 * 1 / 2.5 / 1000, 4)
        self.assertEqual(rows["other"]["flops"], 7)

    def check(self, **changes):
        figures = {
            "kge": 100.0,
            "flops": 1000,
            "memory_bits": 64,
            "levels": 30,
            "period_ns": 8.0,
            "register_period_ns": 8.0,
            "sized_kge": 110.0,
        }
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "area.json").write_text(
                json.dumps({"tools": area.versions(), "sets": {"s": {"parameters": {"N": 4}, **figures}}})
            )
            block = type("Block", (), {"folder": folder, "name": "x", "sets": {"s": {"N": 4}}})
            return area.check(block, [{"block": "x", "set": "s", "parameters": {"N": 4}, **figures, **changes}])

    def test_drift_up_to_half_a_percent_passes_and_beyond_fails_both_ways(self):
        self.assertEqual(self.check(kge=100.5), [])
        self.assertEqual(self.check(kge=99.5), [])
        self.assertEqual(self.check(kge=100.6), ["x s: kge was 100, is 100.6 (+0.60 %)"])
        self.assertEqual(
            self.check(kge=99.4, flops=1006),
            ["x s: kge was 100, is 99.4 (-0.60 %)", "x s: flops was 1000, is 1006 (+0.60 %)"],
        )

    def test_other_parameters_are_a_drift(self):
        self.assertEqual(len(self.check(parameters={"N": 8})), 1)

    def test_set_that_was_not_recorded_is_refused(self):
        with self.assertRaisesRegex(WrongRequest, "no figures of the set 't'"):
            self.check(set="t")


class Proofs(unittest.TestCase):
    def recorded_block(self, folder, sources):
        (folder / "proofs.json").write_text(
            json.dumps(
                {
                    "sets": {
                        "s": {
                            "parameters": {"N": 4},
                            "sources": sources,
                            "properties": {
                                "u_p.a1": {
                                    "result": "proven",
                                    "engine": "pdr",
                                    "depth": None,
                                    "seconds": 1,
                                    "given": 0,
                                },
                                "u_p.a2": {"result": "bounded", "engine": "bmc", "depth": 9, "seconds": 1, "given": 0},
                                "x.sv:7": {
                                    "result": "proven",
                                    "engine": "pdr",
                                    "depth": None,
                                    "seconds": 1,
                                    "given": 0,
                                },
                            },
                        }
                    }
                }
            )
        )
        return type("Block", (), {"bench": folder, "name": "x"})

    def test_recorded_verdicts_are_of_these_sources_or_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(formal, "fingerprint", lambda _: "now"):
            block = self.recorded_block(Path(folder), "now")
            self.assertEqual(proof_record.recorded_as_proven(block, "s", {"N": 4}), ["u_p.a1"])
            for chosen, values, told in ("s", {"N": 5}, "now"), ("t", {"N": 4}, "now"), ("s", {"N": 4}, "before"):
                block = self.recorded_block(Path(folder), told)
                with self.assertRaisesRegex(WrongRequest, "not recorded of these sources"):
                    proof_record.recorded_as_proven(block, chosen, values)

    def test_recalled_verdicts_are_complete_or_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(formal, "fingerprint", lambda _: "now"):
            run = prove.Run.__new__(prove.Run)
            run.block, run.params, run.values = self.recorded_block(Path(folder), "now"), "s", {"N": 4}
            run.chosen = [properties.Property(name, "x.sv:1.1", False) for name in ("u_p.a1", "u_p.a2")]
            run.recall(mock.Mock())
            self.assertEqual([one.result for one in run.chosen], [properties.PROVEN, properties.BOUNDED])
            run.chosen.append(properties.Property("u_p.a3", "x.sv:1.1", False))
            with self.assertRaisesRegex(WrongRequest, "not recorded of these sources"):
                run.recall(mock.Mock())

    def test_verdicts_of_abc(self):
        self.assertEqual(engines.abc_verdict("x\nProperty proved.  Time = 0.02 sec\n"), (True, None))
        self.assertEqual(
            engines.abc_verdict('Output 0 of miter "x" was asserted in frame 5. Time = 0.02 sec'), (False, 5)
        )
        self.assertEqual(engines.abc_verdict("Reached timeout (5 seconds).\n"), (None, None))
        self.assertEqual(engines.abc_verdict("The property is not Property proved."), (None, None))

    def test_bound_is_the_frames_searched(self):
        self.assertEqual(engines.abc_frames("No output asserted in 15397 frames. Resource limit reached"), 15397)
        self.assertEqual(engines.abc_frames("Explored all reachable states after completing 4096 frames."), 4096)
        self.assertEqual(engines.abc_frames("killed"), 0)

    def test_induction_length_is_read_only_from_a_success(self):
        steps = (
            "##  Trying induction in step 20..\n##  Trying induction in step 19..\n##  Trying induction in step 18..\n"
        )
        self.assertEqual(engines.induction_length(steps + "##  Status: PASSED\n"), 2)
        self.assertIsNone(engines.induction_length(steps + "##  Status: FAILED\n"))

    def test_part_of_a_property_is_the_module_it_is_bound_to(self):
        instances = circuits.instances_of(
            "module \\top\n  cell $paramod\\mid\\N=s32'1 \\u_mid\n  cell $and $and$1\n  cell \\props \\u_properties\n"
            "end\nmodule $paramod\\mid\\N=s32'1\n  cell \\props \\u_properties\nend\nmodule \\props\nend\n"
        )
        inside = "$paramod\\mid\\N=s32'1"
        self.assertEqual(instances["top"]["u_mid"], inside)
        self.assertEqual(circuits.part_of("u_mid.u_properties.a", "top", instances), ("u_mid.", inside))
        self.assertIsNone(circuits.part_of("u_properties.a", "top", instances))
        self.assertIsNone(circuits.part_of("a", "top", instances))

    def test_coverage_adds_instances_and_tells_branches_of_a_line_apart(self):
        def point(page, line, column, name, where, count):
            words = {"f": "/r/rtl/x/x.sv", "l": line, "n": column, "page": page, "o": name, "h": where}
            return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in words.items()) + f"' {count}\n"

        text = (
            "# SystemC::Coverage-3\n"
            + point("v_line/x", 3, 5, "block", "top.a", 0)
            + point("v_line/x", 3, 5, "block", "top.b", 2)
            + point("v_branch/x", 3, 9, "else", "top.a", 0)
            + point("v_toggle/x", 1, 2, "q[0]", "top.a", 1)
            + point("v_toggle/x", 1, 2, "q[1]", "top.a", 0)
            + point("v_user/x", 1, 2, "c", "top.a", 1)
        )
        self.assertEqual(
            coverage.shares(coverage.read(text)), {name: {"line": (1, 2), "toggle": (1, 2)} for name in ("x.sv", "all")}
        )

    def test_assumptions_that_bring_registers_of_their_own_come_last(self):
        # s follows the input; h gathers s. What p and r say is s, what q says is h; each is behind a register, and
        # always checked.
        latches = {
            "s": "2",
            "h": "14",
            "p": "4",
            "q": "6",
            "r": "4",
        }  # variables 2 to 6; variable 7 is the gate h and s
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            outputs = ["8", "1", "10", "1", "12", "1"]
            lines = ["aig 7 1 5 6 1", *latches.values(), *outputs]
            (work / "properties.aig").write_bytes("\n".join(lines).encode() + b"\n" + bytes([14 - 6, 6 - 4]))
            names = [
                f"output {2 * at + port} 0 {name}.{'A' if port == 0 else 'EN'}"
                for at, name in enumerate("pqr")
                for port in (0, 1)
            ]
            (work / "properties.map").write_text("input 0 0 i\n" + "\n".join(names))
            circuit = aiger.Circuit(work / "properties.aig", work / "properties.map")
            for literal, now, ever, before in (
                (2, set(), set(), set()),
                (4, {0}, {0}, set()),
                (7, {1}, {0, 1}, {0, 1}),
                (9, {2}, {0, 2}, {0}),
                (14, {0, 1}, {0, 1}, {0, 1}),
            ):
                self.assertEqual(circuit.support([literal]), now)
                self.assertEqual(circuit.support([literal], history=True), ever)
                self.assertEqual(circuit.history_before([literal]), before)
            self.assertEqual(circuit.values_of({"p.A", "q.EN"}), {("p.A", 0): 8, ("q.EN", 0): 1})

            p, q, r = those = [properties.Property(name, "x.sv:1.1", False) for name in "pqr"]
            for tag, expected in (("near", [[r], [p, r], [p]]), ("given", [[q, r], [p, r], [p, q]])):
                engines.prepare_aiger(those, those, work, those, tag)
                self.assertEqual([one.given for one in those], expected)
                for at, given in enumerate(expected):
                    header = (work / f"p{at}-{tag}.aig").read_bytes().split(b"\n")[0].split()
                    self.assertEqual(int(header[7]), len(given))  # constraints

    def test_properties_are_the_assert_and_cover_cells_with_their_places(self):
        dump = (
            'module \\t\n  attribute \\src "a.sv:1.1-2.2|p.sv:29.7-29.56"\n  cell $assert \\u.in_range\n  end\n'
            '  attribute \\src "p.sv:30.7-30.9"\n  cell $cover $cover$p.sv:30$7\n  end\nend\n'
        )
        found = properties.cells_of(dump)
        self.assertEqual([(one.name, one.cover) for one in found], [("u.in_range", False), ("p.sv:30.7-30.9", True)])
        self.assertEqual(properties.written_at(found[0].source, {"p.sv": ROOT / "tb/x/p.sv"}, ROOT), "tb/x/p.sv:29")


class Binds(unittest.TestCase):
    TEXT = "module p; endmodule\n// bind not this;\nbind castor_x p #(.N(N)) u_p (\n  .clk_i\n);\n// end\n"

    def test_binds_are_taken_out_and_lines_stay(self):
        rest, binds = formal.split_binds(self.TEXT)
        self.assertEqual(binds, [("castor_x", "p #(.N(N)) u_p (\n  .clk_i\n);")])
        self.assertEqual(rest.count("\n"), self.TEXT.count("\n"))
        self.assertIn("// bind not this;", rest)

    def test_instance_goes_into_the_module_that_is_named(self):
        text = "module castor_xy; endmodule\n/* module castor_x; endmodule */ module castor_x (a); // endmodule\n"
        text += "  wire a;\nendmodule\n"
        done = formal.insert(text, "castor_x", "HERE")
        self.assertTrue(done.endswith("  wire a;\nHEREendmodule\n"))
        self.assertIsNone(formal.insert(text, "castor_z", "HERE"))

    def test_reset_is_that_of_the_module_itself(self):
        text = "module castor_a (input rst_ni); endmodule\nmodule castor_b (input clk_i); // rst_ni\nendmodule\n"
        self.assertEqual(
            [formal.has_reset(text, name) for name in ("castor_a", "castor_b", "castor_c")], [True, False, False]
        )


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.rtl = self.root / "rtl" / "x"
        self.rtl.mkdir(parents=True)
        (self.rtl / "castor_x.sv").write_text("module castor_x; endmodule\n")
        (self.rtl / "x.f").write_text("# comment\n\nx/castor_x.sv // top\n")
        (self.rtl / "parameter_sets.json").write_text('{"default": {"N": 4}}')

    def tearDown(self):
        self.folder.cleanup()

    def test_block_knows_sources_and_sets(self):
        block = tree.find(self.root, "x")
        self.assertEqual(block.sources, [(self.rtl / "castor_x.sv").resolve()])
        self.assertEqual(block.parameters("default"), {"N": 4})

    def test_unknown_names_list_what_there_is(self):
        with self.assertRaisesRegex(WrongRequest, "unknown block 'y' .*there are: x"):
            tree.find(self.root, "y")
        with self.assertRaisesRegex(WrongRequest, "did you mean default"):
            tree.find(self.root, "x").parameters("defualt")

    def test_missing_source_is_refused_with_its_line(self):
        (self.rtl / "x.f").write_text("x/castor_x.sv\nx/none.sv\n")
        with self.assertRaisesRegex(WrongRequest, r"x\.f:2: no file"):
            tree.find(self.root, "x")

    def test_shared_modules_are_blocks_with_a_bench_of_their_own(self):
        every = tree.designs(None, "common")
        self.assertEqual([one.name for one in every], tree.shared_modules())
        fifo = next(one for one in every if one.name == "fifo")
        self.assertEqual((fifo.top, fifo.proof_sets), ("castor_fifo", list(fifo.sets)))
        self.assertIn(ROOT / "rtl" / "common" / "castor_fifo.sv", fifo.sources)
        # In a tree of somebody's own only its blocks are meant.
        with self.assertRaisesRegex(WrongRequest, "unknown block 'common' .*there are: x"):
            tree.designs(self.root, "common")

    def test_wrong_sets_are_refused(self):
        for text in ("", "[1]", "{}", '{"a": 4}', '{"a": {"N": "4"}}', '{"a": {"N": true}}', '{"a": {"N; rm": 1}}'):
            (self.rtl / "parameter_sets.json").write_text(text)
            with self.assertRaises(WrongRequest, msg=text):
                tree.find(self.root, "x")

    def test_folder_without_rtl_is_refused(self):
        with self.assertRaisesRegex(WrongRequest, "--root"):
            tree.find(self.root / "none", "x")


class Faults(unittest.TestCase):
    PLAIN = "assign full = (count == Depth);\nassign empty = (count == 0);\n"

    def fault(self, at, to="1'b0"):
        return {"name": "trial", "what": "a fault", "file": "x.sv", "at": at, "to": to}

    def test_an_expression_is_put_behind_the_faults_number(self):
        once = faults.with_faults(self.PLAIN, {3: self.fault("full = («count == Depth»)", "count >= Depth")})
        self.assertIn("assign full = (((castor_faults::number == 3) ? (count >= Depth) : (count == Depth)));", once)
        self.assertIn("assign empty = (count == 0);", once)

    def test_two_faults_share_an_expression(self):
        same = "full = («count == Depth»)"
        text = faults.with_faults(self.PLAIN, {1: self.fault(same, "a"), 2: self.fault(same, "b")})
        for part in ("castor_faults::number == 1) ? (a)", "castor_faults::number == 2) ? (b)", ": (count == Depth)"):
            self.assertEqual(text.count(part), 1, text)

    def test_one_fault_lies_within_the_expression_of_another(self):
        inner, outer = self.fault("== «Depth»)", "7"), self.fault("full = («count == Depth»)", "a")
        for order in ({1: inner, 2: outer}, {2: outer, 1: inner}):
            self.assertIn(
                "full = (((castor_faults::number == 2) ? (a) : "
                "(count == ((castor_faults::number == 1) ? (7) : (Depth)))));",
                faults.with_faults(self.PLAIN, order),
            )
        across = self.fault("«Depth);\nassign empty» =", "b")
        with self.assertRaisesRegex(WrongRequest, "overlaps"):
            faults.with_faults(self.PLAIN, {1: outer, 2: across})

    def test_one_that_no_longer_fits_is_refused(self):
        for at, says in (
            ("full = («count == 16»)", "does not fit.*0 times"),
            ("(«count» == ", "does not fit.*2 times"),
            ("full", "no «expression»"),
        ):
            with self.assertRaisesRegex(WrongRequest, says):
                faults.with_faults(self.PLAIN, {1: self.fault(at)})

    def test_a_sample_is_of_faults_that_were_found_at_one_set(self):
        with tempfile.TemporaryDirectory() as folder:
            block = types.SimpleNamespace(name="trial", folder=Path(folder))
            found = [{"name": f"{params}{n}", "found": {params: n}} for params in ("odd", "large") for n in range(9)]
            chosen = set()
            for text in "abcdefgh":
                (Path(folder) / "trial.sv").write_text(text)
                (params,), some = faults.sample(block, [*found, {"name": "never"}], ["odd", "large"], 2)
                self.assertEqual([[params], [params]], [list(fault["found"]) for fault in some])
                chosen |= {fault["name"] for fault in some} | {params}
            self.assertLessEqual({"odd", "large"}, chosen, "the RTL chooses the set")
            self.assertGreater(len(chosen), 6, "and the faults")
            with self.assertRaisesRegex(WrongRequest, "no fault of trial was found"):
                faults.sample(block, [{"name": "never"}], ["odd"], 2)


class Evidence(unittest.TestCase):
    def test_figures_are_made_of_what_commands_print(self):
        figure = evidence._FIGURES
        all_runs = "x odd (lockstep), seed 1: 20 cycles, 3 of them skipped, 0 mismatches, 5 of 9 cover points (55 %)\n"
        self.assertEqual(
            figure["cosim"]([(all_runs + "x: 10 runs, 600000 cycles, 0 failed\n", None)] * 2),
            "0 of 20 runs with a mismatch, 1.2 million cycles",
        )
        self.assertEqual(figure["cosim"]([(all_runs, None)]), "0 mismatches in 20 cycles, 5 of 9 cover points")
        self.assertIsNone(figure["cosim"]([("nothing", None)]))
        proofs = [
            {"kind": kind, "result": result, "depth": depth}
            for kind, result, depth in (
                ("assert", "proven", None),
                ("assert", "bounded", 9),
                ("assert", "refuted alone", None),
                ("assert", "proven", None),
                ("assert", "bounded", 10),
                ("cover", "reached", 4),
                ("cover", "unreachable", None),
            )
        ]
        self.assertEqual(
            figure["prove"]([("", {"set": "proof", "properties": proofs})]),
            "5 assertions at the set proof: 2 proven without bound, 2 bounded (no counterexample in 9 to 10 cycles), "
            "1 refuted alone; 1 of 2 covers reached, 1 unreachable",
        )
        self.assertEqual(
            figure["mutate"]([("", {"set": "odd", "killed": 19, "survived": 1, "equivalent": 5})]),
            "95.0 % killed: 19 of 20 at the set odd; 5 of 25 mutants proven equivalent",
        )
        runs = "  medley, seed 1, 20000 cycles: no difference\n  rules, seed 1, 500 cycles: no difference\n"
        self.assertEqual(
            figure["netlist"]([(runs, {"set": "odd"})]),
            "0 mismatches in 20,500 cycles at the set odd: 2 runs, outputs compared",
        )
        tests = (
            "7: evidence: 59 runs of 8000 cycles\n8: evidence: 6 sets\n100% tests passed, 0 tests failed out of 12\n"
        )
        self.assertEqual(figure["ctest"]([(tests, None)]), "12 tests passed; 59 runs of 8000 cycles; 6 sets")
        self.assertIsNone(figure["ctest"]([("No tests were found!!!", None)]))
        reports = [("", {"machine": "k", "cycles": 1000, "statistics_hash": "ab"})]
        self.assertEqual(figure["run"](reports * 2), "k: 2 runs with equal statistics, 1,000 cycles")
        other = [("", {"machine": "k", "cycles": 1000, "statistics_hash": "ac"})]
        self.assertIsNone(figure["run"](reports + other), "an engine that does something else is no figure")
        table = {"all": {"line": {"reached": 9, "points": 10}, "toggle": {"reached": 0, "points": 0}}}
        self.assertEqual(
            figure["coverage"]([("", {"set": "odd", "files": table})]),
            "RTL at the set odd: 90.0 % of 10 branches, none of 0 bits toggle",
        )
        sizes = [{"set": "default", "kge": 23.56, "flops": 1089, "period_ns": 6.71}, {"set": "a", "kge": 1, "flops": 2}]
        self.assertEqual(
            figure["area"]([("", {"results": sizes})]), "default 23.6 kGE, 1,089 flops, 6.7 ns; a 1.0 kGE, 2 flops"
        )


class Limits(unittest.TestCase):
    """A tool is limited by its own CPU time; what other processes do, and how long it waits, does not count."""

    ENDLESS = f"{shlex.quote(sys.executable)} -c 'while True: pass'"

    def run_shell(self, script):
        with tempfile.TemporaryDirectory() as folder:
            return tools.run(["sh", "-c", script], Path(folder) / "log", 1)

    def test_a_tool_that_computes_for_longer_is_ended(self):
        result = self.run_shell(f"echo before; exec {self.ENDLESS}")
        self.assertTrue(result.timed_out)
        self.assertEqual(result.output, "before\n")

    def test_a_tool_that_waits_for_longer_is_not(self):
        # It waits for a process that ends when it has used the second that it may use.
        result = self.run_shell(f"{self.ENDLESS}; echo behind")
        self.assertGreaterEqual(result.seconds, 1)
        self.assertEqual(result.code, 0)
        self.assertIn("behind\n", result.output)


class NormalForm(unittest.TestCase):
    SAME = {
        "a.cpp": (
            'int f(int a,int b){return a>>b;}  // what it does\n#define X(a) a+1\nconst char* s = "// a /* b";\n',
            "/* why */\n\nint f(int a, int b) {\n  return a >> b;\n}\n"
            '#define X(a) \\\n  a + 1  // so\nconst char* s =\n    "// a /* b";',
        ),
        "a.sv": (
            "assign a=b?4'd1:c; // x\n`define A(x) x\n(* keep *) wire w;\n",
            "/* y\n */ assign a = b ? 4'd1 : c;\n\n`define A(x) \\\n  x\n(* keep *)\nwire w;",
        ),
        "a.cmake": ("f(a b) # c\n", "#[[ long\n]]\nf(\n  a\n  b)\n"),
        "a.json": ('{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}\n'),
        "a.f": ("a.sv\nb.sv\n", "# the list\na.sv // first\n\nb.sv\n"),
        "a.py": (
            "import os\ndef f(p, a):\n    p.say('x')\n    g(a, help='h')\n    raise WrongRequest('a')\n",
            '"""Doc."""\nimport re\n\n\ndef f(p, a):\n    """Does."""\n    # so\n    p.say(\n        "y"\n    )\n'
            "    g(a, help='i')\n    raise WrongRequest('b')\n",
        ),
    }
    OTHER = {
        "a.cpp": (
            ("int a = 1'000'000;", "int a = 1'000'001;"),
            ("char c = '\"'; int a; // b\n", "char c = '\"'; int b; // b\n"),
            ('s = "// a";', 's = "// b";'),
            ('s = R"(// a)";', 's = R"(// b)";'),
            ("#define A\nb", "#define A b"),
            ("a = b - -c;", "a = b-- c;"),
        ),
        "a.sv": (
            ("assign a = b; // verilator lint_off X", "assign a = b;"),
            ("/* verilator public */ wire a;", "wire a;"),
            ("(* keep *) wire a;", "wire a;"),
            ("a = 4'd1;", "a = 4'd2;"),
            ("`define A\nb", "`define A b"),
        ),
        "a.cmake": (('f("# a")', 'f("# b")'), ("f([[# a]])", "f([[# b]])")),
        "a.json": (('{"a": 1}', '{"a": 2}'), ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}')),
        "a.py": (("a = 'x'", "a = 'y'"), ("raise Other('a')", "raise Other('b')"), ("p.line('a')", "p.line('b')")),
        "a.sh": (("a  b", "a b"),),
    }

    def test_comments_blank_lines_and_format_are_not_in_it(self):
        for name, texts in self.SAME.items():
            self.assertEqual(*(normal.text_of(name, text.encode()) for text in texts), name)

    def test_a_token_is_and_so_is_a_comment_that_a_tool_obeys(self):
        for name, pairs in self.OTHER.items():
            for texts in pairs:
                self.assertNotEqual(*(normal.digest_of(name, text.encode()) for text in texts), texts)

    def test_definitions_can_be_left_out(self):
        texts = (
            "A = 1\ndef f():\n    pass\nclass C:\n    def m(self):\n        return 1\n    x = 1\n",
            "A = 2\ndef f():\n    return 3\nclass C:\n    def m(self):\n        return 2\n    x = 1\n",
        )
        without = {"A", "f", "C.m"}
        self.assertEqual(*(normal.text_of("a.py", text.encode(), without) for text in texts))
        for name in without:
            self.assertNotEqual(*(normal.text_of("a.py", text.encode(), without - {name}) for text in texts), name)
        self.assertLessEqual(without, normal.definitions(texts[0]))

    def test_what_is_left_out_of_the_flows_is_there(self):
        folder = Path(sources.__file__).parent
        for module, names in sources.REPORTS.items():
            there = normal.definitions((folder / f"{module}.py").read_text())
            self.assertLessEqual(names, there, module)
        for module in sources._NO_VERDICT:
            self.assertTrue((folder / f"{module}.py").exists(), module)


#: A tree with a block, a file of every kind of room.
TREE = {
    "models/castor/twin/twin.h": '#include "castor/base/error.h"\nint twin();\n',
    "models/castor/twin/twin.cpp": "int twin() { return 1; }\n",
    "models/castor/twin/rtl_builder.h": "int builder();\n",
    "models/castor/twin/unused.h": "int unused();\n",
    "models/castor/base/error.h": "int error();\n",
    "models/castor/base/error.cpp": "int error() { return 1; }\n",
    "models/castor/gpu/hooks/hook.h": "int hook();\n",
    "models/castor/gpu/sm.h": "int sm();\n",
    "models/castor/blk/ports.h": "int ports();\n",
    "models/castor/blk/engine.h": '#include "castor/blk/ports.h"\n#include <castor/twin/twin.h>\nint engine();\n',
    "models/castor/blk/engine.cpp": '#include "castor/blk/engine.h"\nint engine() { return 1; }\n',
    "models/castor/hookup/blk/registration.h": '#include "castor/gpu/hooks/hook.h"\nint registration();\n',
    "models/castor/hookup/blk/registration.cpp": "int registration() { return 1; }\n",
    "cmake/objects/bench.cpp.in": "int bench_object();\n",
    "cmake/objects/model.cpp.in": "int model_object();\n",
    "tb/common/cosim.cpp": "int cosim() { return 1; }\n",
    "tb/common/bench.h": "int bench();\n",
    "tb/blk/bench.h": '#include "tb/common/bench.h"\nint own();\n',
    "tb/blk/cover/points.cpp": "int points() { return 1; }\n",
    "tb/blk/skip.h": "int skip();\n",
    "tb/blk/castor_blk_probe.sv": "module castor_blk_probe;\nendmodule\n",
    "tb/blk/castor_blk_properties.sv": "module castor_blk_properties;\nendmodule\n",
    "tb/blk/blk.vlt": "`verilator_config\n",
    "rtl/blk/blk.f": "common/castor_fifo.sv\nblk/castor_blk.sv\n",
    "rtl/blk/castor_blk.sv": "module castor_blk;\nendmodule\n",
    "rtl/blk/parameter_sets.json": '{"proof": {"N": 1}}',
    "rtl/blk/area_points.json": '{"wide": {"N": 9}}',
    "rtl/blk/proof_points.json": '{"ticks": {"N": 2}}',
    "rtl/common/castor_fifo.sv": "module castor_fifo;\nendmodule\n",
    "rtl/common/castor_assert.svh": "`define A(x) x\n",
    "rtl/common/castor_other.sv": "module castor_other;\nendmodule\n",
    "tests/unit/blk.cmake": "set(more blk/more.cpp)\ncastor_test(blk_test KIND unit SOURCES blk/blk_test.cpp ${more})\n"
    "castor_test(other_test KIND unit SOURCES other_test.cpp)\n",
    "tests/unit/blk/blk_test.cpp": '#include "common/support.h"\nint test();\n',
    "tests/unit/blk/more.cpp": "int more();\n",
    "tests/unit/other_test.cpp": "int other();\n",
    "tests/common/support.h": "int support();\n",
    "tests/platform/blk.cmake": "castor_script_test(blk_engines KIND platform COMMAND python3 "
    '"${PROJECT_SOURCE_DIR}/tests/platform/check.py" blk "${PROJECT_BINARY_DIR}/kernels/dynamic_program")\n',
    "tests/platform/check.py": "import helper\nhelper.check()\n",
    "tests/platform/helper.py": "def check():\n    return 1\n",
    "sw/kernels/dynamic/program.cu": '#include "../common/program.h"\nint main() {}\n',
    "sw/kernels/common/program.h": "int program();\n",
}

PLAN = {
    "unit": ["ctest -R ^blk_ -L ^unit$"],
    "lockstep": ["castor cosim blk --all"],
    "cover": ["castor cosim blk", "castor coverage blk"],
    "formal": ["castor prove blk --recorded"],
    "netlist": ["castor netlist blk --lockstep"],
    "mutation": ["castor mutate blk --proven recorded"],
    "platform": ["ctest -R blk_engines"],
    "area": ["castor area blk"],
}

PROOFS = {
    "command": "castor prove blk --params SET --record",
    "sets": {
        "proof": {
            "parameters": {"N": 1},
            "sources": "ab",
            "tools": {"yosys": "yosys 1"},
            "properties": {"a": {"result": "proven", "engine": "pdr", "depth": None, "seconds": 1, "given": 0}},
        }
    },
}

RUNGS = set(PLAN)
COMPARED = {"lockstep", "cover", "netlist", "mutation"}
RTL = RUNGS - {"unit"}


class Digests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in TREE.items():
            self.write(name, text)
        self.write("tb/blk/rungs.json", json.dumps(PLAN))
        self.write("tb/blk/proofs.json", json.dumps(PROOFS))
        self.write("docs/blocks/blk.evidence.json", "{}")
        flows = Path(sources.__file__).parent
        shutil.copytree(flows, self.root / "rtl/synthesis/castor_flows", ignore=shutil.ignore_patterns("__pycache__"))
        self.versions, self.before = {}, None
        home = types.SimpleNamespace(include=self.root / "models")
        for target, name, value in (
            (installation, "find", lambda: home),
            (tree, "own_rtl", lambda: self.root / "rtl"),
            (tree, "blocks", lambda *_: ["blk"]),
            (tools, "version", lambda name, command=None: self.versions.get(name, f"{name} 1")),
        ):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        sources._versions.clear()
        self.addCleanup(sources._versions.clear)
        self.block = tree.Block("blk", self.root / "rtl/blk", self.root / "tb/blk", self.root, None, self.manifest())

    def manifest(self):
        return {
            "name": "blk",
            "sources": [str(self.root / "models/castor/blk")],
            "include": [str(self.root / "models"), str(self.root)],
            "engine": "castor/blk/engine.h",
            "ports": "castor/blk/ports.h",
            "registration": "castor/hookup/blk/registration.h",
            "evidence": self.root / "docs/blocks/blk.evidence.json",
        }

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def digests(self):
        view = sources.WorkingTree()
        return {rung: sources.digest(self.block, rung, lines, view) for rung, lines in PLAN.items()}

    def changed(self, name, text):
        """Rungs whose digest is another while the file `name` holds `text`."""
        path = self.root / name
        then = path.read_text() if path.exists() else None
        self.before = before = self.before or self.digests()
        self.write(name, text)
        now = self.digests()
        path.unlink() if then is None else path.write_text(then)
        return {rung for rung in PLAN if now[rung] != before[rung]}

    def test_a_changed_file_of_every_room_counts_where_it_can_change_the_result(self):
        cpp, sv = "int changed;\n", "module changed;\nendmodule\n"
        flows = "rtl/synthesis/castor_flows"
        for name, more, rungs in (
            ("models/castor/twin/twin.h", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/twin/twin.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/base/error.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/twin/rtl_builder.h", cpp, COMPARED | {"platform"}),
            ("models/castor/twin/unused.h", cpp, set()),
            ("models/castor/gpu/hooks/hook.h", cpp, {"platform"}),
            ("models/castor/gpu/sm.h", cpp, set()),
            ("models/castor/blk/ports.h", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/blk/engine.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/blk/new.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/hookup/blk/registration.cpp", cpp, {"platform"}),
            ("cmake/objects/bench.cpp.in", cpp, COMPARED),
            ("cmake/objects/model.cpp.in", cpp, {"platform"}),
            ("tb/common/cosim.cpp", cpp, COMPARED),
            ("tb/common/bench.h", cpp, COMPARED),
            ("tb/blk/cover/points.cpp", cpp, COMPARED),
            ("tb/blk/skip.h", cpp, COMPARED | {"platform"}),
            ("tb/blk/castor_blk_probe.sv", sv, COMPARED | {"platform"}),
            ("tb/blk/blk.vlt", sv, COMPARED | {"platform"}),
            ("tb/blk/castor_blk_properties.sv", sv, {"formal", "mutation", "lockstep", "cover", "platform"}),
            ("rtl/blk/castor_blk.sv", sv, RTL),
            ("rtl/blk/blk.f", "common/castor_other.sv\n", RTL),
            ("rtl/common/castor_fifo.sv", sv, RTL),
            ("rtl/common/castor_assert.svh", sv, RTL),
            ("rtl/common/castor_other.sv", sv, set()),
            ("tests/unit/blk.cmake", "castor_test(blk_more KIND unit SOURCES x.cpp)\n", {"unit"}),
            ("tests/unit/blk.cmake", "castor_test(another KIND unit SOURCES x.cpp)\n", set()),
            ("tests/unit/blk/blk_test.cpp", cpp, {"unit"}),
            ("tests/unit/blk/more.cpp", cpp, {"unit"}),
            ("tests/unit/other_test.cpp", cpp, set()),
            ("tests/common/support.h", cpp, {"unit"}),
            ("tests/platform/check.py", "changed = 1\n", {"platform"}),
            ("tests/platform/helper.py", "changed = 1\n", {"platform"}),
            ("sw/kernels/dynamic/program.cu", cpp, {"platform"}),
            ("sw/kernels/common/program.h", cpp, {"platform"}),
            (f"{flows}/prove.py", "changed = 1\n", {"formal"}),
            (f"{flows}/engines.py", "changed = 1\n", {"formal"}),
            (f"{flows}/circuits.py", "changed = 1\n", {"formal", "mutation"}),
            (f"{flows}/aiger.py", "changed = 1\n", {"formal", "mutation"}),
            (f"{flows}/rtl_object.py", "changed = 1\n", COMPARED | {"platform"}),
            (f"{flows}/rtl_object.cpp.in", cpp, COMPARED | {"platform"}),
            (f"{flows}/coverage.py", "changed = 1\n", {"cover"}),
            (f"{flows}/netlist.py", "changed = 1\n", {"netlist"}),
            (f"{flows}/mutate.py", "changed = 1\n", {"mutation"}),
            (f"{flows}/mutant_number.cpp", cpp, {"mutation"}),
            (f"{flows}/area.py", "changed = 1\n", {"area"}),
            (f"{flows}/evidence.py", "changed = 1\n", set()),
            (f"{flows}/progress.py", "changed = 1\n", set()),
            ("docs/blocks/blk.md", "changed\n", set()),
        ):
            path = self.root / name
            before = path.read_text() if path.exists() else ""
            self.assertEqual(self.changed(name, before + more), rungs, name)
        for name, rungs in (
            ("rtl/blk/parameter_sets.json", RTL),
            ("rtl/blk/area_points.json", {"area"}),
            ("tb/blk/assumptions.json", {"lockstep", "cover", "platform"}),
            ("rtl/blk/proof_points.json", {"formal"}),
        ):
            self.assertEqual(self.changed(name, '{"proof": {"N": 3}}'), rungs, name)

    def test_comments_format_and_what_is_reported_count_nowhere(self):
        remarks = {".h": "// new\n\n", ".cpp": "/* new */\n", ".cu": "// new\n", ".in": "// new\n", ".sv": "// new\n\n"}
        remarks |= {".svh": "// new\n", ".vlt": "// new\n", ".f": "# new\n", ".cmake": "# new\n", ".py": "\n\n# new\n"}
        counted = {name for lines in PLAN for name in sources.files(self.block, lines, PLAN[lines])}
        for name in sorted(counted):
            path = self.root / name
            text = path.read_text()
            if path.suffix == ".json":
                self.assertEqual(self.changed(name, json.dumps(json.loads(text), indent=7)), set(), name)
            else:
                self.assertEqual(self.changed(name, text + remarks[path.suffix]), set(), name)
        prove_py = (self.root / "rtl/synthesis/castor_flows/prove.py").read_text()
        for old, new in (
            ("def summary(properties, began):", "def summary(properties, began, more=1):"),
            ("only this engine (repeatable", "this engine alone (repeatable"),
            ('"""Decides the chosen properties', '"""Decides chosen properties'),
            ("--recorded proves nothing", "nothing is proven by --recorded"),
        ):
            self.assertEqual(prove_py.count(old), 1, old)
            self.assertEqual(
                self.changed("rtl/synthesis/castor_flows/prove.py", prove_py.replace(old, new)), set(), old
            )

    def test_recorded_verdicts_count_not_what_they_took(self):
        for key, value, rungs in (("seconds", 9, set()), ("result", "bounded", {"formal", "mutation"})):
            proofs = json.loads(json.dumps(PROOFS))
            proofs["sets"]["proof"]["properties"]["a"][key] = value
            self.assertEqual(self.changed("tb/blk/proofs.json", json.dumps(proofs)), rungs, key)

    def test_a_renamed_and_a_lost_file_count(self):
        before = self.digests()
        (self.root / "tb/blk/cover/points.cpp").rename(self.root / "tb/blk/cover/others.cpp")
        self.assertEqual({rung for rung, one in self.digests().items() if one != before[rung]}, COMPARED)

    # --- records

    def record_all(self):
        """Writes records of all rungs as if each had been climbed."""
        for rung, lines in PLAN.items():
            evidence.write(self.block, rung, lines, "good", "", {"seconds": 60, "cpu_seconds": 50})

    def states(self):
        return due.states(self.block)

    def stale(self):
        return {rung for rung, state in self.states().items() if state == "stale"}

    def test_other_versions_of_tools_and_other_commands_make_stale(self):
        self.assertEqual(set(self.states().values()), {"missing"})
        self.record_all()
        self.assertEqual(set(self.states().values()), {"ok"})
        for tool, rungs in (
            ("verilator", COMPARED | {"platform"}),
            ("c++", COMPARED | {"unit", "platform"}),
            ("python", RTL),
            ("yosys", {"formal", "netlist", "mutation", "area"}),
            ("berkeley-abc", {"formal", "netlist", "mutation", "area"}),
            ("z3", {"formal"}),
            ("sta", {"area"}),
            ("cells", {"netlist", "area"}),
        ):
            self.versions = {tool: f"{tool} 2"}
            sources._versions.clear()
            self.assertEqual(self.stale(), rungs, tool)
            self.versions = {tool: ""}
            sources._versions.clear()
            self.assertEqual(self.stale(), set(), f"{tool} is not installed here: nobody can say")
        self.versions = {}
        sources._versions.clear()
        self.write("tb/blk/rungs.json", json.dumps({**PLAN, "area": ["castor area blk --macros"]}))
        self.assertEqual(self.stale(), {"area"})

    def test_proofs_by_other_tools_make_stale(self):
        self.record_all()
        self.versions = {"yosys": "yosys 2"}
        sources._versions.clear()
        self.record_all()
        self.assertEqual(self.stale(), {"formal", "mutation"})

    def test_records_of_an_installed_block_are_shown_as_they_are(self):
        self.record_all()
        del self.block.manifest["sources"]
        self.assertEqual(set(self.states().values()), {"recorded"})

    # --- what is due

    def page(self, *rows):
        table = "".join(f"| {block} | {rung} | why |\n" for block, rung in rows)
        self.write("docs/campaign.md", f"# C\n\n## Rungs due\n\n| block | rung | why |\n|---|---|---|\n{table}\n## E\n")

    def check(self, path=None):
        said = mock.Mock()
        code = due.check([self.block], path, said)
        return code, " ".join(call.args[0] for call in said.line.call_args_list)

    def test_the_check_fails_unless_what_is_due_is_listed_and_the_list_is_true(self):
        self.record_all()
        self.assertEqual(self.check()[0], 0)
        self.write("rtl/blk/area_points.json", '{"wide": {"N": 8}}')
        code, said = self.check()
        self.assertEqual((code, "blk area: stale" in said), (1, True))
        self.page(("blk", "area"))
        self.assertEqual(self.states()["area"], "due")
        self.assertEqual(self.check()[0], 0)
        self.page(("blk", "area"), ("blk", "unit"))
        code, said = self.check()
        self.assertEqual((code, "blk unit: listed as due, but it is ok" in said), (1, True))
        self.page(("blk", "area"), ("gone", "unit"))
        self.assertIn("no such block", self.check()[1])
        self.page(("blk", "area"), ("blk", "height"))
        self.assertEqual(self.check()[0], 1)
        self.write("other.md", "## Rungs due\n\n| blk | area | why |\n")
        self.page()
        self.assertEqual(self.check(self.root / "other.md")[0], 0)
        content = evidence.read_record(self.block)
        del content["cover"]
        self.write("docs/blocks/blk.evidence.json", json.dumps(content))
        self.page(("blk", "area"))
        self.assertIn("blk cover: missing", self.check()[1])

    def test_a_recorded_rung_leaves_the_list(self):
        self.page(("blk", "area"), ("other", "area"), ("blk", "unit"))
        due.strike(self.block, "area")
        left = [(block, rung) for _, block, rung in due.rows((self.root / "docs/campaign.md").read_text())]
        self.assertEqual(left, [("other", "area"), ("blk", "unit")])

    def test_the_campaign_of_the_tree_is_told_the_last_part_last(self):
        self.assertEqual(due.campaign_parts([self.block]), [])
        told = {"b": {"date": "2026-02-02", "result": "passed"}, "a": {"date": "2026-01-01", "result": "failed"}}
        self.write("tests/campaign.json", json.dumps(told))
        self.assertEqual([one["part"] for one in due.campaign_parts([self.block])], ["a", "b"])
        self.write("tests/campaign.json", "[")
        with self.assertRaisesRegex(WrongRequest, "campaign.json"):
            due.campaign_parts([self.block])

    def test_parts_are_no_longer_than_asked_and_cheap_ones_come_first(self):
        todo = [("a", "area", 3000), ("a", "unit", 60), ("b", "mutation", 9000), ("b", "unit", 600), ("c", "x", 1200)]
        cut = [[seconds for _, _, seconds in part] for part in due.parts_of(todo, 30)]
        self.assertEqual(cut, [[60, 600], [1200], [3000], [9000]])

    def options(self, **more):
        made = dict(work=str(self.root / "work"), due_list=None, rungs=[], parts=None, plan=False)
        return types.SimpleNamespace(**{**made, **more})

    def test_what_is_due_is_worked_off_in_parts_and_goes_on(self):
        climbed = []

        def climb(block, rung, lines, work, progress):
            climbed.append(rung)
            return None if rung == "cover" else "good"

        with mock.patch.object(evidence, "climb", climb):
            said = mock.Mock()
            self.assertEqual(due.work_off([self.block], self.options(parts=3), said), 0)
            self.assertEqual(climbed, ["unit", "formal"], "60 s each; lockstep is taken to need 120")
            self.assertEqual(due.work_off([self.block], self.options(parts=3), said), 0)
            self.assertEqual(climbed, ["unit", "formal", "lockstep"])
            self.assertEqual(due.work_off([self.block], self.options(), said), 1, "a rung failed")
            self.assertEqual(set(climbed), RUNGS)
            self.assertEqual(self.states()["cover"], "missing")
            entry = evidence.read_record(self.block)["area"]
            self.assertLessEqual({"seconds", "cpu_seconds", "date", "commit", "tools", "sources"}, set(entry))

    def test_only_what_is_committed_is_recorded_and_changes_since_are_told(self):
        def git(*words):
            who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
            subprocess.run(["git", "-C", str(self.root), *who, *words], check=True, capture_output=True)

        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "all")
        said = mock.Mock()
        with mock.patch.object(evidence, "climb", lambda *_: "good"):
            self.write("models/castor/gpu/sm.h", "int another();\n")
            self.assertEqual(evidence.record(self.block, "area", self.options(), said), 0)
            self.assertRegex(evidence.read_record(self.block)["area"]["commit"], r"^[0-9a-f]{12}$")
            self.write("rtl/blk/castor_blk.sv", "module castor_blk;\n  wire a;\nendmodule\n")
            self.write("rtl/common/more.svh", "`define B 1\n")
            with self.assertRaisesRegex(WrongRequest, r"not committed: rtl/blk/castor_blk\.sv, rtl/common/more\.svh"):
                evidence.record(self.block, "area", self.options(), said)
        due.explain(self.block, ["area"], said)
        told = "\n".join(call.args[0] for call in said.line.call_args_list)
        self.assertRegex(told, r"(?m)^  changed: rtl: \d+ files")
        self.assertEqual(
            re.findall(r"(?m)^    [0-9a-f]{12} (\S+)  (new|changed, was [0-9a-f]{12})$", told)[0][0],
            "rtl/blk/castor_blk.sv",
        )
        self.assertRegex(told, r"(?m)^    [0-9a-f]{12} rtl/common/more\.svh  new$")

    def test_a_source_that_changes_while_it_is_measured_is_refused(self):
        def climb(*_):
            self.write("rtl/blk/castor_blk.sv", "module castor_blk;\n  wire a;\nendmodule\n")
            return "good"

        with mock.patch.object(evidence, "climb", climb), self.assertRaisesRegex(WrongRequest, "changed while"):
            evidence.record(self.block, "area", self.options(), mock.Mock())


class Quotes(unittest.TestCase):
    def test_readme_quotes_lockstep_as_recorded(self):
        quoted = re.findall(
            r"(?m)^\| `(\w+)` \|.*\| ([\d.]+ million) cycles, (\d+) sets[^|]*, (\d+) mismatches \|",
            (ROOT / "README.md").read_text(),
        )
        self.assertEqual({one[0] for one in quoted}, {path.parent.name for path in ROOT.glob("tb/*/rungs.json")})
        for block, cycles, sets, mismatches in quoted:
            record = json.loads((ROOT / f"docs/blocks/{block}.evidence.json").read_text())["lockstep"]
            self.assertRegex(
                record["figure"], rf"^{mismatches} of \d+ runs with a mismatch, {re.escape(cycles)} cycles"
            )
            known = json.loads((ROOT / f"rtl/{block}/parameter_sets.json").read_text())
            self.assertEqual(int(sets), len(known), block)


class Pipe(unittest.TestCase):
    def test_progress_is_silent_in_a_pipe(self):
        stream = io.StringIO()
        with progress.Progress(stream) as shown:
            shown.say("working")
        self.assertEqual(stream.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
