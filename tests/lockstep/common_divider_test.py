#!/usr/bin/env python3
"""The divider that blocks share, at the widths that blocks use and at the widest, against the integer division of C++,
with its properties bound in.

    common_divider_test.py VERILATOR FOLDER [COUNT]

COUNT is the number of random divisions at each width. Proofs hold the quotient against a product at small widths only.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))
from castor_flows import ports  # noqa: E402

BENCH = ROOT / "tb" / "rtl_common" / "divider"

# Sets that proofs cover in full.
SMALL = 8


def run(*command, cwd):
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def used():
    """{(Width, DivisorWidth): file} of all dividers in blocks' RTL."""
    found = {}
    for path in sorted((ROOT / "rtl").glob("*/*.sv")):
        if path.parent.name == "common":
            continue
        for values in re.findall(r"\bcastor_divider\s*#\(((?:[^()]|\([^()]*\))*)\)", path.read_text()):
            numbers = dict(re.findall(r"\.(\w+)\s*\(\s*(\d+)\s*\)", values))
            if set(numbers) != {"Width", "DivisorWidth"}:
                sys.exit(f"{path}: the widths of its divider are no numbers: this test has to learn them elsewhere")
            found[int(numbers["Width"]), int(numbers["DivisorWidth"])] = path
    return found


def main():
    verilator, folder = sys.argv[1], Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
    sets = {
        name: (values["Width"], values["DivisorWidth"])
        for name, values in json.loads((BENCH / "parameter_sets.json").read_text()).items()
        if values["Width"] > SMALL
    }
    widths = used()
    if not widths:
        sys.exit("no block has a divider: is the pattern of this test out of date?")
    for pair, path in widths.items():
        if pair not in sets.values():
            sys.exit(
                f"{path}: a divider of {pair[0]} / {pair[1]} bits, and {BENCH}/parameter_sets.json has no such set"
            )

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    include = Path(run(verilator, "--getenv", "VERILATOR_ROOT", cwd=folder).strip()) / "include"
    divider = ROOT / "rtl" / "common" / "castor_divider.sv"
    sources = [divider, *ports.write_completed([BENCH / "castor_divider_properties.sv"], [divider], folder)]
    lines, calls = [], []
    for name, (width, divisor_width) in sets.items():
        rtl = f"V{name}"
        options = [
            "--cc",
            "--assert",
            "-O3",
            "--x-initial",
            "unique",
            "--prefix",
            rtl,
            "--top-module",
            "castor_divider",
        ]
        options += [
            f"-GWidth={width}",
            f"-GDivisorWidth={divisor_width}",
            f"-I{ROOT / 'rtl' / 'common'}",
            "--Mdir",
            ".",
        ]
        run(verilator, *options, *sources, cwd=folder)
        lines += [f'#include "{path.name}"' for path in sorted(folder.glob(f"{rtl}*.cpp"))]
        calls.append(f'good &= castor::tb::DividerBench<{rtl}>("{name}", {width}, {divisor_width}).run({count});')
    lines += [f'#include "{BENCH / "divider_bench.h"}"', "int main() {", "bool good = true;", *calls]
    lines += ["return good ? 0 : 1;", "}"]
    (folder / "main.cpp").write_text("\n".join(lines) + "\n")
    compiler = [*(["ccache"] if shutil.which("ccache") else []), *shlex.split(os.environ.get("CXX", "g++"))]
    options = [
        "-std=c++17",
        "-w",
        "-I.",
        "-isystem",
        include,
        "-isystem",
        include / "vltstd",
        "-DVM_SC=0",
        "-DVM_TRACE=0",
    ]
    objects = []
    for source, level in ((include / "verilated.cpp", 0), (include / "verilated_threads.cpp", 0), ("main.cpp", 2)):
        objects.append(f"{Path(source).stem}.o")
        run(*compiler, *options, f"-O{level}", "-c", source, "-o", objects[-1], cwd=folder)
    run(*compiler, *objects, "-pthread", "-o", "bench", cwd=folder)
    print(run("./bench", cwd=folder), end="")


if __name__ == "__main__":
    main()
