#!/usr/bin/env python3
"""Tests of the parsers of the netlist flows: libraries of cells, statistics of Yosys, reports of OpenSTA; areas."""

import gzip
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import area, liberty, sta, tools, yosys  # noqa: E402
from castor_flows.errors import WrongRequest  # noqa: E402


LIBERTY = """
/* a comment with a } in it */
library(small) {
  time_unit : "1ns";
  capacitive_load_unit (1, ff);
  lu_table_template(t) { variable_1 : input_net_transition; index_1 ("1.0, 2.0"); }
  cell (NAND2X2) { area : 4; pin(A) { direction : input; } pin(B) { direction : input; }
                   pin(Y) { direction : output; function : "(A B)'"; } }
  cell (NAND2X0) { area : 2; dont_use : true; pin(A, B) { direction : input; }
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

    def test_names_within_a_folder_lead_to_files_in_folders_of_any_name(self):
        with tempfile.TemporaryDirectory() as holder:
            paths = []
            for name in ("plain", "a b", "other/a b", 'q"u', "#;", "x/a b/y"):
                folder = Path(holder) / name
                folder.mkdir(parents=True)
                (folder / "c.sv").write_text(name)
                paths += [folder / "c.sv", folder]
            work = Path(holder) / "work"
            (work / "a_b").mkdir(parents=True)
            names = tools.Names(work)
            words = [names(path) for path in paths]
            self.assertEqual(words[:2], list(map(str, paths[:2])))
            self.assertEqual(len(set(words)), len(words))
            for word, path in zip(words[2:], paths[2:]):
                self.assertRegex(word, r"^\w+(/c\.sv)?$")
                self.assertTrue((work / word).samefile(path))
            for word, path in zip(words[2::2], paths[2::2]):
                self.assertEqual(names.original(f"%Warning: {word}:12:3: {word}"), f"%Warning: {path}:12:3: {path}")
                for other in (f"/{word}", f"x{word}", f"lib-{word}"):
                    self.assertEqual(names.original(other), other)
            again = Path(holder) / "again"
            (again / "a_b").mkdir(parents=True)
            same = tools.Names(again)
            self.assertEqual([same(path) for path in paths], words)

    def test_verilator_names_the_file_in_a_folder_with_a_blank(self):
        with tempfile.TemporaryDirectory() as holder:
            folder, work = Path(holder) / "a b", Path(holder) / "work"
            folder.mkdir()
            work.mkdir()
            source = folder / "castor_c.sv"
            source.write_text("module castor_c (input a_i, output b_o);\nendmodule\n")
            names = tools.Names(work)
            log = work / "lint.log"
            result = tools.run(["verilator", "--lint-only", "-Wall", names(source)], log, cwd=work)
            self.assertIn(f" {source}:1:", names.original(result.output))


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


if __name__ == "__main__":
    unittest.main()
