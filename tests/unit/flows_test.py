#!/usr/bin/env python3
"""Unit tests of rtl/synthesis: everything that reads somebody else's text, and how outside tools are run. Of
those it runs none but the interpreter."""

import gzip
import io
import json
import shlex
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import (  # noqa: E402
    aiger,
    area,
    coverage,
    evidence,
    faults,
    formal,
    liberty,
    progress,
    prove,
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
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(prove.formal, "fingerprint", lambda _: "now"):
            block = self.recorded_block(Path(folder), "now")
            self.assertEqual(prove.recorded_as_proven(block, "s", {"N": 4}), ["u_p.a1"])
            for chosen, values, sources in ("s", {"N": 5}, "now"), ("t", {"N": 4}, "now"), ("s", {"N": 4}, "before"):
                block = self.recorded_block(Path(folder), sources)
                with self.assertRaisesRegex(WrongRequest, "not recorded of these sources"):
                    prove.recorded_as_proven(block, chosen, values)

    def test_recalled_verdicts_are_complete_or_refused(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(prove.formal, "fingerprint", lambda _: "now"):
            run = prove.Run.__new__(prove.Run)
            run.block, run.params, run.values = self.recorded_block(Path(folder), "now"), "s", {"N": 4}
            run.chosen = [prove.Property(name, "x.sv:1.1", False) for name in ("u_p.a1", "u_p.a2")]
            run.recall(mock.Mock())
            self.assertEqual([one.result for one in run.chosen], [prove.PROVEN, prove.BOUNDED])
            run.chosen.append(prove.Property("u_p.a3", "x.sv:1.1", False))
            with self.assertRaisesRegex(WrongRequest, "not recorded of these sources"):
                run.recall(mock.Mock())

    def test_verdicts_of_abc(self):
        self.assertEqual(prove.abc_verdict("x\nProperty proved.  Time = 0.02 sec\n"), (True, None))
        self.assertEqual(
            prove.abc_verdict('Output 0 of miter "x" was asserted in frame 5. Time = 0.02 sec'), (False, 5)
        )
        self.assertEqual(prove.abc_verdict("Reached timeout (5 seconds).\n"), (None, None))
        self.assertEqual(prove.abc_verdict("The property is not Property proved."), (None, None))

    def test_bound_is_the_frames_searched(self):
        self.assertEqual(prove.abc_frames("No output asserted in 15397 frames. Resource limit reached"), 15397)
        self.assertEqual(prove.abc_frames("Explored all reachable states after completing 4096 frames."), 4096)
        self.assertEqual(prove.abc_frames("killed"), 0)

    def test_induction_length_is_read_only_from_a_success(self):
        steps = (
            "##  Trying induction in step 20..\n##  Trying induction in step 19..\n##  Trying induction in step 18..\n"
        )
        self.assertEqual(prove.induction_length(steps + "##  Status: PASSED\n"), 2)
        self.assertIsNone(prove.induction_length(steps + "##  Status: FAILED\n"))

    def test_part_of_a_property_is_the_module_it_is_bound_to(self):
        instances = prove.instances_of(
            "module \\top\n  cell $paramod\\mid\\N=s32'1 \\u_mid\n  cell $and $and$1\n  cell \\props \\u_properties\n"
            "end\nmodule $paramod\\mid\\N=s32'1\n  cell \\props \\u_properties\nend\nmodule \\props\nend\n"
        )
        inside = "$paramod\\mid\\N=s32'1"
        self.assertEqual(instances["top"]["u_mid"], inside)
        self.assertEqual(prove.part_of("u_mid.u_properties.a", "top", instances), ("u_mid.", inside))
        self.assertIsNone(prove.part_of("u_properties.a", "top", instances))
        self.assertIsNone(prove.part_of("a", "top", instances))

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

            p, q, r = properties = [prove.Property(name, "x.sv:1.1", False) for name in "pqr"]
            for tag, expected in (("near", [[r], [p, r], [p]]), ("given", [[q, r], [p, r], [p, q]])):
                prove.prepare_aiger(properties, properties, work, properties, tag)
                self.assertEqual([one.given for one in properties], expected)
                for at, given in enumerate(expected):
                    header = (work / f"p{at}-{tag}.aig").read_bytes().split(b"\n")[0].split()
                    self.assertEqual(int(header[7]), len(given))  # constraints

    def test_properties_are_the_assert_and_cover_cells_with_their_places(self):
        dump = (
            'module \\t\n  attribute \\src "a.sv:1.1-2.2|p.sv:29.7-29.56"\n  cell $assert \\u.in_range\n  end\n'
            '  attribute \\src "p.sv:30.7-30.9"\n  cell $cover $cover$p.sv:30$7\n  end\nend\n'
        )
        found = prove.cells_of(dump)
        self.assertEqual([(one.name, one.cover) for one in found], [("u.in_range", False), ("p.sv:30.7-30.9", True)])
        self.assertEqual(prove.written_at(found[0].source, {"p.sv": ROOT / "tb/x/p.sv"}, ROOT), "tb/x/p.sv:29")


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
        once = faults.insert(self.PLAIN, 3, self.fault("full = («count == Depth»)", "count >= Depth"), self.PLAIN)
        self.assertIn("assign full = (((castor_faults::number == 3) ? (count >= Depth) : (count == Depth)));", once)
        self.assertIn("assign empty = (count == 0);", once)

    def test_two_faults_share_an_expression(self):
        text = faults.insert(self.PLAIN, 1, self.fault("full = («count == Depth»)", "a"), self.PLAIN)
        text = faults.insert(text, 2, self.fault("full = («count == Depth»)", "b"), self.PLAIN)
        for part in ("castor_faults::number == 1) ? (a)", "castor_faults::number == 2) ? (b)", ": (count == Depth)"):
            self.assertEqual(text.count(part), 1, text)

    def test_one_that_no_longer_fits_is_refused(self):
        for at, says in (
            ("full = («count == 16»)", "does not fit.*0 times"),
            ("(«count» == ", "does not fit.*2 times"),
            ("full", "no «expression»"),
        ):
            with self.assertRaisesRegex(WrongRequest, says):
                faults.insert(self.PLAIN, 1, self.fault(at), self.PLAIN)

    def test_quick_takes_the_last_found_of_those_that_are_found_soon(self):
        cycles = (100, 49_000, 3_000, 60_000, None)
        listed = [{"name": str(c), **({"found": {"odd": c}} if c else {})} for c in cycles]
        chosen = [(fault["name"], params, run) for fault, params, run in faults.quick(listed, 2)]
        self.assertEqual(chosen, [("49000", "odd", 490_000), ("3000", "odd", 30_000)])


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
            {"kind": kind, "result": result}
            for kind, result in (
                ("assert", "proven"),
                ("assert", "bounded"),
                ("assert", "refuted alone"),
                ("assert", "proven"),
                ("cover", "reached"),
                ("cover", "unknown"),
            )
        ]
        self.assertEqual(
            figure["prove"]([("", {"set": "proof", "properties": proofs})]),
            "4 assertions at the set proof: 2 proven without bound, 1 bounded, 1 refuted alone; 1 of 2 covers reached",
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


class Pipe(unittest.TestCase):
    def test_progress_is_silent_in_a_pipe(self):
        stream = io.StringIO()
        with progress.Progress(stream) as shown:
            shown.say("working")
        self.assertEqual(stream.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
