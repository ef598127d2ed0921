#!/usr/bin/env python3
"""Lockstep of a block on a machine: a difference between model and RTL ends the program, and leaves waves and a way to look.

    lockstep_window_test.py <program over RTL with faults: tests/platform/lockstep/faulty_blocks.cpp>
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from vcd import variables  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
# block: machine, instance in file names, the output that is stuck
BLOCKS = {"lax": ("gcn_apu", "lax", "adm_accept"), "saws": ("maxwell_liu13", "saws-sm0", "mode_saws")}
AFTER = 8  # idle cycles behind the difference


def run(block, engine, folder, **more):
    environment = dict({key: value for key, value in os.environ.items() if not key.startswith("CASTOR_")},
                       CASTOR_PLATFORM=BLOCKS[block][0],
                       CASTOR_SET=f"blocks.{block}.enable=1;blocks.{block}.engine={engine}", **more)
    return subprocess.run([PROGRAM], capture_output=True, text=True, timeout=120, check=False, cwd=folder, env=environment)


def changes(text):
    """Values over time per signal: {"model.castor_x_probe.y": {time: value}}."""
    names, series, now = {}, {}, 0
    for scopes, key, name, _ in variables(text):
        names.setdefault(key, []).append(".".join(scopes + [name]))
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#"):
            now = int(line[1:])
        elif line and line[0] in "01b":
            value, key = (words[0][1:], words[1]) if line[0] == "b" else (line[0], line[1:])
            for name in names[key]:
                series.setdefault(name, {})[now] = int(value, 2)
    return series


def value_at(values, time):
    return values[max(at for at in values if at <= time)]


class Window(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_a_difference_leaves_both_sides_around_it_and_says_how_to_look(self):
        for block, (machine, instance, output) in BLOCKS.items():
            with self.subTest(block=block):
                done = run(block, "lockstep", self.folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                said = re.search(rf"castor: {block}: model and RTL differ in cycle (\d+): {output} is (\S+) in the model "
                                 r"and (\S+) in the RTL", done.stderr)
                self.assertTrue(said, done.stderr)
                cycle = int(said[1])
                first = max(cycle - 199, 0)
                file = f"{instance}-mismatch.vcd"
                self.assertIn(f"\n  waves:  {file}, cycles {first} to {cycle}\n", done.stderr)
                self.assertIn(f"\n  look:   gtkwave {file}", done.stderr)
                self.assertRegex(done.stderr, rf"\n  device: core cycle \d+ of {machine}\n")
                waves = changes((self.folder / file).read_text())
                times = {time for values in waves.values() for time in values}
                self.assertEqual((min(times), max(times)), (first * 1000, (cycle + AFTER) * 1000 + 500))
                top = f"castor_{block}_probe"
                for side in ("model", "rtl.top"):
                    ports = {name.rpartition(".")[2] for name in waves if name.startswith(f"{side}.{top}.")}
                    self.assertGreater(len([name for name in ports if name.endswith("_i")]), 5, side)
                    self.assertGreater(len([name for name in ports if name.startswith("probe_")]), 5, side)
                    self.assertIn(f"{output}_o", ports)
                model, rtl = waves[f"model.{top}.{output}_o"], waves[f"rtl.top.{top}.{output}_o"]
                for at in range(first, cycle):
                    self.assertEqual(value_at(model, at * 1000 + 999), value_at(rtl, at * 1000 + 999), at)
                self.assertEqual((value_at(model, cycle * 1000 + 999), value_at(rtl, cycle * 1000 + 999)), (1, 0))
                # Only these files, and the command runs into it again.
                self.assertEqual([path.name for path in self.folder.iterdir()], [file])
                (self.folder / file).unlink()
                command = re.search(r"\n  replay: (.*)\n", done.stderr)[1]
                self.assertIn(f"blocks.{block}.engine=lockstep", command)
                self.assertEqual(shlex.split(command)[-1], PROGRAM)
                again = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, check=False,
                                       cwd=self.folder)
                self.assertEqual((again.returncode, again.stderr), (1, done.stderr))
                (self.folder / file).unlink()

    def test_waves_of_the_gpu_are_closed(self):
        for block in BLOCKS:
            with self.subTest(block=block):
                waves = self.folder / f"{block}.vcd"
                done = run(block, "lockstep", self.folder, CASTOR_WAVE=str(waves), CASTOR_WAVE_SCOPE="gpu.front_end;gpu.sm0")
                self.assertEqual(done.returncode, 1, done.stderr)
                cycle = int(re.search(r"core cycle (\d+)", done.stderr)[1])
                self.assertTrue(waves.read_text().endswith("\n"))
                megahertz = {"lax": 1500, "saws": 1050}[block]
                last = max(time for values in changes(waves.read_text()).values() for time in values)
                self.assertLessEqual(last, (cycle + 1) * 1_000_000 / megahertz + 1)
                self.assertGreater(last, 0)

    def test_where_no_file_can_be_written_the_difference_is_told_all_the_same(self):
        done = run("saws", "lockstep", "/proc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mode_saws is", done.stderr)
        self.assertRegex(done.stderr, r"no waves: .*cannot write .*saws-sm0-mismatch")

    def test_without_lockstep_nobody_notices(self):
        for block in BLOCKS:
            done = run(block, "model", self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""), block)
        done = run("saws", "rtl", self.folder)  # nothing in the SM reads the output that is stuck
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
