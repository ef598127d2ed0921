#!/usr/bin/env python3
"""Every key of a machine that was set from a source with rows is named by a row of that source.

    fidelity_keys_test.py <root of the sources>
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
DATA = ROOT / "sw" / "workloads" / "fidelity" / "data"
#: Sources in the notes of the machines' files, with their names in the data.
SOURCES = {
    "Arafa 2019": ("arafa2019", "arafa2019isa"),
    "Connolly 2026": ("connolly2026",),
    "Feng 2021": ("feng2021",),
    "Jia 2018": ("jia2018",),
    "clpeak": ("clpeak",),
}
#: Keys of machines that decide no compared value.
WITHOUT_A_ROW = {
    ("fermi_gtx480", "smem.atomics"),
    ("kepler_k20c", "latency.f64_min_max.ticks"),
    ("kepler_k20c", "latency.f64_root.ticks"),
    ("kepler_k20c", "latency.special.ticks"),
    ("kepler_k20c", "smem.atomics"),
    ("kepler_k20c", "smem.retry_ticks"),
    ("kepler_k20c", "l1.access_latency"),
    ("maxwell_gtx980", "latency.f64_min_max.ticks"),
    ("maxwell_gtx980", "latency.f64_min_max.interval"),
    ("maxwell_gtx980", "latency.int_mul.interval"),
    ("maxwell_gtx980", "latency.special.ticks"),
    ("pascal_titanx", "latency.f64_div.ticks"),
    ("pascal_titanx", "latency.special.ticks"),
    ("turing_rtx2060", "latency.int_mul.ticks"),
    ("turing_rtx2060", "latency.clz.ticks"),
    ("turing_rtx2060", "latency.vote.ticks"),
}


def machine_keys(machine):
    """Returns the keys and notes of a machine's file: `key: [value, unit, "note"]`."""
    text = (ROOT / "platforms" / "configs" / f"{machine}.yaml").read_text()
    return re.findall(r"^([\w.]+): +\[[^,\]]+, *[\w]+, *\"?([^\"\]]*)\"?\]", text, re.M)


def rows(machine):
    """Returns for each value its source, and the keys that it set or that it follows from."""
    for entry in re.findall(r"- \{row:[^{}]*\}", (DATA / f"{machine}.yaml").read_text()):
        keys = re.search(r"(?:set|follows): \[([^\]]*)\]", entry)
        source = re.search(r"source: (\w+)", entry).group(1)
        yield source, {key.strip() for key in keys.group(1).split(",")} if keys else set()


def missing(machine):
    named = {}
    for source, keys in rows(machine):
        named.setdefault(source, set()).update(keys)
    out = []
    for key, note in machine_keys(machine):
        for words, sources in SOURCES.items():
            has_rows = any(source in named for source in sources)
            if words not in note or note.startswith("ours (") or not has_rows or (machine, key) in WITHOUT_A_ROW:
                continue
            if not any(key in named.get(source, ()) for source in sources):
                out.append(f"{machine}: {key} was set from '{note}', and no row of {' or '.join(sources)} names it")
    return out


def main():
    machines = sorted(path.stem for path in DATA.glob("*.yaml") if path.stem != "rows")
    found = [one for machine in machines for one in missing(machine)]
    seen = sum(len(machine_keys(machine)) for machine in machines)
    if seen < 500:
        found.append(f"{seen} keys were read of {len(machines)} machines: the files have another form")
    print("\n".join(found) or f"{seen} keys of {len(machines)} machines")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
