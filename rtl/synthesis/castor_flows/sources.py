"""Finds the files and tool versions on which the figure of a rung depends. A rung is a type of verification of a block
(evidence.py).

Digests are made from the normal form of each file (normal.py), so comments and formatting do not matter. Files are
grouped into rooms:

    rtl         sources of the file list, `include files, parameter sets, Verilator's waivers, the probe top
    properties  castor_<block>*_properties.sv; for RTL objects also properties of shared modules that have assumptions
    proofs      verdicts of tb/<block>/proofs.json, with the tool versions
    model       the folder of the engine (cycle model)
    adapter     the folder of the registration (connection to the GPU model)
    platform    headers of the GPU model that the adapter includes
    contract    headers of castor/twin and castor/base that are included, with their implementation
    bench       sequences, cover points and skip.h of tb/<block>
    harness     headers of tb/common that are included, with their implementation, and templates of shared objects
    tests       CMake calls that declare the rung's tests, sources and programs of the tests, and files that they
    include
                or import
    flow        Python modules that determine the results of the rung's commands

Dependencies follow `#include` in C++ and imports in Python.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
from pathlib import Path, PurePosixPath

from . import installation, normal, tools, tree

#: All rooms, in the order in which they are recorded.
ROOMS = (
    "rtl",
    "properties",
    "proofs",
    "model",
    "adapter",
    "platform",
    "contract",
    "bench",
    "harness",
    "tests",
    "flow",
)

#: Rung -> rooms from which its dependencies start; includes lead to further rooms. The rungs are in order of cost.
RUNGS = {
    "unit": ("model", "tests"),
    "lockstep": ("rtl", "properties", "model", "bench", "harness"),
    "cover": ("rtl", "properties", "model", "bench", "harness"),
    "formal": ("rtl", "properties", "proofs"),
    "netlist": ("rtl", "model", "bench", "harness"),
    "mutation": ("rtl", "model", "bench", "harness", "properties", "proofs"),
    "platform": ("rtl", "properties", "model", "adapter", "tests"),
    "area": ("rtl",),
}

#: Flow -> tools that it uses.
_TOOLS = {
    "cosim": ("verilator", "c++", "python"),
    "coverage": ("verilator", "c++", "python"),
    "prove": ("yosys", "berkeley-abc", "z3", "python"),
    "netlist": ("yosys", "berkeley-abc", "cells", "verilator", "c++", "python"),
    "mutate": ("yosys", "berkeley-abc", "verilator", "c++", "python"),
    "area": ("yosys", "berkeley-abc", "cells", "sta", "python"),
    "run": ("verilator", "c++", "python"),
    "ctest": ("c++",),
}

#: Rung -> further tools, independent of its commands, because its tests run RTL.
_TOOLS_OF_RUNG = {"platform": ("verilator", "c++", "python")}

#: Flow -> Python modules from which its imports are followed.
_FLOWS = {
    "cosim": ("rtl_object",),
    "coverage": ("coverage",),
    "prove": ("prove",),
    "netlist": ("netlist",),
    "mutate": ("mutate",),
    "area": ("area",),
    "run": ("rtl_object",),
    "ctest": (),
}

#: Modules that find files, print reports or keep records, so that they cannot change a result.
_NO_VERDICT = {"due", "errors", "evidence", "installation", "main", "normal", "progress", "sources"}

#: Module -> definitions in it that cannot change a result.
REPORTS = {
    "area": {"report", "recorded", "expected", "record", "check", "versions", "_Running"},
    "coverage": {"text_of"},
    "faults": {"look"},
    "formal": {"fingerprint"},
    "mutate": {"report"},
    "engines": {"trace"},
    "proof_record": {"record", "losses", "not_recorded"},
    "properties": {"written_at"},
    "prove": {"line_of", "summary"},
    "rtl_object": {"_say", "cache_folder"},
    "tools": {"PACKAGES", "_CELLS", "need", "version", "cores"},
    "tree": {"choose", "shared_modules", "write_json"},
}

#: Module -> C++ files beside it that it compiles into a shared object.
_BESIDE = {"rtl_object": ("rtl_object.cpp.in", "port_list.cpp.in"), "mutate": ("mutant_number.cpp",)}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
_IMPORT = re.compile(r"^\s*from \. import ([\w, ]+)$|^\s*from \.(\w+) import", re.MULTILINE)
_PYTHON_IMPORT = re.compile(r"^\s*(?:import|from)[ \t]+(\w+)", re.MULTILINE)


class WorkingTree:
    """The files on disk. Each file is read once and its content is kept."""

    def __init__(self):
        self.known = {}
        self.memory = {}  # cached results of searches and of parsed includes

    def read(self, path):
        """Returns the bytes of a file; None if it does not exist."""
        name = str(path)
        if name not in self.known:
            try:
                with open(name, "rb") as file:
                    self.known[name] = file.read()
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
                self.known[name] = None
        return self.known[name]

    def below(self, folder, pattern="*"):
        """Returns the sorted files below a folder."""
        key = ("below", folder, pattern)
        if key not in self.memory:
            self.memory[key] = sorted(path for path in Path(folder).rglob(pattern) if path.is_file())
        return self.memory[key]


class Commit:
    """The files of a commit of the repository at `root`. Files outside of the repository are read from disk."""

    def __init__(self, root, commit):
        self.root = Path(root)
        self.outside = WorkingTree()
        listed = _git(root, "ls-tree", "-r", "-z", "--full-tree", commit)
        self.blobs = {}
        for entry in listed.decode().split("\0"):
            facts, _, name = entry.partition("\t")
            if facts.startswith("100"):
                self.blobs[self.root / name] = facts.split()[2]
        self.known = {}
        self.memory = {}

    def read(self, path):
        path = Path(path)
        if not path.is_relative_to(self.root):
            return self.outside.read(path)
        blob = self.blobs.get(path)
        if blob is None:
            return None
        if blob not in self.known:
            self.known[blob] = _git(self.root, "cat-file", "blob", blob)
        return self.known[blob]

    def below(self, folder, pattern="*"):
        folder = Path(folder)
        if not folder.is_relative_to(self.root):
            return self.outside.below(folder, pattern)
        return sorted(path for path in self.blobs if path.is_relative_to(folder) and path.match(pattern))


def _git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=True).stdout


def digest(block, rung, commands, view=None):
    """Returns {room: "N files DIGEST"} of the files on which the rung's figure depends; None for an installed block,
    whose sources are not available. `commands`: the rung's commands from rungs.json."""
    found = files(block, rung, commands, view)
    if found is None:
        return None
    rooms = {}
    for label, (_, room, one) in found.items():
        rooms.setdefault(room, []).append(f"{label} {one}\n")
    return {
        room: f"{len(rooms[room])} files {hashlib.sha256(''.join(sorted(rooms[room])).encode()).hexdigest()[:12]}"
        for room in ROOMS
        if room in rooms
    }


