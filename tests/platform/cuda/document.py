#!/usr/bin/env python3
"""docs/cuda.md, what CUDA runs: made from programs that show each feature, and from what is said of those that there
are not.

  document.py CASTOR_CC CASTOR DOCUMENT [--write | --sample N]

DOCUMENT    docs/cuda.md; it must be what comes out, unless --write makes it so
--sample N  tries N entries of snippets.txt alone, those whose names have the smallest digests; of the others the page
            is believed

The programs beside this file print "works: section: name" for each feature that they find. Fails if a feature that is
said to work does not, if one that is said to be missing does, and if the page differs. A feature is added as a FEATURE
of a program or as an entry of snippets.txt (which says how); then --write.
"""

import argparse
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))
import bare_headers  # noqa: E402
from processes import HANG_SECONDS  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent

# Sections in the order of the page.
SECTIONS = [
    "Launches",
    "Dynamic parallelism",
    "C++ in device code",
    "Variables",
    "Warps",
    "Atomics",
    "Device functions",
    "Cooperative groups",
    "Textures and surfaces",
    "Tensor cores",
    "Memory",
    "Streams and events",
    "Graphs",
    "Device and kernels",
    "Errors",
    "Driver API",
    "Headers and libraries",
    "PTX",
    "castor-cc",
]

STATES = {
    "works": "work",
    "refused": "are refused",
    "planned": "are planned",
    "reported": "are faults that are reported",
}

BODY = """#include <cuda_runtime.h>
__global__ void kernel(int* out) {{
{code}
}}
int main() {{
  int* out;
  cudaMallocManaged(&out, 64);
  *out = 1;
  kernel<<<1, 1>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess || *out != 0;
}}
"""

PTX = """.version 7.8
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 out) {{
{code}
ret;
}}
"""

APP = """#include <cuda_runtime.h>
__global__ void kernel(int* out) { *out = 42; }
int main() {
  int *out = nullptr, value = 0;
  cudaMalloc(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
  return value != 42;
}
"""

SECOND = """#include <cuda_runtime.h>
__global__ void second(int* out) { *out = 43; }
extern "C" int start_second(int* out) { second<<<1, 1>>>(out); return 0; }
"""

HEAD = """# What CUDA runs

What programs can use, and what happens with the rest. Made by `tests/platform/cuda/document.py` from programs: what
**works** was run and checked its own results; of what is **refused**, or **planned** and not there yet, the message is
what a program like the one tried gets. The test `cuda_document_is_up_to_date` fails if this page is no longer so.

Programs are tried as on a machine without CUDA's libraries: headers that a package has put into the system's include
folders, such as Debian's `libthrust-dev`, are hidden. Where such headers are installed, castor-cc reads them, and its
message about the missing header does not come.

[The maths library](maths.md) has the error of every function beside the bound that CUDA documents.

A feature is added as a `FEATURE` of a program in `tests/platform/cuda`, or as an entry of its `snippets.txt`. Then
`tests/platform/cuda/document.py build/release/bin/castor-cc build/release/bin/castor docs/cuda.md --write` writes the
page.

## The version

Programs and build systems are told CUDA 11.7: `CUDART_VERSION`, `CUDA_VERSION`, `__CUDACC_VER_MAJOR__` and `_MINOR__`,
`cudaRuntimeGetVersion`, `castor-cc --version`, all from `castor_cuda/version.h`. CUDA 11.8 brought `cuda_fp8.h`, which
programs use where the version says that it is there.

| of CUDA | there, though later than 11.7 |
|---|---|
| 11.8 | `cudaLaunchKernelEx`, `cuLaunchKernelEx` |
| 11.8, 12.0 | DPX functions; `cudaGraphInstantiate` and `cudaGraphExecUpdate` as CUDA 12 declares them |
| 12.0 | `cudaStreamTailLaunch`, `cudaStreamFireAndForget` in device code |
| 12.0 | `__ldcs`, `__stcs` ... of bfloat16 for every target, beside a program's own for old ones |
| 12.x | `cooperative_groups::invoke_one`, `num_threads`; `make_half2`, `htanh`; PTX `elect.sync` |

| of CUDA | not there, though no later than 11.7 |
|---|---|
| before 9 | textures, surfaces and arrays; `__managed__`; `cudaIpc...`; other graphics interfaces |
| 9.0 | tensor cores (`mma.h`, `mma.sync`) |
| 10.2 | virtual memory management (`cuMemCreate`) |
| 11.0 | asynchronous copies (`cp.async`, `cuda_pipeline.h`, `mbarrier`) |
| 11.2 | memory pools of one's own |
| 11.3 | `cudaGetDriverEntryPoint`, `cuGetProcAddress` |
| 11.4 | nodes of graphs that allocate memory |
| all | the libraries of the toolkit, Thrust, CUB and libcu++ among them |

"""


class Feature:
    def __init__(self, state, section, name, kind="", code=""):
        self.state, self.section, self.name, self.kind, self.code = state, section, name, kind, code
        self.message, self.wrong = "", ""
        self.row = ""  # row of the page, if the page is trusted


def snippets(path):
    found = []
    for line in path.read_text().splitlines():
        if line.startswith("== "):
            state, kind, section, name = (part.strip() for part in line[3:].split(" | ", 3))
            if state not in STATES or section not in SECTIONS:
                raise SystemExit(f"{path}: no such state or section: {line}")
            found.append(Feature(state, section, name, kind))
        elif found:
            found[-1].code += line + "\n"
    return found


