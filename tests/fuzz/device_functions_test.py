#!/usr/bin/env python3
"""device_functions.py finds values that were made wrong, and code that rounds otherwise; its report can be repeated.

device_functions_test.py CASTOR_CC [unittest arguments...]
"""

import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from device_functions import Runner  # noqa: E402
from function_maker import Maker  # noqa: E402
from function_source import program  # noqa: E402

SCRIPT = Path(__file__).resolve().with_name("device_functions.py")
CASTOR_CC = None


class CrashingRunner(Runner):
    """Its programs do nothing, and crash on the functional machine."""

    def compile(self, sources, level, name):
        path = self.folder / name
        path.touch()
        return path, ""

    def execute(self, path, machine):
        if not path.exists():
            raise FileNotFoundError(path)
        return (0, "") if machine else (139, "")


class Reports(unittest.TestCase):
    def test_functions_that_do_not_run_on_one_machine_are_found_and_run_on_the_next(self):
        sources = [Maker(1, index).make() for index in range(3)]
        with tempfile.TemporaryDirectory() as folder:
            failures = CrashingRunner(None, folder).failures(sources, "O2", ("", "tiny"))
        self.assertEqual([failure.source for failure in failures], sources)
        self.assertEqual({(failure.what, failure.machine) for failure in failures}, {("does not run", "")})

    def check(self, *words, code):
        command = [sys.executable, "-B", SCRIPT, *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_a_value_changed_on_the_device_is_reported_and_the_command_in_the_report_repeats_it(self):
        text = self.check(CASTOR_CC, "--first", 10, "--count", 3, "--plant", 11, code=1)
        self.assertRegex(text, r"(?m)^=== function 11 of seed 1 differs at -O2 on the functional machine$")
        self.assertEqual(text.count("==="), 1, "no other function")
        self.assertIn("static __host__ __device__ void phase0(const In& in", text)
        self.assertRegex(text, r"(?m)^function11 block 0 thread 3$")
        self.assertRegex(text, r"(?m)^  in\.a0 = 0x")
        (host, device), *others = re.findall(r"out\.\S+: host 0x(\w+)\b.*, device 0x(\w+)\b", text)
        self.assertEqual(others, [])
        self.assertEqual(int(host, 16) ^ int(device, 16), 1)
        self.assertIn("  1 of 384 threads differ\n", text)
        self.assertTrue(text.endswith("3 functions of seed 1, 1 failed\n"))
        repeat = shlex.split(re.search(r"^repeat: \S+ (.*)$", text, re.MULTILINE).group(1))
        again = self.check(*repeat, code=1)
        self.assertIn(text[text.index("static __host__") : text.index("threads differ")], again)

    def test_a_function_is_the_same_by_itself_and_in_a_file(self):
        alone = Maker(5, 70).make().text()
        self.assertIn(alone, self.check("--seed", 5, "--function", 70, "--show", code=0))
        self.assertIn(alone, program([Maker(5, index).make() for index in (69, 70)]))

    def test_code_that_rounds_otherwise_is_found(self):
        for option in ("-ftz=true", "-fmad=true"):
            text = self.check(CASTOR_CC, "--count", 50, "--level", "O1", f"--option={option}", code=1)
            self.assertRegex(text, r"(?m)^=== function \d+ of seed 1 differs at -O1 on the functional machine$", option)
            self.assertNotIn("is not compiled", text)

    def test_a_reduced_function_still_differs_and_is_smaller(self):
        words = [CASTOR_CC, "--function", 1, "--plant"]
        whole = self.check(*words, code=1)
        reduced = self.check(*words, "--reduce", code=1)
        self.assertIn("differs at -O2", reduced)
        self.assertLess(len(reduced), len(whole) * 3 // 4)


if __name__ == "__main__":
    CASTOR_CC = Path(sys.argv.pop(1)).resolve()
    unittest.main()
