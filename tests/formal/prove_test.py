#!/usr/bin/env python3
"""castor prove on the trial block and on broken copies of it: what holds is proven, what does not is never called
so."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from flows_support import FlowCase  # noqa: E402

ALIVE = "assumptions_allow_15_cycles"
ASSERTIONS = {"client_in_range", "idle_is_zero", "turn_in_range", "written_asked"}
RTL = "rtl/trial/castor_trial.sv"
PROPERTIES = "tb/trial/castor_trial_properties.sv"


class ProveCase(FlowCase):
    def results(self, *words, **more):
        """{label: entry} of `castor prove trial`."""
        return {one["name"].split(".")[-1]: one for one in self.json("prove", "trial", *words, **more)["properties"]}


class Holds(ProveCase):
    def test_everything_is_proven_and_every_cover_reached(self):
        found = self.results()
        self.assertEqual({name for name, one in found.items() if one["kind"] == "assert"}, ASSERTIONS)
        for name in ASSERTIONS:
            self.assertEqual((found[name]["result"], found[name]["engine"]), ("proven", "pdr"))
        self.assertEqual(found[ALIVE]["result"], "reached")
        self.assertGreaterEqual(found[ALIVE]["depth"], 16)  # a cycle of reset, then 15
        # Three clients, one a cycle: the third is written at the earliest in the fourth cycle.
        self.assertEqual(found["all_written"]["result"], "reached")
        self.assertGreaterEqual(found["all_written"]["depth"], 3)

    def test_source_names_the_line_of_the_assertion(self):
        text = (Path(__file__).resolve().parents[1] / "data/flows" / PROPERTIES).read_text()
        line = 1 + text[: text.index("turn_in_range:")].count("\n")
        self.assertEqual(self.results("--property", "turn_in")["turn_in_range"]["source"], f"{PROPERTIES}:{line}")

    def test_k_induction_proves_what_is_inductive(self):
        found = self.results(
            "--engine", "k-induction", *(word for name in sorted(ASSERTIONS) for word in ("--property", name))
        )
        self.assertEqual({found[name]["result"] for name in ASSERTIONS}, {"proven"})
        self.assertEqual({found[name]["engine"] for name in ASSERTIONS}, {"k-induction"})

    def test_bounded_search_is_called_bounded_and_is_not_good_enough(self):
        words = ("--engine", "bmc", "--seconds", "2", "--property", "turn_in_range")
        found = self.results(*words, expect=1)["turn_in_range"]
        self.assertEqual((found["result"], found["engine"]), ("bounded", "bmc"))
        self.assertGreater(found["depth"], 10)
        self.results(*words, "--accept-bounded", expect=0)


class DoesNotHold(ProveCase):
    def test_broken_block_fails_with_the_cycle_and_waves(self):
        root = self.copy()
        self.edit(root / RTL, "(pick == IdxW'(Clients - 1)) ? '0 : pick + 1'b1", "pick + 1'b1")
        found = self.results(root=root, expect=1)
        self.assertEqual(found["turn_in_range"]["result"], "failed")
        self.assertTrue(Path(found["turn_in_range"]["trace"]).read_text().startswith("$"))
        # Reset in cycle 0, a pick of client 2 in cycle 1, the turn 3 in cycle 2.
        self.assertGreaterEqual(found["turn_in_range"]["depth"], 2)
        self.assertEqual(found["written_asked"]["result"], "proven")

    def test_bounded_search_finds_it_too(self):
        root = self.copy()
        self.edit(root / RTL, "(pick == IdxW'(Clients - 1)) ? '0 : pick + 1'b1", "pick + 1'b1")
        found = self.results("--engine", "bmc", "--seconds", "5", "--property", "turn_in_range", root=root, expect=1)
        self.assertEqual(found["turn_in_range"]["result"], "failed")

    def test_registers_without_reset_are_arbitrary_at_first(self):
        root = self.copy()
        self.edit(root / RTL, "      valid_q   <= 1'b0;\n      client_q  <= '0;\n", "")
        self.edit(
            root / RTL,
            "      valid_q   <= any;\n      client_q  <= any ? pick : '0;\n",
            "      if (any) valid_q <= 1'b1;\n      if (any) client_q <= pick;\n",
        )
        self.assertEqual(
            self.results("--property", "idle_is_zero", root=root, expect=1)["idle_is_zero"]["result"], "failed"
        )

    def test_cover_that_cannot_be_reached_fails(self):
        root = self.copy()
        self.edit(
            root / PROPERTIES,
            "all_written:     cover (&written_q);",
            "all_written:     cover (valid_q && 32'(client_q) >= Clients);",
        )
        self.assertEqual(
            self.results("--property", "all_written", root=root, expect=1)["all_written"]["result"], "unreachable"
        )

    def test_assumptions_that_forbid_the_block_to_run_are_found(self):
        root = self.copy()
        self.edit(root / PROPERTIES, "assume (seen_q || !rst_ni);", "assume (!rst_ni);")
        found = self.results("--property", "turn_in_range", "--property", ALIVE, root=root, expect=1)
        self.assertEqual(found["turn_in_range"]["result"], "proven")  # but worthless:
        self.assertEqual(found[ALIVE]["result"], "unreachable")


class Alone(ProveCase):
    """A property of a module inside the block, of which only the module alone is decided."""

    def block_with_arbiter_property(self, condition):
        root = self.copy()
        (root / "tb/trial/castor_trial_arbiter_properties.sv").write_text(
            f"""
