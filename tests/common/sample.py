"""Samples of large matrices inside a test (cmake/CastorSample.cmake samples tests). A sample depends on names only.
With CASTOR_TEST_MATRIX=1 in the environment nothing is left out."""

import hashlib
import os


def sample(seed, number, items):
    """Returns `number` of the items (strings), the ones with the smallest hashes with `seed`, in the order of hashes;
    or all items."""
    items = list(items)
    if os.environ.get("CASTOR_TEST_MATRIX") == "1":
        return items
    return sorted(items, key=lambda item: hashlib.md5(f"{seed} {item}".encode()).hexdigest())[:number]
