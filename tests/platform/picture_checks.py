"""Checks of every picture of an experiment: white background, an axis that shows the effect, intervals, the source."""

import math
import re


def block(script, name):
    """Numbers of a data block of a gnuplot script, row by row; None if there is none."""
    found = re.search(rf"^\${name} << EOD\n(.*?)^EOD$", script, re.MULTILINE | re.DOTALL)
    return found and [[float(word) for word in line.split()] for line in found.group(1).splitlines() if line]


def bars(check, script, published, base=0.0):
    """`published`: the picture must have marks of the source."""
    check("bars: a white background", "background '#ffffff'" in script)
    low, high = map(float, re.search(r"^set yrange \[(\S+):(\S+)\]$", script, re.MULTILINE).groups())
    as_shown = math.log2 if "set logscale y 2" in script else float
    rows = [row for number in range(99) for row in block(script, f"bars{number}") or ()]
    # An interval is a line of two points.
    ends = [
        (lines[i][0], lines[i][1], lines[i + 1][1])
        for number in range(99)
        if (lines := block(script, f"intervals{number}"))
        for i in range(0, len(lines), 2)
    ]
    marks = [row for number in range(99) for row in block(script, f"source{number}") or ()]
    heads = {
        name: {row[0] for number in range(99) for row in block(script, f"{name}{number}") or ()}
        for name in ("below", "above")
    }
    check("bars: some", len(rows) > 1)
    check("bars: from the base to the value", all(sorted((base, row[1])) == row[4:6] for row in rows))
    values = [base, *(row[1] for row in rows), *(row[1] for row in marks)]
    check("bars: all of them are on the axis", low <= min(values) and max(values) <= high)
    span = as_shown(max(values)) - as_shown(min(values))
    size = as_shown(high) - as_shown(low)
    check(f"bars: the axis shows the effect, {values}, {low}, {high}", size <= 2.2 * span + 1e-12 or high == 100)
    at = {row[0]: row[1] for row in rows}

    def is_around(x, down, up):
        down, value, up = as_shown(down), as_shown(at[x]), as_shown(up)
        if x in heads["below"] or x in heads["above"]:
            return down <= value <= up
        return abs((down + up) / 2 - value) < 1e-6 * max(1, abs(up))

    check("bars: intervals lie around values", all(is_around(*one) for one in ends))
    cut = heads["below"] | heads["above"]
    check("bars: heads where intervals are cut", bool(cut) == ("beyond the axis" in script) and cut <= set(at))
    check("bars: intervals are told", bool(ends) == ("95 % confidence" in script))
    check("bars: marks of the source", bool(marks) == published == ("title 'source'" in script))
    return rows, ends, marks


def svg(check, path):
    text = path.read_text()
    check(f"{path.name}: a picture", "<svg" in text and "</svg>" in text)
    check(f"{path.name}: on white", re.search(r'<rect[^>]*fill="#?(ffffff|white)"', text) is not None)
