#!/usr/bin/env python3
"""Makes the table of docs/maths.md from the errors that maths_accuracy finds for each function of the maths library.

  maths_document.py PROGRAM DOCUMENT [--full | --write]

Without an option PROGRAM tries few arguments, all of which are also among those of the page: the page must have the
same rows, and no error may be larger than the one on the page. --full tries all arguments of the page and compares the
tables; --write replaces the table. Fails if an error is beyond CUDA's bound.
"""

import argparse
import pathlib
import subprocess
import sys

#: Arguments of the page, in multiples of those of the short run.
FULL_DENSITY = 12

BEGIN, END = "<!-- written by maths_document.py -->\n", "<!-- end -->\n"
PRECISIONS = ("float", "double")


def found_by(program, density):
    """{(function, arguments): {precision: (bound, n, error)}} and the lines of results beyond CUDA's bound."""
    run = subprocess.run([program, str(density)], stdout=subprocess.PIPE, text=True)
    rows, beyond = {}, []
    for line in run.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) != 8:
            beyond.append(line)
            continue
        name, domain, precision, bound, n, error, count, worst = fields
        rows.setdefault((name, domain), {})[precision] = (bound, n, error)
        if count != "0":
            beyond.append(f"{name} in {precision} precision: {count} of {n} beyond CUDA's bound {bound}, first {worst}")
    if run.returncode != 0 and not beyond:
        beyond.append(f"{program} ended with {run.returncode}")
    return rows, beyond


def readable_bound(bound):
    """Returns CUDA's bound as text for the page."""
    if bound == "INFINITY":
        return "none"
    return f"{bound[1:]} absolute" if bound.startswith("-") else bound


def line_of(key, row):
    name, domain = key
    cells = [f"`{name}`" if "," not in name else name, "" if domain == "true" else f"`{domain}`"]
    for precision in PRECISIONS:
        if precision in row:
            bound, n, error = row[precision]
            cells += [readable_bound(bound), error, n]
        else:
            cells += ["", "", ""]
    return "| " + " | ".join(cells) + " |"


def table(rows):
    head = [
        "| function | arguments | float: CUDA | found | n | double: CUDA | found | n |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join(head + [line_of(key, row) for key, row in rows.items()]) + "\n"


def errors_of(text):
    """{(function, arguments): [error in single, in double precision]} of a page's table."""
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines()[2:]]
    return {(cells[0], cells[1]): (cells[3], cells[6]) for cells in lines}


def larger(rows, page):
    """Returns the errors of a short run that exceed those of the page."""
    wrong = []
    now, then = errors_of(table(rows)), errors_of(page)
    if list(now) != list(then):
        wrong.append("the page has other rows")
    for key in now:
        for one, other in zip(now[key], then.get(key, ("", ""))):
            if one and (not other or float(one) > float(other)):
                wrong.append(f"{' '.join(key)}: error {one}, the page says {other or 'nothing'}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--write", action="store_true")
    words = parser.parse_args()
    rows, wrong = found_by(words.program, FULL_DENSITY if words.full or words.write else 1)
    head, rest = words.document.read_text().split(BEGIN)
    page, tail = rest.split(END)
    if words.write:
        words.document.write_text(head + BEGIN + table(rows) + END + tail)
    elif words.full and table(rows) != page:
        wrong.append(f"{words.document} is another; --write makes it so")
    elif not words.full:
        wrong += larger(rows, page)
    print("\n".join(wrong[:40]) or f"{len(rows)} rows are as {words.document} says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
