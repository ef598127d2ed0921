#!/usr/bin/env python3
"""Machines of the result pages do not move: small programs give the statistics that docs/results/machines.csv has.

  page_machines_test.py CASTOR KERNELS SOURCES [--record]

KERNELS is the folder of the built programs. --record writes the list; docs/guides/experiments.md says when.
"""

import csv
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402

CASTOR = KERNELS = SOURCES = None
PROGRAMS = (
    "matmul --n 64",
    "bfs_queue --k 9",
    "transpose --width 96 --height 80",
    "dynamic_bfs --form cdp --nodes 300",
    "dynamic_sssp --form dtbl --nodes 200",
)
#: On a machine that replays, kernels take these service times instead of executing.
REPLAYED = "vector_add --n 5000"
SERVICES = """castor-replay 1
kernel _Z3addPKfS0_Pfl
  threads   256
  registers 16
  tbs       20
  service   normal 12000 1500
"""
HEAD = ["machine", "program", "statistics_hash"]


def listed():
    with (SOURCES / "docs/results/machines.csv").open(encoding="utf-8", newline="") as file:
        return {(row["machine"], row["program"]): row["statistics_hash"] for row in csv.DictReader(file)}


def named():
    """Machines that an experiment or the plan of a page names."""
    machines = {path.stem for path in (SOURCES / "platforms/configs").glob("*.yaml")}
    texts = [*(SOURCES / "platforms/experiments").rglob("*.[ch]*"), *(SOURCES / "docs/results").glob("*/page.json")]
    words = set(re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in texts)))
    return sorted(machines & words)


def programs(machine):
    if machine.endswith("_replay"):
        return [REPLAYED]
    takes_launches = machine.startswith("kepler")
    return [program for program in PROGRAMS if takes_launches or not program.startswith("dynamic")]


class PageMachines(CommandCase):
    maxDiff = None

    def measured(self, machine, program):
        """Hash of the statistics of one run."""
        name, *arguments = program.split()
        command = [CASTOR, "run", "--platform", machine, "--report", "r.json"]
        if program == REPLAYED:
            (self.path / "services.txt").write_text(SERVICES)
            command += ["--replay", "services.txt"]
        done = self.run_command([*command, KERNELS / name, *arguments])
        # A replayed program computes nothing.
        self.assertEqual(done.returncode, 1 if program == REPLAYED else 0, done.stderr)
        return json.loads((self.path / "r.json").read_text())["statistics_hash"]

    def test_statistics_are_those_of_the_list(self):
        found = {
            (machine, program): self.measured(machine, program) for machine in named() for program in programs(machine)
        }
        self.assertEqual(
            found,
            listed(),
            "\nA machine of a result page has moved, or a program's code. If that is meant, say so as "
            'docs/guides/experiments.md, "Machines of the pages", does.',
        )


def record():
    case = PageMachines()
    with (SOURCES / "docs/results/machines.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for machine in named():
            for program in programs(machine):
                case.folder = tempfile.TemporaryDirectory()
                case.path = pathlib.Path(case.folder.name)
                writer.writerow([machine, program, case.measured(machine, program)])
                case.tearDown()


if __name__ == "__main__":
    CASTOR, KERNELS, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if sys.argv[4:] == ["--record"]:
        record()
    else:
        unittest.main(argv=sys.argv[:1] + sys.argv[4:])
