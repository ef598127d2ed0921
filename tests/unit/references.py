#!/usr/bin/env python3
"""What the tree cites, a reader of the tree can get.

Where a file names a section of a document (docs/gpu/memory.md, "Sockets"), the document has that heading; a link of a
page leads to a file, and to a heading of it if it has an anchor. Every value
of a shipped machine has an origin in one of the forms of the table "Origins" in platforms/machines_document.cpp, and
the publications that it names stand in the table below that one. Nothing cites, by name and section, the descriptions
that blocks and machines were written from: they are not in the tree.

    references.py <root of the tree>       checks it
    references.py --self-test              checks that what leads nowhere is found
"""

import pathlib
import re
import sys
import tempfile

FOLDERS = ("models", "sw", "platforms", "tests", "benchmarks", "rtl", "tb", "cmake", "docs", "waveforms", ".ci")
SUFFIXES = {
    "",
    ".h",
    ".cpp",
    ".py",
    ".cmake",
    ".txt",
    ".sh",
    ".sv",
    ".svh",
    ".cu",
    ".cl",
    ".md",
    ".yaml",
    ".json",
    ".in",
}
LEGEND = "platforms/machines_document.cpp"
MACHINES = "platforms/configs/"

REFERENCE = re.compile(r'(docs/[\w/-]+\.md)((?:,? +(?:and +)?"[^"]+")+)')
LINK = re.compile(r"\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
QUOTED = re.compile(FENCED.pattern + r"|`[^`\n]+`", re.M | re.S)
JOIN = re.compile(r"\n\s*(?:///?|#|\*)[ \t]*")

# A description with a section (a figure with a unit is none), or, if nothing else is said, with a chapter.
DESCRIPTION = r"(?:cdp(?:_baseline)?|laperm|dtbl(?:_power)?|gsync|wait_signal|ws|saws|darsie|pagoda|lax|mias|power)"
PRIVATE = re.compile(
    rf"\b{DESCRIPTION}(?:\.md)?`?\s+(?:App\.\d+|O\d+|\d+(?:\.\d+)+(?!\d|\.\d|\s*(?:%|x\b|[numkMG]?[WJsB]\b)))"
    rf'|["(]{DESCRIPTION} \d+[")]'
)

# The lines of a machine file: key: [value, unit, origin], others.
VALUE = re.compile(
    r"([\w.]+):\s*\[(?:\[[^\]]*\]|[^,\[\]]+),[^,\[\]\"']+,\s*"
    r"(?:\"((?:\\.|[^\"\\])*)\"|'([^']*)'|([^,\[\]\"']+))\]\s*(?:#|$)"
)
OTHER_LINE = re.compile(r"\s*(?:#|$)|(?:machine|title|extends):")

NUMBER = r"\d+(?:\.\d+)*"
PLACE = (
    rf"(?:, (?:section|chapter|table|figure|algorithm) {NUMBER}"
    rf"|, (?:sections|chapters|tables|figures|algorithms) {NUMBER}(?:, {NUMBER})+)"
)
PUBLICATION = re.compile(r"\b[A-Z]\w+ (?:19|20)\d\d\b")


class Legend:
    """The forms of origins, from the two tables of the document of machines."""

    def __init__(self, root):
        text = (root / LEGEND).read_text()
        text = text[text.index("\n## Origins\n") :]
        names, self.publications = self.first_cells(text, "origin"), self.first_cells(text, "publication")
        plain = [name for name in names if not PUBLICATION.search(name) and not name.startswith("docs/")]
        cited = "|".join([*map(re.escape, plain), *(re.escape(name) + PLACE + "*" for name in self.publications)])
        one = rf'(?:(?:derived from )?(?:{cited})|docs/[\w/-]+\.md, "[^"]+")(?: \([^()]+\))?'
        self.form = re.compile(rf"{one}(?:; {one})*")

    @staticmethod
    def first_cells(text, heading):
        table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
        if not table:
            raise SystemExit(f'{LEGEND}: no table "{heading}" in section "Origins"')
        return [name for row in table.group(1).splitlines() for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]

    def what_is_wrong(self, origin):
        for name in PUBLICATION.findall(origin):
            if name not in self.publications:
                return f'no publication "{name}" in {LEGEND}'
        return None if self.form.fullmatch(origin) else f'origin "{origin}" has no form of {LEGEND}'


def files(root):
    found = [path for path in root.glob("*") if path.is_file()]
    for folder in FOLDERS:
        found += (root / folder).rglob("*")
    return [
        path
        for path in sorted(found)
        if path.suffix in SUFFIXES and path.is_file() and path.name != pathlib.Path(__file__).name
    ]


def values(text):
    """Returns [(offset of the line, key, origin)] of a machine file. Key and origin are None in a line that is no
    value."""
    found, offset = [], 0
    for line in text.splitlines(keepends=True):
        value = VALUE.match(line)
        if value:
            key, escaped, quoted, plain = value.groups()
            found.append((offset, key, re.sub(r"\\(.)", r"\1", escaped) if escaped is not None else quoted or plain))
        elif not OTHER_LINE.match(line):
            found.append((offset, None, None))
        offset += len(line)
    return found


def headings(text):
    """Returns the headings of a page, as they are written there."""
    return {line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")}


def anchors(text):
    """Returns the anchors of a page: its headings as GitHub spells them, without marks, in lower case; and its ids."""
    names = set(re.findall(r'<a id="([^"]+)">', text))
    for heading in re.findall(r"^#+ +(.*)", FENCED.sub("", text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        names.add(re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-"))
    return names


def dead_links(root, path, text):
    """Returns (offset, error) of each link of a page that leads nowhere."""
    plain = QUOTED.sub(lambda part: " " * len(part.group()), text)
    for match in LINK.finditer(plain):
        target = (path.parent / match.group(1) if match.group(1) else path).resolve()
        if not target.exists():
            yield match.start(), f"{match.group(1)} does not exist"
        elif match.group(2) and target.suffix == ".md" and match.group(2) not in anchors(target.read_text()):
            yield match.start(), f"{target.relative_to(root.resolve()).as_posix()} has no heading #{match.group(2)}"


def check(root):
    """Returns (number of references to sections, number of origins, ["file:line: error"])."""
    legend, known = Legend(root), {}
    sections, origins, wrong = 0, 0, []
    for path in files(root):
        name = path.relative_to(root).as_posix()
        original = path.read_text(errors="replace")
        text = JOIN.sub(lambda joint: " " * len(joint.group()), original)  # offsets stay

        def report(offset, what):
            wrong.append(f"{name}:{original.count(chr(10), 0, offset) + 1}: {what}")

        for match in PRIVATE.finditer(text):
            cited = " ".join(match.group().strip('"()').split())
            report(match.start(), f'"{cited}" is not in the tree: cite the publication, a page of docs, or "ours"')
        for offset, what in dead_links(root, path, original) if path.suffix == ".md" else ():
            report(offset, what)
        references = [(match.start(), match) for match in REFERENCE.finditer(text)]
        if name.startswith(MACHINES):
            references = []
            for offset, key, origin in values(original):
                if key is None:
                    report(offset, "neither a comment nor key: [value, unit, origin]")
                    continue
                origins += 1
                references += [(offset, match) for match in REFERENCE.finditer(origin)]
                what = legend.what_is_wrong(origin)
                if what:
                    report(offset, f"{key}: {what}")
        for offset, match in references:
            document = root / match.group(1)
            if not document.is_file():
                report(offset, f"{match.group(1)} does not exist")
                continue
            if document not in known:
                known[document] = headings(document.read_text())
            for title in re.findall(r'"([^"]+)"', match.group(2)):
                title = " ".join(title.split())
                sections += 1
                if title not in known[document]:
                    report(offset, f'{match.group(1)} has no section "{title}"')
    return sections, origins, wrong


TREE = {
    LEGEND: 'const char* const kIntroduction = R"(# Machines\n\n## Origins\n\n| origin | meaning |\n|---|---|\n'
    "| `ours` | our decision |\n| `ours, calibrated` | our value |\n| `Author 2001, table 4` | stated there |\n"
    '| `docs/gpu.md, "LSU"` | a page |\n| `Simulator A`, `Simulator B` | public files `c` |\n\n'
    "| publication | title |\n|---|---|\n| `Author 2001` | a title |\n| `Writer 2002` | `another` title |\n"
    '\nNo row `more`.\n)";\n',
    "docs/gpu.md": "# The GPU\n\n## LSU\n\n### Bank conflicts\n",
    MACHINES + "base/common.yaml": "# What all share.\nrun.seed: [1, number, ours]\n",
}


def line(origin):
    return f"machine: a\nextends: common\n\nsm.warps: [64, warps, {origin}]\n"


MACHINE, CODE, FORM = MACHINES + "a.yaml", "models/a.cpp", f"has no form of {LEGEND}"
# Name: (file, its text, how what is wrong begins behind the file's name, None if nothing is)
SAMPLES = {
    "our decision": (MACHINE, line("ours"), None),
    "with a remark": (MACHINE, line('"ours (2 x 2; see Author 2001, table 4)"'), None),
    "a comma of its own": (MACHINE, line('"ours, calibrated"'), None),
    "a publication": (MACHINE, line('"Author 2001"'), None),
    "a section": (MACHINE, line('"Author 2001, section 4.6.1"'), None),
    "places": (MACHINE, line('"Writer 2002, sections 2.1, 2.2, table 4 (8 / 2)"'), None),
    "derived": (MACHINE, line('"derived from Author 2001, table 4 (8 / 2)"'), None),
    "several": (MACHINE, line('"Simulator B (x 2); Author 2001, figure 7; ours"'), None),
    "a page": (MACHINE, line('"docs/gpu.md, \\"LSU\\""'), None),
    "a page in other quotes": (MACHINE, line("'docs/gpu.md, \"LSU\"'"), None),
    "a list of names": (MACHINE, "a.names: [[a, b], names, ours]  # a remark\n", None),
    "no form": (MACHINE, line('"my measurement"'), f':4: sm.warps: origin "my measurement" {FORM}'),
    "more behind a form": (MACHINE, line('"ours 4.2"'), f':4: sm.warps: origin "ours 4.2" {FORM}'),
    "a comma between two": (MACHINE, line('"ours, Simulator A"'), f':4: sm.warps: origin "ours, Simulator A" {FORM}'),
    "part of a name": (MACHINE, line("Simulator"), f':4: sm.warps: origin "Simulator" {FORM}'),
    "a name of a meaning": (MACHINE, line("c"), f':4: sm.warps: origin "c" {FORM}'),
    "a bare number": (MACHINE, line('"Author 2001, 4.2"'), f':4: sm.warps: origin "Author 2001, 4.2" {FORM}'),
    "an unknown publication": (MACHINE, line('"Author 2002, table 4"'), ':4: sm.warps: no publication "Author 2002"'),
    "one in a remark": (MACHINE, line('"ours (as Other 2001)"'), ':4: sm.warps: no publication "Other 2001"'),
    "no such heading": (MACHINE, line("'docs/gpu.md, \"L1\"'"), ':4: docs/gpu.md has no section "L1"'),
    "no such page": (MACHINE, line("'docs/cpu.md, \"LSU\"'"), ":4: docs/cpu.md does not exist"),
    "no origin": (MACHINE, "machine: a\nsm.warps: [64, warps]\n", ":2: neither a comment nor key"),
    "a value alone": (MACHINE, "machine: a\nsm.warps: 64\n", ":2: neither a comment nor key"),
    "a description": (MACHINE, line('"cdp 4.2"'), ':4: "cdp 4.2" is not in the tree'),
    "one in a remark of ours": (MACHINE, line('"ours (as laperm 4.3)"'), ':4: "laperm 4.3" is not in the tree'),
    "a machine of one's own": ("platforms/examples/a.yaml", line('"my measurement"'), None),
    "a section in code": (CODE, 'int a;  // docs/gpu.md, "LSU", "Bank\n// conflicts"\n', None),
    "none in code": (CODE, '\n// docs/gpu.md, "LSU" and\n// "Banks"\n', ':2: docs/gpu.md has no section "Banks"'),
    "a comment": ("tests/a.cpp", "\n// lax 3.3.3 step X\n", ':2: "lax 3.3.3" is not in the tree'),
    "over two lines": ("rtl/a.sv", "\n// As in mias\n// O23.\n", ':2: "mias O23" is not in the tree'),
    "an appendix": ("tb/a.h", "// lax App.4\n", ':1: "lax App.4" is not in the tree'),
    "data of a test": ("tests/a.py", '{"origin": "gsync 5"}\n', ':1: "gsync 5" is not in the tree'),
    "a table": ("docs/a.md", "\n\n| 13 (gsync 5) |\n", ':3: "gsync 5" is not in the tree'),
    "a page of docs": ("docs/results/a.md", "See `dtbl.md` 2.4.\n", ':1: "dtbl.md` 2.4" is not in the tree'),
    "links": (
        "docs/a.md",
        '[a](gpu.md), [b](gpu.md#bank-conflicts), [c](#d), [e](https://f.g/h#i)\n# `D`!\n<a id="j"></a>[k](#j)\n',
        None,
    ),
    "a link in code": ("docs/a.md", "`[a](b.md)`\n```\n[a](b.md)\n```\n", None),
    "a link to no page": ("docs/a.md", "\n[a](cpu.md#lsu)\n", ":2: cpu.md does not exist"),
    "a link to no heading": ("docs/a.md", "[a](gpu.md#l1)\n", ":1: docs/gpu.md has no heading #l1"),
    "a file of the root": ("README.md", "wait_signal 6.4.4\n", ':1: "wait_signal 6.4.4" is not in the tree'),
    "figures": ("docs/a.md", "power 1.5 mW, lax 1.25x, lax 12.5 %, LAX 4.2, saws 2 of 3, saws 0.25 ms\n", None),
    "other names": ("docs/a.md", "relax 2.4, saws_8 2.4, matmul 2.4\n", None),
}


def self_test():
    failures = []
    for name, (path, text, expected) in SAMPLES.items():
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for file, content in {**TREE, path: text}.items():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                (tree / file).write_text(content)
            wrong = check(tree)[2]
        right = [one for one in wrong if expected and one.startswith(path + expected)]
        # A description is no form of an origin either.
        allowed = FORM if expected and "is not in the tree" in expected else None
        others = [one for one in wrong if one not in right and not (allowed and allowed in one)]
        if bool(right) != bool(expected) or others:
            failures.append(f"{name}: expected {expected!r}, found {wrong}")
    print("\n".join(failures))
    return 1 if failures else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    sections, origins, wrong = check(pathlib.Path(sys.argv[1]))
    print("\n".join(wrong))
    print(f"{sections} references to sections, {origins} origins; {len(wrong)} lead nowhere")
    return 0 if sections and origins and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
