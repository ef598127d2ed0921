#!/usr/bin/env python3
"""Tests of the `castor` command as people use it: misspelled words, programs that open no device or several, names of
kernels, completion, man pages, colour.

  command_line_test.py CASTOR CASTOR_CC [unittest arguments...]
"""

import atexit
import functools
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402
from processes import HANG_SECONDS, lives, until  # noqa: E402

CASTOR = CASTOR_CC = None

PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>

extern "C" __global__ void plain(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void i(int* out) { out[threadIdx.x] += 1; }
template <int N> __global__ void scale(int* out) { out[threadIdx.x] *= N; }
namespace { __global__ void hidden(int* out) { out[threadIdx.x] += 5; } }
template <class F> __global__ void apply(int* out, F f) { out[threadIdx.x] = f(out[threadIdx.x]); }

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "none") == 0) return argc > 2 ? std::atoi(argv[2]) : 0;
  int* out;
  cudaMalloc(&out, 128);
  plain<<<1, 32>>>(out);
  if (argc > 1 && std::strcmp(argv[1], "far") == 0) scale<4><<<1, 64>>>(out + 10);
  i<<<1, 32>>>(out);
  scale<3><<<1, 32>>>(out);
  hidden<<<1, 32>>>(out);
  apply<<<1, 32>>>(out, [] __device__(int x) { return x + 7; });
  int result = 0;
  const cudaError_t error = cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%s %d %s\n", cudaGetErrorName(error), result, argc > 1 ? argv[1] : "");
  if (argc > 1 && std::strcmp(argv[1], "abort") == 0) std::abort();
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
"""
READABLE = ["plain", "i", "void scale<3>(int*)", "(anonymous namespace)::hidden(int*)"]
NAMES = ["plain", "i", "_Z5scaleILi3EEvPi"]


@functools.lru_cache(maxsize=None)
def program():
    """PROGRAM, compiled once for all cases."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, "prog")
    pathlib.Path(path + ".cu").write_text(PROGRAM)
    subprocess.run([CASTOR_CC, "-O1", "-o", path, path + ".cu"], check=True)
    return path


