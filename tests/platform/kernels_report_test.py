#!/usr/bin/env python3
"""Tests of a report's data on each kernel: launch, occupancy, stalls, traffic; and that the sums equal the totals.

  kernels_report_test.py CASTOR CASTOR_CC [unittest arguments...]

Expected values are computed here from the programs and the machines' own figures.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CASTOR = CASTOR_CC = None

# Two kernels one after the other, then two streams at once, with copies between them.
PROGRAM = r"""
#include <cstdio>
#include <vector>

__global__ void stream(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
template <int N> __global__ void tile(float* data) {
  __shared__ float part[N];
  extern __shared__ float more[];
  const int i = threadIdx.x + blockDim.x * threadIdx.y;
  part[i] = data[i];
  more[i] = part[N - 1 - i];
  __syncthreads();
  for (int k = 0; k < 40; ++k) more[i] = more[i] * 1.5f + part[(i + k) % N];
  data[i] = more[i];
}

int main(int argc, char**) {
  const int n = 1 << 16;
  std::vector<float> host(n, 3);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  stream<<<n / 256, 256>>>(in, out, n);
  tile<128><<<dim3(3, 2), dim3(16, 8), 512>>>(out);
  if (argc > 1) {
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    stream<<<n / 256, 256, 0, one>>>(in, out, n);
    tile<256><<<30, 256, 1024, two>>>(in);
  }
  std::printf("%s\n", cudaGetErrorName(cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost)));
  return 0;
}
"""
STALLS = ["issued", "idle", "raw", "raw_memory", "memory_pipe", "compute_pipe"]
N = 1 << 16


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = os.path.join(cls.folder.name, "prog")
        pathlib.Path(cls.program + ".cu").write_text(PROGRAM)
        subprocess.run([CASTOR_CC, "-O2", "-o", cls.program, cls.program + ".cu"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_on(self, machine, *words, options=(), code=0):
        report = os.path.join(self.folder.name, "r.json")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("CASTOR_")}
        done = subprocess.run(
            [CASTOR, "run", "-p", machine, "--report", report, *options, self.program, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=environment,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        with open(report, encoding="utf-8") as file:
            return json.load(file)

    def parts(self, report):
        """Everything that ticks of SMs and their stalls are divided into."""
        beside = report["beside_kernels"]
        times = [beside[name] for name in ("no_kernel", "several_kernels", "incomplete_kernels")]
        for kernel in report["kernels"]:
            occupancy = kernel["occupancy"]
            times.append({**occupancy, "stalls": kernel["stalls"]})
        return times

    def check_sums(self, report):
        total = report["statistics"]["total"]
        parts = self.parts(report)
        self.assertEqual(sum(part["sm_ticks"] for part in parts), total["ticks"])
        self.assertEqual(sum(part["warp_ticks"] for part in parts), total["occupancy_warps_sum"])
        for name in STALLS:
            self.assertEqual(sum(part["stalls"][name] for part in parts), total["stall"][name], name)
        traffic = [kernel["traffic"] for kernel in report["kernels"]] + [report["beside_kernels"]["traffic"]]
        self.assertEqual(sum(one["l1_bytes"] for one in traffic), 32 * total["sectors"])
        clients = [value for key, value in report["statistics"].items() if key.startswith("slice")]
        read = sum(client["memory_bytes"] for one in clients for client in one.values() if isinstance(client, dict))
        self.assertEqual(sum(one["dram_read_bytes"] for one in traffic), read)
        moved = sum(one["dram_read_bytes"] + one["dram_write_bytes"] for one in traffic)
        # Channels count moved data in whole atoms; some data may still be in flight.
        atom = report["configuration"]["keys"]["dram.atom"]["value"]
        self.assertLessEqual(total["dram_bytes"], moved * atom // 32)
        self.assertGreater(moved, 0)
        counts = [kernel["counts"] for kernel in report["kernels"]]
        for kernel, count in zip(report["kernels"], counts):
            self.assertEqual(kernel["traffic"]["dram_read_bytes"], count.get("memory_read_bytes", 0))
            self.assertGreaterEqual(kernel["occupancy"]["theoretical"], kernel["occupancy"]["achieved"] or 0)

    def test_sums_are_the_totals(self):
        for machine, options in (
            ("tiny", ()),
            ("kepler_k20c_study", ()),
            ("gcn_apu", ()),
            ("tiny", ("--set", "run.sleep=0")),
            ("tiny", ("--set", "run.shuffle=1")),
        ):
            for words in ((), ("both",)):
                report = self.run_on(machine, *words, options=options)
                self.check_sums(report)
                several = report["beside_kernels"]["several_kernels"]["sm_ticks"]
                self.assertEqual(several > 0, bool(words), machine)
                self.assertEqual(report["beside_kernels"]["incomplete_kernels"]["sm_ticks"], 0)

    def test_sums_are_the_totals_of_a_run_that_ends_in_a_kernel(self):
        report = self.run_on("tiny", options=("--set", "run.max_cycles=60000"))
        self.assertIn("fault", report)
        self.assertGreater(report["beside_kernels"]["incomplete_kernels"]["sm_ticks"], 0)
        self.check_sums(report)

    def test_launch_and_what_the_program_takes(self):
        for options in ((), ("--functional",)):
            report = self.run_on("tiny", options=options)
            first, second = report["kernels"]
            self.assertEqual(
                (first["name"], first["demangled"]), ("_Z6streamPKfPfi", "stream(float const*, float*, int)")
            )
            self.assertEqual((first["grid"], first["block"]), ([N // 256, 1, 1], [256, 1, 1]))
            self.assertEqual((first["static_shared_bytes"], first["dynamic_shared_bytes"]), (0, 0))
            self.assertEqual((second["grid"], second["block"]), ([3, 2, 1], [16, 8, 1]))
            self.assertEqual((second["static_shared_bytes"], second["dynamic_shared_bytes"]), (512, 512))
            listed = json.loads(
                subprocess.check_output(
                    [CASTOR, "list", "kernels", self.program, "-p", "tiny", "--block", "256", "--json"]
                )
            )
            row = next(row for row in listed if row["kernel"] == first["name"])
            self.assertEqual(first["registers"], row["registers"])
            occupancy = first["occupancy"]
            self.assertEqual(occupancy["blocks_per_sm"], row["blocks_per_sm"])
            self.assertEqual((occupancy["theoretical"], occupancy["limited_by"]), (row["occupancy"], row["limited_by"]))
            self.assertEqual("achieved" in occupancy, not options)

    def test_occupancy_follows_the_registers(self):
        one = self.run_on("tiny", options=("--set", "sm.tb_slots=1"))["kernels"][0]["occupancy"]
        self.assertEqual((one["blocks_per_sm"], one["limited_by"]), (1, "TB slots"))
        machine = self.run_on("tiny")
        keys = machine["configuration"]["keys"]
        self.assertEqual(one["theoretical"], 8 / keys["sm.warps"]["value"])
        self.assertGreater(one["achieved"], 0.5 * one["theoretical"])
        self.assertGreater(machine["kernels"][0]["occupancy"]["achieved"], one["achieved"])

    def test_traffic_is_that_of_the_program(self):
        first = self.run_on("kepler_k20c_study")["kernels"][0]
        traffic = first["traffic"]
        # Every element is read once and written once, in whole sectors.
        self.assertEqual(traffic["l1_bytes"], 8 * N)
        # L2 sees the same traffic plus the code lines.
        self.assertGreaterEqual(traffic["l2_bytes"], 8 * N)
        self.assertLess(traffic["l2_bytes"], 8 * N + 65536)

    def test_copies_are_no_kernels(self):
        """Copies read and write all of memory before the first kernel; the kernel's traffic counts its own accesses
        only."""
        report = self.run_on("kepler_k20c_study")
        copies = report["statistics"]["copy0"]["copy_bytes"] + report["statistics"]["copy1"]["copy_bytes"]
        self.assertEqual(copies, 8 * N)
        self.assertGreaterEqual(report["beside_kernels"]["traffic"]["l2_bytes"], copies)


if __name__ == "__main__":
    CASTOR, CASTOR_CC = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
