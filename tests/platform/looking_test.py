#!/usr/bin/env python3
"""What a user looks at: timeline, waves, progress, summary, report; what is left of them after Ctrl-C or on a full
disk.

  looking_test.py CASTOR CASTOR_CC SOURCES [unittest arguments...]

CASTOR and CASTOR_CC are the programs under test, SOURCES is the folder of the sources. What files say is held against
the launches that the tests make and against each other: a timeline and waves must add up to the counters of the report.
"""

import atexit
import functools
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402
import gtkw  # noqa: E402
from processes import HANG_SECONDS, until, until_worked  # noqa: E402

CASTOR = CASTOR_CC = SOURCES = None
WINDOW = 1000  # run.window
STALLS = ["issued", "idle", "raw", "raw_memory", "memory_pipe", "compute_pipe"]

# out[i] += x[i] * (1 + ... + 20), with a barrier and shared memory
PTX = """.version 7.0
.target sm_60
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out)
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>;
  .shared .align 4 .b8 window[256];
  ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [out];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;
  mul.lo.u32 %r6, %r2, 4; mov.u32 %r7, window; add.u32 %r7, %r7, %r6;
  mov.u32 %r4, 1;
again:
  ld.global.u32 %r5, [%rd0]; st.shared.u32 [%r7], %r5; bar.sync 0; ld.shared.u32 %r5, [%r7];
  mul.lo.u32 %r5, %r5, %r4; red.global.add.u32 [%rd1], %r5;
  add.u32 %r4, %r4, 1; setp.le.u32 %p0, %r4, 20; @%p0 bra again;
  ret;
}
"""

ENDLESS = """.version 7.0
.target sm_60
.address_size 64
.visible .entry endless()
{
again: bra again;
}
"""

LAUNCH = ["--grid", "6", "--block", "64", "--arg", "iota:384xu32", "--arg", "zeros:384xu32"]
RESULT = "argument 1: " + " ".join(str(210 * i) for i in range(4)) + "\n"

PROGRAM = """
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void first(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += i; }
__global__ void second(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
__global__ void endless(volatile int* p) { while (*p == 0) {} }
static void mine(int) { const char text[] = "mine\\n"; (void)!write(1, text, 5); _exit(7); }
int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "handler")) signal(SIGINT, mine);
  const int n = 3000;
  int *a, *b, *host = new int[2 * n];
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  memset(host, 0, 2 * n * 4);
  if (!strcmp(what, "handler") || !strcmp(what, "endless")) {
    cudaMemset(a, 0, 4);
    first<<<1, 32>>>(b, 32);
    cudaDeviceSynchronize();
    endless<<<1, 32>>>(a);
    puts("spinning");
    fflush(stdout);
    cudaDeviceSynchronize();
    puts("not reached");
  }
  if (!strcmp(what, "host")) {
    puts("spinning");
    fflush(stdout);
    for (volatile int i = 0;; i = i + 1) {}
  }
  cudaStream_t s[2];
  for (auto& one : s) cudaStreamCreate(&one);
  cudaMemcpyAsync(a, host, n * 4, cudaMemcpyHostToDevice, s[0]);
  cudaMemcpyAsync(b, host + n, n * 4, cudaMemcpyHostToDevice, s[1]);
  first<<<12, 256, 0, s[0]>>>(a, n);
  first<<<24, 128, 0, s[1]>>>(b, n);
  second<<<12, 256, 0, s[0]>>>(a, n);
  cudaMemcpyAsync(host, a, n * 4, cudaMemcpyDeviceToHost, s[0]);
  cudaMemcpyAsync(host + n, b, n * 4, cudaMemcpyDeviceToHost, s[1]);
  cudaDeviceSynchronize();
  long long sum = 0;
  for (int i = 0; i < 2 * n; ++i) sum += host[i];
  printf("%s %lld\\n", cudaGetErrorName(cudaGetLastError()), sum);
  return !strcmp(what, "fail") ? 5 : 0;
}
"""
PROGRAM_OUTPUT = f"cudaSuccess {3 * sum(range(3000))}\n"


@functools.lru_cache(maxsize=None)
def programs():
    """Folder with the programs, which are compiled once for all cases."""
    holder = tempfile.TemporaryDirectory()
    atexit.register(holder.cleanup)
    folder = pathlib.Path(holder.name)
    (folder / "k.ptx").write_text(PTX)
    (folder / "endless.ptx").write_text(ENDLESS)
    (folder / "program.cu").write_text(PROGRAM)
    subprocess.run([CASTOR_CC, "-O2", folder / "program.cu", "-o", folder / "program"], check=True)
    return folder


