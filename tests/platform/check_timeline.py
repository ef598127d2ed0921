#!/usr/bin/env python3
"""Checks that a file is a timeline in the Trace Event Format as Perfetto and chrome://tracing read it.

check_timeline.py <file> [--kilohertz F]     prints what the file holds; exit code 1 and one line per fault if it is
wrong check_timeline.py --self-test                holds the checker against files that are wrong in one place each

Checked: JSON; the fields that each kind of event needs; slices of a track nest or are apart; slices of a track and
values of a counter come in the order of time; every begin has its end; both ends of an arrow lie in slices, and the
head is not earlier than its only tail; everything that is drawn has a name; with --kilohertz also that times are those
of args.cycle and args.cycles at that clock.
"""

import argparse
import json
import sys
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

NUMBER = (int, Decimal)


def is_number(value):
    return isinstance(value, NUMBER) and not isinstance(value, bool)


class Checker:
    def __init__(self, kilohertz=None):
        self.kilohertz = kilohertz
        self.faults = []
        self.slices = defaultdict(list)  # (pid, tid) -> [(start, end, number of the event)]
        self.begun = defaultdict(list)
        self.last = {}
        self.names = defaultdict(dict)
        self.counters = defaultdict(int)
        self.arrows = {"s": {}, "f": {}}  # (category, name, id) -> (number of the event, track, time)

    def fault(self, number, text):
        self.faults.append(f"event {number}: {text}")

    def time_of(self, cycle):
        """Microseconds of a core cycle, rounded to the picosecond, ties upwards."""
        picoseconds = Fraction(cycle * 10**9, self.kilohertz)
        return Fraction((picoseconds + Fraction(1, 2)).__floor__(), 10**6)

    def in_order(self, number, key, time):
        if time < self.last.get(key, time):
            self.fault(number, f"time goes back to {time}")
        self.last[key] = time

    def event(self, number, event):
        if not isinstance(event, dict):
            return self.fault(number, "is no object")
        kind = event.get("ph")
        for field, types in (("name", str), ("ph", str), ("pid", int), ("tid", int)):
            if not isinstance(event.get(field), types) and not (kind == "E" and field == "name"):
                return self.fault(number, f"has no {field}")
        arguments = event.get("args", {})
        if not isinstance(arguments, dict):
            return self.fault(number, "args is no object")
        if kind == "M":
            return self.metadata(number, event, arguments)
        if kind not in ("X", "B", "E", "C", "s", "f"):
            return self.fault(number, f"is of unknown kind {kind}")
        time = event.get("ts")
        if not is_number(time) or time < 0:
            return self.fault(number, "has no time")
        track = (event["pid"], event["tid"])
        if kind == "C":
            if not arguments or not all(is_number(v) and v >= 0 for v in arguments.values()):
                self.fault(number, "counter without a number")
            self.in_order(number, (event["pid"], event["name"]), time)
            self.counters[(event["pid"], event["name"])] += 1
        elif kind == "X":
            self.complete(number, event, arguments, track)
        elif kind in "sf":
            self.arrow_end(number, event, track)
        elif kind == "B":
            self.in_order(number, track, time)
            self.begun[track].append((time, event["name"], number))
        else:
            self.in_order(number, track, time)
            if not self.begun[track]:
                return self.fault(number, "end without a begin")
            start, name, _ = self.begun[track].pop()
            if event.get("name", name) != name:
                self.fault(number, f"end of {event['name']} inside {name}")
            self.slices[track].append((start, time, number))
        return None

    def arrow_end(self, number, event, track):
        key = (event.get("cat"), event["name"], event.get("id"))
        if None in key:
            return self.fault(number, "is an end of an arrow without category or id")
        if key in self.arrows[event["ph"]]:
            self.fault(number, f"arrow {key} has another such end")
        self.arrows[event["ph"]][key] = (number, track, event["ts"])
        return None

    def arrows_lead(self):
        for key, (number, _, time) in self.arrows["f"].items():
            tail = self.arrows["s"].get(key)
            if tail is None or tail[2] > time:
                self.fault(number, f"head of arrow {key} without an earlier tail")
        for ends in self.arrows.values():
            for number, track, time in ends.values():
                if not any(start <= time <= end for start, end, _ in self.slices[track]):
                    self.fault(number, f"end of an arrow outside the slices of track {track}")

    def complete(self, number, event, arguments, track):
        time, duration = event["ts"], event.get("dur")
        if not is_number(duration) or duration < 0:
            return self.fault(number, "has no duration")
        cycle, cycles = arguments.get("cycle"), arguments.get("cycles")
        if not isinstance(cycle, int) or not isinstance(cycles, int):
            return self.fault(number, "does not say its cycles")
        if self.kilohertz:
            if Fraction(time) != self.time_of(cycle):
                self.fault(number, f"time {time} is not that of cycle {cycle}")
            if Fraction(time + duration) != self.time_of(cycle + cycles):
                self.fault(number, f"end {time + duration} is not that of cycle {cycle + cycles}")
        self.slices[track].append((time, time + duration, number))
        return None

    def metadata(self, number, event, arguments):
        name = event["name"]
        if name in ("process_name", "thread_name"):
            text = arguments.get("name")
            if not isinstance(text, str) or not text:
                return self.fault(number, "name without text")
            key = event["pid"] if name == "process_name" else (event["pid"], event["tid"])
            if key in self.names[name]:
                self.fault(number, f"{key} is named twice")
            self.names[name][key] = text
        elif name in ("process_sort_index", "thread_sort_index"):
            if not isinstance(arguments.get("sort_index"), int):
                self.fault(number, "sort index without a number")
        else:
            self.fault(number, f"unknown metadata {name}")
        return None

    def nesting(self):
        for track, slices in self.slices.items():
            open_until = []
            tops = []
            for start, end, number in sorted(slices, key=lambda s: (s[0], -s[1], s[2])):
                while open_until and open_until[-1] <= start:
                    open_until.pop()
                if open_until and end > open_until[-1]:
                    self.fault(number, f"overlaps another slice of track {track}")
                if not open_until:
                    tops.append(number)
                open_until.append(end)
            if tops != sorted(tops):
                self.fault(tops[0], f"slices of track {track} are not in the order of time")

    def document(self, text):
        try:
            document = json.loads(text, parse_float=Decimal)
        except ValueError as error:
            self.faults.append(f"no JSON: {error}")
            return
        events = document.get("traceEvents") if isinstance(document, dict) else None
        if not isinstance(events, list):
            self.faults.append("no list traceEvents")
            return
        for number, event in enumerate(events):
            self.event(number, event)
        self.nesting()
        self.arrows_lead()
        for track, begun in self.begun.items():
            for _, name, number in begun:
                self.fault(number, f"{name} on track {track} never ends")
        drawn = {pid for pid, _ in self.slices} | {pid for pid, _ in self.counters}
        for pid in sorted(drawn - set(self.names["process_name"])):
            self.faults.append(f"process {pid} has no name")
        for track in sorted(set(self.slices) - set(self.names["thread_name"])):
            self.faults.append(f"track {track} has no name")

    def summary(self):
        slices = sum(len(s) for s in self.slices.values())
        return (
            f"{slices} slices on {len(self.slices)} tracks, {sum(self.counters.values())} values of "
            f"{len(self.counters)} counters, {len(self.names['process_name'])} processes"
        )


