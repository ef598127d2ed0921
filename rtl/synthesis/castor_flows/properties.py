"""Properties (assertions and covers) of a block, as Yosys finds them, and their possible results."""

from pathlib import Path

from . import tools

PROVEN, BOUNDED, FAILED, REACHED, UNREACHABLE, UNKNOWN = (
    "proven",
    "bounded",
    "failed",
    "reached",
    "unreachable",
    "unknown",
)
#: Result of a property that is undecided in the block, and that fails in its module alone with unconstrained inputs.
REFUTED = "refuted alone"

#: Strength of a result; a result that is weaker than the recorded one is a loss.
WORTH = {PROVEN: 3, REACHED: 3, BOUNDED: 2, UNKNOWN: 1, REFUTED: 1, FAILED: 0, UNREACHABLE: 0}


class Property:
    """An assertion or cover: its Yosys cell, its name, its place in the sources, and its result."""

    def __init__(self, cell, source, cover):
        self.cell = cell
        self.part = None  # circuits.Part of the module to which the property is bound; None: the block
        self.alone = ""  # module for which the property was proven alone, with unconstrained inputs
        self.refuted = None  # (module, engine, cycle) of a counterexample in that module alone
        self.name = display_name(cell, source)
        self.source = source
        self.cover = cover
        self.result = UNKNOWN
        self.engine = ""
        self.depth = None
        self.seconds = 0.0
        self.expected = ""  # engine that decided the property when it was recorded; "" if it assumed other properties
        self.given = []  # properties that the latest engine may assume
        self.late = 0  # cycles by which the property in ABC's circuit precedes Yosys' cell (aiger.before_registers)
        self.assuming = []  # names of the properties that the proof assumes
        self.trace = ""

    def json(self):
        return {
            "name": self.name,
            "cell": self.cell,
            "kind": "cover" if self.cover else "assert",
            "source": self.source,
            "result": self.result,
            "engine": self.engine,
            "depth": self.depth,
            "seconds": round(self.seconds, 1),
            "assuming": self.assuming,
            "alone": self.alone,
            "refuted_alone": self.refuted and {"module": self.refuted[0], "cycle": self.refuted[2]},
            "trace": self.trace,
        }


def display_name(cell, source):
    """Returns the label of a property with its instance path; without a label, its file and position."""
    return Path(source.split("|")[-1]).name if "$" in cell else cell


def cells_of(dump):
    """Returns the properties in the output of Yosys' command `dump`, as a list of Property."""
    found = []
    source = ""
    for line in dump.splitlines():
        words = line.split()
        if words[:2] == ["attribute", "\\src"]:
            source = line.split('"')[1]
        elif words[:1] == ["cell"]:
            found.append(Property(words[2].lstrip("\\"), source, words[1] == "$cover"))
            source = ""
    return found


def written_at(source, origins, root):
    """Returns a place such as "tb/x/castor_x_properties.sv:29" from Yosys' chain of places, whose last one is the
    innermost."""
    file, _, position = source.split("|")[-1].rpartition(":")
    origin = Path(origins.get(Path(file).name, tools.original(file)))
    shown = origin.relative_to(root) if origin.is_relative_to(root) else origin
    return f"{shown}:{position.split('.')[0]}"
