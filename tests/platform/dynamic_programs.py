"""Runs of the irregular programs of sw/kernels/dynamic with small inputs, and their output."""

import re

PROGRAMS = {
    "amr": ["--base", "8", "--limit", "400"],
    "barnes_hut": ["clusters", "--points", "400"],
    "bfs": ["citation", "--nodes", "2000"],
    "colouring": ["citation", "--nodes", "500"],
    "join": ["gaussian", "--left", "700"],
    "recommend": ["ratings", "--customers", "100"],
    "regexp": ["packets", "--streams", "6"],
    "sssp": ["citation", "--nodes", "500"],
}

HASH = re.compile(r"^PASS .*; hash ([0-9a-f]{16})$", re.MULTILINE)
