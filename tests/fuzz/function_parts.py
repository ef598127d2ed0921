"""Pieces of random functions: types, structures, texts that can be left out or replaced, and what is in scope."""

#: Bits of each integer type.
WIDTH = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64, "i128": 128, "u128": 128}
INTEGERS = tuple(WIDTH)
REALS = ("f16", "f32", "f64")
FREQUENCY = {
    "i8": 3,
    "u8": 3,
    "i16": 3,
    "u16": 3,
    "i32": 8,
    "u32": 8,
    "i64": 8,
    "u64": 8,
    "i128": 2,
    "u128": 2,
    "f16": 3,
    "f32": 5,
    "f64": 4,
    "bool": 2,
}

#: CUDA's vector types: the type of the elements and their number.
VECTORS = {
    "char2": ("i8", 2),
    "char4": ("i8", 4),
    "uchar2": ("u8", 2),
    "uchar3": ("u8", 3),
    "uchar4": ("u8", 4),
    "short2": ("i16", 2),
    "short3": ("i16", 3),
    "ushort4": ("u16", 4),
    "int2": ("i32", 2),
    "int3": ("i32", 3),
    "int4": ("i32", 4),
    "uint2": ("u32", 2),
    "uint4": ("u32", 4),
    "longlong2": ("i64", 2),
    "ulonglong2": ("u64", 2),
    "ulonglong4": ("u64", 4),
    "float2": ("f32", 2),
    "float3": ("f32", 3),
    "float4": ("f32", 4),
    "double2": ("f64", 2),
    "double3": ("f64", 3),
    "double4": ("f64", 4),
}


def unsigned(bits):
    return f"u{bits}"


def signed(bits):
    return f"i{bits}"


def is_signed(kind):
    return kind[0] == "i"


class Node:
    """A piece of source: `form` with the texts of `kids` in it. `kind` is an expression's type, or "statement", or
    "block"; a block has no form, it is the sequence of its kids."""

    __slots__ = ("kind", "form", "kids")

    def __init__(self, kind, form, kids=()):
        self.kind = kind
        self.form = form
        self.kids = list(kids)

    def text(self, indent=1):
        if self.kind == "block":
            return "".join("  " * indent + kid.text(indent) + "\n" for kid in self.kids)
        texts = []
        for kid in self.kids:
            if kid.kind == "block":
                texts.append("{\n" + kid.text(indent + 1) + "  " * indent + "}")
            else:
                texts.append(kid.text(indent))
        return self.form.format(*texts)


def block(statements):
    return Node("block", None, statements)


class Record:
    """A structure: members are (name, type or Record, number of elements or 0, bits of a bit-field or 0)."""

    def __init__(self, name, members, built_in=False):
        self.name = name
        self.members = members
        self.built_in = built_in

    def leaves(self):
        """(path, type) of every scalar in it."""
        for name, kind, count, _ in self.members:
            for path in [f"{name}[{i}]" for i in range(count)] if count else [name]:
                if isinstance(kind, Record):
                    for inner, scalar in kind.leaves():
                        yield f"{path}.{inner}", scalar
                else:
                    yield path, kind

    def has_bit_fields(self):
        return any(bits or (isinstance(kind, Record) and kind.has_bit_fields()) for _, kind, _, bits in self.members)

    def has_wide_arrays(self):
        return any(path.endswith("]") and kind.endswith("128") for path, kind in self.leaves())

    def text(self):
        lines = []
        for name, kind, count, bits in self.members:
            kind = kind.name if isinstance(kind, Record) else kind
            lines.append(f"  {kind} {name}" + (f"[{count}]" if count else "") + (f" : {bits}" if bits else "") + ";\n")
        return f"struct {self.name} {{\n{''.join(lines)}}};\n"


def vector(name):
    kind, count = VECTORS[name]
    return Record(name, [("xyzw"[i], kind, 0, 0) for i in range(count)], built_in=True)


class Scope:
    """What an expression or a statement can name."""

    def __init__(self):
        self.values = []  # (type, text)
        self.targets = []  # (type, text): may be assigned
        self.records = []  # (Record, text)
        self.record_targets = []
        self.arrays = []  # (type, name, size, whether it may be assigned)
        self.record_arrays = []  # (Record, name, size, whether it may be assigned)
        self.calls = []  # (result: type or Record, name, parameters: types and Records)
        self.memory = None  # name of 32 bytes
        self.declarations = []  # (name, text)
        self.result = "return;"  # what an early return says
        self.loops = 0
