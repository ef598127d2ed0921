"""Tests that run commands, each in a folder of its own and without Castor settings from the environment."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from processes import HANG_SECONDS


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def settings(self):
        """Returns the environment variables of every command."""
        return {}

    def environment(self, more):
        merged = {key: value for key, value in os.environ.items() if not key.startswith("CASTOR_")}
        merged.update(self.settings())
        merged.update({key: str(value) for key, value in (more or {}).items()})
        return merged

    def run_command(self, command, environment=None):
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=self.environment(environment),
            cwd=self.path,
            timeout=HANG_SECONDS,
            check=False,
        )
        self.assertNotRegex(done.stderr, "Sanitizer|runtime error:")
        return done
