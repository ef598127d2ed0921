#!/usr/bin/env python3
"""Commands of README and guides, typed as they stand into a folder that has the tree's folders and what a user brings.

  documents_test.py BUILD [unittest arguments...]

Commands that take a minute or more are left out unless CASTOR_LONG is 1 (some 40 minutes). The guide to a block of
one's own is typed by tests/install/guide_test.py, and all of them from a package by tests/install/documents_test.py.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests" / "install"))

from typed import DOCUMENTS, LONG, NOT_HERE, TypedDocuments, commands  # noqa: E402

BUILD = None


class Documents(TypedDocuments, unittest.TestCase):
    documents = TREE

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}

    def lay_out(self, folder):
        for part in ("sw", "platforms", "waveforms", "docs"):
            (folder / part).symlink_to(TREE / part)
        (folder / "build").mkdir()
        (folder / "build" / "release").symlink_to(BUILD)

    def test_readme(self):
        self.check_readme(self.folder, "README.md", self.environment)

    def test_guide_to_running(self):
        self.check_running(self.folder, "docs/guides/running.md", self.environment)

    def test_guide_to_looking(self):
        self.check_looking(self.folder, "docs/guides/looking.md", self.environment)

    def test_guide_to_python(self):
        self.check_python(self.folder, "docs/guides/python.md", self.environment)

    @unittest.skipUnless(os.environ.get("CASTOR_LONG") == "1", "half an hour: CASTOR_LONG=1")
    def test_guide_to_experiments(self):
        _, files = self.type_document(self.folder, "docs/guides/experiments.md", self.environment)
        self.assertLessEqual({"castor-lax", "castor-saws", "castor-darsie", "castor-cdp", "castor-fidelity"}, files)

    def test_what_is_left_out_is_in_the_documents(self):
        typed = [command for name in DOCUMENTS for command in commands(TREE / name)]
        for begin in NOT_HERE + LONG:
            self.assertTrue(any(command.startswith(begin) for command in typed), begin)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