class Case(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.program = program()

    def settings(self):
        return {"PATH": os.path.dirname(CASTOR) + ":" + os.environ["PATH"]}

    def command(self, *words, environment=None):
        return self.run_command(words, environment)

    def castor(self, *words, code=0, environment=None):
        done = self.command(CASTOR, *words, environment=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def report(self, name="r.json"):
        return json.loads((self.path / name).read_text())

    def files(self):
        return sorted(path.name for path in self.path.iterdir())


class MisspelledWords(Case):
    def test_are_named_with_what_was_meant(self):
        for words, bad, meant in (
            (["runn"], "castor has no command 'runn'", "did you mean run?"),
            (["lsit"], "castor has no command 'lsit'", "did you mean list?"),
            (["runn", "--help"], "castor has no command 'runn'", "did you mean run?"),
            (["list", "platform"], "castor list has no command 'platform'", "did you mean platforms?"),
            (["run", "--platfrom", "tiny", "x"], "castor run has no option --platfrom", "did you mean --platform?"),
            (["run", "--platfrom=tiny", "x"], "castor run has no option --platfrom", "did you mean --platform?"),
            (["run", "--sumary", "x"], "castor run has no option --sumary", "did you mean --summary?"),
            (["cosim", "lax", "--cycle", "5"], "castor cosim has no option --cycle", "did you mean --cycles?"),
            (["elaborate", "tiny", "x"], "castor elaborate does not expect 'x'", "castor elaborate --help"),
            (["help", "elaborat"], "castor has no command 'elaborat'", "did you mean elaborate?"),
            (["cosim", "laxx"], "no block 'laxx'", "did you mean lax?"),
            (["list", "blocks", "swas"], "no block 'swas'", "did you mean saws?"),
            (["list", "instructions", "popcc"], "no instruction 'popcc'", "did you mean popc?"),
            (["elaborate", "tinny"], 'unknown machine "tinny"', "did you mean tiny?"),
            (["new-block", "b", "--hook", "dispach"], "no hook 'dispach'", "did you mean dispatch?"),
            (["run", "-p", "kepler_k20", self.program], 'unknown machine "kepler_k20"', "did you mean kepler_k20c?"),
            (["run", "--set", "chip.smss=1", self.program], "chip.smss", "did you mean chip.sms?"),
        ):
            done = self.castor(*words, code=2)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(bad, done.stderr)
            self.assertIn(meant, done.stderr)
            self.assertRegex(done.stderr, r"^castor: (command line: )?error ")
            self.assertEqual(done.stdout, "")

    def test_far_ones_are_named_without_a_guess(self):
        done = self.castor("elephant", code=2)
        self.assertEqual(done.stderr, "castor: error castor has no command 'elephant' (castor --help lists them)\n")

    def test_of_experiments(self):
        done = self.castor("experiment", "swas", code=2)
        self.assertRegex(done.stderr, "castor experiment has no command 'swas' .did you mean saws?")

    def test_help_is_a_command(self):
        for words, option in (
            (["help"], ["--help"]),
            (["help", "run"], ["run", "--help"]),
            (["help", "list", "kernels"], ["list", "kernels", "--help"]),
            (["help", "help"], ["--help"]),
        ):
            self.assertEqual(self.castor(*words).stdout, self.castor(*option).stdout)
        self.assertIn("--platform", self.castor("help", "run").stdout)


class Devices(Case):
    """Messages about a program that opens no device, or several."""

    def test_machine_and_keys_are_looked_at_before_anything_is_started(self):
        script = self.path / "script"
        script.write_text("#!/bin/sh\ntouch started\n")
        script.chmod(0o755)
        for words, environment, said in (
            (["-p", "nonsense"], {}, "nonsense"),
            (["--set", "chip.sms=lots"], {}, "chip.sms"),
            (["--set", "no.such=1"], {}, "no.such"),
            (["--replay", "missing"], {}, "missing"),
            (["--marks", "missing"], {}, "compile.marks"),
            (["--functional", "--wave", "w.vcd"], {}, "functional"),
            ([], {"CASTOR_PLATFORM": "nonsense"}, "nonsense"),
            ([], {"CASTOR_SET": "chip.sms=lots"}, "chip.sms"),
            (["--report", "no/such/r.json"], {}, "no/such"),
        ):
            done = self.castor("run", *words, script, code=2, environment=environment)
            self.assertIn(said, done.stderr)
            self.assertEqual(self.files(), ["script"], words)

    def test_none_is_said_and_leaves_no_file(self):
        done = self.castor("run", "/bin/true")
        self.assertRegex(done.stderr, r"^castor: warning: neither '/bin/true' nor .* opened a device.*\n$")
        self.assertEqual(self.castor("run", self.program, "none", "3", code=3).stderr.count("warning"), 1)
        done = self.castor("run", "--report", "r.json", "--timeline", "t.json", "--wave", "w.vcd", "/bin/true", code=2)
        self.assertRegex(done.stderr, r"^castor: error neither .*nothing was written to r\.json, t\.json, w\.vcd")
        self.assertEqual(self.files(), [])
        self.castor("run", "--report", "r.json", self.program, "none", "3", code=3)
        self.assertEqual(self.files(), [])

    def test_an_older_report_stays_as_it_was(self):
        (self.path / "r.json").write_text("old")
        self.castor("run", "--report", "r.json", "/bin/true", code=2)
        self.assertEqual((self.path / "r.json").read_text(), "old")

    def test_one_behind_a_script_is_as_without(self):
        self.castor("run", "-ptiny", "--report", "r.json", self.program)
        alone = self.report()
        (self.path / "r.json").unlink()
        done = self.castor(
            "run", "-ptiny", "--report", "r.json", "sh", "-c", f"exec {shlex.quote(str(self.program))} x 7", code=7
        )
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.report()["statistics_hash"], alone["statistics_hash"])
        # Python closes file descriptors that it does not know when it starts a program.
        code = f"import subprocess; subprocess.run(['{self.program}'], close_fds=True)"
        done = self.castor("run", "-ptiny", "--report", "p.json", sys.executable, "-c", code)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.report("p.json")["statistics_hash"], alone["statistics_hash"])

    def test_several_have_files_of_their_own(self):
        (self.path / "Makefile").write_text(f"all: a b c\na b c:\n\t@{self.program} $@\n")
        for jobs in ("1", "3"):
            done = self.castor(
                "run", "-ptiny", "--report", f"r{jobs}.json", "--timeline", "t.json", "make", f"-j{jobs}"
            )
            self.assertEqual(sorted(done.stdout.splitlines()), [f"cudaSuccess 18 {word}" for word in "abc"])
            hashes = {self.report(f"r{jobs}{n}.json")["statistics_hash"] for n in ("", ".2", ".3")}
            self.assertEqual(len(hashes), 1)
            for name in ("t.json", "t.2.json", "t.3.json"):
                self.assertGreater(len(json.loads((self.path / name).read_text())["traceEvents"]), 10)
                (self.path / name).unlink()
            self.assertIn("3 processes have opened a device", done.stderr)
            self.assertRegex(done.stderr, rf"prog \(process \d+\): .*/r{jobs}\.2\.json, .*/t\.2\.json")
            self.assertNotIn(f"r{jobs}.4.json", self.files())

    def test_runs_inside_a_run(self):
        castor, program = shlex.quote(str(CASTOR)), shlex.quote(str(self.program))
        script = f"{castor} run --report b.json {program} && {program}"
        done = self.castor("run", "-ptiny", "--report", "a.json", "sh", "-c", script)
        self.assertEqual(self.files(), ["a.json", "b.json"])
        self.assertEqual(self.report("b.json")["machine"], "tiny")
        self.assertNotIn("neither", done.stderr)
        self.castor("run", "-ptiny", "--report", "c.json", CASTOR, "run", self.program)
        self.assertEqual(self.files(), ["a.json", "b.json", "c.json"])

    def test_devices_are_files_of_all(self):
        done = self.castor("run", "-ptiny", "--report", "/dev/fd/1", self.program)
        self.assertEqual(json.loads(done.stdout[done.stdout.index("{") :])["machine"], "tiny")

    def test_a_signal_ends_the_command_as_it_ends_the_program(self):
        done = self.command(CASTOR, "run", "-ptiny", self.program, "abort")
        self.assertEqual(done.returncode, -signal.SIGABRT)
        done = self.command(CASTOR, "run", "no-such-program")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^castor: error cannot run 'no-such-program': No such file")

    def test_signals_are_passed_on_and_nothing_is_left_behind(self):
        # A signal that arrives before sigwait is called stays pending.
        waits = (
            "import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM}); "
            "print(os.getpid(), flush=True); signal.sigwait({signal.SIGTERM}); os._exit(9)"
        )
        for sent, code in ((signal.SIGTERM, 9), (signal.SIGKILL, -signal.SIGKILL)):
            process = subprocess.Popen(
                [CASTOR, "run", sys.executable, "-c", waits],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                universal_newlines=True,
                env=self.environment({}),
            )
            pid = int(process.stdout.readline())
            process.send_signal(sent)
            self.assertEqual(process.wait(timeout=HANG_SECONDS), code)
            process.stdout.close()
            until(lambda: not lives(pid), f"program {pid} ends with the command")


