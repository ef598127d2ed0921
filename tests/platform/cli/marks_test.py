#!/usr/bin/env python3
"""castor list marks: redundancy marks of PTX. Arguments: case.py."""

import json
import re

from case import HEADER, SAXPY, TILE, Case, main


class Marks(Case):
    RUN = ("--functional", "--set", "compile.marks=1", "--set", "check.marks=1", "--block", "16,8", "--arg")
    RUN += ("zeros:128xu32", "--arg", "5", "--dump", "0:u32")
    EXPECTED = "argument 0: " + " ".join(str(3 * (x + 5) + y) for y in range(8) for x in range(16)) + "\n"

    def listed(self, ptx, *arguments):
        return json.loads(self.good("list", "marks", ptx, "--json", *arguments).stdout)

    def edited(self, text, instruction, mark):
        """Returns the listing with another mark at the only record whose disassembly begins with `instruction`."""
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
        # Without check.marks the machine does not compare.
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


if __name__ == "__main__":
    main()
