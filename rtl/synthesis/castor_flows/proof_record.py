"""Reads and writes tb/<block>/proofs.json, in which `castor prove --record` stores the verdicts on properties."""

import json

from . import formal, tools, tree
from .errors import WrongRequest
from .properties import PROVEN, WORTH


def record_of(block):
    """Returns the path of the file with the block's recorded verdicts."""
    return block.bench / "proofs.json"


def recorded(block, chosen, values):
    """Returns {property: recorded verdict} at the parameter set `chosen`; None if nothing is recorded at these values.
    Raises WrongRequest if the file is not as `record` writes it."""
    one = _recorded_set(block, chosen, values)
    return None if one is None else one["properties"]


def recorded_as_proven(block, chosen, values):
    """Returns the Yosys cell names of the properties recorded as proven at the parameter set `chosen`, except
    unlabelled ones. Raises WrongRequest if the record is of other sources or of other parameter values."""
    told = of_these_sources(block, chosen, values)
    return [name for name, entry in told.items() if entry["result"] == PROVEN and ":" not in name]


def of_these_sources(block, chosen, values):
    """Returns {property: recorded verdict}. Raises WrongRequest if the verdicts are not of the present sources."""
    one = _recorded_set(block, chosen, values)
    if one is None or one["sources"] != formal.fingerprint(block):
        raise not_recorded(block, chosen)
    return one["properties"]


def not_recorded(block, chosen):
    """Returns the WrongRequest for verdicts that are not recorded of the present sources."""
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
    """Writes the verdicts at a parameter set. Verdicts at other parameter sets are kept."""
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
    """Returns whether a recorded property was decided without a bound within `seconds`, and without assuming other
    properties."""
    return entry is not None and WORTH[entry["result"]] == 3 and entry["seconds"] <= seconds and not entry["given"]


def losses(properties, known, there):
    """Returns a line for each property whose verdict is weaker than the recorded one, and for each recorded property
    that is not among the names `there` (unless `there` is None)."""
    lines = []
    for one in properties:
        then = known.get(one.name)
        if then is not None and WORTH[one.result] < WORTH[then["result"]]:
            lines.append(f"{one.name} is {one.result}, it was {then['result']}")
    if there is not None:
        lines += [f"{name} is not there, it was {then['result']}" for name, then in known.items() if name not in there]
    return lines
