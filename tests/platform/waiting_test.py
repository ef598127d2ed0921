#!/usr/bin/env python3
"""Programs whose host waits outside the API (api/waiting.cu): they end, and whatever the host's scheduler does, at the
same simulated time with the same report.

  waiting_test.py PROGRAM [--runs N] [unittest arguments...]

All runs share one processor with another process that keeps it busy.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402

PROGRAM = None
RUNS = 2
NEVER = "86400"  # seconds: longer than any run, however busy the host
SHORT = "0.05"  # the host waits longer than this: it waits until the device has advanced

# Programs that end by the patience: progress is not proven, but the host continues where a host function has run.
JUDGED = ("limit", "atomic", "volatile", "yield", "sleep", "poll")
PROVEN = ("semaphore", "many", "condition", "future", "driver", "callback", "workers")


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(cls.processors)})
        # A process that ends with this one, even if this one is killed.
        load = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
        cls.load = subprocess.Popen([sys.executable, "-c", load])

    @classmethod
    def tearDownClass(cls):
        cls.load.kill()
        cls.load.wait()
        os.sched_setaffinity(0, cls.processors)

    def run_once(self, *how, code=0, **environment):
        """Returns output, messages and report of one run. By default the patience is never used up: the device moves
        only where that is proven to be right."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = subprocess.run(
                [PROGRAM, *how],
                env={**os.environ, "CASTOR_PATIENCE": NEVER, "CASTOR_REPORT": str(report), **environment},
                text=True,
                capture_output=True,
                timeout=HANG_SECONDS,
            )
            self.assertEqual(done.returncode, code, f"{how}: {done.stdout}{done.stderr}")
            text = report.read_text() if report.exists() else ""  # an aborted program writes no report
            return done.stdout, done.stderr, json.loads(text) if text else None

    def run_often(self, how, **environment):
        """Returns the output and the report of all runs. They are equal except for the number of times that the device
        advanced."""
        first = None
        for _ in range(RUNS):
            output, errors, report = self.run_once(how, **environment)
            self.assertEqual(errors, "")
            order = report.pop("host_order", None)
            if first is None:
                first = output, report, order is not None
            self.assertEqual((output, report, order is not None), first, how)
        return first

    def test_a_host_function_wakes_a_host_that_waits_at_the_same_time_in_every_run(self):
        for how in PROVEN:
            with self.subTest(how):
                _, _, judged = self.run_often(how)
                self.assertFalse(judged, "the order is fixed, and the report does not say otherwise")

    def test_a_loop_on_a_flag_ends_at_the_same_time_in_every_run_and_the_report_says_that_it_was_judged(self):
        for how in JUDGED:
            with self.subTest(how):
                _, _, judged = self.run_often(how, CASTOR_PATIENCE=SHORT)
                self.assertTrue(judged)

    def test_all_ways_to_wait_for_one_function_go_on_at_the_same_time(self):
        proven = {self.run_once(how)[0] for how in ("semaphore", "condition", "future", "driver")}
        times = proven | {self.run_once(how, CASTOR_PATIENCE=SHORT)[0] for how in ("atomic", "sleep")}
        self.assertEqual(len(times), 1)

    def test_a_program_that_waits_in_the_api_has_the_report_that_it_had(self):
        report = self.run_often("call")[1]
        _, _, without = self.run_once("call", CASTOR_PATIENCE="0")
        self.assertEqual(report, without)

    def test_a_host_that_works_or_sleeps_for_less_than_the_patience_finds_the_device_as_it_left_it(self):
        for how in ("work", "nap", "busy_worker"):
            with self.subTest(how):
                output, report, judged = self.run_often(how)
                self.assertFalse(judged)
                never = self.run_once(how, CASTOR_PATIENCE="0")
                self.assertEqual((output, report), (never[0], never[2]))

    def test_a_host_that_works_for_longer_is_told_so_by_report_and_summary(self):
        # The program computes until a host function has run, which is longer than any patience.
        _, errors, report = self.run_once("atomic", CASTOR_PATIENCE="0.001", CASTOR_SUMMARY="1")
        self.assertIs(report["host_order"]["fixed"], False)
        self.assertGreater(report["host_order"]["judged_moves"], 0)
        self.assertIn("host order", errors)

    def test_memory_that_a_kernel_writes_can_be_polled_and_the_report_says_that_the_order_is_not_fixed(self):
        # The functional machine does more in the time of a launch.
        functional = "functional=1" in os.environ.get("CASTOR_SET", "")
        words = ("memory", "400000") if functional else ("memory",)
        output, errors, report = self.run_once(*words, CASTOR_PATIENCE=SHORT)
        self.assertIn("all checks passed", output)
        self.assertIs(report["host_order"]["fixed"], False)
        self.assertEqual(errors, "")

    def test_a_host_function_may_start_a_thread_that_uses_the_api(self):
        for _ in range(RUNS):
            self.assertIn("all checks passed", self.run_once("thread")[0])

    def test_the_child_of_a_fork_goes_on_by_itself(self):
        output, _, judged = self.run_often("fork")
        self.assertFalse(judged)
        self.assertIn("child at", output)

    def test_children_miss_no_lock_that_the_thread_of_the_runtime_holds(self):
        _, _, judged = self.run_often("forks")
        self.assertFalse(judged)

    def test_a_host_function_may_end_the_program(self):
        _, errors, report = self.run_once("exit", code=3)
        self.assertEqual(errors, "")
        self.assertIsNotNone(report)

    def test_an_exception_that_leaves_a_host_function_ends_the_program(self):
        _, errors, _ = self.run_once("throw", code=-6)
        self.assertIn("from a host function", errors)

    def test_callbacks_hear_of_a_fault_and_host_functions_are_not_called(self):
        output, errors, _ = self.run_once("fault")
        self.assertIn("all checks passed", output)
        self.assertIn("null", errors)

    def test_a_function_behind_a_kernel_that_does_not_end_is_a_deadlock_with_a_message(self):
        # The functional machine has its limit of instructions for this.
        setting = os.environ.get("CASTOR_SET", "") + ";run.max_instructions=3000000"
        output, errors, _ = self.run_once("deadlock", CASTOR_PLATFORM="tiny", CASTOR_SET=setting)
        self.assertIn("all checks passed", output)
        self.assertRegex(errors, "run.max_instructions" if "functional=1" in setting else "spinning deadlock")

    def test_a_patience_that_is_no_number_of_seconds_is_refused(self):
        for value in ("never", "-1", "1e99", "nan", "0.5s"):
            with self.subTest(value):
                _, errors, _ = self.run_once("call", code=2, CASTOR_PATIENCE=value)
                self.assertIn("CASTOR_PATIENCE", errors)
                self.assertIn("seconds from 0 to 86400", errors)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    PROGRAM = arguments.pop(0)
    if arguments[:1] == ["--runs"]:
        RUNS = int(arguments[1])
        arguments = arguments[2:]
    unittest.main(argv=[sys.argv[0], *arguments])
