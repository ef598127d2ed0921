#!/usr/bin/env python3
"""The `castor` command: arguments, dumps, reports, listings, help, and what it says about bad input.

  cli_test.py CASTOR CASTOR_CC MACHINES [unittest arguments...]

CASTOR and CASTOR_CC are the programs under test, MACHINES is the folder of the shipped machine files. Expected values
are computed here.
"""

import json
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS, until_worked  # noqa: E402

CASTOR = CASTOR_CC = MACHINES = None

HEADER = ".version 7.0\n.target sm_60\n.address_size 64\n"

# out[i] = a * x[i] + out[i] for i < n
SAXPY = (
    HEADER
    + """
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 out)
{
  .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<5>; .reg .pred %p;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r3, %r4;
  @%p ret;
  ld.param.f32 %f0, [a]; ld.param.u64 %rd0, [x]; ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd0, %rd2; add.u64 %rd4, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd4];
  fma.rn.f32 %f3, %f0, %f1, %f2;
  st.global.f32 [%rd4], %f3;
  ret;
}
"""
)

# One parameter of each scalar type, stored one behind the other.
SCALARS = [
    ("u8", 1),
    ("s8", 1),
    ("u16", 2),
    ("s16", 2),
    ("u32", 4),
    ("s32", 4),
    ("u64", 8),
    ("s64", 8),
    ("f32", 4),
    ("f64", 8),
    ("b32", 4),
]


def scalars_kernel():
    parameters = ", ".join(f".param .{name} p{i}" for i, (name, _) in enumerate(SCALARS))
    body = ""
    for i, (name, size) in enumerate(SCALARS):
        register = {1: "%h0", 2: "%h0", 4: "%r0", 8: "%rd1"}[size]
        if name == "f32":
            register = "%f0"
        if name == "f64":
            register = "%d0"
        body += f"  ld.param.{name} {register}, [p{i}]; st.global.{name} [%rd0+{8 * i}], {register};\n"
    return HEADER + (
        f".visible .entry scalars(.param .u64 out, {parameters})\n{{\n  .reg .b16 %h<2>; .reg .b32 %r<2>; "
        ".reg .b64 %rd<3>; .reg .f32 %f<2>; .reg .f64 %d<2>;\n  ld.param.u64 %rd0, [out];\n"
        f"{body}  ret;\n}}\n"
    )


def kernel(body, parameters=".param .u64 out", name="k", before=""):
    return (
        HEADER + before + f".visible .entry {name}({parameters})\n{{\n  .reg .b32 %r<9>; .reg .b64 %rd<9>; "
        f".reg .pred %p<4>;\n{body}\n}}\n"
    )


