"""Computes digests of the sources that can change the runs of an experiment, and finds the commit of the source tree.

`castor experiment NAME --record` and `--page --check` call it. Digests are made from the normal form of each file
(normal.py). There is a digest for each part of the sources:

    simulator   the GPU model and its blocks, the shipped machine files, the runtime of CUDA programs
    compiler    castor-cc, and the sources that it compiles into programs
    experiment  the code that starts runs and reads their figures, and the files and folders that the experiment names:
                its programs, and the generator of its load

Code that only evaluates and shows figures is left out, because tables, pictures and rules can be recomputed from the
recorded runs.
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

#: File name patterns of sources that only evaluate and show figures.
_JUDGES = ("*_report.*", "*_report_*", "claims.*", "*_claims.*", "judge.*", "published.*", "evaluation.*", "figures.*")


def add_arguments(parser):
    parser.add_argument("tree", type=Path, help="root of the sources")
    parser.add_argument("folders", nargs="*", help="files and folders that the experiment names, relative to the root")


def run(options, _progress):
    found = files(options.tree, options.folders)
    print(json.dumps({"sources": digests(options.tree, found), **commit(options.tree, found)}))
    return 0


def files(root, folders):
    """Returns {part: sorted list of its files}. Raises WrongRequest for a file or folder that does not exist."""
    parts = {}
    for part, places in {**_PARTS, "experiment": (*_PARTS["experiment"], *folders)}.items():
        for place in places:
            path = root / place
            if not path.exists():
                raise WrongRequest(
                    f"no file or folder '{path}'", "an experiment names its sources relative to the root"
                )
            below = path.rglob("*") if path.is_dir() else [path]
            parts.setdefault(part, set()).update(one for one in below if _counts(one))
    return {part: sorted(found) for part, found in parts.items()}


def _counts(path):
    return path.suffix in _SUFFIXES and path.is_file() and not any(path.match(one) for one in _JUDGES)


def digests(root, parts):
    """Returns {part: "N files DIGEST"}."""
    found = {}
    for part, paths in parts.items():
        lines = (f"{path.relative_to(root)} {normal.digest_of(path.name, path.read_bytes())}\n" for path in paths)
        found[part] = f"{len(paths)} files {hashlib.sha256(''.join(lines).encode()).hexdigest()[:12]}"
    return found


def commit(root, parts):
    """Returns {"commit": ..., "changed": [...]}: the commit of the tree, and the files with uncommitted changes. Both
    are empty without version control."""
    head = tools.head_of(root)
    names = [path for paths in parts.values() for path in paths]
    return {"commit": head, "changed": tools.uncommitted(root, names) if head else []}