def told_by(source, castor_cc, environment):
    """Returns the features of a program, and the errors of its run."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / source.stem
        subprocess.run(
            [castor_cc, "-std=c++17", "--extended-lambda", source, "-o", program], env=environment, check=True
        )
        done = subprocess.run([program], env=environment, text=True, capture_output=True, timeout=HANG_SECONDS)
    found = []
    for state, section, name in re.findall(r"^(works|fails): (.*?): (.*)$", done.stdout, re.MULTILINE):
        feature = Feature("works", section, name)
        if section not in SECTIONS:
            feature.wrong = "no such section"
        if state == "fails":
            feature.wrong = "the check failed"
        found.append(feature)
    if done.returncode != 0 or not found:
        whole = Feature("works", SECTIONS[0], source.name)
        whole.wrong = f"exit code {done.returncode}, {len(found)} features\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        found.append(whole)
    return found


def message_of(text):
    """Returns the most useful line of a message: the compiler's own note if there is one, otherwise the first error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for wanted in (r"castor-cc: note: .*", r"(castor|castor-cc): .*", r".*\berror: .*", r".+"):
        for line in lines:
            if found := re.search(wanted, line):
                return re.sub(r"\S*/(?=[\w.]+:\d)", "", found.group()).rstrip('"')
    return ""


def try_out(feature, tools, environment):
    """Sets message and error of the feature."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source = folder / ("feature.ptx" if feature.kind == "ptx" else "feature.cu")
        commands = ["castor-cc -std=c++17 -Xcompiler -w feature.cu -o feature", "./feature"]
        if feature.kind == "ptx":
            commands = ["castor list kernels feature.ptx"]
            source.write_text(PTX.format(code=feature.code.rstrip()))
        elif feature.kind == "body":
            source.write_text(BODY.format(code=feature.code.rstrip()))
        elif feature.kind == "cu":
            source.write_text(feature.code)
        else:
            (folder / "app.cu").write_text(APP)
            (folder / "second.cu").write_text(SECOND)
            commands = [line for line in feature.code.splitlines() if line]
        path = os.pathsep.join([*tools, os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-e", "-c", "\n".join(commands)],
            cwd=folder,
            env={**environment, "PATH": path},
            text=True,
            capture_output=True,
            timeout=HANG_SECONDS,
            stdin=subprocess.DEVNULL,
        )
        said = done.stderr + done.stdout
        if feature.state == "works":
            if done.returncode != 0:
                feature.wrong = f"exit code {done.returncode}\n{said[-2000:]}"
            return
        feature.message = message_of(said).replace(str(folder) + "/", "")
        if done.returncode == 0:
            feature.wrong = "it works: say so"
        elif done.returncode < 0 or done.returncode in (126, 127, *range(129, 160)):  # exit codes of bash, and signals
            feature.wrong = f"exit code {done.returncode}\n{said[-2000:]}"
        elif not feature.message:
            feature.wrong = "it fails without a word"


def sampled(features, number):
    """Returns `number` of the features."""
    return sorted(features, key=lambda feature: hashlib.sha256(feature.name.encode()).digest())[:number]


def believe(feature, document):
    """Takes the feature's row from the page. If the page does not have it, the page differs from the generated one."""
    begin = row_without_message(feature)
    feature.row = next((line for line in document.splitlines() if line.startswith(begin)), "")


def cell(text):
    return text.replace("|", "\\|")


def verbatim(text):
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def row_without_message(feature):
    return f"| {cell(feature.name)} | {feature.state} | "


def page(features):
    text = HEAD + f"{len(features)} features: "
    text += ", ".join(f"{sum(f.state == state for f in features)} {verb}" for state, verb in STATES.items()) + ".\n"
    for section in SECTIONS:
        of_section = [feature for feature in features if feature.section == section]
        works = [feature for feature in of_section if feature.state == "works"]
        rest = [feature for feature in of_section if feature.state != "works"]
        if not of_section:
            continue
        text += f"\n## {section}\n"
        if works:
            text += "\n**Works**\n\n" + "".join(f"* {feature.name}\n" for feature in works)
        if rest:
            text += "\n| | state | message |\n|---|---|---|\n"
            for feature in rest:
                text += feature.row or f"{row_without_message(feature)}{cell(verbatim(feature.message))} |"
                text += "\n"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("castor_cc", type=pathlib.Path)
    parser.add_argument("castor", type=pathlib.Path)
    parser.add_argument("document", type=pathlib.Path)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--write", action="store_true")
    how.add_argument("--sample", type=int, metavar="N")
    request = parser.parse_args()
    root = tempfile.TemporaryDirectory()
    environment = {**bare_headers.make(root.name), "NO_COLOR": "1"}
    tools = {str(tool.resolve().parent) for tool in (request.castor_cc, request.castor)}

    stands = request.document.read_text() if request.document.exists() else ""
    small = snippets(HERE / "snippets.txt")
    chosen = small if request.sample is None else sampled(small, request.sample)
    for feature in small:
        if feature not in chosen:
            believe(feature, stands)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = pool.map(lambda source: told_by(source, request.castor_cc, environment), sorted(HERE.glob("*.cu")))
        tried = pool.map(lambda feature: try_out(feature, tools, environment), chosen)
        features = [feature for program in told for feature in program]
        list(tried)
    features += small

    wrong = [feature for feature in features if feature.wrong]
    for feature in wrong:
        print(f"{feature.section}: {feature.name} ({feature.state}): {feature.wrong}", file=sys.stderr)
    made = page(features)
    if request.write:
        request.document.write_text(made)
        stands = made
    sys.stdout.writelines(
        difflib.unified_diff(stands.splitlines(True), made.splitlines(True), str(request.document), "what is so")
    )
    return 1 if wrong or stands != made else 0


if __name__ == "__main__":
    sys.exit(main())