def fnv1a64(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, content):
        path = self.path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def castor(self, *arguments, environment=None):
        merged = {key: value for key, value in os.environ.items() if not key.startswith("CASTOR_")}
        merged.update(environment or {})
        done = subprocess.run(
            [CASTOR] + [str(a) for a in arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            env=merged,
            cwd=self.path,
            timeout=HANG_SECONDS,
            check=False,
        )
        self.assertNotRegex(done.stderr, "Sanitizer|runtime error:")  # a sanitizer's exit code is 1, too
        return done

    def good(self, *arguments, **keywords):
        done = self.castor(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, code, parts, *arguments, **keywords):
        """Runs; expects exit code and every part on standard error. A wrong request (2) is one line from castor."""
        done = self.castor(*arguments, **keywords)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in parts:
            self.assertRegex(done.stderr, part)
        if code == 2:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done


class Run(Case):
    def test_saxpy_with_every_dump(self):
        ptx = self.file("saxpy.ptx", SAXPY)
        out = self.path / "out.bin"
        done = self.good(
            "run",
            ptx,
            "--grid",
            "4",
            "--block",
            "256",
            "--arg",
            "1000",
            "--arg",
            "2.5",
            "--arg",
            "iota:1000xf32",
            "--arg",
            "value:1000xf32:0.5",
            "--dump",
            "3:f32:4",
            "--dump",
            "3:hex:8",
            "--dump",
            "3:hash",
            "--dump",
            f"3:file:{out}",
        )
        expected = struct.pack("<1000f", *[2.5 * i + 0.5 for i in range(1000)])
        self.assertEqual(out.read_bytes(), expected)
        self.assertEqual(
            done.stdout.splitlines(),
            [
                "argument 3: 0.5 3 5.5 8",
                "argument 3: 0000003f00004040",
                f"argument 3: fnv1a64 {fnv1a64(expected)}",
                f"argument 3: 4000 bytes to {out}",
            ],
        )
        self.assertRegex(
            done.stderr, r"^saxpy: 4 thread blocks, \d+ warp instructions, \d+ registers, on pascal_titanx"
        )

    def test_every_kind_of_buffer(self):
        ptx = self.file("nothing.ptx", kernel("  ret;", ", ".join(f".param .u64 p{i}" for i in range(9))))
        data = bytes(range(17))
        path = self.file("data.bin", data)
        arguments = [
            "zeros:5",
            "zeros:3xf64",
            "iota:4xu16:65533",
            "iota:3xf32:7",
            "value:3xs16:-2",
            "hex:00fFa5",
            f"file:{path}",
            "random:100xf32:3",
            "random:100xu8",
        ]
        command = ["run", ptx]
        for i, argument in enumerate(arguments):
            command += ["--arg", argument]
        for i in range(len(arguments)):
            command += ["--dump", f"{i}:file:{self.path}/{i}"]
        self.good(*command)
        got = [(self.path / str(i)).read_bytes() for i in range(len(arguments))]
        self.assertEqual(
            got[:7],
            [
                bytes(5),
                bytes(24),
                struct.pack("<4H", 65533, 65534, 65535, 0),
                struct.pack("<3f", 7, 8, 9),
                struct.pack("<3h", -2, -2, -2),
                b"\x00\xff\xa5",
                data,
            ],
        )
        reals = struct.unpack("<100f", got[7])
        self.assertTrue(all(0 <= x < 1 for x in reals))
        self.assertGreater(len(set(reals)), 90)
        self.assertEqual(len(got[8]), 100)
        again = list(command)
        self.good(*again)
        self.assertEqual((self.path / "7").read_bytes(), got[7])
        again[again.index("random:100xf32:3")] = "random:100xf32:4"
        self.good(*again)
        self.assertNotEqual((self.path / "7").read_bytes(), got[7])

    def test_scalars_of_every_type(self):
        ptx = self.file("scalars.ptx", scalars_kernel())
        values = [
            "255",
            "-128",
            "65535",
            "-32768",
            "0xffffffff",
            "-2147483648",
            "18446744073709551615",
            "-9223372036854775808",
            "-1.5e-3",
            "0.1",
            "7",
        ]
        command = ["run", ptx, "--arg", "zeros:88"]
        for value in values:
            command += ["--arg", value]
        self.good(*command, "--dump", f"0:file:{self.path}/out")
        got = (self.path / "out").read_bytes()
        formats = "BbHhIiQqfdI"
        for i, (value, form) in enumerate(zip(values, formats)):
            expected = struct.pack("<" + form, float(value) if form in "fd" else int(value, 0))
            self.assertEqual(got[8 * i : 8 * i + len(expected)], expected, SCALARS[i])

    def test_half_precision(self):
        ptx = self.file("nothing.ptx", kernel("  ret;", ".param .u64 p0, .param .u64 p1"))
        done = self.good(
            "run",
            ptx,
            "--arg",
            "iota:4xf16:1",
            "--arg",
            "value:2xbf16:-1.5",
            "--dump",
            "0:f16",
            "--dump",
            "0:hex",
            "--dump",
            "1:hex",
            "--dump",
            "1:bf16",
        )
        self.assertEqual(
            done.stdout.splitlines(),
            ["argument 0: 1 2 3 4", "argument 0: 003c004000420044", "argument 1: c0bfc0bf", "argument 1: -1.5 -1.5"],
        )

    def test_values_are_printed_by_type(self):
        ptx = self.file("nothing.ptx", kernel("  ret;"))
        data = "ff7fffff0000803f"
        for kind, text in [
            ("u8", "255 127 255 255 0 0 128 63"),
            ("s8", "-1 127 -1 -1 0 0 -128 63"),
            ("u16", "32767 65535 0 16256"),
            ("s16", "32767 -1 0 16256"),
            ("u32", "4294934527 1065353216"),
            ("s32", "-32769 1065353216"),
            ("b32", "0xffff7fff 0x3f800000"),
            ("u64", str(0x3F800000FFFF7FFF)),
            ("f32:1", "nan"),
            ("u16:2", "32767 65535"),
        ]:
            done = self.good("run", ptx, "--arg", f"hex:{data}", "--dump", f"0:{kind}")
            self.assertEqual(done.stdout.replace("-nan", "nan"), f"argument 0: {text}\n")

    def test_struct_by_value(self):
        ptx = self.file(
            "struct.ptx",
            kernel(
                "  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [s+8]; st.global.u32 [%rd0], %r0; ret;",
                ".param .u64 out, .param .align 4 .b8 s[12]",
            ),
        )
        done = self.good("run", ptx, "--arg", "zeros:4", "--arg", "hex:000000000000000078563412", "--dump", "0:b32")
        self.assertEqual(done.stdout, "argument 0: 0x12345678\n")

    def test_dimensions_shared_memory_and_kernel(self):
        body = """  .reg .b32 %s<4>;
  mov.u32 %s0, %nctaid.x; mov.u32 %s1, %nctaid.y; mov.u32 %s2, %nctaid.z;
  ld.param.u64 %rd0, [out];
  st.global.u32 [%rd0], %s0; st.global.u32 [%rd0+4], %s1; st.global.u32 [%rd0+8], %s2;
  mov.u32 %s0, %ntid.x; mov.u32 %s1, %ntid.y; mov.u32 %s2, %ntid.z; mov.u32 %s3, %dynamic_smem_size;
  st.global.u32 [%rd0+12], %s0; st.global.u32 [%rd0+16], %s1; st.global.u32 [%rd0+20], %s2;
  st.global.u32 [%rd0+24], %s3;
  ret;"""
        text = kernel(body) + kernel("  trap;", name="other")[len(HEADER) :]
        ptx = self.file("two.ptx", text)
        done = self.good(
            "run",
            ptx,
            "--kernel",
            "k",
            "--grid",
            "3,2",
            "--block",
            "4x5x6",
            "--shared",
            "1000",
            "--arg",
            "zeros:28",
            "--dump",
            "0:u32",
        )
        self.assertEqual(done.stdout, "argument 0: 3 2 1 4 5 6 1000\n")
        self.refused(2, [r"two\.ptx has 2 kernels: k, other", "--kernel"], "run", ptx, "--arg", "zeros:28")
        self.refused(2, ["no kernel 'third'", "it has k, other"], "run", ptx, "--kernel", "third", "--arg", "zeros:28")

    def test_report(self):
        ptx = self.file("saxpy.ptx", SAXPY)
        report = self.path / "report.json"
        self.good(
            "run",
            ptx,
            "--platform",
            "tiny",
            "--set",
            "run.seed=7",
            "--report",
            report,
            "--grid",
            "2",
            "--block",
            "64",
            "--arg",
            "100",
            "--arg",
            "1",
            "--arg",
            "zeros:400",
            "--arg",
            "iota:100xf32",
            "--dump",
            "3:hash",
        )
        content = json.loads(report.read_text())
        self.assertEqual(content["machine"], "tiny")
        self.assertEqual(content["mode"], "timing")
        self.assertEqual(content["configuration"]["keys"]["chip.sms"]["value"], 2)
        self.assertEqual(content["configuration"]["keys"]["run.seed"]["value"], 7)
        (one,) = content["kernels"]
        self.assertEqual((one["name"], one["thread_blocks"]), ("saxpy", 2))
        self.assertEqual(content["warp_instructions"], one["warp_instructions"])
        self.assertLessEqual(one["thread_instructions"], 32 * one["warp_instructions"])
        self.assertEqual(
            content["buffers"], [{"argument": 3, "bytes": 400, "fnv1a64": fnv1a64(struct.pack("<100f", *range(100)))}]
        )
        self.assertNotIn("fault", content)

    def test_report_with_keys_that_have_gone_is_still_the_machine(self):
        ptx = self.file("saxpy.ptx", SAXPY)

        def run(platform, name):
            report = self.path / name
            done = self.good(
                "run",
                ptx,
                "--platform",
                platform,
                "--report",
                report,
                "--grid",
                "2",
                "--block",
                "64",
                "--arg",
                "100",
                "--arg",
                "1",
                "--arg",
                "zeros:400",
                "--arg",
                "iota:100xf32",
            )
            content = json.loads(report.read_text())
            return (
                content,
                json.dumps(content["statistics"]),
                [line for line in done.stderr.splitlines() if "key" in line],
            )

        before, statistics, said = run("tiny", "now.json")
        self.assertEqual(said, [])
        configuration = json.loads(json.dumps(before["configuration"]))
        configuration["keys"].update(
            {
                "pool.scan": {"value": 8, "unit": "kernels", "origin": "ours"},
                "chip.cluster_size": {"value": 1, "unit": "SMs", "origin": "ours"},
                "launch.stream": {"value": 0, "unit": "ticks", "origin": "ours"},
            }
        )
        old = self.file("old.json", json.dumps({"configuration": configuration}))
        for name in ("once.json", "twice.json"):
            content, again, said = run(old, name)
            self.assertEqual(again, statistics)
            self.assertEqual(content["configuration"], before["configuration"])
            self.assertEqual(
                said,
                [
                    f"[machines] warning: {old}: left out the keys that machines no longer have: "
                    "chip.cluster_size, launch.stream, pool.scan"
                ],
            )
        written = self.file("written.yaml", "extends: tiny\npool.scan: 8\n")
        self.refused(2, [r"written\.yaml:2:12", "unknown key .pool.scan"], "run", ptx, "--platform", written)

    def test_report_of_a_fault(self):
        ptx = self.file("null.ptx", kernel("  mov.u64 %rd0, 0; st.global.u32 [%rd0], %r0; ret;"))
        report = self.path / "report.json"
        self.refused(1, ["null pointer"], "run", ptx, "--arg", "0", "--report", report)
        self.assertIn("null pointer", json.loads(report.read_text())["fault"]["message"])

    def test_max_registers_spills_and_gives_the_same(self):
        values = "".join(f"  ld.global.u32 %v{i}, [%rd0+{4 * i}];\n" for i in range(40))
        adds = "  mov.u32 %r0, 0;\n" + "".join(f"  mad.lo.u32 %r0, %r0, 3, %v{39 - i};\n" for i in range(40))
        ptx = self.file(
            "many.ptx",
            kernel(
                "  .reg .b32 %v<40>;\n  ld.param.u64 %rd0, [out];\n"
                + values
                + adds
                + "  st.global.u32 [%rd0], %r0; ret;"
            ),
        )
        expected = 0
        for i in range(40):
            expected = (expected * 3 + 39 - i) % (1 << 32)
        for cap in ([], ["--max-registers", "16"]):
            done = self.good("run", ptx, *cap, "--arg", "iota:40xu32", "--dump", "0:u32:1")
            self.assertEqual(done.stdout, f"argument 0: {expected}\n")
            registers = int(re.search(r"(\d+) registers", done.stderr).group(1))
            self.assertTrue(registers <= 16 if cap else registers > 40, registers)

    def test_printing_comes_before_dumps(self):
        ptx = self.file(
            "print.ptx",
            kernel(
                """  .local .align 8 .b8 stack[8];
  mov.u32 %r0, %tid.x; mov.u64 %rd1, stack; cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1], %r0;
  mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;
  { .param .b64 a; st.param.b64 [a], %rd4; .param .b64 b; st.param.b64 [b], %rd2; .param .b32 r;
    call.uni (r), vprintf, (a, b); }
  ret;""",
                before=".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                ".global .align 1 .b8 text[4] = {37, 100, 10, 0};\n",
            ),
        )
        done = self.good("run", ptx, "--block", "3", "--arg", "zeros:1", "--dump", "0:hex")
        self.assertEqual(done.stdout, "0\n1\n2\nargument 0: 00\n")

    def test_signals_end_an_endless_kernel_with_its_report(self):
        ptx = self.file("endless.ptx", kernel("again: bra again;"))
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            with self.subTest(number):
                report = self.path / f"report-{code}.json"
                # Endless for the watchdog too: it would find in the end that nothing changes.
                process = subprocess.Popen(
                    [CASTOR, "run", ptx, "--arg", "0", "--report", report, "--set", "watchdog.cycles=1000000000000"],
                    stderr=subprocess.PIPE,
                    universal_newlines=True,
                    cwd=self.path,
                )
                until_worked(process, 1)
                process.send_signal(number)
                _, errors = process.communicate(timeout=HANG_SECONDS)
                self.assertEqual(process.returncode, code, errors)
                self.assertIn("interrupted", errors)
                self.assertGreater(json.loads(report.read_text())["warp_instructions"], 0)

    def test_platform_from_file_and_environment(self):
        ptx = self.file("nothing.ptx", kernel("  ret;", ""))
        machine = self.file("mine.yaml", 'machine: mine\ntitle: "One SM"\nextends: tiny\nchip.sms: [1, SMs, ours]\n')
        self.assertIn("on mine", self.good("run", ptx, "--platform", machine).stderr)
        self.assertIn("on kepler_k40", self.good("run", ptx, environment={"CASTOR_PLATFORM": "kepler_k40"}).stderr)
        self.assertIn("on tiny", self.good("run", ptx, "-ptiny", environment={"CASTOR_PLATFORM": "kepler_k40"}).stderr)
        self.assertIn("functional", self.good("run", "--functional", ptx).stderr)


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
            self.assertNotIn("cudaSuccess", done.stdout)  # it does not get there
            self.assertRegex(done.stderr, "stopped after [2-9] kernels, as run.stop_after says")
            self.assertGreaterEqual(len(json.loads(report.read_text())["kernels"]), 2)

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


class BadInput(Case):
    """What the command line says, and its exit code: 1 for device code that fails, 2 for a wrong request."""

    def run_body(self, code, parts, body, *arguments, parameters=".param .u64 out", before=""):
        return self.refused(
            code, parts, "run", self.file("bad.ptx", kernel(body, parameters, before=before)), *arguments
        )

    def test_malformed_ptx(self):
        place = r"bad\.ptx:%d:%d: error "
        for body, line, column, part in [
            ("  mov.u32 %r0 5;\n  ret;", 7, 15, "expected"),
            ("  mov.u32 %undeclared, 5;\n  ret;", 7, 11, "%undeclared"),
            ("  mov.u32 %r0, 5\n  ret;", 8, 3, "expected"),
            ("  bra nowhere;", 7, 7, "nowhere"),
            ("  ld.param.u64 %rd0, [other]; ret;", 7, 23, "other"),
        ]:
            self.run_body(2, [place % (line, column), part], body, "--arg", "0")
        self.refused(2, [r"cut\.ptx:\d+:\d+: error "], "run", self.file("cut.ptx", SAXPY[:400]))
        self.refused(2, [r"text\.ptx:1:1: error "], "run", self.file("text.ptx", "hello, world\n"))

    def test_unsupported_instructions(self):
        for text, opcode in [
            ("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [t, {%f0,%f1}];", "tex"),
            ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0}, [%rd0];", "wmma"),
            ("frobnicate.u32 %r0, %r1;", "frobnicate"),
        ]:
            self.run_body(2, [r"bad\.ptx:7:3: error ", opcode], "  " + text + "\n  ret;", "--arg", "0")

    def test_number_and_size_of_arguments(self):
        saxpy = self.file("saxpy.ptx", SAXPY)
        self.refused(2, ["takes 4 arguments, 1 were given"], "run", saxpy, "--arg", "5")
        self.refused(2, ["takes 4 arguments, 5 were given"], "run", saxpy, *["--arg", "5"] * 5)
        self.refused(
            2,
            ["argument 0 is a buffer of 8 bytes", "4 bytes"],
            "run",
            saxpy,
            "--arg",
            "zeros:8",
            "--arg",
            "1",
            "--arg",
            "0",
            "--arg",
            "0",
        )
        struct_kernel = self.file("s.ptx", kernel("  ret;", ".param .align 4 .b8 s[12]"))
        self.refused(2, ["struct of 12 bytes", "hex:"], "run", struct_kernel, "--arg", "5")
        self.refused(2, ["buffer of 11 bytes", "12 bytes"], "run", struct_kernel, "--arg", "zeros:11")

    def test_scalars_out_of_range(self):
        for kind, values in [
            ("u8", ["256", "-129"]),
            ("s8", ["256", "-129"]),
            ("u16", ["65536"]),
            ("u32", ["4294967296", "-2147483649"]),
            ("s32", ["4294967296"]),
            ("u64", ["18446744073709551616", "-9223372036854775809"]),
            ("f32", ["1e39", "-4e38"]),
            ("f64", ["1e400"]),
        ]:
            ptx = self.file("one.ptx", kernel("  ret;", f".param .{kind} p"))
            for value in values:
                self.refused(
                    2,
                    [rf"argument '{re.escape(value)}' for a \.{kind} parameter is out of range"],
                    "run",
                    ptx,
                    f"--arg={value}",
                )
            for value in ["", "5x", "five", "1.5" if kind[0] != "f" else "1.5.5", "0x", "--"]:
                self.refused(2, ["arg"], "run", ptx, f"--arg={value}")

    def test_wrong_buffers_and_dumps(self):
        ptx = self.file("one.ptx", kernel("  ret;"))
        for argument, part in [
            ("zeros:", "count"),
            ("zeros:-5", "count"),
            ("zeros:0", "0 elements"),
            ("zeros:99999999999999999999", "count"),
            ("zeros:68719476737", "2\\^36"),
            ("iota:5", "lacks a type"),
            ("iota:5xq7", "'q7' is no type"),
            ("iota:5xpred", "no type"),
            ("value:4xu8", "lacks the value"),
            ("value:4xu8:256", "out of range"),
            ("hex:", "digits"),
            ("hex:123", "3 digits"),
            ("hex:zz", "no hexadecimal"),
            ("file:/no/such/file", "/no/such/file.*No such file"),
            ("file:/", "directory"),
            ("random:4xf32:x", "seed"),
            ("zeros:4:5", "nothing may follow"),
            ("blob:3", "unknown kind 'blob'"),
        ]:
            self.refused(2, [part], "run", ptx, "--arg", argument)
        for dump, part in [
            ("1:hex", "argument 1 is no buffer"),
            ("99999999999:hex", "no buffer"),
            ("x:hex", "index"),
            ("0", "INDEX"),
            ("0:", "no type"),
            ("0:f33", "'f33' is no type"),
            ("0:file", "lacks the path"),
            ("0:file:/no/such/folder/f", "cannot write"),
            ("0:u8:x", "count"),
            ("-1:hex", "index"),
        ]:
            self.refused(2, [part], "run", ptx, "--arg", "zeros:8", f"--dump={dump}")
        self.refused(2, ["argument 0 is no buffer"], "run", ptx, "--arg", "5", "--dump", "0:hex")

    def test_files(self):
        self.refused(2, ["missing.ptx.*No such file"], "run", "missing.ptx")
        self.refused(2, ["missing.*No such file"], "run", "./missing")
        self.refused(2, ["empty.ptx.*it is empty"], "run", self.file("empty.ptx", ""))
        (self.path / "folder.ptx").mkdir()
        self.refused(2, ["folder.ptx.*directory"], "run", "folder.ptx")
        self.refused(2, [r"binary.ptx:1:1: error "], "run", self.file("binary.ptx", bytes(range(256)) * 10))
        self.refused(2, [r"zeros.ptx:1:1: error "], "run", self.file("zeros.ptx", bytes(1000)))
        self.refused(
            2,
            [r"elf.ptx' holds no PTX .build it with castor-cc"],
            "run",
            self.file("elf.ptx", pathlib.Path(CASTOR).read_bytes()[:5000]),
        )
        self.refused(2, ["plain.*Permission denied"], "run", self.file("plain", "text"))
        script = self.file("script", bytes([1, 2, 3, 4]))
        os.chmod(script, 0o755)
        self.refused(2, ["script.*Exec format error", "castor-cc"], "run", script)
        self.refused(2, ["holds no PTX"], "list", "kernels", "/bin/true")
        self.refused(2, ["missing.ptx"], "list", "kernels", "missing.ptx")
        ptx = self.file("one.ptx", kernel("  ret;"))
        self.refused(
            2, ["cannot write '/no/such/folder/r.json'"], "run", ptx, "--arg", "0", "--report", "/no/such/folder/r.json"
        )
        self.refused(2, ["'5' stands behind a PTX file", "--arg"], "run", ptx, "5")

    def test_a_random_program_text_never_crashes(self):
        generator = random.Random(11)
        for i in range(60):
            text = bytearray(SAXPY.encode())
            for _ in range(generator.randrange(1, 8)):
                at = generator.randrange(len(text))
                text[at : at + generator.randrange(3)] = bytes([generator.randrange(256)])
            done = self.castor(
                "run",
                self.file("mutant.ptx", bytes(text)),
                "--arg",
                "10",
                "--arg",
                "1",
                "--arg",
                "zeros:40",
                "--arg",
                "zeros:40",
                "--set",
                "run.max_instructions=10000",
            )
            self.assertIn(done.returncode, (0, 1, 2), f"mutant {i}: {done.stderr}")

    def test_launches_beyond_the_machine(self):
        ptx = self.file("one.ptx", kernel("  ret;", ""))
        self.refused(2, [r"launch of k: block \(1025,1,1\) has 1025 threads", "1024"], "run", ptx, "--block", "1025")
        self.refused(2, ["1,1,65"], "run", ptx, "--block", "1,1,65")
        self.refused(2, [r"grid \(1,65536,1\)"], "run", ptx, "--grid", "1,65536")
        self.refused(2, ["513 threads.*512"], "run", ptx, "--block", "513", "--platform", "tiny")
        self.refused(2, ["98305 bytes of shared memory"], "run", ptx, "--shared", "98305")
        for option in ("--grid", "--block"):
            for value in ("0", "1,0", "-1", "x", "", "1,2,3,4", "4294967296", "1.5"):
                self.refused(2, [option[2:]], "run", ptx, f"{option}={value}")

    def test_device_accesses(self):
        where = [r"in kernel 'k' \(.*bad\.ptx:8\), block \(1,0,0\), thread \(5,0,0\)"]
        guard = "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r0, 5; "
        guard += "setp.ne.or.u32 %p1, %r1, 1, %p0; "
        launch = ["--grid", "3", "--block", "8", "--arg", "zeros:64"]
        load = "ld.param.u64 %rd0, [out];"
        self.run_body(
            1,
            where
            + [
                "load of 4 bytes at global address 0x[0-9a-f]+: 0 bytes behind the end of a 64-byte heap "
                "allocation 'argument 0'"
            ],
            guard + load + "\n  @!%p1 ld.global.u32 %r2, [%rd0+64]; ret;",
            *launch,
        )
        self.run_body(
            1,
            where + ["store of 8 bytes at global address 0x[0-9a-f]+: not a multiple of 8"],
            guard + load + "\n  @!%p1 st.global.u64 [%rd0+4], %rd0; ret;",
            *launch,
        )
        self.run_body(
            1,
            where + ["atomic of 4 bytes at global address 0x0: a null pointer"],
            guard + "mov.u64 %rd1, 0;\n  @!%p1 atom.global.add.u32 %r2, [%rd1], 1; ret;",
            *launch,
        )
        self.run_body(
            1,
            where + ["store of 4 bytes at shared address 0x40: outside the block's 64 bytes"],
            guard + "mov.u32 %r3, window;\n  @!%p1 st.shared.u32 [%r3+64], %r0; ret;",
            *launch,
            before=".shared .align 4 .b8 window[64];",
        )
        self.run_body(
            1,
            where + ["load of 4 bytes at local address 0x8: outside the thread's 8 bytes"],
            "  .local .align 4 .b8 mine[8]; "
            + guard
            + "mov.u64 %rd1, mine; st.local.u32 [%rd1], %r0;\n  @!%p1 ld.local.u32 %r2, [%rd1+8]; ret;",
            *launch,
        )
        self.run_body(1, where + ["trap instruction"], guard + "\n  @!%p1 trap; ret;", *launch)

    def test_use_of_freed_memory(self):
        # Device malloc, free, use: the message says that the memory was freed.
        calls = """  {{ .param .b64 a; st.param.b64 [a], 16; .param .b64 r;
      call.uni (r), malloc, (a); ld.param.b64 %rd1, [r]; }}
  {{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }}
  {}
  ret;"""
        before = ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n"
        self.run_body(
            1,
            ["inside a freed 16-byte device malloc allocation"],
            calls.format("st.u32 [%rd1+4], %r0;"),
            "--arg",
            "0",
            before=before,
        )
        self.run_body(
            1,
            ["free of an address that device malloc did not return"],
            calls.format("{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); }"),
            "--arg",
            "0",
            before=before,
        )

    def test_barriers(self):
        self.run_body(
            1,
            ["deadlock", r"barrier 1: 1 of 2 warps have arrived"],
            "  mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra other;\n  bar.sync 1, 64; ret;\n"
            "other:\n  bar.sync 2, 64; ret;",
            "--block",
            "64",
            "--arg",
            "0",
        )
        self.run_body(
            1,
            ["barrier 0 reached by a part of a warp", r"thread \(3,0,0\)"],
            "  mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 3; @%p0 bra other;\n  bar.sync 0; bra end;\n"
            "other: mov.u32 %r0, 5;\nend: ld.param.u64 %rd0, [out]; st.global.u32 [%rd0], %r0; ret;",
            "--block",
            "32",
            "--arg",
            "zeros:4",
        )
        self.run_body(
            1,
            ["barrier 16 does not exist"],
            "  ld.param.u64 %rd0, [out]; cvt.u32.u64 %r0, %rd0; bar.sync %r0; " "ret;",
            "--block",
            "32",
            "--arg",
            "16",
        )

    def test_hanging_jobs_of_a_machine_with_the_laxity_engine(self):
        # The engine's updates go on for ever and are no progress.
        machine = ["--block", "128", "--arg", "0", "--platform", "gcn_apu", "--set", "blocks.lax.enable=1"]
        self.run_body(
            1,
            [
                r"deadlock: nothing can proceed",
                r"host: waits for ticket 1, kernel k of entry 0",
                r"warp 0 \(slot \d+\) waits at barrier 1: .*, missing: 1",
                r"cycle: warp of slot \d+ \(SM 0\) -> warp of slot \d+ \(SM 0\) -> warp of slot",
            ],
            "  mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 64; @%p0 bra other;\n  bar.sync 1, 128; ret;\n"
            "other:\n  bar.sync 2, 128; ret;",
            *machine,
        )
        self.run_body(
            1,
            ["spinning deadlock: 2 warps repeat their loop for ever", "reads no memory"],
            "again: bra again;",
            *machine,
            "--set",
            "watchdog.cycles=20000",
        )

    def test_endless_loop(self):
        self.run_body(
            1,
            ["run.max_instructions = 50000", "kernel k"],
            "again: bra again;",
            "--arg",
            "0",
            "--set",
            "run.max_instructions=50000",
        )

    def test_cycle_limit(self):
        self.run_body(
            1,
            ["run.max_cycles = 5000", "SM 0: block 0 of k", "warp 0 .slot 0."],
            "again: bra again;",
            "--arg",
            "0",
            "--set",
            "run.max_cycles=5000",
        )

    def test_spinning(self):
        self.run_body(
            1,
            ["spinning deadlock: 1 warp repeats its loop for ever", "reads no memory"],
            "again: bra again;",
            "--arg",
            "0",
            "--set",
            "watchdog.cycles=2000",
        )

    def test_machines(self):
        ptx = self.file("one.ptx", kernel("  ret;", ""))
        self.refused(2, ["no_such", "tiny"], "run", ptx, "--platform", "no_such")
        self.refused(2, ["missing.yaml"], "run", ptx, "--platform", "./missing.yaml")
        cases = [
            ("chip.sms: [0, SMs, ours]", [r"bad\.yaml:4", "chip.sms", r"1 (to|\.\.)"]),
            ("chip.sms: [many, SMs, ours]", [r"bad\.yaml:4", "chip.sms"]),
            ("chip.smss: [4, SMs, ours]", [r"bad\.yaml:4", "chip.smss"]),
            ("chip.sms: [4, SMs, ours]\nchip.sms: [5, SMs, ours]", [r"bad\.yaml:5", "chip.sms"]),
            ("sm.lanes: [48, lanes, ours]", [r"bad\.yaml", "sm.lanes"]),
            ("chip.sms: [4, SMs", [r"bad\.yaml"]),
        ]
        for line, parts in cases:
            text = f'machine: bad\ntitle: "t"\nextends: tiny\n{line}\n'
            self.refused(2, parts, "run", ptx, "--platform", self.file("bad.yaml", text))
        for setting, parts in [
            ("chip.sms=0", ["chip.sms"]),
            ("chip.sms=abc", ["chip.sms"]),
            ("chip.sms", ["chip.sms"]),
            ("chip.smss=3", ["chip.smss"]),
            ("=3", ["="]),
        ]:
            self.refused(2, parts, "run", ptx, "--set", setting)

    def test_command_line(self):
        for arguments in (
            [],
            ["fly"],
            ["run"],
            ["run", "--nonsense", "x.ptx"],
            ["list"],
            ["list", "dogs"],
            ["list", "kernels"],
            ["run", "x.ptx", "--max-registers", "8"],
            ["run", "x.ptx", "--arg"],
            ["list", "instructions", "nosuch"],
            ["list", "instructions", "tex"],
        ):
            done = self.castor(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("castor: error "), done.stderr)
            self.assertEqual(done.stdout, "", arguments)


