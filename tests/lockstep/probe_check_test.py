#!/usr/bin/env python3
"""What probe_check.py finds, and what it lets through: a block of a few registers.

    probe_check_test.py <verilator> [unittest arguments...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("probe_check.py")

BLOCK = """module castor_few #(parameter int unsigned Width = 4) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] data_i, input logic [1:0] row_i,
  output logic [Width-1:0] out_o, output logic busy_o
);
  logic [Width-1:0] plain_q, gated_q, hidden_q, halves_q;
  logic [Width-1:0] table_q [4];
  logic valid_q;
  logic [Width-1:0] read;
  assign read = table_q[row_i];
  assign busy_o = hidden_q != '0;
  assign out_o = plain_q;
  for (genvar i = 0; i < 2; i++) begin : gen_loop
    logic [Width-1:0] loop_q;
    always_ff @(posedge clk_i) loop_q <= data_i;
  end
  always_ff @(posedge clk_i) begin
    plain_q  <= data_i;
    gated_q  <= data_i;
    hidden_q <= data_i;
    halves_q <= data_i;
    valid_q  <= rst_ni;
    table_q[row_i] <= data_i;
  end
endmodule
"""

PROBE = """module castor_few_probe #(parameter int unsigned Width = 4) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] data_i, input logic [1:0] row_i,
  output logic [Width-1:0] out_o, output logic busy_o,
  output logic [Width-1:0] probe_gated_o, output logic [Width:0] probe_both_o, output logic [Width-1:0] probe_row_o
);
  castor_few #(.Width (Width)) u_dut (.clk_i, .rst_ni, .data_i, .row_i, .out_o, .busy_o);
  assign probe_gated_o = u_dut.valid_q ? u_dut.gated_q : '0;
  assign probe_both_o  = {u_dut.valid_q, u_dut.halves_q[Width-1:1], 1'b0};
  assign probe_row_o   = u_dut.valid_q ? u_dut.read : '0;
endmodule
"""

REASONS = {"hidden_q": "busy shows it", "halves_q": "bit 0 is the clock", "gen_loop[*].loop_q": "copies of the input"}


class ProbeCheck(unittest.TestCase):
    verilator = "verilator"

    def check(self, reasons, block=BLOCK, probe=PROBE):
        """The lines that it writes, and whether all is well."""
        with tempfile.TemporaryDirectory() as folder:
            rtl, tb = (pathlib.Path(folder) / name for name in ("rtl", "tb"))
            rtl.mkdir()
            tb.mkdir()
            (rtl / "few.f").write_text("castor_few.sv\n")
            (rtl / "castor_few.sv").write_text(block)
            (rtl / "parameter_sets.json").write_text('{"small": {"Width": 2}, "large": {"Width": 70}}')
            (tb / "castor_few_probe.sv").write_text(probe)
            (tb / "unprobed.json").write_text(json.dumps(reasons))
            done = subprocess.run(
                [sys.executable, "-B", str(CHECK), self.verilator, str(rtl), str(tb), "few"],
                capture_output=True,
                text=True,
            )
        self.assertEqual(done.stderr, "")
        return done.stdout.replace(str(tb), "TB"), done.returncode == 0

    def test_wires_gates_rows_and_reasons_are_enough(self):
        output, good = self.check(REASONS)
        self.assertTrue(good, output)
        self.assertIn("few: 7 registers, 4 are probes, 3 have a reason", output)

    def test_a_register_behind_logic_is_no_probe(self):
        output, good = self.check({name: why for name, why in REASONS.items() if name != "hidden_q"})
        self.assertFalse(good)
        self.assertIn("hidden_q at small: no probe, and no reason in TB/unprobed.json", output)

    def test_neither_is_one_of_which_a_bit_is_missing(self):
        output, good = self.check({name: why for name, why in REASONS.items() if name != "halves_q"})
        self.assertFalse(good)
        self.assertIn("halves_q at large: no probe", output)

    def test_a_register_that_comes_anew_is_found(self):
        block = BLOCK.replace("logic valid_q;", "logic valid_q, late_q;").replace(
            "valid_q  <= rst_ni;", "valid_q  <= rst_ni;\n    late_q   <= valid_q;"
        )
        output, good = self.check(REASONS, block)
        self.assertFalse(good)
        self.assertIn("late_q at small: no probe", output)

    def test_a_probe_that_is_cut_is_found(self):
        probe = PROBE.replace("u_dut.valid_q ? u_dut.gated_q : '0", "'0")
        probe = probe.replace("u_dut.valid_q ? u_dut.read : '0", "'0")
        output, good = self.check(REASONS, probe=probe)
        self.assertFalse(good)
        self.assertIn("gated_q at small: no probe", output)
        self.assertIn("table_q at small: no probe", output)

    def test_an_and_with_a_probe_shows_the_other_side(self):
        choice = "u_dut.valid_q ? u_dut.gated_q : '0"
        output, good = self.check(REASONS, probe=PROBE.replace(choice, "u_dut.gated_q & u_dut.plain_q"))
        self.assertTrue(good, output)
        output, good = self.check(REASONS, probe=PROBE.replace(choice, "u_dut.gated_q & u_dut.hidden_q"))
        self.assertFalse(good)
        self.assertIn("gated_q at small: no probe", output)
        self.assertIn("gated_q at large: no probe", output)

    def test_registers_of_a_generate_loop_are_probes_by_their_path(self):
        wide = PROBE.replace("output logic [Width:0] probe_both_o", "output logic [3*Width:0] probe_both_o")
        shown = wide.replace("{u_dut.valid_q,", "{u_dut.gen_loop[0].loop_q, u_dut.gen_loop[1].loop_q, u_dut.valid_q,")
        reasons = {name: why for name, why in REASONS.items() if name != "gen_loop[*].loop_q"}
        output, good = self.check(reasons, probe=shown)
        self.assertTrue(good, output)
        output, good = self.check(reasons, probe=shown.replace("gen_loop[1]", "gen_loop[0]"))
        self.assertFalse(good)
        self.assertIn("gen_loop[*].loop_q at small: no probe", output)

    def test_reasons_are_of_registers_that_need_one(self):
        output, good = self.check(REASONS | {"plain_q": "why not", "gone_q": "was here"})
        self.assertFalse(good)
        self.assertIn("plain_q: is a probe, and needs no reason", output)
        self.assertIn("gone_q: there is no such register", output)

    def test_a_reason_says_something(self):
        output, good = self.check(REASONS | {"hidden_q": " "})
        self.assertFalse(good)
        self.assertIn("hidden_q: no reason is given", output)


if __name__ == "__main__":
    ProbeCheck.verilator = sys.argv.pop(1)
    unittest.main()
