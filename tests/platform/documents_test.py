#!/usr/bin/env python3
"""Commands of README and guides, typed as they stand into a folder that has the tree's folders and what a user brings.

  documents_test.py BUILD [unittest arguments...]

Commands that take a minute or more are left out unless CASTOR_LONG is 1 (some 40 minutes). The guide to a block of
one's own is typed by tests/install/guide_test.py.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests" / "install"))

from package import shell_blocks  # noqa: E402

BUILD = None
GUIDES = ("running", "looking", "python", "experiments")
DOCUMENTS = ("README.md", *(f"docs/guides/{guide}.md" for guide in GUIDES))

APP = """#include <cuda_runtime.h>
__global__ void fill(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}
int main() {
  int* out = nullptr;
  int last = 0;
  cudaMalloc(&out, 4000);
  fill<<<4, 256>>>(out, 1000);
  cudaMemcpy(&last, out + 999, 4, cudaMemcpyDeviceToHost);
  return last != 999;
}
"""

SAXPY = """extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""

# Beginnings of commands that are not typed here.
NOT_HERE = (
    "platforms/quickstart.sh",  # makes the build that this test has
    "tests/run.sh",  # runs this test
    "cmake/install-packages.sh",  # needs root
    "gtkwave",  # opens a window
)
LONG = (
    "castor cosim lax --cycles 1000000",
    "castor area lax",
    "castor experiment",
    "/usr/bin/python3 platforms/examples/python/look.py",  # of an experiment's results
)


def commands(document):
    """The commands of a document's sh blocks: lines, with those that a backslash or a here-document continues."""
    found, until = [], None
    for block in shell_blocks(document):
        going_on = False
        for line in block.splitlines():
            if until is not None or going_on:
                found[-1] += "\n" + line
                if line == until:
                    until = None
            elif line.strip():
                found.append(line)
            if here := re.search(r"<<'?(\w+)'?$", line):
                until = here.group(1)
            going_on = line.endswith("\\")
    return found


class Documents(unittest.TestCase):
    def type_in(self, name):
        """Types what `name` says into one shell; returns what was printed."""
        left_out = NOT_HERE if os.environ.get("CASTOR_LONG") == "1" else NOT_HERE + LONG
        script = ["set -e", *(line for line in commands(TREE / name) if not line.startswith(left_out))]
        self.assertGreater(len(script), 2, "hardly any command")
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for part in ("sw", "platforms", "waveforms", "docs"):
                (folder / part).symlink_to(TREE / part)
            (folder / "build").mkdir()
            (folder / "build" / "release").symlink_to(BUILD)
            (folder / "app.cu").write_text(APP)
            (folder / "saxpy.cu").write_text(SAXPY)
            (folder / "Makefile").write_text("check: app\n\t./app\n\t./app\n")
            began = time.monotonic()
            done = subprocess.run(
                ["bash", "-c", "\n".join(script)],
                cwd=folder,
                env={**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}", "CASTOR_PROGRESS": "0"},
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            print(f"{name}: {len(script) - 1} commands, {time.monotonic() - began:.0f} s", file=sys.stderr)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])
            return done.stdout, {path.name for path in folder.iterdir()}

    def test_readme(self):
        output, files = self.type_in("README.md")
        self.assertIn("2 4 6", re.sub(r"[\s,]+", " ", output), "y = 2 x + y of 0, 1, 2 ...")
        self.assertLessEqual({"app.json", "app-timeline.json", "r.json", "r.2.json", "lax.vcd", "lax.gtkw"}, files)
        self.assertIn("pascal_titanx", output)

    def test_guide_to_running(self):
        output, files = self.type_in("docs/guides/running.md")
        self.assertIn("app.json", files)
        self.assertRegex(output, r"_Z3add|add\(")

    def test_guide_to_looking(self):
        output, files = self.type_in("docs/guides/looking.md")
        self.assertLessEqual({"run.json", "run-timeline.json", "run.vcd", "again.json"}, files)
        hashes = re.findall(r"json: *\"statistics_hash\": \"(\w+)\"", output)
        self.assertEqual(len(hashes), 2, output)
        self.assertEqual(hashes[0], hashes[1])

    def test_guide_to_python(self):
        _, files = self.type_in("docs/guides/python.md")
        self.assertIn("run.json", files)

    @unittest.skipUnless(os.environ.get("CASTOR_LONG") == "1", "half an hour: CASTOR_LONG=1")
    def test_guide_to_experiments(self):
        _, files = self.type_in("docs/guides/experiments.md")
        self.assertLessEqual({"castor-lax", "castor-saws", "castor-darsie", "castor-fidelity"}, files)

    def test_what_is_left_out_is_in_the_documents(self):
        typed = [command for name in DOCUMENTS for command in commands(TREE / name)]
        for begin in NOT_HERE + LONG:
            self.assertTrue(any(command.startswith(begin) for command in typed), begin)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
