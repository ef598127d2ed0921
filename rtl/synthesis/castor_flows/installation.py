"""Finds the installation (or build tree) of Castor, and its facts that shared objects of blocks depend on.

    <prefix>/share/castor/installation.json   {"abi": ..., "libdir": ..., "include": ..., "options": [...]}
    <prefix>/share/castor/objects/            export map of shared objects
    <prefix>/<libdir>/castor/blocks/          a folder per block, with block.json

The program `castor` sets CASTOR_PREFIX to its prefix before it runs a flow.
"""

import json
import os
import sys
from pathlib import Path

from .errors import WrongRequest


class Installation:
    """An installed Castor, or a build tree. The constructor raises WrongRequest if `prefix` has neither."""

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
        """Returns the path of the static library lib<name>.a. Raises WrongRequest if it does not exist."""
        path = self.libraries / f"lib{name}.a"
        if not path.exists():
            raise WrongRequest(f"no file '{path}'", "install all of Castor, or build it")
        return path

    def program(self):
        """Returns the path of the program `castor`: CASTOR_PROGRAM, else bin/castor of the installation."""
        return Path(os.environ.get("CASTOR_PROGRAM") or self.prefix / "bin" / "castor")


def find(prefix=None):
    """Returns the Installation at `prefix`, else at CASTOR_PREFIX, else the one to which this script belongs."""
    return Installation(prefix or os.environ.get("CASTOR_PREFIX") or own_prefix())


def own_prefix():
    """Returns the prefix above share/castor/rtl/synthesis/flows.py. Symbolic links are not resolved, because those of a
    build tree lead to the sources."""
    folders = Path(os.path.abspath(sys.argv[0])).parents
    return folders[min(4, len(folders) - 1)]
