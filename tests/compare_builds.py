#!/usr/bin/env python3
"""Runs the CUDA programs of sw/kernels on two builds of Castor and compares what they print and report.

  compare_builds.py [--versions] [--set KEY=VALUE[;KEY=VALUE...]]... BUILD OTHER_BUILD [MACHINE...]

The programs are those that the first build has compiled, with the arguments of its tests; they meet the second build
through the library path. Each runs on the timing GPU of every MACHINE (default: kepler_k20c and gcn_apu; all: every one
that runs it), the report with the hash of all statistics, and on the functional machine. The first build is configured
with -DCASTOR_TEST_MATRIX=ON: only then do its tests name every machine that runs a program.

--set adds a run on every machine with these keys, for example --set blocks.saws.enable=1. Where both builds refuse the
machine with them, there is nothing to compare, and it is counted as refused.
--versions says that the builds are of different versions of Castor: what a report says of its configuration and of the
meaning of statistics may differ, their values (the hash), cycles, output and exit codes may not.
"""

import argparse
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
    listed = subprocess.run(
        ["ctest", "--show-only=json-v1", "-R", "^kernel_.*_timing$"],
        cwd=build,
        check=True,
        stdout=subprocess.PIPE,
        universal_newlines=True,
    )
    for test in json.loads(listed.stdout)["tests"]:
        command = test["command"]
        if "--keep" in command:  # programs in several forms have another script
            program, arguments, *machines = command[command.index("--keep") + 2 :]
            yield program, arguments.split(), machines


def run(library, program, arguments, settings):
    """What a run says: exit code, standard output, standard error, report"""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        environment = dict(os.environ, LD_LIBRARY_PATH=str(library), CASTOR_REPORT=str(report), **settings)
        done = subprocess.run(
            [program] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False
        )
        text = report.read_text() if report.exists() else ""  # a run whose machine is refused leaves the file empty
        content = json.loads(text) if text else {}
        content.pop("versions", None)  # versions of the compiler, among others
        return {"exit code": done.returncode, "output": done.stdout, "error output": done.stderr, "report": content}


def lasting(result):
    """What two versions of Castor have in common of a run."""
    kept = ("statistics_hash", "cycles", "warp_instructions")
    return {
        "exit code": result["exit code"],
        "output": result["output"],
        "report": {key: result["report"].get(key) for key in kept},
    }


def compare(libraries, program, arguments, settings, versions):
    """Lines that say what differs; None if both refuse the machine."""
    first, second = (run(library, program, arguments, settings) for library in libraries)
    if "blocks." in settings.get("CASTOR_SET", "") and first["exit code"] == second["exit code"] == 2:
        return None
    name = f"{pathlib.Path(program).name} {' '.join(arguments)} {settings}"
    if not first["report"]:
        return [f"{name}: no report"]
    if versions:
        first, second = lasting(first), lasting(second)
    return [f"{name}: the {what} differs" for what in first if first[what] != second[what]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("machine", nargs="*", default=["kepler_k20c", "gcn_apu"])
    options = parser.parse_args()
    builds = [options.build.resolve(), options.other.resolve()]
    if "CASTOR_TEST_MATRIX:BOOL=ON" not in (builds[0] / "CMakeCache.txt").read_text():
        sys.exit(f"{builds[0]}: its tests name a sample of the machines; configure it with -DCASTOR_TEST_MATRIX=ON")
    libraries = [library_folder(build) for build in builds]
    work = []
    for program, arguments, machines in programs(builds[0]):
        # A program that ignored the library path would be compared with itself.
        linked = subprocess.run(
            ["ldd", program],
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=True,
            env=dict(os.environ, LD_LIBRARY_PATH=str(libraries[1])),
        )
        if str(libraries[1]) not in linked.stdout:
            sys.exit(f"{program} does not follow LD_LIBRARY_PATH")
        wanted = machines if options.machine == ["all"] else [one for one in options.machine if one in machines]
        settings = [{"CASTOR_PLATFORM": machine} for machine in wanted]
        settings += [{"CASTOR_PLATFORM": machine, "CASTOR_SET": keys} for keys in options.set for machine in wanted]
        settings.append({"CASTOR_SET": "run.functional=1"})
        work += [(libraries, program, arguments, one, options.versions) for one in settings]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda one: compare(*one), work))
    refused = sum(lines is None for lines in results)
    differing = [line for lines in results if lines for line in lines]
    print("\n".join(differing))
    print(f"{len(work) - refused} runs compared on two builds, {len(differing)} differences; {refused} refused by both")
    return 1 if differing or len(work) == refused else 0


if __name__ == "__main__":
    sys.exit(main())
