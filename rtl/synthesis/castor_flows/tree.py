"""Where a block's files lie, and its named parameter sets.

    <root>/rtl/<block>/<block>.f            sources in order, one path a line, relative to <root>/rtl
    <root>/rtl/<block>/parameter_sets.json  {"set": {"Parameter": number, ...}, ...}
    <root>/rtl/<block>/area_points.json     the same, further sets that are synthesised only (optional)
    <root>/tb/<block>/                      properties

A root without rtl/ holds the blocks' folders itself, each with everything of its block.
"""

import difflib
import json
import re
from pathlib import Path

from .errors import WrongRequest


def default_root():
    """The folder that holds rtl/: that of the repository, or share/castor of an installation."""
    return Path(__file__).resolve().parents[3]


def folder_of(root, kind):
    """<root>/rtl or <root>/tb, or the root itself if it has no rtl/."""
    return Path(root) / kind if (Path(root) / "rtl").is_dir() else Path(root)


def blocks(root):
    """Names of the blocks that have RTL, sorted."""
    return sorted(f.stem for f in folder_of(root, "rtl").glob("*/*.f") if f.stem == f.parent.name)


def choose(kind, name, names):
    """`name` if it is one of `names`, else WrongRequest with what there is."""
    if name in names:
        return name
    if not names:
        raise WrongRequest(f"no {kind} '{name}': there is none")
    near = difflib.get_close_matches(name, names, 1)
    raise WrongRequest(f"unknown {kind} '{name}'", (f"did you mean {near[0]}? " if near else "") + "there are: " + ", ".join(names))


class Block:
    """One block: its sources and its parameter sets. Raises WrongRequest if it does not exist or a file is wrong."""

    def __init__(self, root, name, points=False):
        """`points`: with the sets that are synthesised only."""
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise WrongRequest(f"no folder '{self.root}'", "--root names the folder that holds rtl/ and tb/")
        self.name = choose("block", name, blocks(self.root))
        self.rtl = folder_of(self.root, "rtl")
        self.folder = self.rtl / name
        self.bench = folder_of(self.root, "tb") / name
        self.top = f"castor_{name}"
        self.sources = read_file_list(self.folder / f"{name}.f", self.rtl)
        self.sets = read_sets(self.folder / "parameter_sets.json")
        extra = self.folder / "area_points.json"
        if points and extra.exists():
            for chosen, values in read_sets(extra).items():
                if chosen in self.sets:
                    raise WrongRequest(f"{extra}: the set '{chosen}' is in parameter_sets.json too")
                self.sets[chosen] = values

    def parameters(self, name):
        """Values of the set called `name`."""
        return self.sets[choose(f"parameter set of {self.name}", name, list(self.sets))]

    @property
    def includes(self):
        """Folders searched for `include."""
        return [self.rtl / "common", self.folder]


def read_file_list(path, base):
    """Sources of a .f file; `#` and `//` begin comments. Raises WrongRequest if one is missing."""
    sources = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        word = re.split(r"#|//", line, maxsplit=1)[0].strip()
        if not word:
            continue
        source = (base / word).resolve()
        if not source.is_file():
            raise WrongRequest(f"{path}:{number}: no file '{source}'")
        sources.append(source)
    if not sources:
        raise WrongRequest(f"{path}: names no source")
    return sources


def read_sets(path):
    """The parameter sets of a file. Raises WrongRequest if it is not as described above."""
    try:
        sets = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise WrongRequest(f"{path}:{error.lineno}: {error.msg}") from None
    good = isinstance(sets, dict) and sets and all(isinstance(values, dict) for values in sets.values())
    if not good:
        raise WrongRequest(f"{path}: not of the form {{\"set\": {{\"Parameter\": number}}}}")
    for name, values in sets.items():
        for parameter, value in values.items():
            if not isinstance(value, int) or isinstance(value, bool) or not re.fullmatch(r"[A-Za-z]\w*", parameter):
                raise WrongRequest(f"{path}: set {name}: parameter '{parameter}' is not a whole number")
    return sets


def read_text(path):
    """The file's text. Raises WrongRequest if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise WrongRequest(f"cannot read '{path}': {why}") from None


def write_json(path, data):
    """Writes `data` to a file, or to standard output if it is called '-'. Raises WrongRequest if that fails."""
    text = json.dumps(data, indent=2) + "\n"
    if str(path) == "-":
        print(text, end="")
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongRequest(f"cannot write '{path}': {error.strerror}") from None
