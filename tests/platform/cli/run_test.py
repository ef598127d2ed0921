#!/usr/bin/env python3
"""castor run with PTX: arguments, dumps, reports, signals. Expected values are computed here. Arguments: case.py."""

import json
import re
import signal
import struct
import subprocess

from case import CASTOR, HEADER, SAXPY, Case, kernel, main
from processes import HANG_SECONDS, until_worked

# One parameter of each scalar type, stored one after the other.
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


def fnv1a64(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


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
                    f"[machines] warning: {old}: ignored keys that machines no longer have: "
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
                # The loop also has to be endless for the watchdog, which would otherwise find that nothing changes.
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


if __name__ == "__main__":
    main()
