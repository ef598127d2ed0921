"""Finds the files of a block, and reads its named parameter sets.

A block has a manifest, <folder>/NAME/block.json, which castor_block of CMake writes. <folder> is Castor's own folder of
blocks or one in CASTOR_BLOCKS. With --root, blocks are found in a source tree instead:

    <root>/rtl/<block>/<block>.f            sources in order, one path per line, relative to <root>/rtl, to this folder,
                                            or to Castor's rtl/
    <root>/rtl/<block>/parameter_sets.json  {"set": {"Parameter": number, ...}, ...}
    <root>/rtl/<block>/area_points.json     further sets that are only synthesised (optional)
    <root>/rtl/<block>/proof_points.json    further sets that are only proven (optional); a parameter named CASTOR_...
                                            is a macro of the sources
    <root>/tb/<block>/                      properties

If <root> has no rtl/, it holds a folder per block with all files of the block.

The files of a module in rtl/common, which blocks share, are in tb/rtl_common/<module>, except for the module itself.
"""

import difflib
import hashlib
import json
import os
import re
from pathlib import Path

from . import installation, normal
from .errors import WrongRequest

#: Name with which commands select all shared modules.
COMMON = "common"


def own_rtl():
    """Returns Castor's folder rtl/, which has the modules that blocks share."""
    return Path(__file__).resolve().parents[2]


def folder_of(root, kind):
    """Returns <root>/<kind> (`kind`: rtl or tb), or the root itself if it has no rtl/."""
    return Path(root) / kind if (Path(root) / "rtl").is_dir() else Path(root)


def manifests():
    """Returns {name: path of block.json} of all blocks. Raises WrongRequest if two blocks have the same name."""
    folders = [installation.find().blocks]
    folders += [Path(folder) for folder in os.environ.get("CASTOR_BLOCKS", "").split(":") if folder]
    found = {}
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        for path in sorted(folder.glob("*/block.json")):
            if path.parent.name in found:
                raise WrongRequest(
                    f"two blocks are called {path.parent.name}: '{found[path.parent.name]}' and '{path}'",
                    "rename one, or take its folder out of CASTOR_BLOCKS",
                )
            found[path.parent.name] = path
    return dict(sorted(found.items()))


def blocks(root=None):
    """Returns the sorted names of the blocks that have RTL."""
    if root is None:
        return [name for name, path in manifests().items() if "rtl" in _manifest(path)]
    return sorted(f.stem for f in folder_of(root, "rtl").glob("*/*.f") if f.stem == f.parent.name)


def readable_blocks(root=None):
    """Returns the Blocks that have RTL, except those whose files cannot be read."""
    found = []
    for name in sorted(manifests()) if root is None else blocks(root):
        try:
            found.append(find(root, name))
        except WrongRequest:
            continue
    return found


def find(root, name, points=None):
    """Returns the Block `name` of the tree `root` or, if `root` is None, of its manifest. `points`: see Block. Raises
    WrongRequest for an unknown name."""
    if root is None:
        paths = manifests()
        return read_manifest(paths[choose("block", name, list(paths))], points)
    root = Path(root).resolve()
    if not root.is_dir():
        raise WrongRequest(f"no folder '{root}'", "--root names the folder that holds rtl/ and tb/")
    choose("block", name, blocks(root))
    return Block(name, folder_of(root, "rtl") / name, folder_of(root, "tb") / name, root, points)


def shared_modules():
    """Returns the sorted names of the modules of rtl/common, without the prefix castor_."""
    return sorted(path.stem.removeprefix("castor_") for path in (own_rtl() / COMMON).glob("*.sv"))


def designs(root, name):
    """Returns a list with the block `name`, or with the shared module `name` (with or without castor_), or with all
    shared modules if `name` is "common"."""
    if root is None and name == COMMON:
        return [SharedModule(one) for one in shared_modules()]
    if root is not None or name in manifests():
        return [find(root, name, points="proof")]
    return [SharedModule(choose("block", name.removeprefix("castor_"), [*manifests(), *shared_modules(), COMMON]))]


