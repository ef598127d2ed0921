#!/usr/bin/env python3
"""The walls between the rooms: who may include whom, and who may know whom. Walks all sources and fails on an include
that goes up or across, on a header that opens a namespace for everybody who includes it, and on a hardware block's name
(those of the rooms) where no block may be known: below the blocks, in what plugs them in, and in the runtime.

    walls.py <root of the tree>       checks it
    walls.py --self-test              checks that forbidden includes are found
"""

import pathlib
import re
import sys
import tempfile

# Rooms that each room may include besides itself. Rooms under models/castor that are not named here are hardware
# blocks.
ALLOWED = {
    "base": set(),
    "isa": {"base"},
    "gpu": {"isa", "base"},
    "twin": {"base"},
    "ptx": {"isa", "base"},
    "compiler": {"isa", "base"},
    "runtime": {"ptx", "compiler", "gpu", "isa", "base"},
    "workloads": {"runtime", "gpu", "isa", "base"},
    "castor_cc": {"base"},
    "device": set(),
    "kernels": set(),
}
BLOCK = {"twin", "base"}
EVERYTHING = {"platforms"}
SW_ROOMS = {"ptx", "compiler", "runtime", "device", "castor_cc", "kernels", "workloads"}

USING = re.compile(r"^\s*using\s+namespace\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def rooms(root):
    """Yields (name, folder) of every room."""
    for parent in (root / "models" / "castor", root / "sw"):
        yield from ((folder.name, folder) for folder in sorted(parent.iterdir()) if folder.is_dir())
    if (root / "platforms").is_dir():
        yield "platforms", root / "platforms"


def blocks_among(found, root):
    """Returns the names of the rooms that are hardware blocks. A block is known by its place in the tree, not by what
    the folders above the tree are called."""
    models = root / "models" / "castor"
    return [name for name, folder in found if folder.parent == models and name not in ALLOWED and name != "hookup"]


def room_of(include, names):
    """The room that an include leads to, or None if it leads out of the tree or stays in its folder."""
    parts = include.split("/")
    if parts[0] == "castor" and len(parts) > 2:
        return parts[1]
    if len(parts) > 1 and (parts[0] in SW_ROOMS or parts[0] == "platforms") and parts[0] in names:
        return parts[0]
    return None


def name_pattern(block):
    """A block's name in any spelling: lax, LAX, kLax, LaxAdapter, wait_signal, WaitSignal."""
    camel = "".join(part.capitalize() for part in block.split("_"))
    return re.compile(rf"(?<![A-Za-z0-9])(?i:{block})(?![A-Za-z0-9])|(?<![A-Za-z])k?{camel}(?![a-z])")


def names_of_blocks(root, blocks):
    """Lines that name a block where none may be known."""
    patterns = {block: name_pattern(block) for block in blocks}
    folders = [root / "models" / "castor" / room for room in ("base", "isa", "gpu", "twin")]
    files = [path for folder in folders + [root / "sw" / "runtime"] for path in sorted(folder.rglob("*"))]
    files += sorted((root / "models" / "castor" / "hookup").glob("*"))
    for path in files:
        if not path.is_file() or path.suffix not in (".h", ".cpp", ".in", ".txt"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for block, pattern in patterns.items():
                if pattern.search(line):
                    yield f"{path}:{number}: names the block {block}: {line.strip()}"


def check(root):
    """(number of includes between rooms, list of offences)."""
    found = list(rooms(root))
    names = {name for name, _ in found}
    blocks = set(blocks_among(found, root))
    seen, offences = 0, list(names_of_blocks(root, sorted(blocks)))
    for name, folder in found:
        for path in sorted(folder.rglob("*.h")):
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if USING.match(line):
                    offences.append(f"{path}:{number}: a header must not say: {line.strip()}")
        if name in EVERYTHING:
            continue
        allowed = {"gpu", "isa", "twin", "base"} | blocks if name == "hookup" else ALLOWED.get(name, BLOCK)
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".cl", ".in"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                include = match.group(1)
                if ".." in include.split("/"):
                    if not (path.parent / include).resolve().is_relative_to(folder.resolve()):
                        offences.append(f"{path}:{number}: {include} climbs out of {name}")
                    continue
                target = room_of(include, names)
                if target is None or target == name:
                    continue
                seen += 1
                if target not in allowed:
                    offences.append(f"{path}:{number}: {name} must not include {include}")
    return seen, offences


# Where a clone may lie: folders with the names of rooms, of folders of the tree, with a blank, with what globs read.
FOLDERS = ["plain", "castor", "models", "models/castor", "sw", "lax", "platforms", "build", "docs", "a b", "x[1]*"]


def self_test():
    trees = {
        "up": ("models/castor/isa/a.h", '#include "castor/gpu/device.h"', 1),
        "across": ("sw/ptx/a.cpp", '#include "compiler/compiler.h"', 1),
        "to the provider": ("sw/runtime/a.cpp", '#  include "platforms/machine.h"', 1),
        "block to the GPU": ("models/castor/lax/a.h", "#include <castor/gpu/hooks/hook.h>", 1),
        "GPU to a block": ("models/castor/gpu/a.h", '#include "castor/lax/engine.h"', 2),
        "climbing": ("sw/ptx/a.cpp", '#include "../runtime/open_device.h"', 1),
        "climbing inside": ("sw/ptx/part/a.cpp", '#include "../parser.h"', 0),
        "down": ("sw/runtime/a.cpp", '#include "castor/isa/module.h"', 0),
        "namespace for all": ("platforms/a.h", "using namespace castor;", 1),
        "namespace of a source": ("platforms/a.cpp", "using namespace castor;", 0),
        "adapter": ("models/castor/hookup/lax/a.h", '#include "castor/lax/engine.h"', 0),
        "name in the GPU": ("models/castor/gpu/a.h", "bool lax = false;  // is it on?", 1),
        "name in capitals": ("models/castor/twin/a.h", "// LAX does it otherwise", 1),
        "name in an enumerator": ("models/castor/gpu/sm/a.cpp", "case Block::kLax:", 1),
        "name in a type": ("sw/runtime/a.cpp", "LaxAdapter* adapter;", 1),
        "name in a build file": ("models/castor/hookup/CMakeLists.txt", "target_link_libraries(a castor_lax)", 1),
        "part of a word": ("models/castor/gpu/a.h", "// relaxed, laxative, Laxness", 0),
    }
    wrong = 0
    for name, (path, line, expected) in trees.items():
        for place in [*FOLDERS, "a link"]:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder) / place
                if place == "a link":
                    (pathlib.Path(folder) / "castor").mkdir()
                    root.symlink_to("castor")
                plant(root)
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(line + "\n")
                offences = check(root)[1]
                if len(offences) != expected:
                    print(
                        f"{name}: '{line}' in {path} of a tree in '{place}': expected {expected} offences: {offences}"
                    )
                    wrong += 1
    return 1 if wrong else 0


def plant(root):
    """Makes the folders of a small tree. Its platform names a block, as a platform may."""
    for room in (
        "models/castor/lax",
        "models/castor/gpu",
        "models/castor/hookup",
        "sw/compiler",
        "sw/runtime",
        "platforms",
    ):
        (root / room).mkdir(parents=True)
    (root / "models/castor/gpu/known.h").write_text("// platforms plug blocks in\n")
    (root / "models/castor/lax/own.h").write_text('#include "castor/twin/block.h"\n')


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    seen, offences = check(pathlib.Path(sys.argv[1]))
    print("\n".join(offences))
    print(f"{seen} includes between rooms, {len(offences)} offences")
    return 0 if seen and not offences else 1


if __name__ == "__main__":
    sys.exit(main())
