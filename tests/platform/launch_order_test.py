#!/usr/bin/env python3
"""Which launch by device code enters the kernel table next, with and without the block that orders them: results, the
order that is observed, and that nothing moves in programs that do not launch.

  launch_order_test.py CASTOR CASTOR_CC FOLDER_OF_KERNELS [unittest arguments...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from dynamic_programs import HASH, PROGRAMS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402
from sample import sample  # noqa: E402

CASTOR = CASTOR_CC = KERNELS = None
BLOCK = ("blocks.laperm_kmu.enable=1",)
BY_LEVEL = (*BLOCK, "blocks.laperm_kmu.lists=by_level")

# Three generations of kernels. Each launch has a new stream, so it waits for a table entry only.
NEST = """
#include <cstdio>
__device__ cudaStream_t stream() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}
__global__ void node(int* out, int level, int depth) {
  if (threadIdx.x == 0) atomicAdd(out + level, 1);
  if (level < depth && threadIdx.x < 2) node<<<1, 32, 0, stream()>>>(out, level + 1, depth);
}
__global__ void root(int* out, int depth) {
  if (threadIdx.x < 4) node<<<1, 32, 0, stream()>>>(out, 1, depth);
}
int main() {
  int *out = nullptr, counts[4] = {};
  cudaMalloc(&out, sizeof counts);
  cudaMemset(out, 0, sizeof counts);
  root<<<26, 32>>>(out, 3);
  cudaMemcpy(counts, out, sizeof counts, cudaMemcpyDeviceToHost);
  std::printf("%s %d %d %d\\n", cudaGetErrorName(cudaGetLastError()), counts[1], counts[2], counts[3]);
  return 0;
}
"""


def run(program, *arguments, keys=()):
    """Returns the output of a program on kepler_k20c, and the report of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [CASTOR, "run", "--platform", "kepler_k20c", "--report", report]
        for key in keys:
            command += ["--set", key]
        done = subprocess.run(
            [*command, program, *arguments], cwd=folder, text=True, capture_output=True, timeout=HANG_SECONDS
        )
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout, json.loads(report.read_text())


def block_of(report):
    return report["statistics"]["front_end"]["source_order"]["laperm_kmu"]


class Nested(unittest.TestCase):
    """One program, three generations deep."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        source = pathlib.Path(cls.folder.name) / "nest.cu"
        source.write_text(NEST)
        cls.program = source.with_suffix("")
        subprocess.run([CASTOR_CC, "-O2", source, "-o", cls.program], check=True, timeout=HANG_SECONDS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def levels(self, *keys):
        """(first start, last end) of the kernels of each level; and the report."""
        output, report = run(self.program, keys=keys)
        self.assertEqual(output, "cudaSuccess 104 208 416\n")
        rows = [kernel for kernel in report["kernels"] if "level" in kernel["counts"]]
        self.assertEqual([row["counts"]["device_launches"] for row in rows], [104, 208, 416])
        return [(row["start_ps"], row["end_ps"]) for row in rows], report

    def test_without_the_block_launches_go_as_they_come(self):
        levels, _ = self.levels()
        self.assertGreater(levels[2][0], levels[0][1], "the first grandchild starts behind the last child")

    def test_with_it_deep_ones_overtake(self):
        for keys in (BLOCK, BY_LEVEL):
            with self.subTest(keys):
                levels, report = self.levels(*keys)
                self.assertLess(levels[2][0], levels[0][1], "a grandchild starts while children wait")
                block = block_of(report)
                self.assertEqual([block[count] for count in ("launches", "above", "queues")], [728, 624, 1])
                self.assertGreater(block["overtaking"], 100)
                # A visit, one cycle per level searched, and one cycle for the host's kernel.
                self.assertEqual(block["search"] - block["withdrawn"], 104 * 5 + 208 * 4 + 416 * 3 + 1)

    def test_fewer_launches_wait_at_a_time(self):
        peaks = [
            self.levels(*keys)[1]["statistics"]["front_end"]["device_launches"]["pending_peak"]
            for keys in ((), BLOCK, BY_LEVEL)
        ]
        self.assertLess(max(peaks[1:]), peaks[0])

    def test_one_level_by_level_is_the_order_of_arrival(self):
        levels, report = self.levels(*BY_LEVEL, "blocks.laperm_kmu.levels=1")
        self.assertGreater(levels[2][0], levels[0][1])
        self.assertEqual(block_of(report)["above"], 0)


class Programs(unittest.TestCase):
    def test_results_with_child_kernels(self):
        for name in sample("launch order", 2, PROGRAMS):
            with self.subTest(name):
                program, arguments = KERNELS / f"dynamic_{name}", PROGRAMS[name]
                plain, _ = run(program, "cdp", *arguments)
                for keys in (BLOCK, (*BLOCK, "blocks.laperm.enable=1")):
                    output, report = run(program, "cdp", *arguments, keys=keys)
                    self.assertEqual(HASH.search(output)[1], HASH.search(plain)[1])
                    launches = report["statistics"]["front_end"]["device_launches"]
                    self.assertGreater(launches["launches"], 0)
                    self.assertEqual(launches["granted"], launches["launches"])
                    self.assertEqual(block_of(report)["launches"], launches["launches"])

    def test_programs_that_do_not_launch_run_as_before(self):
        for name in ("vector_add", "streams", "reduction"):
            with self.subTest(name):
                (one, before), (other, after) = (run(KERNELS / name, keys=keys) for keys in ((), BLOCK))
                self.assertEqual(one, other)
                self.assertGreater(len(before["kernels"]), 0)
                self.assertEqual(before["kernels"], after["kernels"])
                self.assertEqual(before["cycles"], after["cycles"])
                self.assertEqual(set(block_of(after).values()), {0})

    def refused(self, *keys):
        command = [CASTOR, "run", "--platform", "kepler_k20c"]
        for key in (*BLOCK, *keys):
            command += ["--set", key]
        done = subprocess.run([*command, KERNELS / "vector_add"], text=True, capture_output=True, timeout=HANG_SECONDS)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def test_what_is_refused(self):
        self.assertIn("knows no groups", self.refused("blocks.dtbl.enable=1"))
        self.assertIn("no launches by device code", self.refused("blocks.lax.enable=1"))
        self.assertIn("queue.in_memory", self.refused("queue.in_memory=1"))
        self.assertIn("parse.select_scan", self.refused("parse.select_scan=8"))
        self.assertIn("chip.sms is 40", self.refused("chip.sms=40"))


def main():
    global CASTOR, CASTOR_CC, KERNELS
    CASTOR, CASTOR_CC, KERNELS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)


if __name__ == "__main__":
    main()