def _manifest(path):
    """Returns the content of the manifest at `path`, with absolute paths."""
    try:
        data = json.loads(read_text(path))
        base = path.parent
        for key in ("rtl", "tb", "evidence"):
            if key in data:
                data[key] = Path(os.path.normpath(base / data[key]))
        for key in ("include", "libraries"):
            data[key] = [os.path.normpath(base / one) for one in data[key]]
        for key in ("name", "type", "ports"):
            if not isinstance(data[key], str):
                raise TypeError
    except (ValueError, KeyError, TypeError):
        raise WrongRequest(f"{path}: not a manifest as castor_block writes it") from None
    return data


def read_manifest(path, points=None):
    """Returns the Block of a manifest. `points`: see Block."""
    data = _manifest(Path(os.path.abspath(path)))
    if "rtl" not in data:
        raise WrongRequest(f"block {data['name']} has no RTL", f"{path} names none")
    data["folder"] = Path(os.path.abspath(path)).parent
    base = data["rtl"].parent
    return Block(
        data["name"],
        data["rtl"],
        data.get("tb", data["rtl"]),
        base.parent if base.name == "rtl" else base,
        points,
        data,
    )


def choose(kind, name, names):
    """Returns `name` if it is one of `names`. Otherwise raises WrongRequest that lists `names`."""
    if name in names:
        return name
    if not names:
        raise WrongRequest(f"no {kind} '{name}': none exists")
    near = difflib.get_close_matches(name, names, 1)
    raise WrongRequest(
        f"unknown {kind} '{name}'", (f"did you mean {near[0]}? " if near else "") + "there are: " + ", ".join(names)
    )


class Block:
    """A block: its sources and its parameter sets. The constructor raises WrongRequest if a file is missing or
    wrong."""

    def __init__(self, name, folder, bench, root, points=None, manifest=None):
        """`folder`: folder of the RTL; `bench`: folder of the properties; `root`: folder to which reported paths are
        relative; `points`: "area" or "proof", to include the parameter sets that are only synthesised or proven."""
        self.root = Path(root).resolve()
        self.name = name
        self.folder = Path(folder).resolve()
        self.rtl = self.folder.parent
        self.bench = Path(bench).resolve()
        self.manifest = manifest
        self.top = f"castor_{name}"
        self.sources = read_file_list(self.folder / f"{name}.f", [self.rtl, self.folder, own_rtl()])
        self.sets = read_sets(self.folder / "parameter_sets.json")
        extra = self.folder / f"{points}_points.json"
        if points and extra.exists():
            for chosen, values in read_sets(extra).items():
                if chosen in self.sets:
                    raise WrongRequest(f"{extra}: the set '{chosen}' is in parameter_sets.json too")
                self.sets[chosen] = values

    @property
    def verilated(self):
        """Waivers and sources for Verilator, in order. The probe top must follow them."""
        waivers = dict.fromkeys(folder / f"{self.name}.vlt" for folder in (self.bench, self.folder))
        return [*(path for path in waivers if path.exists()), *self.sources]

    @property
    def probe_top(self):
        """Path of the hand-written probe top, which ports.probe_top completes."""
        return self.bench / f"{self.top}_probe.sv"

    @property
    def with_assumptions(self):
        """Properties files with assumptions. If one file of the block has assumptions, all files of the block are
        included, because they refer to each other. Files of the shared modules in the block are included one by one."""

        def assumes(path):
            return path.exists() and "`CASTOR_ASSUME(" in read_text(path)

        own = sorted(self.bench.glob(f"{self.top}*_properties.sv"))
        benches = own_rtl().parent / "tb" / "rtl_common"
        shared = [
            benches / source.stem.removeprefix("castor_") / f"{source.stem}_properties.sv"
            for source in self.sources
            if source.parent == own_rtl() / COMMON
        ]
        return [*(own if any(map(assumes, own)) else ()), *filter(assumes, shared)]

    def checks_assumptions(self, values):
        """Returns whether RTL objects with these parameter values check assumptions. The file
        tb/<block>/assumptions.json ({"sets": [...], "why": "..."}) restricts the checks to some parameter sets, if
        others would run too long. Without that file, or with CASTOR_ASSUMPTIONS=1 in the environment, all RTL objects
        check them."""
        chosen = self.bench / "assumptions.json"
        if os.environ.get("CASTOR_ASSUMPTIONS") == "1" or not chosen.exists():
            return True
        return any(self.parameters(name) == dict(values) for name in json.loads(read_text(chosen))["sets"])

    @property
    def libraries(self):
        """Static libraries that shared objects of the block may link."""
        return [Path(path) for path in self.manifest["libraries"]]

    @property
    def proof_sets(self):
        """Names of the parameter sets at which the block is proven by default."""
        return ["proof"]

    def parameters(self, name):
        """Returns the parameter values of the set `name`. Raises WrongRequest for an unknown name."""
        return self.sets[choose(f"parameter set of {self.name}", name, list(self.sets))]

    @property
    def includes(self):
        """Folders in which `include files are searched."""
        return [
            folder
            for folder in dict.fromkeys((self.rtl / "common", self.folder, own_rtl() / "common"))
            if folder.is_dir()
        ]


