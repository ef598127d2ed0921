#!/usr/bin/env python3
"""Compiles random functions with castor-cc, runs them on the device and on the host, and reports where they differ.

    device_functions.py CASTOR_CC [--seed N] [--count N] [--first N]      many functions, in files of 50
    device_functions.py CASTOR_CC --seed N --function I [--reduce]        one of them, made smaller as long as it fails
    device_functions.py --seed N --function I --show                      its source

Function I of a seed is the same whatever else is asked for, and so are its inputs and its level of optimisation: files
of 50 functions take -O2, -O0, -O3 and -O1 in turn. All run on the functional machine, the functions of every sixth
file also on a machine with timing. The host's half is compiled at -O0. A report has the source, the first inputs whose
values differ, both values and the command that repeats it. The exit code is 1 if there is a report.
"""

import argparse
import concurrent.futures
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from function_maker import LEAVABLE, Maker  # noqa: E402
from function_source import program  # noqa: E402
from function_reducer import Reducer  # noqa: E402

HERE = Path(__file__).resolve().parent

PER_FILE = 50
LEVELS = ("O2", "O0", "O3", "O1")
#: Every so many files one runs on a machine with timing, too, with a part of its inputs.
TIMED = 6
TIMED_MACHINE = "tiny"
TIMED_SHARE = 6

#: Seconds of wall time after which a compiler or a program counts as hanging.
HANG_SECONDS = 600


class Failure:
    """What became of one function: `what` is "differs", "is not compiled" or "does not run"; `text` says how."""

    def __init__(self, source, level, machine, what, text):
        self.source = source
        self.level = level
        self.machine = machine
        self.what = what
        self.text = text


class Runner:
    """Compiles and runs sources in a folder of its own."""

    def __init__(self, castor_cc, folder, options=()):
        self.castor_cc = castor_cc
        self.folder = Path(folder)
        self.options = list(options)
        self.number = 0

    def compile(self, sources, level, name):
        """The path of the program, or None, and the compiler's messages."""
        path = self.folder / f"{name}.cu"
        path.write_text(program(sources))
        command = [self.castor_cc, f"-{level}", "-fmad=false", "-w", "-I", HERE, *self.options]
        command += ["-Xcompiler", "-O0,-ffp-contract=off", path, "-o", path.with_suffix("")]
        done = run(command)
        return path.with_suffix("") if done.returncode == 0 else None, done.stdout

    def execute(self, path, machine):
        """The exit code and what the program says."""
        environment = {**os.environ, "CASTOR_SET": "run.functional=1"}
        command = [path]
        if machine:
            del environment["CASTOR_SET"]
            environment["CASTOR_PLATFORM"] = machine
            command.append(str(TIMED_SHARE))
        done = run(command, environment)
        return done.returncode, done.stdout

    def failures(self, sources, level, machines=("",), name="functions"):
        """Failures of the sources, which share a file as long as all of them are compiled and run."""
        path, messages = self.compile(sources, level, name)
        if path is None:
            return self.halves(sources, level, machines, name, "is not compiled", messages)
        found = []
        for machine in machines:
            code, text = self.execute(path, machine)
            reports = re.findall(r"^differs (\w+) (.*\n(?:  .*\n)*)", text, re.MULTILINE)
            by_name = {source.name: source for source in sources}
            if code == 1 and reports:
                found += [Failure(by_name[one], level, machine, "differs", rest) for one, rest in reports]
            elif code != 0:
                found += self.halves(sources, level, (machine,), name, "does not run", f"exit code {code}\n{text}")
        path.unlink()
        return found

    def halves(self, sources, level, machines, name, what, text):
        if len(sources) == 1:
            return [Failure(sources[0], level, machines[0], what, f"\n{text}")]
        middle = len(sources) // 2
        return self.failures(sources[:middle], level, machines, f"{name}_1") + self.failures(
            sources[middle:], level, machines, f"{name}_2"
        )


