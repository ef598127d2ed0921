"""Mutants that differ from the RTL only in bits of counts that a run cannot bring to 1.

tb/<block>/counts.json is {"counts": [regular expression, ...], "why": ...}. The expressions match names of registers,
and of rows of memories, in the flattened RTL. castor mutate proves that each of them grows by at most 1 per cycle, in
any state. N cycles after a reset, with memories of zeros, a count is at most N. A mutant is the same as the RTL for 2^N
cycles after a reset if it is the same in every state in which no count has bit N or a higher one.
"""

import json
import re

from . import tree
from .errors import WrongRequest


def read(block):
    """Returns the regular expressions of tb/<block>/counts.json; none if the block has no such file. Raises
    WrongRequest if the file is not of the form described at the top of this module."""
    path = block.bench / "counts.json"
    if not path.exists():
        return []
    try:
        data = json.loads(tree.read_text(path))
        return [re.compile(one) for one in data["counts"] if data["why"]]
    except (ValueError, KeyError, TypeError, re.error):
        raise WrongRequest(f"{path}: not of the form {{counts, why}}", "docs/guides/flows.md: Mutation") from None


def words(patterns, latches):
    """Returns {name: [number of a latch, lowest bit first]} of the registers and memory rows whose whole name matches
    one of the patterns. `latches`: {(name, bit): number}. A word ends before the first bit that is no latch."""
    names = {name for name, _ in latches if any(one.fullmatch(name) for one in patterns)}
    found = {}
    for name in sorted(names):
        width = next(bit for bit in range(len(latches) + 1) if (name, bit) not in latches)
        found[name] = [latches[name, bit] for bit in range(width)]
    return found


def bits(cycles):
    """Returns the least N such that no count can have bit N within `cycles` cycles after a reset."""
    return max(cycles, 1).bit_length()


def upper_latches(found, least):
    """Returns the numbers of the latches that hold bit `least` or a higher bit of a word."""
    return {latch for word in found.values() for latch in word[least:]}
