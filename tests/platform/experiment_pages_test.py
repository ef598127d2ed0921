#!/usr/bin/env python3
"""castor experiment --page: pages of the tree are what the kept runs give, and one that is not is found.

    experiment_pages_test.py <castor> <root of the sources>
"""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CASTOR, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = ROOT / "docs" / "results"
TINY = ["--rate", "high", "--seeds", "2", "--jobs", "12", "--scheduler", "RR", "--scheduler", "LAX", "--quiet"]
MET = "Jobs of 128 that met their deadline (source in brackets)"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from experiment_checks import check, failures  # noqa: E402


def run(name, *arguments):
    words = [CASTOR, "experiment", name, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def expect(what, done, code, *said):
    text = done.stdout + done.stderr
    check(f"{what}: exit code {code}, got {done.returncode}: {text}", done.returncode == code)
    for one in said:
        check(f"{what}: says '{one}': {text}", one in text)


def changed(path, before, after):
    text = path.read_text()
    check(f"{path.name} has '{before}'", before in text)
    path.write_text(text.replace(before, after, 1))


def pages_of_the_tree():
    names = sorted(path.parent.name for path in PAGES.glob("*/page.json"))
    check("there are pages with runs", names)
    for name in names:
        done = run(name, "--page", "--check")
        print(done.stdout, end="")
        expect(f"{name}.md", done, 0, "as the kept runs say")


def claims_of(page):
    """Verdicts of a page: those of the part that has most claims, since others repeat some of them."""
    parts = re.findall(r"^<!-- claims.*?^<!-- end -->", page.read_text(), re.M | re.S)
    rows = max((re.findall(r"^\| [A-Z]+\d+ \|.*\|$", part, re.M) for part in parts), key=len)
    return [row[1:-1].split("|")[5].strip() for row in rows]


def the_first_page_has_the_sums_of_the_pages():
    verdicts = ("reproduced", "by construction", "shape only", "not", "not shown", "not measured")
    pages = [page for page in sorted(PAGES.glob("*.md")) if "<!-- claims" in page.read_text()]
    check("pages have claims", len(pages) > 1)
    total = [0] * len(verdicts)
    table = (ROOT / "docs" / "README.md").read_text()
    for page in pages:
        found = claims_of(page)
        counts = [found.count(verdict) for verdict in verdicts]
        check(f"{page.name}: every claim has a known verdict: {found}", sum(counts) == len(found) > 0)
        total = [a + b for a, b in zip(total, counts)]
        row = f"| [{page.stem}](results/{page.name}) | " + " | ".join(map(str, counts)) + " |"
        check(f"docs/README.md has the row {row}", row in table)
    row = "| all | " + " | ".join(map(str, total)) + " |"
    check(f"docs/README.md has the row {row}", row in table)
    said = f"{total[0]} are reproduced by experiments and {total[1]} hold by construction, of {sum(total)} claims"
    check(f"README.md says '{said}'", said in (ROOT / "README.md").read_text().replace("\n", " "))


def pictures_are_compact():
    for picture in sorted(PAGES.glob("*.svg")):
        size = picture.stat().st_size
        check(f"{picture.name} has {size} bytes, at most 40000", size <= 40000)


def copy_of(folder, name):
    """Returns a folder of pages with the page of one experiment."""
    docs = pathlib.Path(tempfile.mkdtemp(dir=folder))
    shutil.copy2(PAGES / f"{name}.md", docs)
    shutil.copytree(PAGES / name, docs / name)
    return docs


def what_is_not_as_the_runs_say_is_found(folder):
    def red(what, change, *said, code=1):
        docs = copy_of(folder, "cdp")
        change(docs)
        expect(what, run("cdp", "--page", "--check", "--docs", docs), code, *said)
        return docs

    def figure_of_a_run(docs):
        path = docs / "cdp" / "results.csv"
        with path.open() as file:
            rows = list(csv.reader(file))
        column = rows[0].index("result/cycles")
        row = next(row for row in rows if row[0].startswith("amr-small-1-cdp"))
        row[column] = str(int(row[column]) + 100000)
        with path.open("w") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)

    speed = "<!-- table: Speed-up over flat (mean: geometric) --> differs"
    docs = red(
        "a figure of a run", figure_of_a_run, speed, "page: | amr | ", "runs: | amr | ", "<!-- claims --> differs"
    )
    expect("... and written", run("cdp", "--page", "--docs", docs), 0, "tables", "Claims: ")
    expect("... after which it is as they say", run("cdp", "--page", "--check", "--docs", docs), 0)

    def in_page(before, after):
        return lambda docs: changed(docs / "cdp.md", before, after)

    red("a verdict", in_page("| by construction |", "| reproduced |"), "<!-- claims --> differs", "page: | B1 |")
    red("a table that is none", in_page("table: Warps of a block, a launch each", "table: Warps"), "no such table")
    red("a page without claims", in_page("<!-- claims -->", "<!-- verdicts -->"), "no part ends here", code=2)
    red("a part without end", in_page("<!-- end -->", ""), "has no <!-- end -->", code=2)
    red(
        "a picture", lambda docs: changed(docs / "cdp" / "page.json", '"cdp-many": "', '"cdp-many": "0'), "cdp-many.svg"
    )
    red("runs that are missing", lambda docs: (docs / "cdp" / "results.csv").unlink(), "results.csv")
    red(
        "runs of another experiment",
        lambda docs: changed(docs / "cdp" / "results.csv", "parameters/system", "parameters/sistem"),
        "not runs of this experiment",
    )

    def pasted(what, before, after, *said):
        docs = copy_of(folder, "dtbl")
        forget_runs(docs / "dtbl")
        changed(docs / "dtbl.md", before, after)
        expect(what, run("dtbl", "--page", "--check", "--docs", docs), 1, *said)

    pasted(
        "another word in a pasted claim", "| DTBL is faster than flat |", "| DTBL is fast |", "claim T1 is not worded"
    )
    pasted("a pasted claim by construction", "| by construction |", "| reproduced |", "T5 holds by construction")
    pasted("a pasted claim too much", "| T1 |", "| T99 |", "no rule has the number T99", "claim T1 is missing")
    pasted("a pasted summary", "Claims: ", "Claims: 1", "the claims do not begin with")

    def without_claims(docs):
        text = (docs / "cdp.md").read_text()
        start = text.index("<!-- claims -->")
        end = text.index("<!-- end -->", start) + len("<!-- end -->")
        (docs / "cdp.md").write_text(text[:start] + text[end:])

    red("no claims", without_claims, "no part <!-- claims -->")

    docs = copy_of(folder, "cdp")
    facts = json.loads((docs / "cdp" / "page.json").read_text())
    facts["runs"]["results"]["sources"]["compiler"] = "1 files 0"
    (docs / "cdp" / "page.json").write_text(json.dumps(facts))
    expect(
        "other sources", run("cdp", "--page", "--check", "--docs", docs), 0, "note: results.csv is stale", "compiler"
    )