def files(block, rung, commands, view=None):
    """Returns {name: (path, room, digest)}, sorted, of the files on which the rung's figure depends; None for an
    installed block."""
    if block.manifest is None or not block.manifest.get("sources"):
        return None
    return _Collector(block, rung, commands, view or WorkingTree()).collect()


def tool_names(rung, commands):
    """Returns the names of the tools that the rung uses, for `version_of`."""
    names = [name for flow in flows_of(commands) for name in _TOOLS.get(flow, ())]
    return list(dict.fromkeys([*names, *_TOOLS_OF_RUNG.get(rung, ())]))


def flows_of(commands):
    """Returns the flow of each command: `prove` for `castor prove lax`, else the name of the program."""
    words = [line.split() for line in commands]
    return list(dict.fromkeys(one[1] if one[0] == "castor" and len(one) > 1 else one[0] for one in words if one))


_versions = {}


def version_of(block, name):
    """Returns the version text of a tool; "" if it is not installed. `c++` is the compiler in the block's manifest."""
    command = block.manifest.get("compiler", "c++") if name == "c++" and block.manifest else name
    if command not in _versions:
        _versions[command] = tools.version(name, command)
    return _versions[command]


class _Collector:
    """Collects the files on which the figure of one rung depends."""

    def __init__(self, block, rung, commands, view):
        self.block = block
        self.rung = rung
        self.commands = commands
        self.view = view
        self.found = {}
        self.include = installation.find().include
        self.own = tree.own_rtl()
        manifest = block.manifest
        self.roots = [Path(folder) for folder in manifest["include"]] + [self.include]
        self.roots += [block.root, self.own.parent, block.root / "sw", block.root / "tests"]
        self.roots = list(dict.fromkeys(self.roots))
        self.model = self._folder_of(manifest.get("engine"))
        self.adapter = self._folder_of(manifest.get("registration"))
        self.harness = next(
            (one for one in (block.root / "tb" / "common", self.include / "tb" / "common") if view.below(one)),
            self.own.parent / "tb" / "common",
        )

    def collect(self):
        """Returns {name: (path, room, digest)}, sorted, of all files on which the figure depends."""
        for room in RUNGS[self.rung]:
            getattr(self, f"_{room}")()
        self._flow()
        return dict(sorted(self.found.items()))

    # --- rooms

    def _rtl(self):
        block, own = self.block, self.own
        listed = block.folder / f"{block.name}.f"
        self._add(listed, "rtl")
        for line in (self._text(listed) or "").splitlines():
            word = re.split(r"#|//", line, maxsplit=1)[0].strip()
            bases = (block.rtl, block.folder, own)
            paths = [(base / word).resolve() for base in bases] if word else []
            for path in [path for path in paths if self.view.read(path) is not None][:1]:
                self._add(path, "rtl")
        for folder in dict.fromkeys((block.rtl / "common", block.folder, own / "common")):
            for path in self.view.below(folder, "*.svh"):
                self._add(path, "rtl")
        self._add(block.folder / "parameter_sets.json", "rtl")
        if self.rung == "area":
            self._add(block.folder / "area_points.json", "rtl")
        elif self.rung == "formal":
            self._add(block.folder / "proof_points.json", "rtl")
        else:
            for folder in (block.bench, block.folder):
                self._add(folder / f"{block.name}.vlt", "rtl")
            self._add(block.bench / f"{block.top}_probe.sv", "rtl")
            self._follow(block.bench / "skip.h", "bench")

    def _properties(self):
        for path in self.view.below(self.block.bench, f"castor_{self.block.name}*_properties.sv"):
            self._add(path, "properties")
        if self.rung in ("lockstep", "cover", "platform"):
            chosen = self.block.bench / "assumptions.json"
            for path in [*self.block.with_assumptions, *([chosen] if chosen.exists() else [])]:
                self._add(path, "properties")

    def _proofs(self):
        path = self.block.bench / "proofs.json"
        told = verdicts(self._text(path))
        if told is not None and takes_recorded_proofs(self.commands):
            self.found[self._label(path)] = (path, "proofs", hashlib.sha256(told.encode()).hexdigest()[:12])

    def _model(self):
        for header in ("engine", "ports"):
            self._follow_name(self.block.manifest.get(header))
        self._whole(self.model)

    def _adapter(self):
        if self.adapter is None:
            return
        self._follow_name(self.block.manifest.get("registration"))
        self._whole(self.adapter)
        self._template("model.cpp.in")

    def _bench(self):
        self._follow(self.block.bench / "bench.h", "bench")
        self._whole(self.block.bench)

    def _harness(self):
        self._whole(self.harness)
        self._template("bench.cpp.in")

    def _template(self, name):
        for folder in (self.own.parent / "cmake" / "objects", self.own.parent / "objects"):
            self._follow(folder / name, "harness")

    def _whole(self, folder):
        """Adds all .cpp files below a folder, and the files that they include."""
        for path in self.view.below(folder, "*.cpp") if folder else ():
            self._follow(path)

    # --- tests

    def _tests(self):
        """Adds the tests that the rung's `ctest` command runs: the CMake calls that declare them, and their files."""
        for line in self.commands:
            wanted = _selected(line)
            if wanted is None:
                continue
            for path in self.view.below(self.block.root / "tests", "*.cmake"):
                if path.parent.parent.name == "tests":
                    self._tests_of(path, wanted)

    def _tests_of(self, path, wanted):
        text = normal.text_of(path.name, self.view.read(path))
        lists = {name: words.split() for name, words in re.findall(r"\bset \( (\w+) ([^()]*)\)", text)}
        kind = path.parent.name
        declared = []
        for call in re.findall(r"\bcastor_(?:script_)?tests? \( [^()]*\)", text):
            words = call.split()[2:-1]
            if any(wanted(name, kind) for name in _test_names(words)):
                declared.append(call)
                for word in words:
                    for one in lists.get(word.strip('"')[2:-1], [word]):
                        self._test_file(one.strip('"'), kind)
        if declared:
            label = self._label(path)
            self.found[label] = (path, "tests", hashlib.sha256("\n".join(declared).encode()).hexdigest()[:12])

    def _test_file(self, word, kind):
        root = self.block.root
        word = word.replace("${PROJECT_SOURCE_DIR}", str(root)).replace("${CMAKE_CURRENT_SOURCE_DIR}", f"{root}/tests")
        if "/kernels/" in word or word.startswith("${kernels}/"):
            name = PurePosixPath(word).name
            for path in self.view.below(root / "sw" / "kernels", "*.cu"):
                place = path.relative_to(root / "sw" / "kernels").with_suffix("")
                if name in (path.stem, "_".join(place.parts)):
                    self._follow(path, "tests")
        elif "${" not in word and re.search(r"\.\w+$", word):
            path = root / "tests" / kind / word  # equals `word` if it is an absolute path
            if word.endswith(".py"):
                self._script(path)
            else:
                self._follow(path, "tests")

    def _script(self, path):
        """Adds a Python script, and the scripts in the same folder that it imports."""
        if self._add(path, "tests"):
            for name in _PYTHON_IMPORT.findall(self._text(path)):
                self._script(path.parent / f"{name}.py")

    # --- flows

    def _flow(self):
        folder = self.own / "synthesis" / "castor_flows"
        flows = flows_of(self.commands)
        queue = [name for flow in flows for name in _FLOWS.get(flow, ())]
        if self.rung == "platform":
            queue += _FLOWS["run"]
        seen = set(_NO_VERDICT)
        while queue:
            name = queue.pop()
            path = folder / f"{name}.py"
            content = self.view.read(path)
            if name in seen or content is None:
                continue
            seen.add(name)
            text = content.decode()
            self._add(path, "flow", set(REPORTS.get(name, ())))
            for beside in _BESIDE.get(name, ()):
                self._follow(folder / beside, "flow")
            if name == "rtl_object":
                self._follow_name("castor/twin/rtl_builder.h")
            for several, one in _IMPORT.findall(text):
                queue += [word.strip() for word in several.split(",")] if several else [one]

    # --- files

    def _follow_name(self, name):
        path = self._header(name, None) if name else None
        if path is not None:
            self._follow(path)

    def _follow(self, path, room=None):
        """Adds a C++ file and all files of the project that it includes. For a header of the contract or harness the
        implementation is added, for a header of the block's model, adapter or bench all .cpp files of that room."""
        queue = [(path, room)]
        while queue:
            path, room = queue.pop()
            room = room or self._room_of(path)
            if not self._add(path, room):
                continue
            queue += [(header, None) for header in self._included(path)]
            if path.suffix != ".h":
                continue
            if room in ("contract", "harness"):
                for one in self.view.below(path.parent, f"{path.stem}*.cpp"):
                    if one.stem == path.stem or one.stem.startswith(path.stem + "_"):
                        queue.append((one, None))
            elif room in ("model", "adapter", "bench") and path.name != "skip.h":
                queue += [(one, None) for one in self.view.below(self._folder_of_room(room), "*.cpp")]

    def _included(self, path):
        """Returns the headers of the project that a file includes directly."""
        key = ("included", path, self.block.name)
        if key not in self.view.memory:
            headers = [self._header(name, path.parent) for name in _INCLUDE.findall(self._text(path))]
            self.view.memory[key] = [header for header in headers if header is not None]
        return self.view.memory[key]

    def _folder_of_room(self, room):
        return {"model": self.model, "adapter": self.adapter, "bench": self.block.bench}[room]

    def _header(self, name, beside):
        """Returns the path of the header `name`, searched first in the folder `beside`; None if it is no header of the
        project."""
        folders = [*([beside] if beside else []), *self.roots]
        key = ("header", name, *map(str, folders))
        if key not in self.view.memory:
            paths = (Path(os.path.normpath(folder / name)) for folder in folders)
            self.view.memory[key] = next((path for path in paths if self.view.read(path) is not None), None)
        return self.view.memory[key]

    def _room_of(self, path):
        key = ("room", path, self.block.name)
        if key not in self.view.memory:
            self.view.memory[key] = self._find_room(path)
        return self.view.memory[key]

    def _find_room(self, path):
        for room, folder in (
            ("adapter", self.adapter),
            ("bench", self.block.bench),
            ("harness", self.harness),
            ("model", self.model),
            ("contract", self.include / "castor" / "twin"),
            ("contract", self.include / "castor" / "base"),
            ("tests", self.block.root / "tests"),
            ("tests", self.block.root / "sw" / "kernels"),
        ):
            if folder is not None and path.is_relative_to(folder):
                return room
        return "platform"

    def _folder_of(self, name):
        path = self._header(name, None) if name else None
        return path.parent if path is not None else None

    def _add(self, path, room, without=()):
        """Adds a file to a room. Returns False if it was added before or does not exist."""
        label = self._label(path)
        if label in self.found:
            return False
        content = self.view.read(path)
        if content is None:
            return False
        self.found[label] = (path, room, _digest_of(path.name, content, frozenset(without)))
        return True

    def _text(self, path):
        content = self.view.read(path)
        return None if content is None else content.decode("utf-8", "replace")

    def _label(self, path):
        key = ("label", path, self.block.name)
        if key not in self.view.memory:
            self.view.memory[key] = self._find_label(path)
        return self.view.memory[key]

    def _find_label(self, path):
        for root in (self.block.root, self.own.parent, self.include):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name


