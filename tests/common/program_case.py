"""Tests of CUDA programs that stand in the test: each program is compiled once, and runs with blocks of the tests."""

import pathlib
import tempfile

from command_case import CommandCase


class ProgramCase(CommandCase):
    castor_cc = None  #: path of the compiler driver
    blocks = None  #: folders of blocks, separated by colons
    folder_of_programs = None
    compiled = {}

    @classmethod
    def setUpClass(cls):
        cls.folder_of_programs = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder_of_programs.cleanup()

    def settings(self):
        return {"CASTOR_BLOCKS": self.blocks}

    def program(self, text, level):
        """Returns the path of the program, which is compiled once."""
        if (text, level) not in self.compiled:
            path = pathlib.Path(self.folder_of_programs.name) / f"app{len(self.compiled)}"
            path.with_suffix(".cu").write_text(text)
            done = self.run_command([self.castor_cc, level, path.with_suffix(".cu"), "-o", path])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.compiled[text, level] = path
        return self.compiled[text, level]