def forget_runs(kept):
    """Makes all sets of a page planned ones: the page has tables and claims of runs that are not kept."""
    facts = json.loads((kept / "page.json").read_text())
    for name, run_set in facts["runs"].items():
        facts["runs"][name] = {"command": run_set["command"]}
        (kept / f"{name}.csv").unlink()
    (kept / "page.json").write_text(json.dumps(facts))


def runs_are_kept(folder):
    docs = pathlib.Path(folder) / "kept"
    docs.mkdir()
    page = docs / "lax.md"
    page.write_text(
        f"# A page\n\n<!-- runs -->\n<!-- end -->\n\n<!-- table: {MET} -->\n<!-- end -->\n\n"
        f"<!-- table few: Rate high > {MET} -->\n<!-- end -->\n\n<!-- claims results+few -->\n<!-- end -->\nEnd.\n"
    )
    out = ["--out", pathlib.Path(folder) / "out", "--docs", docs]
    stem, both = ["--workload", "STEM"], ["--workload", "STEM", "--workload", "LSTM"]
    expect("the first runs", run("lax", *both, *TINY, *out, "--record"), 1, "no runs 'few' are kept")
    expect("further ones", run("lax", *stem, *TINY, *out, "--record", "few", "-j", "1"), 0, "2 tables", "Claims: ")
    text = page.read_text()
    for part in ("| [few.csv](lax/few.csv) | 4 |", "\n| RR | "):
        check(f"the page has {part}: {text}", part in text)
    row = next(line for line in text.splitlines() if line.startswith("| [few.csv]"))
    check(
        "a command is without folders and workers: " + row, "`castor experiment lax --workload STEM --rate high" in row
    )
    check("to its end: " + row, "--scheduler LAX` |" in row)
    check("prose stays", text.startswith("# A page\n\n<!-- runs -->\n\n|") and text.endswith("<!-- end -->\nEnd.\n"))
    expect("that is as the runs say", run("lax", "--page", "--check", "--docs", docs), 0)
    kept = (docs / "lax" / "results.csv").read_text()
    expect("again", run("lax", "--again", "--docs", docs, "--out", pathlib.Path(folder) / "again"), 0, "2 tables")
    check("gives the same runs", (docs / "lax" / "results.csv").read_text() == kept)
    # Date and commit may have changed.
    origin = re.compile(r"\| \d{4}-\d\d-\d\d \|[^|\n]*\|$", re.MULTILINE)
    check("whose origins are on the page", len(origin.findall(text)) == 2)
    check("gives the same page", origin.sub("", page.read_text()) == origin.sub("", text))
    for arguments, said in (
        (["--page", "--seeds", "2"], "leave out --seeds"),
        (["--check"], "--check is for --page"),
        (["--again", "--jobs", "12"], "leave out --jobs"),
        (["--record", "Few", *stem, *TINY, *out], "no name for runs"),
        (["--page", "--docs", pathlib.Path(folder) / "nowhere"], "no page"),
    ):
        expect(str(arguments), run("lax", *arguments), 2, said)


pages_of_the_tree()
the_first_page_has_the_sums_of_the_pages()
pictures_are_compact()
with tempfile.TemporaryDirectory() as scratch:
    what_is_not_as_the_runs_say_is_found(scratch)
    runs_are_kept(scratch)
sys.exit(1 if failures else 0)
