#!/usr/bin/env python3
"""Bookkeeping of tests/campaign.py with parts that are stubs: what passes, fails, goes on and is stopped.

campaign_test.py <root of the tree>
"""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve() / "tests" / "campaign.py"
_spec = importlib.util.spec_from_file_location("campaign", SOURCE)
campaign = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(campaign)

#: A part that writes that it ran.
NOTES = "echo {0} >> ran.log"


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")
        for name in ("docs", "tests"):
            (self.root / name).mkdir()
        page = f"# Campaign\n\n{campaign.BEGIN}\n{campaign.END}\n\nend\n"
        (self.root / "docs/campaign.md").write_text(page)
        (self.root / "source.cpp").write_text("int one;\n")
        (self.root / "README.md").write_text("read\n")
        (self.root / ".gitignore").write_text("ran.log\nfails\n")
        self.commit()

    def git(self, *words):
        who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        subprocess.run(["git", "-C", str(self.root), *who, *words], check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "as it stands")

    def campaign(self, longest=60, **parts):
        return campaign.Campaign(self.root, parts, longest)

    def record(self):
        return json.loads((self.root / "tests/campaign.json").read_text())

    def ran(self):
        path = self.root / "ran.log"
        return path.read_text().split() if path.exists() else []

    def test_what_passed_is_recorded_and_not_run_again(self):
        parts = {name: NOTES.format(name) for name in ("one", "two")}
        self.assertEqual(self.campaign(**parts).run([]), 0)
        self.assertEqual(self.campaign(**parts).run([]), 0)
        self.assertEqual(self.ran(), ["one", "two"])
        one = self.record()["one"]
        self.assertEqual((one["result"], one["command"]), ("passed", parts["one"]))
        self.assertRegex(one["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertRegex(one["commit"], r"^[0-9a-f]{12}$")
        self.assertGreaterEqual(one["seconds"], 0)
        page = (self.root / "docs/campaign.md").read_text()
        self.assertIn(f"| one | `{parts['one']}` | {one['date']} | {one['commit']} | {one['seconds']} | passed |", page)
        self.assertTrue(page.endswith(f"{campaign.END}\n\nend\n"))

    def test_records_and_documents_make_nothing_due_sources_do(self):
        parts = {name: NOTES.format(name) for name in ("one", "documents")}
        self.campaign(**parts).run([])
        self.commit()
        (self.root / "docs/saws.evidence.json").write_text("{}")
        self.commit()
        self.campaign(**parts).run([])
        self.assertEqual(self.ran(), ["one", "documents"])
        (self.root / "README.md").write_text("read this\n")
        self.commit()
        self.campaign(**parts).run([])
        self.assertEqual(self.ran(), ["one", "documents", "documents"], "it types the documents")
        (self.root / "source.cpp").write_text("int two;\n")
        self.commit()
        self.campaign(**parts).run(["one"])
        self.assertEqual(self.ran(), ["one", "documents", "documents", "one"])

    def test_another_command_is_another_part(self):
        self.campaign(one="true").run([])
        self.campaign(one=NOTES.format("one")).run([])
        self.assertEqual(self.ran(), ["one"])

    def test_a_failure_is_recorded_others_go_on_and_it_is_run_again(self):
        (self.root / "fails").write_text("")
        parts = {"one": NOTES.format("one") + "; ! test -e fails", "two": NOTES.format("two")}
        self.assertEqual(self.campaign(**parts).run([]), 1)
        self.assertEqual([one["result"] for one in self.record().values()], ["failed", "passed"])
        (self.root / "fails").unlink()
        self.assertEqual(self.campaign(**parts).run([]), 0)
        self.assertEqual(self.ran(), ["one", "two", "one"])
        self.assertEqual(self.record()["one"]["result"], "passed")

    def test_what_is_not_committed_is_refused(self):
        (self.root / "source.cpp").write_text("int two;\n")
        self.assertEqual(self.campaign(one="true").run([]), 2)
        self.assertFalse((self.root / "tests/campaign.json").exists())

    def test_names_may_be_patterns_and_must_be_there(self):
        parts = {name: NOTES.format(name) for name in ("fuzz-a", "fuzz-b", "tidy")}
        self.campaign(**parts).run(["fuzz-*"])
        self.assertEqual(self.ran(), ["fuzz-a", "fuzz-b"])
        with self.assertRaises(SystemExit):
            self.campaign(**parts).run(["fizz"])

    def test_what_takes_too_long_is_ended(self):
        self.assertEqual(self.campaign(longest=0.01, one="read < <(tail -f /dev/null)").run([]), 1)
        self.assertEqual(self.record()["one"]["result"], "too long")

    def test_stopped_in_a_part_it_goes_on_with_that_part(self):
        ready = self.root / "ran.log"
        os.mkfifo(self.root / "fails")  # the second part writes that it runs, then waits until it is stopped
        waits = f"{NOTES.format('two')}; echo > fails; tail -f /dev/null"
        script = (
            f"import importlib.util, sys; spec = importlib.util.spec_from_file_location('campaign', {str(SOURCE)!r})\n"
            "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
            f"parts = {{'one': {NOTES.format('one')!r}, 'two': {waits!r}, 'three': {NOTES.format('three')!r}}}\n"
            f"sys.exit(module.main([], module.Campaign({str(self.root)!r}, parts)))\n"
        )
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        guard = threading.Timer(50, process.kill)
        guard.start()
        self.addCleanup(guard.cancel)
        (self.root / "fails").read_text()
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 1, output)
        self.assertIn("two: stopped", output)
        self.assertEqual(list(self.record()), ["one"])
        (self.root / "fails").unlink()
        parts = {"one": NOTES.format("one"), "two": NOTES.format("two"), "three": NOTES.format("three")}
        self.assertEqual(self.campaign(**parts).run([]), 0)
        self.assertEqual(ready.read_text().split(), ["one", "two", "two", "three"])

    def test_parts_of_the_tree_are_those_of_its_blocks(self):
        bench = self.root / "tb/saws"
        bench.mkdir(parents=True)
        (bench / "rungs.json").write_text("{}")
        (bench / "faults.json").write_text("[]")
        (bench / "proofs.json").write_text('{"sets": {"proof": {}, "odd": {}}}')
        (self.root / "tests/fuzz").mkdir()
        (self.root / "tests/fuzz/ptx_fuzz.cpp").write_text("")
        found = campaign.parts(self.root)
        names = (
            "evidence-saws-mutation proofs-saws-proof proofs-saws-odd faults-saws lockstep-saws fuzz-ptx matrix-timing "
            "check-faults-1 check-faults-4"
        )
        self.assertLessEqual(set(names.split()), set(found))


class WholeRuns(unittest.TestCase):
    """Runs tests/whole_run.sh over a tree whose check prints its folder and the processes that run beside it."""

    def run_in(self, check, *words):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name) / "tree"
        for name, text in (("tests/whole_run.sh", SOURCE.with_name("whole_run.sh").read_text()), (".ci/run", check)):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(text)
            (root / name).chmod(0o755)
        for command in ("init -q", "add -A", "-c user.name=t -c user.email=t@example.org commit -qm tree"):
            subprocess.run(["git", "-C", root, *command.split()], check=True)
        environment = dict(os.environ, TMPDIR=folder.name)
        command = [root / "tests/whole_run.sh", *words]
        done = subprocess.run(command, env=environment, text=True, capture_output=True)
        return done, [path.name for path in Path(folder.name).iterdir() if path.name != "tree"]

    def test_the_check_runs_in_a_folder_of_each_kind_which_goes_if_it_passes(self):
        for kind, ends in (("castor", "/castor"), ("blank", "/a folder/cas tor"), ("link", "/link/castor")):
            done, left = self.run_in("#!/bin/sh\npwd\n", kind)
            self.assertEqual((done.returncode, left), (0, []), done.stderr)
            self.assertIn(f"{ends}\n", done.stdout)
            self.assertIn(f"{kind}: exit 0 after", done.stdout)
        done, _ = self.run_in("#!/bin/sh\npwd\n", "deep")
        self.assertGreater(len(done.stdout.splitlines()[1]), 200)

    def test_four_processes_are_busy_beside_it_and_end_with_it(self):
        group = "ps -e -o pgid=,args= | grep \"^ *$(ps -o pgid= $$ | tr -d ' ') \" | grep -c whole_run.sh"
        check = f'#!/bin/sh\necho "order:$CASTOR_TEST_ORDER, processes: $({group})"\n'
        counts = []
        for words, order in ((["castor"], ""), (["castor", "loaded"], "random")):
            done, _ = self.run_in(check, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            counts.append(int(re.search(rf"order:{order}, processes: (\d+)", done.stdout)[1]))
        self.assertEqual(counts[1] - counts[0], 4)

    def test_what_fails_is_left_and_its_exit_code_told(self):
        done, left = self.run_in("#!/bin/sh\nexit 3\n", "castor")
        self.assertEqual((done.returncode, len(left)), (3, 1))
        self.assertIn("castor: exit 3", done.stdout)
        self.assertEqual(self.run_in("", "tree")[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