class Names(Case):
    def test_are_readable_for_people_and_as_they_are_for_programs(self):
        done = self.castor("run", "-ptiny", "--summary", "--report", "r.json", "--timeline", "t.json", self.program)
        for name in READABLE:
            self.assertRegex(done.stderr, rf"(?m)^ +1 .*  {re.escape(name)}$")
        self.assertRegex(done.stderr, r"(?m)^ +1 .*  void apply<main::\{lambda\(int\)#1\}>\(")
        self.assertNotIn("_Z", done.stderr)
        kernels = self.report()["kernels"]
        self.assertEqual([kernel["name"] for kernel in kernels][:3], NAMES)
        self.assertEqual([kernel["demangled"] for kernel in kernels][:4], READABLE)
        self.assertTrue(kernels[4]["name"].startswith("_Z5applyI"))
        events = json.loads((self.path / "t.json").read_text())["traceEvents"]
        shown = {event["name"]: event["args"].get("kernel") for event in events if event.get("cat") == "kernel"}
        self.assertEqual(shown["void scale<3>(int*)"], "_Z5scaleILi3EEvPi")
        self.assertIsNone(shown["plain"])

    def test_can_be_left_as_they_are(self):
        for words, environment in ((["--mangled"], {}), ([], {"CASTOR_MANGLED": "1"})):
            done = self.castor("run", "-ptiny", "--summary", *words, self.program, environment=environment)
            self.assertRegex(done.stderr, r"(?m)^ +1 .*  _Z5scaleILi3EEvPi$")
            self.assertNotIn("scale<3>", done.stderr)
        listed = self.castor("list", "kernels", self.program, "--mangled").stdout
        self.assertIn("_Z5scaleILi3EEvPi\n", listed)
        self.assertNotIn("scale<3>", listed)

    def test_of_listings(self):
        listed = self.castor("list", "kernels", self.program).stdout
        rows = json.loads(self.castor("list", "kernels", self.program, "--json").stdout)
        for row in rows:
            self.assertTrue(any(line.endswith(" " + row["demangled"]) for line in listed.splitlines()), row)
        self.assertEqual({"_Z5scaleILi3EEvPi", "_Z5scaleILi4EEvPi", "plain", "i"} - {r["kernel"] for r in rows}, set())
        marks = self.castor("list", "marks", self.program, "--kernel", "scale<3>").stdout
        self.assertIn("# void scale<3>(int*)\n", marks)
        self.assertRegex(marks, "(?m)^kernel _Z5scaleILi3EEvPi, ")
        done = self.castor("list", "marks", self.program, "--kernel", "scale<5>", code=2)
        self.assertRegex(done.stderr, r"no kernel 'scale<5>' .*did you mean scale<[34]>\?")

    def test_of_faults(self):
        done = self.castor("run", "-ptiny", "--report", "r.json", self.program, "far")
        self.assertIn("in kernel 'void scale<4>(int*)' (", done.stderr)
        fault = self.report()["fault"]
        self.assertEqual((fault["kernel"], fault["demangled"]), ("_Z5scaleILi4EEvPi", "void scale<4>(int*)"))
        self.assertIn("void scale<4>(int*)", fault["message"])

    def test_choose_a_kernel_of_a_ptx_file(self):
        source = "template <int N> __global__ void k(int* p) { *p = N; }\n"
        source += "template __global__ void k<1>(int*);\ntemplate __global__ void k<2>(int*);\n"
        source += "__global__ void l(int* p) { *p = 3; }\n__global__ void l(int* p, int q) { *p = q; }\n"
        (self.path / "k.cu").write_text(source)
        self.assertEqual(self.command(CASTOR_CC, "--ptx", "k.cu", "-o", "k.ptx").returncode, 0)
        for name, value in (("k<2>", 2), ("void k<1>(int*)", 1), ("_Z1kILi2EEvPi", 2), ("l(int*)", 3)):
            done = self.castor("run", "k.ptx", "--kernel", name, "--arg", "zeros:4", "--dump", "0:s32")
            self.assertEqual(done.stdout, f"argument 0: {value}\n")
        done = self.castor("run", "k.ptx", "--kernel", "l", "--arg", "zeros:4", code=2)
        self.assertRegex(
            done.stderr, r"2 kernels are called 'l' .*l\(int\*\), l\(int\*, int\)|l\(int\*, int\), l\(int\*\)"
        )
        done = self.castor("run", "k.ptx", "--arg", "zeros:4", code=2)
        self.assertIn("void k<1>(int*)", done.stderr)


