"""Commands of README and guides as a user types them: from the tree's build (tests/platform/documents_test.py) and from
an installed package (documents_test.py here)."""

import os
import re
import subprocess
import sys
import time

from package import shell_blocks

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
    "platforms/quickstart.sh",  # makes the build that this test uses
    "tests/run.sh",  # runs this test
    "cmake/install-packages.sh",  # needs root
    "gtkwave",  # opens a window
)
LONG = (
    "castor cosim lax  ",
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


class TypedDocuments:
    """Cases over documents below `self.documents`; `self.lay_out(folder)` puts there what they expect of a folder."""

    def type_document(self, folder, name, environment):
        """Types what `name` says into one shell in the empty `folder`; returns what was printed, and names of files."""
        left_out = NOT_HERE if os.environ.get("CASTOR_LONG") == "1" else NOT_HERE + LONG
        script = ["set -e", *(line for line in commands(self.documents / name) if not line.startswith(left_out))]
        self.assertGreater(len(script), 2, "hardly any command")
        self.lay_out(folder)
        if name != "README.md":  # names files of the tree only
            (folder / "app.cu").write_text(APP)
            (folder / "saxpy.cu").write_text(SAXPY)
        began = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", "\n".join(script)],
            cwd=folder,
            env={**environment, "CASTOR_PROGRESS": "0"},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        print(f"{name}: {len(script) - 1} commands, {time.monotonic() - began:.0f} s", file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout, {path.name for path in folder.iterdir()}

    def check_readme(self, *where):
        output, files = self.type_document(*where)
        self.assertIn("2 4 6", re.sub(r"[\s,]+", " ", output), "y = 2 x + y of 0, 1, 2 ...")
        self.assertLessEqual({"app.json", "app-timeline.json", "r.json", "r.2.json", "lax.vcd", "lax.gtkw"}, files)
        self.assertIn("pascal_titanx", output)

    def check_running(self, *where):
        output, files = self.type_document(*where)
        self.assertIn("app.json", files)
        self.assertRegex(output, r"_Z3add|add\(")

    def check_looking(self, *where):
        output, files = self.type_document(*where)
        self.assertLessEqual({"run.json", "run-timeline.json", "run.vcd", "again.json"}, files)
        hashes = re.findall(r"json: *\"statistics_hash\": \"(\w+)\"", output)
        self.assertEqual(len(hashes), 2, output)
        self.assertEqual(hashes[0], hashes[1])

    def check_python(self, *where):
        _, files = self.type_document(*where)
        self.assertIn("run.json", files)
