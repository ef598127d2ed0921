#!/usr/bin/env python3
"""Programs whose threads launch groups of thread blocks, on machines with and without the block that has them run with
resident kernels: results, and that no group and no thread block is lost or run twice.

  groups_test.py CASTOR FOLDER_OF_KERNELS [unittest arguments...]
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from dynamic_programs import HASH, PROGRAMS

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402
from sample import sample  # noqa: E402

CASTOR = KERNELS = None
LAUNCHES = re.compile(r": launches (\d+), refused 0, failed 0$", re.MULTILINE)


# More launches than fit come from one SM, before and after a reset of the device.
RESET = """
#include <cstdio>
#include <vector>
__global__ void child(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
__global__ void root(int* out) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  for (int i = 0; i < 4; ++i) child<<<8, 1024, 0, s>>>(out);
}
int main() {
  constexpr int kBytes = 64 << 20;
  bool right = true;
  for (int round = 0; round < 2; ++round) {
    char* buffer = nullptr;
    int *out = nullptr, count = 0;
    cudaMalloc(&buffer, kBytes);
    cudaMalloc(&out, sizeof count);
    cudaMemset(buffer, 0x5a, kBytes);
    cudaMemset(out, 0, sizeof count);
    root<<<1, 32>>>(out);
    cudaMemcpy(&count, out, sizeof count, cudaMemcpyDeviceToHost);
    std::vector<char> bytes(kBytes);
    cudaMemcpy(bytes.data(), buffer, kBytes, cudaMemcpyDeviceToHost);
    for (const char byte : bytes) right = right && byte == 0x5a;
    right = right && count == 32 * 4 * 8;
    cudaDeviceReset();
  }
  std::puts(right ? "right" : "WRONG");
}
"""


class Run:
    """Returns the program's output and the report of the machine."""

    def __init__(self, name, form, *arguments, keys=()):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            command = [CASTOR, "run", "--platform", "kepler_k20c", "--report", report]
            for key in keys:
                command += ["--set", key]
            command += [KERNELS / f"dynamic_{name}", form, *PROGRAMS[name], *arguments]
            done = subprocess.run(command, cwd=folder, text=True, capture_output=True, timeout=HANG_SECONDS)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)
            report = json.loads(report.read_text())
        self.launches = int(LAUNCHES.search(done.stdout)[1])
        self.hash = HASH.search(done.stdout)[1]
        front_end = report["statistics"]["front_end"]
        self.launcher = front_end["device_launches"]
        self.block = front_end.get("launch_unit", {}).get("dtbl", {})
        self.policy = front_end.get("dispatch_policy", {}).get("laperm", {})
        self.front_end = front_end
        self.cycles = report["cycles"]
        self.kernels = report["kernels"]

    def sum(self, count):
        return sum(kernel["counts"].get(count, 0) for kernel in self.kernels)


