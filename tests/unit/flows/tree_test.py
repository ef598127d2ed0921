#!/usr/bin/env python3
"""Blocks, parameter sets and file lists as flows find them; limits of outside tools; progress."""

import io
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import progress, tools, tree  # noqa: E402
from castor_flows.errors import WrongRequest  # noqa: E402


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.rtl = self.root / "rtl" / "x"
        self.rtl.mkdir(parents=True)
        (self.rtl / "castor_x.sv").write_text("module castor_x; endmodule\n")
        (self.rtl / "x.f").write_text("# comment\n\nx/castor_x.sv // top\n")
        (self.rtl / "parameter_sets.json").write_text('{"default": {"N": 4}}')

    def tearDown(self):
        self.folder.cleanup()

    def test_block_knows_sources_and_sets(self):
        block = tree.find(self.root, "x")
        self.assertEqual(block.sources, [(self.rtl / "castor_x.sv").resolve()])
        self.assertEqual(block.parameters("default"), {"N": 4})

    def test_unknown_names_list_what_there_is(self):
        with self.assertRaisesRegex(WrongRequest, "unknown block 'y' .*there are: x"):
            tree.find(self.root, "y")
        with self.assertRaisesRegex(WrongRequest, "did you mean default"):
            tree.find(self.root, "x").parameters("defualt")

    def test_missing_source_is_refused_with_its_line(self):
        (self.rtl / "x.f").write_text("x/castor_x.sv\nx/none.sv\n")
        with self.assertRaisesRegex(WrongRequest, r"x\.f:2: no file"):
            tree.find(self.root, "x")

    def test_shared_modules_are_blocks_with_a_bench_of_their_own(self):
        every = tree.designs(None, "common")
        self.assertEqual([one.name for one in every], tree.shared_modules())
        fifo = next(one for one in every if one.name == "fifo")
        self.assertEqual((fifo.top, fifo.proof_sets), ("castor_fifo", list(fifo.sets)))
        self.assertIn(ROOT / "rtl" / "common" / "castor_fifo.sv", fifo.sources)
        # In a user's own tree the message names its blocks only.
        with self.assertRaisesRegex(WrongRequest, "unknown block 'common' .*there are: x"):
            tree.designs(self.root, "common")

    def test_wrong_sets_are_refused(self):
        for text in ("", "[1]", "{}", '{"a": 4}', '{"a": {"N": "4"}}', '{"a": {"N": true}}', '{"a": {"N; rm": 1}}'):
            (self.rtl / "parameter_sets.json").write_text(text)
            with self.assertRaises(WrongRequest, msg=text):
                tree.find(self.root, "x")

    def test_folder_without_rtl_is_refused(self):
        with self.assertRaisesRegex(WrongRequest, "--root"):
            tree.find(self.root / "none", "x")


class Limits(unittest.TestCase):
    """A tool is limited by its own CPU time. Time of other processes and waiting time do not count."""

    ENDLESS = f"{shlex.quote(sys.executable)} -c 'while True: pass'"

    def run_shell(self, script):
        with tempfile.TemporaryDirectory() as folder:
            return tools.run(["sh", "-c", script], Path(folder) / "log", 1)

    def test_a_tool_that_computes_for_longer_is_ended(self):
        result = self.run_shell(f"echo before; exec {self.ENDLESS}")
        self.assertTrue(result.timed_out)
        self.assertEqual(result.output, "before\n")

    def test_a_tool_that_waits_for_longer_is_not(self):
        # run_shell waits for a process that ends when it has used its limit of one CPU second.
        result = self.run_shell(f"{self.ENDLESS}; echo behind")
        self.assertGreaterEqual(result.seconds, 1)
        self.assertEqual(result.code, 0)
        self.assertIn("behind\n", result.output)


class Pipe(unittest.TestCase):
    def test_progress_is_silent_in_a_pipe(self):
        stream = io.StringIO()
        with progress.Progress(stream) as shown:
            shown.say("working")
        self.assertEqual(stream.getvalue(), "")


if __name__ == "__main__":
    unittest.main()
