#!/usr/bin/env python3
"""The default of a SystemVerilog parameter that is not the one of the block's list is found, by castor lint and by
castor cosim; the same block as it is passes both.

  defaults_test.py CASTOR TURNSTILE_FOLDER [unittest arguments...]
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from faulty_rtl import patched  # noqa: E402

CASTOR, TURNSTILE = sys.argv[1:3]
del sys.argv[1:3]

RIGHT, WRONG = "Depth    = 5", "Depth    = 6"
FOUND = "parameter Depth is 6 by default in the RTL and 5 by default in the block's list of parameters"


class Defaults(unittest.TestCase):
    def castor(self, *words, new, code):
        """Runs castor on the block with `new` in the place of RIGHT; returns all that it said."""
        with tempfile.TemporaryDirectory() as folder:
            patched(TURNSTILE, folder, "castor_turnstile.sv", RIGHT, new)
            done = subprocess.run(
                [CASTOR, *words],
                cwd=folder,
                env={**os.environ, "CASTOR_BLOCKS": folder},
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def test_a_wrong_one_is_found_by_lint(self):
        self.assertIn(FOUND, self.castor("lint", "turnstile", new=WRONG, code=1))
        self.assertNotIn("list of parameters", self.castor("lint", "turnstile", new=RIGHT, code=0))

    def test_a_wrong_one_is_found_by_cosim(self):
        cosim = ("cosim", "turnstile", "--params", "minimum", "--cycles", "100")
        self.assertIn(FOUND, self.castor(*cosim, new=WRONG, code=2))
        self.castor(*cosim, new=RIGHT, code=0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
