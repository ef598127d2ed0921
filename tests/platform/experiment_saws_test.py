#!/usr/bin/env python3
"""castor experiment saws: a tiny comparison of issue policies, end to end.

    experiment_saws_test.py <castor> <folder with the programs>
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
POLICIES = ["GTO", "CATLS", "SAWS"]
TINY = [
    "--program",
    "hotspot",
    "--program",
    "base64",
    "--schedulers",
    "4",
    "--schedulers",
    "2",
    "--size",
    "small",
    "--seeds",
    "1",
    "--quiet",
    *(word for policy in POLICIES for word in ("--policy", policy)),
]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import picture_checks  # noqa: E402

failures = []


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, programs=PROGRAMS):
    return subprocess.run(
        [CASTOR, "experiment", "saws", "--programs", programs, *arguments], capture_output=True, text=True, check=False
    )


def rows_of(folder):
    return {
        (row["program"], row["schedulers"], row["policy"]): row
        for row in csv.DictReader((folder / "results.csv").open())
    }


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    one = run(*TINY, "--out", str(root / "one"), "-j", "1")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    rows = rows_of(root / "one")
    check("a row for every run", len(rows) == 2 * 2 * len(POLICIES))
    for name, row in rows.items():
        value = {key: int(text) for key, text in row.items() if text.isdigit()}
        check(
            f"{name}: waiting has two parts",
            value["barrier_wait"] == value["barrier_wait_p1"] + value["barrier_wait_p2"],
        )
        check(
            f"{name}: all thread blocks of a program ran",
            value["tb_retired"] == int(rows[name[0], "4", "GTO"]["tb_retired"]) > 0,
        )
        check(
            f"{name}: barriers as the program has them",
            value["barrier_instances"] == int(rows[name[0], "4", "GTO"]["barrier_instances"]),
        )
        check(f"{name}: barriers or none", (value["barrier_instances"] > 0) == (name[0] == "hotspot"))
        check(f"{name}: time passes", value["cycles"] > 1000)
    times = {name: int(row["cycles"]) for name, row in rows.items()}
    check(
        "without barriers SAWS is GTO",
        all(
            {k: v for k, v in rows["base64", s, "SAWS"].items() if k != "policy"}
            == {k: v for k, v in rows["base64", s, "GTO"].items() if k != "policy"}
            for s in "24"
        ),
    )
    check("with barriers policies differ", len({times["hotspot", "4", policy] for policy in POLICIES}) == len(POLICIES))
    check("schedulers make a difference", times["hotspot", "4", "GTO"] != times["hotspot", "2", "GTO"])
    for name, row in rows.items():
        pairs, apart = int(row["order_pairs"]), int(row["order_disagreements"])
        check(
            f"{name}: orders are compared under SAWS at barriers: {pairs}",
            (pairs > 0) == (name[0] == "hotspot" and name[2] == "SAWS"),
        )
        check(
            f"{name}: some pairs stand in opposite order, not all: {apart}", 0 < apart < pairs if pairs else apart == 0
        )
    report = (root / "one" / "report.md").read_text()
    for text in (
        "SAWS (reconstructed)",
        "Faster than GTO",
        "Share of p1",
        "opposite order",
        "14 of 15 claims are not measured by these runs",
    ):
        check("the report has " + text, text in report)
    full = run("--redraw", "--all-claims", "--quiet", "--out", str(root / "one"))
    everything = (root / "one" / "report.md").read_text()
    for text in ("| S1 ", "| S15", "| not measured "):
        check("with --all-claims the report has " + text, full.returncode == 0 and text in everything)
    check("the same again without", run("--redraw", "--quiet", "--out", str(root / "one")).returncode == 0)
    check("and nothing else has changed", (root / "one" / "report.md").read_text() == report)
    bars, _, marks = picture_checks.bars(check, (root / "one" / "speed-4.gp").read_text(), published=True)
    check(f"the source's mean is beside ours: {marks}", [row[1] for row in marks] == [9])
    # The tables are made of the runs: the program's gain, and GTO as the unit of waiting.
    gain = 100 * (times["hotspot", "4", "GTO"] / times["hotspot", "4", "SAWS"] - 1)
    table = report[report.index("## 4 schedulers") :]
    line = next(text for text in table.splitlines() if text.startswith("| hotspot"))
    check(f"gain of SAWS {gain:.1f} on the picture", any(abs(row[1] - gain) < 1e-6 for row in bars))
    check(f"gain of SAWS {gain:.1f} in: {line}", f"{gain:+.1f}" == line.split("|")[3].strip())
    for name in ("speed-4", "waiting-4", "speed-2", "waiting-distribution"):
        check("a script for the picture " + name, (root / "one" / f"{name}.gp").exists())

    # Complete runs are not repeated; runs that are missing, broken or have other parameters are.
    runs = root / "one" / "runs"
    kept, lost, broken = (runs / f"hotspot-small-1-4-{policy}.json" for policy in POLICIES)
    before = kept.stat().st_mtime_ns
    wanted = {name: (root / "one" / name).read_bytes() for name in ("results.csv", "results.json", "report.md")}
    lost.unlink()
    broken.write_text("{")
    again = run(*TINY, "--out", str(root / "one"), "-j", "2")
    check("exit code 0 after a loss: " + again.stderr, again.returncode == 0)
    check("a finished run is kept", kept.stat().st_mtime_ns == before)
    check("a lost run is back", lost.exists())
    for name, text in wanted.items():
        check(name + " is the same after a loss", (root / "one" / name).read_bytes() == text)
    # Without barriers SAWS must run as GTO: a figure that differs ends the command with 1.
    figure = runs / "base64-small-1-2-SAWS.json"
    text = figure.read_text()
    for key in ("cycles", "stall_raw", "l1_read_hit"):
        content = json.loads(text)
        content["result"][key] += 1
        figure.write_text(json.dumps(content))
        bad = run(*TINY, "--out", str(root / "one"))
        check(f"another {key} than GTO: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"another {key} than GTO: says so: {bad.stderr}", "S6: not equal: base64 with 2" in bad.stderr)
        check(f"another {key} than GTO: so does the report", "## Broken" in (root / "one" / "report.md").read_text())
    figure.write_text(text)
    check("as it was: exit code 0", run(*TINY, "--out", str(root / "one")).returncode == 0)

    one_run = [
        "--program",
        "hotspot",
        "--schedulers",
        "4",
        "--policy",
        "GTO",
        "--size",
        "small",
        "--seeds",
        "1",
        "--quiet",
    ]
    other = run(*one_run, "--set", "chip.sms=4", "--out", str(root / "one"))
    check("other parameters give another run: " + other.stderr, other.returncode == 0)
    check(
        "with a file of its own",
        kept.stat().st_mtime_ns == before and (runs / "hotspot-small-1-4-GTO-chip.sms_4.json").exists(),
    )
    check(
        "with another result",
        int(rows_of(root / "one")["hotspot", "4", "GTO"]["cycles"]) > times["hotspot", "4", "GTO"],
    )
    larger = run(*one_run, "--argument", "width=256", "--argument", "steps=1", "--out", str(root / "one"))
    check(
        "arguments give another run: " + larger.stderr,
        larger.returncode == 0 and (runs / "hotspot-small-1-4-GTO-width_256-steps_1.json").exists(),
    )
    barriers = [
        int(row["barrier_instances"])
        for row in (rows["hotspot", "4", "GTO"], rows_of(root / "one")["hotspot", "4", "GTO"])
    ]
    check(f"of fewer steps: {barriers}", barriers[1] < barriers[0])
    several = run(
        "--program",
        "hotspot",
        "--schedulers",
        "4",
        "--policy",
        "GTO",
        "--policy",
        "SAWS",
        "--size",
        "small",
        "--seeds",
        "2",
        "--out",
        str(root / "several"),
    )
    tables = [text.splitlines() for text in several.stdout.split("\n\n") if text.startswith("|")]
    check("two inputs have a spread: " + several.stderr, several.returncode == 0 and "±" in several.stdout)
    check(
        "the columns of a table stand below each other",
        tables
        and all(
            len({tuple(i for i, letter in enumerate(line) if letter == "|") for line in table}) == 1 for table in tables
        ),
    )
    vary = run(*one_run, "--vary", "chip.sms=4,13", "--out", str(root / "vary"))
    check("exit code 0 of --vary: " + vary.stderr, vary.returncode == 0)
    cycles = [int(row["cycles"]) for row in csv.DictReader((root / "vary" / "results.csv").open())]
    check(f"a run for each value: {cycles}", len(cycles) == 2 and cycles[1] == times["hotspot", "4", "GTO"] < cycles[0])

    for option, value, said in (
        ("--program", "hotspots", "no program 'hotspots'"),
        ("--policy", "FIFO", "no policy 'FIFO'"),
        ("--schedulers", "3", "no number of schedulers '3'"),
        ("--size", "huge", "huge"),
        ("--seeds", "0", "seeds"),
        ("--set", "chip.sms=oops", "chip.sms"),
        ("--vary", "chip.sms", "--vary"),
        ("--vary", "chip.sms=4,0", "chip.sms"),
        ("--vary", "sm.warp=4", "sm.warp"),
        ("--argument", "width", "name=value"),
        ("--argument", "=4", "name=value"),
        ("--argument", "--width=4", "name=value"),
    ):
        bad = run(option, value, "--out", str(root / "bad"))
        check(f"{option} {value}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{option} {value}: says what is wrong: {bad.stderr}", said in bad.stderr)
    bad = run("--schedulers", "1", "--policy", "SAWS", "--out", str(root / "bad"))
    check(f"SAWS on one scheduler: {bad.stderr}", bad.returncode == 2 and "--schedulers" in bad.stderr)
    bad = run(*TINY, "--out", str(root / "bad"), programs=str(root))
    check(f"no programs: {bad.stderr}", bad.returncode == 2 and "hotspot" in bad.stderr)
    lying = root / "hotspot"
    lying.write_text("#!/bin/sh\necho FAIL hotspot: wrong\nexit 1\n")
    lying.chmod(0o755)
    bad = run(*one_run, "--out", str(root / "bad"), programs=str(root))
    check(f"wrong results end the experiment: {bad.stderr}", bad.returncode == 1 and "wrong" in bad.stderr)
    silent = root / "base64"
    silent.write_text("#!/bin/sh\necho PASS base64\n")
    silent.chmod(0o755)
    bad = run(
        "--program",
        "base64",
        "--schedulers",
        "4",
        "--policy",
        "GTO",
        "--size",
        "small",
        "--seeds",
        "1",
        "--out",
        str(root / "bad"),
        programs=str(root),
    )
    check(f"a program without a report: {bad.stderr}", bad.returncode == 1 and "report" in bad.stderr)

sys.exit(1 if failures else 0)
