"""Reader of the timelines that `castor run --timeline` writes (docs/guides/looking.md, "Timeline")."""

import re

from .errors import BadFile, need
from .reports import read_json

_SM = re.compile(r"SM (\d+)")


class Timeline:
    """Events of a run over time, as frames. Times are in microseconds of simulated time.

    kernels        name, queue, start_us, duration_us, cycle, cycles, ticket; each row lasts from grant to completion
    thread_blocks  name, sm, slot (context of the SM), start_us, duration_us, cycle, cycles, tb, ticket
    copies         name, engine, start_us, duration_us, cycle, cycles, bytes
    windows        a row for each SM and window of run.window cycles: sm, start_us, issued, idle and the other scheduler
                   ticks, warp_instructions, resident (thread blocks at the window's begin). Consecutive equal windows
                   of all SMs are merged into one row; `windows` is the number of windows in the row
    """

    def __init__(self, content):
        pandas = need("pandas")
        events = content["traceEvents"]
        processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
        threads = {
            (e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"
        }
        self._sms = {pid: int(m.group(1)) for pid, name in processes.items() if (m := _SM.fullmatch(name))}

        def slices(category, columns, more):
            rows = [
                {
                    "name": e["name"],
                    **more(e),
                    "start_us": e["ts"],
                    "duration_us": e["dur"],
                    **{key: e["args"].get(key) for key in columns},
                }
                for e in events
                if e["ph"] == "X" and e.get("cat") == category
            ]
            return pandas.DataFrame(rows)

        self.kernels = slices(
            "kernel", ("cycle", "cycles", "ticket"), lambda e: {"queue": threads.get((e["pid"], e["tid"]), e["tid"])}
        )
        self.thread_blocks = slices(
            "tb",
            ("cycle", "cycles", "tb", "ticket"),
            lambda e: {"sm": self._sms[e["pid"]], "slot": e["tid"]},
        )
        self.copies = slices(
            "copy", ("cycle", "cycles", "bytes"), lambda e: {"engine": threads.get((e["pid"], e["tid"]), e["tid"])}
        )
        self.windows = self._windows(pandas, events)

    def _windows(self, pandas, events):
        rows, resident = {}, {}
        for event in events:
            if event["ph"] != "C" or event["pid"] not in self._sms:
                continue
            key = (self._sms[event["pid"]], event["ts"])
            if event["name"] == "scheduler ticks":
                named = {name.replace(" ", "_"): count for name, count in event["args"].items()}
                rows.setdefault(key, {}).update(named)
            elif event["name"] == "warp instructions":
                rows.setdefault(key, {})["warp_instructions"] = sum(event["args"].values())
            elif event["name"] == "resident TBs":
                resident.setdefault(key[0], []).append((event["ts"], event["args"]["TBs"]))
        if not rows:
            return pandas.DataFrame()
        # The timeline has a count only where it changes, so a count is valid until the next count of the same SM.
        times = sorted({at for _, at in rows})
        window = min((b - a for a, b in zip(times, times[1:])), default=1)
        alike = [max(1, round((b - a) / window)) for a, b in zip(times, times[1:])] + [1]
        out = []
        for sm in sorted({sm for sm, _ in rows}):
            counts, changes, now, left = {}, resident.get(sm, []), 0, 0
            for at, number in zip(times, alike):
                counts.update(rows.get((sm, at), {}))
                while left < len(changes) and changes[left][0] <= at:
                    now, left = changes[left][1], left + 1
                out.append({"sm": sm, "start_us": at, "windows": number, **counts, "resident": now})
        return pandas.DataFrame(out)

    def __repr__(self):
        return f"Timeline({len(self.kernels)} kernels, {len(self.thread_blocks)} thread blocks, {len(self._sms)} SMs)"


def timeline(path):
    """Reads a timeline file and returns a Timeline. Raises BadFile, OSError."""
    content = read_json(path, "timeline", "castor run --timeline FILE")
    if not isinstance(content, dict) or "traceEvents" not in content:
        raise BadFile(f"{path}: this is no timeline of a run; castor run --timeline FILE writes one")
    return Timeline(content)
