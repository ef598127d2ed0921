#!/usr/bin/env python3
"""Tests of the input of castor prove and castor faults, of the properties' binds, and of the verdicts."""

import json
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
    circuits,
    coverage,
    engines,
    faults,
    formal,
    proof_record,
    properties,
    prove,
)
from castor_flows.errors import WrongRequest  # noqa: E402


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
        # s follows the input; h accumulates s. p and r depend on s, q on h. Each is behind a register and always
        # checked.
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
            with self.assertRaisesRegex(WrongRequest, "no fault of trial is recorded as detected"):
                faults.sample(block, [{"name": "never"}], ["odd"], 2)


if __name__ == "__main__":
    unittest.main()
