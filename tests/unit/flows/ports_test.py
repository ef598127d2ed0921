#!/usr/bin/env python3
"""How properties and probe tops are completed out of port list and RTL (castor_flows/ports.py). No tool is run.

    ports_test.py <root of the tree>
"""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import ports  # noqa: E402
from castor_flows.errors import WrongRequest  # noqa: E402

RTL = """// A module (with brackets in a comment: "[").
module castor_box #(
  parameter int unsigned Num   = 4,  // boxes
  parameter int unsigned Depth = 3, Unused = 1,
  localparam int unsigned Width = (Num > 1) ? $clog2(Num) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Num-1:0]   full_i,     // boxes that are full
  output logic             found_o, none_o,
  output castor_box_pkg::kind_e kind_o
);
  localparam int unsigned Rows = Depth + 1, Cells = Rows * Width;
  typedef enum logic [1:0] { Idle, Busy } state_e;
  typedef struct packed { logic a; } pair_t;
  typedef logic [Num-1:0] mask_t;
  state_e           state_q;
  mask_t            mask;
  pair_t            pair;
  logic [Cells-1:0] head, tail;
  logic [3:0]       table_q [Rows];
  always_comb begin
    int unsigned hidden;
    hidden = 0;
  end
endmodule
"""


def completed(module, bind="", rtl=RTL):
    """Returns the header and the bind statement of a properties module, each on one line."""
    text = ports.complete(f"{module}\nbind castor_box box_properties u_properties ({bind});\n", [rtl])
    return [" ".join(part.split()) for part in (text.partition(";")[0], text.partition("bind")[2])]


class Properties(unittest.TestCase):
    def test_what_is_used_and_not_declared_comes_from_the_module(self):
        header, bind = completed("module box_properties;\n  logic a;\n  assign a = full_i[0] && head == '0;\nendmodule")
        self.assertEqual(
            header,
            "module box_properties #(parameter int unsigned Num = 4, parameter int unsigned Depth = 3, "
            "localparam int unsigned Width = (Num > 1) ? $clog2(Num) : 1, localparam int unsigned Rows = Depth + 1, "
            "localparam int unsigned Cells = Rows * Width) (input logic clk_i, input logic rst_ni, "
            "input logic [Num-1:0] full_i, input logic [Cells-1:0] head)",
        )
        self.assertEqual(
            bind,
            "castor_box box_properties #(.Num(Num), .Depth(Depth)) u_properties (.clk_i(clk_i), .rst_ni(rst_ni), "
            ".full_i(full_i), .head(head));",
        )

    def test_ports_and_parameters_of_its_own_stay(self):
        header, bind = completed(
            "module box_properties #(\n  parameter int unsigned Own = Num\n) (\n  input logic idle\n);\n"
            "  assign x = idle && none_o;\nendmodule",
            ".idle (state_q == Idle)",
        )
        self.assertEqual(
            header,
            "module box_properties #(parameter int unsigned Num = 4, parameter int unsigned Own = Num ) "
            "(input logic clk_i, input logic rst_ni, input logic none_o, input logic idle )",
        )
        self.assertTrue(bind.endswith(".none_o(none_o), .idle (state_q == Idle));"), bind)

    def test_lines_keep_their_numbers(self):
        text = "\n\nmodule box_properties;\n  assign a = found_o;\nendmodule\nbind castor_box box_properties u_p ();\n"
        lines = ports.complete(text, [RTL]).splitlines()
        self.assertEqual(len(lines), len(text.splitlines()))
        self.assertEqual(lines[3:5], text.splitlines()[3:5])

    def test_a_whole_module_stays_as_it_is(self):
        text = (
            "module whole #(parameter int unsigned Num = 4) (\n  input logic clk_i, input logic rst_ni,\n"
            "  input logic [Num-1:0] full_i\n);\n  assign a = full_i[0];\nendmodule\n"
            "bind castor_box whole #(.Num(Num)) u_properties (.clk_i, .rst_ni, .full_i);\n"
        )
        self.assertEqual(ports.complete(text, [RTL]), text)

    def test_members_labels_numbers_and_types_are_no_use(self):
        for text in ("x.full_i", "8'head", "full_i::Idle", "`head", "$head", "u_box (.head (x));"):
            self.assertNotIn("full_i", ports._used(text), text)
            self.assertNotIn("head", ports._used(text), text)
        self.assertEqual(ports._used("`CASTOR_ASSERT(head, full_i[0])\nbegin : tail\n") - {"begin"}, {"full_i"})
        self.assertIn("head", ports._used("u_box (.head, .full_i);"))

    def test_names_of_its_own_hide_those_of_the_module(self):
        header, _ = completed("module box_properties;\n  logic [1:0] head, tail = 0;\n  assign head = tail;\nendmodule")
        self.assertEqual(header, "module box_properties (input logic clk_i, input logic rst_ni)")

    def test_a_type_of_the_module_comes_as_its_bits(self):
        header, _ = completed("module box_properties;\n  assign a = state_q == 1 && kind_o == 0 && mask;\nendmodule")
        self.assertIn(
            "input castor_box_pkg::kind_e kind_o, input logic [1:0] state_q, input logic [Num-1:0] mask", header
        )

    def test_what_no_port_can_carry_is_refused(self):
        for name in ("table_q", "pair"):
            with self.assertRaisesRegex(WrongRequest, f"castor_box: no port can carry its signal {name}"):
                completed(f"module box_properties;\n  assign a = {name};\nendmodule")

    def test_what_is_hidden_in_a_block_is_no_signal(self):
        header, _ = completed("module box_properties;\n  assign a = hidden;\nendmodule")
        self.assertNotIn("hidden", header)