class Lists(Case):
    def test_platforms(self):
        names = sorted(path.stem for path in pathlib.Path(MACHINES).glob("*.yaml"))
        rows = json.loads(self.good("list", "platforms", "--json").stdout)
        self.assertEqual([row["name"] for row in rows], names)
        tiny = next(row for row in rows if row["name"] == "tiny")
        self.assertEqual((tiny["sms"], tiny["lanes"], tiny["l2_bytes"]), (2, 32, 512 * 1024))
        lines = self.good("list", "platforms").stdout.splitlines()
        self.assertEqual(len(lines), len(names) + 1)
        self.assertEqual([line.split()[0] for line in lines[1:]], names)

    def test_kernels(self):
        text = (
            SAXPY
            + kernel(
                "  .shared .align 4 .b8 window[20000]; mov.u32 %r0, window; st.shared.u32 [%r0], %r0; ret;",
                "",
                "uses_shared",
            )[len(HEADER) :]
        )
        ptx = self.file("two.ptx", text)
        rows = json.loads(self.good("list", "kernels", ptx, "--platform", "kepler_k20c", "--json").stdout)
        self.assertEqual([row["kernel"] for row in rows], ["saxpy", "uses_shared"])
        saxpy, shared = rows
        self.assertEqual((saxpy["parameter_bytes"], saxpy["shared_bytes"], saxpy["spill_bytes"]), (24, 0, 0))
        # 2048 threads per SM, 256 per block.
        self.assertEqual((saxpy["threads"], saxpy["blocks_per_sm"], saxpy["occupancy"]), (256, 8, 1.0))
        # 48 KB of shared memory hold two blocks of 20000 bytes.
        self.assertEqual(
            (shared["shared_bytes"], shared["blocks_per_sm"], shared["limited_by"]), (20000, 2, "shared memory")
        )
        rows = json.loads(self.good("list", "kernels", ptx, "-p", "kepler_k20c", "--block", "1024", "--json").stdout)
        self.assertEqual(rows[0]["blocks_per_sm"], 2)
        lines = self.good("list", "kernels", ptx).stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[1].endswith(" saxpy"))

    def test_kernels_that_do_not_fit_are_compiled_again(self):
        body = "  .reg .b32 %v<80>; .reg .b64 %a; ld.param.u64 %a, [out];\n"
        body += "".join(f"  ld.global.u32 %v{i}, [%a+{4 * i}];\n" for i in range(80))
        body += (
            "  bar.sync 0;\n" + "".join(f"  st.global.u32 [%a+{4 * i}], %v{79 - i};\n" for i in range(80)) + "  ret;"
        )
        words = list(range(80))
        for bounds, again in (("", True), (".maxnreg 90\n", False)):
            text = kernel(body, ".param .u64 out", "hungry").replace(")\n{", f")\n{bounds}{{")
            self.assertIn(bounds + "{", text)
            ptx = self.file("hungry.ptx", text)
            listed = [
                json.loads(self.good("list", "kernels", ptx, "--block", block, "--json").stdout)[0]
                for block in ("512", "1024")
            ]
            self.assertGreater(listed[0]["registers"], 80)
            self.assertEqual((listed[0]["spill_bytes"], listed[0]["blocks_per_sm"]), (0, 1))
            arguments = ("run", ptx, "--functional", "--block", "1024", "--arg", "iota:80xu32", "--dump", "0:u32")
            if again:
                self.assertLessEqual(listed[1]["registers"], 64)
                self.assertGreater(listed[1]["spill_bytes"], 0)
                self.assertEqual(listed[1]["blocks_per_sm"], 1)
                done = self.good(*arguments)
                says = f"1024 threads of {listed[0]['registers']} registers do not fit; compiled again"
                self.assertEqual(sum(says in line for line in done.stderr.splitlines()), 1, done.stderr)
                self.assertEqual([int(word) for word in re.findall(r"\b\d+\b", done.stdout)][-80:], words[::-1])
            else:
                self.assertEqual(listed[1]["registers"], listed[0]["registers"])
                self.assertEqual(listed[1]["blocks_per_sm"], 0)
                self.assertNotEqual(self.castor(*arguments).returncode, 0)

    def test_instructions(self):
        rows = json.loads(self.good("list", "instructions", "--json").stdout)
        opcodes = {row["syntax"].split(".")[0].split("{")[0] for row in rows}
        self.assertGreater(len(rows), 150)
        self.assertLessEqual({"add", "mad", "ld", "st", "atom", "bar", "shfl", "bra", "call", "cvt", "prmt"}, opcodes)
        one = self.good("list", "instructions", "popc").stdout.splitlines()
        self.assertTrue(one and all("popc" in line for line in one))
        self.assertEqual(len(self.good("list", "instructions").stdout.splitlines()), len(rows))


