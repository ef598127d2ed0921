#!/usr/bin/env python3
"""A clone of the tree with more blocks than it has: copies of them under other names. It shows what a tree with many
blocks costs to build and to check; the copies are for nothing else.

    copy_blocks.py DEST --blocks 11    clone into DEST (must not exist), copies until there are eleven blocks

Then, for the whole check with an empty compiler cache: CCACHE_DIR=DEST.ccache DEST/.ci/run
A copy brings everything that has the block's name: rooms, registration, RTL, bench, tests, benchmark, experiment and
documents. It has a register window of its own. Text that both share (file names, namespaces, classes, macros) gets the
copy's name, so that no object of the original serves the copy from a compiler cache.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_BLOCKS = {"base", "twin", "isa", "gpu", "hookup"}
KEPT = ("sw/workloads/host/",)  # host-side schedulers with which every block's experiment compares


def renamed(text, old, new):
    """`old` as a word of an identifier or a path: lax, lax_adapter, LaxAdapter, CASTOR_LAX; not laxity, relax, LAX
    alone."""
    text = re.sub(rf"(?<![a-zA-Z]){old}(?![a-z0-9])", new, text)
    text = re.sub(rf"(?<![A-Z]){old.capitalize()}(?![a-z0-9])", new.capitalize(), text)
    return re.sub(rf"(?<=_){old.upper()}(?![A-Z0-9])", new.upper(), text)


def copy(root, files, old, new, window):
    """Files whose path has the block's name; the lists of tests that stand in files of all blocks are left alone."""
    for name in files:
        target = renamed(name, old, new)
        if target == name:
            continue
        source, path = root / name, root / target
        path.parent.mkdir(parents=True, exist_ok=True)
        text = renamed(source.read_text(), old, new)
        text = re.sub(r"\bkWindow = \d+;", f"kWindow = {window};", text)
        text = re.sub(r"\bserves register window \d+", f"serves register window {window}", text)
        text = re.sub(
            r"^(namespace|} +// namespace) castor::platforms::experiments\b", rf"\g<0>::of_{new}", text, flags=re.M
        )
        path.write_text(text)
        path.chmod(source.stat().st_mode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("dest", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, required=True)
    options = parser.parse_args()
    if options.dest.exists():
        sys.exit(f"{options.dest} exists")
    run = lambda *words: subprocess.run(words, check=True)  # noqa: E731
    run("git", "clone", "-q", str(ROOT), str(options.dest))
    root = options.dest
    listed = subprocess.run(
        ["git", "-C", root, "ls-files"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    files = [name for name in listed if not name.endswith(".svg") and not name.startswith(KEPT)]
    ports = (root / "models" / "castor").glob("*/ports.h")
    originals = sorted(path.parent.name for path in ports if path.parent.name not in NO_BLOCKS)
    names = list(originals)
    while len(names) < options.blocks:
        old = originals[(len(names) - len(originals)) % len(originals)]
        new = f"{old}{len(names) // len(originals) + 1}"
        copy(root, files, old, new, len(names))
        names.append(new)
    listed = subprocess.run(["git", "-C", root, "ls-files", "--others"], check=True, capture_output=True, text=True)
    copies = [name for name in listed.stdout.splitlines() if name.endswith((".cpp", ".h"))]
    subprocess.run(["clang-format-14", "-i", *copies], cwd=root, check=True)
    author = ("-c", "user.name=copies", "-c", "user.email=copies@localhost")
    run("git", "-C", str(root), "add", "--all")
    run("git", "-C", str(root), *author, "commit", "-qm", f"{len(names)} blocks: {', '.join(names)}")
    print(f"{len(names)} blocks: {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
