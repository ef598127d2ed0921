#!/usr/bin/env python3
"""castor mutate: a campaign on the contract's test block, going on after an interruption, and who counts as
equivalent."""

import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from flows_support import ROOT, FlowCase  # noqa: E402

sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))
from castor_flows import aiger, equivalence, errors, mutate, reach, tree, yosys  # noqa: E402

RING = """
module castor_ring #(parameter int unsigned N = 4) (input logic clk_i, input logic rst_ni, input logic go_i,
                                                    output logic top_o, output logic never_o);
  logic [1:0] state_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= 2'd0;
    else if (go_i) state_q <= (state_q == 2'd2) ? 2'd0 : state_q + 2'd1;
  end
  assign top_o = state_q == 2'd2;
  assign never_o = state_q == 2'd3;
endmodule
"""


class Equivalence(unittest.TestCase):
    """A counter that runs 0, 1, 2: the comparison with 3 is never true, which only the reachable states show."""

    def result(self, constant, mode):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "rtl/ring").mkdir(parents=True)
            (root / "rtl/ring/castor_ring.sv").write_text(RING)
            (root / "rtl/ring/ring.f").write_text("ring/castor_ring.sv\n")
            (root / "rtl/ring/parameter_sets.json").write_text('{"proof": {"N": 4}}')
            block = tree.find(root, "ring")
            work = root / "work"
            work.mkdir()
            mutate.draw(block, block.parameters("proof"), 1, 1, work)
            line = 1 + RING[: RING.index(f"= state_q == 2'd{constant}")].count("\n")
            name = next(
                line_.split()[2]
                for line_ in (work / "base.il").read_text().splitlines()
                if line_.strip().startswith("cell $") and f"castor_ring.sv:{line}$" in line_
            )
            cell = name.lstrip("\\")
            command = f"mutate -ctrl castor_mutant 1 1 -mode {mode} -module castor_ring -cell {cell} -port Y -portbit 0"
            yosys.run(["read_ilang base.il", command, "opt_clean", "write_ilang mutants.il"], work, "one")
            mutant = mutate.Mutant(1, command)
            mutant.result = mutate.SURVIVED
            equivalence.compare(
                mutant, equivalence.Model(block, work / "equivalence"), type("Options", (), {"seconds": 20})
            )
            return mutant.result, mutant.by

    def test_change_that_no_reachable_state_shows_is_equivalent(self):
        self.assertEqual(self.result(3, "const0"), ("equivalent", "pdr"))

    def test_change_that_a_reachable_state_shows_survives_with_its_cycle(self):
        result, by = self.result(3, "const1")
        self.assertEqual(result, "survived")
        self.assertRegex(by, r"differs from cycle \d+ on")


WIDE = """
module castor_wide (input logic clk_i, input logic rst_ni, input logic [15:0] a_i, input logic [3:0] b_i,
                    output logic full_o, output logic near_o, output logic [15:0] sum_o);
  assign full_o = a_i == 16'd1024;
  assign near_o = b_i < 4'd5;
  assign sum_o = a_i + {12'd0, b_i};
endmodule
"""


class Widths(unittest.TestCase):
    """Mutants of widths and constants: high bits of what has at least 8, and every bit of a constant."""

    def drawn(self, text, count, seed):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "rtl/wide").mkdir(parents=True)
            (root / "rtl/wide/castor_wide.sv").write_text(text)
            (root / "rtl/wide/wide.f").write_text("wide/castor_wide.sv\n")
            (root / "rtl/wide/parameter_sets.json").write_text('{"proof": {}}')
            block = tree.find(root, "wide")
            work = root / "work"
            work.mkdir()
            mutants = mutate.draw(block, {}, count, seed, work, widths=True)
            found = [re.search(r"-port (\S+) -portbit (\d+)", one.command).groups() for one in mutants]
            lines = [int(mutate.place(one.places, root).split(":")[1]) for one in mutants]
            return [(one.mode, line, port, int(bit)) for one, line, (port, bit) in zip(mutants, lines, found)]

    def test_all_high_bits_and_all_constants_are_candidates_and_nothing_else(self):
        first = 1 + WIDE[: WIDE.index("full_o =")].count("\n")
        compared = {("const0", first, "A", bit) for bit in range(8, 16)}
        limits = {("inv", first, "B", bit) for bit in range(16)} | {("inv", first + 1, "B", bit) for bit in range(3)}
        added = {("const0", first + 2, port, bit) for port in "AY" for bit in range(8, 16)}
        self.assertLessEqual(limits | compared | added, set(self.drawn(WIDE, 1000, 1)))
        for mode, line, port, bit in self.drawn(WIDE, 1000, 1):
            self.assertTrue(
                mode == "inv" or (mode == "const0" and bit >= 8 and line != first + 1), (mode, line, port, bit)
            )

    def test_places_take_turns_and_the_seed_decides(self):
        drawn = self.drawn(WIDE, 3, 1)
        self.assertEqual(len({line for _, line, _, _ in drawn}), 3)
        self.assertEqual(drawn, self.drawn(WIDE, 3, 1))
        self.assertNotEqual(drawn, self.drawn(WIDE, 3, 2))

    def test_a_block_without_a_wide_signal_is_refused(self):
        narrow = WIDE.replace("[15:0]", "[6:0]").replace("16'd1024", "{b_i, 3'd0}").replace("4'd5", "a_i[3:0]")
        with self.assertRaisesRegex(Exception, "neither a wide signal nor a constant"):
            self.drawn(narrow.replace("{12'd0, b_i}", "{3'd0, b_i}"), 3, 1)


