#!/usr/bin/env python3
"""Tests of tests/check_faults.py on a small tree, with stand-ins for cmake and ctest: faults that are found, missed, do
not build or hang; the clone is as committed afterwards; mistakes in the list of faults.

check_faults_test.py <root of the tree>
"""

import contextlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve() / "tests" / "check_faults.py"
_spec = importlib.util.spec_from_file_location("check_faults", SOURCE)
check_faults = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_faults)

#: Builds fail if the source requests it, and record what was built.
CMAKE = """#!/bin/bash
echo "$*" >> "$STUBS/cmake.log"
[[ $1 != --build ]] || ! grep -q unbuildable source.txt
"""
#: A test is a script of the tree, tests/NAME.sh.
CTEST = """#!/bin/bash
if [[ "$*" == *--show-only* ]]; then cat "$STUBS/tests.json"; exit; fi
name="${!#}"; name="${name#^(}"; name="${name%)$}"
bash "tests/$name.sh" && exit
echo "	  7 - $name (Failed)"; exit 8
"""
CI = """#!/bin/bash
for test in tests/*.sh; do bash "$test" || { echo "failed $test"; exit 1; }; done
"""


def fault(name="one", **more):
    made = {"name": name, "file": "source.txt", "from": "good", "to": "bad", "what": "It is bad."}
    return {**made, "finds": {"step": "unit", "test": "reads"}, **more}


