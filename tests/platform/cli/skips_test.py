#!/usr/bin/env python3
"""Tests of the block darsie on a machine, of its checking mode (check.skips) and of the watchdog's messages: shapes of
blocks, locks, loops of skipped instructions, wrong marks. Arguments: case.py.

Values that kernels compute are compared with those of the functional machine.
"""

import json
import re

from case import HEADER, TILE, Case, main

MACHINE = "pascal_titanx_study"
MARKED = ("-p", MACHINE, "--set", "compile.marks=1", "--set", "chip.sms=2")
BLOCK = MARKED + ("--set", "blocks.darsie.enable=1", "--set", "check.skips=1", "--set", "check.rows=1")


def kernel(name, parameters, body, before=""):
    return (
        HEADER + before + f".visible .entry {name}({parameters})\n{{\n  .reg .b32 %r<40>; .reg .b64 %rd<12>; "
        f".reg .pred %p<4>;\n{body}\n}}\n"
    )


# %r10 holds the linear thread number, %rd4 the address of the thread's result.
PLACE = """
  ld.param.u64 %rd0, [out];
  mov.u32 %r11, %tid.x; mov.u32 %r12, %tid.y; mov.u32 %r13, %ntid.x; mov.u32 %r14, %tid.z; mov.u32 %r15, %ntid.y;
  mad.lo.u32 %r16, %r14, %r15, %r12; mad.lo.u32 %r10, %r16, %r13, %r11;
  mov.u32 %r17, %ctaid.x; mul.lo.u32 %r18, %r13, %r15; mov.u32 %r19, %ntid.z; mul.lo.u32 %r18, %r18, %r19;
  mad.lo.u32 %r17, %r17, %r18, %r10; mul.wide.u32 %rd4, %r17, 4; add.u64 %rd4, %rd4, %rd0;
"""

# Loops with loads whose addresses depend on tid.x, on nothing, or on all indices; shared memory between barriers; a
# branch at which lanes diverge, and one at which warps diverge.
SHAPES = kernel(
    "shapes",
    ".param .u64 out, .param .u64 in",
    PLACE
    + """
  ld.param.u64 %rd1, [in];
  mad.lo.u32 %r20, %r11, 3, 5; mov.u32 %r21, 0; mov.u32 %r9, 0; mov.u32 %r31, tile;
ROUND:
  mov.u32 %r22, 0;
LOOP:
  add.u32 %r23, %r11, %r22; and.b32 %r23, %r23, 63; mul.wide.u32 %rd2, %r23, 4; add.u64 %rd2, %rd1, %rd2;
  ld.global.u32 %r24, [%rd2]; mul.wide.u32 %rd3, %r22, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r25, [%rd3];
  mad.lo.u32 %r26, %r24, %r25, %r20; mad.lo.u32 %r9, %r9, 5, %r26; add.u32 %r9, %r9, %r10;
  add.u32 %r22, %r22, 1; setp.lt.u32 %p0, %r22, 6; @%p0 bra LOOP;
  mad.lo.u32 %r30, %r10, 4, %r31; st.shared.u32 [%r30], %r9;
  bar.sync 0;
  mad.lo.u32 %r32, %r11, 4, %r31; ld.shared.u32 %r33, [%r32]; add.u32 %r9, %r9, %r33;
  add.u32 %r20, %r20, %r24; add.u32 %r21, %r21, 1;
  setp.eq.u32 %p1, %r21, 2; @!%p1 bra SAME;
  shr.u32 %r34, %r10, 5; setp.eq.u32 %p2, %r34, 1; @%p2 bra OTHER;
  xor.b32 %r9, %r9, %r20; mov.u32 %r35, 7; bra SAME;
OTHER:
  add.u32 %r9, %r9, %r25; mov.u32 %r35, 9; add.u32 %r9, %r9, %r35;
SAME:
  bar.sync 0;
  setp.lt.u32 %p0, %r21, 4; @%p0 bra ROUND;
  and.b32 %r34, %r10, 1; setp.eq.u32 %p2, %r34, 0; @%p2 bra EVEN;
  add.u32 %r9, %r9, %r20;
EVEN:
  add.u32 %r9, %r9, %r24; st.global.u32 [%rd4], %r9;
  ret;
""",
    ".shared .align 4 .b8 tile[4096];\n",
)

# All warps search n words, the last of which is not zero. With seven warps the leader changes in each iteration.
SCAN = kernel(
    "scan",
    ".param .u64 out, .param .u64 in, .param .u32 last",
    PLACE
    + """
  ld.param.u64 %rd1, [in]; ld.param.u32 %r20, [last]; mul.wide.u32 %rd2, %r20, 4; add.u64 %rd2, %rd1, %rd2;
  mov.u32 %r21, 3; st.global.u32 [%rd2], %r21;
  bar.sync 0;
  mov.u64 %rd3, %rd1; mov.u32 %r34, tile; mad.lo.u32 %r34, %r12, 128, %r34;
LOOP:
  ld.param.u32 %r27, [last];
  bra.uni NEXT;
NEXT:
  bra.uni BEHIND;
BEHIND:
  ld.shared.u32 %r33, [%r34]; ld.param.u32 %r27, [last]; ld.param.u32 %r27, [last]; mul.lo.u32 %r31, %r10, %r10;
  ld.global.u32 %r22, [%rd3]; add.u64 %rd3, %rd3, 4; setp.eq.u32 %p0, %r22, 0; @%p0 bra LOOP;
  sub.u64 %rd3, %rd3, %rd1; cvt.u32.u64 %r23, %rd3; add.u32 %r23, %r23, %r10; st.global.u32 [%rd4], %r23;
  ret;
""",
    ".shared .align 4 .b8 tile[4096];\n",
)

