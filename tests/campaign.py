#!/usr/bin/env python3
"""The long tests in parts of at most an hour: runs those that have not passed on this tree, and records each.

    campaign.py [list | PART...]

tests/campaign.json has {part: {command, date, commit, tree, seconds, result}}; it is written here alone, and so is the
table of parts in docs/campaign.md. A part has passed on this tree if it passed when all files were as they are now, but
for records, and documents that it does not read (`tree`, a digest). Files that are not committed are refused: a record
names its commit.
"""

import datetime
import fnmatch
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: What a part may take, in seconds; beside busy processes, which have two thirds of two cores, three times that.
LONGEST = 3600
LOADED = "-loaded"

#: Files whose change makes no part due: records and pages that are written along with them.
RECORDS = ("tests/campaign.json", "*.evidence.json", "docs/campaign.md", "docs/results/*")

#: Those whose change makes only the part due that types what they say.
DOCUMENTS = ("docs/*", "*.md")
READS_DOCUMENTS = "documents"

#: Rungs that are climbed in one part.
EVIDENCE = {
    "checks": "unit lockstep cover formal netlist platform",
    "area": "area",
    "mutation": "mutation",
}

#: Not measured: at 15 s of CPU a source, a part takes half an hour on two cores.
TIDY_PARTS = 4

#: Faults in production code that the short check finds (tests/check_faults.py): eleven in a part, with builds that are
#: kept from part to part.
CHECK_FAULTS_PARTS = 4

#: Whole runs of the check on fresh clones (tests/whole_run.sh): the clone's folder; "loaded": beside busy processes.
WHOLE = ("castor", "blank", "deep", "castor loaded", "blank loaded", "link loaded")

#: Tests of which the short check takes a sample (CASTOR_TEST_MATRIX).
MATRIX = {
    "timing": "-R '^kernel_.*_timing$'",
    "moved": "-R '^kernel_.*_moved$'",
    "swapped": "-R '^kernel_.*_swapped$'",
    "skips": "-R '^kernel_.*_skips$'",
    "kernels": "-R '^(kernel|program|device)_' -E '_(timing|skips|moved|swapped)$'",
    "platform": "-R '^(cuda_document|api_(widths|device_launch)|experiment_compile|lockstep_window)'",
    "documents": "-R '^(install_|documents_)'",
    "netlists": "-R '^netlist_'",
}

PASSED, FAILED, TOO_LONG, STOPPED = "passed", "failed", "too long", "stopped"

BEGIN, END = "<!-- written by tests/campaign.sh: parts -->", "<!-- end of parts -->"


