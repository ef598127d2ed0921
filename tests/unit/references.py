#!/usr/bin/env python3
"""Where a source names a section of a document (docs/gpu.md, "Sockets"), the document has that heading.

    references.py <root of the tree>
"""

import pathlib
import re
import sys

REFERENCE = re.compile(r'(docs/[\w/-]+\.md)((?:,? (?:and )?"[^"]+")+)')
JOIN = re.compile(r"\n\s*(?:///?|#|\*)[ \t]*")
FOLDERS = ("models", "sw", "platforms", "tests", "benchmarks", "rtl", "tb", "cmake")
SUFFIXES = {".h", ".cpp", ".py", ".cmake", ".txt", ".sh", ".sv", ".cu"}


def headings(path):
    return {line.lstrip("#").strip() for line in path.read_text().splitlines() if line.startswith("#")}


def main():
    root = pathlib.Path(sys.argv[1])
    known, seen, missing = {}, 0, []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file() or path.name == pathlib.Path(__file__).name:
                continue
            text = JOIN.sub(" ", path.read_text(errors="replace"))
            for match in REFERENCE.finditer(text):
                document = root / match.group(1)
                if not document.is_file():
                    missing.append(f"{path}: {match.group(1)} does not exist")
                    continue
                titles = known.setdefault(document, headings(document))
                for title in re.findall(r'"([^"]+)"', match.group(2)):
                    seen += 1
                    if title not in titles:
                        missing.append(f'{path}: {match.group(1)} has no section "{title}"')
    print("\n".join(missing))
    print(f"{seen} references to sections, {len(missing)} lead nowhere")
    return 0 if seen and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
