#!/usr/bin/env python3
"""castor area on the trial block: figures that follow from its sources, --check, and bad input."""

import gzip
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from flows_support import DATA, FlowCase  # noqa: E402

OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


def registers(clients, width):
    """Bits that castor_trial.sv keeps: turn, client, valid, written, sum, and the table."""
    index = (clients - 1).bit_length()
    return 2 * index + 1 + clients + (width + 4) + clients * width


class Figures(FlowCase):
    def test_flip_flops_and_memory_bits_are_those_of_the_sources_at_every_set(self):
        results = self.json("area", "trial", "--params", "all", "--no-timing")["results"]
        self.assertEqual([one["set"] for one in results], ["default", "proof", "small"])
        for one in results:
            clients, width = one["parameters"]["Clients"], one["parameters"]["Width"]
            self.assertEqual(one["flops"], registers(clients, width))
            self.assertEqual((one["memories"], one["memory_bits"]), (1, clients * width))

    def test_area_is_the_same_with_and_without_timing(self):
        with_timing = self.json("area", "trial", "--params", "small")["results"][0]
        without = self.json("area", "trial", "--params", "small", "--no-timing")["results"][0]
        for key in ("area", "kge", "cells", "flops", "levels", "reference_cell", "reference_area"):
            self.assertEqual(with_timing[key], without[key])
        self.assertEqual((without["reference_cell"], without["reference_area"]), ("NAND2X1", 24))
        self.assertAlmostEqual(without["kge"], without["area"] / 24 / 1000, 4)

    def test_block_without_registers_has_an_area_and_no_period_inside(self):
        rtl = self.folder / "rtl" / "gate"
        rtl.mkdir(parents=True)
        (rtl / "gate.f").write_text("gate/castor_gate.sv\n")
        (rtl / "parameter_sets.json").write_text('{"default": {}}')
        (rtl / "castor_gate.sv").write_text(
            "module castor_gate (\n  input logic clk_i, input logic rst_ni, input logic a_i,\n"
            "  input logic b_i, output logic y_o\n);\n"
            "  assign y_o = a_i && b_i;\nendmodule\n"
        )
        one = self.json("area", "gate", root=self.folder)["results"][0]
        self.assertEqual((one["flops"], one["register_period_ns"]), (0, 0))
        self.assertGreater(one["period_ns"], 0)

    def test_period_covers_the_longest_path_which_ends_where_a_register_or_port_is(self):
        one = self.json("area", "trial", "--params", "default")["results"][0]
        self.assertGreaterEqual(one["period_ns"], one["register_period_ns"])
        self.assertGreater(one["register_period_ns"], 0.5)  # a register and the 20-bit adder behind it, in 180 nm
        self.assertRegex(one["critical_path"]["to"], r"^\w+_o(\[\d+\])?$|_q|turn_i|table_q")

    def test_modules_add_up_to_all_flip_flops(self):
        one = self.json("area", "trial", "--params", "proof", "--no-timing", "--split")["results"][0]
        rows = {row["module"]: row for row in one["modules"]}
        self.assertEqual(set(rows), {"castor_trial", "castor_trial_arbiter"})
        self.assertEqual(rows["castor_trial_arbiter"]["flops"], 0)
        self.assertGreater(rows["castor_trial_arbiter"]["kge"], 0)
        self.assertEqual(sum(row["flops"] for row in one["modules"]), one["flops"])

    def test_gzipped_library_gives_the_same_figures(self):
        path = self.folder / "cells.lib.gz"
        path.write_bytes(gzip.compress(OSU018.read_bytes()))
        given = self.json("area", "trial", "--params", "small", "--no-timing", "--liberty", path)["results"][0]
        own = self.json("area", "trial", "--params", "small", "--no-timing")["results"][0]
        self.assertEqual(given["area"], own["area"])

    def test_without_the_tables_their_flip_flops_and_multiplexers_are_gone(self):
        whole = self.json("area", "trial", "--params", "default", "--no-timing")["results"][0]
        bare = self.json("area", "trial", "--params", "default", "--no-timing", "--macros")["results"][0]
        clients, width = whole["parameters"]["Clients"], whole["parameters"]["Width"]
        self.assertEqual(whole["tables"], bare["tables"])
        self.assertEqual(
            bare["tables"], [{"name": "table_q", "entries": clients, "width": width, "read_ports": 1, "write_ports": 1}]
        )
        self.assertEqual(whole["flops"] - bare["flops"], clients * width)
        self.assertLess(bare["kge"], whole["kge"] - clients * width * 0.004)  # a flip-flop is above four gates
        out, _ = self.run_castor("area", "trial", "--params", "default", "--macros")
        self.assertIn("without the tables", out)
        self.assertRegex(out, r"(?m)^default +0\.\d\d +\d+ ")

    def test_a_tied_signal_takes_its_logic_along(self):
        free = self.json("area", "trial", "--params", "default", "--no-timing")["results"][0]
        bits = (free["parameters"]["Clients"] - 1).bit_length()
        tied = self.json("area", "trial", "--params", "default", "--no-timing", "--tie", "turn_q=0")["results"][0]
        self.assertEqual(free["flops"] - tied["flops"], bits)
        self.assertLess(tied["kge"], free["kge"])
        self.assertEqual(tied["ties"], {"turn_q": 0})
        one = self.json("area", "trial", "--params", "default", "--no-timing", "--tie", "turn_q[0]=0")["results"][0]
        self.assertEqual(free["flops"] - one["flops"], 1)

    def test_area_points_are_sets_of_the_area_only(self):
        root = self.copy()
        (root / "rtl/trial/area_points.json").write_text('{"tiny": {"Clients": 2, "Width": 3}}')
        result = self.json("area", "trial", "--params", "tiny", "--no-timing", root=root)["results"][0]
        self.assertEqual(result["flops"], registers(2, 3))
        self.refused(
            "netlist",
            "trial",
            "--params",
            "tiny",
            "-o",
            self.folder / "x.v",
            root=root,
            says="there are: default, proof, small",
        )
        (root / "rtl/trial/area_points.json").write_text('{"small": {"Clients": 2, "Width": 3}}')
        self.refused("area", "trial", root=root, says="'small' is in parameter_sets.json too")

    def test_output_is_a_table_that_names_library_and_reference_cell(self):
        out, err = self.run_castor("area", "trial", "--params", "small")
        self.assertEqual(err, "")  # no progress in a pipe
        self.assertIn("osu018_stdcells", out)
        self.assertIn("NAND2X1 (24)", out)
        self.assertRegex(out, r"(?m)^small +0\.\d\d +21 +8 ")