class Completion(Case):
    def completions(self, command):
        """Returns the file with the completions of a command, quoted for the shell."""
        build = os.path.dirname(os.path.dirname(CASTOR))
        return shlex.quote(os.path.join(build, "share/bash-completion/completions", command))

    def bash(self, line, cwd=None):
        """Returns bash's completions at the end of a line, requested as bash-completion does it."""
        script = (
            f"source {self.completions('castor')}\n"
            'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n_castor\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        # As bash divides words: at blanks and around '='.
        words = [part for word in line.split(" ") for part in re.split("(=)", word) if part or word == ""]
        if line.endswith("="):
            words.append("")
        done = self.command("bash", "-c", script, "bash", *words)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_of_commands_and_options(self):
        self.assertEqual(self.bash("castor ru"), ["run"])
        self.assertEqual(self.bash("castor list p"), ["platforms"])
        self.assertLessEqual({"run", "list", "cosim", "area", "help"}, set(self.bash("castor ")))
        self.assertNotIn("manual", self.bash("castor "))
        self.assertEqual(self.bash("castor run --pl"), ["--platform"])
        self.assertEqual(self.bash("castor help ela"), ["elaborate"])
        self.assertIn("--cycles", self.bash("castor cosim lax --c"))
        self.assertIn("--params", self.bash("castor area lax --par"))
        self.assertEqual(self.bash("castor nosuch x"), [])

    def test_of_machines_keys_and_blocks(self):
        self.assertLessEqual({"kepler_k20c", "kepler_k40"}, set(self.bash("castor run -p kepler_k")))
        self.assertEqual(self.bash("castor run --platform=tin"), ["tiny"])
        self.assertEqual(self.bash("castor elaborate tin"), ["tiny"])
        self.assertEqual(self.bash("castor run --set chip.sm"), ["chip.sms="])
        self.assertEqual(self.bash("castor run --set run.functional="), ["0", "1"])
        self.assertIn("blocks.lax.enable=", self.bash("castor run --set blocks.lax"))
        self.assertEqual(self.bash("castor cosim la"), ["laperm", "laperm_kmu", "lax"])
        self.assertEqual(self.bash("castor cosim lax"), ["lax"])
        self.assertIn("saws", self.bash("castor area "))
        self.assertEqual(self.bash("castor list instructions pop"), ["popc"])
        self.assertEqual(self.bash("castor new-block x --hook dis"), ["dispatch"])
        self.assertEqual(sorted(self.bash("castor cosim lax --describe ")), ["json", "markdown"])

    def test_of_files_and_kernels(self):
        (self.path / "some.ptx").write_text("")
        (self.path / "other").write_text("")
        self.assertEqual(self.bash("castor run so"), ["some.ptx"])
        self.assertEqual(self.bash("castor run --report o"), ["other"])
        self.assertEqual(self.bash("castor run -p so"), ["some.ptx"])
        self.assertIn("plain", self.bash(f"castor list marks {self.program} --kernel p"))
        self.assertEqual(self.bash("castor list marks other --kernel p"), [])

    def test_of_experiments(self):
        self.assertEqual(self.bash("castor experiment sa"), ["saws"])
        if os.path.exists(os.path.join(os.path.dirname(CASTOR), "castor-experiment")):
            self.assertIn("--workers", self.bash("castor experiment saws --w"))

    def test_of_the_compiler(self):
        script = (
            f"source {self.completions('castor-cc')}\n"
            'COMP_WORDS=(castor-cc -pt); COMP_CWORD=1\n_castor_cc\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        self.assertIn("-ptx", self.command("bash", "-c", script).stdout.split())


class Manual(Case):
    def test_has_a_page_for_every_command_that_says_what_its_help_says(self):
        self.castor("manual", "man")
        listed = self.castor("--help").stdout
        commands = re.findall(r"(?m)^  ([a-z-]+) ", listed[listed.index("Subcommands:") :])
        self.assertIn("run", commands)
        for command in commands:
            if command == "help":
                continue
            page = (self.path / "man" / f"castor-{command}.1").read_text().replace("\\-", "-")
            self.assertIn(f"castor {command}" if command != "experiment" else "castor experiment", page)
            options = (
                re.findall(r"(?m)^ +(?:-\w,)?(--[a-z-]+)", self.castor("help", command).stdout)
                if command not in ("experiment",)
                else []
            )
            for option in options:
                self.assertIn(option, page, command)
        for name in ("castor", "castor-cc"):
            self.assertTrue((self.path / "man" / f"{name}.1").exists())

    def test_is_clean(self):
        if shutil.which("man") is None:
            self.skipTest("no man")
        self.castor("manual", "man")
        for page in sorted((self.path / "man").iterdir()):
            done = self.command(
                "man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page, environment={"LC_ALL": "C.UTF-8"}
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)
            self.assertIn("NAME", re.sub(".\b", "", done.stdout))  # bold is a letter over itself


class Colour(Case):
    def on_terminal(self, words, environment):
        main, other = pty.openpty()
        process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=other,
            env=self.environment({"TERM": "xterm", **environment}),
            cwd=self.path,
        )
        os.close(other)
        text = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        process.wait()
        os.close(main)
        return text.decode()

    def test_is_shown_on_a_terminal_alone(self):
        words = [CASTOR, "runn"]
        self.assertIn("castor: \x1b[1;31merror\x1b[0m castor has no", self.on_terminal(words, {"NO_COLOR": ""}))
        self.assertIn("\x1b[1;35mwarning\x1b[0m", self.on_terminal([CASTOR, "run", "true"], {"NO_COLOR": ""}))
        for environment in ({"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}):
            self.assertNotIn("\x1b", self.on_terminal(words, environment))
        self.assertNotIn("\x1b", self.command(*words, environment={"TERM": "xterm"}).stderr)

    def test_of_the_compiler(self):
        (self.path / "a.cu").write_text("__global__ void k() { nothing(); }\n")
        for words, said in (
            (["--nonsense", "a.cu"], "castor-cc: \x1b[1;31merror"),
            (["-c", "a.cu"], ": \x1b[1;31merror"),
        ):
            self.assertIn(said, self.on_terminal([CASTOR_CC, *words], {"NO_COLOR": ""}))
            self.assertNotIn("\x1b", self.on_terminal([CASTOR_CC, *words], {"NO_COLOR": "1"}))


if __name__ == "__main__":
    CASTOR, CASTOR_CC = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
