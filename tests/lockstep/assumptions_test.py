#!/usr/bin/env python3
"""Every assumption of a block's properties is a check in the RTL objects that lockstep and machines load.

    assumptions_test.py <verilator> <root of the tree> <block>...

The RTL is elaborated with the properties, as the flow rtl-object does it, at the set `odd`, where no range is a power
of two. Of each assumption that the sources name, the elaborated design has to have the call that reports it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

VERILATOR, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
BLOCKS = sys.argv[3:]

sys.path.insert(0, str(ROOT / "rtl/synthesis"))
from castor_flows import rtl_object, tree  # noqa: E402

_LABEL = re.compile(r"`CASTOR_ASSUME\(\s*(\w+)\s*,")
_CALL = "castor_assumption_broken"


def modules_of(path):
    """Modules that the file binds properties to."""
    return set(re.findall(r"^bind (\w+)", path.read_text(), re.MULTILINE))


def elaborated(block):
    """(modules of the elaborated design, labels in it that report a broken assumption)."""
    values = block.parameters("odd")
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "design.xml"
        bench = rtl_object.complete_bench(block, values, pathlib.Path(folder), block.with_assumptions)
        subprocess.run(
            [VERILATOR, "--xml-only", "--xml-output", output, "--Mdir", folder, "-Wno-fatal", "-Wno-lint"]
            + [rtl_object.ASSUMPTIONS, "--top-module", f"{block.top}_probe"]
            + [f"-G{name}={value}" for name, value in values.items()]
            + [f"-I{path}" for path in block.includes]
            + [str(path) for path in [*block.verilated, *bench]],
            check=True,
        )
        design = xml.parse(output)
    labels = {
        begin.get("name").split(".")[-1]
        for begin in design.iter("begin")
        if begin.get("name") and any(_CALL in (call.get("name") or call.get("func") or "") for call in begin.iter())
    }
    return {module.get("origName") for module in design.iter("module")}, labels


class Assumptions(unittest.TestCase):
    def test_every_assumption_is_a_check_in_the_rtl_object(self):
        for name in BLOCKS:
            with self.subTest(block=name):
                block = tree.find(None, name)
                modules, checked = elaborated(block)
                wanted = set()
                for path in block.with_assumptions:
                    # A block may list a shared module that it does not have at this set.
                    if path.parent == block.bench or modules_of(path) & modules:
                        wanted |= set(_LABEL.findall(path.read_text()))
                self.assertEqual(checked, wanted)
                print(f"{name}: {len(wanted)} assumptions checked: {', '.join(sorted(wanted)) or 'none'}")

    def test_every_file_with_assumptions_is_found(self):
        written = {path for path in (ROOT / "tb").rglob("*_properties.sv") if _LABEL.search(path.read_text())}
        found = {path.resolve() for name in BLOCKS for path in tree.find(ROOT, name).with_assumptions}
        self.assertEqual({path.resolve() for path in written} - found, set())

    def test_sets_that_check_them(self):
        """Every block at minimum and odd; elsewhere those of assumptions.json alone, unless the environment says so."""
        for name in BLOCKS:
            block = tree.find(ROOT, name)
            for one in ("minimum", "odd"):
                self.assertTrue(block.checks_assumptions(block.parameters(one)), f"{name} at {one}")
        darsie = tree.find(ROOT, "darsie")
        self.assertFalse(darsie.checks_assumptions(darsie.parameters("large")))
        with unittest.mock.patch.dict("os.environ", CASTOR_ASSUMPTIONS="1"):
            self.assertTrue(darsie.checks_assumptions(darsie.parameters("large")))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
