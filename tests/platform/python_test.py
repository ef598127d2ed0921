#!/usr/bin/env python3
"""The Python package castor: it reads what was written, what it computes is right, and its guide works as it stands.

    python_test.py <castor> <castor-cc> <root of the tree>

Runs itself with a Python that has pandas and matplotlib, Debian's first.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CASTOR, COMPILER, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PACKAGE = SOURCES / "platforms" / "python"


def main():
    here = [python for python in ("/usr/bin/python3", sys.executable) if has_packages(python)]
    if not here:
        sys.exit("python_test: no Python has pandas and matplotlib: cmake/install-packages.sh python")
    if os.environ.get("CASTOR_PYTHON_TEST") != "1":
        environment = dict(os.environ, CASTOR_PYTHON_TEST="1", PYTHONPATH=str(PACKAGE), MPLBACKEND="svg")
        os.execve(here[0], [here[0], "-B", *sys.argv], environment)
    unittest.main(argv=[sys.argv[0]], verbosity=2)


def has_packages(python):
    words = [python, "-c", "import pandas, matplotlib"]
    return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def run(*words, cwd, expect=0, **more):
    environment = {**os.environ, **more}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode != expect:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Dump(unittest.TestCase):
    """A dump of two signals, written by hand."""

    TEXT = """$scope module a $end
