#!/usr/bin/env python3
"""castor experiment compiles the programs that it runs, when they are needed, into the cache.

    experiment_compile_test.py <castor>
"""

import atexit
import csv
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CASTOR = pathlib.Path(sys.argv[1]).resolve()
BUILD = CASTOR.parent.parent
TINY = ["--schedulers", "4", "--policy", "GTO", "--size", "small", "--seeds", "1", "--quiet"]


@functools.lru_cache(maxsize=None)
def headers():
    holder = tempfile.TemporaryDirectory()
    atexit.register(holder.cleanup)
    return holder.name


class Compiled(unittest.TestCase):
    """Runs with a prefix of its own: all of the build but its programs, and sources that may be changed."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.prefix, self.cache = self.root / "prefix", self.root / "cache"
        data = self.prefix / "share" / "castor"
        data.mkdir(parents=True)
        for path in BUILD.iterdir():
            if path.name in ("bin", "lib") or path.name.startswith("lib"):
                (self.prefix / path.name).symlink_to(path)
        for path in (BUILD / "share" / "castor").iterdir():
            if path.name != "kernels":
                (data / path.name).symlink_to(path.resolve())
        self.sources = data / "kernels"
        shutil.copytree(BUILD / "share" / "castor" / "kernels", self.sources)
        # Precompiled headers of castor-cc are the same for every case.
        self.cache.mkdir()
        (self.cache / "headers").symlink_to(headers())
        self.runs = 0

    def environment(self, **more):
        return {**os.environ, "CASTOR_PREFIX": str(self.prefix), "CASTOR_CACHE": str(self.cache), **more}

    def command(self, *programs, words=()):
        self.runs += 1
        self.out = self.root / f"out{self.runs}"
        named = [word for name in programs for word in ("--program", name)]
        return [CASTOR, "experiment", "saws", *named, *TINY, *words, "--out", self.out]

    def saws(self, *programs, words=(), expect=0, **more):
        done = subprocess.run(
            self.command(*programs, words=words), capture_output=True, text=True, env=self.environment(**more)
        )
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stderr

    def cycles(self):
        with (self.out / "results.csv").open() as file:
            return {row["program"]: int(row["cycles"]) for row in csv.DictReader(file)}

    def programs(self):
        return sorted(path.name.partition("-")[0] for path in (self.cache / "programs").iterdir())

    def test_what_is_missing_is_compiled_once_and_runs_as_what_the_build_makes(self):
        said = self.saws("vector_add", "transpose")
        self.assertEqual(said, "castor: compiling (once): vector_add transpose\n")
        self.assertEqual(self.programs(), ["transpose", "vector_add"])
        cycles = self.cycles()
        self.assertEqual(self.saws("vector_add", "transpose"), "")
        self.assertEqual(self.cycles(), cycles)
        built = [str(path) for path in (self.cache / "programs").glob("*/transpose")]
        self.assertEqual(len(built), 1)
        folder = str(pathlib.Path(built[0]).parent)
        self.assertEqual(self.saws("transpose", words=("--programs", folder)), "")
        self.assertEqual(self.cycles(), {"transpose": cycles["transpose"]})

    def test_what_has_changed_is_compiled_again(self):
        self.saws("vector_add", "transpose")
        with (self.sources / "transpose.cu").open("a") as file:
            file.write("// changed\n")
        self.assertEqual(self.saws("vector_add", "transpose"), "castor: compiling (once): transpose\n")
        with (self.sources / "common" / "program.h").open("a") as file:
            file.write("// changed\n")
        self.assertEqual(self.saws("vector_add", "transpose"), "castor: compiling (once): vector_add transpose\n")
        self.assertEqual(self.programs(), ["transpose"] * 3 + ["vector_add"] * 2)

    def test_a_program_of_the_build_is_taken_while_it_is_young(self):
        built = self.prefix / "kernels" / "vector_add"
        built.parent.mkdir()
        built.write_text("#!/bin/sh\necho FAIL it is the one of the build\nexit 1\n")
        built.chmod(0o755)
        self.assertIn("it is the one of the build", self.saws("vector_add", expect=1))
        source = self.sources / "vector_add.cu"
        later = built.stat().st_mtime_ns + 10**9
        os.utime(source, ns=(later, later))
        self.assertEqual(self.saws("vector_add"), "castor: compiling (once): vector_add\n")

    def test_a_failed_compilation_is_an_error_with_the_command(self):
        with (self.sources / "transpose.cu").open("a") as file:
            file.write("int oops = nothing;\n")
        said = self.saws("vector_add", "transpose", expect=2)
        self.assertRegex(
            said, r"castor: error transpose cannot be compiled: \S+/bin/castor-cc -O2 \S+/kernels/transpose\.cu -o "
        )
        self.assertIn("use of undeclared identifier 'nothing'", said)
        self.assertEqual(self.programs(), ["vector_add"], "nothing of the failure stays")

    def test_bad_requests_are_told_before_anything_is_compiled(self):
        for words, part in (
            (("--set", "chip.sms=oops"), "chip.sms"),
            (("--argument", "width"), "name=value"),
        ):
            said = self.saws("vector_add", words=words, expect=2)
            self.assertIn(part, said)
            self.assertNotIn("compiling", said)
        for words in (
            ["darsie", "--program", "MM", "--set", "chip.sms=oops"],
            ["saws", "--schedulers", "1", "--policy", "SAWS"],
        ):
            command = [CASTOR, "experiment", *words, "--out", self.root / "d"]
            done = subprocess.run(command, capture_output=True, text=True, env=self.environment())
            self.assertEqual((done.returncode, "compiling" in done.stderr), (2, False), done.stderr)
        shutil.rmtree(self.sources)
        self.assertIn("no program 'vector_add'", self.saws("vector_add", expect=2))
        (self.root / "file").write_text("")
        said = self.saws("vector_add", expect=2, CASTOR_CACHE=str(self.root / "file"))
        self.assertIn("no program", said)

    def test_a_cache_that_cannot_be_written_is_told(self):
        (self.root / "file").write_text("")
        said = self.saws("vector_add", expect=2, CASTOR_CACHE=str(self.root / "file"))
        self.assertIn(f"'{self.root}/file' cannot be written", said)
        self.assertIn("CASTOR_CACHE", said)

    def test_several_who_want_the_same_programs_compile_them_once(self):
        names = ["vector_add", "transpose", "reduction"]
        outputs = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "env": self.environment()}
        children = [
            subprocess.Popen(self.command(*order), **outputs) for order in (names, names[::-1], names[1:] + names[:1])
        ]
        for child in children:
            said, _ = child.communicate()
            self.assertEqual(child.returncode, 0, said)
        self.assertEqual(self.programs(), sorted(names))

    def test_the_other_experiments_compile_theirs(self):
        fidelity = ["fidelity", "--machine", "kepler_k20c", "--benchmark", "chains"]
        lax = ["lax", "--tier", "programs", "--workload", "GMM", "--rate", "high", "--scheduler", "RR", "--seeds", "1"]
        lax += ["--jobs", "8"]
        darsie = ["darsie", "--program", "CONVTEX", "--system", "baseline", "--seeds", "1", "--set", "chip.sms=2"]
        darsie += [word for one in ("width=64", "height=64", "radius=2") for word in ("--argument", one)]
        cdp = ["cdp", "--program", "bfs_citation", "--system", "flat", "--seeds", "1", "--argument", "nodes=300"]
        for words, name in (
            (fidelity, "micro_chains"),
            (lax, "job_mix"),
            (darsie, "convolution_direct"),
            (cdp, "dynamic_bfs"),
        ):
            out = self.root / words[0]
            done = subprocess.run(
                [CASTOR, "experiment", *words, "--quiet", "--out", out],
                capture_output=True,
                text=True,
                env=self.environment(),
            )
            self.assertIn(f"castor: compiling (once): {name}\n", done.stderr)
            self.assertTrue((out / "results.csv").exists(), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