def run(command, environment=None):
    """The finished process, with both of its outputs in one; a process that hangs has the exit code 124."""
    try:
        return subprocess.run(
            [str(word) for word in command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=HANG_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, f"{late.output or ''}\nno end within {HANG_SECONDS} s\n")


def level_of(index):
    return LEVELS[index // PER_FILE % len(LEVELS)]


def machines_of(index):
    return ("", TIMED_MACHINE) if index // PER_FILE % TIMED == TIMED - 1 else ("",)


def repeating(failure, options):
    """The command that repeats a failure."""
    words = [f"tests/fuzz/{Path(__file__).name}", str(options.castor_cc), f"--seed {options.seed}"]
    words += [f"--function {failure.source.index}", f"--level {failure.level}"]
    words += [f"--without {name}" for name in options.without]
    words += ["--plant"] * (options.plant is not None)
    words += [f"--machine {failure.machine}"] if failure.machine else []
    return " ".join(words)


def report(failure, options):
    where = failure.machine or "the functional machine"
    print(f"\n=== function {failure.source.index} of seed {options.seed} {failure.what} at -{failure.level} on {where}")
    print(f"repeat: {repeating(failure, options)}")
    print(failure.source.device_text().rstrip("\n"))
    print(f"{failure.source.name} {failure.text}".rstrip("\n"), flush=True)


def made(options, index):
    source = Maker(options.seed, index, options.without).make()
    source.planted = options.plant == index or (options.plant is not None and options.function == index)
    return source


def check_file(options, folder, first, count):
    """Failures of one file of functions, the last argument the number of them."""
    sources = [made(options, index) for index in range(first, first + count)]
    machines = (options.machine,) if options.machine else machines_of(first)
    return Runner(options.castor_cc, folder, options.option).failures(
        sources, options.level or level_of(first), machines, f"functions_{first}"
    )


def check_many(options, folder):
    """Checks options.count functions. Returns the number of failures."""
    files = []
    first, end = options.first, options.first + options.count
    while first < end:
        last = min(end, first // PER_FILE * PER_FILE + PER_FILE)
        files.append((first, last - first))
        first = last
    found = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for failures in pool.map(lambda one: check_file(options, folder, *one), files):
            for failure in failures:
                report(failure, options)
            found += len(failures)
    print(f"{options.count} functions of seed {options.seed}, {found} failed")
    return found


def check_one(options, folder):
    """Checks options.function; makes it smaller with --reduce. Returns the number of failures."""
    source = made(options, options.function)
    runner = Runner(options.castor_cc, folder, options.option)
    level = options.level or level_of(options.function)
    failures = runner.failures([source], level, (options.machine,), "function")
    if failures and options.reduce:
        reducer = Reducer(lambda sources: runner.failures(sources, level, (options.machine,), "reduced"))
        failures = [reducer.reduce(failures[0])]
    for failure in failures:
        report(failure, options)
    print(f"function {options.function} of seed {options.seed}: {'failed' if failures else 'passed'}")
    return len(failures)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("castor_cc", nargs="?", type=Path, help="castor-cc of a build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="first function (0)")
    parser.add_argument("--count", type=int, default=300, help="number of functions (300)")
    parser.add_argument("--function", type=int, help="this function alone")
    parser.add_argument("--level", choices=LEVELS, help="instead of that of the file")
    parser.add_argument("--machine", default="", help="a machine with timing, instead of the functional one")
    parser.add_argument("--option", action="append", default=[], help="one more option of castor-cc")
    parser.add_argument("--without", action="append", default=[], choices=sorted(LEAVABLE), help="is not drawn")
    parser.add_argument("--reduce", action="store_true", help="make the function smaller as long as it fails")
    parser.add_argument("--show", action="store_true", help="print the program of the function and end")
    parser.add_argument("--plant", nargs="?", type=int, const=-1, help="change a value that this function computes")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time (1)")
    parser.add_argument("--keep", type=Path, help="folder for sources and programs, which stay there")
    options = parser.parse_args()
    if options.castor_cc is None and not options.show:
        parser.error("castor-cc is missing")
    if (options.reduce or options.show) and options.function is None:
        parser.error("--reduce and --show need --function")
    return options


def main():
    options = arguments()
    if options.show:
        print(program([made(options, options.function)]), end="")
        return 0
    with contextlib.ExitStack() as stack:
        if options.keep:
            folder = options.keep
            folder.mkdir(parents=True, exist_ok=True)
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="device-functions-"))
        found = check_many(options, folder) if options.function is None else check_one(options, folder)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
