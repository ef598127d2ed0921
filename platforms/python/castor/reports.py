"""Reader of report.json, which `castor run --report` writes (docs/guides/looking.md, "Report")."""

import json
from pathlib import Path

from .errors import BadFile, need

#: Results of a scheduler tick (issued, or the stall reason): the report's name, and the name in pictures.
STALLS = {
    "issued": "issued",
    "idle": "idle",
    "raw": "register",
    "raw_memory": "load",
    "memory_pipe": "LSU busy",
    "compute_pipe": "unit busy",
}


def read_json(path, what, writer):
    """Returns the content of a JSON file. `what`: expected content, `writer`: command that writes it; both are for
    messages. Raises BadFile if the file is not JSON, OSError if it cannot be read."""
    try:
        return json.loads(Path(path).read_text())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: this is no {what} ({error}); {writer} writes one") from None


class Report:
    """Report of one run. `content` is the JSON, from which the frames are made:

    kernels        a row for each kernel in the order of completion: name, times in ps and us, cycles, counts, ipc
    ratios         a row for each ratio, by name: value, numerator, denominator, unit, meaning
    statistics     a row for each counter: path ("sm0.ticks"), part ("sm0"), name ("ticks"), value, unit, meaning
    configuration  a row for each machine key: value, unit, origin
    unfinished     a row for each kernel that had begun and was not complete when the run ended

    `stopped` is what ended the run without an error (run.stop_after, run.stop_at), in words; None if nothing did.
    """

    def __init__(self, content):
        self.content = content
        self.machine = content["machine"]
        self.cycles = content["cycles"]
        self.stopped = content.get("stopped", {}).get("reason")

    def __repr__(self):
        return f"Report({self.machine}, {self.cycles} cycles, {len(self.content['kernels'])} kernels)"

    @property
    def kernels(self):
        pandas = need("pandas")
        frame = pandas.json_normalize(self.content["kernels"])
        if "start_ps" in frame:
            frame["start_us"] = frame["start_ps"] / 1e6
            frame["duration_us"] = (frame["end_ps"] - frame["start_ps"]) / 1e6
        if "cycles" in frame:
            frame["ipc"] = frame["warp_instructions"] / frame["cycles"].where(frame["cycles"] > 0)
        return frame

    @property
    def unfinished(self):
        return need("pandas").json_normalize(self.content.get("unfinished", []))

    @property
    def ratios(self):
        return need("pandas").DataFrame.from_dict(self.content.get("ratios", {}), orient="index")

    @property
    def configuration(self):
        return need("pandas").DataFrame.from_dict(self.content["configuration"]["keys"], orient="index")

    @property
    def statistics(self):
        rows = []

        def walk(values, legend, parts):
            for name, value in values.items():
                about = legend.get(name, {}) if isinstance(legend, dict) else {}
                if isinstance(value, dict):
                    walk(value, about, [*parts, name])
                elif isinstance(value, (int, float)):
                    rows.append(
                        {
                            "path": ".".join([*parts, name]),
                            "part": parts[0] if parts else "",
                            "name": ".".join([*parts[1:], name]),
                            "value": value,
                            "unit": about.get("unit", ""),
                            "meaning": about.get("meaning", ""),
                        }
                    )

        walk(self.content.get("statistics", {}), self.content.get("legend", {}), [])
        return need("pandas").DataFrame(rows, columns=["path", "part", "name", "value", "unit", "meaning"])

    def stalls(self):
        """Returns the shares of all scheduler ticks as a series, by their result (issued, or the stall reason). The
        shares add up to 1. Raises BadFile for a report of the functional machine."""
        pandas = need("pandas")
        ticks = self.content.get("statistics", {}).get("total", {}).get("stall")
        if ticks is None:
            raise BadFile("the report has no scheduler ticks: the functional machine has no timing")
        shares = pandas.Series({label: float(ticks[name]) for name, label in STALLS.items()})
        return shares / max(shares.sum(), 1)


def report(path):
    """Reads a report.json and returns a Report. Raises BadFile, OSError."""
    content = read_json(path, "report", "castor run --report FILE")
    if not isinstance(content, dict) or not {"machine", "cycles", "kernels", "configuration"} <= content.keys():
        raise BadFile(f"{path}: this is no report of a run; castor run --report FILE writes one")
    return Report(content)
