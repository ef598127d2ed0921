"""What can change the runs of an experiment: a digest for each part of the sources, and the commit.

`castor experiment NAME --record` and `--page --check` ask for it. Files are counted in their normal form (normal.py).
Parts:

    simulator   the machine and its blocks, the shipped machines, the runtime of CUDA programs
    compiler    castor-cc and what it compiles into programs
    experiment  what starts runs and reads their figures, and the files and folders that the experiment names: its
                programs, what makes its load

What only judges and shows figures is left out: tables, pictures, published figures and rules are taken anew from the
runs that are kept.
"""

import hashlib
import json
from pathlib import Path

from . import normal, tools
from .errors import WrongRequest

_PARTS = {
    "simulator": (
        "models/castor",
        "platforms/configs",
        "platforms/machines.cpp",
        "platforms/open_device.cpp",
        "sw/runtime",
    ),
    "compiler": ("sw/compiler", "sw/castor_cc", "sw/device", "sw/ptx"),
    "experiment": ("sw/kernels/common", "platforms/experiments/program.cpp", "platforms/experiments/variations.cpp"),
}

_SUFFIXES = {".cpp", ".h", ".cu", ".cl", ".c", ".inc", ".yaml"}

#: Sources that judge and show.
_JUDGES = ("*_report.*", "*_report_*", "claims.*", "*_claims.*", "judge.*", "published.*", "evaluation.*", "figures.*")


def add_arguments(parser):
    parser.add_argument("tree", type=Path, help="root of the sources")
    parser.add_argument("folders", nargs="*", help="files and folders that the experiment names, from there")


def run(options, _progress):
    found = files(options.tree, options.folders)
    print(json.dumps({"sources": digests(options.tree, found), **commit(options.tree, found)}))
    return 0


def files(root, folders):
    """{part: files, sorted}. Raises WrongRequest for a file or folder that is not there."""
    parts = {}
    for part, places in {**_PARTS, "experiment": (*_PARTS["experiment"], *folders)}.items():
        for place in places:
            path = root / place
            if not path.exists():
                raise WrongRequest(f"no file or folder '{path}'", "an experiment names its sources from the root on")
            below = path.rglob("*") if path.is_dir() else [path]
            parts.setdefault(part, set()).update(one for one in below if _counts(one))
    return {part: sorted(found) for part, found in parts.items()}


def _counts(path):
    return path.suffix in _SUFFIXES and path.is_file() and not any(path.match(one) for one in _JUDGES)


def digests(root, parts):
    """{part: "N files DIGEST"}."""
    found = {}
    for part, paths in parts.items():
        lines = (f"{path.relative_to(root)} {normal.digest_of(path.name, path.read_bytes())}\n" for path in paths)
        found[part] = f"{len(paths)} files {hashlib.sha256(''.join(lines).encode()).hexdigest()[:12]}"
    return found


def commit(root, parts):
    """The commit of the tree and which of the files are not as committed; both empty without version control."""
    head = tools.head_of(root)
    names = [path for paths in parts.values() for path in paths]
    return {"commit": head, "changed": tools.uncommitted(root, names) if head else []}
