#!/usr/bin/env python3
"""castor prove and castor faults on the modules that blocks share, and on broken copies of one."""

import json
import re
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from flows_support import ROOT, FlowCase  # noqa: E402

RTL = ROOT / "rtl" / "common"
BENCH = ROOT / "tb" / "rtl_common"
FULL = "(count_q == CountWidth'(Depth))"


class CommonCase(FlowCase):
    def fifo(self):
        """A root with a copy of the queue, its table and its bench."""
        root = self.folder / "tree"
        shutil.copytree(BENCH / "fifo", root / "fifo")
        (root / "common").mkdir()
        for name in ("castor_fifo.sv", "castor_table_1r1w.sv"):
            shutil.copy(RTL / name, root / "common" / name)
        return root

    def broken_fifo(self):
        root = self.fifo()
        self.edit(root / "common/castor_fifo.sv", FULL, "(count_q >= CountWidth'(Depth - 1))")
        return root


class Complete(CommonCase):
    def test_every_module_has_a_bench_and_every_bench_a_module(self):
        modules = {path.stem.removeprefix("castor_") for path in RTL.glob("*.sv")}
        self.assertEqual({path.name for path in BENCH.iterdir()}, modules)
        for name in modules:
            for file in (f"castor_{name}_properties.sv", "parameter_sets.json", "proofs.json", "faults.json"):
                self.assertTrue((BENCH / name / file).exists(), f"{name}: {file}")

    def test_every_property_at_every_set_is_recorded_as_proven(self):
        for path in BENCH.glob("*/proofs.json"):
            recorded = json.loads(path.read_text())["sets"]
            self.assertEqual(list(recorded), list(json.loads((path.parent / "parameter_sets.json").read_text())))
            for params, one in recorded.items():
                for name, entry in one["properties"].items():
                    self.assertIn(entry["result"], ("proven", "reached"), f"{path}: {params}: {name}")

    def test_every_macro_for_assertions_is_used(self):
        macros = set(re.findall(r"`define (CASTOR_\w+)\(", (RTL / "castor_assert.svh").read_text()))
        self.assertIn("CASTOR_ASSERT_STABLE", macros)
        text = "".join(path.read_text() for path in (ROOT / "tb").glob("**/*_properties.sv"))
        self.assertEqual({name for name in macros if not re.search(rf"`{name}\(", text)}, set())


class Names(CommonCase):
    def test_a_module_is_proven_at_all_its_sets_with_or_without_prefix(self):
        sets = list(json.loads((BENCH / "table_1r1w/parameter_sets.json").read_text()))
        for name in ("table_1r1w", "castor_table_1r1w"):
            runs = self.json("prove", name, "--property", "written_last", root=None)["runs"]
            self.assertEqual([(one["block"], one["set"]) for one in runs], [("table_1r1w", params) for params in sets])
            self.assertEqual({entry["result"] for one in runs for entry in one["properties"]}, {"proven"})

    def test_properties_that_some_modules_have_are_looked_at_there(self):
        runs = self.json("prove", "common", "--property", "gaps_in_a_row", root=None)["runs"]
        self.assertEqual({one["block"] for one in runs}, {"table_row"})
        self.refused("prove", "common", "--property", "nothing_like_it", root=None, says="no property is called so")

    def test_one_set_gives_one_result(self):
        words = ("prove", "fifo", "--params", "depth2", "--property", "count_is")
        self.assertEqual(self.json(*words, root=None)["set"], "depth2")

    def test_unknown_names_are_refused(self):
        self.refused("prove", "fifoo", root=None, says="did you mean fifo?")
        self.refused("prove", "fifo", "--params", "depth9", root=None, says="there are: depth2")
        self.refused("faults", "common", "--fault", "nothing_like_it", root=None, says="unknown fault of common")


class Broken(CommonCase):
    def test_proof_fails(self):
        out, _ = self.run_castor("prove", "fifo", "--params", "depth3", "--check", root=self.broken_fifo(), expect=1)
        self.assertIn("lost: u_properties.full_if_every_place_is_held is failed, it was proven", out)

    def test_values_that_a_module_does_not_take_are_refused(self):
        root = self.fifo()
        (root / "fifo/parameter_sets.json").write_text('{"one": {"Width": 1, "Depth": 1}}')
        self.refused("prove", "fifo", "--params", "one", root=root, says="Depth must be 2..65536")


class Faults(CommonCase):
    def with_fault(self, root, to):
        fault = {"name": "full", "what": "none", "file": "castor_fifo.sv", "at": "full_o  = («count_q == "}
        fault["at"] += "CountWidth'(Depth)»)"
        (root / "fifo/faults.json").write_text(json.dumps([{**fault, "to": to, "sets": ["depth3"]}]))
        return root

    def test_what_a_property_finds_is_told_with_it(self):
        root = self.with_fault(self.fifo(), "count_q > CountWidth'(Depth)")
        out, _ = self.run_castor("faults", "fifo", "--record", root=root)
        found = re.search(r"fifo, full at depth3: found by (\S+) in cycle (\d+)", out)
        self.assertIsNotNone(found, out)
        recorded = json.loads((root / "fifo/faults.json").read_text())[0]
        self.assertEqual(recorded["found"], {"depth3": int(found[2])})

    def test_what_no_property_finds_fails(self):
        root = self.with_fault(self.fifo(), "count_q >= CountWidth'(Depth)")
        out, _ = self.run_castor("faults", "fifo", root=root, expect=1)
        self.assertIn("full at depth3: NOT FOUND", out)

    def test_a_module_that_fails_without_a_fault_is_refused(self):
        root = self.with_fault(self.fifo(), "count_q > CountWidth'(Depth)")
        self.edit(root / "common/castor_fifo.sv", "assign empty_o = (count_q == '0)", "assign empty_o = (count_q <= 1)")
        self.refused("faults", "fifo", root=root, says="fails without a fault")


if __name__ == "__main__":
    FlowCase.castor = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