module castor_trial_arbiter_properties #(
  parameter int unsigned Clients = 4
) (
  input logic [Clients-1:0] req_i,
  input logic [$clog2(Clients)-1:0] turn_i,
  input logic any_o
);
  always_comb inside_ok: assert ({condition});
endmodule
bind castor_trial_arbiter castor_trial_arbiter_properties #(.Clients(Clients)) u_properties (.req_i, .turn_i, .any_o);
"""
        )
        return root

    def test_what_holds_of_the_module_holds_of_the_block(self):
        root = self.block_with_arbiter_property("any_o == |req_i")
        found = self.results("--property", "inside_ok", root=root)["inside_ok"]
        self.assertEqual(
            (found["result"], found["alone"], found["refuted_alone"]), ("proven", "castor_trial_arbiter", None)
        )

    def test_counterexample_of_the_module_is_a_verdict_if_the_block_is_not_decided(self):
        # Over the block's inputs, which are free there too; with no engine that could say so of the block.
        root = self.block_with_arbiter_property("!(&req_i)")
        found = self.results("--property", "inside_ok", "--engine", "pdr", root=root, expect=1)["inside_ok"]
        self.assertEqual(found["result"], "failed")  # the block is decided
        self.assertEqual(found["refuted_alone"]["module"], "castor_trial_arbiter")

    def test_cover_that_asks_for_the_module_alone(self):
        # The block never offers a turn that is out of range: a cover says so, one for the module alone does not.
        root = self.block_with_arbiter_property("1'b1")
        path = root / "tb/trial/castor_trial_arbiter_properties.sv"
        self.edit(
            path,
            "  always_comb inside_ok:",
            "  always_comb alone_far: cover (32'(turn_i) == 32'd3);\n"
            "  always_comb far: cover (32'(turn_i) == 32'd3 && req_i[0]);\n  always_comb inside_ok:",
        )
        self.edit(root / RTL, "  always_comb begin\n", "  initial turn_q = '0;\n\n  always_comb begin\n")
        found = self.results("--property", "far", root=root, expect=1)
        alone, whole = found["alone_far"], found["far"]
        self.assertEqual((alone["result"], alone["alone"]), ("reached", "castor_trial_arbiter"))
        self.assertEqual((whole["result"], whole["alone"]), ("unreachable", ""))

    def test_the_block_has_the_last_word(self):
        # The block never offers a turn that is out of range; the module alone gets it.
        root = self.block_with_arbiter_property("32'(turn_i) < Clients")
        self.edit(root / RTL, "  always_comb begin\n", "  initial turn_q = '0;\n\n  always_comb begin\n")
        found = self.results("--property", "inside_ok", root=root)["inside_ok"]
        self.assertEqual((found["result"], found["alone"]), ("proven", ""))
        self.assertEqual(found["refuted_alone"]["module"], "castor_trial_arbiter")

    def test_counterexample_of_the_module_is_what_is_known_if_the_block_takes_too_long(self):
        # That multiplication distributes is hard for every engine; of the module alone the turn is found at once.
        words = "{2'b0, req_i[10:0]}", "{2'b0, req_i[21:11]}", "{13'b0, req_i[32:22]}"
        a, b, c = (f"26'({word})" for word in words)
        root = self.block_with_arbiter_property(f"32'(turn_i) < Clients && ({a} + {b}) * {c} == {a} * {c} + {b} * {c}")
        self.edit(root / RTL, "  always_comb begin\n", "  initial turn_q = '0;\n\n  always_comb begin\n")
        (root / "rtl/trial/parameter_sets.json").write_text('{"hard": {"Clients": 33, "Width": 1}}')
        found = self.results(
            "--params", "hard", "--property", "inside_ok", "--engine", "pdr", "--seconds", 2, root=root, expect=1
        )["inside_ok"]
        self.assertEqual((found["result"], found["engine"]), ("refuted alone", "pdr"))
        self.assertTrue(Path(found["trace"]).exists())


class Points(ProveCase):
    """Sets that are proven only, in proof_points.json."""

    def test_macro_of_a_set_reaches_the_sources(self):
        root = self.copy()
        (root / "rtl/trial/proof_points.json").write_text('{"scaled": {"Clients": 3, "Width": 1, "CASTOR_TURN": 1}}')
        self.edit(
            root / PROPERTIES,
            "    if (seen_q && rst_ni) begin\n",
            "`ifdef CASTOR_TURN\n    scaled: cover (32'(turn_q) == `CASTOR_TURN);\n`endif\n"
            "    if (seen_q && rst_ni) begin\n",
        )
        self.refused("prove", "trial", "--property", "scaled", root=root, says="no property is called so")
        found = self.results("--params", "scaled", "--property", "scaled", root=root)
        self.assertEqual(found["scaled"]["result"], "reached")
        self.refused("area", "trial", "--params", "scaled", root=root, says="unknown parameter set")


class Recorded(ProveCase):
    RECORD = "tb/trial/proofs.json"

    recorded = None

    def record(self):
        """A copy of the trial block's tree with its record, which is made once for all cases."""
        root = self.copy()
        if Recorded.recorded is None:
            self.run_castor("prove", "trial", "--record", root=root)
            Recorded.recorded = (root / self.RECORD).read_text()
        else:
            (root / self.RECORD).write_text(Recorded.recorded)
        return root

    def test_verdicts_are_written_and_hold(self):
        root = self.record()
        data = json.loads((root / self.RECORD).read_text())["sets"]["proof"]
        self.assertEqual(data["parameters"], json.loads((root / "rtl/trial/parameter_sets.json").read_text())["proof"])
        self.assertEqual(data["properties"]["u_properties.turn_in_range"]["result"], "proven")
        out, _ = self.run_castor("prove", "trial", "--check", root=root)
        self.assertNotIn("lost", out)

    def test_a_lost_proof_fails(self):
        root = self.record()
        # Only to a bound now; --accept-bounded is no excuse for a loss, nor is --check.
        for more in ("--accept-bounded",), ("--check",):
            out, _ = self.run_castor(
                "prove",
                "trial",
                "--engine",
                "bmc",
                "--seconds",
                2,
                "--property",
                "turn_in_range",
                *more,
                root=root,
                expect=1,
            )
            self.assertIn("lost: u_properties.turn_in_range is bounded, it was proven", out)

    def test_a_property_that_has_gone_fails(self):
        root = self.record()
        self.edit(root / PROPERTIES, "turn_in_range:", "turn_in_its_range:")
        out, _ = self.run_castor("prove", "trial", root=root, expect=1)
        self.assertIn("lost: u_properties.turn_in_range is not there, it was proven", out)

    def test_check_forgives_what_was_no_better_before(self):
        root = self.record()
        path = root / self.RECORD
        data = json.loads(path.read_text())
        data["sets"]["proof"]["properties"]["u_properties.turn_in_range"]["result"] = "bounded"
        path.write_text(json.dumps(data))
        words = ("prove", "trial", "--engine", "bmc", "--seconds", 2, "--property", "turn_in_range")
        self.run_castor(*words, "--check", root=root)
        self.run_castor(*words, root=root, expect=1)

    def test_quick_check_sees_a_fault_and_a_property_that_has_gone(self):
        root = self.record()
        words = ("prove", "trial", "--check", "--quick", 1000)
        self.run_castor(*words, root=root)
        self.edit(root / PROPERTIES, "turn_in_range:", "turn_in_its_range:")
        out, _ = self.run_castor(*words, root=root, expect=1)
        self.assertIn("lost: u_properties.turn_in_range is not there, it was proven", out)
        self.edit(root / PROPERTIES, "turn_in_its_range:", "turn_in_range:")
        self.edit(root / RTL, "(pick == IdxW'(Clients - 1)) ? '0 : pick + 1'b1", "pick + 1'b1")
        out, _ = self.run_castor(*words, root=root, expect=1)
        self.assertIn("lost: u_properties.turn_in_range is failed, it was proven", out)

    def test_what_was_proven_given_others_is_not_quick(self):
        root = self.record()
        path = root / self.RECORD
        data = json.loads(path.read_text())
        data["sets"]["proof"]["properties"]["u_properties.turn_in_range"]["given"] = 2
        path.write_text(json.dumps(data))
        found = self.results("--quick", 1000, root=root)
        self.assertNotIn("turn_in_range", found)
        self.assertIn("written_asked", found)

    def test_quick_are_those_recorded_as_decided_soon(self):
        root = self.record()
        path = root / self.RECORD
        data = json.loads(path.read_text())
        for name, entry in data["sets"]["proof"]["properties"].items():
            entry["seconds"] = 1 if name.endswith("turn_in_range") else 9
        path.write_text(json.dumps(data))
        self.assertEqual(list(self.results("--quick", 5, root=root)), ["turn_in_range"])
        self.refused("prove", "trial", "--quick", 0.5, root=root, says="within 0.5 s")

    def test_without_a_record_there_is_nothing_to_check(self):
        self.refused("prove", "trial", "--check", says="--record")
        self.refused("prove", "trial", "--quick", 1, says="--record")
        self.refused("prove", "trial", "--record", "--property", "turn_in_range", says="all properties")
        root = self.record()
        (root / self.RECORD).write_text("[]")
        self.refused("prove", "trial", "--check", root=root, says="not as castor prove --record writes it")