# out[x + 16 y] = 3 (x + n) + y
TILE = (
    HEADER
    + """
.visible .entry tile(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
  add.u32 %r3, %r1, %r0;
  mul.lo.u32 %r4, %r3, 3;
  add.u32 %r5, %r4, %r2;
  mad.lo.u32 %r6, %r2, 16, %r1;
  mul.wide.u32 %rd1, %r6, 4;
  add.s64 %rd2, %rd0, %rd1;
  st.global.u32 [%rd2], %r5;
  ret;
}
"""
)


class Marks(Case):
    RUN = ("--functional", "--set", "compile.marks=1", "--set", "check.marks=1", "--block", "16,8", "--arg")
    RUN += ("zeros:128xu32", "--arg", "5", "--dump", "0:u32")
    EXPECTED = "argument 0: " + " ".join(str(3 * (x + 5) + y) for y in range(8) for x in range(16)) + "\n"

    def listed(self, ptx, *arguments):
        return json.loads(self.good("list", "marks", ptx, "--json", *arguments).stdout)

    def edited(self, text, instruction, mark):
        """The listing with another mark at the one record whose disassembly begins so."""
        pattern = rf"(?m)^( *\d+ +)\w+( +\w+ +{re.escape(instruction)})"
        self.assertEqual(len(re.findall(pattern, text)), 1, text)
        return self.file("edited.marks", re.sub(pattern, rf"\g<1>{mark}\g<2>", text))

    def test_list(self):
        ptx = self.file("tile.ptx", TILE + SAXPY[len(HEADER) :])
        rows = self.listed(ptx, "--kernel", "tile")
        self.assertEqual([row["kernel"] for row in rows], ["tile"])
        tile = rows[0]
        marks = {record["instruction"].split()[0]: record["mark"] for record in tile["records"]}
        self.assertEqual((marks["ld.param.u64"], marks["ld.param.u32"]), ("DR", "DR"))
        self.assertEqual((marks["mul.lo.u32"], marks["mad.lo.u32"], marks["st.global.u32"]), ("CR", "V", "V"))
        reasons = {record["instruction"].split()[0]: record["reason"] for record in tile["records"]}
        self.assertIn("%tid.y", reasons["mad.lo.u32"])
        self.assertEqual(reasons["st.global.u32"], "a store")
        self.assertEqual(tile["marked"], sum(record["mark"] != "V" for record in tile["records"]))
        self.assertEqual(tile["rows"], "32 per block")
        self.assertIn("one warp", self.listed(ptx, "--kernel", "tile", "--block", "32")[0]["rows"])
        self.assertEqual(self.listed(ptx, "--kernel", "tile", "--set", "compile.renamed=3")[0]["renamed"], 3)
        self.assertEqual([row["kernel"] for row in self.listed(ptx)], ["tile", "saxpy"])
        text = self.good("list", "marks", ptx).stdout
        self.assertRegex(text, rf"(?m)^kernel tile, {len(tile['records'])} records, renamed {tile['renamed']}$")
        self.refused(2, ["no kernel 'nosuch'"], "list", "marks", ptx, "--kernel", "nosuch")

    def test_read_back(self):
        ptx = self.file("tile.ptx", TILE)
        text = self.good("list", "marks", ptx).stdout
        self.assertEqual(self.good("run", ptx, *self.RUN).stdout, self.EXPECTED)
        same = self.file("same.marks", text)
        report = self.path / "r.json"
        done = self.good("run", ptx, *self.RUN, "--marks", same, "--report", report)
        self.assertEqual(done.stdout, self.EXPECTED)
        compared = json.loads(report.read_text())["kernels"][0]["counts"]["marks_compared"]
        marked = self.listed(ptx)[0]["marked"]
        self.assertEqual(compared, 3 * marked)  # four warps, each but the first is compared

    def test_wrong_marks(self):
        ptx = self.file("tile.ptx", TILE)
        text = self.good("list", "marks", ptx).stdout
        wrong = self.edited(text, "mad.lo.u32", "DR")
        parts = ["has mark DR, but warps 0 and 1 differ", r"kernel 'tile' \(.*tile\.ptx:13\)"]
        self.refused(1, parts, "run", ptx, *self.RUN, "--marks", wrong)
        # Nobody looks at it without the check.
        unchecked = [word.replace("check.marks=1", "check.marks=0") for word in self.RUN]
        self.assertEqual(self.good("run", ptx, *unchecked, "--marks", wrong).stdout, self.EXPECTED)
        wrong = self.edited(text, "st.global.u32", "DR")
        self.refused(
            2, [r"tile\.ptx:16: .*a store carries mark DR.*kernel 'tile'"], "run", ptx, *self.RUN, "--marks", wrong
        )
        wrong = self.edited(text, "mul.lo.u32", "3")
        self.refused(2, ["mark 3 does not exist"], "run", ptx, *self.RUN, "--marks", wrong)

    def test_lists_that_do_not_fit(self):
        ptx = self.file("tile.ptx", TILE)
        same = self.file("same.marks", self.good("list", "marks", ptx).stdout)
        self.refused(2, ["compile.marks is 0"], "run", ptx, "--marks", same)
        self.refused(2, ["cannot read.*missing"], "run", ptx, *self.RUN, "--marks", "missing")
        self.refused(2, ["bad.marks:1: .*expected"], "run", ptx, *self.RUN, "--marks", self.file("bad.marks", "x\n"))
        other = self.file("tile.ptx", TILE.replace("mul.lo.u32 %r4, %r3, 3", "xor.b32 %r4, %r3, 3"))
        self.refused(2, [r"same\.marks:\d+: .*record \d+ is 'xor"], "run", other, *self.RUN, "--marks", same)


