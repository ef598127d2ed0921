#!/usr/bin/env python3
"""castor cosim, castor wave and castor list blocks: results, files, exit codes.

    cli_test.py <castor> <block folder of the turnstile>

Blocks are those of CASTOR_PREFIX, and the turnstile by CASTOR_BLOCKS.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import gtkw  # noqa: E402
from faulty_rtl import patched  # noqa: E402
from processes import HANG_SECONDS  # noqa: E402
from vcd import variables  # noqa: E402

CASTOR, TURNSTILE = sys.argv[1:3]
COSIM = (CASTOR, "cosim", "turnstile")


def run(*words, **more):
    """Runs a command; of its messages, those of a builder of RTL are left out."""
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=HANG_SECONDS, check=False, **more
    )
    done.stderr = re.sub(r"castor: (building|built) (RTL|the \w+) of .*\n", "", done.stderr)
    return done


def rtl_object(block):
    """Path of the RTL of a block folder, built at the values of the set odd."""
    flows = f"{os.environ['CASTOR_PREFIX']}/share/castor/rtl/synthesis/flows.py"
    values = ["NumPorts=37", "NumWays=3", "Depth=7"]
    command = ["python3", "-B", flows, "rtl-object", f"{block}/block.json", *values]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class Cosim(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def refused(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_reports_what_it_ran(self):
        report = self.folder / "report.json"
        done = run(*COSIM, "--params", "odd", "--cycles", 5000, "--seed", 9, "--json", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("turnstile odd (lockstep), seed 9: 5000 cycles", done.stdout)
        self.assertEqual(done.stderr, "")  # no progress in a pipe
        data = json.loads(report.read_text())
        self.assertEqual((data["cycles"], data["mismatches"], data["seed"]), (5000, 0, 9))
        self.assertGreater(data["skipped"], 0)
        self.assertIn("--params odd --seed 9 --cycles 5000", data["command"])
        points = {point["name"]: point["hits"] for point in data["cover_points"]["points"]}
        self.assertGreater(points["level Full"], 0)

    def test_a_run_without_options_takes_several_sets(self):
        done = run(*COSIM)
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = re.findall(r"^turnstile (\w+) \(lockstep\), seed 1: (\d+) cycles, .*0 mismatches", done.stdout, re.M)
        listed = json.loads(
            (pathlib.Path(__file__).resolve().parents[1] / "twin/turnstile/parameter_sets.json").read_text()
        )
        self.assertEqual([name for name, _ in runs], [n for n in ("minimum", "odd", "default", "large") if n in listed])
        total = sum(int(cycles) for _, cycles in runs)
        self.assertIn(f"turnstile: {len(runs)} runs, {total} cycles, 0 failed\n", done.stdout)
        # Whoever names a set, a length or a sequence gets that alone.
        for words in (("--params", "default"), ("--cycles", 500), ("--sequence", "random")):
            self.assertEqual(run(*COSIM, *words).stdout.count("0 mismatches"), 1, words)

    def test_same_seed_same_run(self):
        def hits(seed):
            report = self.folder / "report.json"
            run(*COSIM, "--cycles", 3000, "--seed", seed, "--json", report)
            return json.loads(report.read_text())["cover_points"]

        self.assertEqual(hits(4), hits(4))
        self.assertNotEqual(hits(4), hits(5))

    def test_waves_hold_both_sides_on_one_time_scale(self):
        wave = self.folder / "both.vcd"
        done = run(*COSIM, "--cycles", 40, "--wave", wave)
        self.assertEqual(done.returncode, 0, done.stderr)
        values, now, series = {}, 0, {}
        for scopes, key, name, _ in variables(wave.read_text()):
            if name in ("now_i", "probe_count_o", "out_stamp_o", "pick_port_o") and "top" not in scopes[-1:]:
                values.setdefault(key, []).append((scopes[0], name))
        for line in wave.read_text().splitlines():
            words = line.split()
            if line.startswith("#"):
                now = int(line[1:])
            elif words and words[-1] in values and line[0] == "b":
                for key in values[words[-1]]:
                    series.setdefault(key, {})[now] = int(words[0][1:], 2)

        def value_at(values, time):
            return values[max(at for at in values if at <= time)]

        for signal in ("now_i", "probe_count_o", "out_stamp_o", "pick_port_o"):
            model, rtl = series[("model", signal)], series[("rtl", signal)]
            for time in range(900, 39_000, 1000):  # near the end of each cycle
                self.assertEqual(value_at(model, time), value_at(rtl, time), f"{signal} at {time}")
        self.assertGreater(len(series[("model", "probe_count_o")]), 2)
        # What comes out of registers changes at the same time on both sides. The edge that ends the run is in the RTL's
        # dump alone: the model's registers are dumped with the cycle that they begin.
        self.assertEqual(
            [at for at in sorted(series[("model", "probe_count_o")]) if at > 1000],
            [at for at in sorted(series[("rtl", "probe_count_o")]) if 1000 < at < 40_000],
        )
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"both.vcd", "both.gtkw"})

    def test_waves_come_with_a_view_that_shows_ports_and_probes_of_both_sides(self):
        for params in ("default", "odd"):
            wave = self.folder / f"{params}.vcd"
            done = run(*COSIM, "--params", params, "--cycles", 40, "--wave", wave)
            view = wave.with_suffix(".gtkw")
            self.assertIn(f"look:   gtkwave {wave} {view}", done.stdout)
            found = variables(wave.read_text())
            there = {".".join(scopes + [name + bits]) for scopes, _, name, bits in found}
            named = {
                ".".join(scopes + [name[: -len("_name")]]) for scopes, _, name, _ in found if name.endswith("_name")
            }
            signals = gtkw.shown(view.read_text())
            self.assertLess(set(signals), there)
            for scopes, _, name, bits in found:
                scope = ".".join(scopes)
                if name == "clk_i" or not scope.endswith("castor_turnstile_probe"):
                    continue
                # A state is shown by its name, an input once.
                hidden = f"{scope}.{name}" in named or (name.endswith("_i") and scope.startswith("rtl"))
                self.assertEqual(f"{scope}.{name}{bits}" in signals, not hidden, f"{scope}.{name}{bits}")
            for line in signals:
                if line.startswith("model.") and not line.partition("[")[0].endswith("_i"):
                    self.assertEqual(signals[signals.index(line) + 1], line.replace("model.", "rtl.top.", 1))

    def test_a_view_is_made_of_any_waves_of_a_block(self):
        wave = self.folder / "both.vcd"
        run(*COSIM, "--cycles", 40, "--wave", wave)
        view = wave.with_suffix(".gtkw")
        before = view.read_text()
        view.unlink()
        done = run(CASTOR, "wave", wave, "--view")
        self.assertEqual((done.returncode, view.read_text()), (0, before), done.stderr)
        other = self.folder / "other.vcd"
        other.write_text("$scope module top $end\n$var wire 1 ! x $end\n$upscope $end\n$enddefinitions $end\n")
        self.refused(run(CASTOR, "wave", other, "--view"), "other.vcd", "no block")
        self.refused(run(CASTOR, "wave", self.folder / "none.vcd", "--view"), "none.vcd")
        self.refused(run(CASTOR, "wave", wave), "--view")

    def test_states_have_names_on_both_sides_and_inside(self):
        wave = self.folder / "names.vcd"
        names = {"0": "Empty", "1": "Some", "10": "Full"}
        for depth, inside in (("0", []), ("1", ["rtl.top.castor_turnstile_probe.u_dut.level_q"])):
            done = run(*COSIM, "--cycles", 3000, "--wave", wave, "--wave-depth", depth)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = wave.read_text()
            wanted = ["model.castor_turnstile_probe.probe_level_o", "rtl.top.castor_turnstile_probe.probe_level_o"]
            wanted += inside
            keys = {".".join(scopes + [name]): key for scopes, key, name, _ in variables(text)}
            last, seen = {}, {}
            for line in text.partition("$enddefinitions")[2].splitlines():
                words = line.split()
                if line.startswith("#"):
                    for path in wanted:
                        number, name = (last.get(keys[one]) for one in (path, path + "_name"))
                        self.assertEqual(name, names.get(number), f"{path} before {line}")
                        seen.setdefault(path, set()).add(name)
                elif words and words[0][0] in "sb":
                    last[words[1]] = words[0][1:].lstrip("0") or "0" if line[0] == "b" else words[0][1:]
            self.assertEqual(list(seen.values()), [{None, "Empty", "Some", "Full"}] * len(wanted))

    def test_waves_show_as_much_of_the_rtl_as_was_asked_for(self):
        def registers(*depth):
            wave = self.folder / "depth.vcd"
            # The set that view_of_lax builds with waves, too.
            done = run(CASTOR, "cosim", "lax", "--params", "odd", "--cycles", 30, "--wave", wave, *depth)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = {"model": set(), "rtl": set()}
            for scopes, _, name, _ in variables(wave.read_text()):
                if "castor_lax_probe" in scopes:
                    above = scopes.index("castor_lax_probe")
                    self.assertEqual(scopes[:above], ["model"] if scopes[0] == "model" else ["rtl", "top"])
                    found[scopes[0]].add(".".join(scopes[above + 1 :] + [name]))
            return found

        ports, own, parts, everything = registers(), *(registers("--wave-depth", depth) for depth in (1, 2, 99))
        self.assertEqual(ports["model"], ports["rtl"])  # the same names on both sides
        for name in ("now_i", "psel_qid_o", "probe_main_state_o"):
            self.assertIn(name, ports["rtl"])
        for found in (own, parts, everything):
            self.assertEqual(found["model"], ports["model"])
        inside = [{name.count(".") for name in found["rtl"]} for found in (ports, own, parts)]
        self.assertEqual(inside, [{0}, {0, 1}, {0, 1, 2}])
        self.assertTrue(ports["rtl"] < own["rtl"] < parts["rtl"] < everything["rtl"])

    def test_any_legal_values_will_do(self):
        done = run(*COSIM, "--params", "odd,Depth=9", "--cycles", 3000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("turnstile odd,Depth=9 (lockstep), seed 1: 3000 cycles", done.stdout)
        described = json.loads(run(*COSIM, "--params", "odd,Depth=9", "--describe", "json").stdout)
        self.assertEqual([param["value"] for param in described["params"]], [37, 3, 9])
        described = json.loads(run(*COSIM, "--params", "NumWays=2", "--describe", "json").stdout)
        self.assertEqual([param["value"] for param in described["params"]], [96, 2, 5])
        self.refused(run(*COSIM, "--params", "odd,Depth=17"), "Depth", "17")
        self.refused(run(*COSIM, "--params", "odd,Width=1"), "no parameter 'Width'", "NumPorts, NumWays, Depth")
        self.refused(run(*COSIM, "--params", "odd,Depth=x"), "'Depth=x' is no Name=Value")
        self.refused(run(*COSIM, "--params", "Depth=2,odd"), "behind the first word")

    def test_a_given_object_is_run_in_place_of_the_blocks_own(self):
        path = rtl_object(TURNSTILE)
        done = run(*COSIM, "--params", "odd", "--cycles", 1000, "--rtl", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused(
            run(*COSIM, "--params", "odd,Depth=6", "--rtl", path), "at NumPorts 37, NumWays 3, Depth 7, not at"
        )
        self.refused(run(*COSIM, "--rtl", "/nowhere/rtl.so"), "/nowhere/rtl.so")
        self.refused(run(CASTOR, "cosim", "lax", "--rtl", path), "block turnstile")
        # One that cannot show its inside leaves no waves of a difference, nor half of them.
        faulty = patched(TURNSTILE, self.folder, "castor_turnstile.sv", "+ 12'd1", "+ 12'd2")
        done = run(*COSIM, "--params", "odd", "--rtl", rtl_object(faulty), cwd=faulty)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("  no waves: ", done.stderr)
        self.assertEqual([path.name for path in faulty.iterdir() if "vcd" in path.name], [])

    def test_counts_what_runs_reach(self):
        done = run(*COSIM, "--params", "odd", "--cycles", 200, "--coverage", self.folder / "counts.dat")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("castor_turnstile.sv", (self.folder / "counts.dat").read_text())

    def test_a_mismatch_leaves_a_window_of_waves_and_a_command(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        patched(TURNSTILE, scratch.name, "castor_turnstile.sv", "+ 12'd1", "+ 12'd2")
        self.environment = dict(os.environ, CASTOR_BLOCKS=scratch.name)
        done = run(*COSIM, "--params", "odd", "--seed", 3, cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED", done.stdout)
        said = re.search(r"differ in cycle (\d+): total is (.+) in the model and (.+) in the RTL", done.stderr)
        self.assertTrue(said, done.stderr)
        cycle = int(said[1])
        first = max(cycle - 200, 0)
        self.assertIn(f"waves:  turnstile-odd-3.vcd, cycles {first} to {cycle}", done.stderr)
        self.assertEqual(
            sorted(path.name for path in self.folder.iterdir()),
            ["turnstile-odd-3.vcd"],
        )
        text = (self.folder / "turnstile-odd-3.vcd").read_text()
        # Registers inside the RTL are there too, ports on both sides.
        names = re.findall(r"\$var\s+\S+\s+\d+\s+\S+\s+(\w+)", text)
        self.assertIn("total_q", names)
        self.assertGreaterEqual(names.count("total_o"), 2)
        times = [int(at) for at in re.findall(r"^#(\d+)$", text, re.M)]
        self.assertGreaterEqual(min(times), first * 1000)
        self.assertEqual(max(times), (cycle + 8) * 1000 + 500)  # the cycle of the difference, and eight more
        # The command runs into it again, also by itself, and the dump goes where it is told to.
        command = re.search(r"replay: (.*)", done.stderr)[1].split()
        self.assertEqual(command[:3], ["castor", "cosim", "turnstile"])
        again = run(CASTOR, *command[1:], "--dump", self.folder / "there", cwd=self.folder, env=self.environment)
        self.assertEqual(again.returncode, 1)
        self.assertIn(said[0], again.stderr)
        self.assertTrue((self.folder / "there.vcd").exists())
        done = run(*COSIM, "--params", "odd", "--seed", 3, "--dump", "/nowhere/x", env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "no waves: .*cannot write")
        # Of several runs the first that fails leaves waves, and each its command. What did not run is not counted.
        done = run(*COSIM, cwd=self.folder, env=self.environment)
        failed = re.findall(r"(\d+) cycles, .* FAILED", done.stdout)
        self.assertGreater(len(failed), 1)
        self.assertEqual(len(re.findall("replay: ", done.stderr)), len(failed))
        self.assertEqual(len(re.findall("waves:  ", done.stderr)), 1)
        self.assertIn(f" runs, {sum(map(int, failed))} cycles, {len(failed)} failed\n", done.stdout)

    def test_wrong_requests(self):
        self.refused(run(*COSIM, "--params", "huge"), "no parameter set 'huge'", "odd")
        self.refused(run(*COSIM, "--sequence", "none"), "no sequence 'none'", "random")
        self.refused(run(*COSIM, "--engine", "silicon"), "silicon not in", "lockstep")
        self.refused(run(*COSIM, "--cycles", "many"), "--help")
        self.refused(run(*COSIM, "--cycles", 10, "--wave", "/nowhere/x.vcd"), "/nowhere/x.vcd")
        self.refused(run(*COSIM, "--cycles", 10, "--json", "/nowhere/x.json"), "/nowhere/x.json")
        self.refused(run(CASTOR, "cosim", "toaster"), "no block 'toaster'", "lax")
        self.refused(run(CASTOR, "cosim", "turnstile", env=dict(os.environ, CASTOR_BLOCKS="/nowhere")), "/nowhere")
        self.refused(run(CASTOR, "wave", self.folder / "absent.vcd", "-o", self.folder / "out.vcd"), "absent.vcd")

    def test_evidence_is_measured_and_becomes_stale_with_its_sources(self):
        block = self.folder / "blocks/turnstile"
        shutil.copytree(TURNSTILE, block)
        manifest = json.loads((block / "block.json").read_text())
        shutil.copytree(manifest["tb"], self.folder / "tb")
        record = self.folder / "evidence.json"
        manifest.update(tb=str(self.folder / "tb"), evidence=str(record), folder=str(block))
        manifest["sources"].append(manifest["tb"])
        (block / "block.json").write_text(json.dumps(manifest))
        environment = dict(os.environ, CASTOR_BLOCKS=str(block.parent))

        def castor(*words):
            return run(CASTOR, *words, env=environment, cwd=self.folder)

        def stale():
            listed = castor("list", "blocks", "turnstile")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertEqual("STALE" in listed.stdout, "lockstep      STALE: " in listed.stdout, listed.stdout)
            return "STALE" in listed.stdout

        plan = self.folder / "tb/rungs.json"
        self.refused(castor("evidence", "turnstile"), "rungs.json")
        command = "castor cosim turnstile --params odd --cycles 3000 --seed 5"
        plan.write_text(json.dumps({"lockstep": [command]}))
        self.refused(castor("evidence", "turnstile", "area"), "rungs.json", "area")
        self.refused(castor("evidence", "turnstile", "height"), "unknown rung 'height'", "lockstep")
        done = castor("evidence", "turnstile", "lockstep")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        measured = json.loads(record.read_text())["lockstep"]
        self.assertRegex(measured["figure"], r"^0 mismatches in 3,000 cycles, \d+ of \d+ cover points$")
        self.assertEqual(measured["command"], command)
        self.assertRegex(measured["tools"]["verilator"], r"^Verilator \d")
        self.assertRegex(measured["commit"], r"^([0-9a-f]{12}\+?)?$")
        self.assertFalse(stale())

        # A figure that nobody measured, and one that others' sources gave.
        record.write_text(json.dumps({"lockstep": {"figure": "good", "command": "by hand"}}))
        self.assertTrue(stale())
        record.write_text(json.dumps({"lockstep": measured}))
        self.assertFalse(stale())
        with open(self.folder / "tb/castor_turnstile_probe.sv", "a", encoding="utf-8") as file:
            file.write("// a comment\n\n")
        self.assertFalse(stale())
        with open(self.folder / "tb/castor_turnstile_probe.sv", "a", encoding="utf-8") as file:
            file.write("module castor_turnstile_more;\nendmodule\n")
        self.assertTrue(stale())
        told = castor("evidence", "turnstile", "lockstep", "--explain").stdout
        self.assertRegex(told, r"(?m)^  changed: rtl: \d+ files")

        # What fails leaves no figure.
        plan.write_text(json.dumps({"lockstep": [command.replace("odd", "none")]}))
        done = castor("evidence", "turnstile")
        self.assertEqual((done.returncode, json.loads(record.read_text())["lockstep"]), (1, measured), done.stderr)
        self.assertIn("FAILED", done.stdout)

    def test_lists_blocks(self):
        blocks = {block["name"]: block for block in json.loads(run(CASTOR, "list", "blocks", "--json").stdout)}
        self.assertEqual(blocks["turnstile"]["parameter_sets"]["odd"], "NumPorts 37, NumWays 3, Depth 7")
        self.assertEqual(blocks["turnstile"]["meaning"], "test block of the twin contract")
        self.assertGreater(len(blocks), 1)
        for block in blocks.values():
            self.assertIn("default", block["parameter_sets"])
            for rung in block["evidence"].values():
                self.assertLessEqual({"figure", "command"}, set(rung))
            self.assertLessEqual(set(block["stale"]), set(block["evidence"]))
            self.assertEqual(block["stale"], [rung for rung, state in block["states"].items() if state == "stale"])

    def test_the_table_of_blocks_is_one_screen(self):
        lines = run(CASTOR, "list", "blocks").stdout.splitlines()
        blocks = json.loads(run(CASTOR, "list", "blocks", "--json").stdout)
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertLessEqual(len(lines) - len(blocks) + 11, 24, "with eleven blocks")
        marks = {"ok": "+", "stale": "s", "due": "d", "missing": "-", "recorded": "r"}
        rungs = ("unit", "lockstep", "cover", "formal", "netlist", "mutation", "platform", "area")
        shown = {line.split()[0]: line for line in lines if line}
        for block in blocks:
            row = "".join(marks[block["states"].get(rung, "missing")] for rung in rungs)
            self.assertRegex(shown[block["name"]], rf"^\w+ +{len(block['parameter_sets'])} .* {re.escape(row)}  \w")

    def test_runs_a_block_and_merges_waves(self):
        done = run(CASTOR, "cosim", "lax", "--params", "minimum", "--cycles", 500)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 mismatches", done.stdout)
        one = self.folder / "one.vcd"
        one.write_text(
            "$timescale 1ns $end\n$scope module a $end\n$var wire 1 ! x $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\n1!\n"
        )
        out = self.folder / "out.vcd"
        done = run(CASTOR, "wave", one, one, "--scopes", "left,right", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("$scope module right $end\n$scope module a $end", out.read_text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
