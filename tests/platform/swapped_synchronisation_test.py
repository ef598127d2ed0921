#!/usr/bin/env python3
"""CUDA programs with more thread blocks than fit that meet at grid barriers, on timing GPUs with a hub, agents and swap
engines: results, and the lines that the engines move (docs/gpu/swapping.md).

  swapped_synchronisation_test.py CASTOR CASTOR_CC FOLDERS_OF_BLOCKS ENGINE [unittest arguments...]

ENGINE is the block that is the swap engine; its keys `live`, `stay` and `segments` say what it moves.
"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from program_case import ProgramCase  # noqa: E402

CASTOR = ENGINE = None

# Host part of all programs. `work` is the kernel, `expected` computes the results of the host. Argument: thread blocks.
MAIN = r"""
int main(int argc, char** argv) {
  const int blocks = std::atoi(argv[1]), n = blocks * kThreads;
  unsigned* data;
  cudaMallocManaged(&data, 2 * n * sizeof *data);
  std::vector<unsigned> host(2 * n);
  for (int i = 0; i < 2 * n; ++i) host[i] = data[i] = i * 2654435761u % 1009;
  work<<<blocks, kThreads>>>(data, n);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  expected(host, n);
  int wrong = 0;
  for (int i = 0; i < 2 * n; ++i) wrong += data[i] != host[i];
  std::printf("%d wrong\n", wrong);
}
"""

HEAD = r"""
#include <castor_sync.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int kThreads = 96;
"""

# One site in a loop. The polynomial's terms are dead at the barrier, pointers and counters are live.
ONE_SITE = (
    HEAD
    + r"""
__host__ __device__ inline unsigned term(unsigned x, unsigned y) {
  const unsigned a = x * 3 + y, b = a * a + x, c = b * 7 + a, d = c ^ b, e = d * 5 + c;
  return e + d * a + (b ^ y);
}
__global__ void work(unsigned* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *from = data, *to = data + n;
#pragma unroll 1
  for (int step = 0; step < 3; ++step) {
    to[i] = term(from[i], from[(i + kThreads) % n]);
    __globalSync();
    unsigned* const t = from;
    from = to;
    to = t;
  }
}
void expected(std::vector<unsigned>& data, int n) {
  unsigned *from = data.data(), *to = from + n;
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < n; ++i) to[i] = term(from[i], from[(i + kThreads) % n]);
    unsigned* const t = from;
    from = to;
    to = t;
  }
}
"""
    + MAIN
)

# Three sites with other live values at each, shared memory, and a call between two of them of a function that has a
# barrier of its own.
SEVERAL_SITES = (
    HEAD
    + r"""
