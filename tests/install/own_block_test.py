#!/usr/bin/env python3
"""A block in a repository of its own (platforms/examples/own_block), with nothing but an installed Castor: every
command on it, and the walk of its README.

  own_block_test.py BUILD [unittest arguments...]
"""

import json
import re
import shutil

from package import PackageCase, main

ON = ("--set", "blocks.packer.enable=1")
MACHINE = "kepler_k20c_study"


class OwnBlock(PackageCase):
    """The block is built once, for all cases; one that changes it works on a copy."""

    def setUp(self):
        super().setUp()
        self.block = self.prefix.parent / "packer"
        if not self.block.exists():
            self.copy(self.block)
        self.build(self.block)

    def copy(self, folder):
        shutil.copytree(self.prefix / "share/castor/examples/own_block", folder)

    def castor(self, *words, **more):
        return self.run_in(self.folder, "castor", *words, **more)

    def test_is_listed_beside_the_blocks_of_castor(self):
        output = self.castor("list", "blocks")
        self.assertRegex(output, r"(?m)^packer .* places thread blocks on one SM after another")
        self.assertRegex(output, r"(?m)^lax +\d+ .* r{8}  ", "what is installed is shown as recorded")

    def test_model_and_rtl_agree_in_every_set_and_sequence(self):
        self.assertIn(
            "packer: 10 runs, 50000 cycles, 0 failed", self.castor("cosim", "packer", "--all", "--cycles", 5000)
        )
        self.assertIn("0 mismatches", self.castor("cosim", "packer", "--params", "NumSms=13", "--cycles", 5000))

    def test_every_cover_point_is_reached(self):
        for words in (("--params", "minimum"), ("--params", "odd"), ()):
            output = self.castor("cosim", "packer", *words, "--cycles", 20000)
            reached, points = re.search(r"(\d+) of (\d+) cover points", output).groups()
            self.assertEqual(reached, points, output)

    def test_a_fault_of_the_model_is_found(self):
        faulty = self.folder / "packer"
        self.copy(faulty)
        engine = faulty / "packer/engine.h"
        text = engine.read_text()
        self.assertIn("run_ < in.depth", text)
        engine.write_text(text.replace("run_ < in.depth", "run_ <= in.depth"))
        self.build(faulty)
        self.assertIn("cycle", self.castor("cosim", "packer", expect=1))

    def test_properties_are_proven(self):
        self.assertRegex(self.castor("prove", "packer"), r"6 proven, 0 only to a bound, 3 covers reached, 0 failed")

    def test_area_netlist_and_coverage(self):
        self.castor("area", "packer", "--json", "area.json")
        area = json.loads((self.folder / "area.json").read_text())["results"][0]
        self.assertEqual(area["flops"], 12)  # 4 bits of an SM's number, 8 of the count
        self.assertIn("no difference", self.castor("netlist", "packer", "--lockstep", "--cycles", 2000))
        self.assertRegex(self.castor("coverage", "packer"), r"castor_packer\.sv +line.*100\.0 %")

    def test_mutants_are_noticed(self):
        output = self.castor("mutate", "packer", "--count", 8, "--runs", 1, "--cycles", 20000)
        self.assertIn(" 0 survived", output)

    def test_evidence_is_measured_by_a_tool(self):
        listed = self.castor("list", "blocks", "packer")
        self.assertIn("by: castor prove packer", listed)
        record = self.block / "evidence.json"
        record.write_text("{}")
        output = self.castor("evidence", "packer", "formal", "cover")
        self.assertIn("6 assertions at the set proof: 6 proven without bound; 3 of 3 covers reached", output)
        measured = json.loads(record.read_text())
        self.assertEqual(sorted(measured), ["cover", "formal"])
        self.assertRegex(measured["cover"]["figure"], r"^0 mismatches in 200,000 cycles, .* 100\.0 % of \d+ branches")
        self.assertNotIn("STALE", self.castor("list", "blocks", "packer"))
        with open(self.block / "tb/castor_packer_properties.sv", "a", encoding="utf-8") as file:
            file.write("// a comment\n")
        self.assertNotIn("STALE", self.castor("list", "blocks", "packer"))
        with open(self.block / "tb/castor_packer_properties.sv", "a", encoding="utf-8") as file:
            file.write("module castor_packer_more;\nendmodule\n")
        listed = self.castor("list", "blocks", "packer")
        self.assertRegex(listed, r"(?m)^  formal +STALE: 6 assertions")

    def report(self, name, *words):
        self.castor("run", "-p", MACHINE, "--report", name, *words, "./demo")
        return json.loads((self.folder / name).read_text())

    def test_runs_on_a_machine_as_model_as_rtl_and_in_lockstep(self):
        self.run_in(self.folder, "castor-cc", "-O2", self.block / "demo.cu", "-o", "demo")
        plain = self.report("plain.json")
        one = self.report("one.json", *ON, "--set", "blocks.packer.depth=1")
        self.assertEqual(one["cycles"], plain["cycles"], "one thread block in a row is round robin")
        model = self.report("model.json", *ON)
        self.assertNotEqual(model["cycles"], plain["cycles"])
        counted = model["statistics"]["front_end"]["dispatch_policy"]["packer"]
        self.assertEqual(counted["placed"], 256)
        self.assertLess(counted["moves"], 128)
        for engine in "rtl", "lockstep":
            other = self.report(f"{engine}.json", *ON, "--set", f"blocks.packer.engine={engine}")
            self.assertEqual(other["cycles"], model["cycles"], engine)
            self.assertEqual(other["statistics_hash"], model["statistics_hash"], engine)

        self.castor("run", "-p", MACHINE, *ON, "--wave", "run.vcd", "--wave-scope", "gpu.packer", "./demo")
        wave = (self.folder / "run.vcd").read_text()
        for signal in "fits", "place_sm", "run":
            self.assertRegex(wave, rf"\$var wire \d+ \S+ {signal} ")

        # A program that is started by itself.
        words = {
            "CASTOR_PLATFORM": MACHINE,
            "CASTOR_SET": "blocks.packer.enable=1;blocks.packer.engine=lockstep",
            "CASTOR_REPORT": "alone.json",
        }
        self.assertIn("PASS", self.run_in(self.folder, "./demo", **words))
        alone = json.loads((self.folder / "alone.json").read_text())
        self.assertEqual(alone["cycles"], model["cycles"])
        self.assertEqual(alone["statistics_hash"], model["statistics_hash"])

    def test_keys_and_claims_are_those_of_its_registration(self):
        self.run_in(self.folder, "castor-cc", self.block / "demo.cu", "-o", "demo")
        self.assertIn(
            "allowed: 0 to 255",
            self.castor("run", "-p", MACHINE, *ON, "--set", "blocks.packer.depth=256", "./demo", expect=2),
        )
        output = self.castor("run", "-p", "gcn_apu", *ON, "--set", "blocks.lax.enable=1", "./demo", expect=2)
        self.assertIn("lax and packer exclude each other", output)


class Readme(PackageCase):
    def test_every_command_of_the_readme_works(self):
        output = self.type_in(self.prefix / "share/castor/examples/own_block/README.md")
        for line in (
            "packer: 10 runs, 200000 cycles, 0 failed",
            "6 proven, 0 only to a bound, 3 covers reached",
            "PASS 16384 sums",
        ):
            self.assertIn(line, output)
        cycles = re.findall(r"^ +1 +(\d+) .*windows", output, re.MULTILINE)
        self.assertEqual(cycles, ["25628", "25028", "25628", "25028"])


if __name__ == "__main__":
    main()