class Case(CommandCase):
    @classmethod
    def setUpClass(cls):
        folder = programs()
        cls.ptx, cls.endless, cls.program = (str(folder / name) for name in ("k.ptx", "endless.ptx", "program"))

    def settings(self):
        return {"CASTOR_PLATFORM": "tiny"}

    def castor(self, *arguments, code=0, environment=None):
        done = self.run_command([CASTOR, *arguments], environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_ptx(self, *options, code=0):
        """Runs the kernel above on the machine `tiny`."""
        return self.castor("run", self.ptx, *LAUNCH, *options, code=code)

    def report(self, name="r.json"):
        return json.loads((self.path / name).read_text())

    def timeline(self, name="t.json", kilohertz=706000):
        """Checks a timeline and returns its events."""
        checker = SOURCES / "tests/platform/check_timeline.py"
        done = subprocess.run(
            [sys.executable, checker, self.path / name, "--kilohertz", str(kilohertz)],
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads((self.path / name).read_text(), parse_float=Decimal)["traceEvents"]

    def waves(self, name="w.vcd"):
        return check_waves.Dump((self.path / name).read_text())

    def interrupted(self, command, after=None):
        """Starts a command, sends SIGINT when it has worked for a while after it has printed `after`, or begun its
        timeline; returns (exit code, standard output, standard error)."""
        # With its default window the watchdog would find that nothing changes.
        patient = self.environment({"CASTOR_SET": "watchdog.cycles=1000000000000"})
        process = subprocess.Popen(
            [str(a) for a in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=patient,
            cwd=self.path,
        )
        if after:
            self.assertEqual(process.stdout.readline(), after)
        else:
            until((self.path / "t.json").exists, "the timeline is begun")
        until_worked(process, 1)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=HANG_SECONDS)
        return process.returncode, out, errors


def slices(events, category):
    return [event for event in events if event["ph"] == "X" and event.get("cat") == category]


def counter_sums(events, name, kilohertz):
    """Returns the sum of every series of a counter over a whole run. A value counts once for each window that it
    covers."""
    window = Fraction(WINDOW * 1000, kilohertz)  # us
    sums, last = {}, {}
    for event in events:
        if event["ph"] != "C" or event["name"] != name:
            continue
        now = Fraction(event["ts"])
        if event["pid"] in last:
            then, values = last[event["pid"]]
            windows = max(1, round((now - then) / window))
            for series, value in values.items():
                sums[series] = sums.get(series, 0) + value * windows
        last[event["pid"]] = (now, event["args"])
    return sums


def sm_statistics(report):
    return [value for key, value in report["statistics"].items() if re.fullmatch(r"sm\d+", key)]


class TimelineOfARun(Case):
    def check_program(self, events, report):
        kernels = sorted((event["name"], event["args"]["cycles"]) for event in slices(events, "kernel"))
        self.assertEqual([name for name, _ in kernels], ["first(int*, int)", "first(int*, int)", "second(int*, int)"])
        tracks = {event["args"]["ticket"]: event["tid"] for event in slices(events, "kernel")}
        self.assertEqual(len(set(tracks.values())), 2, "two streams, two queues")
        blocks = [event["name"] for event in slices(events, "tb")]
        self.assertEqual((blocks.count("first(int*, int)"), blocks.count("second(int*, int)")), (36, 12))
        self.assertLessEqual({event["pid"] for event in slices(events, "tb")}, {10, 11}, "tiny has two SMs")
        copies = [(event["tid"], event["name"], event["args"]["bytes"]) for event in slices(events, "copy")]
        self.assertEqual(sorted(copies), 2 * [(0, "copy to device", 12000)] + 2 * [(1, "copy to host", 12000)])
        self.assertEqual(counter_sums(events, "warp instructions", 706000)["issued"], report["warp_instructions"])
        stalls = counter_sums(events, "scheduler ticks", 706000)
        for name in STALLS:
            counted = sum(
                scheduler[name]
                for sm in sm_statistics(report)
                for key, scheduler in sm.items()
                if key.startswith("scheduler")
            )
            self.assertEqual(stalls[name.replace("_", " ")], counted, name)
        ends = [event["ts"] + event["dur"] for event in events if event["ph"] == "X"]
        self.assertLessEqual(max(ends), Decimal(report["time"]["picoseconds"]) / 1000000)

    def test_of_a_program_shows_its_kernels_blocks_and_copies_and_adds_up_to_the_report(self):
        done = self.castor("run", "--timeline", "t.json", "--report", "r.json", self.program)
        self.assertEqual(done.stdout, PROGRAM_OUTPUT)
        self.assertEqual(done.stderr, "")
        self.check_program(self.timeline(), self.report())

    def test_by_the_environment_is_the_same(self):
        self.castor("run", "--timeline", "t.json", self.program)
        done = self.run_command([self.program], {"CASTOR_TIMELINE": "u.json", "CASTOR_REPORT": "r.json"})
        self.assertEqual((done.returncode, done.stdout), (0, PROGRAM_OUTPUT), done.stderr)
        self.assertEqual((self.path / "u.json").read_bytes(), (self.path / "t.json").read_bytes())

    def test_of_a_machine_that_never_sleeps_is_the_same(self):
        for name, sleep in (("t.json", 1), ("u.json", 0)):
            self.run_ptx("--timeline", name, "--set", f"run.sleep={sleep}")
        self.timeline()
        self.assertEqual((self.path / "u.json").read_bytes(), (self.path / "t.json").read_bytes())

    def test_can_be_limited_to_some_cycles(self):
        self.run_ptx("--timeline", "t.json", "--timeline-from", "600", "--timeline-to", "900")
        events = self.timeline()
        shown = slices(events, "tb") + slices(events, "kernel")
        self.assertTrue(shown)
        for event in shown:
            self.assertLessEqual(event["args"]["cycle"], 900)
            self.assertGreaterEqual(event["args"]["cycle"] + event["args"]["cycles"], 600)


class WavesOfARun(Case):
    def test_add_up_to_the_counters_of_the_report(self):
        self.run_ptx("--wave", "w.vcd", "--report", "r.json")
        dump, report = self.waves(), self.report()
        period = Fraction(10**9, 706000)  # ps
        times = [int(cycle * period + Fraction(1, 2)) for cycle in range(report["cycles"])]
        for index, sm in enumerate(sm_statistics(report)):
            scope = f"gpu.sm{index}."
            value = {
                name: list(dump.values(scope + name, times))
                for name in ("issued", "live", "valid", "clear", "blocked", "ready", "at_barrier", "in_fence")
            }
            for s in range(4):
                stall = list(dump.values(f"{scope}stall{s}", times))
                for code, name in enumerate(STALLS):
                    self.assertEqual(stall.count(code), sm[f"scheduler{s}"][name], f"SM {index} scheduler {s}: {name}")
                issued = sum(mask >> s & 1 for mask in value["issued"])
                self.assertEqual(issued, sm[f"scheduler{s}"]["issued"])
            self.assertEqual(sum(bin(mask).count("1") for mask in value["live"]), sm["occupancy_warps_sum"])
            self.assertEqual(sum(bin(mask).count("1") for mask in value["in_fence"]), sm["fence_wait"])
            self.assertGreater(max(value["at_barrier"]), 0)
            for ready, valid, clear, blocked in zip(value["ready"], value["valid"], value["clear"], value["blocked"]):
                self.assertEqual(ready & ~(valid & clear & ~blocked), 0)
        for path in (
            "gpu.sm0.l1.mshrs",
            "gpu.xbar.requests",
            "gpu.slice0.mshrs",
            "gpu.channel0.queue",
            "gpu.front_end.resident_tbs",
            "gpu.front_end.lanes_busy",
            "gpu.front_end.queue0_state",
        ):
            self.assertGreater(max(dump.values(path, times)), 0, path)
            self.assertEqual(list(dump.values(path, times))[-1], 0, path)

    def test_are_the_same_whether_units_sleep_and_in_whatever_order_they_run(self):
        for name, more in (("w.vcd", []), ("v.vcd", ["--set", "run.sleep=0"]), ("u.vcd", ["--set", "run.shuffle=1"])):
            self.run_ptx("--wave", name, *more)
        expected = (self.path / "w.vcd").read_bytes()
        self.assertGreater(len(expected), 10000)
        self.assertEqual((self.path / "v.vcd").read_bytes(), expected)
        self.assertEqual((self.path / "u.vcd").read_bytes(), expected)

    def test_of_a_window_in_which_nothing_runs_hold_the_state(self):
        # The copies of the program start 10 us (7060 cycles) apart and take 12000 bytes / 6 GB/s + 1 us (2118 cycles).
        dumps = []
        for name, sleep in (("w.vcd", 1), ("v.vcd", 0)):
            self.castor(
                "run",
                "--set",
                f"run.sleep={sleep}",
                "--wave",
                name,
                "--wave-from",
                "4000",
                "--wave-to",
                "5000",
                self.program,
            )
            dumps.append((self.path / name).read_bytes())
        self.assertEqual(dumps[0], dumps[1])
        dump = self.waves()
        self.assertEqual({len(changes) for changes in dump.changes.values()}, {1})
        self.assertEqual(dump.end, int(5001 * Fraction(10**9, 706000) + Fraction(1, 2)))

    def test_of_a_window_and_some_instances_are_a_part_of_the_whole(self):
        self.run_ptx("--wave", "w.vcd")
        self.run_ptx(
            "--wave",
            "part.vcd",
            "--wave-from",
            "700",
            "--wave-to",
            "900",
            "--wave-scope",
            "gpu.sm1",
            "--wave-scope",
            "gpu.slice*",
        )
        whole, part = self.waves(), self.waves("part.vcd")
        expected = {path for path in whole.signals if re.match(r"gpu\.(sm1|slice\d+)\.", path)}
        self.assertEqual(set(part.signals), expected)
        self.assertIn("gpu.sm1.l1.mshrs", part.signals)
        period = Fraction(10**9, 706000)
        times = [int(cycle * period + Fraction(1, 2)) for cycle in range(700, 901)]
        for path in expected:
            self.assertEqual(list(part.values(path, times)), list(whole.values(path, times)), path)
        self.assertEqual(part.end, int(901 * period + Fraction(1, 2)))

    def test_of_a_program(self):
        self.run_command(
            [self.program],
            {"CASTOR_WAVE": "w.vcd", "CASTOR_WAVE_SCOPE": "gpu.copy*;gpu.front_end", "CASTOR_WAVE_TO": "100000"},
        )
        dump = self.waves()
        self.assertIn("gpu.copy1.active", dump.signals)
        changes = dump.changes[dump.signals["gpu.copy0.active"][1]]
        self.assertEqual([value for _, value in changes], [0, 1, 0, 1, 0], "two copies to the device")

    def test_show_states_by_name(self):
        self.run_ptx("--wave", "w.vcd", "--wave-scope", "gpu.front_end")
        dump = self.waves()
        names = ("empty", "ready", "parsing", "blocked")
        for queue in (path for path in dump.signals if path.endswith("_state")):
            changes = [(time, names[value]) for time, value in dump.changes[dump.signals[queue][1]]]
            self.assertEqual(dump.changes[dump.names[queue + "_name"]], changes)
        states = [name for _, name in dump.changes[dump.names["gpu.front_end.queue0_state_name"]]]
        self.assertEqual(set(states), set(names))

    def test_show_the_warp_schedulers_of_every_sm(self):
        saws = ["--set", "blocks.saws.enable=1", "--wave-scope", "gpu.sm*.saws"]
        self.run_ptx("--wave", "w.vcd", "--report", "r.json", *saws)
        dump, report = self.waves(), self.report()
        self.assertEqual({path.rpartition(".")[0] for path in dump.signals}, {"gpu.sm0.saws", "gpu.sm1.saws"})
        times = [int(cycle * Fraction(10**9, 706000) + Fraction(1, 2)) for cycle in range(report["cycles"])]
        for index, sm in enumerate(sm_statistics(report)):
            value = {
                name: list(dump.values(f"gpu.sm{index}.saws.{name}", times))
                for name in (
                    "issue_ack",
                    "issue_valid",
                    "w_ready",
                    "cta_valid",
                    "cta_free",
                    "cta_used",
                    "unblock",
                    "blocked",
                )
            }
            issued = sum(sm[f"scheduler{s}"]["issued"] for s in range(4))
            self.assertEqual(sum(bin(mask).count("1") for mask in value["issue_ack"]), issued)
            for ack, valid, ready in zip(value["issue_ack"], value["issue_valid"], value["w_ready"]):
                self.assertEqual(
                    (ack & ~valid, bool(valid), bin(valid).count("1") <= bin(ready).count("1")), (0, bool(ready), True)
                )
            places = [number for number, free in zip(value["cta_valid"], value["cta_free"]) if number and not free]
            self.assertEqual((len(places), sum(value["cta_free"])), (3, 3), "6 thread blocks on 2 SMs")
            self.assertEqual((max(value["cta_used"]), value["cta_used"][-1]), (7, 0))
            self.assertTrue(any(value["unblock"]) and any(value["blocked"]))

    def test_of_the_warp_schedulers_are_the_same_whether_units_sleep_and_change_nothing(self):
        for name, more in (("w", []), ("v", ["--set", "run.sleep=0"])):
            self.run_ptx("--set", "blocks.saws.enable=1", "--wave", name + ".vcd", "--report", name + ".json", *more)
        self.assertEqual((self.path / "v.vcd").read_bytes(), (self.path / "w.vcd").read_bytes())
        self.run_ptx("--set", "blocks.saws.enable=1", "--report", "r.json")
        self.assertEqual(self.report()["statistics_hash"], self.report("w.json")["statistics_hash"])

    def test_have_every_signal_that_the_saved_view_names(self):
        named = gtkw.shown((SOURCES / "waveforms/gpu.gtkw").read_text())
        self.assertGreater(len(named), 20)
        self.run_ptx("--wave", "w.vcd", "-p", "kepler_k20c", "--wave-to", "10")
        large = self.waves()
        self.run_ptx("--wave", "w.vcd", "--wave-to", "10")
        for dump in (self.waves(), large):
            signals, names = dump.signals, dump.names
            for line in named:
                path, _, bits = line.partition("[")
                if path.endswith("_name"):
                    self.assertIn(path, names)
                    continue
                self.assertIn(path, signals)
                width = signals[path][0]
                self.assertEqual(bits, f"{width - 1}:0]" if width > 1 else "", line)


class WhatIsRecorded(Case):
    def test_changes_nothing(self):
        self.run_ptx("--report", "r.json")
        self.run_ptx("--report", "s.json", "--timeline", "t.json", "--wave", "w.vcd")
        self.assertEqual(self.report()["statistics_hash"], self.report("s.json")["statistics_hash"])

    def test_needs_the_timing_machine(self):
        for option in ("--timeline", "--wave"):
            done = self.run_ptx("--functional", option, "x", code=2)
            self.assertRegex(done.stderr, r"^castor: error the functional machine has no timeline and no waves .*\n$")

    def test_bad_requests_end_before_the_run(self):
        for options, part in (
            (["--wave", "w", "--wave-scope", "gpu.sm7"], "gpu.sm7"),
            (["--wave", "w", "--wave-from", "5", "--wave-to", "4"], "ends with cycle 4"),
            (["--timeline", "w", "--timeline-from", "5", "--timeline-to", "4"], "ends with cycle 4"),
            (["--timeline", "w", "--wave", "w"], "timeline and waves go to the same file 'w'"),
            (["--report", "w", "--wave", "w"], "report and waves go to the same file 'w'"),
            (["--wave-from", "x"], "wave-from"),
            (["--timeline-to", "-1"], "timeline-to"),
        ):
            for command in (["run", *options, self.program], ["run", self.ptx, *LAUNCH, *options]):
                done = self.castor(*command, code=2)
                self.assertIn(part, done.stderr)
                self.assertEqual((len(done.stderr.splitlines()), done.stdout), (1, ""), done.stderr)
        for name in ("CASTOR_WAVE_FROM", "CASTOR_TIMELINE_TO", "CASTOR_SUMMARY", "CASTOR_MAX_REGISTERS"):
            done = self.run_command([self.program], {name: "many"})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, f"^castor: error {name} is 'many'; it must be .*\n$")

    def test_paths_that_cannot_be_written_are_refused_before_the_run(self):
        for option in ("--report", "--timeline", "--wave"):
            for command in ([self.program], [self.ptx, *LAUNCH]):
                done = self.castor("run", option, "/no/folder/x", *command, code=2)
                self.assertEqual(done.stderr, "castor: error cannot write '/no/folder/x': No such file or directory\n")
                self.assertEqual(done.stdout, "")

    def test_full_disk_is_one_line_and_an_exit_code_and_the_results_are_there(self):
        for option in ("--report", "--timeline", "--wave"):
            done = self.run_ptx(option, "/dev/full", "--dump", "1:u32:4", code=2)
            self.assertEqual(done.stdout, RESULT)
            self.assertEqual(done.stderr.count("castor: cannot write '/dev/full': No space left on device\n"), 1)
            done = self.castor("run", option, "/dev/full", self.program, code=2)
            self.assertEqual(done.stdout, PROGRAM_OUTPUT)
            self.assertEqual(done.stderr, "castor: cannot write '/dev/full': No space left on device\n")
            self.castor("run", option, "/dev/full", self.program, "fail", code=5)

    def test_one_full_disk_leaves_the_other_files_whole(self):
        self.run_ptx("--wave", "/dev/full", "--timeline", "t.json", "--report", "r.json", code=2)
        self.assertEqual(len(slices(self.timeline(), "tb")), 6)
        self.assertEqual(self.report()["kernels"][0]["thread_blocks"], 6)


class Interrupts(Case):
    FILES = [
        "--report",
        "r.json",
        "--timeline",
        "t.json",
        "--wave",
        "w.vcd",
        "--wave-scope",
        "gpu.sm0",
        "--wave-to",
        "5000",
    ]

    def check_files(self, kernel, finished):
        report = self.report()
        self.assertEqual([one["name"] for one in report["kernels"]], finished)
        self.assertGreater(report["warp_instructions"], 1000)
        events = self.timeline()
        unfinished = [event for event in slices(events, "tb") if event["args"].get("state") == "unfinished"]
        self.assertEqual([event["name"] for event in unfinished], [kernel])
        self.assertEqual(counter_sums(events, "warp instructions", 706000)["issued"], report["warp_instructions"])
        dump = self.waves()
        self.assertEqual(dump.end, int(5001 * Fraction(10**9, 706000) + Fraction(1, 2)))

    def test_of_a_kernel_leaves_report_timeline_and_waves_of_what_was_done(self):
        code, _, errors = self.interrupted([CASTOR, "run", self.endless, *self.FILES])
        self.assertEqual(code, 130, errors)
        self.assertRegex(errors, r"^castor: interrupted after \d+\.\d+ us of simulated time\n$")
        self.check_files("endless", [])

    def test_of_a_program_leaves_report_timeline_and_waves_of_what_was_done(self):
        code, out, errors = self.interrupted([CASTOR, "run", *self.FILES, self.program, "endless"], "spinning\n")
        self.assertEqual((code, out), (130, ""), errors)
        self.assertRegex(errors, r"^castor: interrupted after \d+\.\d+ us of simulated time\n$")
        self.check_files("endless(int volatile*)", ["_Z5firstPii"])

    def test_of_a_program_with_a_handler_of_its_own_reach_that(self):
        code, out, errors = self.interrupted([self.program, "handler"], "spinning\n")
        self.assertEqual((code, out, errors), (7, "mine\n", ""))

    def test_of_host_code_end_with_the_second(self):
        process = subprocess.Popen(
            [self.program, "host"],
            stdout=subprocess.PIPE,
            universal_newlines=True,
            env=self.environment({}),
            cwd=self.path,
        )
        self.assertEqual(process.stdout.readline(), "spinning\n")
        process.send_signal(signal.SIGINT)
        until_worked(process, 1)
        self.assertIsNone(process.poll(), "the first is kept for the next call of the API")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, -signal.SIGINT)


