#!/usr/bin/env python3
"""CUDA programs with device-wide synchronisation: who refuses them, and what they compute where a block answers.

  synchronisation_test.py CASTOR CASTOR_CC FOLDER_OF_BLOCKS [unittest arguments...]
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from program_case import ProgramCase  # noqa: E402

CASTOR = None

# A stencil of many steps in one launch. Arguments: thread blocks, steps. Prints CUDA's name of the launch's error and
# whether the result is that of the host.
STENCIL = """
#include <castor_sync.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void plain(int* out) { *out = 7; }
__global__ void relax(int* a, int* b, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) {
    b[i] = a[(i + n - 1) % n] + 3 * a[i] - a[(i + 1) % n];
    __globalSync();
    int* const t = a;
    a = b;
    b = t;
  }
}
int main(int argc, char** argv) {
  const int blocks = std::atoi(argv[1]), steps = std::atoi(argv[2]), n = blocks * 128;
  int *a, *b;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  std::vector<int> host(n), next(n);
  for (int i = 0; i < n; ++i) host[i] = a[i] = i * 37 % 101;
  relax<<<blocks, 128>>>(a, b, n, steps);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i) {
      next[i] = int(unsigned(host[(i + n - 1) % n]) + 3u * unsigned(host[i]) - unsigned(host[(i + 1) % n]));
    }
    host.swap(next);
  }
  const int* const result = steps % 2 ? b : a;
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += result[i] != host[i];
  plain<<<1, 1>>>(a);
  cudaDeviceSynchronize();
  std::printf("%d wrong, plain %d\\n", wrong, a[0]);
}
"""

# Summed area table by waits and signals: thread block (r, c) waits for the ones above and to the left. Arguments: tiles
# per side, and an order of placement: rows, back (the last first), fronts (by r + c); then a swap policy.
TABLE = """
#include <castor_sync.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
constexpr int kTile = 8;
__device__ unsigned target(int r, int c) { return (r > 0) + (c > 0) + 1; }
__global__ void table(const int* in, int* out, int tiles) {
  const int r = blockIdx.x / tiles, c = blockIdx.x % tiles, n = tiles * kTile;
  if (r + c > 0) TB_wait(r * tiles + c, target(r, c));
  const int x = c * kTile + threadIdx.x, y = r * kTile + threadIdx.y;
  __shared__ int sum[kTile][kTile];
  sum[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  int inside = 0;
  for (int j = 0; j <= threadIdx.y; ++j) {
    for (int i = 0; i <= threadIdx.x; ++i) inside += sum[j][i];
  }
  const volatile int* const done = out;
  const int top = r * kTile - 1, left = c * kTile - 1;
  if (r > 0) inside += done[top * n + x];
  if (c > 0) inside += done[y * n + left];
  if (r > 0 && c > 0) inside -= done[top * n + left];
  out[y * n + x] = inside;
  if (c + 1 < tiles) TB_signal(r * tiles + c + 1, target(r, c + 1));
  if (r + 1 < tiles) TB_signal((r + 1) * tiles + c, target(r + 1, c));
}
int main(int argc, char** argv) {
  const int tiles = std::atoi(argv[1]), n = tiles * kTile;
  int *in, *out;
  cudaMallocManaged(&in, n * n * sizeof(int));
  cudaMallocManaged(&out, n * n * sizeof(int));
  for (int i = 0; i < n * n; ++i) in[i] = i * 37 % 11;
  std::vector<unsigned> ranks(tiles * tiles);
  castorSyncOptions options = castorSyncDefaults;
  options.events = tiles * tiles;
  for (int i = 0; i < tiles * tiles; ++i) {
    ranks[i] = std::strcmp(argv[2], "back") == 0 ? tiles * tiles - i : i / tiles + i % tiles;
  }
  if (std::strcmp(argv[2], "rows") != 0) {
    options.ranks = ranks.data();
    options.blocks = tiles * tiles;
  }
  options.swap = std::strcmp(argv[3], "never") == 0 ? castorSyncSwapNever : castorSyncSwapEager;
  std::printf("%s ", cudaGetErrorName(castorSetSyncOptions((const void*)table, &options)));
  table<<<tiles * tiles, dim3(kTile, kTile)>>>(in, out, tiles);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  std::vector<int> host(n * n);
  int wrong = 0;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      host[y * n + x] = in[y * n + x] + (y > 0 ? host[(y - 1) * n + x] : 0) + (x > 0 ? host[y * n + x - 1] : 0) -
                        (x > 0 && y > 0 ? host[(y - 1) * n + x - 1] : 0);
      wrong += host[y * n + x] != out[y * n + x];
    }
  }
  std::printf("%d wrong\\n", wrong);
}
"""

# Calls the host's functions with options, tags and errors.
FUNCTIONS = """
#include <castor_sync.h>
#include <cstdio>
__global__ void tagged(const int* in, int* out) {
  __shared__ int copy[128];
  copy[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) TB_readonly(copy, in, sizeof copy);
  __globalSync();
  out[blockIdx.x * 128 + threadIdx.x] = copy[127 - threadIdx.x];
  if (threadIdx.x == 0) TB_writable(copy);
}
__global__ void leaves(int* out) {
  if (blockIdx.x == 3) return;
  __globalSync();
  atomicAdd(out, 1);
}
int shown = 0;
void show(cudaError_t error) { std::printf("%s%s", shown++ ? " " : "", cudaGetErrorName(error)); }
int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&out, 16 * 128 * sizeof(int));
  for (int i = 0; i < 128; ++i) in[i] = i;
  tagged<<<16, 128>>>(in, out);
  show(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < 16 * 128; ++i) wrong += out[i] != 127 - i % 128;
  std::printf(" %d", wrong);
  unsigned ranks[8] = {};
  castorSyncOptions options = castorSyncDefaults;
  const void* const kernel = (const void*)leaves;
  show(castorSetSyncOptions(ranks, &options));
  options.events = 0;
  show(castorSetSyncOptions(kernel, &options));
  options.events = castorSyncMostEvents + 1;
  show(castorSetSyncOptions(kernel, &options));
  options.events = 1;
  options.blocks = 8;
  show(castorSetSyncOptions(kernel, &options));
  options.ranks = ranks;
  options.exit = castorSyncExit(2);
  show(castorSetSyncOptions(kernel, &options));
  options.exit = castorSyncExitShrink;
  options.swap = castorSyncSwap(3);
  show(castorSetSyncOptions(kernel, &options));
  options.swap = castorSyncSwapLazy;
  show(castorSetSyncOptions(kernel, &options));
  leaves<<<7, 32>>>(out);
  show(cudaGetLastError());
  *out = 0;
  leaves<<<8, 32>>>(out);
  show(cudaDeviceSynchronize());
  std::printf(" %d", *out);
  show(castorSetSyncOptions(kernel, nullptr));
  leaves<<<7, 32>>>(out);
  show(cudaDeviceSynchronize());
  std::printf("\\n");
}
"""

# A kernel that meets at a grid barrier and launches groups: of itself, of a kernel that signals, and of a plain one.
# Prints the errors of the calls, then how many thread blocks have run of each.
GROUPS = """
#include <castor_sync.h>
#include <cuda_runtime.h>
#include <cstdio>
struct Counts { int plain, meeting, signalling, behind, codes[3]; };
__global__ void plain(Counts* counts) {
  if (threadIdx.x == 0) atomicAdd(&counts->plain, 1);
}
__global__ void signals(Counts* counts) {
  if (threadIdx.x == 0) atomicAdd(&counts->signalling, 1);
  TB_signal(0, 2);
}
__device__ int launch(void* kernel, Counts* counts) {
  void* const buffer = cudaGetParameterBuffer(64, sizeof counts);
  *static_cast<Counts**>(buffer) = counts;
  return cudaLaunchAggGroup(kernel, buffer, dim3(2), dim3(64), 0);
}
__global__ void meets(Counts* counts) {
  if (threadIdx.x == 0) {
    atomicAdd(&counts->meeting, 1);
    if (blockIdx.x == 1) {
      counts->codes[0] = launch((void*)meets, counts);
      counts->codes[1] = launch((void*)signals, counts);
      counts->codes[2] = launch((void*)plain, counts);
    }
  }
  __globalSync();
  if (threadIdx.x == 0) atomicAdd(&counts->behind, *(volatile int*)&counts->meeting);
}
int main() {
  Counts* counts;
  cudaMallocManaged(&counts, sizeof *counts);
  *counts = {};
  meets<<<4, 64>>>(counts);
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (const int code : counts->codes) std::printf(" %s", cudaGetErrorName(cudaError_t(code)));
  std::printf(" %d %d %d %d\\n", counts->plain, counts->meeting, counts->signalling, counts->behind);
}
"""


class Synchronisation(ProgramCase):
    def run_program(
        self, text, *arguments, functional=True, keys=(), environment=None, level="-O2", machine="tiny", report=None
    ):
        """Returns the output and the messages of a program on a machine."""
        settings = [f"run.functional={int(functional)}", *keys]
        words = [word for key in settings for word in ("--set", key)]
        if report is not None:
            words += ["--report", report]
        program = self.program(text, level)
        done = self.run_command([CASTOR, "run", "-p", machine, *words, program, *arguments], environment)
        return done.stdout, done.stderr

    def test_a_launch_is_refused_with_the_name_of_the_missing_block_and_other_kernels_run(self):
        for functional in (False, True):
            with self.subTest(functional=functional):
                output, messages = self.run_program(STENCIL, 2, 1, functional=functional)
                self.assertRegex(output, r"^cudaErrorNotSupported cudaSuccess [1-9]\d* wrong, plain 7\n$")
                self.assertRegex(
                    messages,
                    r"launch of relax\(.*\): it can reach tb\.gridsync in kernel 'relax.*app\d*\.ptx:\d+\), "
                    r"which block roster answers: blocks\.roster\.enable=1\n",
                )

    def test_without_such_a_block_the_message_says_so(self):
        output, messages = self.run_program(STENCIL, 2, 1, environment={"CASTOR_BLOCKS": ""})
        self.assertRegex(output, r"^cudaErrorNotSupported cudaSuccess [1-9]\d* wrong, plain 7\n$")
        self.assertIn("which no installed block answers", messages)

    def test_the_timing_machine_needs_a_hub(self):
        keys = ("blocks.roster.enable=1", "blocks.roster.hub=0")
        output, messages = self.run_program(STENCIL, 2, 1, functional=False, keys=keys)
        self.assertRegex(output, r"^cudaErrorNotSupported cudaSuccess [1-9]\d* wrong, plain 7\n$")
        self.assertIn("for which this timing GPU has no hub: run.functional=1", messages)
        output, messages = self.run_program(TABLE, 2, "back", "eager", functional=False, keys=keys)
        self.assertRegex(output, r"^cudaSuccess cudaErrorNotSupported ")

    def test_on_the_timing_machine_a_stencil_of_all_blocks_that_fit_computes_what_the_host_does(self):
        # Blocks of 128 threads that are resident together.
        most = {"tiny": 8, "kepler_k20c_study": 208, "maxwell_liu13": 208, "turing_rtx2060_study": 240}
        for machine, blocks in most.items():
            for level in ("-O0", "-O2"):
                with self.subTest(machine=machine, level=level):
                    keys = ("blocks.roster.enable=1",)
                    output, messages = self.run_program(
                        STENCIL, blocks, 5, functional=False, keys=keys, level=level, machine=machine
                    )
                    self.assertEqual((output, messages), ("cudaSuccess cudaSuccess 0 wrong, plain 7\n", ""))
            output, messages = self.run_program(
                STENCIL, blocks + 1, 5, functional=False, keys=("blocks.roster.enable=1",), machine=machine
            )
            self.assertEqual(output.split()[0], "cudaErrorCooperativeLaunchTooLarge", machine)
            self.assertIn(f"must be resident at once; this machine has room for {blocks}", messages)

    def test_on_the_timing_machine_waits_and_signals_order_thread_blocks(self):
        for machine in ("kepler_k20c_study", "maxwell_liu13"):
            for order in ("rows", "back", "fronts"):
                with self.subTest(machine=machine, order=order):
                    keys = ("blocks.roster.enable=1",)
                    output, messages = self.run_program(
                        TABLE, 12, order, "lazy", functional=False, keys=keys, machine=machine
                    )
                    self.assertEqual((output, messages), ("cudaSuccess cudaSuccess cudaSuccess 0 wrong\n", ""))

    def test_on_the_timing_machine_options_act_and_promises_cost_nothing_else(self):
        output, messages = self.run_program(
            FUNCTIONS, functional=False, keys=("blocks.roster.enable=1",), machine="kepler_k20c_study"
        )
        self.assertEqual(
            output,
            "cudaSuccess 0 cudaErrorInvalidDeviceFunction"
            + " cudaErrorInvalidValue" * 5
            + " cudaSuccess cudaErrorInvalidValue cudaSuccess 224 cudaSuccess cudaErrorIllegalInstruction\n",
        )
        self.assertIn("an order of 8 thread blocks for a grid of 7", messages)
        self.assertRegex(messages, r"sync_hub reports error 3 \(information 3\) in cycle \d+ about kernel leaves")

    def test_groups_of_a_kernel_that_synchronises_are_refused_and_others_run(self):
        for functional in (False, True):
            for groups in (0, 1):
                with self.subTest(functional=functional, groups=groups):
                    keys = ("blocks.roster.enable=1", "blocks.roster.swaps=0", f"blocks.dtbl.enable={groups}")
                    output, messages = self.run_program(
                        GROUPS, functional=functional, keys=keys, machine="kepler_k20c_study"
                    )
                    errors = ("cudaSuccess", "cudaSuccess", *["cudaErrorNotSupported"] * 2, "cudaSuccess")
                    self.assertEqual(output, " ".join(errors) + " 2 4 0 16\n")
                    for kernel, instruction in (("meets", "gridsync"), ("signals", "signal")):
                        self.assertRegex(
                            messages,
                            rf"groups of {kernel}\(.*\) were refused \(error 801\): it can reach tb\.{instruction} in "
                            r"kernel '.*ptx:\d+\), and a group of thread blocks cannot synchronise over the device\n",
                        )

    def test_a_stencil_in_one_launch_computes_what_the_host_does(self):
        for level in ("-O0", "-O2"):
            for live in (0, 1):
                # 8 thread blocks of 128 threads are resident together.
                for blocks in (1, 8, 9, 40):
                    with self.subTest(level=level, live=live, blocks=blocks):
                        keys = ("blocks.roster.enable=1", f"check.live={live}")
                        output, messages = self.run_program(STENCIL, blocks, 7, keys=keys, level=level)
                        self.assertEqual((output, messages), ("cudaSuccess cudaSuccess 0 wrong, plain 7\n", ""))

    def test_without_swapping_a_grid_that_does_not_fit_is_refused(self):
        keys = ("blocks.roster.enable=1", "blocks.roster.swaps=0")
        output, messages = self.run_program(STENCIL, 8, 7, keys=keys)
        self.assertEqual((output, messages), ("cudaSuccess cudaSuccess 0 wrong, plain 7\n", ""))
        output, messages = self.run_program(STENCIL, 9, 7, keys=keys)
        self.assertEqual(output.split()[0], "cudaErrorCooperativeLaunchTooLarge")
        self.assertIn("its 9 blocks must be resident at once; this machine has room for 8", messages)

    def test_a_grid_beyond_what_can_be_swapped_out_is_refused_without_side_effect(self):
        # 8 thread blocks are resident; two SMs.
        keys = ("blocks.roster.enable=1", "blocks.roster.away=12")
        output, messages = self.run_program(STENCIL, 20, 7, keys=keys)
        self.assertEqual((output, messages), ("cudaSuccess cudaSuccess 0 wrong, plain 7\n", ""))
        output, messages = self.run_program(STENCIL, 21, 7, keys=keys)
        self.assertRegex(output, r"^cudaErrorCooperativeLaunchTooLarge cudaSuccess [1-9]\d* wrong, plain 7\n$")
        self.assertIn("this machine has room for 8, and at most 12 can be swapped out", messages)
        # One image of a thread block is more than half a page of 2 MiB, so the region holds 15.
        keys = ("blocks.roster.enable=1", "blocks.roster.state=1048576", "context.region=30MiB")
        output, messages = self.run_program(STENCIL, 15, 7, keys=keys)
        self.assertEqual((output, messages), ("cudaSuccess cudaSuccess 0 wrong, plain 7\n", ""))
        output, messages = self.run_program(STENCIL, 18, 7, keys=keys)
        self.assertRegex(output, r"^cudaErrorMemoryAllocation cudaSuccess [1-9]\d* wrong, plain 7\n$")
        self.assertRegex(messages, r"region for contexts \(context\.region\) holds 15 of the 16 images of \d+ bytes")

    def test_waits_and_signals_order_thread_blocks_whatever_the_order_of_placement(self):
        for order in ("rows", "back", "fronts"):
            for live in (0, 1):
                with self.subTest(order=order, live=live):
                    keys = ("blocks.roster.enable=1", f"check.live={live}")
                    output, messages = self.run_program(TABLE, 9, order, "eager", keys=keys)
                    self.assertEqual((output, messages), ("cudaSuccess cudaSuccess cudaSuccess 0 wrong\n", ""))

    def test_thread_blocks_that_are_not_swapped_out_need_an_order_of_dependence(self):
        keys = ("blocks.roster.enable=1",)
        for order in ("rows", "fronts"):
            output, messages = self.run_program(TABLE, 9, order, "never", keys=keys)
            self.assertEqual((output, messages), ("cudaSuccess cudaSuccess cudaSuccess 0 wrong\n", ""), order)
        output, messages = self.run_program(TABLE, 9, "back", "never", keys=keys)
        self.assertRegex(output, "^cudaSuccess cudaSuccess cudaErrorLaunchTimeout [1-9]")
        self.assertIn("thread blocks sleep, and nothing can wake them", messages)
        self.assertRegex(messages, r"event \d+: count \d of 3; waiting: \(\d+,0,0\) \(PTX line \d+\)")
        self.assertRegex(messages, r"\d+ blocks are not placed")

    def test_options_are_checked_and_kept_per_kernel(self):
        output, messages = self.run_program(FUNCTIONS, keys=("blocks.roster.enable=1", "check.live=1"))
        self.assertEqual(
            output,
            "cudaSuccess 0 cudaErrorInvalidDeviceFunction"
            + " cudaErrorInvalidValue" * 5
            + " cudaSuccess cudaErrorInvalidValue cudaSuccess 224 cudaSuccess cudaErrorLaunchFailure\n",
        )
        self.assertIn("an order of 8 thread blocks for a grid of 7", messages)
        self.assertRegex(
            messages,
            r"grid barrier that can never complete: block \(3,0,0\) of the kernel has ended\n" r".*app\d*\.ptx:\d+",
        )


if __name__ == "__main__":
    CASTOR, ProgramCase.castor_cc, ProgramCase.blocks = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
    del sys.argv[1:4]
    unittest.main()
