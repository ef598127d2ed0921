#!/usr/bin/env python3
"""castor experiment dtbl: a small graph with groups of thread blocks, child kernels and neither, and the way of a
launch, end to end.

    experiment_dtbl_test.py <castor> <folder with the programs>
"""

import json
import pathlib
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
SYSTEMS = ["flat", "cdp", "cdp_ideal", "dtbl", "dtbl_ideal"]
TINY = ["--program", "bfs_citation", "--seeds", "1", "--argument", "nodes=1500", "--quiet"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import experiment_checks  # noqa: E402
from experiment_checks import check, failures, rows_of  # noqa: E402


def run(*arguments, programs=PROGRAMS):
    return experiment_checks.run(CASTOR, "dtbl", programs, *arguments)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    one = run(*TINY, "--path", "--quick", "--out", str(root / "one"), "-j", "1")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    all_rows = rows_of(root / "one")
    rows = {row["system"]: row for row in all_rows if row["system"]}
    check("a row for every system", list(rows) == SYSTEMS)
    flat, cdp, dtbl, ideal = rows["flat"], rows["cdp"], rows["dtbl"], rows["dtbl_ideal"]
    for name, row in rows.items():
        group = name.startswith("dtbl")
        check(f"{name}: groups", row["groups"] == row["attached"] == (row["launches"] if group else 0))
        check(f"{name}: all launches end", row["launches"] == row["counted"] == row["ended"])
        check(f"{name}: a kernel is resident", row["warm_kernels"] == (1 if group else 0))
        check(f"{name}: kernels of the host", row["host_kernels"] == flat["host_kernels"])
        check(f"{name}: thread blocks", row["thread_blocks"] == row["tb_placed"] == row["tb_retired"] == row["tb_left"])
        check(f"{name}: results", row["hash"] == flat["hash"])
    check(f"launches: {dtbl['launches']}", dtbl["launches"] == cdp["launches"] > 10)
    check("threads of launches", dtbl["child_threads"] == cdp["child_threads"] >= 32 * cdp["launches"])
    check("one thread block more than with child kernels", dtbl["thread_blocks"] == cdp["thread_blocks"] + 1)
    check("groups make no stream", dtbl["call_stream"] == 0 < cdp["call_stream"])
    check("groups wait less than children", dtbl["wait_sum"] < cdp["wait_sum"])
    check("without latencies calls take next to nothing", 50 * ideal["call_buffer"] < dtbl["call_buffer"])
    check("DTBL is faster than CDP", ideal["cycles"] <= dtbl["cycles"] < cdp["cycles"])
    path = {(row["axis"], row["value"]): row for row in all_rows if row["axis"]}
    for lanes in (1, 32):
        check(f"{lanes} lanes: buffer call", path["groups", lanes]["call_buffer"] == 8023 + 129 * lanes)
        check(f"{lanes} lanes: groups", path["groups", lanes]["attached"] == lanes)
        check(f"{lanes} lanes: child kernels", path["lanes", lanes]["granted"] == lanes)
    report = (root / "one" / "report.md").read_text()
    for text in (
        "Speed-up over flat",
        "dtbl over cdp",
        "Waiting time",
        "found a resident kernel",
        "| I1 ",
        "| I2 ",
        "| T16 ",
    ):
        check("the report has " + text, text in report)
    check("one input gives no verdict on T1", "| T1 " not in report)

    # A lost thread block or group, or another result, ends the command with 1.
    file = next((root / "one" / "runs").glob("bfs_citation-small-1-dtbl-nodes*.json"))
    text = file.read_text()
    for key, said in (
        ("attached", "attached or fallen back"),
        ("kde_hits", "groups that found a kernel"),
        ("agt_misses", "groups in the table or in memory"),
        ("tb_placed", "thread blocks launched"),
        ("hash", "I2: bfs_citation-small-1-dtbl"),
    ):
        content = json.loads(text)
        content["result"][key] += 1
        file.write_text(json.dumps(content))
        bad = run(*TINY, "--out", str(root / "one"))
        check(f"another {key}: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"another {key}: says so: {bad.stderr}", said in bad.stderr)
    file.write_text(text)

    cold = run(*TINY, "--system", "dtbl_cold", "--system", "dtbl_16", "--out", str(root / "cold"), "-j", "1")
    check("exit code 0 of variants: " + cold.stderr, cold.returncode == 0)
    first, small = rows_of(root / "cold")
    check("no kernel is resident at first", first["fallbacks"] == first["kde_misses"] == first["granted"] > 0)
    check("no kernel is kept", first["warm_kernels"] == 0)
    check("16 entries", small["agt_used_peak"] <= 16 and small["agt_misses"] > 0)

    bad = run("--system", "dtbl_17", "--out", str(root / "bad"))
    check(f"dtbl_17: {bad.stderr}", bad.returncode == 2 and "no system 'dtbl_17'" in bad.stderr)

sys.exit(1 if failures else 0)