class ProbeTop(unittest.TestCase):
    LIST = [("input", "full", 4, 0), ("output", "found", 1, 1), ("output", "none", 1, 1), ("output", "kind", 2, 0)]
    LIST += [("probe", "state", 2, 0), ("probe", "wide", 1, 0)]
    BODY = (
        "// Top.\n\nmodule castor_box_probe;\n  assign probe_state_o = 0;\n"
        "  assign probe_wide_o[0] = Rows > 1;\nendmodule\n"
    )

    def top(self, listed=None, body=BODY, rtl=RTL):
        with tempfile.TemporaryDirectory() as folder:
            source, place = Path(folder) / "castor_box.sv", Path(folder) / "castor_box_probe.sv"
            source.write_text(rtl)
            place.write_text(body)
            block = SimpleNamespace(name="box", top="castor_box", sources=[source])
            rows = [
                ports.Listed(direction, name, str(bits), str(one), f"says {name}")
                for direction, name, bits, one in (self.LIST if listed is None else listed)
            ]
            return ports.probe_top(block, lambda: rows, place).replace(str(place), "PLACE")

    def test_has_the_ports_of_the_block_and_of_the_probes(self):
        text = self.top()
        self.assertTrue(text.startswith('`line 1 "PLACE" 0\n// Top.\n\nmodule castor_box_probe\n#(\n'), text)
        self.assertIn("  input logic [Num-1:0] full_i,\n  output logic found_o,\n  output logic none_o,\n", text)
        # One bit at these values only is a vector of one: it may be indexed.
        self.assertIn(
            "  output logic [1:0] probe_state_o,  // says state\n  output logic [0:0] probe_wide_o  // says wide\n);",
            text,
        )
        self.assertIn("  castor_box #(.Num(Num), .Depth(Depth), .Unused(Unused)) u_dut (\n    .clk_i(clk_i),", text)
        self.assertIn("  localparam int unsigned Rows = Depth + 1\n", text)
        self.assertIn('`line 3 "PLACE" 0\n  assign probe_state_o = 0;', text)
        self.assertEqual(text, self.top())

    def test_widths_are_checked_when_it_is_elaborated(self):
        self.assertIn(
            '  if ($bits(full_i) != 4) $fatal(1, "castor_box: port full_i is %0d bits wide in the RTL and 4 in the '
            'list of ports", $bits(full_i));',
            self.top(),
        )

    def test_list_and_rtl_that_differ_are_refused(self):
        for listed, wrong in (
            (self.LIST[1:], "full_i is a port of the RTL only"),
            ([*self.LIST, ("input", "more", 1, 1)], "more_i is in the list of ports only"),
        ):
            with self.assertRaisesRegex(WrongRequest, f"ports of box and of castor_box differ: {wrong}"):
                self.top(listed)
        turned = RTL.replace("input  logic [Num-1:0]   full_i", "output logic [Num-1:0] full_i")
        with self.assertRaisesRegex(WrongRequest, "full_i is an input in the list of ports and an output of the RTL"):
            self.top(rtl=turned)

    def test_probes_that_are_not_shown_or_not_listed_are_refused(self):
        with self.assertRaisesRegex(
            WrongRequest, "probe_wide_o is in the list of probes, and nothing is assigned to it"
        ):
            self.top(body="module castor_box_probe;\n  assign probe_state_o = 0; // probe_wide_o\nendmodule\n")
        with self.assertRaisesRegex(WrongRequest, "probe_box.sv|probe_more_o is not in the list of probes"):
            self.top(body=self.BODY.replace("endmodule", "  assign probe_more_o = 0;\nendmodule"))

    def test_a_whole_module_stays_as_it_is(self):
        whole = "module castor_box_probe (\n  input logic clk_i\n);\nendmodule\n"
        self.assertEqual(self.top([], whole), f'`line 1 "PLACE" 0\n{whole}')


if __name__ == "__main__":
    unittest.main()
