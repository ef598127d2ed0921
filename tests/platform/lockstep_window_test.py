#!/usr/bin/env python3
"""Lockstep of a block on a machine: a difference between model and RTL ends the program, and leaves waves and a way to
look. What is inside the RTL is in these waves, and in those of the machine, if key wave_depth says so.

    lockstep_window_test.py <program: tests/platform/lockstep/meet.cpp> <block>

The block is run over RTL with the fault of tb/<block>/lockstep_fault.json, an output that is stuck at 0: on `machine`,
where the block's `instance` stands in names of files; `from` in `file` of its RTL becomes `to`; `harmless`: on the
machine nothing reads the output. The blocks' folders are those of CASTOR_PREFIX, which the test shadows.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from faulty_rtl import patched  # noqa: E402
from processes import HANG_SECONDS  # noqa: E402
from vcd import variables  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
BLOCK = sys.argv[2]
FAULT = json.loads((pathlib.Path(__file__).resolve().parents[2] / "tb" / BLOCK / "lockstep_fault.json").read_text())
AFTER = 8  # idle cycles behind the difference


def shadow(folder):
    """A prefix like CASTOR_PREFIX whose block has the fault. Returns the environment for it."""
    real = pathlib.Path(os.environ["CASTOR_PREFIX"])
    libdir = json.loads((real / "share/castor/installation.json").read_text())["libdir"]
    blocks = folder / libdir / "castor/blocks"
    blocks.mkdir(parents=True)
    (folder / "share").symlink_to(real / "share")
    for library in (real / libdir).glob("*.a"):
        (folder / libdir / library.name).symlink_to(library)
    scratch = folder / "patched"
    patched(real / libdir / "castor/blocks" / BLOCK, scratch, FAULT["file"], FAULT["from"], FAULT["to"])
    (scratch / BLOCK).rename(blocks / BLOCK)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CASTOR_") or key == "CASTOR_CACHE"}
    return dict(kept, CASTOR_PREFIX=str(folder))


def quiet(done):
    """Removes the messages of a builder of RTL."""
    done.stderr = re.sub(r"castor: (building|built) RTL of .*\n", "", done.stderr)
    return done


def changes(text):
    """Values over time per signal: {"model.castor_x_probe.y": {time: value}}."""
    names, series, now = {}, {}, 0  # without the signals that name values
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
        self.folder = pathlib.Path(scratch.name) / "run"
        self.folder.mkdir()
        self.environment = shadow(pathlib.Path(scratch.name) / "castor")

    def run_program(self, engine, folder, depth=0, good=False, **more):
        """`good`: over RTL without the fault."""
        keys = {"enable": 1, "engine": engine, "wave_depth": depth}
        environment = dict(
            self.environment,
            CASTOR_PLATFORM=FAULT["machine"],
            CASTOR_SET=";".join(f"blocks.{BLOCK}.{key}={value}" for key, value in keys.items()),
            **more,
        )
        if good:
            environment["CASTOR_PREFIX"] = os.environ["CASTOR_PREFIX"]
        return quiet(
            subprocess.run(
                [PROGRAM],
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
                check=False,
                cwd=folder,
                env=environment,
            )
        )

    def test_a_difference_leaves_both_sides_around_it_and_says_how_to_look(self):
        machine, instance, output = (FAULT[key] for key in ("machine", "instance", "output"))
        done = self.run_program("lockstep", self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        said = re.search(
            rf"castor: {BLOCK}: model and RTL differ in cycle (\d+): {output} is (\S+) in the model "
            r"and (\S+) in the RTL",
            done.stderr,
        )
        self.assertTrue(said, done.stderr)
        cycle = int(said[1])
        first = max(cycle - 199, 0)
        file = f"{instance}-mismatch.vcd"
        self.assertIn(f"\n  waves:  {file}, cycles {first} to {cycle}\n", done.stderr)
        self.assertIn(f"\n  look:   castor wave {file} --view", done.stderr)
        self.assertRegex(done.stderr, rf"\n  device: core cycle \d+ of {machine}\n")
        waves = changes((self.folder / file).read_text())
        times = {time for values in waves.values() for time in values}
        self.assertEqual((min(times), max(times)), (first * 1000, (cycle + AFTER) * 1000 + 500))
        top = f"castor_{BLOCK}_probe"
        for side in ("model", "rtl.top"):
            ports = {name.rpartition(".")[2] for name in waves if name.startswith(f"{side}.{top}.")}
            self.assertGreater(len([name for name in ports if name.endswith("_i")]), 5, side)
            self.assertGreater(len([name for name in ports if name.startswith("probe_")]), 5, side)
            self.assertIn(f"{output}_o", ports)
        model, rtl = waves[f"model.{top}.{output}_o"], waves[f"rtl.top.{top}.{output}_o"]
        for at in range(first, cycle):
            self.assertEqual(value_at(model, at * 1000 + 999), value_at(rtl, at * 1000 + 999), at)
        self.assertEqual((value_at(model, cycle * 1000 + 999), value_at(rtl, cycle * 1000 + 999)), (1, 0))
        # The folder has only these files, and the command finds the same difference again.
        self.assertEqual([path.name for path in self.folder.iterdir()], [file])
        (self.folder / file).unlink()
        command = re.search(r"\n  replay: (.*)\n", done.stderr)[1]
        self.assertIn(f"blocks.{BLOCK}.engine=lockstep", command)
        self.assertEqual(shlex.split(command)[-1], PROGRAM)
        again = quiet(
            subprocess.run(
                command,
                shell=True,
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
                check=False,
                cwd=self.folder,
                env=self.environment,
            )
        )
        self.assertEqual((again.returncode, again.stderr), (1, done.stderr))
        (self.folder / file).unlink()

    def test_the_window_shows_the_inside_of_the_rtl_if_asked(self):
        texts = {}
        for depth in (0, 1, 2):
            done = self.run_program("lockstep", self.folder, depth)
            self.assertEqual(done.returncode, 1, done.stderr)
            cycle = int(re.search(r"differ in cycle (\d+)", done.stderr)[1])
            texts[depth] = (self.folder / f"{FAULT['instance']}-mismatch.vcd").read_text()
        top = f"castor_{BLOCK}_probe"
        levels = {
            depth: {
                len(scopes) - scopes.index(top) - 1
                for scopes, *_ in variables(text)
                if scopes[0] == "rtl" and top in scopes
            }
            for depth, text in texts.items()
        }
        self.assertEqual(levels, {0: {0}, 1: {0, 1}, 2: {0, 1, 2}})
        plain, deep = changes(texts[0]), changes(texts[2])
        first = max(cycle - 199, 0)
        times = {time for values in deep.values() for time in values}
        self.assertEqual((min(times), max(times)), (first * 1000, (cycle + AFTER) * 1000 + 500))
        # Ports and probes of both sides must be equal, whichever side wrote them. Verilator dumps the inputs of a
        # cycle's end in the middle of the cycle.
        compared = [name for name in plain if name.endswith("_o") and name.startswith(("model.", f"rtl.top.{top}."))]
        self.assertGreater(len(compared), 20)
        for name in compared:
            for at in range(first, cycle + 1):
                self.assertEqual(
                    value_at(plain[name], at * 1000 + 999), value_at(deep[name], at * 1000 + 999), f"{name} {at}"
                )

    def test_waves_of_the_machine_show_the_inside_of_the_rtl_if_asked(self):
        found = {}
        for engine, depth in (("lockstep", 0), ("lockstep", 1), ("rtl", 1)):
            path = self.folder / f"{engine}{depth}.vcd"
            done = self.run_program(engine, self.folder, depth, good=True, CASTOR_WAVE=str(path))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found[engine, depth] = changes(path.read_text())
        plain, lockstep, rtl = found.values()
        inside = {name for name in rtl if ".rtl.top." in name}
        self.assertEqual({name: plain[name] for name in plain}, {name: rtl[name] for name in rtl if name not in inside})
        self.assertEqual(lockstep, rtl)
        # Every probe equals the RTL's register at all times, for several instances.
        instances = {name.partition(".rtl.top.")[0] for name in inside}
        self.assertTrue(all(name.endswith(BLOCK) for name in instances), instances)
        top = f"rtl.top.castor_{BLOCK}_probe"
        compared, moved = 0, 0
        for name in inside:
            probe = re.fullmatch(rf"(.*)\.{re.escape(top)}\.probe_(\w+)_o", name)
            outside = probe and rtl.get(f"{probe[1]}.{probe[2]}")
            if outside:
                self.assertEqual(outside, rtl[name], name)
                compared, moved = compared + 1, moved + (len(outside) > 1)
        self.assertGreater(compared, 4)
        self.assertGreater(moved, 1)
        dut = f".{top}.u_dut."
        self.assertGreater(len({name for name in inside if dut in name}), 50)
        self.assertGreater(len([name for name in inside if dut in name and len(rtl[name]) > 1]), 10)

    def test_a_model_has_no_rtl_to_show(self):
        done = self.run_program("model", self.folder, 1)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"blocks.{BLOCK}.wave_depth is 1, and the block is a model", done.stderr)

    def test_waves_of_the_gpu_are_closed(self):
        waves = self.folder / f"{BLOCK}.vcd"
        done = self.run_program(
            "lockstep", self.folder, CASTOR_WAVE=str(waves), CASTOR_WAVE_SCOPE="gpu.front_end;gpu.sm0"
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        cycle = int(re.search(r"core cycle (\d+)", done.stderr)[1])
        self.assertTrue(waves.read_text().endswith("\n"))
        megahertz = FAULT["mhz"]
        last = max(time for values in changes(waves.read_text()).values() for time in values)
        self.assertLessEqual(last, (cycle + 1) * 1_000_000 / megahertz + 1)
        self.assertGreater(last, 0)

    def test_where_no_file_can_be_written_the_difference_is_told_all_the_same(self):
        done = self.run_program("lockstep", "/proc")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{FAULT['output']} is", done.stderr)
        self.assertRegex(done.stderr, rf"no waves: .*cannot write .*{FAULT['instance']}-mismatch")

    def test_without_lockstep_nobody_notices(self):
        for engine in ("model", *(["rtl"] if FAULT["harmless"] else [])):
            done = self.run_program(engine, self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""), engine)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
