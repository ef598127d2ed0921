"""Outside programs: finding them, running them, ending them."""

import atexit
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

#: Command -> Debian package that brings it.
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

#: Limit of every wait for a program, in seconds. It ends one that hangs; one that works is limited by its CPU time.
HANG_SECONDS = 3600

#: Standard cells of the flows (liberty.DEFAULT).
_CELLS = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")

#: What Yosys and Verilator do not take in a path.
_SIGNS = r'["\\\s;#]'

_links = {}  # folder -> link to it, for tools that cannot read the folder's name
_running = set()
_lock = threading.Lock()
_stopping = threading.Event()


class Result:
    """How a program ended: exit code (None: it was over its limit), everything it printed, and the seconds it took."""

    def __init__(self, code, output, seconds):
        self.code = code
        self.output = output
        self.seconds = seconds

    @property
    def timed_out(self):
        return self.code is None


def need(*names):
    """Raises WrongRequest if one of the commands is not installed."""
    for name in names:
        if shutil.which(name) is None:
            package = PACKAGES.get(name, name)
            raise WrongRequest(f"'{name}' is not installed", f"apt-get install {package}, or put it on PATH")


def plain(path):
    """Returns a name of the file or folder that every tool can read: the path itself, or one through a link if a folder
    has blanks, quotes, ';' or '#' in its name. Links are removed when the program ends."""
    path = Path(path)
    if not re.search(_SIGNS, str(path)):
        return str(path)
    folder = path if path.is_dir() else path.parent
    with _lock:
        if folder not in _links:
            holder = tempfile.mkdtemp(prefix="castor-")
            atexit.register(shutil.rmtree, holder, ignore_errors=True)
            _links[folder] = os.path.join(holder, "folder")
            os.symlink(folder.resolve(), _links[folder])
        return _links[folder] if folder == path else os.path.join(_links[folder], path.name)


def original(name):
    """Returns the path of which `plain` made `name`; `name` itself if it is another one."""
    for folder, link in _links.items():
        if name == link or name.startswith(link + "/"):
            return str(folder) + name[len(link) :]
    return name


def run(command, log, timeout=None, cwd=None):
    """Runs `command`, a list; all it prints goes to the file `log`, which stays for the user.

    `timeout` is in seconds of CPU time, for the program and for each one that it starts: what comes out does not depend
    on what else the machine does. A process over its limit is ended by SIGXCPU. A program that hangs is ended after
    HANG_SECONDS, or ten times `timeout`, with all that it has started. Raises Interrupted if the user interrupts.
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
    """Ends the program's whole session: Yosys starts ABC, smtbmc starts its solver."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def stop_all():
    """Ends everything that runs and lets nothing new begin."""
    _stopping.set()
    with _lock:
        for process in list(_running):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def version(name, command=None):
    """What the tool calls itself, in a few words; "" if it is not installed. `c++` is the compiler `command`, `python`
    what runs the flows, `cells` the standard cells, by what their file holds."""
    if name == "python":
        return f"Python {'.'.join(platform.python_version_tuple()[:2])}"  # that is what the flows ask for
    if name == "cells":
        return f"{_CELLS.name} {hashlib.sha256(_CELLS.read_bytes()).hexdigest()[:12]}" if _CELLS.exists() else ""
    flags = {"yosys": "-V", "sta": "-version", "z3": "--version", "verilator": "--version", "c++": "--version"}
    if name == "berkeley-abc":  # prints no version; the package has one
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
    """What git prints, without the end of line; "" if it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.rstrip("\n") if done.returncode == 0 else ""


def head_of(folder):
    """The commit that is checked out there, twelve digits; "" without version control."""
    return git(folder, "rev-parse", "--short=12", "HEAD")


def uncommitted(folder, files):
    """Those of the files that are not as that commit has them, as git names them."""
    changed = git(folder, "status", "--porcelain", "--untracked-files=all", "--", *map(str, files)) if files else ""
    return [line[3:] for line in changed.splitlines()]


def cores():
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))