def parts(root):
    """{name: shell command, run in the root}, in the order in which they run."""
    blocks = sorted(path.parent.name for path in (root / "tb").glob("*/rungs.json"))
    castor = "build/release/bin/castor"
    found = {"build": "cmake --preset release -DCASTOR_TEST_UNIT=all && cmake --build build/release --parallel"}
    for block in blocks:
        for name, rungs in EVIDENCE.items():
            found[f"evidence-{block}-{name}"] = f"{castor} evidence {block} {rungs} --due"
    for block in blocks:
        proofs = root / "tb" / block / "proofs.json"
        if proofs.exists():
            for params in json.loads(proofs.read_text())["sets"]:
                found[f"proofs-{block}-{params}"] = f"{castor} prove {block} --params {params} --check"
    for block in blocks:
        if (root / "tb" / block / "faults.json").exists():
            found[f"faults-{block}"] = f"{castor} faults {block}"
    found["proofs-common"] = f"{castor} prove common"
    found["faults-common"] = f"{castor} faults common"
    for block in blocks:
        every = f"{castor} cosim {block} --all --cycles 1000000 --seed 101"
        found[f"lockstep-{block}"] = f"{castor} cosim {block} && {every}"
    maths = "tests/platform/device"
    found["maths"] = (
        "cmake --preset release && cmake --build build/release --parallel --target device_maths_accuracy && "
        f"CASTOR_SET=run.functional=1 python3 {maths}/maths_document.py "
        f"build/release/{maths}/device_maths_accuracy docs/maths.md --full"
    )
    found["documents"] = "CASTOR_LONG=1 python3 tests/platform/documents_test.py build/release"
    for number in range(1, TIDY_PARTS + 1):
        found[f"tidy-{number}"] = f"git ls-files -- '*.cpp' | tests/tidy.sh {number} {TIDY_PARTS}"
    found["sanitized-build"] = (
        "cmake --preset asan -B build/sanitized -DCASTOR_SANITIZE_WITHOUT= "
        "-DCASTOR_TEST_SANITIZED_SHARE=1 && cmake --build build/sanitized --parallel"
    )
    for target in sorted(path.stem for path in (root / "tests" / "fuzz").glob("*_fuzz.cpp")):
        build = f"cmake --preset asan && cmake --build build/asan --parallel --target {target}"
        run = f"tests/fuzz.sh {target} -max_total_time=2700 -timeout=10"
        found[f"fuzz-{target.removesuffix('_fuzz')}"] = f"{build} && {run}"
    functions = "python3 -B tests/fuzz/device_functions.py build/release/bin/castor-cc --seed 2 --count 10000"
    found["device-functions"] = f"{functions} --jobs 2 --without wide-arguments"
    ctest = "ctest --test-dir build/sanitized --no-tests=error --output-on-failure"
    for name, labels in (("unit", "-L ^unit$"), ("platform", "-L ^platform$"), ("rest", "-LE '^(unit|platform)$'")):
        found[f"sanitized-{name}"] = f"ASAN_OPTIONS=detect_leaks=1 {ctest} {labels}"
    found["sanitized-programs"] = "tests/sanitized_programs.sh build/release build/sanitized all"
    found["unit"] = "ctest --test-dir build/release --parallel --no-tests=error --output-on-failure -L '^unit$'"
    found[
        "matrix-build"
    ] = "cmake --preset release -B build/matrix -DCASTOR_TEST_MATRIX=ON && cmake --build build/matrix --parallel"
    ctest = "ctest --test-dir build/matrix --parallel --no-tests=error --output-on-failure"
    for name, chosen in MATRIX.items():
        found[f"matrix-{name}"] = f"{ctest} {chosen}"
    for number in range(1, CHECK_FAULTS_PARTS + 1):
        found[f"check-faults-{number}"] = f"python3 -B tests/check_faults.py --part {number} {CHECK_FAULTS_PARTS}"
    for words in WHOLE:
        found[f"whole-{words.replace(' ', '-')}"] = f"tests/whole_run.sh {words}"
    for name in sorted(path.parent.name for path in (root / "docs" / "results").glob("*/page.json")):
        found[f"experiment-{name}"] = f"{castor} experiment {name} --again --out build/experiments/{name}"
    return found


