"""Reads saved views of GTKWave, for script tests."""

import re

#: Views are checked by what GTKWave 3.3 writes itself: a line is a comment, a setting, flags, a group, or a signal.
_OTHER = re.compile(
    r"\[\*\] .*|\[(size|pos|sst_expanded|color|pattern_trace)\] [-\d ]+|\*-?\d+\.\d+( -?\d+)+|@[0-9a-f]+|-.*|"
)


def shown(text):
    """Returns the signals of a view. Raises ValueError for a line that no view has, for groups that do not close, and
    for a reference to another file, which GTKWave would look up relative to the current folder."""
    signals, groups, flags = [], [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif line.startswith("-"):
            if flags & 0x800000:
                groups.append(line)
            elif flags & 0x1000000 and (not groups or groups.pop() != line):
                raise ValueError(f"line {number}: group {line} ends and was not begun")
        if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+(\[\d+:\d+\])?", line):
            signals.append(line)
        elif not _OTHER.fullmatch(line):
            raise ValueError(f"line {number}: {line}")
    if groups:
        raise ValueError(f"groups without an end: {groups}")
    return signals
