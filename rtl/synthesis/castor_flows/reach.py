"""Mutants that differ from the RTL only in bits of counts that a run cannot bring to 1.

tb/<block>/counts.json is {"counts": [count, ...], "why": ...}. A count is a regular expression for names of registers,
and of rows of memories, in the flattened RTL; or {"name": ..., "from": N, "bits": N} for some of their bits. castor
mutate proves for any M: if no count is above M, none is above M + 1 one cycle later. N cycles after a reset, with
memories of zeros, each count is then at most N. A mutant is the same as the RTL for 2^N cycles after a reset if it is
the same in every state in which no count has bit N or a higher one.
"""

import json
import re

from . import tree
from .errors import WrongRequest


def read(block):
    """Returns [(regular expression, first bit, number of bits or None)] of tb/<block>/counts.json; none if the block
    has no such file. Raises WrongRequest if the file is not of the form described at the top of this module."""
    path = block.bench / "counts.json"
    if not path.exists():
        return []
    try:
        data = json.loads(tree.read_text(path))
        if not data["why"]:
            raise ValueError
        counts = [{"name": one} if isinstance(one, str) else one for one in data["counts"]]
        return [(re.compile(one["name"]), int(one.get("from", 0)), one.get("bits")) for one in counts]
    except (ValueError, KeyError, TypeError, re.error):
        raise WrongRequest(f"{path}: not of the form {{counts, why}}", "docs/guides/flows.md: Mutation") from None


def words(counts, latches):
    """Returns {name: [number of a latch, lowest bit first]} of the registers and memory rows whose whole name matches a
    count of `read`. `latches`: {(name, bit): number}. A word ends before the first bit that is no latch."""
    found = {}
    for pattern, first, width in counts:
        for name in sorted({name for name, _ in latches if pattern.fullmatch(name)}):
            word, bit = [], first
            while (name, bit) in latches and len(word) != width:
                word.append(latches[name, bit])
                bit += 1
            if word:
                found[name] = word
    return found


def bits(cycles):
    """Returns the least N such that no count can have bit N within `cycles` cycles after a reset."""
    return max(cycles, 1).bit_length()


def upper_latches(found, least):
    """Returns the numbers of the latches that hold bit `least` or a higher bit of a word."""
    return {latch for word in found.values() for latch in word[least:]}
