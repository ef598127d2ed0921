#!/usr/bin/env python3
"""castor new-block: for each hook a block that compiles, equals its RTL and changes no cycle of a machine; and what is
refused.

  new_block_test.py BUILD [unittest arguments...]
"""

import json
import re
import shutil

from package import PackageCase, main

HOOKS = ("dispatch", "fetch_filter", "governors", "issue", "job_scheduler", "launch", "sources", "swap", "sync")

# What a block on the hook needs beside it.
BESIDE = {"launch": ("blocks.laperm.enable=1",)}

# Kernels of different sizes in several streams, more thread blocks than the machine holds.
PROGRAM = r"""
#include <cuda_runtime.h>
#include <cstdio>
__global__ void work(float* x, int n, int rounds) {
  __shared__ float part[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int r = 0; r < rounds; ++r) {
    part[threadIdx.x] = sum;
    __syncthreads();
    sum += part[(threadIdx.x + r) % 64] * 0.5f;
    __syncthreads();
  }
  if (i < n) x[i] = sum;
}
int main() {
  const int n = 6000;
  for (int s = 0; s < 3; ++s) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemsetAsync(x, 0, n * sizeof(float), stream);
    for (int k = 1; k <= 3; ++k) work<<<(n + 63) / 64 / k, 64, 0, stream>>>(x, n, 2 * s + k);
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""

# Hooks that see launches by device code; 1: those of groups of thread blocks.
LAUNCHES = {"launch": 1, "sources": 0}

# Kernels whose threads launch others, as groups of thread blocks where GROUPS is 1.
LAUNCHING = r"""
#include <cuda_runtime.h>
#include <cstdio>
__device__ unsigned total;
__global__ void child(int n) {
  if (int(threadIdx.x) < n) atomicAdd(&total, 1u);
}
__global__ void parent() {
  const int n = int(threadIdx.x % 7) * 9 + 1;
  if (threadIdx.x % 3 != 0) return;
#if GROUPS
  void* const buffer = cudaGetParameterBuffer(64, sizeof n);
  if (buffer == nullptr) return;
  *static_cast<int*>(buffer) = n;
  cudaLaunchAggGroup(reinterpret_cast<void*>(child), buffer, dim3(1 + n / 32), dim3(64), 0);
#else
  child<<<1 + n / 32, 64>>>(n);
#endif
}
int main() {
  for (int s = 0; s < 3; ++s) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    for (int k = 1; k <= 2; ++k) parent<<<2 + s, 32 * k, 0, stream>>>();
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""

# One kernel whose thread blocks meet at barriers of the whole grid; every thread block reads what another one wrote,
# which is late in one round. The number of its 9 x 64 threads with a wrong result is printed. FAULTS is the pass in
# front of which a kernel is stopped by its first thread, while its other thread blocks wait at a barrier.
MEETING = r"""
#include <castor_sync.h>
#include <cstdio>
__global__ void meet(int* x, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    if (blockIdx.x == r) __nanosleep(20000);
    const int read = x[(i + 64) % n + r % 2 * n];
    x[i + (r + 1) % 2 * n] = read + 1;
    __globalSync();
  }
}
__global__ void faults(int* x) {
  if (blockIdx.x + threadIdx.x == 0) *reinterpret_cast<volatile int*>(16) = 1;
  __globalSync();
}
int main() {
  const int n = 9 * 64, rounds = 7;
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == FAULTS) {
      faults<<<9, 64>>>(nullptr);
      std::printf("%s, ", cudaGetErrorName(cudaDeviceSynchronize()));
      cudaDeviceReset();
    }
    int* x;
    cudaMallocManaged(&x, 2 * n * sizeof(int));
    for (int i = 0; i < n; ++i) x[i] = i;
    meet<<<9, 64>>>(x, n, rounds);
    std::printf("%s, ", cudaGetErrorString(cudaGetLastError()));
    std::printf("%s, ", cudaGetErrorString(cudaDeviceSynchronize()));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += x[i + rounds % 2 * n] != (i + rounds * 64) % n + rounds;
    std::printf("%d wrong\n", wrong);
  }
}
"""

# Machines, and what they are changed to so that every hook can be plugged in.
MACHINES = (
    ("tiny", ("fetch.warps=1",)),
    ("maxwell_liu25", ("fetch.warps=1",)),
    ("gcn_apu", ("fetch.warps=1", "parse.select_scan=0", "ibuffer.refill=empty")),
)

# Counts of the front end's own dispatcher, which is not asked where there is a dispatch policy.
OWN_DISPATCHER = {"no_fit_cycles", "head_blocked_cycles", "closed_cycles"}


def without(statistics, left_out):
    if not isinstance(statistics, dict):
        return statistics
    return {key: without(value, left_out) for key, value in statistics.items() if key not in left_out}


class NewBlock(PackageCase):
    def castor(self, *words, **more):
        return self.run_in(self.folder, "castor", *words, **more)

    def skeleton(self, hook):
        """Writes and builds one; checks lockstep, properties, and that it changes nothing of a machine."""
        name = f"my_{hook}2"
        self.castor("new-block", name, "--hook", hook)
        self.build(self.folder / name)
        # The RTL of a skeleton is one text, its ports are the hook's: once at all sets.
        everything = ("--all",) if hook == HOOKS[0] else ()
        self.assertRegex(self.castor("cosim", name, *everything, "--cycles", 5000), r"\b0 (mismatches|failed)")
        resets = self.castor("cosim", name, "--sequence", "patient", "--cycles", 5000)
        self.assertRegex(resets, r"\b0 mismatches")
        self.has_a_view(name)
        self.assertRegex(self.castor("prove", name), r"2 proven, 0 only to a bound, 2 covers reached, 0 failed")
        (self.folder / "work.cu").write_text(PROGRAM)
        self.run_in(self.folder, "castor-cc", "-O2", "work.cu", "-o", "work")
        if hook in LAUNCHES:
            self.takes_launches(name, hook)
        for machine, keys in MACHINES:
            # laperm and swap engines know warps of 32 lanes.
            if (hook in BESIDE or hook == "swap") and machine == "gcn_apu":
                continue
            changed = [word for key in keys for word in ("--set", key)]
            changed += [word for key in BESIDE.get(hook, ()) for word in ("--set", key)]
            on = [*changed, "--set", f"blocks.{name}.enable=1"]
            plain = self.run_on(machine, changed)
            with_block = self.run_on(machine, on)
            self.same(plain, with_block, name)
            if machine == "tiny":
                lockstep = self.run_on(machine, [*on, "--set", f"blocks.{name}.engine=lockstep"])
                self.assertEqual(lockstep["statistics_hash"], with_block["statistics_hash"])
        self.assertIn('"taken": ', (self.folder / "report.json").read_text())
        if hook == "swap":
            self.moves_contexts(name)
        if hook == "sync":
            self.executes_grid_barriers(name)

    def moves_contexts(self, name):
        """Thread blocks that are swapped out at random go through the block; programs end as without."""
        on = [f"blocks.{name}.enable=1", "context.mover=engine", "context.random=1"]
        for engine in ("model", "lockstep"):
            keys = [*on, f"blocks.{name}.engine={engine}"]
            report = self.run_on("tiny", [word for key in keys for word in ("--set", key)])
            self.assertGreater(int(re.search(r'"taken": (\d+)', json.dumps(report))[1]), 0)

    def executes_grid_barriers(self, name):
        """Hub and agents of the block execute grid barriers, also behind a kernel that was stopped at one. Without the
        block such a kernel is refused."""
        (self.folder / "meeting.cu").write_text(MEETING)
        for program, faults in (("meeting", -1), ("faulting", 1)):
            self.run_in(self.folder, "castor-cc", "-O2", f"-DFAULTS={faults}", "meeting.cu", "-o", program)
        refused = self.castor("run", "-p", "tiny", "./meeting")
        self.assertIn(f"which block {name} answers", refused)
        self.assertIn("operation not supported, ", refused)
        on = ["--set", f"blocks.{name}.enable=1", "--set"]
        reports = []
        for engine in ("model", "lockstep"):
            words = [*on, f"blocks.{name}.engine={engine}", "--report", "report.json"]
            output = self.castor("run", "-p", "tiny", *words, "./meeting")
            self.assertEqual(output.count("no error, no error, 0 wrong"), 2, output)
            reports.append(json.loads((self.folder / "report.json").read_text()))
            gpu = reports[-1]["statistics"]
            self.assertEqual(gpu["front_end"]["sync_hub"][name]["taken"], 2 * 7 * 9)
            self.assertEqual(gpu["sm0"]["sync_agent"][name]["taken"], gpu["sm0"]["sync_net"]["up_messages"])
            stopped = self.castor("run", "-p", "tiny", *words, "./faulting")
            self.assertEqual(stopped.count("no error, no error, 0 wrong"), 2, stopped)
            self.assertIn("cudaErrorIllegalAddress", stopped)
        self.assertEqual(reports[0]["statistics_hash"], reports[1]["statistics_hash"])

    def takes_launches(self, name, hook):
        """Launches by device code go through the block, and the machine takes as long as without it."""
        (self.folder / "launching.cu").write_text(LAUNCHING)
        self.run_in(self.folder, "castor-cc", "-O2", f"-DGROUPS={LAUNCHES[hook]}", "launching.cu", "-o", "launching")
        beside = [word for key in BESIDE.get(hook, ()) for word in ("--set", key)]
        on = [*beside, "--set", f"blocks.{name}.enable=1"]
        plain = self.run_on("tiny", beside, "./launching")
        for engine in ("model", "lockstep"):
            with_block = self.run_on("tiny", [*on, "--set", f"blocks.{name}.engine={engine}"], "./launching")
            self.same(plain, with_block, name)
            self.assertGreater(int(re.search(r'"taken": (\d+)', json.dumps(with_block))[1]), 0)

    def has_a_view(self, name):
        self.castor("cosim", name, "--cycles", 50, "--wave", "w.vcd")
        view = (self.folder / "w.gtkw").read_text()
        for line in (
            f"model.castor_{name}_probe.count_o[7:0]",
            f"rtl.top.castor_{name}_probe.probe_count_state_o[7:0]",
        ):
            self.assertIn(f"\n{line}\n", view)

    def run_on(self, machine, words, program="./work"):
        self.assertIn("no error", self.castor("run", "-p", machine, *words, "--report", "report.json", program))
        return json.loads((self.folder / "report.json").read_text())

    def same(self, plain, with_block, name):
        self.assertEqual(plain["cycles"], with_block["cycles"])
        groups = {
            "job_scheduler",
            "launch_unit",
            "source_order",
            "dispatch_policy",
            "governor0",
            "fetch_filter",
            "filter",
            "issue_policy",
            "swap_engine",
            "swap_port",
            "sync_hub",
            "sync_agent",
            "sync_net",
            "sync_issue",
        } | OWN_DISPATCHER
        self.assertEqual(without(plain["statistics"], groups), without(with_block["statistics"], groups), name)

    def test_what_is_wrong_with_a_request_is_said_in_one_line(self):
        self.castor("new-block", "good", "--hook", "issue")
        for words, said in (
            (("x", "--hook", "memory"), ", ".join(HOOKS)),
            (("X", "--hook", "issue"), "cannot be the name of a block"),
            (("1x", "--hook", "issue"), "cannot be the name of a block"),
            (("a__b", "--hook", "issue"), "cannot be the name of a block"),
            (("../x", "--hook", "issue"), "cannot be the name of a block"),
            (("class", "--hook", "issue"), "another meaning"),
            (("saws", "--hook", "issue"), "there is a block called saws"),
            (("good", "--hook", "issue"), "'good' exists"),
            (("x", "--hook", "issue", "--into", "good"), "'good' exists"),
            (("x", "--hook", "issue", "--into", "/proc/x"), "cannot write '/proc/x'"),
            (("x",), "--hook"),
        ):
            with self.subTest(words=words):
                output = self.castor("new-block", *words, expect=2)
                self.assertIn(said, output)
                self.assertEqual(output.count("\n"), 1, output)
                self.assertFalse((self.folder / "x").exists())

    def test_sources_beside_the_headers_are_compiled_and_the_block_can_be_installed(self):
        self.castor("new-block", "mine", "--hook", "dispatch")
        folder = self.folder / "mine"
        engine = folder / "mine/engine.h"
        text = engine.read_text()
        body = re.search(r"  void clock\(const Inputs& in\) \{\n(.*?)\n  \}\n", text, re.DOTALL)
        engine.write_text(text.replace(body.group(), "  void clock(const Inputs& in);\n"))
        (folder / "mine/engine.cpp").write_text(
            '#include "mine/engine.h"\n\nvoid blocks::mine::Engine::clock(const Inputs& in) {\n'
            + body.group(1)
            + "\n}\n"
        )
        self.build(folder)
        self.assertIn("0 mismatches", self.castor("cosim", "mine", "--cycles", 2000))
        self.run_in(folder, "cmake", "--install", "build", "--prefix", self.folder / "installed")
        shutil.rmtree(folder)
        self.environment["CASTOR_BLOCKS"] = str(next(self.folder.glob("installed/lib*/**/castor/blocks")))
        self.assertIn("0 mismatches", self.castor("cosim", "mine", "--params", "Width=2", "--cycles", 2000))
        self.assertIn("2 proven", self.castor("prove", "mine"))

    def test_a_machine_that_does_what_the_skeleton_does_not_is_refused(self):
        self.castor("new-block", "mine", "--hook", "job_scheduler")
        self.build(self.folder / "mine")
        (self.folder / "work.cu").write_text(PROGRAM)
        self.run_in(self.folder, "castor-cc", "work.cu", "-o", "work")
        output = self.castor("run", "-p", "gcn_apu", "--set", "blocks.mine.enable=1", "./work", expect=2)
        self.assertIn("parse.select_scan", output)


for one in HOOKS:
    setattr(NewBlock, f"test_skeleton_on_hook_{one}_changes_nothing", lambda self, hook=one: self.skeleton(hook))

if __name__ == "__main__":
    main()