# All threads wait for a word that no thread writes.
STUCK = kernel(
    "stuck",
    ".param .u64 out",
    PLACE
    + """
LOOP:
  mov.u32 %r20, 5; add.u32 %r21, %r20, 7; ld.volatile.global.u32 %r22, [%rd0]; add.u32 %r22, %r22, %r21;
  setp.eq.u32 %p0, %r22, 12; @%p0 bra LOOP;
  ret;
""",
)

# A lock for all warps of a block (word 1 + block), or of all blocks. Lane 0 tries to take it, and all lanes get the
# result.
LOCK = kernel(
    "locks",
    ".param .u64 out, .param .u32 each",
    """
  ld.param.u64 %rd0, [out]; ld.param.u32 %r20, [each];
  mov.u32 %r21, %ctaid.x; mul.lo.u32 %r22, %r21, %r20; mul.wide.u32 %rd1, %r22, 8; add.u64 %rd1, %rd1, %rd0;
  mov.u32 %r24, %laneid; setp.eq.u32 %p1, %r24, 0; mov.u32 %r30, 0;
AGAIN:
  mov.u32 %r23, 1;
  @%p1 atom.global.cas.b32 %r23, [%rd1], 0, 1;
  shfl.sync.idx.b32 %r25, %r23, 0, 31, 0xffffffff; setp.ne.u32 %p0, %r25, 0; @%p0 bra AGAIN;
  membar.gl;
  ld.volatile.global.u32 %r26, [%rd1+4]; add.u32 %r26, %r26, 1; @%p1 st.volatile.global.u32 [%rd1+4], %r26;
  membar.gl;
  mov.u32 %r27, 0; @%p1 st.volatile.global.u32 [%rd1], %r27;
  add.u32 %r30, %r30, 1; setp.lt.u32 %p0, %r30, 3; @%p0 bra AGAIN;
  ret;
""",
)


