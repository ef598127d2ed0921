#!/usr/bin/env python3
"""Tests of castor's messages about bad input. Arguments: case.py."""

import os
import pathlib
import random
import re

from case import CASTOR, SAXPY, Case, kernel, main


class BadInput(Case):
    """Messages and exit codes of the command line: 1 for device code that fails, 2 for a wrong request."""

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
        self.refused(2, ["'5' follows a PTX file", "--arg"], "run", ptx, "5")

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
            ["barrier 0 reached by some threads of a warp only", r"thread \(3,0,0\)"],
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
        # The engine's periodic updates do not count as progress.
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


if __name__ == "__main__":
    main()
