#!/usr/bin/env python3
"""Runs a program whose kernels are stopped midway on a machine with the block darsie: as model, and with its RTL in
lockstep, which checks the assumptions of the block's properties, so each stop has to keep them.

  stopped_test.py PROGRAM MACHINE

PROGRAM: tests/platform/darsie/stopped_midway.cu. MACHINE may have keys behind it, as for check_engines.py. Output,
report and waves of the runs have to be equal. The waves have to show warps that exit while they are held, for
each reason that the block has to hold a warp, and warps of the majority that exit in the cycle in which a barrier of
their thread block completes.
"""

import os
import sys
import tempfile

import check_engines

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from vcd import variables  # noqa: E402

SCOPE = "gpu.sm0"
COUNTERS = "sm0.fetch_filter.darsie"
# Probes of the block with the warps that are stopped, wait for a version or copy rows.
REASONS = ("stop", "lat", "cpy")


def special_exits(text):
    """Returns {probe: number of warps that exit while they are held for this reason, "bar": number of warps of the
    majority that exit as a barrier completes}. Probes are sampled after the edge that takes the inputs, so the state
    before an exit is that of the previous sample. Outputs, such as `maj`, are sampled with the inputs."""
    names = ("exit", "bar", "maj", *REASONS)
    keys = {key: name for scopes, key, name, _ in variables(text) if scopes[-1] == "darsie" and name in names}
    values = {name: 0 for name in keys.values()}
    found = {name: 0 for name in (*REASONS, "bar")}
    before = dict(values)

    def sample():
        for name in REASONS:
            found[name] += bin(values["exit"] & before[name]).count("1")
        if values["bar"] != 0:
            found["bar"] += bin(values["exit"] & values["maj"]).count("1")
        before.update(values)

    for line in text.splitlines():
        if line.startswith("#"):
            sample()
        elif line and line[0] in "01b":
            value, key = (line[1:].split() + [""])[:2] if line[0] == "b" else (line[0], line[1:])
            if key in keys:
                values[keys[key]] = int(value, 2)
    sample()
    return found


def main():
    program, machine = sys.argv[1:]
    os.environ["CASTOR_ASSUMPTIONS"] = "1"  # without it the RTL of a whole machine has no assumption checks
    with tempfile.TemporaryDirectory() as folder:
        model, both = (
            check_engines.run(program, "", "darsie", machine, engine, SCOPE, COUNTERS, os.path.join(folder, engine))
            for engine in ("model", "lockstep")
        )
    for result in (model, both):
        result[1]["configuration"]["keys"].pop("blocks.darsie.engine", None)
    found = list(check_engines.differences(model[1], both[1]))
    found += [what for what, part in (("what is printed", 0), ("waves", 2)) if model[part] != both[part]]
    print(f"model and lockstep: {'; '.join(found[:10]) or 'equal'}, {both[1]['cycles']} cycles")
    exits = special_exits(model[2])
    print("warps that exit while held, or beside a barrier: " + ", ".join(f"{n} ({name})" for name, n in exits.items()))
    return bool(found) or not all(exits.values())


if __name__ == "__main__":
    sys.exit(main())
