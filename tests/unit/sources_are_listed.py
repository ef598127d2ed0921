#!/usr/bin/env python3
"""Finds sources of tests, tests/**/*_test.cpp and *_test.py, that no list of tests names: no .cmake file and no
CMakeLists.txt of tests/. Such a source never runs.

    sources_are_listed.py <root of the tree>
    sources_are_listed.py --self-test
"""

import re
import sys
import tempfile
from pathlib import Path


def forgotten(root):
    """Returns the sources of tests, relative to the root, whose name is in no list."""
    tests = Path(root) / "tests"
    lists = [path.read_text(encoding="utf-8") for name in ("*.cmake", "CMakeLists.txt") for path in tests.rglob(name)]
    words = set(re.findall(r"[\w.-]+", "\n".join(re.sub(r"#.*", "", text) for text in lists)))
    sources = [path for name in ("*_test.cpp", "*_test.py") for path in tests.rglob(name)]
    stems = {path: (path.name, path.stem, path.stem.removesuffix("_test") + "_") for path in sources}
    text = "\n".join(lists)
    found = [path for path, (name, stem, _) in stems.items() if name not in words and stem not in words]
    # A list may write the name with a variable: "${part}_test.py" stands for every file of that form in its folder.
    return sorted(str(path.relative_to(root)) for path in found if not by_pattern(path, text))


def by_pattern(path, text):
    """Whether a list names the file by a variable and its ending, in the file's folder."""
    ending = path.suffix
    return re.search(rf"{re.escape(path.parent.name)}/\$\{{\w+\}}(_test)?{re.escape(ending)}", text) is not None


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in (
            "unit/a_test.cpp",
            "unit/b_test.cpp",
            "unit/c_test.py",
            "unit/flows/d_test.py",
            "unit/lost_test.cpp",
        ):
            (root / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "tests" / name).write_text("")
        (root / "tests/unit/all.cmake").write_text(
            "castor_tests(x KIND unit SOURCES a_test.cpp)\n"
            "foreach(t IN ITEMS b_test)\nendforeach()  # lost_test.cpp\n"
            'COMMAND "unit/c_test.py" "unit/flows/${part}_test.py"\n'
        )
        found = forgotten(root)
        if found != ["tests/unit/lost_test.cpp"]:
            sys.exit(f"found {found}")
        (root / "tests/unit/CMakeLists.txt").write_text("add_executable(lost_test lost_test.cpp)\n")
        if forgotten(root):
            sys.exit(f"found {forgotten(root)}")


def main(words):
    if words == ["--self-test"]:
        self_test()
        return 0
    found = forgotten(words[0])
    for name in found:
        print(f"{name}: no list of tests names it, so it never runs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
