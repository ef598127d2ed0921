#!/usr/bin/env python3
"""Which hardware blocks have to climb their whole ladder of tests: those whose sources are not the ones with which they
last climbed it. The others run a sample.

    ladder.py changed            names of the changed blocks, one a line; why, on standard error
    ladder.py record BLOCK...    the block has passed all its tests with these sources: notes their digests
    ladder.py --self-test        changes are seen, wherever they are

The digests stand in docs/blocks/BLOCK.evidence.json under "sources": of the block's own rooms, and of what all blocks
share (the twin contract, harness, flows, hooks). A block without them counts as changed.
"""

import hashlib
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_BLOCKS = {"base", "twin", "isa", "gpu", "hookup"}
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


def rooms(block):
    """Patterns of what belongs to a block alone."""
    return (
        f"models/castor/{block}",
        f"models/castor/hookup/{block}",
        f"rtl/{block}",
        f"tb/{block}",
        f"tests/*/{block}",
        f"tests/*/{block}.*",
        f"tests/*/{block}_*",
    )


def digest(root, patterns):
    """Of all files that the patterns name, folders with all below them."""
    files = set()
    for pattern in patterns:
        for path in root.glob(pattern):
            files.update(path.rglob("*") if path.is_dir() else [path])
    total = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(
                f"{path.relative_to(root).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
            )
    return total.hexdigest()[:16]


def sources(root, block):
    return {"rooms": digest(root, rooms(block)), "shared": digest(root, SHARED)}


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


def record(root, names):
    for block in names:
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

        def expect(what, *names):
            if sorted(changes(root)) != sorted(names):
                wrong.append(f"{what}: changed are {sorted(changes(root))}, expected {sorted(names)}")
            record(root, blocks(root))

        for block in ("one", "two"):
            write(f"models/castor/{block}/ports.h", "ports")
        (root / "docs/blocks").mkdir(parents=True)
        write("models/castor/base/ports.h", "a room that is no block")
        expect("never recorded", "one", "two")
        expect("nothing")
        for name in (
            "models/castor/one/engine.cpp",
            "models/castor/hookup/one/registration.cpp",
            "rtl/one/one.sv",
            "tb/one/cover/points.cpp",
            "tests/unit/one_engine.cmake",
            "tests/unit/one/engine_test.cpp",
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
            expect(f"{name} changes", "one", "two")
        write("sw/runtime/session.cpp", "new")
        expect("what no block is made of")
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
    if len(sys.argv) > 2 and sys.argv[1] == "record":
        record(ROOT, sys.argv[2:])
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