class Elaborate(Case):
    def test_prints_modules_and_who_is_bound_to_whom(self):
        text = self.good("elaborate", "kepler_k20c").stdout
        self.assertRegex(text, r"(?m)^gpu  Gpu  kepler_k20c: 13 SMs, 10 slices, 5 channels, core 706 MHz")
        self.assertRegex(text, r"(?m)^  sm0 \.\. sm12  13 x Sm  64 warps of 32 lanes, 16 TB slots")
        self.assertRegex(text, r"(?m)^      memory -> gpu\.channel0\.slice0")
        everything = self.good("elaborate", "kepler_k20c", "--all").stdout
        for sm in range(13):
            self.assertRegex(everything, rf"(?m)^  sm{sm}  Sm .*\n      memory -> gpu\.xbar\.input{sm}$")
        for channel in range(5):
            for side in range(2):
                self.assertIn(f"memory -> gpu.channel{channel}.slice{side}\n", everything)
        self.assertNotIn("?", everything)

    def test_follows_the_machine(self):
        text = self.good("elaborate", "tiny", "--set", "chip.sms=1").stdout
        self.assertIn("1 SMs, ", text)
        self.assertRegex(text, r"(?m)^  sm0  Sm ")

    def test_writes_a_picture(self):
        picture = self.good("elaborate", "tiny", "--dot", "-").stdout
        self.assertTrue(picture.startswith("digraph castor {"))
        self.assertTrue(picture.endswith("}\n"))
        self.assertIn('"gpu.sm1" -> "gpu.xbar";', picture)
        self.assertEqual(picture.count("{"), picture.count("}"))

    def test_bad_requests(self):
        self.refused(2, ["kepler_k20c"], "elaborate", "no_such_machine")
        self.refused(2, ["cannot write"], "elaborate", "tiny", "--dot", "/no/such/folder/a.dot")
        self.refused(2, ["cannot write"], "elaborate", "tiny", "--dot", "/dev/full")