_digests = {}


def _digest_of(name, content, without):
    """Returns normal.digest_of with a cache, because blocks share many files."""
    key = (name, hashlib.sha256(content).digest(), without)
    if key not in _digests:
        _digests[key] = normal.digest_of(name, content, without)
    return _digests[key]


def verdicts(text):
    """Returns the verdicts in the text of a proofs.json, without run times and engines; None if the text is none."""
    try:
        told = json.loads(text)["sets"]
        return json.dumps(
            {
                name: [
                    one["parameters"],
                    one["tools"],
                    {prop: entry["result"] for prop, entry in one["properties"].items()},
                ]
                for name, one in told.items()
            },
            sort_keys=True,
        )
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def takes_recorded_proofs(commands):
    """Returns whether one of the commands uses the recorded verdicts of tb/<block>/proofs.json."""
    return any(word in ("recorded", "--recorded") for line in commands for word in line.split())


def tools_of_proofs(block):
    """Returns {tool: versions} with which the verdicts of tb/<block>/proofs.json were found."""
    path = block.bench / "proofs.json"
    found = {}
    for one in json.loads(tree.read_text(path))["sets"].values() if path.exists() else ():
        for name, version in one["tools"].items():
            found.setdefault(name, set()).add(version)
    return found


def _selected(line):
    """Returns a function (name, kind) that says whether the command `ctest -R PATTERN -E PATTERN -L LABEL` runs a test;
    None if the line is no ctest command."""
    words = shlex.split(line)
    if not words or words[0] != "ctest":
        return None
    value = {flag: words[i + 1] for i, flag in enumerate(words[:-1]) if flag in ("-R", "-E", "-L")}

    def wanted(name, kind):
        left_out = "-E" in value and re.search(value["-E"], name)
        return not left_out and re.search(value.get("-R", ""), name) and re.search(value.get("-L", ""), kind)

    return wanted


def _test_names(words):
    """Returns the names of the tests that a CMake call declares: its first word, and one for each source, as
    castor_tests names them."""
    stems = [re.sub(r"\.cpp$", "", word).replace("/", "_") for word in words if word.endswith(".cpp")]
    return [words[0], *stems] if words else []
