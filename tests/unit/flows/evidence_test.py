#!/usr/bin/env python3
"""Tests of the records of rungs: contents, dependences on sources, and staleness."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))

from castor_flows import due, evidence, installation, normal, sources, tools, tree  # noqa: E402
from castor_flows.errors import WrongRequest  # noqa: E402


class Evidence(unittest.TestCase):
    def test_figures_are_made_of_what_commands_print(self):
        figure = evidence._FIGURES
        all_runs = "x odd (lockstep), seed 1: 20 cycles, 3 of them skipped, 0 mismatches, 5 of 9 cover points (55 %)\n"
        self.assertEqual(
            figure["cosim"]([(all_runs + "x: 10 runs, 600000 cycles, 0 failed\n", None)] * 2),
            "0 of 20 runs with a mismatch, 1.2 million cycles",
        )
        self.assertEqual(figure["cosim"]([(all_runs, None)]), "0 mismatches in 20 cycles, 5 of 9 cover points")
        self.assertIsNone(figure["cosim"]([("nothing", None)]))
        proofs = [
            {"kind": kind, "result": result, "depth": depth}
            for kind, result, depth in (
                ("assert", "proven", None),
                ("assert", "bounded", 9),
                ("assert", "refuted alone", None),
                ("assert", "proven", None),
                ("assert", "bounded", 10),
                ("cover", "reached", 4),
                ("cover", "unreachable", None),
            )
        ]
        self.assertEqual(
            figure["prove"]([("", {"set": "proof", "properties": proofs})]),
            "5 assertions at the set proof: 2 proven without bound, 2 bounded (no counterexample in 9 to 10 cycles), "
            "1 refuted alone; 1 of 2 covers reached, 1 unreachable",
        )
        self.assertEqual(
            figure["mutate"]([("", {"set": "odd", "killed": 19, "survived": 1, "equivalent": 5})]),
            "95.0 % killed: 19 of 20 at the set odd; 5 of 25 mutants proven equivalent",
        )
        self.assertEqual(
            figure["mutate"]([("", {"set": "odd", "killed": 9, "survived": 1, "equivalent": 2, "out_of_reach": 3})]),
            "90.0 % killed: 9 of 10 at the set odd; 2 of 15 mutants proven equivalent, 3 out of reach of a run",
        )
        both = ({"set": "proof", "widths": False}, {"set": "golden,CntW=10", "widths": True})
        self.assertEqual(
            figure["mutate"]([("", {**one, "killed": 9, "survived": 0, "equivalent": 1}) for one in both]),
            "100.0 % killed: 9 of 9 at the set proof; 1 of 10 mutants proven equivalent; "
            "100.0 % killed: 9 of 9 at the set golden,CntW=10, mutants of widths and constants; "
            "1 of 10 mutants proven equivalent",
        )
        runs = "  medley, seed 1, 20000 cycles: no difference\n  rules, seed 1, 500 cycles: no difference\n"
        self.assertEqual(
            figure["netlist"]([(runs, {"set": "odd"})]),
            "0 mismatches in 20,500 cycles at the set odd: 2 runs, outputs compared",
        )
        tests = (
            "7: evidence: 59 runs of 8000 cycles\n8: evidence: 6 sets\n100% tests passed, 0 tests failed out of 12\n"
        )
        self.assertEqual(figure["ctest"]([(tests, None)]), "12 tests passed; 59 runs of 8000 cycles; 6 sets")
        self.assertIsNone(figure["ctest"]([("No tests were found!!!", None)]))
        reports = [("", {"machine": "k", "cycles": 1000, "statistics_hash": "ab"})]
        self.assertEqual(figure["run"](reports * 2), "k: 2 runs with equal statistics, 1,000 cycles")
        other = [("", {"machine": "k", "cycles": 1000, "statistics_hash": "ac"})]
        self.assertIsNone(figure["run"](reports + other), "an engine that does something else is no figure")
        table = {"all": {"line": {"reached": 9, "points": 10}, "toggle": {"reached": 0, "points": 0}}}
        self.assertEqual(
            figure["coverage"]([("", {"set": "odd", "files": table})]),
            "RTL at the set odd: 90.0 % of 10 branches, none of 0 bits toggle",
        )
        sizes = [{"set": "default", "kge": 23.56, "flops": 1089, "period_ns": 6.71}, {"set": "a", "kge": 1, "flops": 2}]
        self.assertEqual(
            figure["area"]([("", {"results": sizes})]), "default 23.6 kGE, 1,089 flops, 6.7 ns; a 1.0 kGE, 2 flops"
        )


class NormalForm(unittest.TestCase):
    SAME = {
        "a.cpp": (
            'int f(int a,int b){return a>>b;}  // what it does\n#define X(a) a+1\nconst char* s = "// a /* b";\n',
            "/* why */\n\nint f(int a, int b) {\n  return a >> b;\n}\n"
            '#define X(a) \\\n  a + 1  // so\nconst char* s =\n    "// a /* b";',
        ),
        "a.sv": (
            "assign a=b?4'd1:c; // x\n`define A(x) x\n(* keep *) wire w;\n",
            "/* y\n */ assign a = b ? 4'd1 : c;\n\n`define A(x) \\\n  x\n(* keep *)\nwire w;",
        ),
        "a.cmake": ("f(a b) # c\n", "#[[ long\n]]\nf(\n  a\n  b)\n"),
        "a.json": ('{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}\n'),
        "a.f": ("a.sv\nb.sv\n", "# the list\na.sv // first\n\nb.sv\n"),
        "a.py": (
            "import os\ndef f(p, a):\n    p.say('x')\n    g(a, help='h')\n    raise WrongRequest('a')\n",
            '"""Doc."""\nimport re\n\n\ndef f(p, a):\n    """Does."""\n    # so\n    p.say(\n        "y"\n    )\n'
            "    g(a, help='i')\n    raise WrongRequest('b')\n",
        ),
    }
    OTHER = {
        "a.cpp": (
            ("int a = 1'000'000;", "int a = 1'000'001;"),
            ("char c = '\"'; int a; // b\n", "char c = '\"'; int b; // b\n"),
            ('s = "// a";', 's = "// b";'),
            ('s = R"(// a)";', 's = R"(// b)";'),
            ("#define A\nb", "#define A b"),
            ("a = b - -c;", "a = b-- c;"),
        ),
        "a.sv": (
            ("assign a = b; // verilator lint_off X", "assign a = b;"),
            ("/* verilator public */ wire a;", "wire a;"),
            ("(* keep *) wire a;", "wire a;"),
            ("a = 4'd1;", "a = 4'd2;"),
            ("`define A\nb", "`define A b"),
        ),
        "a.cmake": (('f("# a")', 'f("# b")'), ("f([[# a]])", "f([[# b]])")),
        "a.json": (('{"a": 1}', '{"a": 2}'), ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}')),
        "a.py": (("a = 'x'", "a = 'y'"), ("raise Other('a')", "raise Other('b')"), ("p.line('a')", "p.line('b')")),
        "a.sh": (("a  b", "a b"),),
    }

    def test_comments_blank_lines_and_format_are_not_in_it(self):
        for name, texts in self.SAME.items():
            self.assertEqual(*(normal.text_of(name, text.encode()) for text in texts), name)

    def test_a_token_is_and_so_is_a_comment_that_a_tool_obeys(self):
        for name, pairs in self.OTHER.items():
            for texts in pairs:
                self.assertNotEqual(*(normal.digest_of(name, text.encode()) for text in texts), texts)

    def test_definitions_can_be_left_out(self):
        texts = (
            "A = 1\ndef f():\n    pass\nclass C:\n    def m(self):\n        return 1\n    x = 1\n",
            "A = 2\ndef f():\n    return 3\nclass C:\n    def m(self):\n        return 2\n    x = 1\n",
        )
        without = {"A", "f", "C.m"}
        self.assertEqual(*(normal.text_of("a.py", text.encode(), without) for text in texts))
        for name in without:
            self.assertNotEqual(*(normal.text_of("a.py", text.encode(), without - {name}) for text in texts), name)
        self.assertLessEqual(without, normal.definitions(texts[0]))

    def test_what_is_left_out_of_the_flows_is_there(self):
        folder = Path(sources.__file__).parent
        for module, names in sources.REPORTS.items():
            there = normal.definitions((folder / f"{module}.py").read_text())
            self.assertLessEqual(names, there, module)
        for module in sources._NO_VERDICT:
            self.assertTrue((folder / f"{module}.py").exists(), module)


#: A tree with a block, and one file in each type of room.
TREE = {
    "models/castor/twin/twin.h": '#include "castor/base/error.h"\nint twin();\n',
    "models/castor/twin/twin.cpp": "int twin() { return 1; }\n",
    "models/castor/twin/rtl_builder.h": "int builder();\n",
    "models/castor/twin/unused.h": "int unused();\n",
    "models/castor/base/error.h": "int error();\n",
    "models/castor/base/error.cpp": "int error() { return 1; }\n",
    "models/castor/gpu/hooks/hook.h": "int hook();\n",
    "models/castor/gpu/sm.h": "int sm();\n",
    "models/castor/blk/ports.h": "int ports();\n",
    "models/castor/blk/engine.h": '#include "castor/blk/ports.h"\n#include <castor/twin/twin.h>\nint engine();\n',
    "models/castor/blk/engine.cpp": '#include "castor/blk/engine.h"\nint engine() { return 1; }\n',
    "models/castor/hookup/blk/registration.h": '#include "castor/gpu/hooks/hook.h"\nint registration();\n',
    "models/castor/hookup/blk/registration.cpp": "int registration() { return 1; }\n",
    "cmake/objects/bench.cpp.in": "int bench_object();\n",
    "cmake/objects/model.cpp.in": "int model_object();\n",
    "tb/common/cosim.cpp": "int cosim() { return 1; }\n",
    "tb/common/bench.h": "int bench();\n",
    "tb/blk/bench.h": '#include "tb/common/bench.h"\nint own();\n',
    "tb/blk/cover/points.cpp": "int points() { return 1; }\n",
    "tb/blk/skip.h": "int skip();\n",
    "tb/blk/castor_blk_probe.sv": "module castor_blk_probe;\nendmodule\n",
    "tb/blk/castor_blk_properties.sv": "module castor_blk_properties;\nendmodule\n",
    "tb/blk/blk.vlt": "`verilator_config\n",
    "rtl/blk/blk.f": "common/castor_fifo.sv\nblk/castor_blk.sv\n",
    "rtl/blk/castor_blk.sv": "module castor_blk;\nendmodule\n",
    "rtl/blk/parameter_sets.json": '{"proof": {"N": 1}}',
    "rtl/blk/area_points.json": '{"wide": {"N": 9}}',
    "rtl/blk/proof_points.json": '{"ticks": {"N": 2}}',
    "rtl/common/castor_fifo.sv": "module castor_fifo;\nendmodule\n",
    "rtl/common/castor_assert.svh": "`define A(x) x\n",
    "rtl/common/castor_other.sv": "module castor_other;\nendmodule\n",
    "tests/unit/blk.cmake": "set(more blk/more.cpp)\ncastor_test(blk_test KIND unit SOURCES blk/blk_test.cpp ${more})\n"
    "castor_test(other_test KIND unit SOURCES other_test.cpp)\n",
    "tests/unit/blk/blk_test.cpp": '#include "common/support.h"\nint test();\n',
    "tests/unit/blk/more.cpp": "int more();\n",
    "tests/unit/other_test.cpp": "int other();\n",
    "tests/common/support.h": "int support();\n",
    "tests/platform/blk.cmake": "castor_script_test(blk_engines KIND platform COMMAND python3 "
    '"${PROJECT_SOURCE_DIR}/tests/platform/check.py" blk "${PROJECT_BINARY_DIR}/kernels/dynamic_program")\n',
    "tests/platform/check.py": "import helper\nhelper.check()\n",
    "tests/platform/helper.py": "def check():\n    return 1\n",
    "sw/kernels/dynamic/program.cu": '#include "../common/program.h"\nint main() {}\n',
    "sw/kernels/common/program.h": "int program();\n",
}

PLAN = {
    "unit": ["ctest -R ^blk_ -L ^unit$"],
    "lockstep": ["castor cosim blk --all"],
    "cover": ["castor cosim blk", "castor coverage blk"],
    "formal": ["castor prove blk --recorded"],
    "netlist": ["castor netlist blk --lockstep"],
    "mutation": ["castor mutate blk --proven recorded"],
    "platform": ["ctest -R blk_engines"],
    "area": ["castor area blk"],
}

PROOFS = {
    "command": "castor prove blk --params SET --record",
    "sets": {
        "proof": {
            "parameters": {"N": 1},
            "sources": "ab",
            "tools": {"yosys": "yosys 1"},
            "properties": {"a": {"result": "proven", "engine": "pdr", "depth": None, "seconds": 1, "given": 0}},
        }
    },
}

RUNGS = set(PLAN)
COMPARED = {"lockstep", "cover", "netlist", "mutation"}
RTL = RUNGS - {"unit"}


class Digests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in TREE.items():
            self.write(name, text)
        self.write("tb/blk/rungs.json", json.dumps(PLAN))
        self.write("tb/blk/proofs.json", json.dumps(PROOFS))
        self.write("docs/blocks/blk.evidence.json", "{}")
        flows = Path(sources.__file__).parent
        shutil.copytree(flows, self.root / "rtl/synthesis/castor_flows", ignore=shutil.ignore_patterns("__pycache__"))
        self.versions, self.before = {}, None
        home = types.SimpleNamespace(include=self.root / "models")
        for target, name, value in (
            (installation, "find", lambda: home),
            (tree, "own_rtl", lambda: self.root / "rtl"),
            (tree, "blocks", lambda *_: ["blk"]),
            (tools, "version", lambda name, command=None: self.versions.get(name, f"{name} 1")),
        ):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        sources._versions.clear()
        self.addCleanup(sources._versions.clear)
        self.block = tree.Block("blk", self.root / "rtl/blk", self.root / "tb/blk", self.root, None, self.manifest())

    def manifest(self):
        return {
            "name": "blk",
            "sources": [str(self.root / "models/castor/blk")],
            "include": [str(self.root / "models"), str(self.root)],
            "engine": "castor/blk/engine.h",
            "ports": "castor/blk/ports.h",
            "registration": "castor/hookup/blk/registration.h",
            "evidence": self.root / "docs/blocks/blk.evidence.json",
        }

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def digests(self):
        view = sources.WorkingTree()
        return {rung: sources.digest(self.block, rung, lines, view) for rung, lines in PLAN.items()}

    def changed(self, name, text):
        """Returns the rungs whose digest changes when the file `name` holds `text`."""
        path = self.root / name
        then = path.read_text() if path.exists() else None
        self.before = before = self.before or self.digests()
        self.write(name, text)
        now = self.digests()
        path.unlink() if then is None else path.write_text(then)
        return {rung for rung in PLAN if now[rung] != before[rung]}

    def test_a_changed_file_of_every_room_counts_where_it_can_change_the_result(self):
        cpp, sv = "int changed;\n", "module changed;\nendmodule\n"
        flows = "rtl/synthesis/castor_flows"
        for name, more, rungs in (
            ("models/castor/twin/twin.h", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/twin/twin.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/base/error.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/twin/rtl_builder.h", cpp, COMPARED | {"platform"}),
            ("models/castor/twin/unused.h", cpp, set()),
            ("models/castor/gpu/hooks/hook.h", cpp, {"platform"}),
            ("models/castor/gpu/sm.h", cpp, set()),
            ("models/castor/blk/ports.h", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/blk/engine.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/blk/new.cpp", cpp, COMPARED | {"unit", "platform"}),
            ("models/castor/hookup/blk/registration.cpp", cpp, {"platform"}),
            ("cmake/objects/bench.cpp.in", cpp, COMPARED),
            ("cmake/objects/model.cpp.in", cpp, {"platform"}),
            ("tb/common/cosim.cpp", cpp, COMPARED),
            ("tb/common/bench.h", cpp, COMPARED),
            ("tb/blk/cover/points.cpp", cpp, COMPARED),
            ("tb/blk/skip.h", cpp, COMPARED | {"platform"}),
            ("tb/blk/castor_blk_probe.sv", sv, COMPARED | {"platform"}),
            ("tb/blk/blk.vlt", sv, COMPARED | {"platform"}),
            ("tb/blk/castor_blk_properties.sv", sv, {"formal", "mutation", "lockstep", "cover", "platform"}),
            ("rtl/blk/castor_blk.sv", sv, RTL),
            ("rtl/blk/blk.f", "common/castor_other.sv\n", RTL),
            ("rtl/common/castor_fifo.sv", sv, RTL),
            ("rtl/common/castor_assert.svh", sv, RTL),
            ("rtl/common/castor_other.sv", sv, set()),
            ("tests/unit/blk.cmake", "castor_test(blk_more KIND unit SOURCES x.cpp)\n", {"unit"}),
            ("tests/unit/blk.cmake", "castor_test(another KIND unit SOURCES x.cpp)\n", set()),
            ("tests/unit/blk/blk_test.cpp", cpp, {"unit"}),
            ("tests/unit/blk/more.cpp", cpp, {"unit"}),
            ("tests/unit/other_test.cpp", cpp, set()),
            ("tests/common/support.h", cpp, {"unit"}),
            ("tests/platform/check.py", "changed = 1\n", {"platform"}),
            ("tests/platform/helper.py", "changed = 1\n", {"platform"}),
            ("sw/kernels/dynamic/program.cu", cpp, {"platform"}),
            ("sw/kernels/common/program.h", cpp, {"platform"}),
            (f"{flows}/prove.py", "changed = 1\n", {"formal"}),
            (f"{flows}/engines.py", "changed = 1\n", {"formal"}),
            (f"{flows}/circuits.py", "changed = 1\n", {"formal", "mutation"}),
            (f"{flows}/aiger.py", "changed = 1\n", {"formal", "mutation"}),
            (f"{flows}/rtl_object.py", "changed = 1\n", COMPARED | {"platform"}),
            (f"{flows}/rtl_object.cpp.in", cpp, COMPARED | {"platform"}),
            (f"{flows}/coverage.py", "changed = 1\n", {"cover"}),
            (f"{flows}/netlist.py", "changed = 1\n", {"netlist"}),
            (f"{flows}/mutate.py", "changed = 1\n", {"mutation"}),
            (f"{flows}/mutant_number.cpp", cpp, {"mutation"}),
            (f"{flows}/area.py", "changed = 1\n", {"area"}),
            (f"{flows}/evidence.py", "changed = 1\n", set()),
            (f"{flows}/progress.py", "changed = 1\n", set()),
            ("docs/blocks/blk.md", "changed\n", set()),
        ):
            path = self.root / name
            before = path.read_text() if path.exists() else ""
            self.assertEqual(self.changed(name, before + more), rungs, name)
        for name, rungs in (
            ("rtl/blk/parameter_sets.json", RTL),
            ("rtl/blk/area_points.json", {"area"}),
            ("tb/blk/assumptions.json", {"lockstep", "cover", "platform"}),
            ("rtl/blk/proof_points.json", {"formal"}),
        ):
            self.assertEqual(self.changed(name, '{"proof": {"N": 3}}'), rungs, name)

    def test_comments_format_and_what_is_reported_count_nowhere(self):
        remarks = {".h": "// new\n\n", ".cpp": "/* new */\n", ".cu": "// new\n", ".in": "// new\n", ".sv": "// new\n\n"}
        remarks |= {".svh": "// new\n", ".vlt": "// new\n", ".f": "# new\n", ".cmake": "# new\n", ".py": "\n\n# new\n"}
        counted = {name for lines in PLAN for name in sources.files(self.block, lines, PLAN[lines])}
        for name in sorted(counted):
            path = self.root / name
            text = path.read_text()
            if path.suffix == ".json":
                self.assertEqual(self.changed(name, json.dumps(json.loads(text), indent=7)), set(), name)
            else:
                self.assertEqual(self.changed(name, text + remarks[path.suffix]), set(), name)
        prove_py = (self.root / "rtl/synthesis/castor_flows/prove.py").read_text()
        for old, new in (
            ("def summary(properties, began):", "def summary(properties, began, more=1):"),
            ("only this engine (repeatable", "this engine alone (repeatable"),
            ('"""Decides the chosen properties', '"""Decides chosen properties'),
            ("--recorded proves nothing", "nothing is proven by --recorded"),
        ):
            self.assertEqual(prove_py.count(old), 1, old)
            self.assertEqual(
                self.changed("rtl/synthesis/castor_flows/prove.py", prove_py.replace(old, new)), set(), old
            )

    def test_recorded_verdicts_count_not_what_they_took(self):
        for key, value, rungs in (("seconds", 9, set()), ("result", "bounded", {"formal", "mutation"})):
            proofs = json.loads(json.dumps(PROOFS))
            proofs["sets"]["proof"]["properties"]["a"][key] = value
            self.assertEqual(self.changed("tb/blk/proofs.json", json.dumps(proofs)), rungs, key)

    def test_a_renamed_and_a_lost_file_count(self):
        before = self.digests()
        (self.root / "tb/blk/cover/points.cpp").rename(self.root / "tb/blk/cover/others.cpp")
        self.assertEqual({rung for rung, one in self.digests().items() if one != before[rung]}, COMPARED)

    # --- records

    def record_all(self):
        """Writes records of all rungs as if each had been climbed."""
        for rung, lines in PLAN.items():
            evidence.write(self.block, rung, lines, "good", "", {"seconds": 60, "cpu_seconds": 50})

    def states(self):
        return due.states(self.block)

    def stale(self):
        return {rung for rung, state in self.states().items() if state == "stale"}

    def test_other_versions_of_tools_and_other_commands_make_stale(self):
        self.assertEqual(set(self.states().values()), {"missing"})
        self.record_all()
        self.assertEqual(set(self.states().values()), {"ok"})
        for tool, rungs in (
            ("verilator", COMPARED | {"platform"}),
            ("c++", COMPARED | {"unit", "platform"}),
            ("python", RTL),
            ("yosys", {"formal", "netlist", "mutation", "area"}),
            ("berkeley-abc", {"formal", "netlist", "mutation", "area"}),
            ("z3", {"formal"}),
            ("sta", {"area"}),
            ("cells", {"netlist", "area"}),
        ):
            self.versions = {tool: f"{tool} 2"}
            sources._versions.clear()
            self.assertEqual(self.stale(), rungs, tool)
            self.versions = {tool: ""}
            sources._versions.clear()
            self.assertEqual(self.stale(), set(), f"{tool} is not installed here: nobody can say")
        self.versions = {}
        sources._versions.clear()
        self.write("tb/blk/rungs.json", json.dumps({**PLAN, "area": ["castor area blk --macros"]}))
        self.assertEqual(self.stale(), {"area"})

    def test_proofs_by_other_tools_make_stale(self):
        self.record_all()
        self.versions = {"yosys": "yosys 2"}
        sources._versions.clear()
        self.record_all()
        self.assertEqual(self.stale(), {"formal", "mutation"})

    def test_records_of_an_installed_block_are_shown_as_they_are(self):
        self.record_all()
        del self.block.manifest["sources"]
        self.assertEqual(set(self.states().values()), {"recorded"})

    # --- what is due

    def page(self, *rows):
        table = "".join(f"| {block} | {rung} | why |\n" for block, rung in rows)
        self.write("docs/campaign.md", f"# C\n\n## Rungs due\n\n| block | rung | why |\n|---|---|---|\n{table}\n## E\n")

    def check(self, path=None):
        said = mock.Mock()
        code = due.check([self.block], path, said)
        return code, " ".join(call.args[0] for call in said.line.call_args_list)

    def test_the_check_fails_unless_what_is_due_is_listed_and_the_list_is_true(self):
        self.record_all()
        self.assertEqual(self.check()[0], 0)
        self.write("rtl/blk/area_points.json", '{"wide": {"N": 8}}')
        code, said = self.check()
        self.assertEqual((code, "blk area: stale" in said), (1, True))
        self.page(("blk", "area"))
        self.assertEqual(self.states()["area"], "due")
        self.assertEqual(self.check()[0], 0)
        self.page(("blk", "area"), ("blk", "unit"))
        code, said = self.check()
        self.assertEqual((code, "blk unit: listed as due, but it is ok" in said), (1, True))
        self.page(("blk", "area"), ("gone", "unit"))
        self.assertIn("no such block", self.check()[1])
        self.page(("blk", "area"), ("blk", "height"))
        self.assertEqual(self.check()[0], 1)
        self.write("other.md", "## Rungs due\n\n| blk | area | why |\n")
        self.page()
        self.assertEqual(self.check(self.root / "other.md")[0], 0)
        content = evidence.read_record(self.block)
        del content["cover"]
        self.write("docs/blocks/blk.evidence.json", json.dumps(content))
        self.page(("blk", "area"))
        self.assertIn("blk cover: missing", self.check()[1])

    def test_a_recorded_rung_leaves_the_list(self):
        self.page(("blk", "area"), ("other", "area"), ("blk", "unit"))
        due.strike(self.block, "area")
        left = [(block, rung) for _, block, rung in due.rows((self.root / "docs/campaign.md").read_text())]
        self.assertEqual(left, [("other", "area"), ("blk", "unit")])

    def test_the_campaign_of_the_tree_is_told_the_last_part_last(self):
        self.assertEqual(due.campaign_parts([self.block]), [])
        told = {"b": {"date": "2026-02-02", "result": "passed"}, "a": {"date": "2026-01-01", "result": "failed"}}
        self.write("tests/campaign.json", json.dumps(told))
        self.assertEqual([one["part"] for one in due.campaign_parts([self.block])], ["a", "b"])
        self.write("tests/campaign.json", "[")
        with self.assertRaisesRegex(WrongRequest, "campaign.json"):
            due.campaign_parts([self.block])

    def test_parts_are_no_longer_than_asked_and_cheap_ones_come_first(self):
        todo = [("a", "area", 3000), ("a", "unit", 60), ("b", "mutation", 9000), ("b", "unit", 600), ("c", "x", 1200)]
        cut = [[seconds for _, _, seconds in part] for part in due.parts_of(todo, 30)]
        self.assertEqual(cut, [[60, 600], [1200], [3000], [9000]])

    def options(self, **more):
        made = dict(work=str(self.root / "work"), due_list=None, rungs=[], parts=None, plan=False)
        return types.SimpleNamespace(**{**made, **more})

    def test_what_is_due_is_worked_off_in_parts_and_goes_on(self):
        climbed = []

        def climb(block, rung, lines, work, progress):
            climbed.append(rung)
            return None if rung == "cover" else "good"

        with mock.patch.object(evidence, "climb", climb):
            said = mock.Mock()
            self.assertEqual(due.work_off([self.block], self.options(parts=3), said), 0)
            self.assertEqual(climbed, ["unit", "formal"], "60 s each; lockstep is taken to need 120")
            self.assertEqual(due.work_off([self.block], self.options(parts=3), said), 0)
            self.assertEqual(climbed, ["unit", "formal", "lockstep"])
            self.assertEqual(due.work_off([self.block], self.options(), said), 1, "a rung failed")
            self.assertEqual(set(climbed), RUNGS)
            self.assertEqual(self.states()["cover"], "missing")
            entry = evidence.read_record(self.block)["area"]
            self.assertLessEqual({"seconds", "cpu_seconds", "date", "commit", "tools", "sources"}, set(entry))

    def test_only_what_is_committed_is_recorded_and_changes_since_are_told(self):
        def git(*words):
            who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
            subprocess.run(["git", "-C", str(self.root), *who, *words], check=True, capture_output=True)

        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "all")
        said = mock.Mock()
        with mock.patch.object(evidence, "climb", lambda *_: "good"):
            self.write("models/castor/gpu/sm.h", "int another();\n")
            self.assertEqual(evidence.record(self.block, "area", self.options(), said), 0)
            self.assertRegex(evidence.read_record(self.block)["area"]["commit"], r"^[0-9a-f]{12}$")
            self.write("rtl/blk/castor_blk.sv", "module castor_blk;\n  wire a;\nendmodule\n")
            self.write("rtl/common/more.svh", "`define B 1\n")
            with self.assertRaisesRegex(WrongRequest, r"not committed: rtl/blk/castor_blk\.sv, rtl/common/more\.svh"):
                evidence.record(self.block, "area", self.options(), said)
        due.explain(self.block, ["area"], said)
        told = "\n".join(call.args[0] for call in said.line.call_args_list)
        self.assertRegex(told, r"(?m)^  changed: rtl: \d+ files")
        self.assertEqual(
            re.findall(r"(?m)^    [0-9a-f]{12} (\S+)  (new|changed, was [0-9a-f]{12})$", told)[0][0],
            "rtl/blk/castor_blk.sv",
        )
        self.assertRegex(told, r"(?m)^    [0-9a-f]{12} rtl/common/more\.svh  new$")

    def test_a_source_that_changes_while_it_is_measured_is_refused(self):
        def climb(*_):
            self.write("rtl/blk/castor_blk.sv", "module castor_blk;\n  wire a;\nendmodule\n")
            return "good"

        with mock.patch.object(evidence, "climb", climb), self.assertRaisesRegex(WrongRequest, "changed while"):
            evidence.record(self.block, "area", self.options(), mock.Mock())


class Quotes(unittest.TestCase):
    def test_readme_quotes_lockstep_as_recorded(self):
        quoted = re.findall(
            r"(?m)^\| `(\w+)` \|.*\| ([\d.]+ million) cycles, (\d+) sets[^|]*, (\d+) mismatches \|",
            (ROOT / "README.md").read_text(),
        )
        self.assertEqual({one[0] for one in quoted}, {path.parent.name for path in ROOT.glob("tb/*/rungs.json")})
        for block, cycles, sets, mismatches in quoted:
            record = json.loads((ROOT / f"docs/blocks/{block}.evidence.json").read_text())["lockstep"]
            self.assertRegex(
                record["figure"], rf"^{mismatches} of \d+ runs with a mismatch, {re.escape(cycles)} cycles"
            )
            known = json.loads((ROOT / f"rtl/{block}/parameter_sets.json").read_text())
            self.assertEqual(int(sets), len(known), block)


if __name__ == "__main__":
    unittest.main()
