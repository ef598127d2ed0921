#!/usr/bin/env python3
"""A look at a name or a value builds nothing: what castor says where neither experiments nor models nor benches are
built. What would build them writes a file instead.

  requests_test.py CASTOR BUILD [unittest arguments...]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CASTOR, BUILD = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
del sys.argv[1:3]


class Case(unittest.TestCase):
    """A prefix that acts as a build tree: castor, its data, and blocks that have a manifest only."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.prefix, self.built = self.folder / "build", self.folder / "built"
        (self.prefix / "bin").mkdir(parents=True)
        shutil.copy(CASTOR, self.prefix / "bin" / "castor")
        (self.prefix / "share").symlink_to(BUILD / "share")
        (self.prefix / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={self.prefix}\n")
        facts = json.loads((BUILD / "share/castor/installation.json").read_text())
        self.blocks = self.prefix / facts["libdir"] / "castor" / "blocks"
        for name in ("lax", "saws"):
            manifest = json.loads((BUILD / facts["libdir"] / "castor/blocks" / name / "block.json").read_text())
            folder = self.blocks / name
            self.write(folder, {**manifest, "folder": str(folder), "build": ["touch", str(self.built)], "sources": []})
        self.path = self.folder / "path"
        self.path.mkdir()
        (self.path / "cmake").write_text(f"#!/bin/sh\ntouch '{self.built}'\nexit 1\n")
        (self.path / "cmake").chmod(0o755)

    def write(self, folder, manifest):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "block.json").write_text(json.dumps(manifest))

    def castor(self, *words, code=2):
        """Runs it; returns what it printed and its complaint, which is one line."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CASTOR_")}
        environment |= {"PATH": f"{self.path}:{os.environ['PATH']}", "CASTOR_CACHE": str(self.folder / "cache")}
        done = subprocess.run(
            [self.prefix / "bin" / "castor", *words], env=environment, cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def refused(self, *words):
        """A wrong request gives one line, and nothing is built."""
        _, said = self.castor(*words)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertFalse(self.built.exists(), words)
        return said


class Experiments(Case):
    NAMES = ("cdp", "darsie", "dtbl", "fidelity", "laperm", "lax", "saws")

    def test_are_listed_and_named_before_they_are_built(self):
        listed, _ = self.castor("experiment", "--help", code=0)
        for name in self.NAMES:
            self.assertRegex(listed, rf"(?m)^  {name} ")
            self.assertIn(f"castor experiment {name}", self.castor("experiment", name, "--help", code=0)[0])
        self.assertEqual(self.castor("complete", "--", "experiment", "", code=0)[0].split(), list(self.NAMES))
        self.assertIn("did you mean saws?", self.refused("experiment", "swas"))
        self.refused("experiment")
        self.assertFalse(self.built.exists())

    def test_are_built_when_one_is_run(self):
        self.castor("experiment", "saws", "--program", "lps")
        self.assertTrue(self.built.exists())

    def test_are_not_built_in_the_place_that_a_build_was_moved_from(self):
        (self.prefix / "CMakeCache.txt").write_text("CMAKE_CACHEFILE_DIR:INTERNAL=/elsewhere/build\n")
        self.assertIn("/elsewhere/build", self.refused("experiment", "saws"))


class Machines(Case):
    def test_keys_that_are_known_are_looked_at_before_a_model_is_built(self):
        for setting, wrong in (
            ("blocks.lax.engine=rlt", "rlt"),
            ("blocks.lax.enable=maybe", "maybe"),
            ("blocks.lax.wave_depth=-1", "-1"),
            ("chip.smss=1", "chip.smss"),
            ("chip.sms=none", "none"),
            ("blocks.laxx.enable=1", "laxx"),
        ):
            for words in (["--set", "blocks.lax.enable=1", "--set", setting], ["--set", setting]):
                self.assertIn(wrong, self.refused("elaborate", "tiny", *words))
        machine = self.folder / "own.yaml"
        machine.write_text("extends: tiny\nblocks:\n  lax:\n    enable: 1\n    engine: rlt\n")
        self.assertIn("own.yaml", self.refused("elaborate", str(machine)))
        self.castor("elaborate", "tiny", "--set", "blocks.lax.enable=1")
        self.assertTrue(self.built.exists())


class Blocks(Case):
    def test_what_the_manifest_tells_is_looked_at_before_a_bench_is_built(self):
        self.assertIn("did you mean lax?", self.refused("cosim", "laxx"))
        self.assertIn("sets are", self.refused("cosim", "lax", "--params", "bogus"))
        self.refused("cosim", "lax", "--params", "NumQueues=many")
        self.assertIn("lockstep", self.refused("cosim", "lax", "--engine", "rlt"))
        for option in ("--json", "--wave", "--coverage"):
            self.assertIn("/nowhere/file", self.refused("cosim", "lax", option, "/nowhere/file"))
        for flow in ("area", "prove", "netlist", "coverage", "mutate", "faults", "lint"):
            self.assertIn("laxx", self.refused(flow, "laxx"))
            self.assertIn("bogus", self.refused(flow, "lax", "--params", "bogus"))
        self.castor("cosim", "lax", "--params", "minimum")
        self.assertTrue(self.built.exists())

    def test_one_that_is_broken_is_said_and_the_others_are_listed(self):
        for text, why in (
            ("{", "no JSON"),
            ("[]", "no manifest"),
            ('{"name": 1}', "no manifest"),
            ("{}", "no manifest"),
        ):
            (self.blocks / "broken").mkdir(exist_ok=True)
            (self.blocks / "broken" / "block.json").write_text(text)
            listed, said = self.castor("list", "blocks")
            self.assertRegex(listed, r"(?m)^lax  .*\n(.*\n)*^saws  ")
            self.assertEqual(len(said.splitlines()), 1, said)
            self.assertIn("broken/block.json", said)
            self.assertIn(why, said)
            rows, _ = self.castor("list", "blocks", "--json")
            self.assertEqual([row["name"] for row in json.loads(rows)], ["lax", "saws"])
            self.assertIn("broken/block.json", self.refused("list", "blocks", "broken"))

    def test_are_not_built_in_the_place_that_a_build_was_moved_from(self):
        manifest = json.loads((self.blocks / "lax" / "block.json").read_text())
        self.write(self.blocks / "lax", {**manifest, "folder": "/elsewhere/build/lib/castor/blocks/lax"})
        for words in (("cosim", "lax"), ("elaborate", "tiny", "--set", "blocks.lax.enable=1")):
            self.assertIn("/elsewhere/build", self.refused(*words))

    def test_a_relative_prefix_is_that_of_the_working_folder(self):
        own = {"CASTOR_PREFIX": "build/", "PATH": os.environ["PATH"]}
        listed = subprocess.run(
            [CASTOR, "list", "blocks", "--json"], env=own, cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(listed.returncode, 0, listed.stderr)
        found = [row["folder"] for row in json.loads(listed.stdout)]
        self.assertEqual(found, [str((self.blocks / name).resolve()) for name in ("lax", "saws")])
        flow = subprocess.run([CASTOR, "lint", "laxx"], env=own, cwd=self.folder, capture_output=True, text=True)
        self.assertIn("did you mean lax?", flow.stderr)


class Sources(Case):
    def test_have_no_kernels_before_they_are_compiled(self):
        (self.folder / "my app.cu").write_text("int main() {}\n")
        for command in ("kernels", "marks"):
            self.assertIn("castor-cc --ptx 'my app.cu' -o 'my app.ptx'", self.refused("list", command, "my app.cu"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
