#!/usr/bin/env python3
"""A program of tests/platform/grids: a kernel whose thread blocks meet at grid barriers, with as many as fit on the
machine, one more, and twice as many and three. On the timing machine hub and agents (test block roster) swap out
thread blocks through swap engines: random ones (test block shuttle), or those of another block.

  swapped_grid_test.py CASTOR CASTOR_CC FOLDERS_OF_BLOCKS PROGRAM ENGINE [unittest arguments...]
"""

import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402

CASTOR = CASTOR_CC = BLOCKS = PROGRAM = ENGINE = None

# Machines with the number of their SMs and of thread blocks per SM, and further keys.
MACHINES = (
    ("maxwell_liu13", 2, 2, ()),
    ("maxwell_liu13", 3, 1, ("sync_net.latency=1",)),
    ("kepler_k20c_study", 1, 3, ("context.pages=static", "run.sleep=0")),
    ("turing_rtx2060_study", 2, 2, ()),
)
# Keys of the engine on each of the machines.
KEYS = {
    "shuttle": ("", "seed=7 pause=0", "pause=20", "seed=3"),
    "tb_swap": ("", "stay=0 threshold=8", "stay=0 live=0", "live=0 places=1"),
}
# Arguments of the program: how many times the thread blocks that fit, and how many more.
SIZES = ((1, 0), (1, 1), (2, 3))
# Depends on the time at which thread blocks end.
SWAPS_DEPEND_ON_TIME = ("shrink",)
# Have more than four entries on the SIMT stack at a barrier.
DEEP = ("calls",)


class SwappedGrid(CommandCase):
    def settings(self):
        return {"CASTOR_BLOCKS": BLOCKS}

    def compile(self, level):
        source = pathlib.Path(__file__).resolve().parent / "grids" / f"{PROGRAM}.cu"
        done = self.run_command([CASTOR_CC, level, source, "-o", "app"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def run_program(self, machine, size, keys, timeline=False):
        """Returns what the program prints, lines of single thread blocks sorted, and the counters of all SMs."""
        name, sms, slots, more = machine
        keys = (f"chip.sms={sms}", f"sm.tb_slots={slots}", "blocks.roster.enable=1", *more, *keys)
        engine = ("enable=1", *KEYS[ENGINE][MACHINES.index(machine)].split())
        keys += tuple(f"blocks.{ENGINE}.{key}" for key in engine)
        words = [word for key in keys for word in ("--set", key)]
        words += ["--timeline", "timeline.json"] if timeline else []
        done = self.run_command([CASTOR, "run", "-p", name, *words, "--report", "report.json", "./app", *size])
        # The first run may have to build models, and says so.
        messages = re.sub(r"castor: (building|built) .*\n", "", done.stderr)
        self.assertEqual((done.returncode, messages), (0, ""), done.stdout)
        lines = done.stdout.splitlines()
        ordered = [line for line in lines if not line.startswith("block ")]
        counts = {}
        # The functional machine has no such statistics.
        for unit in json.loads((self.path / "report.json").read_text()).get("statistics", {}).values():
            for group in ("moves", "swap_port"):
                for key, value in unit.get(group, {}).items() if isinstance(unit, dict) else ():
                    counts[f"{group}.{key}"] = counts.get(f"{group}.{key}", 0) + value
        return ordered, sorted(line for line in lines if line.startswith("block ")), counts

    def check(self, machine, size):
        output = self.run_program(machine, size, ("run.functional=1", "check.live=1"))[:2]
        *timed, counts = self.run_program(machine, size, ("run.functional=0",))
        self.assertEqual(tuple(timed), output)
        result = re.fullmatch(rf"{PROGRAM}: (\d+) of (\d+) blocks, (\d+) barriers, 0 wrong, hash \w+", timed[0][-1])
        self.assertIsNotNone(result, timed[0][-1])
        blocks, room, barriers = map(int, result.groups())
        self.assertEqual((room, blocks), (machine[1] * machine[2], size[0] * room + size[1]))
        self.assertEqual(counts["moves.out"], counts["moves.in"])
        if PROGRAM in SWAPS_DEPEND_ON_TIME:
            self.assertEqual(counts["moves.out"] > 0, size[0] > 1)
        else:
            self.assertEqual(counts["moves.out"], barriers * (blocks - room))
        self.assertEqual(counts["swap_port.deep_stacks"] > 0, PROGRAM in DEEP and blocks > room)
        self.assertGreaterEqual(counts["swap_port.stores"] + counts["swap_port.copies"], counts["moves.out"])
        self.assertEqual(counts["swap_port.stores"], counts["swap_port.loads"])

    def test_the_timeline_shows_every_stay_of_a_thread_block(self):
        self.compile("-O2")
        *_, counts = self.run_program(MACHINES[0], (2, 3), ("run.functional=0",), timeline=True)
        document = self.path / "timeline.json"
        checker = pathlib.Path(__file__).resolve().parent / "check_timeline.py"
        done = self.run_command([sys.executable, checker, document])
        self.assertEqual(done.returncode, 0, done.stdout)
        events = json.loads(document.read_text())["traceEvents"]
        stays = {}
        for event in sorted((one for one in events if one.get("cat") == "tb"), key=lambda one: one["args"]["cycle"]):
            stays.setdefault(event["args"]["tb"], []).append(event)
        left = 0
        for mine in stays.values():
            for before, after in zip(mine, mine[1:]):
                left += 1
                last = before["args"]["cycle"] + before["args"]["cycles"] - 1
                self.assertEqual(before["args"]["state"], "swapped out: waits at a barrier or event")
                self.assertEqual(after["args"]["from SM"], before["pid"] - 10)
                self.assertEqual(after["args"]["cycles away"], after["args"]["cycle"] - last)
            self.assertNotIn("from SM", mine[0]["args"])
            self.assertNotIn("state", mine[-1]["args"])
        self.assertEqual(left, counts["moves.out"])
        self.assertGreater(left, 0)
        arrows = {end: {one["id"] for one in events if one["ph"] == end} for end in "sf"}
        self.assertEqual((len(arrows["s"]), arrows["s"]), (left, arrows["f"]))
        away = [one["args"]["TBs"] for one in events if one["name"] == "swapped-out TBs"]
        self.assertEqual((len(away), away[-1]), (2 * left, 0))

    def check_all(self, level):
        self.compile(level)
        for machine in MACHINES:
            for size in SIZES:
                with self.subTest(machine=machine[0], size=size):
                    self.check(machine, size)

    def test_without_optimisation(self):
        self.check_all("-O0")

    def test_with_optimisation(self):
        self.check_all("-O2")


if __name__ == "__main__":
    CASTOR, CASTOR_CC = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    BLOCKS, PROGRAM, ENGINE = sys.argv[3:6]
    del sys.argv[1:6]
    unittest.main()
