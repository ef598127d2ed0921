#!/usr/bin/env python3
"""castor run with programs that call the runtime. Arguments: case.py."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile

from case import CASTOR, CASTOR_CC, Case, main
from processes import HANG_SECONDS, until_worked


class Programs(Case):
    SOURCE = """
#include <cstdio>
#include <cstring>
#include <cstdlib>
__global__ void fill(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
__global__ void endless(volatile int* p) { while (*p == 0) {} }
int main(int argc, char** argv) {
  int* p = nullptr;
  cudaMalloc(&p, 400);
  cudaMemset(p, 0, 400);
  if (argc > 1 && !strcmp(argv[1], "--exit")) {
    fill<<<4, 32>>>(p, 100);
    cudaLaunchHostFunc(0, [](void*) { puts("host function"); exit(5); }, nullptr);
  }
  if (argc > 1 && !strcmp(argv[1], "--endless")) { endless<<<1, 32>>>(p); puts("spinning"); fflush(stdout); }
  if (argc > 1 && !strcmp(argv[1], "--many")) {
    for (int i = 0; i < 8; ++i) fill<<<4, 32>>>(p, 100);
    puts("launched");
  }
  fill<<<4, 32>>>(p, argc > 1 && !strcmp(argv[1], "--far") ? 128 : 100);
  cudaError_t e = cudaDeviceSynchronize();
  cudaDeviceProp prop;
  if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) strcpy(prop.name, "?");
  printf("%s %s", cudaGetErrorName(e), prop.name);
  for (int i = 1; i < argc; ++i) printf(" %s", argv[i]);
  printf("\\n");
  return e == cudaSuccess ? 0 : 9;
}
"""

    @classmethod
    def setUpClass(cls):
        cls.build = tempfile.TemporaryDirectory()
        source = pathlib.Path(cls.build.name) / "program.cu"
        source.write_text(cls.SOURCE)
        cls.program = str(source.with_suffix(""))
        subprocess.run([CASTOR_CC, "-O2", source, "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.build.cleanup()

    def test_report_counts_the_calls_of_the_host_and_their_time(self):
        report = self.path / "report.json"
        self.good(
            "run",
            "--platform",
            "tiny",
            "--set",
            "host.launch_us=3",
            "--set",
            "host.copy_us=7",
            "--set",
            "host.sync_us=5",
            "--report",
            report,
            self.program,
            "--many",
        )
        # One fill, eight kernels and one more, one wait.
        self.assertEqual(
            json.loads(report.read_text())["statistics"]["host_api"],
            {
                "launches": 10,
                "launch_time": 30000000,
                "synchronizations": 1,
                "synchronization_time": 5000000,
                "copies": 0,
                "copy_time": 0,
                "queries": 0,
                "query_time": 0,
            },
        )

    def test_options_behind_the_program_are_its_own(self):
        done = self.good("run", "--platform", "tiny", self.program, "--grid", "5", "-x", "--help")
        self.assertEqual(done.stdout, "cudaSuccess Castor tiny --grid 5 -x --help\n")
        done = self.good("run", "-pkepler_k40", self.program, "-x")
        self.assertEqual(done.stdout, "cudaSuccess Castor kepler_k40 -x\n")

    def test_report_and_exit_code_are_the_programs(self):
        report = self.path / "r.json"
        self.good("run", "--report", report, "--set", "run.seed=3", "--set", "chip.sms=4", self.program)
        content = json.loads(report.read_text())
        self.assertEqual([k["name"] for k in content["kernels"]], ["_Z4fillPii"])
        self.assertEqual(content["configuration"]["keys"]["chip.sms"]["value"], 4)
        done = self.castor("run", "--report", report, self.program, "--far")
        self.assertEqual(done.returncode, 9)
        self.assertTrue(done.stdout.startswith("cudaErrorIllegalAddress"))
        for part in [
            r"store of 4 bytes at global address 0x[0-9a-f]+: 0 bytes behind the end of a 400-byte heap "
            r"allocation at 0x[0-9a-f]+",
            r"in kernel 'fill\(int\*, int\)' \(.*ptx:\d+\)",
            r"block \(3,0,0\), thread \(4,0,0\)",
            "instruction: st",
        ]:
            self.assertRegex(done.stderr, part)
        self.assertIn("400-byte heap", json.loads(report.read_text())["fault"]["message"])

    def test_exit_in_a_host_function(self):
        report = self.path / "r.json"
        done = self.castor("run", "--report", report, self.program, "--exit")
        self.assertEqual((done.returncode, done.stdout), (5, "host function\n"), done.stderr)
        self.assertEqual(len(json.loads(report.read_text())["kernels"]), 1)

    def test_instruction_limit(self):
        done = self.castor("run", "--set", "run.max_instructions=10000", self.program, "--endless")
        self.assertEqual(done.returncode, 9)
        self.assertIn("cudaErrorLaunchTimeout", done.stdout)
        self.assertRegex(done.stderr, r"(?s)run.max_instructions = 10000 .*endless\(int volatile\*\)")

    def test_spinning_for_ever(self):
        report = self.path / "r.json"
        done = self.castor(
            "run", "-ptiny", "--set", "watchdog.cycles=20000", "--report", report, self.program, "--endless"
        )
        self.assertEqual(done.returncode, 9)
        self.assertIn("cudaErrorLaunchTimeout", done.stdout)
        self.assertRegex(
            done.stderr,
            r"(?s)spinning deadlock: 1 warp repeats its loop for ever.*kernel endless\(int volatile\*\), "
            r"block \(0,0,0\), warp 0 .*reads global 0x[0-9a-f]+ \(byte 0 of 400 bytes of heap\)",
        )
        self.assertIn("spinning deadlock", json.loads(report.read_text())["fault"]["message"])

    def test_cycle_limit(self):
        done = self.castor("run", "-ptiny", "--set", "run.max_cycles=30000", self.program, "--endless")
        self.assertEqual(done.returncode, 9)
        self.assertIn("cudaErrorLaunchTimeout", done.stdout)
        self.assertRegex(done.stderr, r"(?s)run.max_cycles = 30000.*block 0 of endless\(int volatile\*\)")

    def test_stop_after_some_kernels(self):
        report = self.path / "r.json"
        for mode in ("0", "1"):
            done = self.castor(
                "run",
                "-ptiny",
                "--set",
                f"run.functional={mode}",
                "--set",
                "run.stop_after=2",
                "--report",
                report,
                self.program,
                "--many",
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("cudaSuccess", done.stdout)  # the program ends before it prints this
            self.assertRegex(done.stderr, "stopped after [2-9] kernels, as run.stop_after says")
            self.assertGreaterEqual(len(json.loads(report.read_text())["kernels"]), 2)

    def test_stop_at_a_cycle(self):
        report = self.path / "r.json"
        done = self.castor("run", "-ptiny", "--set", "run.stop_at=30000", "--report", report, self.program, "--endless")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stopped after 30000 core cycles, as run.stop_at says", done.stderr)
        content = json.loads(report.read_text())
        self.assertEqual(content["cycles"], 30000)
        self.assertEqual(content["stopped"]["cycle"], 30000)
        self.assertNotIn("fault", content)
        self.assertEqual([kernel["demangled"] for kernel in content["unfinished"]], ["endless(int volatile*)"])

    REGISTERS = """