class Progress(Case):
    def on_terminal(self, command, lines, environment=None):
        """Returns standard error of a command whose stderr is a terminal. Interrupts it when it has written
        `lines` lines of progress; with 0, when it has used one second of CPU after its first line of standard output.
        """
        main, other = pty.openpty()
        process = subprocess.Popen(
            [str(a) for a in command],
            stdout=subprocess.PIPE,
            stderr=other,
            env=self.environment({"CASTOR_SET": "watchdog.cycles=1000000000000", **(environment or {})}),
            cwd=self.path,
        )
        os.close(other)
        if lines == 0:
            process.stdout.readline()
            until_worked(process, 1)
            process.send_signal(signal.SIGINT)
        text, sent = b"", lines == 0
        while select.select([main], [], [], HANG_SECONDS)[0]:
            try:
                text += os.read(main, 65536)
            except OSError:  # the other side is closed
                break
            if not sent and len(re.findall(self.LINE, text.decode())) >= lines:
                process.send_signal(signal.SIGINT)
                sent = True
        process.communicate(timeout=HANG_SECONDS)
        os.close(main)
        self.assertEqual(process.returncode, 130)
        return text.decode()

    # The terminal reports no size, so the line has 80 columns: the share of the kernel replaces the speed.
    LINE = (
        r"\r[\d.]+(?: [kMGT])? cycles  [\d.]+ (?:ns|us|ms|s)"
        r"(?: simulated  [\d.]+(?: [kMGT])? warp instructions/s|  endless 0\.0 % of 1 block)\x1b\[K"
    )

    def test_is_shown_on_a_terminal_and_taken_away(self):
        for command in ([CASTOR, "run", self.endless], [self.program, "endless"]):
            text = self.on_terminal(command, 3)
            self.assertGreaterEqual(len(re.findall(self.LINE, text)), 3, text)
            self.assertIn("endless 0.0 % of 1 block", text)
            self.assertRegex(
                re.sub(self.LINE, "", text), r"^\r\x1b\[Kcastor: interrupted after [\d.]+ us of simulated time\r\n$"
            )

    def test_can_be_switched_off(self):
        text = self.on_terminal([self.program, "endless"], 0, {"CASTOR_PROGRESS": "0"})
        self.assertRegex(text, r"^castor: interrupted after [\d.]+ us of simulated time\r\n$")