def self_test():
    head = [
        {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "p"}},
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": {"name": "t"}},
    ]

    def cut(start, duration, **more):
        event = {
            "name": "s",
            "ph": "X",
            "pid": 1,
            "tid": 2,
            "ts": start,
            "dur": duration,
            "args": {"cycle": start * 10, "cycles": duration * 10},
        }
        return {key: value for key, value in (event | more).items() if value is not None}

    def count(time, value):
        return {"name": "c", "ph": "C", "pid": 1, "tid": 0, "ts": time, "args": {"v": value}}

    def arrow(kind, time, **more):
        event = {"name": "a", "cat": "a", "ph": kind, "id": 1, "pid": 1, "tid": 2, "ts": time}
        return {key: value for key, value in (event | more).items() if value is not None}

    def edge(kind, time, name="b"):
        return {"name": name, "ph": kind, "pid": 1, "tid": 2, "ts": time}

    good = {
        "nothing": [],
        "apart, nested, touching": [cut(0, 5), cut(5, 10), cut(6, 2), cut(8, 7), cut(15, 1)],
        "the same slice twice": [cut(0, 5), cut(0, 5)],
        "begins and ends": [edge("B", 1), edge("B", 2, "i"), edge("E", 3, "i"), edge("E", 3)],
        "counters": [count(1, 0), count(1, 5), count(2, 7)],
        "arrows": [cut(0, 5), arrow("s", 4), cut(5, 5), arrow("f", 5), arrow("s", 6, id=2), arrow("s", 7, cat="b")],
    }
    bad = {
        "no ts": [cut(0, 5, ts=None)],
        "no dur": [cut(0, 5, dur=None)],
        "negative duration": [cut(0, -5)],
        "no name": [cut(0, 5, name=None)],
        "no pid": [cut(0, 5, pid=None)],
        "no cycle": [cut(0, 5, args={})],
        "wrong cycle": [cut(0, 5, args={"cycle": 1, "cycles": 50})],
        "wrong end": [cut(0, 5, args={"cycle": 0, "cycles": 51})],
        "overlap": [cut(0, 5), cut(4, 5)],
        "out of order": [cut(10, 5), cut(0, 5)],
        "unnamed track": [cut(0, 5, tid=3)],
        "unnamed process": [cut(0, 5, pid=3)],
        "begin without an end": [edge("B", 1)],
        "end without a begin": [edge("E", 1)],
        "crossed ends": [edge("B", 1, "a"), edge("B", 2, "b"), edge("E", 3, "a"), edge("E", 4, "b")],
        "time of an edge goes back": [edge("B", 5), edge("E", 3)],
        "counter goes back": [count(2, 0), count(1, 0)],
        "counter without a number": [count(2, "x")],
        "unknown kind": [cut(0, 5, ph="Z")],
        "arrow without a tail": [cut(0, 5), arrow("f", 4)],
        "arrow of another category": [cut(0, 5), arrow("s", 3, cat="b"), arrow("f", 4)],
        "arrow that leads back": [cut(0, 5), arrow("s", 4), arrow("f", 3)],
        "arrow with two heads": [cut(0, 5), arrow("s", 2), arrow("f", 3), arrow("f", 4)],
        "arrow without an id": [cut(0, 5), arrow("s", 2, id=None)],
        "arrow from nowhere": [cut(0, 5), arrow("s", 6)],
        "named twice": [head[0]],
        "no object": [5],
    }
    wrong = 0
    for expected, cases in ((True, good), (False, bad)):
        for claim, events in cases.items():
            checker = Checker(10_000)  # 10 MHz: ten cycles are a microsecond
            checker.document(json.dumps({"traceEvents": head + events}))
            if (not checker.faults) != expected:
                print(f"{claim}: {checker.faults or 'accepted'}")
                wrong += 1
    for text in ("", "[]", "{}", '{"traceEvents":[', '{"traceEvents":5}'):
        checker = Checker()
        checker.document(text)
        if not checker.faults:
            print(f"accepted: {text}")
            wrong += 1
    print(f"{len(good) + len(bad) + 5} cases, {wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--kilohertz", type=int)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.file is None:
        parser.error("no file")
    checker = Checker(options.kilohertz)
    with open(options.file, encoding="utf-8") as file:
        checker.document(file.read())
    for fault in checker.faults[:20]:
        print(fault)
    print(checker.summary())
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
