#!/usr/bin/env python3
"""Shows that the short check (.ci/run) finds faults in production code. Puts each fault of tests/check_faults.json into
a scratch clone, builds what the test that should find it needs, and runs that test.

    check_faults.py [NAME...]         these faults; default: all
      --part N OF                     the N-th of OF parts of the list
      --step                          runs the whole step of the short check instead of the named test
      --folder FOLDER                 scratch clone, its builds and logs (default: build/check-faults); builds are kept
      --jobs N                        processes of a build (default: all processors)
    check_faults.py --list            the faults, and the test that finds each
    check_faults.py --check [BUILD STEP...]
                                      the list fits the tree; tests of these steps exist in the build folder BUILD

tests/check_faults.json is a list of
    {"name": ..., "file": ..., "from": text that is in the file once, "to": text, "what": what a user would see,
     "finds": {"step": step of .ci/run, "test": test of ctest, "targets": [target, ...]}}
Without `test` the whole step is run. `targets` are built before the test; default: the programs in the test's command.

Before the faults, the tests run without any fault and must pass. A test that takes far longer with a fault than without
counts as failed. Exit code 0: every fault was found; 1: some were not, or a test fails without a fault; 2: bad request.
"""

import argparse
import fcntl
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = "tests/check_faults.json"

#: Step of .ci/run -> preset of the build in which it runs its tests, and that preset's choice of unit tests.
PRESETS = {"rules": ("asan", "all"), "unit": ("asan", "all"), "tests": ("release", "compiler")}
STEPS = ("format", "rules", "unit", "tests", "programs", "speed", "tidy", "fuzz")

#: A run with a fault is ended after this many times the time without one, but not before PATIENCE seconds.
SLOWER, PATIENCE = 10, 300

FOUND, HANGS, MISSED, BROKEN = "found", "found, hangs", "NOT FOUND", "DOES NOT BUILD"


class WrongRequest(Exception):
    """The request or the list of faults is wrong."""


class Ended:
    """How a command ended: exit code (None: it exceeded its limit), output, and wall time in seconds."""

    def __init__(self, code, output, seconds):
        self.code = code
        self.output = output
        self.seconds = seconds


def read(root):
    """Returns the faults of the tree `root`."""
    return json.loads((Path(root) / LIST).read_text(encoding="utf-8"))


def mistakes(faults, root, known=None):
    """Returns a line for each mistake in the list: a fault that does not fit the sources of the tree `root`, or a test
    that does not exist. `known`: {step: names of its tests}; tests of other steps are not looked for."""
    wrong, seen = [], set()
    for fault in faults:
        name = fault["name"]
        if name in seen:
            wrong.append(f"{name}: the name occurs twice")
        seen.add(name)
        path = Path(root) / fault["file"]
        count = path.read_text(encoding="utf-8").count(fault["from"]) if path.is_file() else None
        if count is None:
            wrong.append(f"{name}: no file {fault['file']}")
        elif count != 1:
            wrong.append(f"{name}: its text is {count} times in {fault['file']}")
        if fault["from"] == fault["to"]:
            wrong.append(f"{name}: it changes nothing")
        if fault["file"].split("/")[0] == "tests":
            wrong.append(f"{name}: {fault['file']} is no production code")
        if not re.fullmatch(r"[^\n]+\.", fault.get("what", "")):
            wrong.append(f"{name}: 'what' is a sentence")
        finds = fault.get("finds", {})
        step, test = finds.get("step"), finds.get("test")
        if step not in STEPS:
            wrong.append(f"{name}: no step '{step}'")
        elif test is not None and step not in PRESETS:
            wrong.append(f"{name}: step {step} has no tests of ctest")
        elif test is not None and known is not None and test not in known.get(step, {test}):
            wrong.append(f"{name}: step {step} has no test '{test}'")
    return wrong


def chosen(faults, names, part):
    """Returns the faults with these names, or all; of them the part (number, parts). Raises WrongRequest for a name or
    part that does not exist."""
    unknown = sorted(set(names) - {fault["name"] for fault in faults})
    if unknown:
        raise WrongRequest(f"no fault '{unknown[0]}': --list shows them")
    wanted = [fault for fault in faults if not names or fault["name"] in names]
    if part is None:
        return wanted
    number, parts = part
    if not 1 <= number <= parts:
        raise WrongRequest(f"no part {number} of {parts}")
    return wanted[len(wanted) * (number - 1) // parts : len(wanted) * number // parts]


def tests_of(build):
    """Returns {name: {"command": [word, ...], "labels": [label, ...]}} of the tests of a configured build folder."""
    told = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True
    ).stdout
    found = {}
    for test in json.loads(told)["tests"]:
        properties = {one["name"]: one["value"] for one in test.get("properties", ())}
        found[test["name"]] = {"command": test.get("command", []), "labels": properties.get("LABELS", [])}
    return found


