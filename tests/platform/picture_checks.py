"""What every picture of an experiment has: a white background, an axis that shows the effect, intervals, the source."""

import re


def block(script, name):
    """Numbers of a data block of a gnuplot script, row by row; None if there is none."""
    found = re.search(rf"^\${name} << EOD\n(.*?)^EOD$", script, re.MULTILINE | re.DOTALL)
    return found and [[float(word) for word in line.split()] for line in found.group(1).splitlines() if line]


def bars(check, script, published, base=0.0):
    """`published`: marks of the source are there."""
    check("bars: a white background", "background '#ffffff'" in script)
    low, high = map(float, re.search(r"^set yrange \[(\S+):(\S+)\]$", script, re.MULTILINE).groups())
    rows = [row for number in range(99) for row in block(script, f"bars{number}") or ()]
    # An interval is six points: the line, and a cap at either end.
    ends = [
        (lines[i][0], lines[i][1], lines[i + 1][1])
        for number in range(99)
        if (lines := block(script, f"intervals{number}"))
        for i in range(0, len(lines), 6)
    ]
    marks = [row for number in range(99) for row in block(script, f"source{number}") or ()]
    check("bars: some", len(rows) > 1)
    check("bars: from the base to the value", all(sorted((base, row[1])) == row[4:6] for row in rows))
    values = [base, *(row[1] for row in rows), *(row[1] for row in marks)]
    check("bars: all of them are on the axis", low <= min(values) and max(values) <= high)
    span = max(values) - min(values)
    check(f"bars: the axis shows the effect, {values}, {low}, {high}", high - low <= 2.2 * span + 1e-12)
    at = {row[0]: row[1] for row in rows}
    check(
        "bars: intervals lie around values",
        all(abs((down + up) / 2 - at[x]) < 1e-6 * max(1, abs(up)) for x, down, up in ends),
    )
    check("bars: intervals are told", bool(ends) == ("95 % confidence" in script))
    check("bars: marks of the source", bool(marks) == published == ("title 'source'" in script))
    return rows, ends, marks


def svg(check, path):
    text = path.read_text()
    check(f"{path.name}: a picture", "<svg" in text and "</svg>" in text)
    check(f"{path.name}: on white", re.search(r'<rect[^>]*fill="#?(ffffff|white)"', text) is not None)
