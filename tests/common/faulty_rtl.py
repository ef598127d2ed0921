"""RTL of a block with a fault, for script tests: a copy of the block's folder with one text of the RTL replaced."""

import json
import shutil
from pathlib import Path


def patched(block, folder, file, old, new):
    """Makes `folder`/NAME out of the block folder `block`, with `old` in `file` of its RTL replaced by `new`. Returns
    it."""
    block, folder = Path(block), Path(folder)
    manifest = json.loads((block / "block.json").read_text())
    rtl = folder / "rtl" / manifest["name"]
    shutil.copytree(manifest["rtl"], rtl)
    text = (rtl / file).read_text()
    assert old in text, f"{file} has no '{old}'"
    (rtl / file).write_text(text.replace(old, new, 1))
    manifest["rtl"] = str(rtl)
    place = folder / manifest["name"]
    place.mkdir()
    for name in ("bench.so", "model.so"):
        if (block / name).exists():
            (place / name).symlink_to(block / name)
    (place / "block.json").write_text(json.dumps(manifest))
    return place
