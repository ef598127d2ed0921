"""Where Castor itself lies, and what shared objects of blocks must agree upon with it.

    <prefix>/share/castor/installation.json   {"abi": ..., "libdir": ..., "include": ..., "options": [...]}
    <prefix>/share/castor/objects/            export map of shared objects
    <prefix>/<libdir>/castor/blocks/          a folder per block, with block.json

`castor` tells its prefix in CASTOR_PREFIX.
"""

import json
import os
import sys
from pathlib import Path

from .errors import WrongRequest


class Installation:
    """An installed Castor, or a build tree. Raises WrongRequest if there is none at `prefix`."""

    def __init__(self, prefix):
        self.prefix = Path(prefix)
        self.data = self.prefix / "share" / "castor"
        try:
            facts = json.loads((self.data / "installation.json").read_text())
        except (OSError, ValueError):
            raise WrongRequest(
                f"no Castor in '{prefix}': no file '{self.data / 'installation.json'}'",
                "CASTOR_PREFIX names the folder above bin/; in a build tree, build castor",
            ) from None
        self.abi = facts["abi"]
        self.options = facts["options"]
        self.libraries = self.prefix / facts["libdir"]
        self.include = self.prefix / facts["include"]
        self.blocks = self.libraries / "castor" / "blocks"
        self.exports = self.data / "objects" / "exports.map"

    def library(self, name):
        """The archive of that name."""
        path = self.libraries / f"lib{name}.a"
        if not path.exists():
            raise WrongRequest(f"no file '{path}'", "install all of Castor, or build it")
        return path

    def program(self):
        """The `castor` command."""
        return Path(os.environ.get("CASTOR_PROGRAM") or self.prefix / "bin" / "castor")


def find(prefix=None):
    """The Castor at `prefix`, else at CASTOR_PREFIX, else the one that this script belongs to."""
    return Installation(prefix or os.environ.get("CASTOR_PREFIX") or own_prefix())


def own_prefix():
    """The folder above share/castor/rtl/synthesis/flows.py, as it was called: links of a build tree lead to the
    sources."""
    folders = Path(os.path.abspath(sys.argv[0])).parents
    return folders[min(4, len(folders) - 1)]
