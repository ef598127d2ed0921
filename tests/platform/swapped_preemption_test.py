#!/usr/bin/env python3
"""PREMA beside a swap engine: a CUDA program of two streams, of which one is preempted while its thread blocks run.

  swapped_preemption_test.py CASTOR CASTOR_CC FOLDER_OF_BLOCKS ENGINE [unittest arguments...]

ENGINE is the block that is the swap engine.
"""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402

CASTOR = CASTOR_CC = BLOCKS = ENGINE = None

# A long kernel in one stream, which fills the machine, and short kernels in another that are served first. `pass`
# prints the error of the device, and without one how many words of both streams are wrong. Arguments: which kernel
# faults in a first pass (none, long, short), and in which round of its loop. The second pass has no fault.
PROGRAM = r"""
#include <castor_jobs.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
__host__ __device__ inline unsigned step(unsigned x, unsigned key) {
  return (x ^ (x >> 15) ^ key) * 2654435761u + 12345u;
}
template <int kStream>
__global__ void work(unsigned* out, int rounds, int bad_block, int bad_round) {
  __shared__ unsigned part[64];
  unsigned x = blockIdx.x * 64 + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    part[threadIdx.x] = x;
    __syncthreads();
    x = step(part[(threadIdx.x + r) % 64], r);
    __syncthreads();
    if (int(blockIdx.x) == bad_block && r == bad_round) *reinterpret_cast<volatile unsigned*>(16) = x;
  }
  out[blockIdx.x * 64 + threadIdx.x] = x;
}
int wrong(const unsigned* out, int blocks, int rounds) {
  int count = 0;
  for (int b = 0; b < blocks; ++b) {
    unsigned x[64], next[64];
    for (int t = 0; t < 64; ++t) x[t] = b * 64 + t;
    for (int r = 0; r < rounds; ++r) {
      for (int t = 0; t < 64; ++t) next[t] = step(x[(t + r) % 64], r);
      std::memcpy(x, next, sizeof x);
    }
    for (int t = 0; t < 64; ++t) count += out[b * 64 + t] != x[t];
  }
  return count;
}
constexpr int kBlocks = 100, kRounds = 300, kShortBlocks = 12, kShortRounds = 40, kTimes = 3;
void pass(const char* faulting, int round) {
  const int bad_long = std::strcmp(faulting, "long") == 0 ? 0 : -1;
  const int bad_short = std::strcmp(faulting, "short") == 0 ? 3 : -1;
  cudaStream_t slow, fast;
  castorStreamCreateWithDeadline(&slow, castorNoDeadline, 0);
  castorStreamCreateWithDeadline(&fast, castorNoDeadline, 0);
  castorKernelSetIsolatedTime((const void*)work<0>, 64, 100000);
  castorKernelSetIsolatedTime((const void*)work<1>, 64, 5000);
  unsigned *a, *b;
  cudaMallocManaged(&a, kBlocks * 64 * sizeof(unsigned));
  cudaMallocManaged(&b, kTimes * kShortBlocks * 64 * sizeof(unsigned));
  work<0><<<kBlocks, 64, 0, slow>>>(a, kRounds, bad_long, round);
  castorStreamSubmit(slow);
  castorJobInfo info;
  for (int i = 0; i < kTimes; ++i) {
    unsigned long long now = 0;
    castorHostTime(&now);
    castorHostWaitUntil(now + 8000);
    work<1><<<kShortBlocks, 64, 0, fast>>>(b + i * kShortBlocks * 64, kShortRounds, i == 1 ? bad_short : -1, round);
    castorStreamSubmit(fast);
    castorStreamWaitJob(fast, &info);
  }
  castorStreamWaitJob(slow, &info);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s", cudaGetErrorName(error));
  if (error != cudaSuccess) {
    cudaDeviceReset();
  } else {
    int bad = wrong(a, kBlocks, kRounds);
    for (int i = 0; i < kTimes; ++i) bad += wrong(b + i * kShortBlocks * 64, kShortBlocks, kShortRounds);
    std::printf(" %d", bad);
    cudaStreamDestroy(slow);
    cudaStreamDestroy(fast);
  }
  std::printf("\n");
}
int main(int argc, char** argv) {
  if (argc > 2) pass(argv[1], std::atoi(argv[2]));
  pass("none", 0);
}
"""