def tests_of_step(step, tests):
    """Returns the names of those `tests` (tests_of) that a step runs."""
    return {name for name, test in tests.items() if step == "tests" or step in test["labels"]}


def programs_of(command, build):
    """Returns the files of the build folder in a test's command, relative to the folder: the targets that make them."""
    inside = f"{build}/"
    places = [word[len(inside) :] for word in command if word.startswith(inside)]
    return [place for place in dict.fromkeys(places) if place.startswith(("tests/", "bin/", "kernels/", "platforms/"))]


def say(line):
    print(line, flush=True)


class Scratch:
    """The scratch clone with its builds."""

    def __init__(self, root, folder, jobs):
        self.root = Path(root)
        self.folder = Path(folder)
        self.tree = self.folder / "tree"
        self.logs = self.folder / "logs"
        self.jobs = jobs
        self.tests = {}  # preset -> tests_of its build folder
        self.usual = {}  # (step, test) -> seconds without a fault
        self.lock = None

    # --- commands ---------------------------------------------------------------------------------------------------

    def git(self, *words):
        return subprocess.run(
            ["git", "-C", str(self.tree), *words], capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")

    def run(self, words, log, limit=None, **environment):
        """Runs a command in the clone and appends its output to the file `log`. A command that takes longer than
        `limit` seconds is ended with all its processes. Returns an Ended."""
        self.logs.mkdir(parents=True, exist_ok=True)
        path = self.logs / f"{log}.log"
        began = time.monotonic()
        with open(path, "ab") as out:
            out.write(f"$ {shlex.join(map(str, words))}\n".encode())
            out.flush()
            start = out.tell()
            process = subprocess.Popen(
                [str(word) for word in words],
                cwd=self.tree,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                end_all(process)
        with open(path, "rb") as told:
            told.seek(start)
            output = told.read().decode(errors="replace")
        return Ended(code, output, time.monotonic() - began)

    # --- the clone --------------------------------------------------------------------------------------------------

    def prepare(self):
        """Makes the clone, or moves it to the commit of the tree; a fault that an ended run left is gone afterwards."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock.close()
            raise WrongRequest(f"another run works in {self.folder}") from None
        if not (self.tree / ".git").exists():
            subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(self.root), str(self.tree)], check=True)
        self.git("fetch", "--quiet", str(self.root), "HEAD")
        self.git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
        self.git("clean", "--quiet", "--force", "-d")
        return self.git("rev-parse", "--short=12", "HEAD")

    def apply(self, fault):
        path = self.tree / fault["file"]
        text = path.read_text(encoding="utf-8")
        if text.count(fault["from"]) != 1:
            raise WrongRequest(f"{fault['name']}: its text is {text.count(fault['from'])} times in {fault['file']}")
        path.write_text(text.replace(fault["from"], fault["to"]), encoding="utf-8")

    def undo(self):
        self.git("checkout", "--quiet", "--force", "HEAD", "--", ".")

    # --- builds and tests -------------------------------------------------------------------------------------------

    def configure(self, preset, units, log):
        return self.run(["cmake", "--preset", preset, f"-DCASTOR_TEST_UNIT={units}"], log).code == 0

    def targets(self, finds):
        """Returns the targets that a test needs."""
        if "targets" in finds:
            return list(finds["targets"])
        preset = PRESETS[finds["step"]][0]
        return programs_of(self.tests[preset][finds["test"]]["command"], self.tree / "build" / preset)

    def build(self, preset, targets, log):
        """Builds targets of a preset; whether that went well."""
        if not targets:
            return True
        words = ["cmake", "--build", f"build/{preset}", "--parallel", str(self.jobs), "--target", *targets]
        return self.run(words, log).code == 0

    def test(self, step, names, log, limit=None):
        """Runs tests of ctest as the step does. Returns an Ended."""
        build = self.tree / "build" / PRESETS[step][0]
        (build / "test-results").mkdir(parents=True, exist_ok=True)
        expression = "^(" + "|".join(map(re.escape, names)) + ")$"
        words = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "-R", expression]
        environment = {"ASAN_OPTIONS": "detect_leaks=1"} if step == "unit" else {}
        return self.run(words, log, limit, **environment)

    def begin(self, faults, whole):
        """Builds and runs, without any fault, the tests that the faults name. Returns whether all pass."""
        good = True
        wanted = dict.fromkeys((one["finds"]["step"], None if whole else one["finds"].get("test")) for one in faults)
        for preset, units in dict.fromkeys(PRESETS[step] for step, test in wanted if test is not None):
            if not self.configure(preset, units, "without"):
                say(f"the preset {preset} cannot be configured: {self.logs / 'without.log'}")
                return False
            self.tests[preset] = tests_of(self.tree / "build" / preset)
            of_preset = [one["finds"] for one in faults if one["finds"].get("test") is not None]
            of_preset = [finds for finds in of_preset if PRESETS[finds["step"]][0] == preset]
            lost = [finds["test"] for finds in of_preset if finds["test"] not in self.tests[preset]]
            if lost:
                say(f"the preset {preset} has no test {', '.join(lost)}")
                return False
            targets = dict.fromkeys(target for finds in of_preset for target in self.targets(finds))
            if not self.build(preset, list(targets), "without"):
                say(f"the preset {preset} does not build: {self.logs / 'without.log'}")
                return False
        for step, test in wanted:
            ended = self.whole_step(step, "without") if test is None else self.test(step, [test], "without")
            self.usual[step, test] = ended.seconds
            if ended.code != 0:
                say(f"without any fault: {step} {test or ''} fails: {self.logs / 'without.log'}")
                good = False
        return good

    def whole_step(self, step, log, limit=None):
        return self.run([".ci/run", step], log, limit)

    def judge(self, fault, whole):
        """Puts a fault in, runs the test or step that should find it, and takes the fault out. Returns the verdict and
        a note."""
        finds, log = fault["finds"], fault["name"]
        step, test = finds["step"], None if whole else finds.get("test")
        (self.logs / f"{log}.log").unlink(missing_ok=True)
        self.apply(fault)
        try:
            limit = max(PATIENCE, SLOWER * self.usual[step, test])
            if test is None:
                ended = self.whole_step(step, log, limit)
                if "the build failed" in ended.output:
                    return BROKEN, f"{self.logs / log}.log"
            else:
                preset, units = PRESETS[step]
                good = "cmake" not in fault["file"].lower() or self.configure(preset, units, log)
                if not good or not self.build(preset, self.targets(finds), log):
                    return BROKEN, f"{self.logs / log}.log"
                ended = self.test(step, [test], log, limit)
            if ended.code is None:
                return HANGS, f"ended after {limit:.0f} s"
            return (FOUND, failures(ended.output)) if ended.code != 0 else (MISSED, f"{self.logs / log}.log")
        finally:
            self.undo()


def failures(output):
    """Returns the names of the tests and test cases that failed, by the output of ctest, GoogleTest and unittest."""
    cases = re.findall(r"^\[  FAILED  \] ([\w./]+)", output, re.MULTILINE)
    cases += re.findall(r"^(?:FAIL|ERROR): (\w+)", output, re.MULTILINE)
    tests = re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)", output, re.MULTILINE)
    return " ".join(dict.fromkeys(cases or tests)) or "exit code"


def end_all(process):
    """Ends a process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(scratch, faults, whole):
    """Judges the faults. Returns the exit code."""
    say(f"commit {scratch.prepare()}, {len(faults)} faults, in {scratch.folder}")
    if not scratch.begin(faults, whole):
        return 1
    left = []
    for fault in faults:
        began = time.monotonic()
        verdict, note = scratch.judge(fault, whole)
        finds = fault["finds"]
        by = finds["step"] if whole or "test" not in finds else f"{finds['step']} {finds['test']}"
        say(f"{fault['name']}: {verdict} by {by}, {time.monotonic() - began:.0f} s: {note}")
        if verdict not in (FOUND, HANGS):
            left.append(fault["name"])
    say(f"{len(faults) - len(left)} of {len(faults)} found" + (f"; not: {' '.join(left)}" if left else ""))
    return 1 if left or not faults else 0


def print_list(faults):
    for fault in faults:
        finds = fault.get("finds", {})
        print(f"{fault['name']:<28} {finds.get('step', '?'):<6} {finds.get('test', 'all of it'):<44} {fault['file']}")
        print(f"{'':<28} {fault['what']}")
    print(f"{len(faults)} faults")


def check(faults, root, words):
    """Prints the mistakes of the list. `words`: a build folder and steps. Returns the exit code."""
    known = None
    if words:
        tests = tests_of(words[0])
        known = {step: tests_of_step(step, tests) for step in words[1:]}
    wrong = mistakes(faults, root, known)
    for line in wrong:
        print(line)
    print(f"{len(faults)} faults, {len(wrong)} mistakes")
    return 1 if wrong or not faults else 0


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--part", nargs=2, type=int, metavar=("N", "OF"))
    parser.add_argument("--step", action="store_true")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "check-faults")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", nargs="*", metavar="BUILD STEP")
    return parser.parse_args(words)


def stop(*_):
    """Handler of SIGTERM, by which a campaign ends a part: as Ctrl-C, so that the fault is undone and no process is
    left."""
    raise KeyboardInterrupt


def main(words):
    options = arguments(words)
    signal.signal(signal.SIGTERM, stop)
    try:
        if options.check is not None:
            return check(read(ROOT), ROOT, options.check)
        faults = chosen(read(ROOT), options.names, options.part)
        if options.list:
            print_list(faults)
            return 0
        wrong = mistakes(faults, ROOT)
        if wrong:
            raise WrongRequest(wrong[0])
        return run(Scratch(ROOT, options.folder.resolve(), options.jobs), faults, options.step)
    except WrongRequest as error:
        print(f"check_faults.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
