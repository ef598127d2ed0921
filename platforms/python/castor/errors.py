"""What can go wrong, and the packages that are asked for when they are needed."""

import importlib


class BadFile(ValueError):
    """A file is not what it was taken for; the message says which, why, and what writes such files."""


class MissingPackage(ImportError):
    """A Python package is not there; the message is one line that says what to install."""


def need(module):
    """The module of a package outside the standard library. Raises MissingPackage."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackage(
            f"castor needs {package}: apt-get install python3-{package} (for /usr/bin/python3) or pip install {package}"
        ) from None
