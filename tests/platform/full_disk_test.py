#!/usr/bin/env python3
"""What every command says when a file, a cache, a temporary folder or standard output cannot be written: one line and
exit code 2. A limit on the size of files stands for a disk that is full, /dev/full for an output that is.

  full_disk_test.py CASTOR CASTOR_CC [unittest arguments...]
"""

import atexit
import functools
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CASTOR, CASTOR_CC = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]

PTX = """.version 6.0
.target sm_60
.address_size 64
.visible .entry fill(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  ld.param.u64 %rd1, [out];
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
"""
APP = """#include <cuda_runtime.h>
__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }
int main() {
  int* out = nullptr;
  cudaMalloc(&out, 1024);
  fill<<<1, 256>>>(out);
  return cudaDeviceSynchronize();
}
"""
FULL = "No space left on device"
RUN = ["run", "-p", "tiny", "fill.ptx", "--block", "64", "--arg", "zeros:4096"]


@functools.lru_cache(maxsize=None)
def folder():
    """The folder in which all cases run."""
    holder = tempfile.TemporaryDirectory()
    atexit.register(holder.cleanup)
    (Path(holder.name) / "fill.ptx").write_text(PTX)
    (Path(holder.name) / "app.cu").write_text(APP)
    return Path(holder.name)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder()
        cls.environment = {**os.environ, "CASTOR_CACHE": str(cls.folder / "cache"), "CASTOR_PROGRESS": "0"}
        if not (cls.folder / "app").exists():
            cls.run_command(CASTOR_CC, "app.cu", "-o", "app")

    @classmethod
    def run_command(cls, *words, size=None, output=subprocess.PIPE, **environment):
        """Runs a command in which no file may have more than `size` bytes."""
        limit = None if size is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return subprocess.run(
            words,
            cwd=cls.folder,
            env={**cls.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
            restore_signals=False,  # SIGXFSZ stays ignored: a write beyond the limit is an error
        )

    def refused(self, *words, why="File too large", **more):
        done = self.run_command(*words, **more)
        self.assertEqual(done.returncode, 2, f"{words}\n{done.stderr}")
        lines = [line for line in done.stderr.splitlines() if line.startswith("castor")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(why, lines[0])
        self.assertNotRegex(done.stderr, "Traceback|Stack dump|PLEASE submit")
        return done.stderr


class StandardOutput(Case):
    def test_of_every_kind_of_command(self):
        for words in (
            ["--help"],
            ["--version"],
            ["run", "--help"],
            ["list", "platforms"],
            ["list", "instructions", "--json"],
            ["list", "kernels", "fill.ptx"],
            ["elaborate", "tiny"],
            ["experiment", "--help"],
            ["lint", "--help"],
            ["evidence", "--states"],
            ["complete", "--", "r"],
            [*RUN, "--dump", "0:u32"],
        ):
            for unbuffered in ("", "1"):
                with open("/dev/full", "w") as full:
                    done = self.run_command(CASTOR, *words, output=full, PYTHONUNBUFFERED=unbuffered)
                self.assertEqual(done.returncode, 2, f"{words}\n{done.stderr}")
                # The system's error text is lost if a buffer was written before the end.
                self.assertRegex(done.stderr, f"(?m)^castor: error .*({FULL}|is the disk full)")
                self.assertEqual(len(re.findall("(?m)^castor: ", done.stderr)), 1, done.stderr)

    def test_of_the_compiler(self):
        for words in (["--help"], ["--version"], ["-E", "app.cu"]):
            with open("/dev/full", "w") as full:
                self.refused(CASTOR_CC, *words, output=full, why="cannot write")

    def test_a_reader_that_has_gone_is_no_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as gone:
            # restore_signals=False leaves SIGPIPE ignored, too.
            self.assertEqual(self.run_command(CASTOR, "list", "platforms", output=gone).returncode, 0)


class Files(Case):
    def test_of_a_run(self):
        for option in ("--report", "--timeline", "--wave"):
            self.refused(CASTOR, *RUN, option, "/dev/full", why=FULL)
            self.refused(CASTOR, "run", "-p", "tiny", option, "/dev/full", "./app", why=FULL)
            self.refused(CASTOR, *RUN, option, "file", size=100)
        self.refused(CASTOR, *RUN, "--dump", "0:file:/dev/full", why=FULL)
        self.refused(CASTOR, *RUN, "--dump", "0:file:file", size=100)

    def test_of_other_commands(self):
        self.refused(CASTOR, "elaborate", "tiny", "--dot", "/dev/full", why="full")
        self.refused(CASTOR, "new-block", "packer", "--hook", "issue", "--into", "skeleton", size=100)
        (self.folder / "a.vcd").write_text(
            "$timescale 1ps $end\n$var wire 1 ! x $end\n$enddefinitions $end\n#0\n1!\n#5\n0!\n"
        )
        self.refused(CASTOR, "wave", "a.vcd", "a.vcd", "--scopes", "a,b", "-o", "/dev/full", why=FULL)

    def test_of_the_compiler(self):
        for words in (["-o", "out"], ["-c"], ["--ptx"], ["-E", "-o", "out"]):
            self.refused(CASTOR_CC, "app.cu", *words, size=100)

    def test_a_device_that_is_named_stays_one(self):
        """The compiler removes unfinished files. A device name is distinguished from a file."""
        link = self.folder / "out.ptx"
        link.symlink_to("/dev/full")
        self.refused(CASTOR_CC, "--ptx", "app.cu", "-o", "out.ptx", why=FULL)
        self.assertTrue(link.is_symlink())


if __name__ == "__main__":
    unittest.main(verbosity=2)