class Help(Case):
    def test_fits_a_screen_and_has_an_example(self):
        for command in (
            [],
            ["run"],
            ["elaborate"],
            ["list"],
            ["list", "platforms"],
            ["list", "blocks"],
            ["list", "kernels"],
            ["list", "marks"],
            ["list", "instructions"],
            ["new-block"],
            ["cosim"],
            ["wave"],
            ["area"],
            ["prove"],
            ["netlist"],
            ["coverage"],
            ["lint"],
            ["evidence"],
            ["faults"],
            ["mutate"],
        ):
            lines = self.good(*command, "--help").stdout.splitlines()
            self.assertLessEqual(len(lines), 40, command)
            self.assertLessEqual(max(map(len, lines)), 100, command)
            if command in (["run"], ["elaborate"], ["list"], ["new-block"]):
                self.assertTrue(any(line.startswith("Example: castor ") for line in lines), command)

    def test_the_example_works(self):
        text = self.good("run", "--help").stdout
        example = text[text.index("Example: castor ") + len("Example: castor ") :].replace("\\\n", " ").split()
        self.file("saxpy.ptx", SAXPY)
        done = self.good(*example)
        self.assertEqual(done.stdout, "argument 3: 0 2 4 6 8 10 12 14\n")

    def test_version(self):
        self.assertRegex(self.good("--version").stdout, r"^castor \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    CASTOR, CASTOR_CC, MACHINES = (os.path.abspath(path) for path in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
