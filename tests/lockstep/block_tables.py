#!/usr/bin/env python3
"""The tables in a block's document that are made from the block itself: ports and parameters (of its lists), and what
it brings to a machine (keys, claims, statistics).

    block_tables.py <castor> <document> <block>            checks that the document has them as they are
    block_tables.py <castor> <document> <block> --write    puts them in

They stand between markers: <!-- generated: ports BLOCK -->, <!-- generated: machine BLOCK -->, each ended by
<!-- end of generated -->, which is added if it is not there.
"""

import pathlib
import subprocess
import sys

END = "<!-- end of generated -->"
NO_MACHINE = "does not plug into a GPU"  # text for a block that does not plug into machines


def with_tables(text, begin, tables):
    """The text with the tables behind the marker `begin`."""
    before, rest = text.split(begin, 1)
    following = rest.split("<!-- generated:", 1)[0]
    after = rest.split(END, 1)[1] if END in following else rest
    return f"{before}{begin}\n\n{tables}\n{END}{after}"


def main():
    program, path, block = sys.argv[1:4]
    path = pathlib.Path(path)
    text = path.read_text()
    wanted = text
    for kind, command in (
        ("ports", ["cosim", block, "--describe", "markdown", "--defaults"]),
        ("machine", ["list", "blocks", block, "--markdown"]),
    ):
        begin = f"<!-- generated: {kind} {block} -->"
        told = subprocess.run([program, *command], check=False, capture_output=True, text=True)
        if NO_MACHINE in told.stderr:
            continue
        if begin not in text:
            print(f"{path}: no line {begin}")
            return 1
        told.check_returncode()
        tables = told.stdout
        wanted = with_tables(wanted, begin, tables)
    if "--write" in sys.argv:
        path.write_text(wanted)
        return 0
    if wanted != text:
        print(
            f"{path}: the tables are not those of the block; bring them up to date by\n"
            f"  {' '.join(sys.argv)} --write"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
