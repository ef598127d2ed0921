"""Waits for events of a process, such as its end, instead of for a fixed time.

No result depends on a duration. A test waits for an event, and `HANG_SECONDS` only ends a test that hangs.
"""

import os
import time

#: Limit of every wait in a test, in seconds. It is far beyond what a command takes on a loaded machine.
HANG_SECONDS = 1800


class TookTooLong(AssertionError):
    pass


def until(condition, what, seconds=HANG_SECONDS):
    """Polls until `condition()` holds; raises TookTooLong, which names `what` was awaited, after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TookTooLong(f"{seconds} s and not yet: {what}")
        time.sleep(0.01)


def lives(pid):
    """Returns whether the process exists and has not ended. A zombie has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def cpu_seconds(pid):
    """Returns the CPU time, user and system, that the process and its living children have used; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return 0.0
    own = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_seconds(int(child)) for child in children)


def until_worked(process, seconds):
    """Waits until a process that computes without a pause has used `seconds` more seconds of CPU, or has ended."""
    aim = cpu_seconds(process.pid) + seconds
    until(
        lambda: process.poll() is not None or cpu_seconds(process.pid) >= aim,
        f"{seconds} s of CPU used by process {process.pid}",
    )
