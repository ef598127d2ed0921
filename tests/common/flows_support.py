"""Shared code of the script tests of the flows: runs the `castor` command on the trial block, or on a broken copy of
it."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "flows"


class FlowCase(unittest.TestCase):
    """Base of cases. Each case has an empty folder `self.folder`; `castor` is the program under test."""

    castor = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="castor-flow-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def copy(self):
        """Returns a copy of the trial block's tree that a case may change."""
        root = self.folder / "tree"
        shutil.copytree(DATA, root)
        return root

    def edit(self, path, old, new):
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def run_castor(self, *words, root=DATA, path=None, expect=0):
        """Runs `castor words...` on blocks of the tree `root` (None: those with manifests). Checks the exit code (None:
        accepts 0 and 1). Returns (standard output, standard error)."""
        environment = dict(os.environ)
        if path is not None:
            environment["PATH"] = path
        command = [self.castor, *map(str, words), "--work", str(self.folder / "work")]
        if root is not None:
            command += ["--root", str(root)]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=environment,
            check=False,
        )
        self.assertIn(
            done.returncode, (0, 1) if expect is None else (expect,), f"{command}\n{done.stdout}\n{done.stderr}"
        )
        return done.stdout, done.stderr

    def refused(self, *words, says, **more):
        """Checks that the command ends with exit code 2 and one line that contains `says`."""
        out, err = self.run_castor(*words, expect=2, **more)
        self.assertEqual(len(err.strip().splitlines()), 1, err)
        self.assertIn(says, err)
        self.assertEqual(out, "")
        return err

    def json(self, *words, expect=0, **more):
        """Returns the JSON that the command writes."""
        file = self.folder / "result.json"
        self.run_castor(*words, "--json", file, expect=expect, **more)
        return json.loads(file.read_text())
