#!/usr/bin/env python3
"""castor experiment darsie: a tiny comparison with and without the block, and a limit study, end to end.

    experiment_darsie_test.py <castor> <folder with the programs>
"""

import csv
import json
import pathlib
import sys
import tempfile

CASTOR, PROGRAMS = sys.argv[1:]
SYSTEMS = ["baseline", "darsie", "silicon_sync", "limit"]
# Two SMs and small inputs. These arguments follow the programs' own and override them.
TINY = [
    "--program",
    "CONVTEX",
    "--system",
    "baseline",
    "--seeds",
    "1",
    "--set",
    "chip.sms=2",
    "--argument",
    "width=64",
    "--argument",
    "height=64",
    "--argument",
    "radius=2",
    "--quiet",
]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import experiment_checks  # noqa: E402
import picture_checks  # noqa: E402
from experiment_checks import check, failures  # noqa: E402


def run(*arguments, programs=PROGRAMS):
    return experiment_checks.run(CASTOR, "darsie", programs, *arguments)


def rows_of(folder):
    with (folder / "results.csv").open() as file:
        return {(row["program"], row["system"]): row for row in csv.DictReader(file)}


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    words = [word for system in SYSTEMS[1:] for word in ("--system", system)]
    one = run(*TINY, *words, "--out", str(root / "one"), "-j", "1")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    rows = rows_of(root / "one")
    check("a row for every run", set(rows) == {("CONVTEX", system) for system in SYSTEMS})
    figure = {
        system: {key: int(text) for key, text in rows["CONVTEX", system].items() if text and text.isdigit()}
        for system in SYSTEMS
    }
    base, block, meetings, limit = (figure[system] for system in SYSTEMS)
    check("the baseline has no block", base["darsie_leads"] == base["darsie_probes"] == 0)
    skipped = block["darsie_skips_hit"] + block["darsie_skips_wake"]
    check(f"the block skips: {skipped}", skipped > 0)
    check(
        "what is not executed was skipped",
        base["warp_instructions"] - block["warp_instructions"] == skipped,
    )
    check("meetings alone skip nothing", meetings["warp_instructions"] == base["warp_instructions"])
    check("warps meet", meetings["darsie_meetings"] > 0)
    check("both machines execute the same", limit["limit_instructions"] == base["warp_instructions"])
    check(
        "the parts of redundancy add up",
        limit["limit_block"] == limit["limit_uniform"] + limit["limit_affine"] + limit["limit_unstructured"],
    )
    check("8 warps share each", limit["limit_removable"] * 8 == limit["limit_block"] * 7)
    check(f"no more is skipped than is redundant: {limit['limit_removable']}", skipped <= limit["limit_removable"])
    check("thread blocks", base["thread_blocks"] == 4 * 5 + 4 * 4)
    report = (root / "one" / "report.md").read_text()
    for text in ("Speed-up over the baseline", "Limit study", "claims are not measured by these runs"):
        check("the report has " + text, text in report)
    check("claims that are not measured are left out", "| C1 " not in report and "dac_ideal, uv" not in report)
    full = run("--redraw", "--all-claims", "--quiet", "--out", str(root / "one"))
    everything = (root / "one" / "report.md").read_text()
    for text in ("| C1 ", "| C20", "| not measured ", "dac_ideal, uv"):
        check("with --all-claims the report has " + text, full.returncode == 0 and text in everything)
    picture_checks.bars(check, (root / "one" / "darsie-speed.gp").read_text(), published=False, base=1)
    speed = base["cycles"] / block["cycles"]
    line = next(
        text
        for text in report[report.index("**Speed-up over the baseline**") :].splitlines()
        if text.startswith("| CONVTEX")
    )
    check(f"speed-up {speed:.3f} in: {line}", f"{speed:.3f}" == line.split("|")[2].strip())
    for name in ("darsie-speed", "darsie-fewer", "darsie-limit"):
        check("a script for the picture " + name, (root / "one" / f"{name}.gp").exists())

    # More than (W - 1) / W of a class of instructions is a bug, and the command ends with 1.
    file = next((root / "one" / "runs").glob("CONVTEX-small-1-darsie-*.json"))
    text = file.read_text()
    content = json.loads(text)
    content["result"]["class_load_global"] = 1
    file.write_text(json.dumps(content))
    bad = run(*TINY, *words, "--out", str(root / "one"))
    check(f"beyond the bound: exit code 1, got {bad.returncode}", bad.returncode == 1)
    check(f"beyond the bound: says so: {bad.stderr}", "C19: CONVTEX" in bad.stderr and "global loads" in bad.stderr)
    file.write_text(text)
    check("as it was: exit code 0", run(*TINY, *words, "--out", str(root / "one")).returncode == 0)

    vary = run(*TINY, "--system", "darsie", "--vary", "compile.renamed=4,32", "--out", str(root / "vary"))
    check("exit code 0 of --vary: " + vary.stderr, vary.returncode == 0)
    with (root / "vary" / "results.csv").open() as opened:
        executed = [int(row["warp_instructions"]) for row in csv.DictReader(opened) if row["system"] == "darsie"]
    check(f"with 4 registers less is skipped than with 32: {executed}", executed[0] > executed[1])

    energies = root / "energy.yaml"
    energies.write_text(
        "static: {watts_per_sm: 0, core_mhz: 1000, source: test}\n"
        "events:\n  - {event: warp_instructions, pj: 1, source: test}\n"
    )
    energy = run(*TINY, "--system", "darsie", "--energy", str(energies), "--out", str(root / "one"))
    check("exit code 0 of --energy: " + energy.stderr, energy.returncode == 0)
    table = (root / "one" / "report.md").read_text()
    check("energy of instructions alone", "Less energy than the baseline" in table)

    for option, value, said in (
        ("--program", "CONVTE", "no program 'CONVTE'"),
        ("--system", "fast", "no system 'fast'"),
        ("--size", "huge", "huge"),
        ("--seeds", "0", "seeds"),
        ("--set", "chip.sms=oops", "chip.sms"),
        ("--vary", "chip.sms", "--vary"),
        ("--argument", "width", "name=value"),
        ("--energy", str(root / "one" / "report.md"), "report.md"),
    ):
        bad = run(option, value, "--out", str(root / "bad"))
        check(f"{option} {value}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{option} {value}: says what is wrong: {bad.stderr}", said in bad.stderr)
    bad = run("--limit-study", "--system", "darsie", "--out", str(root / "bad"))
    check(f"--limit-study and --system: {bad.stderr}", bad.returncode == 2 and "exclude" in bad.stderr)

sys.exit(1 if failures else 0)
