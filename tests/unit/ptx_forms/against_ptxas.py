#!/usr/bin/env python3
"""Compares the list of PTX forms with NVIDIA's assembler, if there is one: each form is legal for the target that the
list names and, down to sm_75, for no older one. For development only; no test calls it.

  against_ptxas.py [PTXAS]      default: ptxas on PATH, or /usr/local/cuda/bin/ptxas
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Virtual architectures that ptxas 13.0 reads text for, in order; "90a" has what only sm_90 itself has.
TARGETS = ["75", "80", "86", "87", "89", "90", "90a", "100", "100a"]
HEAD = """.version 9.0
.target sm_%s
.address_size 64
.global .align 16 .b8 gmem[64];
.const .align 16 .b8 cmem[64] = {1, 2, 3};
.global .u32 gw; .const .u32 cw = 1; .global .texref tx; .global .surfref sf;
.func (.reg .b32 r) callee (.reg .b32 a) { add.u32 r, a, 1; ret; }
"""
KERNEL = """.entry k%d(.param .u64 records, .param .align 16 .b8 pb[64])
{
.reg .pred %%p<16>; .reg .b16 %%h<16>; .reg .b32 %%r<32>; .reg .f32 %%f<16>;
.reg .b64 %%rd<32>; .reg .f64 %%fd<16>; .reg .b128 %%q<4>;
.local .align 16 .b8 lmem[64]; .shared .align 16 .b8 smem[64];
%s
ret;
L1: ret;
L2: ret;
}
"""


def forms():
    """(line, target, form) of what ptxas can judge; it knows nothing below sm_70."""
    for number, line in enumerate((HERE / "forms.txt").read_text().splitlines(), 1):
        if line and line[0] != "#":
            verdict, target, form = line.split(None, 2)
            if verdict == "refused":
                form = form.split("` ", 1)[1]
            if ".." not in target:
                yield number, target, form


def illegal(ptxas, some, target):
    """Returns the forms out of `some` that are illegal for a target, with the message."""
    found = {}
    left = list(some)
    while left:
        text = HEAD % target
        lines = {}
        for index, form in enumerate(left):
            begin = text.count("\n") + 1
            text += KERNEL % (index, form)
            lines.update(dict.fromkeys(range(begin, text.count("\n") + 1), form))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "forms.ptx"
            file.write_text(text)
            command = [ptxas, "-arch", "compute_" + target, file, "-o", "/dev/null"]
            done = subprocess.run(command, capture_output=True, text=True)
        errors = re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", done.stderr)
        new = {lines[int(number)]: message for number, message in reversed(errors) if int(number) in lines}
        found.update(new)
        left = [form for form in left if form not in new]
        if done.returncode == 0:
            break
        if not new:
            sys.exit("against_ptxas: " + done.stderr)
    return found


def main():
    ptxas = sys.argv[1] if len(sys.argv) > 1 else shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
    entries = list(forms())
    wrong = 0
    for place, target in enumerate(TARGETS):
        messages = illegal(ptxas, [form for _, _, form in entries], target)
        for number, least, form in entries:
            known = TARGETS.index(least) if least in TARGETS else 0
            # At its least target a form is legal, below it is not.
            if place > known or (place == known) != (form in messages):
                continue
            wrong += 1
            print(f"forms.txt:{number}: sm_{target}: {form}  {messages.get(form, 'is legal')}")
    print(f"{len(entries)} forms, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