#include <castor_registers.h>
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    unsigned value = 0;
    char* end = nullptr;
    const unsigned number = strtoul(argv[i], &end, 0);
    const cudaError_t error = *end == '=' ? castorRegisterWrite(number, value = strtoul(end + 1, nullptr, 0))
                                          : castorRegisterRead(number, &value);
    printf("%x %s %x\\n", number, cudaGetErrorName(error), value);
  }
  printf("%s\\n", cudaGetErrorName(castorRegisterRead(0, nullptr)));
}
"""

    DEVICE_REGISTERS = """
#include <castor_registers.h>
#include <cstdio>
struct Access { unsigned number, value; int error; };
__global__ void write(Access* list) {
  Access& one = list[threadIdx.x];
  one.error = castorRegisterWrite(one.number, one.value);
}
__global__ void read(Access* list) {
  Access& one = list[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x % 2 == 1) one.error = castorRegisterRead(one.number, &one.value);
}
__global__ void null(Access* list) { list->error = castorRegisterRead(0, nullptr); }
int main() {
  Access* list;
  cudaMallocManaged(&list, 128 * sizeof *list);
  const auto show = [&](const char* what, int from, int to) {
    printf("%s %s", what, cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = from; i < to; ++i) {
      printf(" %x:%s:%x", list[i].number, cudaGetErrorName(cudaError_t(list[i].error)), list[i].value);
    }
    printf("\\n");
  };
  for (unsigned i = 0; i < 32; ++i) list[i] = {0x18, i + 1, -1};
  list[30].number = 0;        // read-only
  list[29].number = 0x7f00;   // no register
  list[28].number = 0xf0000;  // no block
  write<<<1, 32>>>(list);
  show("write", 27, 32);
  for (unsigned i = 0; i < 128; ++i) list[i] = {i < 64 ? 0x18u : 0u, 5, -1};
  list[127].number = 0xf0000;
  read<<<2, 64>>>(list);
  show("read", 62, 66);
  show("read", 124, 128);
  null<<<1, 1>>>(list);
  cudaDeviceSynchronize();
  printf("%s\\n", cudaGetErrorName(cudaError_t(list->error)));
}
"""

    def registers(self, *accesses, machine="tiny", settings=(), device=False):
        source = self.path / ("device_registers.cu" if device else "registers.cu")
        if not source.exists():
            source.write_text(self.DEVICE_REGISTERS if device else self.REGISTERS)
            subprocess.run([CASTOR_CC, "-O2", source, "-o", source.with_suffix("")], check=True)
        options = [word for setting in settings for word in ("--set", setting)]
        done = self.castor("run", "-p" + machine, *options, str(source.with_suffix("")), *accesses)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines.pop(), "cudaErrorInvalidValue")
        return lines, done.stderr

    def test_registers_of_a_block_are_read_and_written(self):
        lines, _ = self.registers(
            "0x0", "0x18=9", "0x18", "0x0=1", "0x18=0", "0x7f00", machine="gcn_apu", settings=["blocks.lax.enable=1"]
        )
        self.assertEqual(
            lines,
            [
                "0 cudaSuccess 4c415801",
                "18 cudaSuccess 9",
                "18 cudaSuccess 9",
                "0 cudaErrorNotPermitted 1",
                "18 cudaErrorNotPermitted 0",
                "7f00 cudaErrorInvalidValue 0",
            ],
        )

    def test_device_code_accesses_registers_lane_by_lane(self):
        lines, _ = self.registers(machine="gcn_apu", settings=["blocks.lax.enable=1"], device=True)
        self.assertEqual(
            lines[0],
            "write cudaSuccess 18:cudaSuccess:1c f0000:cudaErrorNotSupported:1d 7f00:cudaErrorInvalidValue:1e "
            "0:cudaErrorNotPermitted:1f 18:cudaSuccess:20",
        )
        # The last lane writes last. Even lanes do not call, and keep their value.
        even = "unrecognized error code:5"
        self.assertEqual(lines[1], f"read cudaSuccess 18:{even} 18:cudaSuccess:20 0:{even} 0:cudaSuccess:4c415801")
        self.assertEqual(
            lines[2], f"read cudaSuccess 0:{even} 0:cudaSuccess:4c415801 0:{even} f0000:cudaErrorNotSupported:5"
        )
        lines, _ = self.registers(settings=["run.functional=1"], device=True)
        self.assertIn("read cudaSuccess 18:unrecognized error code:5 18:cudaErrorNotSupported:5", lines[1])

    def test_registers_of_a_block_that_is_absent_are_refused_by_its_name(self):
        lines, errors = self.registers("0x18=9", "0xf0004")
        self.assertEqual(lines, ["18 cudaErrorNotSupported 9", "f0004 cudaErrorNotSupported 0"])
        self.assertIn(
            "register 0x18: register window 0 belongs to block lax, which this machine does not have: "
            "blocks.lax.enable=1",
            errors,
        )
        self.assertIn("register 0xf0004: register window 15 belongs to no block", errors)
        lines, errors = self.registers("0x18", settings=["run.functional=1"])
        self.assertEqual(lines, ["18 cudaErrorNotSupported 0"])
        self.assertIn("register 0x18: the functional machine has no blocks and no registers of blocks", errors)

    def test_signals_have_report_and_timeline_written(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            with self.subTest(number):
                report, timeline = self.path / f"r-{code}.json", self.path / f"t-{code}.json"
                process = subprocess.Popen(
                    [CASTOR, "run", "-ptiny", "--set", "watchdog.cycles=1000000000000", "--report", report]
                    + ["--timeline", timeline, self.program, "--endless"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                )
                self.assertEqual(process.stdout.readline(), "spinning\n")
                until_worked(process, 1)
                process.send_signal(number)
                _, errors = process.communicate(timeout=HANG_SECONDS)
                self.assertEqual(process.returncode, code)
                self.assertTrue(errors.startswith("castor: interrupted"), errors)
                self.assertGreater(json.loads(report.read_text())["cycles"], 0)
                self.assertGreater(len(json.loads(timeline.read_text())["traceEvents"]), 0)

    def test_an_endless_loop_ends_on_both_machines(self):
        for machine in ["0", "1"]:
            with self.subTest(machine):
                settings = ["--set", "watchdog.cycles=20000", "--set", f"run.functional={machine}"]
                done = self.castor("run", "-ptiny", *settings, self.program, "--endless")
                self.assertRegex(
                    done.stderr,
                    r"(?s)spinning deadlock: 1 warp repeats its loop for ever.*kernel endless\(int volatile\*\), "
                    r"block \(0,0,0\), warp 0.*reads global 0x",
                )

    def test_wrong_settings_end_the_program_with_one_line(self):
        for environment, part in [
            ({"CASTOR_PLATFORM": "no_such_machine"}, "no_such_machine"),
            ({"CASTOR_SET": "chip.sms=0"}, "chip.sms"),
            ({"CASTOR_SET": "no.such.key=1"}, "no.such.key"),
            ({"CASTOR_SET": "nonsense"}, "nonsense"),
            ({"CASTOR_MAX_REGISTERS": "7"}, "CASTOR_MAX_REGISTERS"),
            ({"CASTOR_MARKS": "x.marks"}, "compile.marks"),
            ({"CASTOR_MARKS": "/no/such/x.marks", "CASTOR_SET": "compile.marks=1"}, "/no/such/x.marks"),
            ({"CASTOR_REPORT": "/no/such/folder/r.json"}, "/no/such/folder/r.json"),
        ]:
            merged = dict(os.environ, **environment)
            done = subprocess.run(
                [self.program],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
                env=merged,
                check=False,
            )
            self.assertEqual((done.returncode, done.stdout), (2, ""), environment)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(part, done.stderr)
            self.assertTrue(done.stderr.startswith("castor: "), done.stderr)

    def test_kernels_of_a_program(self):
        rows = json.loads(self.good("list", "kernels", self.program, "--json").stdout)
        self.assertEqual({row["kernel"] for row in rows}, {"_Z4fillPii", "_Z7endlessPVi"})

    def test_ptx_options_are_refused_for_programs(self):
        self.refused(2, ["--kernel.*PTX files"], "run", "--kernel", "fill", self.program)
        self.refused(2, ["--arg.*PTX files"], "run", "--arg", "5", self.program)


if __name__ == "__main__":
    main()
