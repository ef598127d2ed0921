#!/usr/bin/env python3
"""Reads a Value Change Dump and holds it against what was driven.

check_waves.py <dump> <expected>

Lines of <expected>: "var <path> <width>" for every signal that the dump declares (0: names), in any order, and
"<time> <path> <value>" for values at points in time; names of values are variables of type string. The dump itself must
be well formed: every signal has a value from the first time on, times ascend, values fit their signals.
"""

import re
import sys


class Dump:
    def __init__(self, text):
        self.signals = {}  # path -> (width, code)
        self.names = {}  # path of a variable with names -> code
        self.changes = {}  # code -> [(time, value)]
        self.end = None
        widths = {}
        scope = []
        tokens = iter(re.findall(r"\S+", text))
        for token in tokens:  # declarations
            body = []
            if not token.startswith("$"):
                raise ValueError(f"{token} among the declarations")
            for word in tokens:
                if word == "$end":
                    break
                body.append(word)
            else:
                raise ValueError(f"{token} without $end")
            if token == "$scope":
                if body[0] != "module":
                    raise ValueError(f"scope of kind {body[0]}")
                scope.append(body[1])
            elif token == "$upscope":
                scope.pop()
            elif token == "$timescale":
                if "".join(body) != "1ps":
                    raise ValueError(f"timescale {body}")
            elif token == "$var":
                kind, width, code, name = body[:4]
                path = ".".join([*scope, name])
                if code in widths or path in self.signals or path in self.names:
                    raise ValueError(f"variable {body}")
                if kind == "string":
                    self.names[path] = code
                    self.changes[code] = []
                    widths[code] = None
                    continue
                if kind != "wire":
                    raise ValueError(f"variable {body}")
                if len(body) > 4 and body[4] != f"[{int(width) - 1}:0]":
                    raise ValueError(f"range of {body}")
                widths[code] = int(width)
                self.signals[path] = (int(width), code)
                self.changes[code] = []
            elif token == "$enddefinitions":
                break
        if scope:
            raise ValueError("open scopes at the end of the declarations")
        time = None
        for token in tokens:
            if token.startswith("#"):
                new = int(token[1:])
                if time is not None and new <= time:
                    raise ValueError(f"time {new} behind {time}")
                time = new
            elif token in ("$dumpvars", "$end"):
                continue
            else:
                if token[0] == "s":
                    value, code = token[1:], next(tokens)
                    if widths[code] is not None or not value:
                        raise ValueError(f"text {token} of {code}")
                elif token[0] == "b":
                    value, code = int(token[1:], 2), next(tokens)
                    if widths[code] == 1:
                        raise ValueError("vector value of a single bit")
                else:
                    value, code = int(token[0], 2), token[1:]
                    if widths[code] != 1:
                        raise ValueError("single bit of a vector")
                if widths[code] is not None and value >> widths[code]:
                    raise ValueError(f"value {value} does not fit {code}")
                last = self.changes[code][-1] if self.changes[code] else (None, None)
                if last[0] == time or last[1] == value:
                    raise ValueError(f"{code} changes to {value} twice, or not at all, at {time}")
                self.changes[code].append((time, value))
        self.end = time
        starts = {changes[0][0] if changes else None for changes in self.changes.values()}
        if len(starts) > 1:
            raise ValueError(f"signals start at different times: {starts}")

    def values(self, path, times):
        """Returns the values of a signal at ascending times."""
        changes = self.changes[self.names[path] if path in self.names else self.signals[path][1]]
        at = -1
        for time in times:
            while at + 1 < len(changes) and changes[at + 1][0] <= time:
                at += 1
            yield changes[at][1] if at >= 0 else None


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        dump = Dump(file.read())
    declared, points = {}, {}
    with open(sys.argv[2], encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] == "var":
                declared[words[1]] = int(words[2])
            else:
                value = words[2] if declared.get(words[1]) == 0 else int(words[2])
                points.setdefault(words[1], []).append((int(words[0]), value))
    wrong = 0
    widths = {path: width for path, (width, _) in dump.signals.items()} | {path: 0 for path in dump.names}
    if declared != widths:
        print(f"declared are {sorted(widths.items())}, expected {sorted(declared.items())}")
        wrong += 1
    for path, expected in points.items():
        times = [time for time, _ in expected]
        for (time, value), seen in zip(expected, dump.values(path, times)):
            if seen != value:
                print(f"{path} is {seen} at {time}, expected {value}")
                wrong += 1
                break
    changes = sum(len(c) for c in dump.changes.values())
    print(
        f"{len(dump.signals)} signals, {changes} changes, {sum(map(len, points.values()))} values held against them, "
        f"{wrong} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
