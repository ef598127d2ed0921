#!/usr/bin/env python3
"""Which hardware blocks have to climb their whole ladder of tests: those whose sources are not the ones with which they
last climbed it. The others run a sample. And whether the house, all that is no block's, is as it last passed.

    ladder.py changed            names of the changed blocks, one a line; why, on standard error
    ladder.py house              "as recorded" or "changed"
    ladder.py files              all files of what has changed, blocks and house, one a line
    ladder.py record BLOCK...    the block has passed all its tests with these sources: notes their digests
    ladder.py record house       the whole check (.ci/run) has passed with these sources
    ladder.py --self-test        changes are seen, wherever they are

The digests of a block stand in docs/blocks/BLOCK.evidence.json under "sources": of its own rooms, and of what all
blocks share (the twin contract, harness, flows, hooks). A block without them counts as changed. That of the house
stands in tests/house.json; it takes in the compilers' versions. A file is a block's if a part of its path is the
block's name, or begins with that and "_" or "."; documents and what a build makes are nobody's; all else is the
house.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "rtl" / "synthesis"))
from castor_flows.sources import digest_of  # noqa: E402

NO_BLOCKS = {"base", "twin", "isa", "gpu", "hookup"}
NO_SOURCES = {"build", "docs", "waveforms", ".git", ".cache", ".gitignore", "LICENSE", "NOTICE"}
TYPED = ("docs/guides/adding-a-block.md", "platforms/examples/own_block/README.md")
COMPILERS = ("g++", "clang++-14")
SHARED = (
    "models/castor/base",
    "models/castor/twin",
    "models/castor/gpu/hooks",
    "models/castor/hookup/*.*",
    "tb/common",
    "rtl/common",
    "rtl/synthesis",
    "cmake/CastorBlock.cmake",
    "cmake/objects",
)


def blocks(root):
    return sorted(
        path.parent.name for path in (root / "models" / "castor").glob("*/ports.h") if path.parent.name not in NO_BLOCKS
    )


def files(root):
    """All files but for documents and what a build makes. What tests type is no document."""
    for top in sorted(root.iterdir()):
        if top.name in NO_SOURCES or top.suffix == ".md":
            continue
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix != ".md" and path != house_record(root):
                yield path
    yield from (path for path in (root / name for name in TYPED) if path.exists())


def owner(path, names):
    """The block of `names` to which a file belongs, None if that is the house."""
    for part in path.parts:
        name = re.match(r"[^._]*", part)[0]
        if name in names:
            return name
    return None


def digest(root, patterns):
    """Of all files that the patterns name, folders with all below them."""
    found = (path for pattern in patterns for path in root.glob(pattern))
    below = (file for path in found for file in (path.rglob("*") if path.is_dir() else [path]))
    return digest_of(below, lambda path: path.relative_to(root).as_posix())


def digest_of_owner(root, name):
    """Of all files of a block; with None, of the house."""
    names = blocks(root)
    own = (path for path in files(root) if owner(path.relative_to(root), names) == name)
    return digest_of(own, lambda path: path.relative_to(root).as_posix())


def sources(root, block):
    return {"rooms": digest_of_owner(root, block), "shared": digest(root, SHARED)}


def compiler(command):
    try:
        return subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return "none"


def house(root):
    return {
        "sources": digest_of_owner(root, None),
        "compilers": {command: compiler(command) for command in COMPILERS},
    }


def house_record(root):
    return root / "tests" / "house.json"


def house_changed(root):
    path = house_record(root)
    return not path.exists() or json.loads(path.read_text()) != house(root)


def evidence(root, block):
    return root / "docs" / "blocks" / f"{block}.evidence.json"


def recorded(root, block):
    path = evidence(root, block)
    return json.loads(path.read_text()).get("sources", {}) if path.exists() else {}


def changes(root):
    """{block: what is not as recorded} of those that changed."""
    found = {}
    for block in blocks(root):
        now, then = sources(root, block), recorded(root, block)
        changed = [part for part in now if now[part] != then.get(part)]
        if changed:
            found[block] = "never recorded" if not then else " and ".join(changed) + " changed"
    return found


def changed_files(root):
    """All files of what has changed, relative to the tree."""
    names = blocks(root)
    owners = {*changes(root), *([None] if house_changed(root) else [])}
    return [path for path in (file.relative_to(root) for file in files(root)) if owner(path, names) in owners]


def record(root, names):
    for block in names:
        if block == "house":
            house_record(root).write_text(json.dumps(house(root), indent=2) + "\n")
            continue
        if block not in blocks(root):
            sys.exit(f"no block {block}; there are {', '.join(blocks(root))}")
        path = evidence(root, block)
        content = json.loads(path.read_text()) if path.exists() else {}
        content["sources"] = sources(root, block)
        path.write_text(json.dumps(content, indent=2) + "\n")


def self_test():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

        def expect(what, *names, house_is=False):
            if sorted(changes(root)) != sorted(names):
                wrong.append(f"{what}: changed are {sorted(changes(root))}, expected {sorted(names)}")
            if house_changed(root) != house_is:
                wrong.append(f"{what}: house changed is {not house_is}, expected {house_is}")
            owners = {owner(path, blocks(root)) for path in changed_files(root)}
            if not owners <= {*names, *([None] if house_is else [])}:
                wrong.append(f"{what}: files of {owners} are named")
            record(root, [*blocks(root), "house"])

        for block in ("one", "two"):
            write(f"models/castor/{block}/ports.h", "ports")
        for folder in ("docs/blocks", "tests"):
            (root / folder).mkdir(parents=True)
        write("models/castor/base/ports.h", "a room that is no block")
        expect("never recorded", "one", "two", house_is=True)
        expect("nothing")
        for name in (
            "models/castor/one/engine.cpp",
            "models/castor/hookup/one/registration.cpp",
            "rtl/one/one.sv",
            "tb/one/cover/points.cpp",
            "tests/unit/one_engine.cmake",
            "tests/unit/one/engine_test.cpp",
            "sw/workloads/one/claims.cpp",
            "platforms/experiments/one/tables.cpp",
            "benchmarks/one_engine.cpp",
        ):
            write(name, "new")
            expect(f"{name} is new", "one")
            write(name, "newer")
            expect(f"{name} changes", "one")
        (root / "rtl/one/one.sv").rename(root / "rtl/one/first.sv")
        expect("a file has another name", "one")
        (root / "rtl/one/first.sv").unlink()
        expect("a file is gone", "one")
        for name in (
            "models/castor/twin/rtl.h",
            "models/castor/hookup/lazy_twin.h",
            "tb/common/bench.h",
            "rtl/common/castor_fifo.sv",
            "cmake/CastorBlock.cmake",
        ):
            write(name, "new")
            expect(f"{name} changes", "one", "two", house_is=True)
        for name in ("sw/runtime/session.cpp", "tests/unit/oneself_test.cpp", "new/folder/file", "CMakeLists.txt"):
            write(name, "new")
            expect(f"{name}, of which no block is made", house_is=True)
        write(TYPED[0], "typed as it stands")
        expect("what a test types", house_is=True)
        for name in ("docs/gpu.md", "docs/blocks/one.md", "README.md", "tests/unit/README.md", "build/release/one.o"):
            write(name, "new")
            expect(f"{name}, which is no source")
        evidence(root, "two").write_text("{}")
        expect("no record", "two")
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["changed"]:
        for block, why in changes(ROOT).items():
            print(block)
            print(f"ladder: {block}: {why}", file=sys.stderr)
        return 0
    if sys.argv[1:] == ["house"]:
        print("changed" if house_changed(ROOT) else "as recorded")
        return 0
    if sys.argv[1:] == ["files"]:
        print("\n".join(path.as_posix() for path in changed_files(ROOT)))
        return 0
    if len(sys.argv) > 2 and sys.argv[1] == "record":
        record(ROOT, sys.argv[2:])
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