class Reports(Case):
    def test_are_machines_that_can_be_run_again(self):
        self.castor(
            "run",
            "-p",
            "kepler_k20c",
            "--set",
            "chip.sms=3",
            "--set",
            "clock.core_mhz=701.5",
            "--set",
            "run.max_cycles=900000",
            "--set",
            "run.seed=9",
            "--report",
            "r.json",
            self.program,
        )
        self.castor("run", "-p", "r.json", "--report", "s.json", self.program)
        first, second = self.report(), self.report("s.json")
        self.assertEqual(second["statistics_hash"], first["statistics_hash"])
        self.assertEqual(second["configuration"], first["configuration"])
        self.assertEqual(first["configuration"]["keys"]["chip.sms"]["value"], 3)
        self.castor("run", "-p", "r.json", "--set", "chip.sms=2", "--report", "s.json", self.program)
        self.assertNotEqual(self.report("s.json")["statistics_hash"], first["statistics_hash"])

    def test_that_are_none_are_refused(self):
        (self.path / "a.json").write_text("{}")
        (self.path / "b.json").write_text('{"configuration": {"machine": "m", "title": "", "keys": {"chip.sms": {}}}}')
        (self.path / "c.json").write_text('{"configuration": {"machine": "m", "title": "", "keys": {}}}')
        for name, part in (
            ("a.json", "no report"),
            ("b.json", "no report"),
            ("c.json", "missing"),
            ("d.json", "No such"),
        ):
            done = self.run_ptx("-p", name, code=2)
            self.assertRegex(done.stderr, f"{name}.*{part}|{part}.*{name}")

    def test_hold_what_every_ratio_is_made_of(self):
        self.run_ptx("--report", "r.json", "--set", "run.seed=5")
        report = self.report()
        self.assertEqual(report["seeds"], {"run.seed": 5})
        self.assertEqual(set(report["versions"]), {"castor", "systemc", "compiler"})
        ratios, sms = report["ratios"], sm_statistics(report)
        for name, one in ratios.items():
            self.assertTrue(one["meaning"], name)
            scale = 1000 if one["unit"] == "GB/s" else 1
            if one["denominator"]:
                self.assertAlmostEqual(one["value"], one["numerator"] / one["denominator"] * scale, msg=name)
            else:
                self.assertIsNone(one["value"])
        channels = [value for key, value in report["statistics"].items() if key.startswith("channel")]
        expected = {
            "ipc": (report["warp_instructions"], report["cycles"]),
            "l1_read_hits": (
                sum(sm["l1_read_hit"] for sm in sms),
                sum(sm["l1_read_hit"] + sm["l1_read_miss"] for sm in sms),
            ),
            "dram_bandwidth": (sum(c["dram_bytes"] for c in channels), report["time"]["picoseconds"]),
            "occupancy": (sum(sm["occupancy_warps_sum"] for sm in sms), 16 * sum(sm["ticks"] for sm in sms)),
            "scheduler_idle": (
                sum(sm[f"scheduler{s}"]["idle"] for sm in sms for s in range(4)),
                4 * sum(sm["ticks"] for sm in sms),
            ),
        }
        for name, (numerator, denominator) in expected.items():
            self.assertEqual((ratios[name]["numerator"], ratios[name]["denominator"]), (numerator, denominator), name)
        (kernel,) = report["kernels"]
        cycles = Fraction((kernel["end_ps"] - kernel["start_ps"]) * 706000, 10**9)
        self.assertEqual(kernel["cycles"], round(cycles))

    def test_summary_says_the_same_in_words(self):
        done = self.run_ptx("--summary", "--report", "r.json", "--dump", "1:u32:4")
        self.assertEqual(done.stdout, RESULT)
        report = self.report()
        (kernel,) = report["kernels"]
        self.assertRegex(done.stderr, rf"(?m)^tiny, timing: {report['cycles']} cycles, [\d.]+ us simulated$")
        ipc = f"{kernel['warp_instructions'] / kernel['cycles']:.2f}"
        self.assertRegex(
            done.stderr, rf"(?m)^ +1 +{kernel['cycles']} +[\d.]+ us +6 +{kernel['warp_instructions']} +{ipc}  k$"
        )
        hits = report["ratios"]["l1_read_hits"]
        self.assertIn(
            f"L1          reads {100 * hits['value']:.1f} % of {hits['denominator']} hit, writes none\n", done.stderr
        )
        for label in ("issue", "schedulers", "L2", "DRAM"):
            self.assertRegex(done.stderr, rf"(?m)^  {label} ")
        functional = self.run_ptx("--summary", "--functional")
        self.assertRegex(functional.stderr, r"^tiny, functional, no time: \d+ warp instructions\n")

    def test_summary_of_a_program_is_asked_for(self):
        done = self.castor("run", "--summary", self.program, "x")
        self.assertEqual(done.stdout, PROGRAM_OUTPUT)
        self.assertRegex(done.stderr, r"(?m)^ +2 +\d+ .* 36 .* first\(int\*, int\)$")
        self.assertRegex(done.stderr, r"(?m)^  copies +4 with 48\.0 KB$")
        self.assertEqual(self.run_command([self.program], {"CASTOR_SUMMARY": "1"}).stderr, done.stderr)
        self.assertEqual(self.run_command([self.program]).stderr, "")


