"""Shared code of the tests of the `castor` command. Each test is called with CASTOR CASTOR_CC MACHINES, which are the
programs under test and the folder of the shipped machine files, and with arguments of unittest."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))
from command_case import CommandCase  # noqa: E402

CASTOR, CASTOR_CC, MACHINES = (os.path.abspath(path) for path in sys.argv[1:4])

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


def kernel(body, parameters=".param .u64 out", name="k", before=""):
    return (
        HEADER + before + f".visible .entry {name}({parameters})\n{{\n  .reg .b32 %r<9>; .reg .b64 %rd<9>; "
        f".reg .pred %p<4>;\n{body}\n}}\n"
    )


class Case(CommandCase):
    def file(self, name, content):
        path = self.path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def castor(self, *arguments, environment=None):
        return self.run_command([CASTOR, *arguments], environment)

    def good(self, *arguments, **keywords):
        done = self.castor(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, code, parts, *arguments, **keywords):
        """Runs castor, and expects an exit code and each of the texts on standard error. For a wrong request (2) castor
        prints one line."""
        done = self.castor(*arguments, **keywords)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in parts:
            self.assertRegex(done.stderr, part)
        if code == 2:
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
