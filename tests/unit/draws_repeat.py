#!/usr/bin/env python3
"""Finds draws in tests that differ from run to run, so that a verdict may depend on luck: seeds of the clock and of the
machine. What a test draws from is seeded by a constant or by an option.

    draws_repeat.py <root of the tree>
    draws_repeat.py --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDERS = ("tests", "tb", "benchmarks")
FORMS = {
    ".cpp": (
        (r"[>.]random_seed\(\)", "a seed of GoogleTest, which comes from the clock without the option"),
        (r"\brandom_device\b", "random numbers of the machine"),
        (r"\btime\((nullptr|NULL|0)\)", "the time as a number"),
        (r"\bs?rand\(", "the C library's random numbers"),
    ),
    ".py": (
        (r"\bSystemRandom\b", "random numbers of the machine"),
        (r"\bRandom\(\)", "a generator without a seed"),
        (r"(?<![\w.])random\.[a-z]\w*\(", "the module's generator, which the machine seeds"),
    ),
}
FORMS[".h"] = FORMS[".cpp"]


def lucky(root):
    """Returns (position, description) of every such draw."""
    found = []
    for path in sorted(one for folder in FOLDERS for one in (Path(root) / folder).rglob("*")):
        if path.name == Path(__file__).name or path.suffix not in FORMS or not path.is_file():
            continue
        mark = "#" if path.suffix == ".py" else "//"
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            for form, what in FORMS[path.suffix]:
                if re.search(form, line.split(mark)[0]):
                    found.append((f"{path.relative_to(root)}:{number}", what))
    return found


def self_test():
    cases = {
        "tests/a_test.cpp": [
            ("auto s = testing::UnitTest::GetInstance()->random_seed();", True),
            ("std::random_device entropy;", True),
            ("srand(time(nullptr));", True),
            ("std::mt19937_64 random(seed);  // not a random_device", False),
            ("const auto s = random_seed_or(1);", False),
        ],
        "benchmarks/b.py": [
            ("draw = random.Random()", True),
            ("draw = random.randint(1, 2)", True),
            ("draw = random.Random(7)", False),
            ("self.random.randint(1, 2)", False),
        ],
    }
    with tempfile.TemporaryDirectory() as folder:
        expected = set()
        for name, lines in cases.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text("\n".join(line for line, _ in lines))
            expected |= {f"{name}:{i}" for i, (_, bad) in enumerate(lines, 1) if bad}
        found = {place for place, _ in lucky(folder)}
        if found != expected:
            sys.exit(f"found {sorted(found)}, expected {sorted(expected)}")


def main(words):
    if words == ["--self-test"]:
        self_test()
        return 0
    found = lucky(words[0])
    for place, what in found:
        print(f"{place}: {what}; seed it by a constant or an option")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
