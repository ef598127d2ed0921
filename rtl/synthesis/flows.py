#!/usr/bin/env python3
"""Synthesis, proofs and mutation of the blocks' RTL: what `castor area`, `castor prove` and `castor mutate` run.

See docs/guides/flows.md. Exit codes: 0 good, 1 the thing under test failed, 2 the request was wrong.
"""

import sys

sys.dont_write_bytecode = True  # the folder may be installed read-only, or by root

from castor_flows import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main.run(sys.argv[1:]))