class Invariants(unittest.TestCase):
    """A latch q that the block never sets, and a mutant that differs where it is set: x = q & choice."""

    def write(self, properties, names="latch 0 0 q\n"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            # Inputs rst_ni, choice; latch q; q keeps its value; gate 4 is q & choice.
            (path / "c.aig").write_bytes(b"aig 4 2 1 1 1\n6\n8\n" + aiger._gate(4, 6, 4))
            (path / "c.map").write_text("input 0 0 rst_ni\ninput 1 0 choice\nlatch 0 0 q\noutput 0 0 x\n")
            # The properties: inputs rst_ni, other; latch q; gate 4 is q & rst_ni.
            (path / "p.aig").write_bytes(b"aig 4 2 1 1 1\n6\n8\n" + aiger._gate(4, 6, 2))
            (path / "p.map").write_text("input 0 0 rst_ni\ninput 1 0 other\n" + names)
            circuit = aiger.Circuit(path / "c.aig", path / "c.map")
            invariants = aiger.Invariants(aiger.Circuit(path / "p.aig", path / "p.map"), properties, circuit, {})
            return aiger.Pair(circuit).write(path / "pair.aig", {1: 0}, {1: 1}, True, invariants), len(invariants)

    def test_a_difference_only_where_a_proven_property_is_broken_is_none(self):
        self.assertEqual(self.write([]), (True, 0))
        self.assertEqual(self.write([(7, 1)]), (False, 1))  # always: q is 0

    def test_what_is_checked_out_of_reset_holds_in_reset_as_well(self):
        self.assertEqual(self.write([(7, 2)]), (False, 1))  # if rst_ni: q is 0
        self.assertEqual(self.write([(9, 1)]), (False, 1))  # q & rst_ni is 0

    def test_a_property_that_holds_leaves_the_difference_and_one_of_other_signals_is_left_out(self):
        self.assertEqual(self.write([(6, 1)]), (True, 1))  # q is 1
        self.assertEqual(self.write([(5, 1)]), (True, 0))  # other is 0
        self.assertEqual(self.write([(7, 1)], names="latch 0 0 own\n"), (True, 0))


class Pairs(unittest.TestCase):
    """Two copies of a circuit of inputs a, b, choice, and one latch; the choice is 0 in one copy and 1 in the other."""

    def write(self, gates, next_literal, output, combinational):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            packed = b"".join(aiger._gate(5 + at, *pair) for at, pair in enumerate(gates))
            (path / "c.aig").write_bytes(
                f"aig {4 + len(gates)} 3 1 1 {len(gates)}\n{next_literal}\n{output}\n".encode() + packed
            )
            (path / "c.map").write_text("input 0 0 a\ninput 1 0 b\ninput 2 0 choice\nlatch 0 0 q\noutput 0 0 x\n")
            circuit = aiger.Circuit(path / "c.aig", path / "c.map")
            self.assertEqual(circuit.inputs_by_name["choice", 0], 2)
            return aiger.Pair(circuit).write(path / "pair.aig", {2: 0}, {2: 1}, combinational)

    def test_what_the_choice_does_not_reach_is_the_same_by_structure(self):
        # x = a & b & !(choice & !choice); q takes x.
        self.assertFalse(self.write([(2, 4), (6, 7), (10, 13)], 14, 14, True))
        self.assertFalse(self.write([(2, 4), (6, 7), (10, 13)], 14, 14, False))

    def test_a_difference_of_the_next_state_counts_in_every_state_and_not_if_no_output_shows_it(self):
        # q takes a & choice; x = b.
        self.assertTrue(self.write([(2, 6)], 10, 4, True))
        self.assertFalse(self.write([(2, 6)], 10, 4, False))
        # x = q.
        self.assertTrue(self.write([(2, 6)], 10, 8, False))


COUNTER = """
module castor_slow (input logic clk_i, input logic rst_ni, input logic go_i, input logic [3:0] more_i,
                    output logic [7:0] count_o, output logic [7:0] jump_o);
  logic [7:0] count_q, jump_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      jump_q  <= '0;
    end else begin
      if (go_i) count_q <= (count_q == '1) ? count_q : count_q + 8'd1;
      jump_q <= jump_q + {4'b0, more_i};
    end
  end
  assign count_o = count_q;
  assign jump_o  = jump_q;
endmodule
"""


class Reach(unittest.TestCase):
    """A count that grows by 1 per cycle needs 64 cycles for its bit 6; another register grows by up to 15."""

    def result(self, bit, cycles, counts="count_q"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "rtl/slow").mkdir(parents=True)
            (root / "tb/slow").mkdir(parents=True)
            (root / "rtl/slow/castor_slow.sv").write_text(COUNTER)
            (root / "rtl/slow/slow.f").write_text("slow/castor_slow.sv\n")
            (root / "rtl/slow/parameter_sets.json").write_text('{"proof": {}}')
            (root / "tb/slow/counts.json").write_text(json.dumps({"counts": [counts], "why": "one per cycle"}))
            block = tree.find(root, "slow")
            work = root / "work"
            work.mkdir()
            mutate.draw(block, {}, 1, 1, work)
            cell = next(
                line.split()[2].lstrip("\\")
                for line in (work / "base.il").read_text().splitlines()
                if line.strip().startswith("cell $add") and "castor_slow.sv:10$" in line
            )
            command = f"mutate -ctrl castor_mutant 1 1 -mode const0 -module castor_slow -cell {cell} -port A"
            command += f" -portbit {bit}"
            yosys.run(["read_ilang base.il", command, "opt_clean", "write_ilang mutants.il"], work, "one")
            mutant = mutate.Mutant(1, command)
            mutant.result = mutate.SURVIVED
            model = equivalence.Model(block, work / "equivalence")
            model.cycles = cycles
            equivalence.compare(mutant, model, type("Options", (), {"seconds": 20}))
            return mutant.result, mutant.by

    def test_a_bit_above_the_cycles_of_a_run_is_out_of_reach(self):
        self.assertEqual(self.result(6, 63), ("out of reach", "equal for 2^6 cycles after a reset"))
        self.assertEqual(self.result(7, 63)[0], "out of reach")

    def test_a_bit_that_a_run_can_reach_survives(self):
        self.assertEqual(self.result(5, 63)[0], "survived")
        self.assertEqual(self.result(6, 64)[0], "survived")

    def test_a_register_that_grows_by_more_is_refused(self):
        with self.assertRaisesRegex(errors.WrongRequest, "jump_q of slow is not shown to grow by at most 1"):
            self.result(6, 63, "(count|jump)_q")

    def test_a_list_without_a_reason_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "counts.json").write_text('{"counts": ["a"]}')
            with self.assertRaisesRegex(errors.WrongRequest, "counts.json: not of the form"):
                reach.read(type("Block", (), {"bench": Path(folder)}))