class Skips(Case):
    def ran(self, ptx, *arguments, settings=BLOCK):
        """(output, counts of the kernel)"""
        report = self.path / "r.json"
        done = self.good("run", ptx, *settings, "--report", report, *arguments)
        return done.stdout, json.loads(report.read_text())["kernels"][0]["counts"]

    def skipped(self, counts):
        return sum(value for name, value in counts.items() if name.startswith("filter.skipped."))

    def compare(self, ptx, *arguments):
        """Runs with the block, and on the functional machine; the output is the same. Returns the counts."""
        expected = self.good("run", ptx, "-p", MACHINE, "--functional", *arguments).stdout
        output, counts = self.ran(ptx, *arguments)
        self.assertEqual(output, expected)
        self.assertEqual(counts.get("filter.checked_skips", 0), self.skipped(counts))
        return counts

    def test_shapes_of_blocks(self):
        ptx = self.file("shapes.ptx", SHAPES)
        part = {}
        for (
            shape
        ) in "256,1 128,2 64,4 32,8 16,16 8,32 4,64 2,128 1,256 32,1,8 16,4,4 24,8 16,3 33,4 3,50 16,2 100,5".split():
            sizes = [int(size) for size in shape.split(",")] + [1]
            threads = sizes[0] * sizes[1] * sizes[2]
            arguments = ["--grid", "5", "--block", shape, "--arg", f"zeros:{5 * threads}xu32", "--arg"]
            counts = self.compare(ptx, *arguments, "random:64xu32:7", "--dump", "0:u32")
            full = threads // 32
            skipped = self.skipped(counts)
            executed = sum(value for name, value in counts.items() if name.startswith("warp_instructions."))
            part[shape] = skipped / (skipped + executed)
            print(f"{shape}: {skipped} skipped, {executed} executed, {100 * part[shape]:.0f} %")
            self.assertLessEqual(part[shape], (full - 1) / full)
            self.assertEqual(skipped > 0, full > 1)
        # Results that depend on tid.x are shared only if x is a power of two of at most 32.
        for shape in ("32,8", "16,16", "8,32", "4,64", "1,256", "32,1,8"):
            self.assertGreater(part[shape], 1.3 * part["256,1"], shape)
        for shape in ("64,4", "24,8"):
            self.assertLess(part[shape], 1.1 * part["256,1"], shape)

    def test_locks(self):
        ptx = self.file("locks.ptx", LOCK)
        for each in (0, 1):
            arguments = ("--grid", "6", "--block", "32,8", "--arg", "zeros:12xu32", "--arg", each, "--dump", "0:u32")
            output, counts = self.ran(ptx, *arguments)
            words = [int(word) for word in output.split()[2:]]
            self.assertEqual(words, [0, 24] * 6 if each else [0, 144] + [0] * 10)
            self.assertGreater(self.skipped(counts), 0)

    # The registers of a following warp do not change in the loop, although the loop makes progress.
    def test_the_watchdog_does_not_accuse_loops_of_skipped_instructions(self):
        ptx = self.file("scan.ptx", SCAN)
        for warps in (4, 7):
            for cycles in (1000, 10000):
                arguments = ["--block", f"32,{warps}", "--arg", f"zeros:{32 * warps}xu32", "--arg", "zeros:600xu32"]
                arguments += ["--arg", "599", "--dump", "0:u32", "--set", f"watchdog.cycles={cycles}"]
                output, counts = self.ran(ptx, *arguments)
                self.assertEqual(output, "argument 0: " + " ".join(str(2400 + i) for i in range(32 * warps)) + "\n")
                self.assertGreater(self.skipped(counts), 600)

    def test_the_watchdog_accuses_loops_that_change_nothing(self):
        ptx = self.file("stuck.ptx", STUCK)
        arguments = ("--block", "32,4", "--arg", "zeros:128xu32", "--set", "watchdog.cycles=10000")
        for settings in (MARKED, BLOCK):
            self.refused(1, ["wait for each other by spinning|spin"], "run", ptx, *settings, *arguments)

    RUN = ("--block", "16,8", "--arg", "zeros:128xu32", "--arg", "5", "--dump", "0:u32")

    def edited(self, ptx, instruction, mark, *settings):
        """The compiler's marks with another one at the one record whose disassembly begins so."""
        text = self.good("list", "marks", ptx, "-p", MACHINE, *settings).stdout
        pattern = rf"(?m)^( *\d+ +)\w+( +\w+ +{re.escape(instruction)})"
        self.assertEqual(len(re.findall(pattern, text)), 1, text)
        return self.file("edited.marks", re.sub(pattern, rf"\g<1>{mark}\g<2>", text))

    def test_a_vector_instruction_marked_redundant(self):
        ptx = self.file("tile.ptx", TILE)
        right = self.compare(ptx, *self.RUN)
        self.assertGreater(self.skipped(right), 0)
        wrong = self.edited(ptx, "mad.lo.u32", "DR")
        parts = [
            r"check\.skips: record \d+ of warp [1-3] \(SM \d, slot \d, cycle \d+\) is skipped and takes its "
            r"leader's value of R\d+: "
            r"lane 0 "
            r"has 0x[0-9a-f]+, not 0x[0-9a-f]+; the leader was warp \d",
            r"in kernel 'tile' \(.*tile\.ptx:13\), block \(0,0,0\), thread \(0,[246],0\)",
            r"instruction: mad\.lo\.u32",
        ]
        self.refused(1, parts, "run", ptx, *BLOCK, *self.RUN, "--marks", wrong)
        # Without check.skips the machine does not compare, and all warps get the result of the leader.
        unchecked = [word.replace("check.skips=1", "check.skips=0") for word in BLOCK]
        self.assertNotEqual(
            self.good("run", ptx, *unchecked, *self.RUN, "--marks", wrong).stdout,
            self.good("run", ptx, "-p", MACHINE, "--functional", *self.RUN).stdout,
        )

    def test_the_block_without_marks_is_refused(self):
        ptx = self.file("locks.ptx", LOCK)
        arguments = ("run", ptx, "-p", MACHINE, "--block", "32", "--arg", "zeros:2xu32", "--arg", "0")
        for keys, named in (([], "enable is 1"), (["system=no_cf_sync"], "system is no_cf_sync")):
            settings = [word for key in ["enable=1", *keys] for word in ("--set", "blocks.darsie." + key)]
            self.refused(
                2, ["blocks.darsie." + named, "compile.marks is 0", "set compile.marks=1"], *arguments, *settings
            )

    def test_marks_that_the_loader_refuses(self):
        ptx = self.file("tile.ptx", TILE)
        for instruction, mark, what in (
            ("st.global.u32", "DR", r"tile\.ptx:16: .*a store carries mark DR.*kernel 'tile'"),
            ("ret", "CR", r"tile\.ptx:17: .*an exit carries mark CR.*kernel 'tile'"),
            ("mul.lo.u32", "3", "mark 3 does not exist"),
        ):
            wrong = self.edited(ptx, instruction, mark)
            self.refused(2, [what], "run", ptx, *BLOCK, *self.RUN, "--marks", wrong)
        few = ("--set", "compile.renamed=1")
        wrong = self.edited(ptx, "ld.param.u64", "DR", *few)
        self.refused(
            2, [r"R\d+ is none of the renamed registers"], "run", ptx, *BLOCK, *few, *self.RUN, "--marks", wrong
        )


if __name__ == "__main__":
    main()
