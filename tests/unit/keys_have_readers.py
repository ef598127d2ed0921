#!/usr/bin/env python3
"""Every key of a machine file is read by code that acts on it. A key that nobody reads is a promise to the user that
nothing keeps: remove it, or write the code that it is for.

The keys and their members come from the rows of machine_table.cpp. A reader is an expression in models/, sw/ or
platforms/ that names the member by way of a machine (`machine_.sm.warps`) or of a reference to a part of one (`const
Machine::Sm& sm = machine.sm; ... sm.warps`). Comments, strings and assignments to the member are none; nor is code that
only fills, checks, documents or lists machines.

    keys_have_readers.py <root of the tree> [--verbose]    checks it; --verbose: the first reader of every key
    keys_have_readers.py <root of the tree> --self-test    checks that keys without a reader are found
"""

import pathlib
import re
import sys
import tempfile

TABLE = "models/castor/gpu/machine_table.cpp"
ROOMS = ("models", "sw", "platforms")
# These know members without acting on them: the table, checks of consistency, documents, listings.
NO_READERS = {
    "models/castor/gpu/machine.h",
    "models/castor/gpu/machine_table.cpp",
    "models/castor/gpu/machine_table.h",
    "models/castor/gpu/machine_check.cpp",
    "platforms/machines_document.cpp",
    "platforms/statistics_document_main.cpp",
    "platforms/cli/elaborate.cpp",
    "platforms/cli/list.cpp",
}
# Members that are tables: how a reader gets at an element.
ELEMENTS = {"latency": "timing"}

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
ROW = re.compile(
    r"^ *CASTOR_(?:(?:NUMBER|LISTED|WORD)\(\s*([\w.]+)" r'|(?:NUMBER|WORD)_AS\("([\w.]+)", ([\w.]+))', re.M
)
ELEMENT_ROW = re.compile(
    r"^ *table\.(?:number|listed|key)\(\s*(prefix \+ \"[\w.]+\")[^;]*?return machine\.(\w+)\[i\]\.(\w+)", re.M
)
ANY_ROW = re.compile(r"^ *(?:CASTOR_\w+\(|table\.(?:number|listed|key)\()", re.M)


def without_text(source):
    """The source with comments and literals blanked; lines keep their numbers. Digit separators are no literals."""
    source = re.sub(r"(?<=\d)'(?=\d)", "", source)
    return TOKENS.sub(lambda token: re.sub(r"[^\n]", " ", token.group()), source)


def rows(table):
    """[(key, path of the member)] of the source of a machine table. A row that is not understood is an error."""
    body = re.sub(r"^#define(?:.*\\\n)*.*\n", "", table, flags=re.M)
    found = []
    for plain, name, path in ROW.findall(body):
        found.append((plain or name, plain or path))
    for name, table_member, member in ELEMENT_ROW.findall(body):
        found.append((name, f"{table_member}[].{member}"))
    if len(found) != len(ANY_ROW.findall(body)):
        raise SystemExit(f"{TABLE}: {len(ANY_ROW.findall(body))} rows, but {len(found)} were understood")
    return found


def sources(root):
    """{path: source without comments and literals} of all code that may read a key."""
    found = {}
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".h", ".cpp") and name not in NO_READERS:
                found[name] = without_text(path.read_text())
    return found


def types_of_parts(header):
    """{member of Machine: its type} for those that are structs."""
    return {
        member: kind for kind, member in re.findall(r"^  struct (\w+) \{\n(?:    .*\n)*?  \} (\w+)\{\};", header, re.M)
    }


class Readers:
    """Finds readers in a set of sources."""

    def __init__(self, code, parts):
        self.code, self.parts = code, parts
        names = set()
        for text in code.values():
            names.update(re.findall(r"\bMachine\s*[&*]?\s*(\w+)\s*[;,(){=]", text))
        self.machine = r"\b(?:%s)\s*(?:\(\))?\s*(?:\.|->)\s*" % "|".join(sorted(names) or ["machine"])
        self.aliases = {}  # (stem of the file, part) -> names of references to that part

    def aliases_of(self, stem, part):
        """A header's references are known in the source of the same name, and the reverse."""
        if (stem, part) not in self.aliases:
            found = set()
            patterns = [r"\bauto\s*[&*]*\s*(\w+)\s*=\s*" + self.machine + part + r"\s*;"]
            if part in self.parts:
                patterns.append(r"\bMachine::" + self.parts[part] + r"\s*[&*]?\s*(\w+)\s*[;,(){=]")
            for end in (".h", ".cpp"):
                for pattern in patterns:
                    found.update(re.findall(pattern, self.code.get(stem + end, "")))
            self.aliases[stem, part] = found
        return self.aliases[stem, part]

    def first(self, path):
        """Returns "file:line: text" of the first reader of a member; None if there is none."""
        part, _, member = path.rpartition(".")
        not_written = r"\b(?!\s*(?:=(?!=)|[-+*/|&^]=))"
        if part.endswith("[]"):
            whole = self.machine + ELEMENTS.get(part[:-2], "(?!)") + r"\([^;]*?\)\s*\.\s*" + member + not_written
            part = ""
        else:
            whole = self.machine + re.escape(path).replace(r"\.", r"\s*\.\s*") + not_written
        pattern = re.compile(whole)
        for file, text in self.code.items():
            if member not in text:
                continue
            hit = pattern.search(text)
            names = self.aliases_of(file.rsplit(".", 1)[0], part) if part and not hit else ()
            if names:
                hit = re.search(
                    r"(?<![\w.>])(?:%s)\s*(?:\.|->)\s*%s%s" % ("|".join(sorted(names)), member, not_written), text
                )
            if hit:
                line = text.count("\n", 0, hit.start()) + 1
                return f"{file}:{line}: {' '.join(hit.group().split())}"
        return None


