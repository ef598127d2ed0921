#!/usr/bin/env python3
"""cmake --install after a build of a part: the first step of the installation knows every file of the build folder that
an install rule names, target castor_installed makes all of them, and the step builds it when one is missing.

  complete_test.py BUILD [unittest arguments...]
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
SCRIPT = BUILD / "castor_complete.cmake"

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(Part NONE)
add_custom_target(castor_installed COMMAND "${CMAKE_COMMAND}" -P "${CMAKE_CURRENT_SOURCE_DIR}/build.cmake")
"""


def rules():
    """Scripts of install rules: the one of the build folder and those that it includes."""
    scripts, todo = [], [BUILD / "cmake_install.cmake"]
    while todo:
        scripts.append(todo.pop())
        todo += map(Path, re.findall(r'include\("([^"]*/cmake_install\.cmake)"\)', scripts[-1].read_text()))
    return scripts


def installed_files():
    """Files and folders of the build folder that are installed and that CMake itself has not written."""
    found = set()
    for script in rules():
        for kind, names in re.findall(
            r'file\(INSTALL DESTINATION "[^"]*" TYPE (\w+).*? FILES((?:\s+"[^"]*")*)', script.read_text()
        ):
            found |= {(kind, name) for name in re.findall(r'"([^"]*)"', names) if name.startswith(f"{BUILD}/")}
    written = (f"{BUILD}/share/castor/package/CastorConfig", f"{BUILD}/CMakeFiles/")
    return {(kind, name) for kind, name in found if not name.startswith(written)}


def listed():
    return re.findall(r'^ +"([^"]*)"\)?$', SCRIPT.read_text(), re.MULTILINE)


class Complete(unittest.TestCase):
    def test_every_installed_file_of_the_build_is_looked_for(self):
        files = installed_files()
        self.assertGreater(len(files), 30, "hardly any install rule was read")
        known = set(listed())
        for kind, name in files:
            if kind == "DIRECTORY":
                self.assertTrue(any(one.startswith(name + "/") for one in known), name)
            else:
                self.assertIn(name, known)

    def test_the_target_makes_every_file_that_is_looked_for(self):
        words = ["ninja", "-C", BUILD, "-t", "graph", "castor_installed"]
        graph = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        made = set(re.findall(r'label="([^"]*)"', graph))
        # The graph has one output of each statement.
        for line in re.findall(r"^build (.*?): ", (BUILD / "build.ninja").read_text(), re.MULTILINE):
            outputs = re.split(r"(?<!\$) ", line)
            if made.intersection(outputs):
                made.update(outputs)
        self.assertEqual({str(Path(name).relative_to(BUILD)) for name in listed()} - made, set())

    def part(self):
        """A build folder in which nothing is built, and the step over it."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = Path(holder.name)
        (folder / "CMakeLists.txt").write_text(PROJECT)
        build = folder / "build"
        subprocess.run(["cmake", "-G", "Ninja", "-B", build, folder], check=True, capture_output=True)
        (folder / "step.cmake").write_text(SCRIPT.read_text().replace(str(BUILD), str(build)))
        return folder, [name.replace(str(BUILD), str(build)) for name in listed()]

    def step(self, folder):
        return subprocess.run(["cmake", "-P", folder / "step.cmake"], capture_output=True, text=True)

    def test_what_is_missing_is_built_once(self):
        folder, files = self.part()
        touch = "".join(f'file(WRITE "{name}" "")\n' for name in files)
        (folder / "build.cmake").write_text(f'{touch}file(APPEND "{folder}/times" "built\\n")\n')
        for _ in range(2):
            done = self.step(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((folder / "times").read_text(), "built\n")
        Path(files[-1]).unlink()
        done = self.step(folder)
        self.assertIn("1 files", done.stdout + done.stderr)
        self.assertEqual((folder / "times").read_text(), "built\n" * 2)

    def test_nothing_is_installed_if_the_build_fails(self):
        folder, _ = self.part()
        (folder / "build.cmake").write_text('message(FATAL_ERROR "no compiler")\n')
        done = self.step(folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Nothing was installed", done.stderr)


if __name__ == "__main__":
    del sys.argv[1]
    unittest.main(verbosity=2)