class Campaign:
    """The parts of a tree and what was recorded of them."""

    def __init__(self, root, found, longest=LONGEST):
        self.root = Path(root)
        self.parts = found
        self.longest = longest
        self.path = self.root / "tests" / "campaign.json"
        self.record = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.running = None
        self.stopping = False

    def git(self, *words):
        return subprocess.run(
            ["git", "-C", str(self.root), *words], capture_output=True, text=True, check=True
        ).stdout.rstrip("\n")

    def tree(self, name):
        """A digest of all files of the commit that the part `name` may depend on."""
        left_out = RECORDS if name == READS_DOCUMENTS else RECORDS + DOCUMENTS
        lines = self.git("ls-tree", "-r", "--full-tree", "HEAD").splitlines()
        lines = [line for line in lines if not is_one_of(left_out, line.split("\t", 1)[1])]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]

    def uncommitted(self):
        """Files, but for records, that are not as committed."""
        lines = self.git("status", "--porcelain", "--untracked-files=all").splitlines()
        names = [line[3:].split(" -> ")[-1].strip('"') for line in lines]
        return [name for name in names if not is_one_of(RECORDS, name)]

    def has_passed(self, name):
        one = self.record.get(name, {})
        same = one.get("tree") == self.tree(name) and one.get("command") == self.parts[name]
        return same and one["result"] == PASSED

    def chosen(self, words):
        """Names of the parts that the words stand for. Raises SystemExit if one stands for none."""
        if not words:
            return list(self.parts)
        names = []
        for word in words:
            found = fnmatch.filter(self.parts, word)
            if not found:
                sys.exit(f"no part '{word}': tests/campaign.sh list shows them")
            names += found
        return list(dict.fromkeys(names))

    def run(self, words):
        """Runs the wanted parts that have not passed on this tree. Returns the exit code."""
        names = self.chosen(words)
        changed = self.uncommitted()
        if changed:
            print(f"not committed: {', '.join(changed)}; a record names its commit", file=sys.stderr)
            return 2
        for name in names:
            if self.stopping:
                break
            if self.has_passed(name):
                print(f"{name}: passed on this tree at {self.record[name]['commit']}", flush=True)
            else:
                self.run_part(name)
        left = [name for name in names if not self.has_passed(name)]
        print(f"{len(names) - len(left)} of {len(names)} parts passed" + (f"; not: {' '.join(left)}" if left else ""))
        return 1 if left else 0

    def run_part(self, name):
        """Runs one part and records what became of it; a part that is stopped leaves no result."""
        command, tree, commit = self.parts[name], self.tree(name), self.git("rev-parse", "--short=12", "HEAD")
        print(f"{name}: {command}", flush=True)
        began = time.monotonic()
        self.running = subprocess.Popen(["bash", "-c", command], cwd=self.root, start_new_session=True)
        if self.stopping:
            self.end()
        try:
            code = self.running.wait(3 * self.longest if name.endswith(LOADED) else self.longest)
            result = PASSED if code == 0 else FAILED
        except subprocess.TimeoutExpired:
            self.end()
            result = TOO_LONG
            try:
                self.running.wait(60)
            except subprocess.TimeoutExpired:
                self.end(signal.SIGKILL)
                self.running.wait()
        self.running = None
        if self.stopping:
            print(f"{name}: {STOPPED}", flush=True)
            return
        self.record[name] = {
            "command": command,
            "date": datetime.date.today().isoformat(),
            "commit": commit,
            "tree": tree,
            "seconds": round(time.monotonic() - began),
            "result": result,
        }
        self.write()
        print(f"{name}: {result}, {self.record[name]['seconds']} s", flush=True)

    def stop(self, *_):
        """Ends the part that runs and begins no other."""
        self.stopping = True
        self.end()

    def end(self, how=signal.SIGTERM):
        if self.running is not None:
            try:
                os.killpg(self.running.pid, how)
            except ProcessLookupError:
                pass

    def write(self):
        """The record, in the order of parts, and the table of the page."""
        scratch = self.path.with_suffix(".new")
        ordered = {name: self.record[name] for name in [*self.parts, *self.record] if name in self.record}
        scratch.write_text(json.dumps(ordered, indent=2) + "\n")
        scratch.replace(self.path)
        page = self.root / "docs" / "campaign.md"
        text = page.read_text() if page.exists() else ""
        if BEGIN in text and END in text:
            head, tail = text.split(BEGIN)[0], text.split(END)[1]
            page.write_text(f"{head}{BEGIN}\n{self.table(ordered)}{END}{tail}")

    @staticmethod
    def table(record):
        lines = ["| part | command | date | commit | seconds | result |", "|---|---|---|---|---|---|"]
        for name, one in record.items():
            command = one["command"].replace("|", "\\|")
            lines.append(
                f"| {name} | `{command}` | {one['date']} | {one['commit']} | {one['seconds']} | {one['result']} |"
            )
        return "\n".join(lines) + "\n"

    def list(self):
        for name in self.parts:
            one = self.record.get(name)
            what = "never run" if one is None else f"{one['result']} {one['date']} {one['commit']} {one['seconds']} s"
            if one is not None and one["result"] == PASSED and not self.has_passed(name):
                what += ", the tree is another now"
            print(f"{name:<24} {what}")


def is_one_of(patterns, name):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def main(words, campaign):
    signal.signal(signal.SIGTERM, campaign.stop)
    signal.signal(signal.SIGINT, campaign.stop)
    if words == ["list"]:
        campaign.list()
        return 0
    return campaign.run(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Campaign(ROOT, parts(ROOT))))