class SharedModule(Block):
    """A module of rtl/common with its properties in tb/rtl_common. It is a Block without manifest and cycle model."""

    def __init__(self, name):
        root = own_rtl().parent
        folder = root / "tb" / "rtl_common" / name
        super().__init__(name, folder, folder, root)

    @property
    def proof_sets(self):
        return list(self.sets)


def read_file_list(path, bases):
    """Returns the sources of a .f file. Each path is relative to the first of the folders `bases` that has the file;
    `#` and `//` begin comments. Raises WrongRequest if a source is missing."""
    sources = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        word = re.split(r"#|//", line, maxsplit=1)[0].strip()
        if not word:
            continue
        source = next((one for one in ((base / word).resolve() for base in bases) if one.is_file()), None)
        if source is None:
            raise WrongRequest(f"{path}:{number}: no file '{(bases[0] / word).resolve()}'")
        sources.append(source)
    if not sources:
        raise WrongRequest(f"{path}: names no source")
    return sources


def read_sets(path):
    """Returns the parameter sets of a file, {set: {parameter: number}}. Raises WrongRequest if it is not of that
    form."""
    try:
        sets = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise WrongRequest(f"{path}:{error.lineno}: {error.msg}") from None
    good = isinstance(sets, dict) and sets and all(isinstance(values, dict) for values in sets.values())
    if not good:
        raise WrongRequest(f'{path}: not of the form {{"set": {{"Parameter": number}}}}')
    for name, values in sets.items():
        for parameter, value in values.items():
            if not isinstance(value, int) or isinstance(value, bool) or not re.fullmatch(r"[A-Za-z]\w*", parameter):
                raise WrongRequest(f"{path}: set {name}: parameter '{parameter}' is not a whole number")
    return sets


def sample(items, number, folder, key=str):
    """Returns `number` of the items: those with the smallest hashes of their name (`key`) and the RTL in `folder`. The
    sample changes only if the names or the RTL change; comments of the RTL do not count."""
    texts = (normal.text_of(path.name, path.read_bytes()) for path in sorted(folder.glob("*.sv")))
    rtl = hashlib.sha256("".join(texts).encode()).hexdigest()
    return sorted(items, key=lambda one: hashlib.sha256(f"{rtl} {key(one)}".encode()).hexdigest())[:number]


def read_text(path):
    """Returns the text of a file. Raises WrongRequest if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise WrongRequest(f"cannot read '{path}': {why}") from None


def write_json(path, data):
    """Writes `data` as JSON to a file, or to standard output if `path` is '-'. Raises WrongRequest if that fails."""
    text = json.dumps(data, indent=2) + "\n"
    if str(path) == "-":
        print(text, end="")
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongRequest(f"cannot write '{path}': {error.strerror}") from None
