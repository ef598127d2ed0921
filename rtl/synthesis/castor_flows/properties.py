"""The properties of a block, as Yosys finds them, and what can become of each."""

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
#: The block was not decided, and the module that the property was written for fails it if its inputs are free.
REFUTED = "refuted alone"

#: How much a verdict says for the block; less than the recorded one is a loss.
WORTH = {PROVEN: 3, REACHED: 3, BOUNDED: 2, UNKNOWN: 1, REFUTED: 1, FAILED: 0, UNREACHABLE: 0}


class Property:
    """One assertion or cover: its Yosys cell, what to call it, where it is written, and what became of it."""

    def __init__(self, cell, source, cover):
        self.cell = cell
        self.part = None  # the part of the block that it was written for; None: the block
        self.alone = ""  # module that it was proven of, whatever its inputs are
        self.refuted = None  # (module, engine, cycle) if that module alone fails it
        self.name = display_name(cell, source)
        self.source = source
        self.cover = cover
        self.result = UNKNOWN
        self.engine = ""
        self.depth = None
        self.seconds = 0.0
        self.expected = ""  # engine that decided it, without others as assumptions, when it was recorded
        self.given = []  # properties that the engine tried last may assume
        self.late = 0  # cycles by which the circuit for ABC asks before Yosys' cell does
        self.assuming = []  # names of those that the proof assumes
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
    """The label with its instance; file and position where there is no label."""
    return Path(source.split("|")[-1]).name if "$" in cell else cell


def cells_of(dump):
    """The properties in the text of Yosys' `dump`."""
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
    """ "tb/x/castor_x_properties.sv:29" out of Yosys' chain of places, whose last one is the innermost."""
    file, _, position = source.split("|")[-1].rpartition(":")
    origin = Path(origins.get(Path(file).name, tools.original(file)))
    shown = origin.relative_to(root) if origin.is_relative_to(root) else origin
    return f"{shown}:{position.split('.')[0]}"
