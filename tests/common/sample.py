"""Samples of large matrices inside a test; cmake/CastorSample.cmake has those between tests. What is in a sample
depends on names alone. With CASTOR_TEST_MATRIX=1 in the environment nothing is left out."""

import hashlib
import os


def sample(seed, number, items):
    """`number` of the items (strings): those whose hashes with `seed` are the smallest, in that order; or all items."""
    items = list(items)
    if os.environ.get("CASTOR_TEST_MATRIX") == "1":
        return items
    return sorted(items, key=lambda item: hashlib.md5(f"{seed} {item}".encode()).hexdigest())[:number]
