#!/usr/bin/env python3
"""castor experiment: a tiny comparison end to end.

    experiment_test.py <castor>
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

CASTOR = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TINY = [
    "--workload",
    "STEM",
    "--workload",
    "LSTM",
    "--rate",
    "high",
    "--scheduler",
    "RR",
    "--scheduler",
    "BAY",
    "--scheduler",
    "LAX-SW",
    "--seeds",
    "2",
    "--jobs",
    "12",
    "--quiet",
]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import picture_checks  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import until  # noqa: E402

failures = []


def on_a_terminal(words):
    """Returns the output that a command writes to a terminal."""
    master, slave = os.openpty()
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(master)
    check("exit code 0 on a terminal", child.wait() == 0)
    return seen.decode()


def check(what, good):
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    return subprocess.run([CASTOR, "experiment", *arguments], capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)

    one = run("lax", *TINY, "--out", str(root / "one"), "--workers", "1")
    check("exit code 0: " + one.stderr, one.returncode == 0)
    check("quiet prints nothing", one.stdout == "")
    for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        out = root / f"stopped-{code}"
        words = [CASTOR, "experiment", "lax", *TINY, "--out", str(out), "--workers", "1"]
        while True:
            child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
            until(lambda: child.poll() is not None or list(out.glob("runs/*.json")), "the result of a run")
            child.send_signal(number)
            errors = child.communicate()[1]
            if child.returncode != 0:
                break
            shutil.rmtree(out)  # the run ended before the signal arrived: try again
        check(f"exit code {code} by a signal: {child.returncode}, {errors}", child.returncode == code)
        check("an interrupted experiment says how it goes on", "the same command goes on with the runs" in errors)
        check("some runs are left", 0 < len(list(out.glob("runs/*.json"))) < 12)
        check("it goes on", subprocess.run(words, check=False).returncode == 0)
        for name in ["results.csv", "report.md"]:
            check(
                f"{name} of an interrupted experiment", (out / name).read_bytes() == (root / "one" / name).read_bytes()
            )
    rows = list(csv.DictReader((root / "one" / "results.csv").open()))
    check("a row for every run", len(rows) == 2 * 3 * 2)
    for row in rows:
        name = f"{row['workload']} {row['scheduler']} {row['seed']}"
        ends = sum(int(row[k]) for k in ("met", "late", "rejected", "open"))
        check(name + ": every job ended in one way", ends == 12)
        check(name + ": useful TBs are some of all", int(row["useful_tbs"]) <= int(row["all_tbs"]))
        if row["scheduler"] == "RR":
            check(name + ": round robin runs all", int(row["met"]) + int(row["late"]) == 12)
    by = {(r["workload"], r["scheduler"], r["seed"]): r for r in rows}
    check("seeds differ", by["LSTM", "RR", "1"]["cycles"] != by["LSTM", "RR", "2"]["cycles"])
    check("STEM jobs have 16 TBs", int(by["STEM", "RR", "1"]["all_tbs"]) == 12 * 16)
    check("JSON has the same runs", len(json.loads((root / "one" / "results.json").read_text())) == len(rows))
    report = (root / "one" / "report.md").read_text()
    # Twelve jobs of two workloads measure next to nothing.
    claims = re.findall(r"^\| (C\d+) .*\|$", report, re.MULTILINE)
    check(f"a partial run shows the claims that it measures: {claims}", len(claims) < 5)
    check("and none that it does not", "| not measured " not in report)
    others = re.findall(r"^(\d+) of (\d+) claims are not measured by these runs; --all-claims", report, re.MULTILINE)
    check(f"and how many others there are: {others}", [len(claims) + int(n) for n, _ in others] == [int(others[0][1])])
    check("and says when nothing is broken", "## Broken" not in report)
    check("the report has the source's figures", "(511)" in report)
    check("a script for the picture", (root / "one" / "met-high.gp").exists())

    two = run("lax", *TINY, "--out", str(root / "two"), "--workers", "2")
    check("exit code 0 again", two.returncode == 0)
    for name in ("results.csv", "results.json", "report.md"):
        check(
            name + " is the same with two workers",
            (root / "one" / name).read_bytes() == (root / "two" / name).read_bytes(),
        )

    # The report from the stored runs, with all claims, is the same whatever the programs and the build are now.
    there = root / "it's drawn"
    shutil.copytree(root / "one", there)
    for path in there.glob("runs/*.json"):
        path.write_text(path.read_text().replace('"build": "', '"build": "of old '))
    for path in [*there.glob("*.svg"), *there.glob("*.gp"), there / "report.md"]:
        path.unlink()
    drawn = run("lax", "--redraw", "--quiet", "--out", str(there))
    check("exit code 0 of --redraw: " + drawn.stderr, drawn.returncode == 0)
    for name in ("report.md", "met-high.gp", "results.csv", "results.json"):
        check("redrawn: " + name, (there / name).read_bytes() == (root / "one" / name).read_bytes())
    if shutil.which("gnuplot"):
        check("with the picture", (there / "met-high.svg").exists())
    everything = run("lax", "--redraw", "--quiet", "--all-claims", "--out", str(there))
    report = (there / "report.md").read_text()
    check("--all-claims shows all", "| C1 " in report and "| C26" in report and "| not measured " in report)
    check("and counts none", everything.returncode == 0 and "--all-claims" not in report)
    for arguments, said in (
        (["lax", "--redraw", "--seeds", "2", "--out", str(there)], "leave out --seeds"),
        (["lax", "--redraw", "--out", str(root / "nothing")], "no runs in"),
        (["saws", "--redraw", "--out", str(there)], "not those of this experiment"),
    ):
        bad = run(*arguments)
        check(f"{arguments}: exit code 2 and why: {bad.stderr}", bad.returncode == 2 and said in bad.stderr)
    picture_checks.bars(check, (root / "one" / "met-high.gp").read_text(), published=True)
    if shutil.which("gnuplot"):
        picture_checks.svg(check, root / "one" / "met-high.svg")

    # On a terminal a line shows the progress; a pipe gets none.
    check("nothing about progress in a pipe", one.stderr == "")
    seen = on_a_terminal([CASTOR, "experiment", "lax", *TINY, "--out", str(root / "terminal")])
    check("progress: " + seen[-200:], "lax: 12 of 12 runs" in seen)
    check("with the time left: " + seen[:400], re.search(r"lax: \d+ of 12 runs, about \d+ s left", seen))
    again = on_a_terminal([CASTOR, "experiment", "lax", *TINY, "--out", str(root / "terminal")])
    check("nothing is said where nothing is run: " + again, again.strip() == "")

    # Complete runs are not repeated; runs that are missing, broken or have other parameters are.
    runs = root / "two" / "runs"
    kept, lost, broken = (runs / f"LSTM-high-{s}-1-jobs_12.json" for s in ("RR", "BAY", "LAX-SW"))
    foreign = runs / "STEM-high-RR-1-jobs_12.json"
    before = kept.stat().st_mtime_ns
    lost.unlink()
    broken.write_text("{")
    foreign.write_text(foreign.read_text().replace('"seed": 1', '"seed": 2'))
    again = run("lax", *TINY, "--out", str(root / "two"))
    check("exit code 0 after a loss", again.returncode == 0)
    check("a finished run is kept", kept.stat().st_mtime_ns == before)
    check("a lost run is back", lost.exists())
    check("a file of other parameters is replaced", '"seed": 1' in foreign.read_text())
    check(
        "results are the same after a loss",
        (root / "one" / "results.csv").read_bytes() == (root / "two" / "results.csv").read_bytes(),
    )
    fewer = ["6" if word == "12" else word for word in TINY]
    other = run("lax", *fewer, "--out", str(root / "two"))
    check(
        "another number of jobs leaves these files alone", other.returncode == 0 and kept.stat().st_mtime_ns == before
    )
    rows = list(csv.DictReader((root / "two" / "results.csv").open()))
    check("with other results", all(int(r["jobs"]) == 6 for r in rows))

    # Invariants of runs: a file as a broken simulator would write it ends the command with 1.
    def broken(name, words, file, change, said):
        out = root / name
        good = run("lax", *words, "--out", str(out))
        check(f"{name}: exit code 0 before: {good.stderr}", good.returncode == 0)
        path = out / "runs" / file
        content = json.loads(path.read_text())
        change(content["result"])
        path.write_text(json.dumps(content))
        bad = run("lax", *words, "--out", str(out))
        check(f"{name}: exit code 1, got {bad.returncode}", bad.returncode == 1)
        check(f"{name}: says what: {bad.stderr}", said in bad.stderr)
        text = (out / "report.md").read_text()
        check(f"{name}: so does the report", "## Broken" in text and said in text[text.index("## Broken") :])

    def one_more(key):
        return lambda result: result.update({key: result[key] + 1})

    few = ["--workload", "STEM", "--rate", "high", "--seeds", "1", "--jobs", "12", "--quiet"]
    both = [*few, "--scheduler", "RR", "--scheduler", "EDF"]
    broken("a job that ends twice", both, "STEM-high-RR-1-jobs_12.json", one_more("late"), "13 ends of 12 jobs")
    broken(
        "a thread block too many", both, "STEM-high-EDF-1-jobs_12.json", one_more("all_tbs"), "193 TBs, 192 under RR"
    )
    ipv6 = ["IPV6" if word == "STEM" else word for word in [*few, "--scheduler", "BAY"]]
    broken("a job in time that cannot be", ipv6, "IPV6-high-BAY-1-jobs_12.json", one_more("met_of_128"), "C11")

    once = [
        "lax",
        "--workload",
        "STEM",
        "--rate",
        "high",
        "--scheduler",
        "RR",
        "--seeds",
        "1",
        "--jobs",
        "12",
        "--quiet",
    ]
    setting = run(*once, "--set", "parse.latency=4000", "--out", str(root / "two"))
    slower = json.loads((root / "two" / "results.json").read_text())
    check(
        "a setting has a file of its own",
        setting.returncode == 0
        and kept.stat().st_mtime_ns == before
        and (runs / "STEM-high-RR-1-jobs_12-parse.latency_4000.json").exists(),
    )
    check("and takes effect", len(slower) == 1 and str(slower[0]["cycles"]) != by["STEM", "RR", "1"]["cycles"])

    for arguments, said in (
        (["lax", "--workload", "LTSM"], "no workload 'LTSM'"),
        (["lax", "--rate", "fast"], "fast"),
        (["lax", "--scheduler", "FIFO"], "no scheduler 'FIFO'"),
        (["lax", "--seeds", "0"], "seeds"),
        (["lacks"], "has no command 'lacks'"),
        ([], "subcommand"),
    ):
        bad = run(*arguments, "--out", str(root / "bad")) if arguments else run()
        check(f"{arguments}: exit code 2, got {bad.returncode}", bad.returncode == 2)
        check(f"{arguments}: says what is wrong: {bad.stderr}", said in bad.stderr)
    (root / "file").write_text("")
    bad = run("lax", *TINY, "--out", str(root / "file"))
    check("a file as folder: exit code 2", bad.returncode == 2 and "cannot be made" in bad.stderr)
    bad = run("lax", *TINY, "--set", "queue.count=oops", "--out", str(root / "oops"))
    check("a bad key of the machine: exit code 2", bad.returncode == 2 and "queue.count" in bad.stderr)
    bad = run("lax", *TINY, "--set", "run.max_cycles=1000", "--out", str(root / "deep"))
    check(
        f"a run that ends badly: exit code 1, got {bad.returncode}, and its name",
        bad.returncode == 1 and "-high-RR-1-jobs_12-run.max_cycles_1000 failed" in bad.stderr,
    )

    # Experiments are a separate program beside castor. If it is missing, one line says how to get it.
    alone = root / "build" / "bin" / "castor"
    alone.parent.mkdir(parents=True)
    shutil.copy2(CASTOR, alone)
    bad = subprocess.run([alone, "experiment", "lax"], capture_output=True, text=True, check=False)
    check(f"without the program: exit code 2, got {bad.returncode}", bad.returncode == 2)
    check("without the program: one line: " + bad.stderr, len(bad.stderr.splitlines()) == 1 and "install" in bad.stderr)
    # In a build tree castor builds the program. The build tool of this test only records its arguments.
    (root / "build" / "CMakeCache.txt").write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={root / 'build'}\n")
    tool = root / "tools" / "cmake"
    tool.parent.mkdir()
    asked = root / "asked"
    program = alone.parent / "castor-experiment"
    script = f'#!/bin/sh\necho "$@" >> {asked}\n[ -e {root}/broken ] && echo no rule && exit 1\n'
    tool.write_text(script + f"ln -sf {pathlib.Path(CASTOR).parent}/castor-experiment {program}\n")
    tool.chmod(0o755)
    environment = dict(os.environ, PATH=f"{tool.parent}:{os.environ['PATH']}")

    def from_the_tree(*options):
        words = [alone, "experiment", *(options or ("lax", "--check"))]
        return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)

    # Before the program is built, castor knows its help and refuses wrong words.
    for name in sorted(folder.name for folder in (ROOT / "platforms" / "experiments").iterdir() if folder.is_dir()):
        options = ROOT / "platforms" / "experiments" / name / "options.json"
        if not options.exists():
            continue
        command = [pathlib.Path(CASTOR).parent / "castor-experiment", "describe", name]
        described = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        written = f"castor-experiment describe {name} > {options.relative_to(ROOT)}"
        check(f"{name}: its options are described as they are: {written}", described == options.read_text())
        looked = from_the_tree(name, "--help")
        check(f"{name}: the same help before it is built", looked.stdout == run(name, "--help").stdout != "")
    for words, said in (
        (["--no-such-option"], "no option --no-such-option"),
        (["--no-such-option=4"], "no option --no-such-option"),
        (["-z"], "no option -z"),
        (["--variant"], "no option --variant"),
        (["--workload", "LTSM"], "no workload 'LTSM'"),
        (["-w", "LSTM", "LTSM"], "no workload 'LTSM'"),
        (["-wLTSM"], "no workload 'LTSM'"),
        (["--rate=fast"], "known are low, medium, high"),
        (["-s", "FIFO", "--rate", "low"], "no scheduler 'FIFO'"),
        (["--tier", "kernels"], "known are replay, programs"),
        (["--seeds", "0"], "--seeds does not take '0' (whole numbers from 1 to 1000)"),
        (["--seeds=1001"], "from 1 to 1000"),
        (["-n", "-3"], "--seeds does not take '-3'"),
        (["-n3x"], "--seeds does not take '3x'"),
    ):
        looked = from_the_tree("lax", *words)
        check(f"{words} builds nothing: {looked.stderr}", looked.returncode == 2 and said in looked.stderr)
        good = run("lax", *words)
        check(f"{words} is refused by the program, too: {good.stderr}", good.returncode == 2)
    looked = from_the_tree("fidelity", "--machine", "nothing")
    check("a machine of no chip builds nothing", looked.returncode == 2 and "no machine that stands" in looked.stderr)
    check("nothing was asked for", not asked.exists())
    (root / "broken").touch()
    bad = from_the_tree()
    check("a build that fails: exit code 2, and what it said: " + bad.stderr, bad.returncode == 2)
    check("a build that fails: says why", "no rule" in bad.stderr and "cannot be built" in bad.stderr)
    bad = from_the_tree("fidelity", "--machine", "nothing", "--data", str(root))
    check("names that a file may define are left to the program", "cannot be built" in bad.stderr)
    (root / "broken").unlink()
    good = from_the_tree()
    check("in a build tree it is built: " + good.stderr, good.returncode == 2 and "--page --check" in good.stderr)
    again = from_the_tree("lax", "--help")
    check("and says so", good.stderr.count("building the experiments") == 1)
    check("once: " + again.stderr, again.stderr == "" and "--workload" in again.stdout)
    check("by the target", asked.read_text() == 3 * f"--build {root / 'build'} --target castor_experiment\n")

sys.exit(1 if failures else 0)