class Check(FlowCase):
    def test_figures_with_and_without_tables_are_recorded_side_by_side(self):
        root = self.copy()
        self.run_castor("area", "trial", "--params", "small", "--record", "--macros", root=root)
        self.refused("area", "trial", "--check", "--params", "small", root=root, says="--params small --record")
        self.run_castor("area", "trial", "--params", "small", "--record", root=root)
        out, _ = self.run_castor("area", "trial", "--check", root=root)
        self.assertIn("agrees with", out)
        out, _ = self.run_castor("area", "trial", "--check", "--macros", root=root)
        self.assertIn("agrees with", out)
        figures = json.loads((root / "rtl/trial/area.json").read_text())["sets"]["small"]
        self.assertLess(figures["macros"]["flops"], figures["flops"])

    def test_recorded_figures_agree_until_the_block_grows(self):
        root = self.copy()
        self.run_castor("area", "trial", "--params", "small", "--record", root=root)
        recorded = json.loads((root / "rtl/trial/area.json").read_text())
        self.assertEqual(list(recorded["sets"]), ["small"])
        out, _ = self.run_castor("area", "trial", "--check", root=root)
        self.assertIn("agrees with", out)
        source = root / "rtl/trial/castor_trial.sv"
        self.edit(
            source,
            "sum_d           = sum_q + {4'b0, word};",
            "sum_d           = sum_q + {4'b0, word} + {4'b0, data_i[Width-1:0]};",
        )
        out, _ = self.run_castor("area", "trial", "--check", root=root, expect=1)
        self.assertRegex(out, r"DRIFT trial small: kge was 0\.\d+, is 0\.\d+ \(\+\d")

    def test_check_needs_recorded_figures(self):
        self.refused("area", "trial", "--check", says="area.json")
        self.refused("area", "trial", "--check", "--liberty", "x.lib", says="OSU018")


class BadInput(FlowCase):
    def test_unknown_names_are_refused_with_what_there_is(self):
        self.refused("area", "trail", says="did you mean trial?")
        self.refused("area", "trial", "--params", "large", says="there are: default, proof, small")
        self.refused("area", "trial", "--bogus", says="--help")
        self.refused("area", "trial", "--jobs", "0", says="at least 1")
        self.refused("area", "trial", "--tie", "turn_q", says="SIGNAL=VALUE")
        self.refused("area", "trial", "--tie", "none_q=1", says="--tie none_q: the flattened block has no signal")
        self.refused("area", "trial", "--tie", "turn_q=0", "--record", says="not recorded")
        self.refused("area", "trial", "--split", "--macros", says="as they are")

    def test_missing_and_wrong_libraries_are_refused(self):
        self.refused("area", "trial", "--liberty", self.folder / "none.lib", says="No such file")
        self.refused("area", "trial", "--liberty", DATA / "rtl/trial/castor_trial.sv", says="castor_trial.sv:")

    def test_missing_tools_name_their_package(self):
        bare = self.folder / "bin"
        bare.mkdir()
        (bare / "python3").symlink_to(sys.executable)
        self.refused("area", "trial", path=str(bare), says="apt-get install yosys")

    def test_broken_verilog_is_one_line_with_file_and_line(self):
        root = self.copy()
        source = root / "rtl/trial/castor_trial.sv"
        self.edit(source, "assign sum_o    = sum_q;", "assign sum_o    = ;")
        line = 1 + source.read_text()[: source.read_text().index("= ;")].count("\n")
        self.refused("area", "trial", root=root, says=f"castor_trial.sv:{line}:")

    def test_parameters_out_of_range_are_refused_by_the_block(self):
        root = self.copy()
        self.edit(root / "rtl/trial/parameter_sets.json", '"Clients": 2', '"Clients": 65')
        self.refused("area", "trial", "--params", "small", root=root, says="Clients must be 2..64")

    def test_unwritable_result_is_refused(self):
        out, err = self.run_castor(
            "area", "trial", "--params", "small", "--no-timing", "--json", self.folder / "no/such.json", expect=2
        )
        self.assertIn("cannot write", err)

    def test_help_fits_a_screen_and_has_an_example(self):
        out, _ = self.run_castor("area", "--help")
        self.assertLessEqual(len(out.splitlines()), 40)
        self.assertIn("Example: castor area", out)


if __name__ == "__main__":
    FlowCase.castor = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
