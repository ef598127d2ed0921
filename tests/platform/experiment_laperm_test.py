#!/usr/bin/env python3
"""castor experiment laperm: a small graph with child kernels and groups under round robin and the three policies, and
what its thread blocks touch, end to end.

    experiment_laperm_test.py <castor> <folder with the programs>
"""

import json
import pathlib
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
POLICIES = ["rr", "tb_pri", "smx_bind", "adaptive_bind"]
SYSTEMS = [f"{model}_{policy}" for model in ("cdp", "dtbl") for policy in POLICIES]
TINY = ["--program", "bfs_citation", "--seeds", "1", "--argument", "nodes=1500", "--quiet"]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import experiment_checks  # noqa: E402
from experiment_checks import check, failures, rows_of  # noqa: E402


def run(*arguments, programs=PROGRAMS):
    return experiment_checks.run(CASTOR, "laperm", programs, *arguments)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    one = run(*TINY, "--out", str(root / "one"), "-j", "2")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    rows = {row["system"]: row for row in rows_of(root / "one")}
    check("a row for every system", list(rows) == SYSTEMS + ["footprint"])
    touched = rows.pop("footprint")
    first = rows["cdp_rr"]
    for name, row in rows.items():
        group, policy = name.startswith("dtbl"), name.split("_", 1)[1]
        check(f"{name}: launches", row["launches"] == row["counted"] == row["ended"] == first["launches"] > 10)
        check(f"{name}: groups", row["groups"] == row["attached"] == (row["launches"] if group else 0))
        check(f"{name}: thread blocks", row["thread_blocks"] == row["tb_placed"] == row["tb_retired"])
        check(f"{name}: results", row["hash"] == first["hash"])
        check(f"{name}: seen", row["blocks_seen"] == row["tb_started"] and row["launches_seen"] == row["launches"])
        check(f"{name}: median wait", 0 < float(row["wait_median"]) < row["wait_largest"] + 100)
        check(f"{name}: L1 caches global loads", row["l1_read_hit"] > row["l1_read_miss"] > 0)
        check(f"{name}: L1 of children", 0 < row["child_l1_miss"] < row["l1_read_miss"])
        check(f"{name}: L2", row["kernel_l2_hit"] > row["kernel_l2_miss"] > 0)
        if policy == "rr":
            check(f"{name}: no block", row["pushes"] == "")
            continue
        check(f"{name}: stages", row["own"] + row["host"] + row["stolen"] == row["tb_placed"])
        check(f"{name}: pushed", row["pushes"] == row["kernels_parsed"] + row["attached"])
        check(f"{name}: stolen", (row["stolen"] > 0) == (policy == "adaptive_bind"))
        check(f"{name}: bound", (row["at_home"] == row["child_blocks"]) == (policy == "smx_bind"))
    check("what children touch: launches", touched["counted"] == first["launches"])
    check("results with footprints", touched["hash"] == first["hash"])
    check("children of footprints", touched["children"] == first["child_blocks"])
    for name in ("parent_child", "child_sibling", "parent_parent"):
        check(f"{name} {touched[name]}", 0 < float(touched[name]) < 1)
    check("a child reads its edges", float(touched["child_touched"]) > 2)
    report = (root / "one" / "report.md").read_text()
    for text in (
        "IPC over round robin",
        "L1: loads that hit",
        "on the SM of their parent",
        "of a backup set",
        "Blocks of 128 bytes that are shared",
        "| P13 ",
        "| I1 ",
        "| I3 ",
    ):
        check("the report has " + text, text in report)
    check("one program gives no verdict on P7", "| P7 " not in report)

    # A lost or stolen thread block, one that is not on its parent's SM, or another result ends the command with 1.
    for system, key, said in (
        ("cdp_tb_pri", "own", "thread blocks of all stages"),
        ("cdp_adaptive_bind", "pushes", "kernels and groups pushed"),
        ("dtbl_adaptive_bind", "memory_writes", "items written to memory"),
        ("dtbl_smx_bind", "child_blocks", "thread blocks on their parent's SM"),
        ("dtbl_rr", "blocks_seen", "thread blocks seen"),
        ("dtbl_rr", "attached", "attached or fallen back"),
        ("cdp_rr", "tb_placed", "thread blocks launched"),
        ("cdp_smx_bind", "hash", "I2: bfs_citation-small-1-cdp_smx_bind"),
        ("footprint", "hash", "I2: bfs_citation-small-1-footprint"),
    ):
        file = next((root / "one" / "runs").glob(f"bfs_citation-small-1-{system}-nodes*.json"))
        text = file.read_text()
        content = json.loads(text)
        content["result"][key] += 1
        file.write_text(json.dumps(content))
        bad = run(*TINY, "--out", str(root / "one"))
        check(f"another {key}: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"another {key}: says so: {bad.stderr}", said in bad.stderr)
        file.write_text(text)

    other = run(*TINY, "--system", "cdp_rr_0", "--system", "dtbl_bank_16", "--out", str(root / "other"))
    check("exit code 0 of variants: " + other.stderr, other.returncode == 0)
    fast, small = rows_of(root / "other")
    check("no latency", 50 * fast["call_launch"] < first["call_launch"])
    check("a small set lies in memory", small["memory_writes"] == small["memory_reads"])
    bad = run("--system", "cdp_fifo", "--out", str(root / "bad"))
    check(f"cdp_fifo: {bad.stderr}", bad.returncode == 2 and "no system 'cdp_fifo'" in bad.stderr)

sys.exit(1 if failures else 0)
