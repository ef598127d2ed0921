#!/usr/bin/env python3
"""castor experiment cdp: a small graph with and without child kernels, and the way of a launch, end to end.

    experiment_cdp_test.py <castor> <folder with the programs>
"""

import json
import pathlib
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
SYSTEMS = ["flat", "cdp", "cdp_ideal"]
TINY = ["--program", "bfs_citation", "--seeds", "1", "--argument", "nodes=1500", "--quiet"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import experiment_checks  # noqa: E402
import picture_checks  # noqa: E402
from experiment_checks import check, failures, rows_of  # noqa: E402


def run(*arguments, programs=PROGRAMS):
    return experiment_checks.run(CASTOR, "cdp", programs, *arguments)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    one = run(*TINY, "--out", str(root / "one"), "-j", "1")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    rows = {row["system"]: row for row in rows_of(root / "one")}
    check("a row for every system", list(rows) == SYSTEMS)
    flat, cdp, ideal = (rows[system] for system in SYSTEMS)
    check("the flat form launches nothing", flat["launches"] == flat["child_threads"] == flat["wait_sum"] == 0)
    check(f"the other forms launch the same: {cdp['launches']}", ideal["launches"] == cdp["launches"] > 10)
    for name, row in rows.items():
        check(
            f"{name}: all launches end",
            row["launches"] == row["granted"] == row["ended"] == row["counted"],
        )
        check(f"{name}: all kernels", row["kernels_completed"] == row["host_kernels"] + row["launches"])
        check(
            f"{name}: all thread blocks",
            row["thread_blocks"] == row["tb_placed"] == row["tb_retired"] == row["tb_left"] > 0,
        )
        check(f"{name}: levels of the search", row["host_kernels"] == flat["host_kernels"])
        check(f"{name}: {row['entries_valid_max']} entries", 1 <= row["entries_valid_max"] <= 32)
    check("a child has 32 threads and more", cdp["child_threads"] >= 32 * cdp["launches"])
    check("calls take time, and without latencies next to none", 0 < 50 * ideal["call_launch"] < cdp["call_launch"])
    check("children wait less without latencies", ideal["wait_sum"] < cdp["wait_sum"])
    check("CDP is slower than without latencies", cdp["cycles"] > ideal["cycles"])
    report = (root / "one" / "report.md").read_text()
    for text in ("Speed-up over flat", "Warp activity", "DRAM efficiency", "SM occupancy", "Waiting time", "| I1 "):
        check("the report has " + text, text in report)
    check("one input gives no verdict", "| B7 " not in report)
    full = run("--redraw", "--all-claims", "--quiet", "--out", str(root / "one"))
    everything = (root / "one" / "report.md").read_text()
    for text in ("| B1 ", "| B14", "| B16", "| not measured ", "needs runs of the form dtbl"):
        check("with --all-claims the report has " + text, full.returncode == 0 and text in everything)
    bars, _, marks = picture_checks.bars(check, (root / "one" / "cdp-speed.gp").read_text(), published=True, base=1)
    speed = flat["cycles"] / cdp["cycles"]
    check(f"speed-up {speed:.3f} on the picture", any(abs(row[1] / speed - 1) < 1e-6 for row in bars))
    means = sorted(row[1] for row in marks)
    check(
        f"the source's means are there: {means}",
        len(means) == 2 and abs(means[0] * 1.16 - 1) < 1e-6 and abs(means[1] - 1.43) < 1e-6,
    )
    line = next(
        text
        for text in report[report.index("**Speed-up over flat") :].splitlines()
        if text.startswith("| bfs_citation")
    )
    check(f"speed-up {speed:.3f} in: {line}", f"{speed:.3f}" == line.split("|")[2].strip())
    activity = 100 * flat["thread_instructions"] / flat["lane_slots"]
    line = next(
        text for text in report[report.index("**Warp activity") :].splitlines() if text.startswith("| bfs_citation")
    )
    check(f"activity {activity:.1f} in: {line}", f"{activity:.1f}" == line.split("|")[2].strip())

    # A launch or a thread block that is lost ends the command with 1.
    file = next((root / "one" / "runs").glob("bfs_citation-small-1-cdp-*.json"))
    text = file.read_text()
    for key, said in (
        ("counted", "launches counted by the program"),
        ("granted", "granted"),
        ("ended", "completed"),
        ("kernels_parsed", "kernels launched"),
        ("tb_placed", "thread blocks launched"),
        ("tb_left", "retired by SMs"),
        ("dropped", "launches dropped"),
    ):
        content = json.loads(text)
        content["result"][key] += 1
        file.write_text(json.dumps(content))
        bad = run(*TINY, "--out", str(root / "one"))
        check(f"another {key}: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"another {key}: says so: {bad.stderr}", "I1: bfs_citation with cdp" in bad.stderr and said in bad.stderr)
    file.write_text(text)
    check("as it was: exit code 0", run(*TINY, "--out", str(root / "one")).returncode == 0)

    # The launch path: calls to the tick.
    path = run("--path", "--quick", "--quiet", "--out", str(root / "path"), "-j", "1")
    check("exit code 0 of --path: " + path.stderr, path.returncode == 0)
    steps = rows_of(root / "path")
    lanes = {row["value"]: row for row in steps if row["axis"] == "lanes"}
    check("lanes", list(lanes) == [1, 2, 4, 8, 16, 32])
    for x, row in lanes.items():
        check(f"{x} lanes: stream", row["call_stream"] == 7165)
        check(f"{x} lanes: buffer", row["call_buffer"] == 8023 + 129 * x)
        check(f"{x} lanes: launch", row["call_launch"] == 12187 + 1592 * x)
        check(f"{x} lanes: wait", row["wait_sum"] == sum(12187 + 1592 * k + 286 for k in range(1, x + 1)))
        check(f"{x} lanes: by its own clock at least as long", row["clock_launch"] >= row["call_launch"])
    report = (root / "path" / "report.md").read_text()
    for claim in ("B1", "B3", "B5", "B17"):
        line = next((text for text in report.splitlines() if text.startswith(f"| {claim} ")), "")
        check(f"{claim} holds by construction: {line}", "| by construction " in line)
    check("B4 wants all lanes", "| B4 " not in report)
    for name in ("cdp-calls", "cdp-many"):
        check("a script for the picture " + name, (root / "path" / f"{name}.gp").exists())
    # A call that is a tick longer, and a block on another SM, are detected.
    for axis, key, claim in (("placement", "fills_in_turn", "B1"), ("queues", "cycles", "B3")):
        file = sorted((root / "path" / "runs").glob(f"path-{axis}-*.json"))[0]
        kept = file.read_text()
        content = json.loads(kept)
        content["result"][key] = 0
        file.write_text(json.dumps(content))
        run("--path", "--quick", "--quiet", "--out", str(root / "path"))
        report = (root / "path" / "report.md").read_text()
        line = next((text for text in report.splitlines() if text.startswith(f"| {claim} ")), "")
        check(f"{claim} is not reproduced: {line}", "| not " in line)
        file.write_text(kept)

    vary = run(*TINY, "--system", "cdp", "--vary", "table.entries=4,32", "--out", str(root / "vary"))
    check("exit code 0 of --vary: " + vary.stderr, vary.returncode == 0)
    entries = [row["entries_valid_max"] for row in rows_of(root / "vary")]
    check(f"of 4 entries all are in use: {entries}", entries[0] == 4 < entries[1])

    for option, value, said in (
        ("--program", "bfs_citatio", "no program 'bfs_citatio'"),
        ("--system", "fast", "no system 'fast'"),
        ("--machine", "kepler", "no shipped machine 'kepler'"),
        ("--size", "huge", "huge"),
        ("--seeds", "0", "seeds"),
        ("--set", "chip.sms=oops", "chip.sms"),
        ("--vary", "chip.sms", "--vary"),
        ("--argument", "nodes", "name=value"),
    ):
        bad = run(option, value, "--out", str(root / "bad"))
        check(f"{option} {value}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{option} {value}: says what is wrong: {bad.stderr}", said in bad.stderr)
    lying = root / "dynamic_bfs"
    lying.write_text("#!/bin/sh\necho FAIL dynamic_bfs: wrong\nexit 1\n")
    lying.chmod(0o755)
    bad = run(*TINY, "--out", str(root / "bad"), programs=str(root))
    check(f"wrong results end the experiment: {bad.stderr}", bad.returncode == 1 and "wrong" in bad.stderr)

sys.exit(1 if failures else 0)
