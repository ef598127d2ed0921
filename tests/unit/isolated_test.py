#!/usr/bin/env python3
"""Holds the main that gives every test case a process (tests/common/isolated_main.cpp) against a program whose cases
end in every possible way.

isolated_test.py <sample program> <tests/summarise.py>
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS, lives, until  # noqa: E402

SAMPLE, SUMMARISE = sys.argv[1:3]
GOOD = [
    "Good.ElaboratesOnce",
    "Good.ElaboratesAgain",
    "Good.SetsAGlobal",
    "Good.SeesAGlobalAsItWas",
    "Few/Each.IsBelowThree/0",
    "Few/Each.IsBelowThree/1",
]
wrong = []


def check(claim, ok, detail=""):
    if not ok:
        wrong.append(claim)
        print(f"WRONG: {claim}\n{detail}")


def run(*arguments, report=None, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GTEST", "CASTOR_CASE"))} | environment
    # Signals are the subject here; a sanitizer would turn them into exit codes.
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":handle_segv=0"
    if report:
        env["GTEST_OUTPUT"] = f"json:{report}"
    return subprocess.run(
        [SAMPLE, *arguments], capture_output=True, text=True, check=False, env=env, timeout=HANG_SECONDS
    )


def outcomes(report):
    """full name -> 'ok', 'skipped' or the text of the failures"""
    out = {}
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            text = "\n".join(f["failure"] for f in case.get("failures", []))
            out[f"{suite['name']}.{case['name']}"] = text or ("skipped" if case["result"] == "SKIPPED" else "ok")
    return out


def everything(folder):
    report = folder / "all.json"
    result = run("--gtest_filter=-Slow.*", report=report)
    detail = result.stdout + result.stderr
    check("a failing case fails the program", result.returncode == 1, detail)
    got = outcomes(report)
    for name in GOOD:
        check(f"{name} passes", got.get(name) == "ok", detail)
    check("a skipped case is skipped", got.get("Good.Skips") == "skipped", detail)
    check("a disabled case is not run", "Good.DISABLED_IsNotRun" not in got)
    for name, text in [
        ("Bad.FailsItsAssertion", "as it should"),
        ("Bad.Aborts", "signal 6"),
        ("Bad.Segfaults", "signal 11"),
        ("Bad.LeavesWithoutAReport", "no report"),
        ("Bad.LeavesWithACode", "exit code 3"),
        ("Bad.FailsAfterItsEnd", "exit code 5"),
    ]:
        check(f"{name} fails and says why", text in got.get(name, ""), got.get(name, "") + detail)
        check(f"{name} is named in the output", f"[  FAILED  ] {name}" in result.stdout, detail)
    check("the output of a failed case is shown", "as it should" in result.stdout, detail)
    counts = json.loads(report.read_text())
    check("counts are those of GoogleTest", (counts["tests"], counts["failures"]) == (13, 6), str(counts))


def limits(folder):
    """Each limit ends the case that it is for. The other limit is the default, which is never reached."""
    for name, variable, text in [
        ("Slow.ComputesForEver", "CASTOR_CASE_SECONDS", "used more than 1 s of CPU time"),
        ("Slow.WaitsForEver", "CASTOR_CASE_HANG_SECONDS", "did not end within 1 s"),
    ]:
        report = folder / "limit.json"
        result = run(f"--gtest_filter={name}:Few/*", report=report, **{variable: "1"})
        got, detail = outcomes(report), result.stdout + result.stderr
        check(f"{name} fails and says why", text in got.get(name, ""), got.get(name, "") + detail)
        check(f"{name} is named in the output", f"[  FAILED  ] {name}" in result.stdout, detail)
        check("and fails the program", result.returncode == 1, detail)


def same_as_google_test(folder):
    ours, theirs = folder / "ours.json", folder / "theirs.json"
    run("--gtest_filter=Few/*:Bad.FailsItsAssertion:Good.Skips", report=ours)
    run("--gtest_filter=Few/*:Bad.FailsItsAssertion:Good.Skips", report=theirs, CASTOR_ISOLATED_CASE="1")
    check("cases and outcomes are those of GoogleTest", outcomes(ours) == outcomes(theirs))
    a, b = json.loads(ours.read_text()), json.loads(theirs.read_text())
    check("the report has GoogleTest's keys", set(b) - set(a) <= {"timestamp"}, f"{set(b) - set(a)}")
    case_a, case_b = a["testsuites"][0]["testsuite"][0], b["testsuites"][0]["testsuite"][0]
    check("a case has GoogleTest's keys", set(case_a) == set(case_b), f"{case_a} {case_b}")


def summarised(folder):
    (folder / "ctest.xml").write_text('<testsuite><testcase name="sample" status="fail"/></testsuite>')
    run("--gtest_filter=-Slow.*", report=folder / "sample.json")
    result = subprocess.run([sys.executable, SUMMARISE, str(folder)], capture_output=True, text=True, check=False)
    check("summarise.py counts the cases", result.stdout.splitlines()[-1] == "6 passed, 6 failed", result.stdout)


def filters(folder):
    report = folder / "few.json"
    result = run("--gtest_filter=Good.*-*Skips", report=report)
    check("a filter selects", list(outcomes(report)) == GOOD[:4] and result.returncode == 0, result.stdout)
    listed = run("--gtest_list_tests").stdout
    check("cases are listed", "Slow.\n  WaitsForEver" in listed and "  IsBelowThree/0" in listed, listed)
    result = run("--gtest_filter=Good.*", "--castor_jobs=4", report=report)
    check("several at once are all run", list(outcomes(report)) == GOOD[:4] + ["Good.Skips"], result.stdout)
    check("another format of report is refused", run("--gtest_output=xml:x").returncode == 2)
    for variable in ("CASTOR_CASE_SECONDS", "CASTOR_CASE_HANG_SECONDS"):
        for value in ("soon", "0", "1.5"):
            check(f"{variable}={value} is refused", run(**{variable: value}).returncode == 2)
    check(
        "a report that cannot be written is an error",
        run("--gtest_filter=Few/*", report="/nonexistent/x").returncode == 2,
    )


def children_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def interrupted():
    """A signal ends the program, the case that waits, and the process that the case has started."""
    for sent in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen([SAMPLE, "--gtest_filter=Slow.WaitsForEver"], stdout=subprocess.DEVNULL)
        started = []

        def all_started():
            cases = children_of(process.pid)
            started[:] = cases + [child for case in cases for child in children_of(case)]
            return len(started) == 2

        until(all_started, "the case has started its child")
        process.send_signal(sent)
        check(f"signal {sent} ends the program", process.wait(timeout=HANG_SECONDS) == -sent)
        until(lambda: not any(lives(pid) for pid in started), "the case and its child have ended")


def main():
    for test in (everything, limits, same_as_google_test, summarised, filters):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    interrupted()
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