def check(root, table=None):
    """Returns ([(key, its first reader)], [keys without a reader])."""
    header = (root / "models/castor/gpu/machine.h").read_text()
    readers = Readers(sources(root), types_of_parts(header))
    found = [(key, readers.first(path)) for key, path in rows(table or (root / TABLE).read_text())]
    return [one for one in found if one[1]], [key for key, reader in found if reader is None]


HEADER = """struct Machine {
  struct Sm {
    unsigned warps, lanes;
  } sm{};
  unsigned schedulers = 0;
};
"""

# Name: (file, its source, is it a reader of sm.warps?)
SAMPLES = {
    "a member read": ("models/a.cpp", "void f(const Machine& machine) { g(machine.sm.warps); }", True),
    "a member's member": (
        "sw/a.cpp",
        "struct A { Machine machine_; };\nint f() { return machine_.sm.warps + 1; }",
        True,
    ),
    "over a line": ("platforms/a.cpp", "void f(const gpu::Machine& m) { g(m\n.sm.warps); }", True),
    "from a result": ("platforms/a.cpp", "Machine machine();\nint f() { return machine().sm.warps; }", True),
    "a named reference": ("models/a.cpp", "void f(const Machine& m) { const auto& s = m.sm; g(s.warps); }", True),
    "a typed reference": ("models/a.cpp", "unsigned f(const Machine::Sm& s) { return s.warps; }", True),
    "compared": ("models/a.cpp", "bool f(const Machine& m) { return m.sm.warps == 3; }", True),
    "another's member": (
        "models/a.cpp",
        "void f(const Machine& m, Other o) { g(m.sm.lanes, o.sm.warps, o.warps); }",
        False,
    ),
    "another reference": ("models/a.cpp", "void f(const Machine& m) { auto& s = m.sm; g(s.lanes, t.s.warps); }", False),
    "a longer name": ("models/a.cpp", "void f(const Machine& m) { g(m.sm.warps_left); }", False),
    "a comment": ("models/a.cpp", "void f(const Machine& m);  // m.sm.warps\n/* m.sm.warps */", False),
    "a string": ("models/a.cpp", 'void f(const Machine& m) { g("m.sm.warps"); }', False),
    "a write": ("models/a.cpp", "void f(Machine& m) { m.sm.warps = 3; m.sm.warps += 2; }", False),
    "a check": ("models/castor/gpu/machine_check.cpp", "void f(const Machine& m) { check(m.sm.warps); }", False),
    "a listing": ("platforms/cli/list.cpp", "void f(const Machine& m) { print(m.sm.warps); }", False),
    "no source": ("models/a.md", "void f(const Machine& m) { g(m.sm.warps); }", False),
}


def self_test(root):
    wrong = []
    for name, (path, source, expected) in SAMPLES.items():
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for file, text in (("models/castor/gpu/machine.h", HEADER), (path, source)):
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                (tree / file).write_text(text + "\n")
            read, unread = check(tree, '  CASTOR_NUMBER(sm.warps, "warps", 1, 64, "warp slots");\n')
            if (len(read), len(unread)) != ((1, 0) if expected else (0, 1)):
                wrong.append(f"{name}: a reader that is {'not found' if expected else 'none'}: {source}")

    # Returns the tree's own table plus keys without a reader, written in each of the supported ways.
    table = (root / TABLE).read_text()
    planted = {
        "sm.unread": '  CASTOR_NUMBER(sm.unread, "warps", 1, 64, "nobody reads it");\n',
        "sm.not.read": '  CASTOR_WORD_AS("sm.not.read", sm.unread, "nobody reads it");\n',
        "unread": '  CASTOR_LISTED(unread, "bytes", "nobody reads it", 32, 64);\n',
        'prefix + ".unread"': '  table.key(\n      prefix + ".unread",\n      "nobody reads it", '
        "[i](Machine & machine) -> auto& { return machine.latency[i].unread; });\n",
    }
    place = table.index("  CASTOR_", table.index("void sm_limits"))
    unread = check(root, table[:place] + "".join(planted.values()) + table[place:])[1]
    before = check(root, table)[1]
    if sorted(unread) != sorted([*planted, *before]):
        wrong.append(f"planted {sorted(planted)}, found {sorted(unread)}")
    try:
        rows(table + '  CASTOR_NEW_KIND(sm.other, "of a row");\n')
        wrong.append("a row of an unknown kind is passed over")
    except SystemExit:
        pass
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    root = pathlib.Path(sys.argv[1])
    if "--self-test" in sys.argv:
        return self_test(root)
    read, unread = check(root)
    if "--verbose" in sys.argv:
        for key, reader in read:
            print(f"{key:28} {reader}")
    for key in unread:
        print(f"{key}: no code reads it")
    print(f"{len(read)} keys have a reader, {len(unread)} have none")
    return 0 if read and not unread else 1


if __name__ == "__main__":
    sys.exit(main())
