#!/usr/bin/env python3
"""The worked example of docs/gpu.md: its command is run, and the cycles of its tables are those of the waves.

  walk_test.py CASTOR SOURCES
"""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402
from vcd import variables  # noqa: E402

CASTOR = PAGE = None
LOAD = 6  # pc of a warp that has issued ld.global


def section(title):
    return re.search(rf"^### {title}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL).group(1)


def cycles(title):
    """Returns the first column of the table of a section."""
    return [int(cycle) for cycle in re.findall(r"^\| (\d+) \|", section(title), re.MULTILINE)]


class Walk(CommandCase):
    def settings(self):
        return {"PATH": f"{pathlib.Path(CASTOR).parent}:/usr/bin:/bin"}

    def walk(self, *options):
        """Runs the example; `options` are added to its command."""
        command = re.search(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL).group(1).rstrip()
        done = self.run_command(["bash", "-c", " ".join([command, *options])])
        self.assertEqual((done.returncode, done.stdout), (0, "argument 1: 8 8 8 8\n"), done.stderr)
        self.report = json.loads((self.path / "walk.json").read_text())
        self.waves = (self.path / "walk.vcd").read_text()
        self.keys = {".".join([*scopes, name]): key for scopes, key, name, _ in variables(self.waves)}

    def changes(self, signal):
        """Returns (ps, value) of every change of a signal."""
        change = re.compile(rf"#(\d+)|b([01]+) {re.escape(self.keys[signal])}|([01]){re.escape(self.keys[signal])}")
        time = 0
        for line in self.waves.splitlines():
            found = change.fullmatch(line.strip())
            if found and found.group(1):
                time = int(found.group(1))
            elif found:
                yield time, int(found.group(2) or found.group(3), 2)

    def value(self, key):
        return self.report["configuration"]["keys"][key]["value"]

    def cycle(self, signal, value, since=0):
        """Returns the first cycle from `since` on in which the signal becomes `value`."""
        mhz = self.value("clock.core_mhz")
        for time, now in self.changes(signal):
            if round(time * mhz / 1e6) >= since and now == value:
                return round(time * mhz / 1e6)
        return None

    def issue(self, warp, pc):
        return self.cycle(f"gpu.sm0.pc{warp}", pc)

    def submitted(self):
        events = json.loads((self.path / "walk-timeline.json").read_text())["traceEvents"]
        return [event["args"]["cycle"] for event in events if event.get("cat") == "waiting"][0]

    def test_the_launch(self):
        self.walk()
        front, sm = "gpu.front_end.", "gpu.sm0."
        draining = self.cycle(sm + "draining", 1)
        expected = [
            self.submitted(),
            self.cycle(front + "table_valid", 1),
            self.cycle(front + "table_waiting", 1),
            self.cycle(front + "tbs_placed", 1),
            self.cycle(sm + "resident", 1),
            self.cycle(sm + "fetching", 3),
            self.cycle(sm + "valid", 3),
            self.cycle(sm + "issued", 3),
            draining,
            self.cycle(sm + "resident", 0, draining),
            self.cycle(front + "table_valid", 0, draining),
        ]
        self.assertEqual(cycles("One launch"), expected)
        self.assertIn(f"says {self.report['kernels'][0]['cycles']} cycles", section("One launch"))

    def test_the_load(self):
        self.walk()
        issue, l1, l2 = self.issue(0, LOAD), "gpu.sm0.l1.", "gpu.slice0."
        looked_up = self.cycle(l1 + "mshrs", 1, issue)
        decided = self.cycle(l2 + "mshrs", 1, looked_up)
        reply = self.cycle("gpu.xbar.replies", 1, decided)
        expected = [
            issue,
            issue + self.value("oc_cycles"),
            self.cycle(l1 + "pipe", 1, issue),
            looked_up,
            self.cycle(l2 + "fifo", 1, looked_up),
            self.cycle(l2 + "pipe", 1, looked_up),
            decided,
            self.cycle("gpu.channel0.queue", 1, decided),
            reply,
            self.cycle("gpu.xbar.replies", 0, reply),
            self.cycle(l1 + "mshrs", 1, reply),
            self.issue(0, LOAD + 2),
        ]
        text = section("One load")
        self.assertEqual(cycles("One load"), expected)
        self.assertIn(f"{expected[-1] - issue} cycles later", text)
        self.assertIn(f"issues in {self.issue(1, LOAD)} and its `add` in {self.issue(1, LOAD + 2)}", text)
        latency = self.report["statistics"]["sm0"]["load_latency_dram"]
        self.assertIn(f"{latency['count']} loads, sum {latency['sum']}, largest {latency['largest']}", text)

    def test_the_barrier(self):
        self.walk()
        waiting = "gpu.sm0.at_barrier"
        last = self.cycle(waiting, 3)
        self.assertEqual(cycles("One barrier"), [self.cycle(waiting, 1), last, self.cycle(waiting, 0, last)])
        self.assertEqual(self.cycle("gpu.sm0.issued", 3, last), self.cycle(waiting, 0, last))
        self.assertIn(f"issues its `st.global` in {self.issue(1, 14)}.", section("One barrier"))

    def test_other_values_of_keys(self):
        self.walk("--set", "icache.ideal=1")
        self.assertIn(f"issues in cycle {self.cycle('gpu.sm0.issued', 3)}:", section("One launch"))
        self.walk("--set", "dram.extra_latency=0")
        self.assertIn(f"issues {self.issue(0, LOAD + 2) - self.issue(0, LOAD)} cycles", section("One load"))
        self.walk("--set", "barrier.release=7")
        last = self.cycle("gpu.sm0.at_barrier", 3)
        self.assertIn(f"resume in cycle {self.cycle('gpu.sm0.at_barrier', 0, last)}.", section("One barrier"))


if __name__ == "__main__":
    PAGE = (pathlib.Path(sys.argv.pop(2)) / "docs" / "gpu.md").read_text()
    CASTOR = sys.argv.pop(1)
    unittest.main(verbosity=2)
