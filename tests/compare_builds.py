#!/usr/bin/env python3
"""Runs the CUDA programs of sw/kernels on two builds of Castor and compares what they print and report.

  compare_builds.py BUILD OTHER_BUILD [MACHINE...]

The programs are those that the first build has compiled, with the arguments of its tests; they meet the second build
through the library path. Each runs on the timing GPU of every MACHINE (default: kepler_k20c and gcn_apu), the report with
the hash of all statistics, and on the functional machine.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def library_folder(build):
    found = sorted(build.rglob("libcastor_cudart.so"))
    if not found:
        sys.exit(f"no libcastor_cudart.so in {build}")
    return found[0].parent


def programs(build):
    """(program, arguments, machines) of the tests kernel_<name>_timing"""
    listed = subprocess.run(["ctest", "--show-only=json-v1", "-R", "^kernel_.*_timing$"], cwd=build, check=True,
                            stdout=subprocess.PIPE, universal_newlines=True)
    for test in json.loads(listed.stdout)["tests"]:
        program, arguments, *machines = test["command"][2:]
        yield program, arguments.split(), machines


def run(library, program, arguments, settings):
    """What a run says: exit code, standard output, standard error, report"""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        environment = dict(os.environ, LD_LIBRARY_PATH=str(library), CASTOR_REPORT=str(report), **settings)
        done = subprocess.run([program] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                              check=False)
        content = json.loads(report.read_text()) if report.exists() else {}
        content.pop("versions", None)  # of the compiler, among others
        return {"exit code": done.returncode, "output": done.stdout, "error output": done.stderr, "report": content}


def compare(libraries, program, arguments, settings):
    """Lines that say what differs."""
    first, second = (run(library, program, arguments, settings) for library in libraries)
    name = f"{pathlib.Path(program).name} {' '.join(arguments)} {settings}"
    differing = [f"{name}: the {what} differs" for what in first if first[what] != second[what]]
    if not first["report"]:
        differing.append(f"{name}: no report")
    return differing


def main():
    builds = [pathlib.Path(word).resolve() for word in sys.argv[1:3]]
    wanted = sys.argv[3:] or ["kepler_k20c", "gcn_apu"]
    libraries = [library_folder(build) for build in builds]
    work = []
    for program, arguments, machines in programs(builds[0]):
        # A program that ignored the library path would be compared with itself.
        linked = subprocess.run(["ldd", program], stdout=subprocess.PIPE, universal_newlines=True, check=True,
                                env=dict(os.environ, LD_LIBRARY_PATH=str(libraries[1])))
        if str(libraries[1]) not in linked.stdout:
            sys.exit(f"{program} does not follow LD_LIBRARY_PATH")
        settings = [{"CASTOR_PLATFORM": machine} for machine in wanted if machine in machines]
        settings.append({"CASTOR_SET": "run.functional=1"})
        work += [(libraries, program, arguments, one) for one in settings]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        differing = [line for lines in pool.map(lambda one: compare(*one), work) for line in lines]
    print("\n".join(differing))
    print(f"{len(work)} runs compared on two builds, {len(differing)} differences")
    return 1 if differing or not work else 0


if __name__ == "__main__":
    sys.exit(main())