$var wire 1 ! x $end
$var wire 8 # y [7:0] $end
$upscope $end
$enddefinitions $end
#0
0!
b0 #
#5
1!
#9
b101 #
"""

    def test_there_is_a_row_for_every_change_up_to_the_last(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "a.vcd"
            path.write_text(self.TEXT)
            frame = castor.waves(path, ["a.x", "a.y"])
            self.assertEqual(list(frame.index), [0, 5, 9])
            self.assertEqual(frame.values.tolist(), [[0, 0], [1, 0], [1, 5]])
            self.assertEqual(list(castor.waves(path, ["a.x"]).index), [0, 5])


class Run(unittest.TestCase):
    """A run with a report, a timeline and waves."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        run(COMPILER, "-O2", SOURCES / "sw/kernels/matmul.cu", "-o", "matmul", cwd=cls.folder)
        words = ["run", "-p", "tiny", "--report", "run.json", "--timeline", "time.json", "--wave", "run.vcd"]
        run(CASTOR, *words, "./matmul", "--n", "48", "--tile", "16", cwd=cls.folder)
        cls.content = json.loads((cls.folder / "run.json").read_text())

    def test_kernels_of_a_report(self):
        report = castor.report(self.folder / "run.json")
        self.assertEqual(list(report.kernels["cycles"]), [kernel["cycles"] for kernel in self.content["kernels"]])
        first = self.content["kernels"][0]
        self.assertEqual(report.kernels["ipc"][0], first["warp_instructions"] / first["cycles"])
        self.assertAlmostEqual(report.kernels["duration_us"][0], (first["end_ps"] - first["start_ps"]) / 1e6)

    def test_a_run_that_was_stopped(self):
        report = castor.report(self.folder / "run.json")
        self.assertIsNone(report.stopped)
        self.assertEqual(len(report.unfinished), 0)
        content = dict(report.content)
        content["stopped"] = {"reason": "stopped after 5 core cycles, as run.stop_at says", "cycle": 5}
        content["unfinished"] = [{"name": "k", "thread_blocks": 3, "thread_blocks_complete": 1}]
        stopped = castor.reports.Report(content)
        self.assertEqual(stopped.stopped, "stopped after 5 core cycles, as run.stop_at says")
        self.assertEqual(list(stopped.unfinished["thread_blocks_complete"]), [1])

    def test_every_counter_of_a_report_has_its_meaning(self):
        frame = castor.report(self.folder / "run.json").statistics.set_index("path")
        self.assertTrue(frame.index.is_unique)
        for path, value in (("sm0.ticks", None), ("total.stall.issued", None), ("cycles", self.content["cycles"])):
            node = self.content["statistics"]
            for name in path.split("."):
                node = node[name]
            self.assertEqual(frame.loc[path, "value"], node)
            self.assertEqual(value or node, node)
        self.assertTrue(frame.loc["sm0.ticks", "meaning"])
        self.assertEqual(frame.loc["cycles", "unit"], "cycles")

    def test_ratios_keys_and_stalls(self):
        report = castor.report(self.folder / "run.json")
        self.assertEqual(report.ratios.loc["ipc", "value"], self.content["ratios"]["ipc"]["value"])
        self.assertEqual(report.configuration.loc["chip.sms", "value"], 2)
        stalls = report.stalls()
        self.assertAlmostEqual(stalls.sum(), 1)
        ticks = self.content["statistics"]["total"]["stall"]
        self.assertAlmostEqual(stalls["load"], ticks["raw_memory"] / sum(ticks.values()))

    def test_a_timeline_is_that_of_the_report(self):
        time = castor.timeline(self.folder / "time.json")
        self.assertEqual(len(time.kernels), len(self.content["kernels"]))
        blocks = sum(kernel["thread_blocks"] for kernel in self.content["kernels"])
        self.assertEqual(len(time.thread_blocks), blocks)
        ticks = dict(self.content["statistics"]["total"]["stall"])
        windows = time.windows
        sums = {name: (windows[name] * windows["windows"]).sum() for name in ticks}
        # The last window may extend beyond the last cycle; schedulers are idle there.
        self.assertGreaterEqual(sums.pop("idle"), ticks.pop("idle"))
        self.assertEqual(sums, ticks)
        issued = (windows["warp_instructions"] * windows["windows"]).sum()
        self.assertEqual(issued, self.content["warp_instructions"])
        busiest = time.windows["resident"].max()
        self.assertGreater(busiest, 0)
        edges = [(s, 1) for s in time.thread_blocks["cycle"]]
        edges += [(s + n, -1) for s, n in zip(time.thread_blocks["cycle"], time.thread_blocks["cycles"])]
        now = most = 0
        for _, step in sorted(edges):
            now += step
            most = max(most, now)
        self.assertLessEqual(busiest, most)

    def test_waves(self):
        signals = castor.signals(self.folder / "run.vcd")
        self.assertIn("gpu.sm0.resident", set(signals["signal"]))
        frame = castor.waves(self.folder / "run.vcd", ["gpu.sm0.resident", "gpu.front_end.queue0_state_name"])
        residents = frame["gpu.sm0.resident"].dropna()
        self.assertEqual(int(residents.iloc[-1]), 0)
        slots = castor.report(self.folder / "run.json").configuration.loc["sm.tb_slots", "value"]
        self.assertTrue(0 < max(residents) < 1 << slots)
        self.assertIn("ready", {str(name).lower() for name in frame["gpu.front_end.queue0_state_name"]})
        self.assertTrue(frame.index.is_monotonic_increasing)
        with self.assertRaisesRegex(KeyError, "no signal gpu.sm9.resident"):
            castor.waves(self.folder / "run.vcd", ["gpu.sm9.resident"])

    def test_pictures_of_a_run(self):
        report, time = castor.report(self.folder / "run.json"), castor.timeline(self.folder / "time.json")
        axes = castor.plot.stalls({"one": report, "other": report})
        widths = [bar.get_width() for container in axes.containers for bar in container]
        self.assertAlmostEqual(sum(widths), 200)
        self.assertIn("queue 0", [text.get_text() for text in castor.plot.timeline(time).get_yticklabels()])
        castor.plot.occupancy(time)
        castor.plot.windows(time)
        castor.plot.scatter(report.kernels, "cycles", "warp_instructions", label="name")

    def test_what_is_something_else_is_told(self):
        (self.folder / "text").write_text("no json")
        (self.folder / "list.json").write_text("[1]")
        for read, name, writer in (
            (castor.report, "text", "castor run --report"),
            (castor.report, "list.json", "castor run --report"),
            (castor.report, "time.json", "castor run --report"),
            (castor.timeline, "run.json", "castor run --timeline"),
            (castor.experiment, "list.json", "castor experiment"),
            (castor.experiment, "run.json", "castor experiment"),
            (castor.signals, "run.json", "castor run --wave"),
        ):
            with self.assertRaisesRegex(castor.BadFile, f"{name}: .*{writer}"):
                read(self.folder / name)


