"""Waiting for a process to have done something, instead of for time to pass."""

import os
import time


class TookTooLong(AssertionError):
    pass


def until(condition, what, seconds=60):
    """Looks until `condition()` holds; raises TookTooLong, which says `what` was waited for, after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TookTooLong(f"{seconds} s and not yet: {what}")
        time.sleep(0.01)


def cpu_seconds(pid):
    """CPU time, user and system, that the process has used with all its threads and those it has started and not ended;
    0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return 0.0
    own = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_seconds(int(child)) for child in children)


def until_worked(process, seconds):
    """Waits until a process that computes without a pause has used so many more seconds of CPU, or has ended."""
    aim = cpu_seconds(process.pid) + seconds
    until(
        lambda: process.poll() is not None or cpu_seconds(process.pid) >= aim,
        f"{seconds} s of CPU used by process {process.pid}",
    )
