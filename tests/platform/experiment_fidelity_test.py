#!/usr/bin/env python3
"""castor experiment fidelity: microbenchmarks on a machine, beside values made for the test and those of the tree.

    experiment_fidelity_test.py <castor> <folder with the programs>
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
MACHINE = "kepler_k20c"
failures = []

ROWS = """
sources:
  - {source: study, authors: A. Author, title: A Study, where: Somewhere}
rows:
  - {row: chains.int_add, title: dependent add, unit: clocks}
  - {row: chains.f32_add, title: dependent f32 add, unit: clocks}
  - {row: chains.f64_add, title: dependent f64 add, unit: clocks}
  - {row: chains.shuffle, title: dependent shuffle, unit: clocks}
  - {row: barriers.warps_1, title: barrier, unit: clocks}
"""


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, programs=PROGRAMS):
    return subprocess.run(
        [CASTOR, "experiment", "fidelity", "--programs", programs, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def value(row, number, more=""):
    return f"  - {{row: {row}, value: {number}, chip: K40, source: study, place: table 1, class: read{more}}}\n"


def write(folder, values, reasons="", rows=ROWS, machine=MACHINE):
    folder.mkdir(exist_ok=True)
    (folder / "rows.yaml").write_text(rows)
    text = f"machine: {machine}\nchip: A chip\ngeneration: Kepler\nclocks_per_tick: 1\nvalues:\n{values}"
    (folder / "one.yaml").write_text(text + ("reasons:\n" + reasons if reasons else ""))
    return str(folder)


with tempfile.TemporaryDirectory() as name:
    root = pathlib.Path(name)
    out = str(root / "out")

    # The compiler folds no instruction of a chain: the long chain has two passes of 64 more steps, and conversions have
    # two instructions per step.
    environment = dict(os.environ, CASTOR_PLATFORM=MACHINE, CASTOR_REPORT=str(root / "chains.json"))
    subprocess.run([f"{PROGRAMS}/micro_chains"], capture_output=True, check=True, env=environment)
    kernels = json.loads((root / "chains.json").read_text())["kernels"]
    check("two kernels for each chain", len(kernels) >= 80 and len(kernels) % 2 == 0)
    for short, long in zip(kernels[::2], kernels[1::2]):
        more = long["warp_instructions"] - short["warp_instructions"]
        check(f"{short['name']}: all steps are executed: {more}", more == (256 if "convert" in short["name"] else 128))

    # Measures the machine's latency with a published value that no machine comes near.
    data = write(root / "data", value("chains.int_add", 1000000))
    first = run("--data", data, "--out", out, "--quiet")
    check(f"a row beyond 15 % without a reason: exit code 1, got {first.returncode}", first.returncode == 1)
    check("says which: " + first.stderr, f"{MACHINE}: chains.int_add: -100 % without a reason" in first.stderr)
    rows = {row["benchmark"]: row for row in csv.DictReader((root / "out" / "results.csv").open())}
    check("a run for each benchmark of the rows", sorted(rows) == ["barriers", "chains"])
    add, f32, f64 = (float(rows["chains"][f"chains.{op}_add"]) for op in ("int", "f32", "f64"))
    check(f"an add takes some clocks: {add}", 1 < add < 50)
    kept = {path.name: path.stat().st_mtime_ns for path in (root / "out" / "runs").glob("*.json")}

    values = (
        value("chains.int_add", add, ", set: [latency.int.ticks]")
        + value("chains.f32_add", round(f32 / 1.3, 3))
        + value("chains.f64_add", round(f64 / 2, 3))
        + "  - {row: chains.shuffle, value: 12345, chip: K40, source: study, place: x, class: model}\n"
    )
    reason = "  - {row: chains.f32_add, reason: the first reason}\n"
    far = "  - {row: chains.f64_add, reason: the second reason, missing: a faster unit}\n"
    good = run("--data", write(root / "data", values, reason + far), "--out", out)
    check("with reasons: exit code 0: " + good.stderr, good.returncode == 0)
    check(
        "runs are kept", kept == {path.name: path.stat().st_mtime_ns for path in (root / "out" / "runs").glob("*.json")}
    )
    report = (root / "out" / "report.md").read_text()
    summary = next(line for line in report.splitlines() if line.startswith(f"| {MACHINE} "))
    cells = [cell.strip() for cell in summary.strip("|").split("|")]
    check(f"summary: {cells}", cells[2:] == ["3", "1", "no", "1 of 1", "-", "0 of 2", "1 of 3", "-", "1"])
    for text in (
        "the first reason",
        "the second reason",
        "a faster unit",
        "set (latency.int.ticks)",
        "predicted",
        "+30 %",
    ):
        check("the report has " + text, text in report)
    check("a parameter of a model is not shown", "12345" not in report and "12 345" not in report)
    without = report[report.index("Without a published value") :]
    check("rows without a value say so", "dependent shuffle" in without and "barrier" in without)

    for what, reasons, said in (
        ("no reason", far, "chains.f32_add: +30 % without a reason"),
        ("no feature", reason + far.replace(", missing: a faster unit", ""), "without the name of what is missing"),
    ):
        bad = run("--data", write(root / "data", values, reasons), "--out", out, "--quiet")
        check(f"{what}: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"{what}: says so: {bad.stderr}", said in bad.stderr)
        check(f"{what}: so does the report", said in (root / "out" / "report.md").read_text())
    needless = run(
        "--data", write(root / "data", value("chains.int_add", add), reason.replace("f32", "int")), "--out", out
    )
    check(
        "a reason that no row needs is told",
        needless.returncode == 0 and "Reasons that no row needs" in needless.stdout,
    )
    absent = ROWS + "  - {row: chains.nothing, title: nothing, unit: clocks}\n"
    bad = run("--data", write(root / "data", value("chains.int_add", add), rows=absent), "--out", out, "--quiet")
    check(f"a figure that is not there: {bad.stderr}", bad.returncode == 1 and "no such figure" in bad.stderr)

    # After a change of the machine it is run again and judged by the new results.
    data = write(root / "data", values, reason + far)
    slow = run("--data", data, "--out", out, "--quiet", "-b", "chains", "--set", "latency.int.ticks=40")
    check(f"a slower add: exit code 1, got {slow.returncode}", slow.returncode == 1)
    check("says which: " + slow.stderr, "chains.int_add: +" in slow.stderr and "barriers" not in slow.stderr)

    for what, arguments, said in (
        ("machine", ["--machine", "kepler"], "no machine that stands for a chip 'kepler'"),
        ("benchmark", ["--benchmark", "chain"], "no microbenchmark 'chain'"),
        ("key", ["--set", "latency.int.tick=4"], "latency.int.tick"),
        ("folder", ["--data", str(root / "out")], "no folder with *.yaml"),
    ):
        bad = run(*arguments, "--out", str(root / "bad"))
        check(f"{what}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{what}: says what is wrong: {bad.stderr}", said in bad.stderr)
    for what, text, said in (
        ("a key that is set", value("chains.int_add", 9, ", set: [latency.add]"), "no key of a machine 'latency.add'"),
        ("a row", value("chains.add", 9), "no row 'chains.add'"),
    ):
        bad = run("--data", write(root / "data", text), "--out", str(root / "bad"))
        check(f"{what} that is unknown: {bad.stderr}", bad.returncode == 2 and said in bad.stderr)
    bad = run("--data", write(root / "data", value("chains.int_add", 9), machine="kepler"), "--out", str(root / "bad"))
    check(
        f"a machine that is not shipped: {bad.stderr}",
        bad.returncode == 2 and "no shipped machine 'kepler'" in bad.stderr,
    )
    bad = run("--out", str(root / "bad"), "-b", "chains", programs=str(root))
    check(f"no programs: {bad.stderr}", bad.returncode == 2 and "micro_chains" in bad.stderr)
    silent = root / "micro_chains"
    silent.write_text("#!/bin/sh\necho PASS chains\necho '{}' > $CASTOR_REPORT\n")
    silent.chmod(0o755)
    bad = run("--out", str(root / "bad"), "-b", "chains", "-m", MACHINE, programs=str(root))
    check(f"a program without figures: {bad.stderr}", bad.returncode == 1 and "no RESULT" in bad.stderr)

    # The values of the tree: every row beyond the bar has its reason.
    tree = run("-b", "chains", "-b", "shared_memory", "-b", "barriers", "--out", str(root / "tree"))
    check("values of the tree: exit code 0: " + tree.stderr, tree.returncode == 0)
    report = (root / "tree" / "report.md").read_text()
    for machine in ("fermi_gtx480", "kepler_k20c", "maxwell_gtx980", "pascal_titanx", "turing_rtx2060"):
        check("a table for " + machine, re.search(rf"^## {machine}: ", report, re.M) is not None)
    figures = json.loads((root / "tree" / "results.json").read_text())
    check("all of them were run", len(figures) >= 15)

sys.exit(1 if failures else 0)