class Replay(Case):
    def test_kernels_take_the_times_of_the_file(self):
        text = "castor-replay 1\nkernel k\n  threads 64\n  registers 16\n  tbs 6\n  service constant {}\n"
        cycles = []
        for service in (1000, 5000):
            (self.path / "f.replay").write_text(text.format(service))
            done = self.run_ptx(
                "--replay", "f.replay", "--report", "r.json", "--timeline", "t.json", "--dump", "1:u32:4"
            )
            self.assertEqual(done.stdout, "argument 1: 0 0 0 0\n", "nothing is executed")
            blocks = slices(self.timeline(), "tb")
            self.assertEqual([block["args"]["cycles"] for block in blocks], 6 * [service])
            cycles.append(self.report()["kernels"][0]["cycles"])
            self.assertEqual(self.report()["replay"]["file"], "f.replay")
        self.assertEqual(cycles[1] - cycles[0], 4000, "all six are resident at once")

    def test_of_a_program_by_the_environment(self):
        (self.path / "f.replay").write_text(
            "castor-replay 1\nkernel _Z5firstPii\n  threads 256\n  registers 16\n  tbs 12\n  service constant 700\n"
            "kernel _Z6secondPii\n  threads 256\n  registers 16\n  tbs 12\n  service uniform 300 400\n"
        )
        done = self.run_command([self.program], {"CASTOR_REPLAY": "f.replay", "CASTOR_TIMELINE": "t.json"})
        self.assertEqual((done.returncode, done.stdout), (0, "cudaSuccess 0\n"), done.stderr)
        for block in slices(self.timeline(), "tb"):
            if block["name"] == "first(int*, int)":
                self.assertEqual(block["args"]["cycles"], 700)
            else:
                self.assertIn(block["args"]["cycles"], range(300, 401 + 12), "they retire one by one")

    def test_bad_files_are_named_with_their_line(self):
        (self.path / "f.replay").write_text("castor-replay 1\nkernel k\n  threads many\n")
        done = self.run_ptx("--replay", "f.replay", code=2)
        self.assertRegex(done.stderr, r"^castor: f\.replay:3:\d+: error .*many.*\n$")
        done = self.run_ptx("--replay", "missing", code=2)
        self.assertIn("missing", done.stderr)
        done = self.run_ptx("-p", "kepler_replay4", code=2)
        self.assertIn("--replay", done.stderr)
        done = self.run_ptx("--replay", "f.replay", "--functional", code=2)
        (self.path / "f.replay").write_text(
            "castor-replay 1\nkernel other\n  threads 64\n  registers 16\n  tbs 6\n  service constant 5\n"
        )
        done = self.run_ptx("--replay", "f.replay", code=1)
        self.assertIn("f.replay: unknown kernel 'k'", done.stderr)


if __name__ == "__main__":
    CASTOR, CASTOR_CC = (os.path.abspath(path) for path in sys.argv[1:3])
    SOURCES = pathlib.Path(sys.argv[3]).absolute()
    sys.path.insert(0, str(SOURCES / "tests/unit"))
    import check_waves

    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
