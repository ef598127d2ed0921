#!/usr/bin/env python3
"""Tests of launches by device code beyond the pending limit: accepted, delayed, or refused; and of the report and the
messages on stderr.

  full_pool_test.py CASTOR CASTOR_CC [unittest arguments...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402

CASTOR = CASTOR_CC = None

# Every thread launches one child; prints how many children ran, how many launches were refused with which error.
PROGRAM = """
#include <cstdio>
#include <cstdlib>
__global__ void child(int* ran) { atomicAdd(ran, 1); }
__global__ void parent(int* ran, int* refused) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  child<<<1, 32, 0, s>>>(ran);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaErrorLaunchPendingCountExceeded) atomicAdd(refused, 1);
}
int main(int argc, char** argv) {
  const int threads = std::atoi(argv[1]), limit = std::atoi(argv[2]);
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit);
  int *out = nullptr, words[2] = {};
  cudaMalloc(&out, sizeof words);
  cudaMemset(out, 0, sizeof words);
  parent<<<1, threads>>>(out, out + 1);
  cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost);
  std::printf("%s %d %d\\n", cudaGetErrorName(cudaGetLastError()), words[0] / 32, words[1]);
  return 0;
}
"""


class FullPool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        (pathlib.Path(cls.folder.name) / "app.cu").write_text(PROGRAM)
        subprocess.run([CASTOR_CC, "app.cu", "-o", "app"], cwd=cls.folder.name, check=True, timeout=HANG_SECONDS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_program(self, threads, limit, *keys, machine="kepler_k20c", summary=False):
        """Returns the number of children that ran, the refused launches, the report and stderr."""
        report = pathlib.Path(self.folder.name) / "report.json"
        command = [CASTOR, "run", "-p", machine, "--report", report, *(["--summary"] if summary else [])]
        for key in keys:
            command += ["--set", key]
        done = subprocess.run(
            [*command, "./app", str(threads), str(limit)],
            cwd=self.folder.name,
            text=True,
            capture_output=True,
            timeout=HANG_SECONDS,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        error, ran, refused = done.stdout.split()
        self.assertEqual(error, "cudaSuccess")
        return int(ran), int(refused), json.loads(report.read_text()), done.stderr

    def test_refused_is_counted_and_told_once(self):
        for keys in ([], ["run.functional=1"]):
            ran, refused, report, said = self.run_program(256, 10, *keys, summary=True)
            self.assertEqual(ran + refused, 256)
            self.assertGreater(refused, 0)
            self.assertEqual(report["launches_beyond_limits"], {"spilled": 0, "refused": refused, "without_room": 0})
            self.assertEqual(said.count(f"castor: {refused} launches by device code were refused (error 69)"), 1)
            self.assertIn(f"0 spilled, {refused} refused", said)

    def test_spilled_is_run(self):
        for machine, keys in (("pascal_titanx", []), ("kepler_k20c", ["pool.full=spill"])):
            for functional in ("0", "1"):
                ran, refused, report, said = self.run_program(
                    256, 10, f"run.functional={functional}", *keys, machine=machine
                )
                self.assertEqual((ran, refused), (256, 0))
                beyond = report["launches_beyond_limits"]
                self.assertGreater(beyond["spilled"], 0)
                self.assertEqual((beyond["refused"], beyond["without_room"]), (0, 0))
                self.assertEqual(said, "")

    def test_below_the_limit_nothing_is_said(self):
        for full in ("spill", "refuse"):
            ran, refused, report, said = self.run_program(64, 64, f"pool.full={full}")
            self.assertEqual((ran, refused, said), (64, 0, ""))
            self.assertNotIn("launches_beyond_limits", report)

    def test_what_spills_is_later(self):
        """One warp launches 32 children, of which 22 spill: its call takes as much longer."""

        def wait(limit, *keys):
            report = self.run_program(32, limit, "pool.full=spill", *keys)[2]
            spilled = report.get("launches_beyond_limits", {"spilled": 0})["spilled"]
            sms = (unit for name, unit in report["statistics"].items() if name.startswith("sm"))
            return spilled, sum(sm["device_runtime"]["launch_wait"] for sm in sms)

        self.assertEqual(wait(32)[0], 0)
        spilled, longer = wait(10)
        self.assertEqual(spilled, 22)
        self.assertEqual(longer - wait(32)[1], 22 * 1592)
        self.assertEqual(wait(10, "launch.spill_lane=1000")[1] - wait(32)[1], 22 * 1000)


if __name__ == "__main__":
    CASTOR, CASTOR_CC = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