class Comparison(unittest.TestCase):
    def setUp(self):
        self.runs = pandas.DataFrame(
            [
                {"program": program, "seed": seed, "policy": policy, "cycles": cycles}
                for (program, policy), values in {
                    ("a", "GTO"): (100, 110, 130),
                    ("a", "LRR"): (50, 100, 260),
                    ("b", "GTO"): (10, 10, 10),
                    ("b", "LRR"): (20, 20, 20),
                }.items()
                for seed, cycles in enumerate(values, 1)
            ]
        )

    def test_ratios_are_taken_input_by_input(self):
        frame = castor.speedups(self.runs, "policy", "GTO", "program").set_index(["program", "policy"])
        self.assertEqual(set(frame.index), {("a", "LRR"), ("b", "LRR")})
        one = frame.loc["a", "LRR"]
        ratios = [2, 1.1, 0.5]
        mean = sum(ratios) / 3
        deviation = math.sqrt(sum((r - mean) ** 2 for r in ratios) / 2)
        self.assertAlmostEqual(one["speedup"], math.prod(ratios) ** (1 / 3))
        self.assertAlmostEqual(one["deviation"], deviation)
        self.assertAlmostEqual(one["confidence"], 4.302653 * deviation / math.sqrt(3), places=5)
        self.assertAlmostEqual(frame.loc[("b", "LRR"), "speedup"], 0.5)
        self.assertAlmostEqual(frame.loc[("b", "LRR"), "confidence"], 0)

    def test_inputs_that_one_side_lacks_are_left_out(self):
        frame = castor.speedups(self.runs.drop(index=0), "policy", "GTO", "program").set_index("program")
        self.assertEqual(list(frame["count"]), [2, 3])

    def test_what_cannot_be_compared_is_told(self):
        with self.assertRaisesRegex(KeyError, "no column polcy"):
            castor.speedups(self.runs, "polcy", "GTO", "program")
        with self.assertRaisesRegex(KeyError, "no run has policy TL; there are GTO, LRR"):
            castor.speedups(self.runs, "policy", "TL", "program")
        with self.assertRaisesRegex(KeyError, "several runs have the same"):
            castor.speedups(pandas.concat([self.runs, self.runs]), "policy", "GTO", "program")

    def test_confidence_is_students(self):
        # 97.5 % points of the t distribution, from printed tables.
        for count, point in ((2, 12.706), (3, 4.303), (4, 3.182), (5, 2.776), (10, 2.262), (31, 2.042), (121, 1.980)):
            self.assertAlmostEqual(castor.confidence(1, count) * math.sqrt(count), point, places=3)
        self.assertTrue(math.isnan(castor.confidence(1, 1)))

    def test_bars_begin_at_the_base_and_the_axis_shows_the_effect(self):
        runs = self.runs[self.runs["program"] == "b"].assign(cycles=lambda f: f["cycles"].replace({20: 9.9}))
        frame = castor.speedups(runs, "policy", "GTO", "program")
        axes = castor.plot.speedups(frame, source={("b", "LRR"): 1.02})
        (bar,) = axes.containers[0]
        self.assertAlmostEqual(bar.get_y(), 1)
        self.assertAlmostEqual(bar.get_height(), 10 / 9.9 - 1)
        low, high = axes.get_ylim()
        self.assertTrue(0.98 < low <= 1 < 1.02 < high < 1.05, (low, high))
        self.assertIn("source", [text.get_text() for text in axes.get_legend().get_texts()])
        self.assertEqual(axes.figure.get_facecolor(), (1, 1, 1, 1))

    def test_of_one_input_there_are_bars_without_intervals(self):
        frame = castor.speedups(self.runs[self.runs["seed"] == 1], "policy", "GTO", "program")
        self.assertEqual([math.isnan(one) for one in frame["confidence"]], [True, True])
        (bars,) = castor.plot.speedups(frame).containers
        self.assertEqual([bar.get_height() for bar in bars], [1, -0.5])


