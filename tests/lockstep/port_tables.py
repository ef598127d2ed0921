#!/usr/bin/env python3
"""The tables of ports and parameters in a block's document, made from its description.

    port_tables.py <castor> <document> <block>            checks that the document has them as they are
    port_tables.py <castor> <document> <block> --write    puts them in

They stand between the markers <!-- generated: ports BLOCK --> and <!-- end of generated -->; the second is added if it is
not there.
"""

import pathlib
import subprocess
import sys

END = "<!-- end of generated -->"


def main():
    program, path, block = sys.argv[1:4]
    begin = f"<!-- generated: ports {block} -->"
    path = pathlib.Path(path)
    text = path.read_text()
    if begin not in text:
        print(f"{path}: no line {begin}")
        return 1
    tables = subprocess.run([program, "cosim", block, "--describe", "markdown", "--defaults"], check=True, capture_output=True,
                            text=True).stdout
    before, rest = text.split(begin, 1)
    after = rest.split(END, 1)[1] if END in rest else rest
    wanted = f"{before}{begin}\n\n{tables}\n{END}{after}"
    if "--write" in sys.argv:
        path.write_text(wanted)
        return 0
    if wanted != text:
        print(f"{path}: the tables of ports are not those of the lists; bring them up to date by\n"
              f"  {' '.join(sys.argv)} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
