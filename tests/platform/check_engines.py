#!/usr/bin/env python3
"""Runs a program on a machine with a block as cycle model, as RTL and as both in lockstep, and compares what it prints,
its whole report and the waves of a scope: nothing may differ but the key that says which of them it was.

  check_engines.py BLOCK MACHINE SCOPE COUNTERS PROGRAM ARGUMENTS...

MACHINE may have keys behind it (NAME,chip.sms=1,compile.marks=1). SCOPE is that of the waves, COUNTERS a group of
statistics (a.b) of which one at least must have counted. Each of ARGUMENTS is one run, its words in one
("--n 100 --seed 2").
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ENGINES = ("model", "rtl", "lockstep")


def run(program, arguments, block, machine, engine, scope, group, report):
    machine, *keys = machine.split(",")
    environment = dict(
        os.environ,
        CASTOR_PLATFORM=machine,
        CASTOR_REPORT=report,
        CASTOR_SET=";".join(keys + [f"blocks.{block}.enable=1", f"blocks.{block}.engine={engine}"]),
        CASTOR_WAVE=report + ".vcd",
        CASTOR_WAVE_SCOPE=scope,
    )
    done = subprocess.run(
        [program] + shlex.split(arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        env=environment,
        check=False,
    )
    if done.returncode != 0 or not re.search(r"PASS |, 0 wrong, ", done.stdout):
        sys.exit(f"{engine}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    with open(report + ".vcd", encoding="utf-8") as file:
        waves = file.read()
    counters = result["statistics"]
    for name in group.split("."):
        counters = counters[name]
    if not any(counters.values()) or waves.count("$var") < 10 or waves.count("\n#") < 100:
        sys.exit(f"{engine}: nothing counted or no waves")
    return done.stdout, result, waves


def differences(one, other, path=""):
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield f"{path}: {one} and {other}"


def main():
    block, machine, scope, group, program, *runs = sys.argv[1:]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for arguments in runs:
            results = {
                engine: run(program, arguments, block, machine, engine, scope, group, os.path.join(folder, engine))
                for engine in ENGINES
            }
            key = f"blocks.{block}.engine"
            for engine in ENGINES:
                value = results[engine][1]["configuration"]["keys"].pop(key)["value"]
                if value != engine:
                    sys.exit(f"the report says {value}, asked was {engine}")
            for engine in ENGINES[1:]:
                found = list(differences(results["model"][1], results[engine][1]))
                if results["model"][0] != results[engine][0]:
                    found.append("what is printed")
                if results["model"][2] != results[engine][2]:
                    found.append("waves")
                bad += bool(found)
                print(
                    f"{arguments}: model and {engine}: {'; '.join(found[:10]) or 'equal'}, "
                    f"{results[engine][1]['cycles']} cycles"
                )
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