class BadInput(ProveCase):
    def test_block_without_properties_is_refused(self):
        root = self.copy()
        (root / PROPERTIES).unlink()
        self.refused("prove", "trial", root=root, says="no properties")

    def test_bind_to_nothing_is_refused(self):
        root = self.copy()
        self.edit(root / PROPERTIES, "bind castor_trial ", "bind castor_trail ")
        self.refused("prove", "trial", root=root, says="binds to 'castor_trail'")

    def test_file_without_assertions_is_refused(self):
        root = self.copy()
        (root / PROPERTIES).write_text("// nothing\n")
        self.refused("prove", "trial", root=root, says="no assertion")

    def test_broken_properties_are_one_line_with_file_and_line(self):
        root = self.copy()
        self.edit(root / PROPERTIES, "assert (32'(turn_q) < Clients);", "assert (32'(turn_q) < );")
        self.refused("prove", "trial", root=root, says="castor_trial_properties.sv:")

    def test_unknown_names_are_refused(self):
        self.refused("prove", "trial", "--params", "prof", says="did you mean proof?")
        self.refused("prove", "trial", "--property", "nothing_like_it", says="turn_in_range")
        self.refused("prove", "trial", "--engine", "magic", says="invalid choice")


if __name__ == "__main__":
    FlowCase.castor = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