__device__ __noinline__ unsigned meets(unsigned x, unsigned y) {
  const unsigned a = x * 9 + y, b = a ^ (x << 3);
  __globalSync();
  return a * b + x;
}
__global__ void work(unsigned* data, int n) {
  __shared__ unsigned part[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned mine = data[i], key = mine * 11 + 5;
  part[threadIdx.x] = key ^ mine;
  __globalSync();
  const unsigned other = part[(threadIdx.x + 1) % kThreads];
  const unsigned mixed = meets(other, key);
  data[n + i] = mixed;
  __globalSync();
  data[i] = data[n + (i + kThreads) % n] + part[threadIdx.x];
}
void expected(std::vector<unsigned>& data, int n) {
  std::vector<unsigned> part(n);
  for (int i = 0; i < n; ++i) part[i] = (data[i] * 11 + 5) ^ data[i];
  for (int i = 0; i < n; ++i) {
    const unsigned x = part[i / kThreads * kThreads + (i + 1) % kThreads], y = data[i] * 11 + 5;
    const unsigned a = x * 9 + y, b = a ^ (x << 3);
    data[n + i] = a * b + x;
  }
  for (int i = 0; i < n; ++i) data[i] = data[n + (i + kThreads) % n] + part[i];
}
"""
    + MAIN
)

# A table of 1024 bytes in shared memory, of which the second half is tagged. Two sites; at the second one the tag has
# ended, and the kernel writes to the table behind it.
TAGGED = (
    HEAD
    + r"""
constexpr int kTable = 256;
__device__ __align__(128) unsigned table[kTable];
__global__ void work(unsigned* data, int n) {
  __shared__ __align__(128) unsigned copy[kTable], mine[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < kTable; k += kThreads) copy[k] = table[k];
  mine[threadIdx.x] = data[i] + 3;
  __syncthreads();
  TB_readonly(copy + 128, table + 128, 512);
  __globalSync();
  unsigned sum = mine[threadIdx.x];
  for (int k = 0; k < 8; ++k) sum = sum * 5 + copy[(threadIdx.x * 7 + k * 31) % kTable];
  __syncthreads();
  TB_writable(copy + 200);
  copy[128 + threadIdx.x] += sum;
  __globalSync();
  data[i] = sum + copy[128 + (threadIdx.x + 1) % kThreads];
}
void expected(std::vector<unsigned>& data, int n) {
  std::vector<unsigned> sum(n);
  for (int i = 0; i < n; ++i) {
    sum[i] = data[i] + 3;
    for (int k = 0; k < 8; ++k) sum[i] = sum[i] * 5 + (i % kThreads * 7 + k * 31) % kTable * 77u;
  }
  for (int i = 0; i < n; ++i) {
    const int next = (i % kThreads + 1) % kThreads;
    data[i] = sum[i] + (128 + next) * 77u + sum[i / kThreads * kThreads + next];
  }
}
"""
    + MAIN.replace(
        "  work<<<",
        "  unsigned words[kTable];\n  for (int i = 0; i < kTable; ++i) words[i] = i * 77u;\n"
        "  cudaMemcpyToSymbol(table, words, sizeof words);\n  work<<<",
    )
)

WARPS = 3
SIMT_LINES = 3  # of 3 x 112 bytes
KEYS = ("run.functional=0", "chip.sms=2", "sm.tb_slots=3", "blocks.roster.enable=1")
# Keys of the engines for thread blocks that stay in their SM, with room for fewer of them than wait.
STAYING = {"shuttle": {"stay": 1}, "tb_swap": {"stay": 1, "places": 8}}
WHOLE = {"enable": 1, "live": 0, "stay": 0, "segments": 0}  # the engine moves whole contexts to memory and back


class Counts:
    """Counts of a run over all SMs."""

    def __init__(self, report):
        statistics = json.loads(report.read_text())
        units = [unit for unit in statistics["statistics"].values() if isinstance(unit, dict) and "moves" in unit]
        self.out = sum(unit["moves"]["out"] for unit in units)
        self.stores = sum(unit["swap_port"]["stores"] for unit in units)
        self.copies = sum(unit["swap_port"]["copies"] for unit in units)
        self.loads = sum(unit["swap_port"]["loads"] for unit in units)
        self.registers = next(kernel["registers"] for kernel in statistics["kernels"])


class SwappedSynchronisation(ProgramCase):
    def counts(self, text, level, blocks, **keys):
        """Runs a program, checks its results, and returns the counts of its report. `keys` are those of the engine."""
        report = self.path / "report.json"
        engine = [f"blocks.{ENGINE}.{key}={value}" for key, value in (WHOLE | keys).items()]
        words = [word for key in (*KEYS, *engine) for word in ("--set", key)]
        program = self.program(text, level)
        done = self.run_command([CASTOR, "run", "-p", "maxwell_liu13", *words, "--report", report, program, blocks])
        self.assertEqual((done.stdout, done.returncode), ("cudaSuccess cudaSuccess 0 wrong\n", 0), done.stderr)
        return Counts(report)

    def test_one_site_moves_its_live_registers(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level=level):
                whole = self.counts(ONE_SITE, level, 14)
                self.assertEqual(whole.out, 3 * (14 - 6))
                self.assertEqual(whole.stores, whole.out * (SIMT_LINES + WARPS * whole.registers))
                live = self.counts(ONE_SITE, level, 14, live=1)
                self.assertEqual((live.out, live.stores), (whole.out, live.loads))
                registers, rest = divmod(live.stores - live.out * SIMT_LINES, live.out * WARPS)
                self.assertEqual(rest, 0)
                self.assertTrue(0 < registers < live.registers, (registers, live.registers))

    def test_several_sites_shared_memory_and_a_call_between_barriers(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level=level):
                whole = self.counts(SEVERAL_SITES, level, 14)
                self.assertEqual(whole.out, 3 * (14 - 6))
                # 96 words of shared memory are 3 lines.
                self.assertEqual(whole.stores, whole.out * (SIMT_LINES + WARPS * whole.registers + 3))
                live = self.counts(SEVERAL_SITES, level, 14, live=1)
                self.assertEqual((live.out, live.stores), (whole.out, live.loads))
                self.assertLess(live.stores, whole.stores - live.out * WARPS)
                # Each barrier swaps out the same number of thread blocks.
                self.assertEqual((live.stores - live.out * (SIMT_LINES + 3)) % (live.out // 3 * WARPS), 0)

    def test_thread_blocks_that_stay_in_their_sm(self):
        for text in (ONE_SITE, SEVERAL_SITES):
            for level in ("-O0", "-O2"):
                with self.subTest(one_site=text is ONE_SITE, level=level):
                    stay = self.counts(text, level, 30, live=1, **STAYING[ENGINE])
                    self.assertEqual(stay.out, 3 * (30 - 6))
                    # Most of them stay in their homes, so only SIMT lines move, out and in.
                    self.assertEqual(stay.copies % (2 * SIMT_LINES), 0)
                    self.assertGreater(stay.copies, 2 * SIMT_LINES * stay.out // 2)
                    self.assertGreater(stay.stores, 0)

    def test_tagged_shared_memory_is_not_stored(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level=level):
                plain = self.counts(TAGGED, level, 14)
                tagged = self.counts(TAGGED, level, 14, segments=4)
                self.assertEqual((tagged.out, plain.out), (2 * (14 - 6),) * 2)
                # One more line holds the table. At the first of two barriers four lines of shared memory are tagged.
                self.assertEqual(tagged.loads, plain.loads + tagged.out)
                self.assertEqual(tagged.stores, plain.stores + tagged.out - 4 * tagged.out // 2)
                stay = self.counts(TAGGED, level, 30, segments=4, **STAYING[ENGINE])
                self.assertGreater(stay.copies, stay.out)


if __name__ == "__main__":
    CASTOR, ProgramCase.castor_cc = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    ProgramCase.blocks = ":".join(str(pathlib.Path(path).resolve()) for path in sys.argv[3].split(":"))
    ENGINE = sys.argv[4]
    del sys.argv[1:5]
    unittest.main()
