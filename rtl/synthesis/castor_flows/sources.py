"""What the rungs of a block's ladder depend on, as digests of files: what was measured with others is stale."""

import hashlib

from . import installation, tree

#: The rungs, and of what their figures are made.
RUNGS = {
    "unit": ("model", "rtl", "bench", "tests"),
    "lockstep": ("model", "rtl", "bench"),
    "cover": ("model", "rtl", "bench"),
    "formal": ("rtl", "properties"),
    "netlist": ("model", "rtl", "bench"),
    "mutation": ("model", "rtl", "bench"),
    "platform": ("model", "rtl", "bench", "tests"),
    "area": ("rtl",),
}


#: What flows write or read, and no figure is made of; how far a rung goes stands beside its figure.
_RECORDS = ("area.json", "proofs.json", "rungs.json")


def digest(block, rung):
    """Of the files that the rung's figures depend on, or None for a block that is installed: its sources are elsewhere.
    Castor's own parts count where they decide what a block does: twin contract, harness, shared RTL."""
    if block.manifest is None or not block.manifest.get("sources"):
        return None
    return digest_of((path for part in RUNGS[rung] for path in _files(block, part)), lambda path: path.name)


def digest_of(paths, name):
    """Of what the files among `paths` hold, and of what `name(path)` calls them. Python's caches are left out."""
    total = hashlib.sha256()
    for path in sorted(set(paths)):
        if path.is_file() and path.parent.name != "__pycache__":
            total.update(f"{name(path)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def _files(block, part):
    include = installation.find().include
    folders = {
        "model": [*_own(block), include / "castor" / "twin", include / "castor" / "base"],
        "rtl": [block.folder, tree.own_rtl() / "common"],
        "bench": [block.bench, _harness(block, include)],
        "properties": [block.bench],
        "tests": [block.root / "tests"],
    }[part]
    for folder in folders:
        for path in folder.rglob("*"):
            if path.name in _RECORDS:
                continue
            if part == "properties" and path.suffix != ".sv":
                continue
            if part == "tests" and not _names(block, path.relative_to(folder)):
                continue
            yield path


def _own(block):
    """Folders of engine, ports and adapter."""
    folders = [tree.Path(source) for source in block.manifest["sources"]]
    return [folder for folder in folders if folder.is_dir() and folder.resolve() != block.bench]


def _harness(block, include):
    own = block.root / "tb" / "common"
    return own if own.is_dir() else include / "tb" / "common"


def _names(block, path):
    """Whether a path below tests/ is the block's: tests/KIND/NAME/..., NAME.*, NAME_*."""
    name = path.parts[1] if len(path.parts) > 1 else ""
    return name == block.name or name.startswith((block.name + ".", block.name + "_"))
