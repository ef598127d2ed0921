"""Exceptions of the package, and imports of optional packages at first use."""

import importlib


class BadFile(ValueError):
    """A file does not have the expected format. The message names file, reason, and the command that writes such
    files."""


class MissingPackage(ImportError):
    """A Python package is not installed. The message is one line that says what to install."""


def need(module):
    """Imports and returns a module of a package outside the standard library. Raises MissingPackage."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackage(
            f"castor needs {package}: apt-get install python3-{package} (for /usr/bin/python3) or pip install {package}"
        ) from None