class Text(unittest.TestCase):
    def test_mutants_number_is_read_inside_and_is_no_port(self):
        text = (
            "module castor_x(clk_i, castor_mutant, out_o);\n  input clk_i;\n  wire clk_i;\n"
            "  input [4:0] castor_mutant;\n"
            "  wire [4:0] castor_mutant;\n  output out_o;\nendmodule\n"
        )
        done = mutate.numbered(text, "castor_x")
        self.assertIn("module castor_x(clk_i, out_o);", done)
        self.assertNotIn("input [4:0] castor_mutant", done)
        self.assertIn("  reg [4:0] castor_mutant;\n  initial castor_mutant = castor_mutant_number();\n", done)
        self.assertNotIn("wire [4:0] castor_mutant", done)

    def test_place_is_the_narrowest_line_that_exists(self):
        places = [
            "/r/rtl/x/top.sv:137.28-137.41",
            "/r/rtl/x/top.sv:165.5-176.4",
            "/r/rtl/c/fifo.sv:37.21-37.34",
            "/r/c/f.sv:0.0-0.0",
        ]
        self.assertEqual(mutate.place(places, Path("/r")), "rtl/c/fifo.sv:37")
        self.assertEqual(mutate.place([], Path("/r")), "")

    def test_share_leaves_equivalent_mutants_out(self):
        def some(result):
            mutant = mutate.Mutant(1, "mutate -mode inv")
            mutant.result = result
            return mutant

        self.assertEqual(mutate.share([some("killed")] * 19 + [some("survived")] + [some("equivalent")] * 5), 0.95)
        self.assertEqual(mutate.share([some("killed")] * 3 + [some("survived")] + [some("out of reach")]), 0.75)
        self.assertEqual(mutate.share([some("equivalent")]), 1.0)


