"""Where a block's files lie, and its named parameter sets.

A block has a manifest, <folder>/NAME/block.json, in a folder of Castor's own or of CASTOR_BLOCKS (castor_block of CMake
writes it). With --root, blocks are those of a tree instead:

    <root>/rtl/<block>/<block>.f            sources in order, one path a line, relative to <root>/rtl, to this folder or
    to Castor's rtl/
    <root>/rtl/<block>/parameter_sets.json  {"set": {"Parameter": number, ...}, ...}
    <root>/rtl/<block>/area_points.json     the same, further sets that are synthesised only (optional)
    <root>/rtl/<block>/proof_points.json    further sets that are proven only (optional); a parameter called
    CASTOR_... is a macro of the sources
    <root>/tb/<block>/                      properties

A root without rtl/ holds the blocks' folders itself, each with everything of its block.

The modules of rtl/common, which blocks share, lie like that below tb/rtl_common, each folder with all but the module.
"""

import difflib
import hashlib
import json
import os
import re
from pathlib import Path

from . import installation
from .errors import WrongRequest

#: The name that stands for all shared modules.
COMMON = "common"


def own_rtl():
    """Castor's rtl/, with the tables and FIFOs that all blocks share."""
    return Path(__file__).resolve().parents[2]


def folder_of(root, kind):
    """<root>/rtl or <root>/tb, or the root itself if it has no rtl/."""
    return Path(root) / kind if (Path(root) / "rtl").is_dir() else Path(root)


def manifests():
    """{name: block.json} of all blocks. Raises WrongRequest if two have one name."""
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
    """Names of the blocks that have RTL, sorted."""
    if root is None:
        return [name for name, path in manifests().items() if "rtl" in _manifest(path)]
    return sorted(f.stem for f in folder_of(root, "rtl").glob("*/*.f") if f.stem == f.parent.name)


def readable_blocks(root=None):
    """The blocks that have RTL, as `find` gives them, without those whose files cannot be read."""
    found = []
    for name in sorted(manifests()) if root is None else blocks(root):
        try:
            found.append(find(root, name))
        except WrongRequest:
            continue
    return found


def find(root, name, points=None):
    """The block of that name: of the tree `root`, or, if that is None, by its manifest. `points`: as Block."""
    if root is None:
        paths = manifests()
        return read_manifest(paths[choose("block", name, list(paths))], points)
    root = Path(root).resolve()
    if not root.is_dir():
        raise WrongRequest(f"no folder '{root}'", "--root names the folder that holds rtl/ and tb/")
    choose("block", name, blocks(root))
    return Block(name, folder_of(root, "rtl") / name, folder_of(root, "tb") / name, root, points)


def shared_modules():
    """Names of the modules of rtl/common, without castor_, sorted."""
    return sorted(path.stem.removeprefix("castor_") for path in (own_rtl() / COMMON).glob("*.sv"))


def designs(root, name):
    """What can be proven under that name: a block, as `find`; a shared module, with castor_ or without; all of those
    if it is "common"."""
    if root is None and name == COMMON:
        return [SharedModule(one) for one in shared_modules()]
    if root is not None or name in manifests():
        return [find(root, name, points="proof")]
    return [SharedModule(choose("block", name.removeprefix("castor_"), [*manifests(), *shared_modules(), COMMON]))]


def _manifest(path):
    """The manifest at `path`, its paths absolute."""
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
    """The block of a manifest. `points`: as Block."""
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
    """`name` if it is one of `names`, else WrongRequest with what there is."""
    if name in names:
        return name
    if not names:
        raise WrongRequest(f"no {kind} '{name}': there is none")
    near = difflib.get_close_matches(name, names, 1)
    raise WrongRequest(
        f"unknown {kind} '{name}'", (f"did you mean {near[0]}? " if near else "") + "there are: " + ", ".join(names)
    )


class Block:
    """One block: its sources and its parameter sets. Raises WrongRequest if a file is missing or wrong."""

    def __init__(self, name, folder, bench, root, points=None, manifest=None):
        """`folder`, `bench`: of its RTL and of its properties; `root`: what places in sources are told relative to;
        `points`: "area" or "proof": with the sets that are synthesised or proven only."""
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
        """Waivers and sources, as Verilator takes them; the probe top comes behind them."""
        waivers = dict.fromkeys(folder / f"{self.name}.vlt" for folder in (self.bench, self.folder))
        return [*(path for path in waivers if path.exists()), *self.sources]

    @property
    def probe_top(self):
        """The file of the probe top, as it is written by hand (ports.py)."""
        return self.bench / f"{self.top}_probe.sv"

    @property
    def with_assumptions(self):
        """Files of properties that assume something: those of the block, all or none, since they read each other, and
        those of the shared modules in it."""

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
        """Whether RTL at these values of all parameters checks them: at the sets that tb/<block>/assumptions.json names
        ({"sets": [...], "why": "..."}), where the others would take too long; without that file everywhere.
        CASTOR_ASSUMPTIONS=1 in the environment: everywhere."""
        chosen = self.bench / "assumptions.json"
        if os.environ.get("CASTOR_ASSUMPTIONS") == "1" or not chosen.exists():
            return True
        return any(self.parameters(name) == dict(values) for name in json.loads(read_text(chosen))["sets"])

    @property
    def libraries(self):
        """Archives that its shared objects may link."""
        return [Path(path) for path in self.manifest["libraries"]]

    @property
    def proof_sets(self):
        """Names of the sets at which it is proven, unless somebody names others."""
        return ["proof"]

    def parameters(self, name):
        """Values of the set called `name`."""
        return self.sets[choose(f"parameter set of {self.name}", name, list(self.sets))]

    @property
    def includes(self):
        """Folders searched for `include."""
        return [
            folder
            for folder in dict.fromkeys((self.rtl / "common", self.folder, own_rtl() / "common"))
            if folder.is_dir()
        ]


class SharedModule(Block):
    """A module of rtl/common with its bench in tb/rtl_common: a block without a model of its own."""

    def __init__(self, name):
        root = own_rtl().parent
        folder = root / "tb" / "rtl_common" / name
        super().__init__(name, folder, folder, root)

    @property
    def proof_sets(self):
        return list(self.sets)


def read_file_list(path, bases):
    """Sources of a .f file, relative to the first of `bases` that has them; `#` and `//` begin comments. Raises
    WrongRequest if one is missing."""
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
    """The parameter sets of a file. Raises WrongRequest if it is not as described above."""
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
    """`number` of the items: those whose names (`key`), behind the RTL in `folder`, have the smallest hashes."""
    rtl = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("*.sv")))).hexdigest()
    return sorted(items, key=lambda one: hashlib.sha256(f"{rtl} {key(one)}".encode()).hexdigest())[:number]


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
