"""Prepares a block with its properties for Yosys.

tb/<block>/castor_<block>*_properties.sv hold modules with assertions, and `bind` statements that instantiate them in
the block. Yosys 0.23 parses `bind` and then ignores it. So this module inserts the instances into copies of the
sources. It also adds to the block an assumption of reset in the first cycle, if the block has a reset, and a cover that
checks that the assumptions let the block run.
"""

import hashlib
import re
from pathlib import Path

from . import normal, ports, tree
from .errors import WrongRequest

#: Cycles that the block must be able to run out of reset under the assumptions; otherwise they are too strict.
ALIVE_CYCLES = 15

#: Label of the cover that checks ALIVE_CYCLES.
ALIVE = f"assumptions_allow_{ALIVE_CYCLES}_cycles"

_RESET_FIRST = """
  logic castor_flow_first_q;
  initial castor_flow_first_q = 1'b1;
  always_ff @(posedge clk_i) begin
    castor_flow_first_q <= 1'b0;
    castor_flow_reset_first: assume (!castor_flow_first_q || !rst_ni);
  end
"""

_ALIVE_COVER = f"""
  logic [3:0] castor_flow_age_q;
  initial castor_flow_age_q = '0;
  always_ff @(posedge clk_i) begin
    if (IN_RESET) castor_flow_age_q <= '0;
    else if (castor_flow_age_q != 4'd{ALIVE_CYCLES}) castor_flow_age_q <= castor_flow_age_q + 4'd1;
    {ALIVE}: cover (castor_flow_age_q == 4'd{ALIVE_CYCLES});
  end
"""

_BIND = re.compile(r"\bbind\s+(\w+)\s+([^;]+;)", re.DOTALL)


def split_binds(text):
    """Returns (text without its bind statements, [(module, instance)]). Line numbers are preserved."""
    clean = ports.blank_comments(text)
    binds = []
    parts = []
    last = 0
    for match in _BIND.finditer(clean):
        binds.append((match.group(1), text[match.start(2) : match.end(2)]))
        parts += [text[last : match.start()], "\n" * text.count("\n", match.start(), match.end())]
        last = match.end()
    return "".join(parts) + text[last:], binds


def insert(text, module, addition):
    """Returns the text with `addition` inserted in front of the `endmodule` of `module`, on the same line. Returns None
    if the text does not have the module."""
    body = _body(ports.blank_comments(text), module)
    return text[: body.end(1)] + addition + text[body.end(1) :] if body else None


def _body(clean, module):
    """Returns the match of a module, whose first group is the text between the module's name and `endmodule`; None if
    the text does not have the module."""
    return re.search(
        rf"\bmodule\s+(?:automatic\s+|static\s+)?{re.escape(module)}\b(.*?)\bendmodule\b", clean, re.DOTALL
    )


def has_reset(text, module):
    """Returns whether the text has the module and the module uses rst_ni. The tables of rtl/common have no reset."""
    body = _body(ports.blank_comments(text), module)
    return body is not None and re.search(r"\brst_ni\b", body[1]) is not None


def fingerprint(block):
    """Returns a digest of the block's sources and properties without comments. Proofs depend on it and on the values of
    the parameters."""
    files = [*block.sources, *sorted(block.bench.glob(f"castor_{block.name}*_properties.sv"))]
    texts = (normal.text_of(path.name, path.read_bytes()).encode() for path in files)
    return hashlib.sha256(b"\0".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()


def prepare(block, work, parts=False):
    """Writes copies of sources and properties to `work`, with the bind statements carried out.

    Returns (extra sources, {source: its copy}, {name of a copy: its source}); the first two are for yosys.read. With
    `parts` every module that has properties assumes the reset, so that each can be the top module of a proof. Raises
    WrongRequest if the block has no properties, or if a bind statement names an unknown module.
    """
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    sources = sorted(block.bench.glob(f"castor_{block.name}*_properties.sv"))
    if not sources:
        raise WrongRequest(
            f"{block.name} has no properties: no file '{block.bench}/castor_{block.name}_properties.sv'",
            "docs/guides/flows.md says what belongs in it",
        )
    texts = {source: tree.read_text(source) for source in block.sources}

    def reset_first(module):
        return _RESET_FIRST if any(has_reset(text, module) for text in texts.values()) else ""

    monitor = reset_first(block.top)
    monitor += _ALIVE_COVER.replace("IN_RESET", "!rst_ni" if monitor else "1'b0")
    extra, binds, origins = [], [(block.top, monitor, block.folder)], {}
    for source in sources:
        text, found = split_binds(ports.complete(tree.read_text(source), texts.values()))
        binds += [(module, instance, source) for module, instance in found]
        origins[source.name] = source
        copy = work / source.name
        copy.write_text(text)
        extra.append(copy)
    if parts:
        inside = sorted({one for one, _, _ in binds[1:]} - {block.top})
        binds += [(module, reset_first(module), block.folder) for module in inside]
    changed = set()
    for module, instance, wanted_by in binds:
        for source, text in texts.items():
            done = insert(text, module, instance)
            if done is not None:
                texts[source] = done
                changed.add(source)
                break
        else:
            raise WrongRequest(f"{wanted_by}: binds to '{module}', which no source of {block.name} defines")
    replaced = {}
    for source in sorted(changed):
        origins[source.name] = source
        replaced[source] = work / source.name
        replaced[source].write_text(texts[source])
    return extra, replaced, origins