class Groups(unittest.TestCase):
    WITH = ("blocks.dtbl.enable=1",)
    LAPERM = ("blocks.laperm.enable=1",)
    BOTH = ("blocks.dtbl.enable=1", "blocks.dtbl.dispatch=0", "blocks.laperm.enable=1")

    def conserved(self, run):
        launcher, block = run.launcher, run.block
        self.assertGreater(run.launches, 0)
        self.assertEqual(launcher["groups"], run.launches)
        self.assertEqual(launcher["attached"] + launcher["fallbacks"], launcher["groups"])
        self.assertEqual(launcher["granted"], launcher["fallbacks"])
        self.assertEqual(run.sum("groups"), launcher["attached"])
        placed = sum(kernel["thread_blocks"] for kernel in run.kernels) + run.sum("group_thread_blocks")
        self.assertEqual(run.front_end["tb_placed"], placed)
        self.assertEqual(run.front_end["tb_retired"], placed)
        if not block:
            return
        self.assertEqual(block["groups"], launcher["groups"])
        self.assertEqual(block["kde_hits"], launcher["attached"])
        self.assertEqual(block["kde_misses"], launcher["fallbacks"])
        self.assertEqual(block["agt_hits"] + block["agt_misses"], block["kde_hits"])
        if not run.policy:
            self.assertEqual(block["offchip_loads"], block["agt_misses"])

    def test_of_every_program(self):
        for name in sample("groups", 2, PROGRAMS):
            with self.subTest(name):
                flat = Run(name, "flat")
                self.assertEqual(flat.launcher["groups"], 0)
                without, attached = Run(name, "dtbl"), Run(name, "dtbl", keys=self.WITH)
                for run in (without, attached):
                    self.conserved(run)
                    self.assertEqual(run.hash, flat.hash)
                self.assertEqual(without.launcher["attached"], 0)
                self.assertEqual(attached.launcher["fallbacks"], 0, "the child kernel is resident from the beginning")

    def test_of_kernels_that_come_with_their_groups(self):
        run = Run("bfs", "dtbl", "--warm", "0", keys=self.WITH)
        self.conserved(run)
        self.assertGreater(run.launcher["fallbacks"], 0, "the first groups find no kernel")

    def test_of_a_small_table(self):
        small = Run("regexp", "dtbl", keys=(*self.WITH, "blocks.dtbl.agt_size=1"))
        large = Run("regexp", "dtbl", keys=(*self.WITH, "blocks.dtbl.agt_size=2048"))
        for run in (small, large):
            self.conserved(run)
        self.assertEqual(small.hash, large.hash)
        self.assertGreater(small.block["agt_misses"], large.block["agt_misses"])
        self.assertEqual(small.block["agt_used_peak"], 1)
        self.assertGreater(small.block["link_writes"], 0)

    def test_of_the_other_hash(self):
        run = Run("join", "dtbl", keys=(*self.WITH, "blocks.dtbl.hash_mode=1"))
        self.conserved(run)
        self.assertNotEqual(run.block["agt_hits"], Run("join", "dtbl", keys=self.WITH).block["agt_hits"])

    def test_of_a_program_without_groups(self):
        keys = ("dispatch.bypass=off",)
        for form in ("flat", "cdp"):
            one, other = Run("sssp", form, keys=keys), Run("sssp", form, keys=(*keys, *self.WITH))
            self.assertEqual(one.hash, other.hash)
            self.assertEqual(
                [(kernel["start_ps"], kernel["end_ps"]) for kernel in one.kernels],
                [(kernel["start_ps"], kernel["end_ps"]) for kernel in other.kernels],
            )

    def placed_as_pushed(self, run):
        stages = sum(run.policy[stage] for stage in ("own", "host", "stolen"))
        self.assertEqual(stages, run.front_end["tb_placed"])
        self.assertEqual(run.policy["memory_reads"], run.policy["memory_writes"])

    def test_of_locality_aware_placement(self):
        for name in sample("placement", 2, PROGRAMS):
            with self.subTest(name):
                groups, children = Run(name, "dtbl", keys=self.BOTH), Run(name, "cdp", keys=self.LAPERM)
                self.conserved(groups)
                self.assertEqual(groups.hash, children.hash)
                self.assertEqual(groups.launcher["fallbacks"], 0)
                self.assertEqual(children.launcher["granted"], children.launches)
                for run in (groups, children):
                    self.placed_as_pushed(run)
                    self.assertGreater(run.policy["own"] + run.policy["stolen"], 0)

    def test_of_its_policies(self):
        runs = [Run("regexp", "dtbl", keys=(*self.BOTH, f"blocks.laperm.policy={policy}"))
                for policy in ("tb_pri", "smx_bind", "adaptive_bind")]  # fmt: skip
        for run in runs:
            self.conserved(run)
            self.placed_as_pushed(run)
        self.assertEqual([run.policy["stolen"] > 0 for run in runs], [False, False, True])
        self.assertEqual(len({run.hash for run in runs}), 1)

    def test_of_lists_in_memory(self):
        run = Run("regexp", "dtbl", keys=(*self.BOTH, "blocks.laperm.bank_depth=2"))
        self.conserved(run)
        self.placed_as_pushed(run)
        self.assertGreater(run.policy["memory_writes"], 0)

    def test_lists_in_memory_that_nothing_lies_in_change_nothing(self):
        keys = ("l1.caches_global=1", *self.LAPERM)
        lists, none = (Run("recommend", "cdp", keys=(*keys, f"blocks.laperm.list_log2={log2}")) for log2 in (12, 0))
        self.assertEqual(lists.policy["memory_writes"], 0)
        self.assertEqual(lists.cycles, none.cycles)

    def test_lists_in_memory_outlive_a_reset_of_the_device(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "reset.cu").write_text(RESET)
            compiler = CASTOR.with_name("castor-cc")
            subprocess.run([compiler, "-O2", "reset.cu", "-o", "reset"], cwd=folder, check=True, timeout=HANG_SECONDS)
            command = [CASTOR, "run", "--platform", "kepler_k20c", "--report", "r.json"]
            for key in (*self.LAPERM, "blocks.laperm.bank_depth=2", "blocks.laperm.policy=smx_bind"):
                command += ["--set", key]
            done = subprocess.run(
                [*command, "./reset"], cwd=folder, text=True, capture_output=True, timeout=HANG_SECONDS
            )
            report = json.loads((pathlib.Path(folder) / "r.json").read_text())
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        self.assertGreater(report["statistics"]["front_end"]["dispatch_policy"]["laperm"]["memory_writes"], 0)

    def refused(self, *keys):
        command = [CASTOR, "run", "--platform", "kepler_k20c"]
        for key in (*self.WITH, *keys):
            command += ["--set", key]
        done = subprocess.run(
            [*command, KERNELS / "dynamic_bfs", "flat"], text=True, capture_output=True, timeout=HANG_SECONDS
        )
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    def test_of_what_is_refused(self):
        self.assertIn("power of two", self.refused("blocks.dtbl.agt_size=3"))
        self.assertIn("sm.lanes is 64", self.refused("sm.lanes=64"))
        self.assertIn("chip.sms is 40", self.refused("chip.sms=40"))
        self.assertIn("queue.in_memory", self.refused("queue.in_memory=1"))
        self.assertIn("places thread blocks of groups", self.refused("blocks.dtbl.dispatch=0"))
        both = self.refused("blocks.laperm.enable=1")
        self.assertIn("exclude each other", both)
        self.assertIn("blocks.dtbl.dispatch=0", both)
        self.assertIn("sm.lanes is 64", self.refused("blocks.dtbl.dispatch=0", "blocks.laperm.enable=1", "sm.lanes=64"))


def main():
    global CASTOR, KERNELS
    CASTOR, KERNELS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)


if __name__ == "__main__":
    main()
