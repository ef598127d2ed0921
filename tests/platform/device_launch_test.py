#!/usr/bin/env python3
"""Tests of castor-cc's compilation of launches by device code, of its refusals, and of messages of machines without
them.

  device_launch_test.py CASTOR_CC [unittest arguments...]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from processes import HANG_SECONDS  # noqa: E402
from sample import sample  # noqa: E402

CASTOR_CC = None

MAIN = """
#include <cstdio>
int main() {
  int *out = nullptr, value = 0;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  parent<<<1, 1>>>(out);
  const cudaError_t launched = cudaGetLastError();
  cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%s %d\\n", cudaGetErrorName(launched), value);
  return 0;
}
"""
CHILD = "__global__ void child(int* out, int by) { *out += by; }\n"


class DeviceLaunch(unittest.TestCase):
    def compile(self, folder, text, *options, headers=None):
        for name, content in (headers or {}).items():
            (pathlib.Path(folder) / name).write_text(content)
        source = pathlib.Path(folder) / "app.cu"
        source.write_text(text + MAIN)
        return subprocess.run(
            [CASTOR_CC, *options, "app.cu", "-o", "app"],
            cwd=folder,
            text=True,
            capture_output=True,
            timeout=HANG_SECONDS,
        )

    def run_program(self, text, *options, functionals="1", headers=None, machine="pascal_titanx"):
        """Runs the program on the timing GPU (0) and the functional machine (1), as listed in `functionals`, and
        returns the results."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.compile(folder, text, *options, headers=headers)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for functional in functionals:
                environment = {**os.environ, "CASTOR_SET": f"run.functional={functional}", "CASTOR_PLATFORM": machine}
                yield subprocess.run(
                    ["./app"], cwd=folder, env=environment, text=True, capture_output=True, timeout=HANG_SECONDS
                )

    def refused(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            done = self.compile(folder, text, *options)
            self.assertNotEqual(done.returncode, 0)
            return done.stderr

    def gives(self, value, text, *options, headers=None):
        for done in self.run_program(text, *options, headers=headers, functionals="01"):
            self.assertEqual((done.stdout, done.stderr), (f"cudaSuccess {value}\n", ""))

    def test_all_standards_have_launches(self):
        text = CHILD + "namespace n { __global__ void two(int* o) { *o *= 2; } }\n"
        text += "__global__ void parent(int* out) { child<<<1, 1>>>(out, 4); if (out) ::n::two<<<1, 1>>>(out); }"
        for standard in sample("device launch", 2, ("c++11", "c++14", "c++17", "gnu++14")):
            with self.subTest(standard):
                self.gives(8, text, f"-std={standard}")

    def test_launches_of_headers_templates_and_lambdas(self):
        header = "template <class T, int N> __global__ void grow(T* o, T v) { *o += v * N; }\n"
        header += "struct S { template <class T> __device__ void go(T* o)\n"
        header += "{ grow<T, 2> <<<dim3(1), 1 >> 0>>>(o, 3); } };\n"
        text = '#include "app.h"\n' + CHILD
        text += "__global__ void parent(int* out) { S().go(out); auto f = [=] { child<<<1, 1>>>(out, 5); }; f(); f(); }"
        self.gives(16, text, headers={"app.h": header})

    def test_several_launches_of_one_line_and_many_lines(self):
        lines = "\n".join(f"  child<<<1, 1>>>(out, {i}), child<<<1, 1>>>(out, 1);" for i in range(40))
        self.gives(sum(range(40)) + 40, CHILD + "__global__ void parent(int* out) {\n" + lines + "\n}")

    def test_lines_of_messages_stay(self):
        text = CHILD + "__global__ void parent(int* out) {\n  child<<<1,\n    1>>>(out, 4);\n  undeclared();\n}"
        self.assertIn("app.cu:5:3: error: use of undeclared identifier 'undeclared'", self.refused(text))

    def test_a_kernel_stored_in_memory_is_launched_through_it(self):
        text = CHILD + "typedef void (*Kernel)(int*, int);\n"
        text += "__device__ Kernel const table[] = {child};\n"
        text += "__global__ void parent(int* out) { void* b = cudaGetParameterBuffer(64, 12); *(int**)b = out;\n"
        text += "  ((int*)b)[2] = 6; cudaLaunchDevice((void*)table[0], b, dim3(1), dim3(1), 0, 0); }"
        self.gives(6, text)

    def test_kernels_that_cannot_be_found_by_their_arguments_are_refused(self):
        text = "#define KERNEL template <class T> __global__ void\nKERNEL child(T* o) {}\n"
        text += "__global__ void parent(int* o) { child<<<1, 1>>>(o); }"
        self.assertRegex(self.refused(text), "note: .*template arguments.*castor::launch<kernel<int>>")

    def test_kernels_of_headers_are_found_by_their_arguments(self):
        header = "namespace n { template <class T> __global__ void grow(T* o, T by) { *o += by; } }\n"
        header += "#define GROW(o, by) n::grow<<<1, 1>>>(o, by)\n"
        text = '#include "app.h"\n__global__ void parent(int* out) { n::grow<<<1, 1>>>(out, 3); GROW(out, 4); }'
        for standard in sample("headers", 1, ("c++11", "c++17")):
            self.gives(7, text, f"-std={standard}", headers={"app.h": header})

    def test_default_arguments_are_refused(self):
        text = "__global__ void child(int* o, int d = 1) {}\n__global__ void parent(int* o) { child<<<1, 1>>>(o); }"
        self.assertRegex(self.refused(text), "note: .*castor::launch.*default arguments")

    def test_launches_by_macros_and_pointers_in_all_standards(self):
        text = CHILD + "#define GO(k, o) k<<<1, 1>>>(o, 1)\n"
        text += "__global__ void parent(int* o) { GO(child, o); void (*k)(int*, int) = child; k<<<1, 1>>>(o, 4); }"
        for standard in sample("macros", 1, ("c++11", "c++14", "c++17")):
            self.gives(5, text, f"-std={standard}")

    def test_more_launches_than_clang_reports_at_once(self):
        lines = "".join(f"  child<<<1, 1>>>(out, {i});\n  k<<<1, 1>>>(out, 1);\n" for i in range(30))
        body = "void (*k)(T*, int) = child;\n" + lines
        text = CHILD + "template <class T> __global__ void of(T* out) {\n" + body + "}\n"
        text += "__global__ void parent(int* out) { of<<<1, 1>>>(out); }"
        self.gives(sum(range(30)) + 30, text)

    def test_wrong_arguments_are_an_error_at_the_line_of_the_launch(self):
        errors = self.refused(CHILD + '__global__ void parent(int* o) {\n  child<<<1, 1>>>(o, "text");\n}')
        self.assertRegex(errors, r"app\.cu:3:\d+: error: no matching function")

    def test_a_machine_without_such_launches_names_kernel_function_and_line(self):
        text = CHILD + "__device__ __noinline__ void go(int* o) { child<<<1, 1>>>(o, 1); }\n"
        text += "__global__ void parent(int* o) { go(o); }"
        (done,) = self.run_program(text, "-lineinfo", functionals="0", machine="gcn_apu")
        self.assertEqual(done.stdout, "cudaErrorInvalidPtx 0\n")
        place = r"kernel parent\(int\*\), in go\(int\*\) \(.*:2\) launches kernels from"
        self.assertRegex(done.stderr, r"^castor: app\.ptx:\d+:\d+: .*" + place)
        self.assertIn("parse.select_scan) does not support them", done.stderr)
        self.assertIn("run.functional=1", done.stderr)

    def test_arrows_of_the_timeline_lead_from_the_launching_block_to_the_first_of_the_launch(self):
        text = CHILD + "__global__ void parent(int* o) { for (int i = 0; i < 5; ++i) child<<<3, 32>>>(o, 0); }"
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.compile(folder, text).returncode, 0)
            environment = {**os.environ, "CASTOR_TIMELINE": "timeline.json"}
            subprocess.run(
                ["./app"], cwd=folder, env=environment, check=True, timeout=HANG_SECONDS, stdout=subprocess.DEVNULL
            )
            events = json.loads((pathlib.Path(folder) / "timeline.json").read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        blocks = [e for e in events if e.get("cat") == "tb"]
        ends = {phase: {e["id"]: e for e in events if e.get("cat") == "launch" and e["ph"] == phase} for phase in "sf"}
        self.assertEqual((len(ends["s"]), ends["s"].keys()), (5, ends["f"].keys()))
        for number, start in ends["s"].items():
            for end, name in ((start, "parent(int*)"), (ends["f"][number], "child(int*, int)")):
                around = [b["name"] for b in blocks if (b["pid"], b["tid"]) == (end["pid"], end["tid"])
                          and b["ts"] <= end["ts"] <= b["ts"] + b["dur"]]  # fmt: skip
                self.assertIn(name, around)
            self.assertLess(start["ts"], ends["f"][number]["ts"])

    def test_a_child_that_cannot_be_compiled_fails_the_launch_of_the_host(self):
        text = "struct Big { int v[8200]; };\n__global__ void child(int* out, Big b) { *out = b.v[3]; }\n"
        text += "__global__ void parent(int* out) { child<<<1, 1>>>(out, Big{}); }"
        (done,) = self.run_program(text)
        self.assertEqual(done.stdout, "cudaErrorInvalidPtx 0\n")
        self.assertRegex(done.stderr, r"child\(int\*, Big\).* at most 32764")


if __name__ == "__main__":
    CASTOR_CC = sys.argv.pop(1)
    unittest.main()
