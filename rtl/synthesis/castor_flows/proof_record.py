"""Verdicts as castor prove --record keeps them: tb/<block>/proofs.json."""

import json

from . import formal, tools, tree
from .errors import WrongRequest
from .properties import PROVEN, WORTH


def record_of(block):
    return block.bench / "proofs.json"


def recorded(block, chosen, values):
    """{property: verdict} as recorded at the set `chosen`; None if there is none at these values. Raises WrongRequest
    if the file is not as `record` writes it."""
    one = _recorded_set(block, chosen, values)
    return None if one is None else one["properties"]


def recorded_as_proven(block, chosen, values):
    """Names of the assertions that were recorded as proven at the set `chosen`, as Yosys calls them; those without a
    name of their own are left out. Raises WrongRequest if they were recorded of other sources or at other values."""
    told = of_these_sources(block, chosen, values)
    return [name for name, entry in told.items() if entry["result"] == PROVEN and ":" not in name]


def of_these_sources(block, chosen, values):
    one = _recorded_set(block, chosen, values)
    if one is None or one["sources"] != formal.fingerprint(block):
        raise not_recorded(block, chosen)
    return one["properties"]


def not_recorded(block, chosen):
    return WrongRequest(
        f"{record_of(block)}: not recorded of these sources at the set '{chosen}'",
        f"castor prove {block.name} --params {chosen} --record",
    )


def _recorded_set(block, chosen, values):
    path = record_of(block)
    if not path.exists():
        return None
    try:
        one = json.loads(tree.read_text(path))["sets"].get(chosen)
        if one is None or one["parameters"] != values:
            return None
        if any(entry["result"] not in WORTH or "given" not in entry for entry in one["properties"].values()):
            raise ValueError
        if not isinstance(one["sources"], str):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WrongRequest(f"{path}: not as castor prove --record writes it") from None
    return one


def record(block, chosen, values, properties):
    """Writes the verdicts of a set; those of the other sets stay."""
    path = record_of(block)
    sets = json.loads(tree.read_text(path))["sets"] if path.exists() else {}
    sets[chosen] = {
        "parameters": values,
        "sources": formal.fingerprint(block),
        "tools": {name: tools.version(name) for name in ("yosys", "berkeley-abc", "z3")},
        "properties": {
            one.name: {
                "result": one.result,
                "engine": one.engine,
                "depth": one.depth,
                "seconds": round(one.seconds, 1),
                "given": len(one.assuming),
            }
            for one in sorted(properties, key=lambda one: one.name)
        },
    }
    tree.write_json(
        path,
        {
            "command": f"castor prove {block.name} --params SET --record",
            "sets": {name: sets[name] for name in block.sets if name in sets},
        },
    )


def is_quick(entry, seconds):
    """Recorded as decided for good within `seconds`, and without others that would have to be proven first."""
    return entry is not None and WORTH[entry["result"]] == 3 and entry["seconds"] <= seconds and not entry["given"]


def losses(properties, known, there):
    """What says less for the block than was recorded, a line each; also what is recorded and not among the names
    `there`, unless that is None."""
    lines = []
    for one in properties:
        then = known.get(one.name)
        if then is not None and WORTH[one.result] < WORTH[then["result"]]:
            lines.append(f"{one.name} is {one.result}, it was {then['result']}")
    if there is not None:
        lines += [f"{name} is not there, it was {then['result']}" for name, then in known.items() if name not in there]
    return lines
