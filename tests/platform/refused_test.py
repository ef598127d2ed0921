#!/usr/bin/env python3
"""Tests of the messages about kernels with too many parameters, and about code that is newer than the machine.

  refused_test.py CASTOR_CC [unittest arguments...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402

CASTOR_CC = None

SOURCE = """
#include <cuda_runtime.h>
#include <cstdio>
struct Big { int v[COUNT]; };
__global__ void take(int* out, Big big) { *out = big.v[COUNT - 1]; }
int main() {
  int *out = nullptr, value = 0;
  cudaMalloc(&out, 4);
  Big big = {};
  big.v[COUNT - 1] = 42;
  for (int i = 0; i < 2; ++i) take<<<1, 1>>>(out, big);
  const cudaError_t launched = cudaGetLastError();
  cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%s %d\\n", cudaGetErrorName(launched), launched == cudaSuccess ? value : 0);
  return launched == cudaSuccess && value == 42 ? 0 : 1;
}
"""


class Refused(unittest.TestCase):
    def run_program(self, options, code, **environment):
        """Compiles and runs a program. Returns its output and its messages."""
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "app.cu", pathlib.Path(folder) / "app"
            source.write_text(SOURCE)
            subprocess.run([CASTOR_CC, *options, source, "-o", program], check=True)
            done = subprocess.run(
                [program], env={**os.environ, **environment}, text=True, capture_output=True, timeout=HANG_SECONDS
            )
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout, done.stderr

    def test_as_many_bytes_of_parameters_as_there_may_be(self):
        self.assertEqual(self.run_program(["-DCOUNT=8189"], 0), ("cudaSuccess 42\n", ""))

    def test_more_are_refused_with_kernel_and_size(self):
        output, errors = self.run_program(["-DCOUNT=8190"], 1)
        self.assertEqual(output, "cudaErrorInvalidPtx 0\n")
        self.assertRegex(errors, r"^castor: app\.ptx:\d+:\d+: .*take\(int\*, Big\).* take 32768 bytes; at most 32764")
        self.assertEqual(errors.count("32768"), 1, "once, not at every launch")

    def test_code_that_is_newer_than_the_machine_runs_and_one_line_says_that_no_such_chip_would_take_it(self):
        output, errors = self.run_program(["-DCOUNT=1", "-arch=sm_80"], 0, CASTOR_PLATFORM="pascal_titanx")
        self.assertEqual(output, "cudaSuccess 42\n")
        self.assertEqual(errors.count("\n"), 1, errors)
        for word in ("app.ptx", "sm_80", "pascal_titanx", "sm_61", "cudaErrorNoKernelImageForDevice"):
            self.assertIn(word, errors)

    def test_code_that_the_machine_is_new_enough_for_says_nothing(self):
        for options, machine in (
            (["-arch=sm_75"], "turing_rtx2060"),
            (["-arch=sm_70"], "turing_rtx2060"),
            (["-arch=sm_61"], "pascal_titanx"),
            ([], "kepler_k20c"),  # an architecture that castor-cc chooses does not express a wish of the user
            (["-gencode=arch=compute_60,code=sm_60", "-gencode=arch=compute_80,code=sm_80"], "pascal_titanx"),
        ):
            with self.subTest(machine, options=options):
                _, errors = self.run_program(["-DCOUNT=1", *options], 0, CASTOR_PLATFORM=machine)
                self.assertEqual(errors, "")


if __name__ == "__main__":
    CASTOR_CC = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
