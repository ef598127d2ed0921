#!/usr/bin/env python3
"""The driver API under the name libcuda.so.1: for programs that open it, and for linkers that are told -lcuda.

  libcuda_test.py LIBRARY_DIR CASTOR_CC CC INCLUDE SOURCE [unittest arguments...]

LIBRARY_DIR is where libcastor_cudart.so lies, CC a C compiler that knows nothing of Castor, SOURCE api/libcuda.c.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIBRARY_DIR = CASTOR_CC = CC = INCLUDE = SOURCE = None


class DriverLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "program"

    def run_here(self, *words, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        done = subprocess.run(
            list(map(str, words)),
            env={**clean, **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout

    def build(self, *words):
        code, output = self.run_here(*words, SOURCE, "-o", self.program)
        self.assertEqual((code, output), (0, ""))

    def good(self, **environment):
        self.assertEqual(self.run_here(self.program, **environment), (0, "all checks passed\n"))

    def test_the_names_are_links_to_the_one_library(self):
        library = (LIBRARY_DIR / "libcastor_cudart.so").resolve()
        for name in ("libcuda.so.1", "libcuda.so"):
            path = LIBRARY_DIR / "castor" / name
            self.assertFalse(os.path.isabs(os.readlink(path)))
            self.assertEqual(path.resolve(), library)
            self.assertFalse((LIBRARY_DIR / name).exists(), "it would hide a real driver")

    def test_a_program_of_another_compiler_opens_it_where_the_search_path_says(self):
        self.build(CC, "-I", INCLUDE)
        self.good(LD_LIBRARY_PATH=str(LIBRARY_DIR / "castor"))

    def test_a_program_of_another_compiler_links_it(self):
        libraries = LIBRARY_DIR / "castor"
        code, output = self.run_here(
            CC, "-DLINKED", "-I", INCLUDE, SOURCE, "-o", self.program, f"-L{libraries}", "-lcuda",
            f"-Wl,-rpath,{LIBRARY_DIR}",
        )  # fmt: skip
        self.assertEqual((code, output), (0, ""))
        self.good()

    def test_a_program_of_castor_cc_opens_it_without_being_told_where_it_is(self):
        self.build(CASTOR_CC)
        self.good()

    def test_a_program_of_castor_cc_links_it(self):
        self.build(CASTOR_CC, "-DLINKED", "-lcuda")
        self.good()


if __name__ == "__main__":
    LIBRARY_DIR, CASTOR_CC, CC, INCLUDE, SOURCE = map(pathlib.Path, sys.argv[1:6])
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
