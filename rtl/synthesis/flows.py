#!/usr/bin/env python3
"""Entry point of the flows over the blocks' RTL: `castor area`, `castor prove`, `castor mutate` and others run it.

docs/guides/flows.md describes the flows. Exit codes: 0 good, 1 the design under test failed, 2 the request was wrong.
"""

import sys

sys.dont_write_bytecode = True  # this folder may be read-only or belong to root

from castor_flows import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main.run(sys.argv[1:]))