class Campaign(FlowCase):
    WORDS = ("mutate", "turnstile", "--params", "odd", "--count", "20", "--seed", "1", "--waves")

    def test_lockstep_kills_the_sample_and_a_second_run_goes_on_where_the_first_was(self):
        self.run_castor(*self.WORDS, "--json", self.folder / "result.json", root=None, expect=None)
        first = json.loads((self.folder / "result.json").read_text())
        code = 0 if first["killed_share"] >= 0.95 else 1
        self.assertEqual(len(first["mutants"]), 20)
        self.assertEqual(first["killed"] + first["survived"] + first["equivalent"], 20)
        self.assertGreaterEqual(first["killed_share"], 0.9)
        for one in first["mutants"]:
            self.assertRegex(one["source"], r"^turnstile/castor_turnstile\.sv:[1-9]\d*$")
            if one["result"] == "killed":
                self.assertLess(one["cycle"], 20000)
        # Take one result away: only that one is run again.
        kept = next((self.folder / "work").glob("turnstile/mutate-*/results.json"))
        data = json.loads(kept.read_text())
        number = str(next(one["number"] for one in first["mutants"] if one["result"] == "killed"))
        del data["mutants"][number]
        logs = kept.parent / "logs"
        for log in logs.iterdir():
            log.unlink()
        kept.write_text(json.dumps(data))
        self.assertEqual(self.json(*self.WORDS, root=None, expect=code)["mutants"], first["mutants"])
        self.assertEqual([log.name for log in logs.glob("*.log")], [f"{number}.log"])
        # The waves of what was found lie there, too, and nowhere else.
        self.assertEqual([waves.name for waves in logs.glob("*.vcd")], [f"{number}.vcd"])
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"work", "result.json"})

    def test_chosen_sequences_and_changed_parameters_are_those_of_the_runs(self):
        words = ("mutate", "turnstile", "--params", "odd", "--count", "3", "--cycles", "2000", "--runs", "1")
        chosen = ("--sequence", "random", "--sequence", "medley")
        found = self.json(*words, *chosen, root=None, expect=None)
        killed = [one for one in found["mutants"] if one["result"] == "killed"]
        self.assertTrue(killed)
        self.assertLessEqual({one["by"].split()[0] for one in killed}, {"random", "medley"})
        self.assertEqual(killed[0]["by"], "random 1")
        # With other sequences no result is kept: the first one kills it again.
        other = self.json(*words, "--sequence", "medley", root=None, expect=None)
        self.assertEqual({one["by"] for one in other["mutants"] if one["result"] == "killed"}, {"medley 1"})
        self.refused(*words, "--sequence", "none", root=None, says="unknown sequence of turnstile 'none'")
        fewer = self.json(*words, "--params", "odd,NumPorts=5", "--sequence", "medley", root=None, expect=None)
        self.assertEqual(
            (fewer["set"], fewer["parameters"]), ("odd,NumPorts=5", {**found["parameters"], "NumPorts": 5})
        )
        self.assertEqual((found["widths"], found["parameters"]["NumPorts"]), (False, 37))
        self.refused(*words, "--params", "odd,Ports=5", root=None, says="unknown parameter of turnstile 'Ports'")
        self.refused(*words, "--params", "odd,NumPorts", root=None, says="not of the form Name=Value")

    def test_wrong_requests_are_refused(self):
        self.refused("mutate", "turnstile", "--params", "none", root=None, says="there are: minimum, odd")
        self.refused("mutate", "turnstile", "--count", "0", root=None, says="at least 1")
        self.refused("mutate", "trial", "--params", "small", says="has no manifest")


if __name__ == "__main__":
    FlowCase.castor = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
