"""Finds, runs and ends external programs."""

import atexit
import functools
import hashlib
import math
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from .errors import Interrupted, WrongRequest

#: Command -> Debian package that contains it.
PACKAGES = {
    "yosys": "yosys",
    "yosys-smtbmc": "yosys",
    "berkeley-abc": "berkeley-abc",
    "z3": "z3",
    "sta": "opensta",
    "verilator": "verilator",
    "g++": "g++",
    "make": "make",
}

#: Wall time in seconds after which a program with a limit counts as hanging. A working program is limited by its CPU
#: time.
HANG_SECONDS = 3600

#: Path of the default standard cell library, as liberty.DEFAULT.
_CELLS = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")

#: Characters that Yosys and Verilator do not accept in a path.
_SIGNS = r'["\\\s;#]'

_running = set()
_lock = threading.Lock()
_stopping = threading.Event()


class Result:
    """Result of a program: exit code (None: it exceeded its limit), everything it printed, and its wall time in
    seconds."""

    def __init__(self, code, output, seconds):
        self.code = code
        self.output = output
        self.seconds = seconds

    @property
    def timed_out(self):
        """Whether the program exceeded its limit."""
        return self.code is None


def need(*names):
    """Raises WrongRequest if one of the commands is not installed."""
    for name in names:
        if shutil.which(name) is None:
            package = PACKAGES.get(name, name)
            raise WrongRequest(f"'{name}' is not installed", f"apt-get install {package}, or put it on PATH")


def _is_plain(path):
    """Returns whether every tool accepts the path."""
    return not re.search(_SIGNS, str(path))


class Names:
    """Names that every tool accepts, for files that a tool reads. A call returns the path itself, or a path through a
    symbolic link in `folder` if the path contains blanks, quotes, ';' or '#'. `prefix` stands before the name of the
    link: nothing if the tool runs in the folder. The same calls give the same names in every folder."""

    def __init__(self, folder, prefix=""):
        self.links = {}  # path of the link -> folder that it leads to
        self._folder = Path(folder)
        self._prefix = prefix

    def __call__(self, path):
        path = Path(path)
        if _is_plain(path):
            return str(path)
        place = path if path.is_dir() else path.parent
        link = next((name for name, folder in self.links.items() if folder == str(place)), None)
        if link is None:
            name = re.sub(r"\W", "_", place.name)
            while os.path.lexists(self._folder / name):
                name += "_"
            os.symlink(place.resolve(), self._folder / name)
            link = self._prefix + name
            self.links[link] = str(place)
        return link if place == path else f"{link}/{path.name}"

    def original(self, text):
        """Returns the text with the paths themselves in place of the names through links."""
        return with_originals(text, self.links)


def with_originals(text, links):
    """Returns the text with the folder in place of each link of `links`, {name of the link: folder}, that begins a
    path."""
    for link, folder in links.items():
        text = re.sub(rf"(?<![\w./-]){re.escape(link)}/", lambda _: f"{folder}/", text)
    return text


def plain(path):
    """Returns a path of the file or folder that every tool accepts: the path itself, or one through a link of Names.
    Links are removed when the flow ends."""
    if _is_plain(path):
        return str(path)
    with _lock:
        return _names_anywhere()(path)


def original(name):
    """Returns the path from which `plain` made `name`; `name` itself if `plain` did not make it."""
    with _lock:
        links = _names_anywhere().links if _names_anywhere.cache_info().currsize else {}
    return links.get(name) or with_originals(name, links)


@functools.cache
def _names_anywhere():
    """Returns the Names of tools that run in any folder."""
    holder = tempfile.mkdtemp(prefix="castor-")
    atexit.register(shutil.rmtree, holder, ignore_errors=True)
    return Names(holder, f"{holder}/")


def run(command, log, timeout=None, cwd=None):
    """Runs `command`, a list of words, and writes its output to the file `log`, which is kept. Returns the Result.

    `timeout` is in seconds of CPU time, for the program and for each process that it starts, so results do not depend
    on the load of the machine. SIGXCPU ends a process that exceeds the limit. A hanging program is ended, with all its
    processes, after HANG_SECONDS or ten times `timeout`, whichever is longer. Without `timeout` there is no limit.
    Raises Interrupted if the user interrupts.
    """
    log = Path(log)
    command = [str(word) for word in command]
    if timeout is not None:
        command = ["sh", "-c", f'ulimit -S -t {max(1, math.ceil(timeout))} && exec "$@"', "sh", *command]
    log.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with open(log, "wb") as out:
        with _lock:
            if _stopping.is_set():
                raise Interrupted
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                start_new_session=True,
            )
            _running.add(process)
        try:
            code = process.wait(None if timeout is None else max(HANG_SECONDS, 10 * timeout))
            if code == -signal.SIGXCPU:
                code = None
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
            with _lock:
                _running.discard(process)
    if _stopping.is_set():
        raise Interrupted
    return Result(code, log.read_text(errors="replace"), time.monotonic() - began)


def _end(process):
    """Kills all processes in the program's session, for example ABC that was started by Yosys."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def stop_all():
    """Kills all running programs, and makes `run` refuse to start new ones."""
    _stopping.set()
    with _lock:
        for process in list(_running):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def version(name, command=None):
    """Returns the version of a tool as a short text; "" if it is not installed. `c++` is the compiler `command`,
    `python` is the running interpreter, and `cells` is the standard cell library with a digest of its file."""
    if name == "python":
        return f"Python {'.'.join(platform.python_version_tuple()[:2])}"  # the flows depend on major and minor only
    if name == "cells":
        return f"{_CELLS.name} {hashlib.sha256(_CELLS.read_bytes()).hexdigest()[:12]}" if _CELLS.exists() else ""
    flags = {"yosys": "-V", "sta": "-version", "z3": "--version", "verilator": "--version", "c++": "--version"}
    if name == "berkeley-abc":  # it prints no version, so the version of the Debian package is used
        words = ["dpkg-query", "-W", "-f", "ABC ${Version}", "berkeley-abc"]
    elif name in flags:
        words = [command or name, flags[name]]
    else:
        return ""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = done.stdout.strip().splitlines()
    if not text or done.returncode != 0:
        return ""
    if name == "c++":
        return text[0].strip()
    return f"OpenSTA {text[0].split()[0]}" if name == "sta" else text[0].split(" (")[0].strip()


def git(folder, *words):
    """Runs git in `folder`. Returns its output without the final line break; "" if git fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.rstrip("\n") if done.returncode == 0 else ""


def head_of(folder):
    """Returns the commit that is checked out in `folder`, twelve digits; "" without version control."""
    return git(folder, "rev-parse", "--short=12", "HEAD")


def uncommitted(folder, files):
    """Returns the names of those `files` that have uncommitted changes."""
    changed = git(folder, "status", "--porcelain", "--untracked-files=all", "--", *map(str, files)) if files else ""
    return [line[3:] for line in changed.splitlines()]


def cores():
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))
