#!/usr/bin/env python3
"""castor list, elaborate, help. Arguments: case.py."""

import json
import pathlib
import re

from case import HEADER, MACHINES, SAXPY, Case, kernel, main


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
    main()
