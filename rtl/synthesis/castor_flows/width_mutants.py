"""Mutants of widths and constants: a bit in the upper half of a wide signal reads as 0, as if the signal were narrower,
or one bit of a constant is inverted, as in a comparison with another limit."""

import json
import random

from .errors import WrongRequest

#: Signals narrower than this have no mutants of width.
_WIDE = 8

#: Inputs of these cells that are constant have mutants.
_COMPARED = {"$eq", "$ne", "$eqx", "$nex", "$lt", "$le", "$gt", "$ge", "$add", "$sub", "$alu", "$shl", "$shr"}


def commands(design, top, count, seed, bits):
    """Returns up to `count` of Yosys' commands that mutate module `top`. They are drawn evenly over the places in the
    sources.

    `design`: path of the module as Yosys' write_json writes it, flattened. `bits`: width of the signal `castor_mutant`.
    """
    module = json.loads(design.read_text())["modules"][top]
    names = _names(module)
    places = {}
    for name, cell in sorted(module["cells"].items()):
        if cell["type"].startswith("$mem"):
            continue
        source = cell["attributes"].get("src", "").split("|")
        for mode, port, bit in _changes(cell):
            wire = names.get(cell["connections"][port][bit])
            places.setdefault(source[-1], []).append((mode, name, port, bit, wire, source))
    if not places:
        raise WrongRequest(f"{top} has neither a wide signal nor a constant to change")
    draw = random.Random(seed)
    order = [draw.sample(places[place], len(places[place])) for place in sorted(places)]
    draw.shuffle(order)
    drawn = []
    while len(drawn) < count and any(order):
        drawn += [one.pop() for one in order if one][: count - len(drawn)]
    return [_command(number, top, bits, *one) for number, one in enumerate(drawn, 1)]


def _changes(cell):
    """Returns (mode, port, bit) of the changes of a cell."""
    for port, wires in sorted(cell["connections"].items()):
        constant = all(isinstance(wire, str) for wire in wires)
        if constant and cell["type"] in _COMPARED and cell["port_directions"][port] == "input":
            yield from (("inv", port, bit) for bit in range(len(wires)))
        elif len(wires) >= _WIDE:
            yield from (
                ("const0", port, bit) for bit in range(len(wires) // 2, len(wires)) if isinstance(wires[bit], int)
            )


def _names(module):
    """Returns {number of a bit: (name of a signal, index)}, names of the sources before those that Yosys made."""
    names = {}
    for name, net in sorted(module["netnames"].items(), key=lambda one: (one[1]["hide_name"], one[0])):
        for index, bit in enumerate(net["bits"]):
            names.setdefault(bit, (name, index))
    return names


def _command(number, top, bits, mode, name, port, bit, wire, source):
    text = f"mutate -ctrl castor_mutant {bits} {number} -mode {mode} -module {top}"
    text += f" -cell {name} -port {port} -portbit {bit}"
    if wire:
        text += f" -wire {wire[0]} -wirebit {wire[1]}"
    return text + "".join(f" -src {one}" for one in source if one)