MACHINE = (
    "chip.sms=2",
    "inspect=packet",
    "parse.lanes=4",
    "queue.count=64",
    "blocks.lax.enable=1",
    "blocks.lax.policy=prema",
    "blocks.lax.prema_period=2000",
    "blocks.lax.update_period=1000",
)


class SwappedPreemption(CommandCase):
    def settings(self):
        return {"CASTOR_BLOCKS": BLOCKS}

    def setUp(self):
        super().setUp()
        (self.path / "app.cu").write_text(PROGRAM)
        done = self.run_command([CASTOR_CC, "-O2", "app.cu", "-o", "app"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def run_program(self, keys, *arguments):
        """What the program prints, messages, and counts: TBs that the front end has saved and restored; of all SMs."""
        words = [word for key in (*MACHINE, *keys) for word in ("--set", key)]
        done = self.run_command(
            [CASTOR, "run", "-p", "maxwell_liu13", *words, "--report", "report.json", "./app", *arguments]
        )
        statistics = json.loads((self.path / "report.json").read_text())["statistics"]
        counts = {"saved": statistics["front_end"]["tb_saved"], "restored": statistics["front_end"]["tb_restored"]}
        for unit in statistics.values():
            for group in ("moves", "swap_port"):
                for name, value in unit.get(group, {}).items() if isinstance(unit, dict) else ():
                    counts[f"{group}.{name}"] = counts.get(f"{group}.{name}", 0) + value
        if "moves.out" in counts:
            self.assertEqual(counts["saved"], counts["moves.out"])
            self.assertEqual(counts["restored"], counts["moves.in"])
        # The first run on a machine may have to build models, and says so.
        return done.stdout, re.sub(r"castor: (building|built) .*\n", "", done.stderr), counts

    def test_a_preempted_kernel_comes_back_through_the_engine(self):
        output, messages, counts = self.run_program(ENGINE)
        self.assertEqual((output, messages), ("cudaSuccess 0\n", ""))
        self.assertGreater(counts["saved"], 64, "fewer than one preemption of a full machine")
        self.assertEqual(counts["restored"], counts["saved"])
        self.assertEqual(counts["swap_port.jobs"], 2 * counts["saved"])
        self.assertEqual(counts["swap_port.stores"], counts["swap_port.loads"])
        # An engine makes at most one access per tick.
        self.assertGreater(counts["moves.transfer_out"], counts["swap_port.stores"])
        self.assertGreater(counts["moves.transfer_in"], counts["swap_port.loads"])

    def test_other_movers_give_the_same_results(self):
        for mover, moves in (("rate", True), ("drain", False)):
            output, messages, counts = self.run_program((f"context.mover={mover}",))
            self.assertEqual((output, messages), ("cudaSuccess 0\n", ""), mover)
            self.assertEqual(counts["saved"] > 0, moves, mover)
            self.assertEqual(counts["restored"], counts["saved"])
            self.assertNotIn("swap_port.jobs", counts)

    def test_kernels_are_stopped_while_thread_blocks_are_away(self):
        for faulting, rounds in (("long", (60, 70, 80, 90)), ("short", (5, 20, 39))):
            dropped = 0
            for round in rounds:
                with self.subTest(faulting=faulting, round=round):
                    output, messages, counts = self.run_program(ENGINE, faulting, round)
                    self.assertEqual(output, "cudaErrorIllegalAddress\ncudaSuccess 0\n")
                    self.assertIn("a null pointer", messages)
                    self.assertGreaterEqual(counts["saved"], counts["restored"])
                    self.assertGreaterEqual(counts["swap_port.stores"], counts["swap_port.loads"])
                    dropped += counts["saved"] - counts["restored"]
            self.assertGreater(dropped, 0, f"no thread block was away when the {faulting} kernel faulted")


if __name__ == "__main__":
    CASTOR, CASTOR_CC, BLOCKS = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    ENGINE = ("context.mover=engine", f"blocks.{sys.argv[4]}.enable=1")
    del sys.argv[1:5]
    unittest.main()