class Experiments(unittest.TestCase):
    def test_results_of_a_folder_and_of_its_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = ["experiment", "lax", "--workload", "STEM", "--rate", "high", "--scheduler", "RR", "--seeds", "2"]
            run(CASTOR, *words, "--jobs", "12", "--quiet", "--out", "out", cwd=folder)
            rows = json.loads((folder / "out/results.json").read_text())
            for path in ("out", "out/results.json", "out/results.csv"):
                frame = castor.experiment(folder / path)
                self.assertEqual(list(frame["met"]), [row["met"] for row in rows], path)
                self.assertEqual(list(frame["seed"]), [1, 2], path)

    def test_runs_that_are_kept_beside_a_page(self):
        frame = castor.experiment(SOURCES / "docs/results/cdp/results.csv")
        self.assertIn("cdp_ideal", set(frame["system"]))
        self.assertTrue({"run", "program", "cycles"} <= set(frame.columns))
        self.assertFalse([name for name in frame.columns if "/" in name])


class WithoutPackages(unittest.TestCase):
    def test_one_line_says_what_to_install(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "run.json").write_text('{"machine": "m", "cycles": 1, "kernels": [], "configuration": {}}')
            look = SOURCES / "platforms/examples/python/look.py"
            for package in ("pandas", "matplotlib"):
                hidden = folder / package
                hidden.mkdir()
                (hidden / f"{package}.py").write_text("raise ImportError\n")
                path = f"{hidden}:{PACKAGE}"
                run(sys.executable, "-c", "import castor; castor.report('run.json')", cwd=folder, PYTHONPATH=path)
                call = "castor.experiment('.')" if package == "pandas" else "castor.plot.scatter([], 1, 2)"
                said = run(sys.executable, "-c", f"import castor; {call}", cwd=folder, expect=1, PYTHONPATH=path)
                self.assertRegex(said.splitlines()[-1], f"castor needs {package}: apt-get install python3-{package} ")
            said = run(
                sys.executable,
                look,
                "--report",
                "run.json",
                cwd=folder,
                expect=1,
                PYTHONPATH=f"{folder}/pandas:{PACKAGE}",
            )
            self.assertRegex(said.splitlines()[-1], "look.py: castor needs pandas: apt-get install python3-pandas ")


class Guide(unittest.TestCase):
    def test_every_command_of_the_guide_works(self):
        text = (SOURCES / "docs/guides/python.md").read_text()
        script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        python = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("cmake", "platforms", "sw"):
                (folder / part).symlink_to(SOURCES / part)
            # Uses the Python that has the packages instead of Debian's.
            script = script.replace("/usr/bin/python3", sys.executable)
            script = "\n".join(line for line in script.splitlines() if not line.startswith("cmake/install-packages.sh"))
            tools = f"{CASTOR.parent}:{COMPILER.parent}:{os.environ['PATH']}"
            said = run("bash", "-ec", script, cwd=folder, PATH=tools)
            self.assertIn("Report(kepler_k20c_study, ", said)
            self.assertRegex(said, r"(?m)^ *lps +LRR +0\.\d+")
            made = {path.name for path in (folder / "pictures").glob("*.svg")}
            wanted = {f"{name}.svg" for name in ("stalls", "timeline", "occupancy", "windows", "speedups", "scatter")}
            self.assertEqual(made, wanted)
            self.assertRegex(run(sys.executable, "-c", python, cwd=folder), r"(?m)^sm12 +6\.0$")


if __name__ == "__main__":
    if os.environ.get("CASTOR_PYTHON_TEST") == "1":
        import pandas  # noqa: E402

        import castor  # noqa: E402
    main()
