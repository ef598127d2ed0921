#!/usr/bin/env python3
"""The saved GTKWave view of a block shows signals that are there, model and RTL side by side, with names of states.

    view_check.py <castor> <view: waveforms/BLOCK.gtkw>
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import gtkw  # noqa: E402
from vcd import variables  # noqa: E402

CASTOR, VIEW = sys.argv[1], pathlib.Path(sys.argv[2])
LEAST = 40  # least number of signals that makes a view useful


class View(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.wave = pathlib.Path(scratch.name) / f"{VIEW.stem}.vcd"
        subprocess.run([CASTOR, "cosim", VIEW.stem, "--cycles", "20", "--wave", cls.wave], check=True)
        cls.shown = [line for line in VIEW.read_text().splitlines() if re.match(r"(model|rtl)\.", line)]

    def test_is_a_view_that_needs_no_other_file(self):
        self.assertEqual(gtkw.shown(VIEW.read_text()), self.shown)

    def test_is_left_beside_waves_that_have_all_of_it(self):
        self.assertEqual(self.wave.with_suffix(".gtkw").read_text(), VIEW.read_text())
        odd = self.wave.with_name("odd.vcd")
        subprocess.run([CASTOR, "cosim", VIEW.stem, "--params", "odd", "--cycles", "20", "--wave", odd], check=True)
        names = {".".join(scopes + [name + bits]) for scopes, _, name, bits in variables(odd.read_text())}
        made = gtkw.shown(odd.with_suffix(".gtkw").read_text())
        self.assertGreater(len(made), LEAST)
        self.assertLess(set(made), names)

    def test_signals_are_there(self):
        names = {".".join(scopes + [name + bits]) for scopes, _, name, bits in variables(self.wave.read_text())}
        self.assertGreater(len(self.shown), LEAST)
        self.assertEqual([line for line in self.shown if line not in names], [])

    def test_what_the_model_shows_of_its_outputs_and_registers_the_rtl_shows_next_to_it(self):
        for line in self.shown:
            if line.startswith("model.") and "_o" in line:
                self.assertEqual(self.shown[self.shown.index(line) + 1], line.replace("model.", "rtl.top.", 1))

    def test_states_are_shown_by_name(self):
        paths = {".".join(scopes + [name]): bits for scopes, _, name, bits in variables(self.wave.read_text())}
        named = {path for path in paths if path + "_name" in paths}
        self.assertTrue(named)
        for path in named:
            self.assertIn(path + "_name", self.shown)
            self.assertNotIn(path + paths[path], self.shown)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
