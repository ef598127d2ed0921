#!/usr/bin/env python3
"""castor lint on the trial block and on copies of it with something to complain about."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from flows_support import ROOT, FlowCase  # noqa: E402

RTL = "rtl/trial/castor_trial.sv"
SETS = ["default", "proof", "small"]


class Lint(FlowCase):
    def warnings(self, *words, **more):
        """{set: [rule and place]}."""
        runs = self.json("lint", *words, **more)["runs"]
        return {
            one["set"]: [(warning["rule"], Path(warning["place"]).name) for warning in one["warnings"]] for one in runs
        }

    def line_of(self, root, text):
        before, _, _ = (root / RTL).read_text().partition(text)
        return 1 + before.count("\n")

    def test_every_set_is_looked_at(self):
        self.assertEqual(self.warnings("trial"), {name: [] for name in SETS})
        self.assertEqual(self.warnings("trial", "--params", "proof"), {"proof": []})

    def test_shared_modules_are_looked_at_alone_at_each_of_their_sets(self):
        found = self.warnings("common", root=None)
        expected = set()
        for path in (ROOT / "rtl/common").glob("*.sv"):
            bench = ROOT / "tb/rtl_common" / path.stem.removeprefix("castor_")
            sets = json.loads((bench / "parameter_sets.json").read_text())
            expected |= {f"{path.stem}-{name}" for name in ("itself", *sets)}
        self.assertEqual(set(found), expected)
        self.assertEqual(set(map(len, found.values())), {0})

    def test_what_is_not_used_is_a_warning_with_its_place(self):
        root = self.copy()
        self.edit(
            root / RTL,
            "  logic                 any;\n",
            "  logic                 any;\n  logic idle;\n  assign idle = !any;\n",
        )
        place = ("UNUSEDSIGNAL", f"castor_trial.sv:{self.line_of(root, 'idle;')}")
        self.assertEqual(self.warnings("trial", root=root, expect=1), {name: [place] for name in SETS})

    def test_a_waiver_beside_the_sources_is_obeyed(self):
        root = self.copy()
        self.edit(
            root / RTL,
            "  logic                 any;\n",
            "  logic                 any;\n  logic idle;\n  assign idle = !any;\n",
        )
        (root / "tb/trial/trial.vlt").write_text(
            '`verilator_config\nlint_off -rule UNUSEDSIGNAL -file "*castor_trial.sv" -match "*\'idle\'*"\n'
        )
        self.assertEqual(self.warnings("trial", root=root), {name: [] for name in SETS})

    def test_a_width_that_is_wrong_at_one_set_only_is_found_there(self):
        root = self.copy()
        self.edit(
            root / RTL,
            "  assign valid_o  = valid_q;\n",
            "  logic [1:0] narrow;\n  assign narrow = turn_q;\n  assign valid_o  = valid_q && narrow != 3;\n",
        )
        found = self.warnings("trial", root=root, expect=1)
        self.assertEqual({bool(found[name]) for name in SETS}, {True, False})
        self.assertTrue(all(rule.startswith("WIDTH") for warnings in found.values() for rule, _ in warnings))

    def test_source_that_is_none_is_an_error_with_its_place(self):
        root = self.copy()
        self.edit(root / RTL, "  assign valid_o  = valid_q;\n", "  assign valid_o = ;\n")
        found = self.warnings("trial", "--params", "proof", root=root, expect=1)
        self.assertIn(("error", f"castor_trial.sv:{self.line_of(root, 'assign valid_o')}"), found["proof"])

    def test_unknown_names_are_refused(self):
        self.refused("lint", "trail", says="did you mean trial?")
        self.refused("lint", "trial", "--params", "prof", says="did you mean proof?")


if __name__ == "__main__":
    FlowCase.castor = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