class Lists(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "source.txt").write_text("good twice twice\n")

    def mistakes(self, *faults, known=None):
        return check_faults.mistakes(list(faults), self.root, known)

    def test_a_list_that_fits_has_no_mistakes(self):
        self.assertEqual(self.mistakes(fault(), fault("two", **{"from": "good twice"})), [])

    def test_every_mistake_is_told(self):
        for wrong, told in (
            ({"from": "gone"}, "its text is 0 times in source.txt"),
            ({"from": "twice"}, "its text is 2 times in source.txt"),
            ({"file": "lost.txt"}, "no file lost.txt"),
            ({"to": "good"}, "it changes nothing"),
            ({"what": "no full stop"}, "'what' is a sentence"),
            ({"finds": {"step": "nonsense"}}, "no step 'nonsense'"),
            ({"finds": {}}, "no step 'None'"),
            ({"finds": {"step": "format", "test": "x"}}, "step format has no tests of ctest"),
        ):
            self.assertEqual(self.mistakes(fault(**wrong)), [f"one: {told}"])
        self.assertEqual(self.mistakes(fault(), fault()), ["one: the name occurs twice"])
        (self.root / "tests").mkdir()
        (self.root / "tests/source.txt").write_text("good")
        self.assertEqual(self.mistakes(fault(file="tests/source.txt")), ["one: tests/source.txt is no production code"])

    def test_a_test_must_exist_in_the_steps_that_are_known(self):
        self.assertEqual(self.mistakes(fault(), known={"unit": {"reads"}}), [])
        self.assertEqual(self.mistakes(fault(), known={"tests": set()}), [])
        self.assertEqual(self.mistakes(fault(), known={"unit": {"other"}}), ["one: step unit has no test 'reads'"])

    def test_parts_have_every_fault_once(self):
        faults = [fault(str(number)) for number in range(11)]
        for parts in (1, 2, 4, 11, 13):
            cut = [check_faults.chosen(faults, [], (number, parts)) for number in range(1, parts + 1)]
            self.assertEqual(sum(cut, []), faults)
            self.assertLessEqual(max(map(len, cut)) - min(map(len, cut)), 1)
        self.assertEqual(check_faults.chosen(faults, ["7", "3"], None), [faults[3], faults[7]])
        for names, part in ((["x"], None), ([], (0, 4)), ([], (5, 4))):
            with self.assertRaises(check_faults.WrongRequest):
                check_faults.chosen(faults, names, part)

    def test_steps_have_the_tests_of_their_label(self):
        tests = {"a": {"labels": ["unit"]}, "b": {"labels": ["rules"]}, "c": {"labels": ["platform", "sanitized"]}}
        found = [check_faults.tests_of_step(step, tests) for step in ("unit", "rules", "tests")]
        self.assertEqual(found, [{"a"}, {"b"}, {"a", "b", "c"}])

    def test_targets_are_programs_in_the_command(self):
        command = [
            "/usr/bin/time",
            "--output",
            "/b/test-results/costs.txt",
            "/b/tests/unit/x",
            "/b/bin/castor",
            "/b",
            "/c/y",
        ]
        self.assertEqual(check_faults.programs_of(command, Path("/b")), ["tests/unit/x", "bin/castor"])

    def test_what_failed_is_read_from_the_output(self):
        google = "[  FAILED  ] Suite.Case/0 (3 ms)\n[  FAILED  ] Suite.Case/0\n\t 1 - name (Failed)\n"
        self.assertEqual(check_faults.failures(google), "Suite.Case/0")
        self.assertEqual(check_faults.failures("FAIL: test_it (x.Y)\nERROR: test_that (x.Y)\n"), "test_it test_that")
        self.assertEqual(check_faults.failures("  12 - name (SEGFAULT)\n"), "name")
        self.assertEqual(check_faults.failures("nothing"), "exit code")


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        base = Path(folder.name)
        self.root, self.stubs, self.folder = base / "a tree", base / "stubs", base / "a folder"
        for place in (self.root / "tests", self.root / ".ci", self.stubs):
            place.mkdir(parents=True)
        for name, text in (("cmake", CMAKE), ("ctest", CTEST)):
            (self.stubs / name).write_text(text)
            (self.stubs / name).chmod(0o755)
        self.write("source.txt", "good\n")
        self.write("other.txt", "other\n")
        self.write(".gitignore", "/build/\n")
        self.write(".ci/run", CI)
        (self.root / ".ci/run").chmod(0o755)
        self.write("tests/reads.sh", "grep -q good source.txt\n")
        self.write("tests/waits.sh", "grep -q good source.txt || sleep 600\n")
        command = [f"{self.folder}/tree/build/asan/tests/unit/program"]
        label = [{"name": "LABELS", "value": ["unit"]}]
        tests = [{"name": name, "command": command, "properties": label} for name in ("reads", "waits")]
        (self.stubs / "tests.json").write_text(json.dumps({"tests": tests}))
        self.git("init", "-q")
        self.commit()
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update(PATH=f"{self.stubs}:{before['PATH']}", STUBS=str(self.stubs))

    def write(self, name, text):
        (self.root / name).write_text(text)

    def git(self, *words, tree=None):
        who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        command = ["git", "-C", str(tree or self.root), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "as it stands")

    def judge(self, *faults, whole=False):
        """Returns the exit code and the output."""
        scratch = check_faults.Scratch(self.root, self.folder, 1)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            code = check_faults.run(scratch, list(faults), whole)
        scratch.lock.close()
        self.assertEqual(self.git("status", "--porcelain", tree=self.folder / "tree"), "", "the fault is still there")
        return code, said.getvalue()

    def test_a_fault_that_a_test_sees_is_found(self):
        code, said = self.judge(fault())
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"one: found by unit reads, \d+ s: reads\n1 of 1 found\n")
        calls = (self.stubs / "cmake.log").read_text()
        self.assertIn("--preset asan -DCASTOR_TEST_UNIT=all", calls)
        self.assertEqual(calls.count("--build build/asan --parallel 1 --target tests/unit/program"), 2, calls)

    def test_a_fault_that_no_test_sees_is_not_found(self):
        blind = fault("two", file="other.txt", **{"from": "other", "to": "wrong"})
        code, said = self.judge(fault(), blind)
        self.assertEqual(code, 1)
        self.assertIn("two: NOT FOUND by unit reads", said)
        self.assertIn("1 of 2 found; not: two", said)

    def test_a_fault_that_does_not_build_is_not_found(self):
        code, said = self.judge(fault(to="unbuildable"))
        self.assertEqual(code, 1)
        self.assertIn("one: DOES NOT BUILD", said)

    def test_a_fault_that_makes_a_test_hang_is_found(self):
        patience, check_faults.PATIENCE = check_faults.PATIENCE, 1
        self.addCleanup(setattr, check_faults, "PATIENCE", patience)
        code, said = self.judge(fault(finds={"step": "unit", "test": "waits"}))
        self.assertEqual(code, 0)
        self.assertIn("one: found, hangs by unit waits", said)

    def test_a_test_that_fails_without_a_fault_finds_nothing(self):
        self.write("tests/reads.sh", "exit 1\n")
        self.commit()
        code, said = self.judge(fault())
        self.assertEqual(code, 1)
        self.assertIn("without any fault: unit reads fails", said)
        self.assertNotIn("found", said.split("\n", 1)[1])

    def test_a_test_that_is_not_there_is_told(self):
        code, said = self.judge(fault(finds={"step": "unit", "test": "gone"}))
        self.assertEqual(code, 1)
        self.assertIn("the preset asan has no test gone", said)

    def test_targets_of_the_list_are_built_in_place_of_the_program(self):
        code, said = self.judge(fault(finds={"step": "unit", "test": "reads", "targets": ["one", "two"]}))
        self.assertEqual(code, 0, said)
        self.assertIn("--target one two\n", (self.stubs / "cmake.log").read_text())

    def test_the_whole_step_finds_what_its_named_test_does_not(self):
        self.write("tests/other.sh", "grep -q other other.txt\n")
        self.commit()
        blind = fault(file="other.txt", **{"from": "other", "to": "wrong"})
        self.assertEqual(self.judge(blind)[0], 1)
        code, said = self.judge(blind, whole=True)
        self.assertEqual(code, 0, said)
        self.assertIn("failed tests/other.sh", (self.folder / "logs/one.log").read_text())

    def test_the_clone_follows_the_tree_and_forgets_a_fault_that_was_left(self):
        self.judge(fault())
        (self.folder / "tree/source.txt").write_text("left\n")
        (self.folder / "tree/build/kept").parent.mkdir(exist_ok=True)
        (self.folder / "tree/build/kept").write_text("kept")
        self.write("source.txt", "newly good\n")
        self.commit()
        code, said = self.judge(fault(**{"from": "newly good"}))
        self.assertEqual(code, 0, said)
        self.assertEqual((self.folder / "tree/source.txt").read_text(), "newly good\n")
        self.assertTrue((self.folder / "tree/build/kept").exists(), "builds are kept")

    def test_two_runs_do_not_share_a_folder(self):
        scratch = check_faults.Scratch(self.root, self.folder, 1)
        scratch.prepare()
        self.addCleanup(scratch.lock.close)
        with self.assertRaisesRegex(check_faults.WrongRequest, "another run works in"):
            check_faults.Scratch(self.root, self.folder, 1).prepare()

    def test_a_run_that_is_ended_undoes_its_fault_and_leaves_no_process(self):
        self.write("tests/waits.sh", "grep -q good source.txt && exit\necho $$ > $STUBS/pid; sleep 600\n")
        self.write("tests/check_faults.py", SOURCE.read_text())
        self.write("tests/check_faults.json", json.dumps([fault(finds={"step": "unit", "test": "waits"})]))
        self.commit()
        command = [sys.executable, "-B", self.root / "tests/check_faults.py", "--folder", self.folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        pid = self.stubs / "pid"
        limit = time.monotonic() + 600
        while not (pid.exists() and pid.read_text().strip()) and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.05)
        self.assertTrue(pid.exists())
        self.assertEqual((self.folder / "tree/source.txt").read_text(), "bad\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(600), 130)
        self.assertEqual((self.folder / "tree/source.txt").read_text(), "good\n")
        while Path(f"/proc/{pid.read_text().strip()}").exists():
            self.assertLess(time.monotonic(), limit, "the test still runs")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
