"""Makes random functions that compute the same on the host and on the device, as CUDA source.

A function has scalars and structures as inputs and outputs. It is one or several phases, each a `__host__ __device__`
function of one thread. Between phases the threads of a block exchange values: through shared memory or global
variables and a barrier, by shuffles and votes. The host runs each phase for all threads in turn.

Nothing in a function is undefined: signed sums are computed unsigned, counts of shifts are masked, divisors are not
zero, real numbers become integers inside of their range, an index is below the size, a variable has a value from its
declaration on. Any statement can be left out and any expression can be replaced by one of the same type: that is how
`reduced` texts are made.
"""

import random
import re

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

#: What can be left out by name, while castor-cc is known to be wrong there.
LEAVABLE = {
    "symbol-copies": "structures at constant addresses: __constant__ variables, elements by constant indices",
    "bit-field-arguments": "structures with bit-fields as arguments and results of functions",
    "wide-fields": "64-bit values shifted right and masked",
    "wide-arguments": "structures with arrays of 128-bit integers as arguments and results of functions",
    "wide-rotations": "64-bit rotations by a variable amount",
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


class Maker:
    """Makes one function: the same for the same seed, index and set of what is left out."""

    def __init__(self, seed, index, without=()):
        self.random = random.Random(f"{seed}/{index}")
        self.seed = seed
        self.index = index
        self.without = set(without)
        self.palette = self.drawn_palette()
        self.records = []

    # ---------------------------------------------------------------------------------------------------- drawing

    def one_of(self, n):
        return self.random.randrange(n) == 0

    def pick(self, items):
        return items[self.random.randrange(len(items))]

    def drawn_palette(self):
        """A few types, so that values of the same type meet."""
        types = list(FREQUENCY)
        chosen = []
        count = self.random.randint(2, 5)
        while len(chosen) < count:
            (kind,) = self.random.choices(types, [FREQUENCY[t] for t in types])
            if kind not in chosen:
                chosen.append(kind)
        if not any(kind in WIDTH for kind in chosen):
            chosen.append(self.pick(["i32", "u32", "i64", "u64"]))
        return chosen

    def any_type(self):
        return self.pick(self.palette)

    def any_integer(self, widest=128):
        mine = [kind for kind in self.palette if kind in WIDTH and WIDTH[kind] <= widest]
        if mine and not self.one_of(4):
            return self.pick(mine)
        return self.pick([kind for kind in INTEGERS if WIDTH[kind] <= min(widest, 64)])

    def any_real(self, halves=True):
        mine = [kind for kind in self.palette if kind in REALS and (halves or kind != "f16")]
        return self.pick(mine) if mine else self.pick(["f32", "f64"])

    # ---------------------------------------------------------------------------------------------------- literals

    def integer(self, bits):
        at = self.random.randrange(bits)
        full = (1 << bits) - 1
        choices = [0, 1, 2, 3, full, full - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 1 << at, (1 << at) - 1]
        choices += [(1 << at) + 1, full ^ (1 << at), -(1 << at) & full, 7, 10, 100, 255, 0x8000 & full, 0xFFFF & full]
        choices += [self.random.getrandbits(bits)] * 3
        return self.pick(choices)

    def literal_text(self, kind):
        if kind == "bool":
            return self.pick(["true", "false"])
        if kind in WIDTH:
            return self.integer_text(kind, self.integer(WIDTH[kind]))
        if kind == "f16":
            return f"__half(__half_raw{{{{0x{self.half_bits():04x}}}}})"
        suffix = "f" if kind == "f32" else ""
        tiny, small, big = (
            ("1e-45f", "1.17549435e-38f", "3.40282347e+38f")
            if suffix
            else (
                "4.9406564584124654e-324",
                "2.2250738585072014e-308",
                "1.7976931348623157e+308",
            )
        )
        choices = ["0.0", "-0.0", "1.0", "-1.0", "0.5", "1.5", "2.0", "3.0", "0.1", "-7.25", "1024.0", "16777216.0"]
        choices += ["2147483648.0", "-2147483648.0", "4294967296.0", "9223372036854775808.0", "65504.0", "65520.0"]
        choices = [f"({text}{suffix})" for text in choices] + [f"({text})" for text in (tiny, small, big)]
        choices += [
            f"(-({kind})INFINITY)",
            f"(({kind})INFINITY)",
            '__builtin_nanf("")' if suffix else '__builtin_nan("")',
        ]
        choices += [f"({self.random.uniform(-100, 100)!r}{suffix})"] * 3
        return self.pick(choices)

    def half_bits(self):
        choices = [0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x7BFF, 0x7C00, 0xFC00, 0x7FFF, 1, 0x3FF, 0x400, 0x6400, 0x3555]
        bits = self.pick(choices + [self.random.getrandbits(16)] * 4)
        return 0x7FFF if bits & 0x7FFF > 0x7C00 else bits

    @staticmethod
    def integer_text(kind, value):
        if WIDTH[kind] == 128:
            return f"(({kind})((u128)0x{value >> 64:x}ull << 64 | 0x{value & (2**64 - 1):x}ull))"
        return f"(({kind})0x{value:x}{'ull' if WIDTH[kind] == 64 else 'u'})"

    def literal(self, kind):
        return Node(
            kind, self.literal_text(kind).replace("{{", "{").replace("}}", "}").replace("{", "{{").replace("}", "}}")
        )

    # ------------------------------------------------------------------------------------------------- expressions

    def leaf(self, scope, kind):
        """A variable or a literal: something that may stand twice in an expression."""
        mine = [text for found, text in scope.values if found == kind]
        if mine and not self.one_of(5):
            return Node(kind, self.pick(mine))
        if self.one_of(2):
            if kind in WIDTH:
                others = [text for found, text in scope.values if found in WIDTH or found == "bool"]
                if others:
                    return Node(kind, f"(({kind}){self.pick(others)})")
            if kind in ("f32", "f64"):
                others = [text for found, text in scope.values if found in WIDTH and WIDTH[found] <= 64]
                others += [text for found, text in scope.values if found in ("f32", "f64")]
                if others:
                    return Node(kind, f"(({kind}){self.pick(others)})")
        return self.literal(kind)

    def expression(self, scope, kind, depth):
        if depth <= 0 or self.one_of(8):
            return self.leaf(scope, kind)
        general = [self.ternary]
        if any(found == kind for found, _, _, _ in scope.arrays):
            general.append(self.element)
        if any(result == kind for result, _, _ in scope.calls):
            general += [self.call] * 2
        if self.one_of(8):
            return self.pick(general)(scope, kind, depth - 1)
        if kind == "bool":
            return self.truth(scope, depth - 1)
        if kind == "f16":
            return self.half(scope, depth - 1)
        if kind in REALS:
            return self.real(scope, kind, depth - 1)
        return self.whole(scope, kind, depth - 1)

    def ternary(self, scope, kind, depth):
        kids = [self.truth(scope, depth), self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        return Node(kind, f"(({kind})({{0}} ? {{1}} : {{2}}))" if kind != "f16" else "({0} ? {1} : {2})", kids)

    def element(self, scope, kind, depth):
        _, name, size, _ = self.pick([one for one in scope.arrays if one[0] == kind])
        return Node(kind, f"{name}[{{0}} % {size}u]", [self.expression(scope, "u32", depth)])

    def call(self, scope, kind, depth):
        _, name, parameters = self.pick([one for one in scope.calls if one[0] == kind])
        kids = []
        for parameter in parameters:
            if isinstance(parameter, Record):
                kids.append(self.record_value(scope, parameter, depth))
            else:
                kids.append(self.expression(scope, parameter, min(depth, 1)))
        return Node(kind, f"{name}({', '.join('{%d}' % i for i in range(len(kids)))})", kids)

    # Every method below makes an expression of the integer type `kind`; x, y are expressions, s a number of a shift.

    def whole(self, scope, kind, depth):
        width = WIDTH[kind]
        forms = [
            (10, self.sum),
            (6, self.bitwise),
            (6, self.shift_right),
            (4, self.shift_left),
            (10, self.shifted_and_masked),
            (7, self.rotation),
            (5, self.sign_mask),
            (8, self.extension),
            (6, self.field),
            (3, self.insertion),
            (4, self.extreme),
            (4, self.of_truth),
            (3, self.idiom),
            (3, self.three_way),
            (4, self.mixed),
            (4, self.saturated),
            (4, self.intrinsic),
        ]
        if width <= 64:
            forms += [(6, self.quotient), (5, self.of_real), (2, self.bits_of_real)]
            if scope.memory:
                forms.append((6, self.loaded))
        if width >= 16:
            forms.append((6, self.wide_product))
        if width >= 32:
            forms += [(5, self.high_product), (4, self.carry)]
        if width == 64:
            forms.append((5, self.funnel))
        weights = [weight for weight, _ in forms]
        (form,) = self.random.choices([form for _, form in forms], weights)
        return form(scope, kind, depth)

    @staticmethod
    def promoted(kind):
        return max(WIDTH[kind], 32)

    def sum(self, scope, kind, depth):
        u = unsigned(self.promoted(kind))
        operator = self.pick(["+", "-", "*"])
        kids = [self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        if self.one_of(6):
            return Node(kind, f"(({kind})(0 - ({u}){{0}}))", kids[:1])
        return Node(kind, f"(({kind})(({u}){{0}} {operator} ({u}){{1}}))", kids)

    def bitwise(self, scope, kind, depth):
        kids = [self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        form = self.pick(["({0} & {1})", "({0} | {1})", "({0} ^ {1})", "~{0}", "({0} & ~{1})", "~({0} ^ {1})"])
        return Node(kind, f"(({kind}){form})", kids[: 1 + ("{1}" in form)])

    def amount(self, scope, bits, depth):
        """A number of a shift by `bits` bits at most, less one."""
        if self.one_of(2):
            return Node("u32", str(self.pick([0, 1, bits - 1, bits // 2, self.random.randrange(bits)])))
        kind = self.any_integer()
        return Node("u32", f"((u32){{0}} & {bits - 1})", [self.expression(scope, kind, min(depth, 1))])

    def shift_right(self, scope, kind, depth):
        bits = self.promoted(kind)
        return Node(
            kind, f"(({kind})({{0}} >> {{1}}))", [self.expression(scope, kind, depth), self.amount(scope, bits, depth)]
        )

    def shift_left(self, scope, kind, depth):
        bits = self.promoted(kind)
        kids = [self.expression(scope, kind, depth), self.amount(scope, bits, depth)]
        return Node(kind, f"(({kind})(({unsigned(bits)}){{0}} << {{1}}))", kids)

    def mask(self, bits):
        return (1 << self.random.randint(1, bits)) - 1

    def shifted_and_masked(self, scope, kind, depth):
        """(x >> s) & mask, where the mask reaches beyond the highest bit as often as not."""
        source = kind if self.one_of(2) else self.any_integer()
        if "wide-fields" in self.without and WIDTH[source] >= 64:
            source = self.pick(["i32", "u32", "i16", "u8"])
        bits = self.promoted(source)
        u = unsigned(bits)
        kids = [self.expression(scope, source, depth), self.amount(scope, bits, depth)]
        mask = self.integer_text(u, self.mask(bits))
        x = f"({u}){{0}}" if self.one_of(3) else "{0}"
        return Node(kind, f"(({kind})(({x} >> {{1}}) & {mask}))", kids)

    def rotation(self, scope, kind, depth):
        width = WIDTH[kind]
        if width == 128 or (width == 64 and "wide-rotations" in self.without):
            return self.bitwise(scope, kind, depth)
        u = unsigned(width)
        amounts = [one for one in self.palette if one in WIDTH and WIDTH[one] <= 64]
        by = unsigned(max(32, WIDTH[self.pick(amounts)])) if amounts else "u32"
        x, n = self.leaf(scope, u), self.leaf(scope, by)
        last = width - 1
        constant = self.random.randint(1, last)
        forms = [
            f"({{0}} << ({{1}} & {last}) | {{0}} >> (-{{1}} & {last}))",
            f"({{0}} >> ({{1}} & {last}) | {{0}} << (-{{1}} & {last}))",
            f"({{0}} << ({{1}} & {last}) | {{0}} >> (({width} - ({{1}} & {last})) & {last}))",
            f"({{0}} >> ({{1}} & {last}) | {{0}} << (({width} - ({{1}} & {last})) & {last}))",
            f"({{0}} << {constant} | {{0}} >> {width - constant})",
        ]
        form = self.pick(forms)
        return Node(kind, f"(({kind})({u}){form})", [x, n] if "{1}" in form else [x])

    def funnel(self, scope, kind, depth):
        x, y, n = self.leaf(scope, "u64"), self.leaf(scope, "u64"), self.leaf(scope, self.pick(["u32", "u64"]))
        constant = self.random.randint(1, 63)
        form = self.pick(
            [
                "({0} << ({2} & 63) | {1} >> 1 >> (~{2} & 63))",
                "({0} >> ({2} & 63) | {1} << 1 << (~{2} & 63))",
                f"({{0}} << {constant} | {{1}} >> {64 - constant})",
                "(u64)(((u128){0} << 64 | {1}) >> ({2} & 63))",
                "(u64)(((u128){0} << 64 | {1}) << ({2} & 127) >> 64)",
            ]
        )
        if "{2}" not in form:
            return Node(kind, f"(({kind}){form})", [x, y])
        return Node(kind, f"(({kind}){form})", [x, y, n])

    def sign_mask(self, scope, kind, depth):
        if "wide-fields" in self.without and WIDTH[kind] >= 64:
            return self.bitwise(scope, kind, depth)
        source = signed(WIDTH[kind]) if self.one_of(2) else self.pick(["i8", "i16", "i32", "i64"])
        if "wide-fields" in self.without and source == "i64":
            source = "i32"
        bits = self.promoted(source)
        x = self.expression(scope, source, depth)
        mask = self.integer_text(kind, self.pick([self.mask(WIDTH[kind]), self.integer(WIDTH[kind])]))
        form = self.pick(
            [
                f"({{0}} < 0 ? {mask} : 0)",
                f"({{0}} < 0 ? 0 : {mask})",
                f"({{0}} >> {bits - 1} & {mask})",
                f"(({unsigned(bits)}){{0}} >> {bits - 1})",
                f"({{0}} > -1 ? {mask} : 0)",
            ]
        )
        return Node(kind, f"(({kind}){form})", [x])

    def extension(self, scope, kind, depth):
        """A value cut to one type, and extended or cut again."""
        through, source = self.any_integer(), self.any_integer()
        return Node(kind, f"(({kind})({through}){{0}})", [self.expression(scope, source, depth)])

    def field(self, scope, kind, depth):
        """A field extracted by two shifts, with its sign or without."""
        source = self.any_integer()
        bits = self.promoted(source)
        up = self.random.randrange(bits)
        down = self.pick([up, self.random.randrange(bits)])
        how = self.pick([signed(bits), unsigned(bits)])
        x = self.expression(scope, source, depth)
        return Node(kind, f"(({kind})(({how})(({unsigned(bits)}){{0}} << {up}) >> {down}))", [x])

    def insertion(self, scope, kind, depth):
        u = unsigned(self.promoted(kind))
        at = self.random.randrange(WIDTH[kind])
        mask = self.integer_text(u, self.mask(WIDTH[kind] - at))
        kids = [self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        return Node(kind, f"(({kind})((({u}){{0}} & ~({mask} << {at})) | (({u}){{1}} & {mask}) << {at}))", kids)

    def extreme(self, scope, kind, depth):
        x, y = self.leaf(scope, kind), self.leaf(scope, kind)
        u = unsigned(self.promoted(kind))
        forms = ["({0} < {1} ? {0} : {1})", "({0} > {1} ? {0} : {1})", "({0} >= {1} ? {1} : {0})"]
        if is_signed(kind):
            forms += [f"({{0}} < 0 ? ({kind})(0 - ({u}){{0}}) : {{0}})"] * 2
            forms.append(f"({{0}} > 0 ? ({kind})(0 - ({u}){{0}}) : {{0}})")
        form = self.pick(forms)
        return Node(kind, f"(({kind}){form})", [x, y] if "{1}" in form else [x])

    def of_truth(self, scope, kind, depth):
        a, b = self.truth(scope, depth), self.truth(scope, depth)
        u = unsigned(self.promoted(kind))
        forms = ["{0}", f"(0 - ({u}){{0}})", "({0} + {1})", "({0} - {1})", "({0} * 2 + {1})", f"(({u}){{0}} - 1)"]
        form = self.pick(forms)
        return Node(kind, f"(({kind}){form})", [a, b] if "{1}" in form else [a])

    def idiom(self, scope, kind, depth):
        u = unsigned(self.promoted(kind))
        x, y = self.leaf(scope, kind), self.leaf(scope, kind)
        forms = [
            f"({{0}} & (0 - ({u}){{0}}))",
            f"({{0}} & (({u}){{0}} - 1))",
            f"(~{{0}} & (({u}){{0}} - 1))",
            f"({{0}} ^ (({u}){{0}} - 1))",
            f"(({u})({{0}} & {{1}}) + (({u})({{0}} ^ {{1}}) >> 1))",
            f"((({u}){{0}} + {{1}}) ^ {{0}})",
        ]
        form = self.pick(forms)
        return Node(kind, f"(({kind}){form})", [x, y] if "{1}" in form else [x])

    def three_way(self, scope, kind, depth):
        source = self.any_integer()
        kids = [self.leaf(scope, source), self.leaf(scope, source)]
        return Node(kind, f"(({kind})(({{0}} > {{1}}) - ({{0}} < {{1}})))", kids)

    def mixed(self, scope, kind, depth):
        """Operands of different types, as the language promotes them."""
        a, b = self.any_integer(), self.any_integer()
        operator = self.pick(["+", "-", "&", "|", "^", "*"])
        common = max(self.promoted(a), self.promoted(b))
        narrow = WIDTH[a] < 32 and WIDTH[b] < 32
        is_unsigned = (WIDTH[a] == common and not is_signed(a)) or (WIDTH[b] == common and not is_signed(b))
        cast = "" if operator in "&|^" or is_unsigned or (narrow and operator != "*") else f"({unsigned(common)})"
        kids = [self.expression(scope, a, depth), self.expression(scope, b, depth)]
        return Node(kind, f"(({kind})({cast}{{0}} {operator} {{1}}))", kids)

    def quotient(self, scope, kind, depth):
        source = kind if self.one_of(2) else self.any_integer(64)
        width = WIDTH[source]
        operator = self.pick(["/", "%"])
        x = self.expression(scope, source, depth)
        if self.one_of(2):
            divisor = self.pick([1, 2, 3, 5, 7, 10, 16, 60, 100, 127, 1 << self.random.randrange(width)])
            divisor = self.pick([divisor, self.integer(width), self.random.getrandbits(width)]) % (1 << width)
            if divisor in (0, (1 << width) - 1):
                divisor = 9
            return Node(kind, f"(({kind})({{0}} {operator} {self.integer_text(source, divisor)}))", [x])
        y = self.leaf(scope, source)
        if not is_signed(source):
            if self.one_of(2):
                return Node(
                    kind, f"(({kind})({{1}} == 0 ? {{0}} : {{0}} {operator} {{1}}))", [self.leaf(scope, source), y]
                )
            return Node(kind, f"(({kind})({{0}} {operator} ({{1}} | 1)))", [x, y])
        if self.one_of(2):
            largest = self.integer_text(source, (1 << (width - 1)) - 1)
            return Node(kind, f"(({kind})({{0}} {operator} (({{1}} & {largest}) | 1)))", [x, y])
        x = self.leaf(scope, source)
        return Node(kind, f"(({kind})({{1}} == 0 || {{1}} == -1 ? {{0}} : {{0}} {operator} {{1}}))", [x, y])

    def wide_product(self, scope, kind, depth):
        """A product of values half as wide, which cannot overflow, and perhaps a summand."""
        sign = self.pick("iu")
        half = f"{sign}{WIDTH[kind] // 2}"
        wide = f"{sign}{WIDTH[kind]}"
        kids = [self.expression(scope, half, depth), self.expression(scope, half, depth)]
        product = f"(({wide}){{0}} * ({wide}){{1}})" if WIDTH[kind] >= 32 else "((i32){0} * (i32){1})"
        if self.one_of(2):
            return Node(kind, f"(({kind}){product})", kids)
        u = unsigned(self.promoted(kind))
        kids.append(self.expression(scope, kind, depth))
        return Node(kind, f"(({kind})(({u}){product} {self.pick('+-')} ({u}){{2}}))", kids)

    def high_product(self, scope, kind, depth):
        bits = self.pick([32, 64])
        source = f"{self.pick('iu')}{bits}"
        kids = [self.expression(scope, source, depth), self.expression(scope, source, depth)]
        if self.one_of(2):
            return Node(kind, f"(({kind})high_product({{0}}, {{1}}))", kids)
        wide = f"{source[0]}{2 * bits}"
        return Node(kind, f"(({kind})((({wide}){{0}} * ({wide}){{1}}) >> {bits}))", kids)

    def carry(self, scope, kind, depth):
        """The upper half of a sum or difference of two words, as programs write it by hand."""
        u = unsigned(WIDTH[kind])
        kids = [self.leaf(scope, u) for _ in range(4)]
        form = self.pick(
            ["({2} + {3} + (({u})({0} + {1}) < {0}))", "({2} - {3} - ({0} < {1}))", "({2} + (({u})({0} + {1}) < {1}))"]
        ).replace("{u}", u)
        if "{3}" not in form:
            kids = kids[:3]
        return Node(kind, f"(({kind}){form})", kids)

    def saturated(self, scope, kind, depth):
        width = WIDTH[kind]
        full = self.integer_text(kind, (1 << width) - 1)
        x, y = self.leaf(scope, kind), self.leaf(scope, kind)
        if not is_signed(kind):
            form = self.pick(
                [f"(({kind})({{0}} + {{1}}) < {{0}} ? {full} : {{0}} + {{1}})", "({0} > {1} ? {0} - {1} : 0)"]
            )
            return Node(kind, f"(({kind}){form})", [x, y])
        if width == 128:
            return self.sum(scope, kind, depth)
        wide = signed(2 * width)
        low, high = (self.integer_text(kind, value) for value in (1 << (width - 1), (1 << (width - 1)) - 1))
        sum_ = f"(({wide}){{0}} {self.pick('+-')} {{1}})"
        return Node(kind, f"(({kind})({sum_} < {low} ? {low} : {sum_} > {high} ? {high} : {sum_}))", [x, y])

    def intrinsic(self, scope, kind, depth):
        name, types = self.pick(
            [
                ("funnel_left", ["u32"] * 3),
                ("funnel_right", ["u32"] * 3),
                ("funnel_left_clamped", ["u32"] * 3),
                ("funnel_right_clamped", ["u32"] * 3),
                ("permuted_bytes", ["u32"] * 3),
                ("permuted_bytes", ["u32"] * 3),
                ("product_of_24_bits", [self.pick(["i32", "u32"])] * 2),
                ("average_down", [self.pick(["i32", "u32"])] * 2),
                ("average_up", [self.pick(["i32", "u32"])] * 2),
                ("difference_added", [self.pick(["i32", "u32"])] * 2 + ["u32"]),
                ("products_of_bytes", ["i32"] * 3),
                ("reversed", [self.pick(["u32", "u64"])]),
                ("counted", [self.pick(["u32", "u64"])]),
                ("leading", [self.pick(["u32", "u64"])]),
                ("first_set", [self.pick(["u32", "u64"])]),
                ("bytes_swapped", [self.pick(["u32", "u64"])]),
            ]
        )
        types = [types[0]] * 2 + types[2:] if len(types) > 1 else types
        kids = [self.expression(scope, one, depth) for one in types]
        if name == "permuted_bytes" and self.one_of(2):
            kids[2] = Node("u32", f"0x{self.random.getrandbits(16) & self.pick([0x7777, 0xffff]):04x}u")
        return Node(kind, f"(({kind}){name}({', '.join('{%d}' % i for i in range(len(kids)))}))", kids)

    def of_real(self, scope, kind, depth):
        source = self.any_real(halves=False)
        if self.one_of(2) and self.promoted(kind) == WIDTH[kind]:
            how = self.pick(["near", "zero", "up", "down"])
            return Node(kind, f"{kind}_{how}_{source}({{0}})", [self.expression(scope, source, depth)])
        low = -(2 ** (WIDTH[kind] - 1)) if is_signed(kind) else 0
        beyond = 2 ** (WIDTH[kind] - is_signed(kind))
        suffix = "f" if source == "f32" else ""
        x = self.expression(scope, source, depth)
        other = self.leaf(scope, kind)
        return Node(
            kind, f"integer_part<{kind}, {source}>({{0}}, {low}.0{suffix}, {beyond}.0{suffix}, {{1}})", [x, other]
        )

    def bits_of_real(self, scope, kind, depth):
        source = self.any_real()
        name = "half_bits" if source == "f16" else "bits_of"
        return Node(kind, f"(({kind}){name}({{0}}))", [self.expression(scope, source, depth)])

    def place(self, scope, size, depth):
        """An address in the thread's memory, and whether it is a multiple of the size."""
        if self.one_of(3):
            return Node("place", f"{scope.memory} + {self.random.randrange(33 - size)}"), False
        if self.one_of(2):
            return Node("place", f"{scope.memory} + {size * self.random.randrange(32 // size)}"), True
        index = self.expression(scope, "u32", min(depth, 1))
        return Node("place", f"{scope.memory} + {{0}} % {32 // size}u * {size}", [index]), True

    def loaded(self, scope, kind, depth):
        source = self.any_integer(64)
        place, whole = self.place(scope, WIDTH[source] // 8, depth)
        return Node(kind, f"(({kind})loaded{'_whole' if whole else ''}<{source}>({{0}}))", [place])

    # Truth values.

    def truth(self, scope, depth):
        if depth <= 0:
            return self.comparison(scope, 0)
        forms = [self.comparison] * 6 + [self.connected] * 3 + [self.bit, self.overflow, self.real_comparison]
        if any(kind in REALS for kind in self.palette):
            forms += [self.real_comparison] * 3
        if any(kind == "bool" for kind, _ in scope.values):
            forms.append(lambda scope, depth: self.leaf(scope, "bool"))
        return self.pick(forms)(scope, depth - 1)

    def comparison(self, scope, depth):
        a = self.any_integer()
        b = a if self.one_of(2) else self.any_integer()
        operator = self.pick(["<", "<=", ">", ">=", "==", "!="])
        kids = [self.expression(scope, a, depth), self.expression(scope, b, depth)]
        if self.one_of(4):
            kids[1] = self.literal(b)
        return Node("bool", f"({{0}} {operator} {{1}})", kids)

    def connected(self, scope, depth):
        kids = [self.truth(scope, depth), self.truth(scope, depth)]
        form = self.pick(["({0} && {1})", "({0} || {1})", "!{0}", "({0} != {1})", "({0} & {1})", "(bool)({0} | {1})"])
        return Node("bool", f"(bool)({form})", kids if "{1}" in form else kids[:1])

    def bit(self, scope, depth):
        kind = self.any_integer()
        kids = [self.expression(scope, kind, depth), self.amount(scope, WIDTH[kind], depth)]
        return Node("bool", "(bool)({0} >> {1} & 1)", kids)

    def overflow(self, scope, depth):
        kind = self.pick(["i32", "u32", "i64", "u64", "i16", "u8"])
        name = self.pick(["sum", "difference", "product"])
        kids = [self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        return Node("bool", f"overflows_{name}<{kind}>({{0}}, {{1}})", kids)

    def real_comparison(self, scope, depth):
        kind = self.any_real()
        kids = [self.expression(scope, kind, depth), self.expression(scope, kind, depth)]
        if kind == "f16":
            name = self.pick(["half_less", "half_equal", "half_not_less"])
            return Node("bool", f"{name}({{0}}, {{1}})", kids)
        if self.one_of(6):
            x = self.leaf(scope, kind)
            return Node("bool", self.pick(["({0} != {0})", "({0} == {0})", "!({0} < 0)"]), [x])
        form = self.pick(["({0} %s {1})", "!({0} %s {1})"]) % self.pick(["<", "<=", ">", ">=", "==", "!="])
        return Node("bool", form, kids)

    # Real numbers.

    def real(self, scope, kind, depth):
        f = "f" if kind == "f32" else ""
        other = "f64" if kind == "f32" else "f32"

        def kids(count):
            return [self.expression(scope, kind, depth) for _ in range(count)]

        def leaves(count):
            return [self.leaf(scope, kind) for _ in range(count)]

        if self.one_of(4):
            source = self.any_integer(64)
            return Node(kind, f"(({kind}){{0}})", [self.expression(scope, source, depth)])
        if self.one_of(8):
            if self.one_of(3) or "f16" in self.palette:
                return Node(kind, f"(({kind})from_half({{0}}))", [self.expression(scope, "f16", depth)])
            return Node(kind, f"(({kind}){{0}})", [self.expression(scope, other, depth)])
        if self.one_of(12):
            bits = "u32" if kind == "f32" else "u64"
            return Node(kind, f"{kind}_of({{0}})", [self.expression(scope, bits, depth)])
        form = self.pick(
            ["({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} * {1} + {2})", "({0} - {1} * {2})"] * 2
            + [f"fma{f}({{0}}, {{1}}, {{2}})"] * 2
            + [f"sqrt{f}({{0}})", f"fabs{f}({{0}})", "-{0}", f"trunc{f}({{0}})", f"floor{f}({{0}})", f"ceil{f}({{0}})"]
            + [f"rint{f}({{0}})", "smaller({0}, {1})", "larger({0}, {1})", "with_sign({0}, {1})"]
        )
        if self.one_of(5):
            form = self.pick(
                ["({0} < {1} ? {0} : {1})", "({0} > {1} ? {0} : {1})", "({0} <= {1} ? {1} : {0})"]
                + ["({0} < 0 ? -{0} : {0})", "({0} != {0} ? {1} : {0})", "({0} == {1} ? {0} : {1})", "({0} - {0})"]
            )
            return Node(kind, form, leaves(1 + ("{1}" in form)))
        if form.startswith("with_sign"):
            return Node(kind, form, leaves(2))
        if form.startswith("-"):
            form = "(-({0}))"
        return Node(kind, form, kids(1 + ("{1}" in form) + ("{2}" in form)))

    def half(self, scope, depth):
        def of(kind):
            return self.expression(scope, kind, depth)

        form, types = self.pick(
            [
                ("half_sum({0}, {1})", ["f16", "f16"]),
                ("half_difference({0}, {1})", ["f16", "f16"]),
                ("half_product({0}, {1})", ["f16", "f16"]),
                ("half_quotient({0}, {1})", ["f16", "f16"]),
                ("half_fma({0}, {1}, {2})", ["f16", "f16", "f16"]),
                ("half_root({0})", ["f16"]),
                ("half_negated({0})", ["f16"]),
                ("half_size({0})", ["f16"]),
                ("to_half({0})", ["f32"]),
                ("to_half({0})", ["f64"]),
                ("to_half({0})", ["i32"]),
                ("half_of({0})", ["u16"]),
                ("to_half((f32)from_half({0}) * from_half({1}))", ["f16", "f16"]),
            ]
        )
        return Node("f16", form, [of(kind) for kind in types])

    # Structures.

    def record_value(self, scope, record, depth):
        forms = []
        if any(found is record for found, _ in scope.records):
            forms += [self.record_leaf] * 3
        if depth > 0 and any(found is record for found, _ in scope.records):
            forms.append(self.record_ternary)
        if any(found is record for found, _, _, _ in scope.record_arrays):
            forms += [self.record_element] * 3
        if depth > 0 and any(result is record for result, _, _ in scope.calls):
            forms.append(self.call)
        flat = not record.has_bit_fields() and all(
            not count and not isinstance(kind, Record) for _, kind, count, _ in record.members
        )
        if flat and (not forms or self.one_of(4)):
            kids = [self.expression(scope, kind, min(depth, 1)) for _, kind, _, _ in record.members]
            return Node(record, f"{record.name}{{{{{', '.join('{%d}' % i for i in range(len(kids)))}}}}}", kids)
        if not forms:
            return Node(record, f"{record.name}{{{{}}}}")
        return self.pick(forms)(scope, record, depth - 1)

    def record_leaf(self, scope, record, depth):
        return Node(record, self.pick([text for found, text in scope.records if found is record]))

    def record_ternary(self, scope, record, depth):
        return Node(
            record,
            "({0} ? {1} : {2})",
            [self.truth(scope, depth), self.record_leaf(scope, record, 0), self.record_leaf(scope, record, 0)],
        )

    def record_element(self, scope, record, depth):
        _, name, size, _ = self.pick([one for one in scope.record_arrays if one[0] is record])
        return self.indexed(scope, record, name, size, depth)

    def indexed(self, scope, kind, name, size, depth):
        if "symbol-copies" in self.without:
            return Node(kind, f"{name}[(t + {self.random.randrange(size)}) % {size}u]")
        if self.one_of(3):
            return Node(kind, f"{name}[{self.pick([0, size - 1, self.random.randrange(size)])}]")
        return Node(kind, f"{name}[{{0}} % {size}u]", [self.expression(scope, "u32", min(depth, 1))])

    # ------------------------------------------------------------------------------------------------- statements

    def statement(self, scope, depth):
        """A statement, within `depth` more blocks."""
        forms = [(12, self.assignment)]
        if scope.record_targets:
            forms += [(6, self.record_assignment)]
        if any(writable for _, _, _, writable in scope.arrays):
            forms.append((4, self.element_assignment))
        if any(writable for _, _, _, writable in scope.record_arrays):
            forms.append((5, self.record_element_assignment))
        if scope.memory:
            forms.append((5, self.stored))
        if depth > 0:
            forms += [(5, self.branch), (2, self.choice), (3, self.loop)]
            if self.one_of(4):
                forms.append((2, self.early_return))
        (form,) = self.random.choices([form for _, form in forms], [weight for weight, _ in forms])
        return form(scope, depth)

    def statements(self, scope, count, depth):
        return block([self.statement(scope, depth) for _ in range(count)])

    def assignment(self, scope, depth):
        kind, text = self.pick(scope.targets)
        if kind in WIDTH and self.one_of(5):
            if not is_signed(kind) and WIDTH[kind] >= 32:
                operator = self.pick(["+=", "-=", "*=", "^=", "|=", "&="])
            else:
                operator = self.pick(["^=", "|=", "&="])
            return Node("statement", f"{text} {operator} {{0}};", [self.expression(scope, kind, 2)])
        if kind in WIDTH and self.one_of(10):
            return Node("statement", f"{text} >>= {self.random.randrange(WIDTH[kind])};")
        if kind in ("f32", "f64") and self.one_of(6):
            operator = self.pick(["+=", "-=", "*=", "/="])
            return Node("statement", f"{text} {operator} {{0}};", [self.expression(scope, kind, 2)])
        return Node("statement", f"{text} = {{0}};", [self.expression(scope, kind, self.pick([2, 3]))])

    def record_assignment(self, scope, depth):
        record, text = self.pick(scope.record_targets)
        return Node("statement", f"{text} = {{0}};", [self.record_value(scope, record, 2)])

    def element_assignment(self, scope, depth):
        kind, name, size, _ = self.pick([one for one in scope.arrays if one[3]])
        kids = [self.expression(scope, "u32", 1), self.expression(scope, kind, 2)]
        return Node("statement", f"{name}[{{0}} % {size}u] = {{1}};", kids)

    def record_element_assignment(self, scope, depth):
        record, name, size, _ = self.pick([one for one in scope.record_arrays if one[3]])
        place = self.indexed(scope, record, name, size, 1)
        return Node("statement", "{0} = {1};", [Node("place", "{0}", [place]), self.record_value(scope, record, 1)])

    def stored(self, scope, depth):
        kind = self.any_integer(64)
        place, whole = self.place(scope, WIDTH[kind] // 8, 1)
        value = self.expression(scope, kind, 2)
        return Node("statement", f"store{'_whole' if whole else ''}<{kind}>({{0}}, {{1}});", [place, value])

    def branch(self, scope, depth):
        then = self.statements(scope, self.random.randint(1, 3), depth - 1)
        condition = self.truth(scope, 2)
        if self.one_of(2):
            return Node("statement", "if ({0}) {1}", [condition, then])
        return Node(
            "statement",
            "if ({0}) {1} else {2}",
            [condition, then, self.statements(scope, self.random.randint(1, 3), depth - 1)],
        )

    def choice(self, scope, depth):
        kind = self.any_integer(64)
        count = self.random.randint(2, 4)
        dense = self.one_of(2)
        chosen = f"({kind})({{0}} & {self.pick([3, 7])})" if dense else "{0}"
        values = set()
        while len(values) < count:
            values.add(len(values) if dense else self.integer(WIDTH[kind]))
        form, kids = f"switch ({chosen}) {{{{ ", [self.expression(scope, kind, 2)]
        loops, scope.loops = scope.loops, 0  # a break would be the switch's
        for value in sorted(values):
            kids.append(self.statements(scope, self.random.randint(1, 2), depth - 1))
            ends = "" if self.one_of(4) else " break;"
            form += f"case {self.integer_text(kind, value)}: {{{len(kids) - 1}}}{ends} "
        if self.one_of(2):
            kids.append(self.statements(scope, 1, depth - 1))
            form += f"default: {{{len(kids) - 1}}} "
        scope.loops = loops
        return Node("statement", form + "}}", kids)

    def loop(self, scope, depth):
        name, end = f"loop{len(scope.declarations)}", f"end{len(scope.declarations)}"
        kind = self.pick(["i32", "i32", "u32", "u8", "i64", "i16"])
        for one in (name, end):
            scope.declarations.append((one, f"{kind} {one} = 0;"))
        most = self.pick([3, 7])
        limit = self.expression(scope, self.any_integer(64), 1)
        bound = Node(kind, f"(({kind})({{0}} & {most}))", [limit])
        scope.values.append((kind, name))
        scope.loops += 1
        body = self.statements(scope, self.random.randint(1, 3), depth - 1)
        scope.loops -= 1
        if self.one_of(4):
            body.kids.insert(
                self.random.randrange(len(body.kids) + 1),
                Node("statement", f"if ({{0}}) {self.pick(['break', 'continue'])};", [self.truth(scope, 1)]),
            )
        form = self.pick(
            [
                f"for ({name} = 0, {end} = {{0}}; {name} < {end}; ++{name}) {{1}}",
                f"for ({name} = {{0}}; {name} > 0; --{name}) {{1}}",
                f"for ({name} = 0, {end} = {{0}}; {name} <= {end}; {name} += 2) {{1}}",
                f"for ({name} = 0; {name} < {self.random.randint(1, 5)}; ++{name}) {{0}}",
            ]
        )
        return Node("statement", form, [bound, body] if "{1}" in form else [body])

    def early_return(self, scope, depth):
        kids = [self.truth(scope, 2), self.statements(scope, 1, 0)]
        kids[1].kids.append(Node("statement", scope.result))
        return Node("statement", "if ({0}) {1}", kids)

    # -------------------------------------------------------------------------------------------------- functions

    def make_records(self):
        """Vector types and structures of this function, the structures in the order of their declaration."""
        found = []
        for _ in range(self.pick([0, 1, 1, 2])):
            mine = [name for name, (kind, _) in VECTORS.items() if kind in self.palette]
            name = self.pick(mine or list(VECTORS))
            if all(record.name != name for record in found):
                found.append(vector(name))
        for i in range(self.pick([0, 1, 1, 2])):
            members = []
            fields = self.one_of(6)
            for k in range(self.random.randint(2, 5)):
                kind = self.pick(self.palette + [self.pick(list(FREQUENCY))])
                count, bits = 0, 0
                if fields and kind in WIDTH and WIDTH[kind] <= 64 and not self.one_of(3):
                    bits = self.random.randint(1, WIDTH[kind])
                elif self.one_of(5):
                    count = self.random.randint(2, 4)
                elif found and self.one_of(5):
                    kind = self.pick(found)
                members.append((f"m{k}", kind, count, bits))
            found.append(Record(f"S{i}", members))
        self.records = found

    def initializer(self, kind, count=0):
        """A constant of the type, in braces for arrays and structures."""
        if count:
            return "{" + ", ".join(self.initializer(kind) for _ in range(count)) + "}"
        if isinstance(kind, Record):
            return "{" + ", ".join(self.initializer(one, n) for _, one, n, _ in kind.members) + "}"
        return self.literal_text(kind).replace("{{", "{").replace("}}", "}")

    def add_record(self, scope, record, text, writable):
        scope.records.append((record, text))
        if writable:
            scope.record_targets.append((record, text))
        self.add_members(scope, record, text, writable)

    def add_members(self, scope, record, text, writable):
        for name, kind, count, bits in record.members:
            if isinstance(kind, Record):
                for path in [f"{text}.{name}[{i}]" for i in range(count)] if count else [f"{text}.{name}"]:
                    self.add_record(scope, kind, path, writable)
            elif count:
                scope.arrays.append((kind, f"{text}.{name}", count, writable))
            else:
                # A bit-field by itself is promoted to another type.
                scope.values.append((kind, f"(({kind}){text}.{name})" if bits else f"{text}.{name}"))
                if writable:
                    scope.targets.append((kind, f"{text}.{name}"))

    def declare(self, scope, kind, name, count=0):
        type_name = kind.name if isinstance(kind, Record) else kind
        if isinstance(kind, Record) or count:
            known = [text for found, text in scope.records if found is kind] if not count else []
            value = self.pick(known) if known and not self.one_of(4) else "{}"
        else:
            value = self.leaf(scope, kind).text()
        scope.declarations.append((name, f"{type_name} {name}{f'[{count}]' if count else ''} = {value};"))
        if count and isinstance(kind, Record):
            scope.record_arrays.append((kind, name, count, True))
        elif count:
            scope.arrays.append((kind, name, count, True))
        elif isinstance(kind, Record):
            self.add_record(scope, kind, name, True)
        else:
            scope.values.append((kind, name))
            scope.targets.append((kind, name))

    def make_helper(self, number, calls):
        """A function that is not inlined: (text before the body, Scope, body, text behind it)."""
        scope = Scope()
        scope.calls = list(calls)
        # Nothing here names a constant or an exchanged array.
        kinds = [self.any_type() for _ in range(self.random.randint(1, 3))]
        plain = list(self.records)
        if "bit-field-arguments" in self.without:
            plain = [record for record in plain if not record.has_bit_fields()]
        if "wide-arguments" in self.without:
            plain = [record for record in plain if not record.has_wide_arrays()]
        if plain and not self.one_of(3):
            kinds.insert(self.random.randrange(len(kinds) + 1), self.pick(plain))
        result = self.pick(plain) if plain and self.one_of(2) else self.any_type()
        names = []
        for i, kind in enumerate(kinds):
            names.append(f"{kind.name if isinstance(kind, Record) else kind} a{i}")
            if isinstance(kind, Record):
                self.add_record(scope, kind, f"a{i}", True)
            else:
                scope.values.append((kind, f"a{i}"))
                scope.targets.append((kind, f"a{i}"))
        self.declare(scope, result, "result")
        scope.result = "return result;"
        body = self.statements(scope, self.random.randint(1, 3), 1)
        if isinstance(result, Record):
            body.kids.append(Node("statement", "result = {0};", [self.record_value(scope, result, 1)]))
        else:
            body.kids.append(Node("statement", "result = {0};", [self.expression(scope, result, 2)]))
        type_name = result.name if isinstance(result, Record) else result
        name = f"helper{number}"
        inline = "" if self.one_of(3) else "__noinline__ "
        head = f"static {inline}__host__ __device__ {type_name} {name}({', '.join(names)})"
        return Function(name, head, scope, body, "  return result;\n"), (result, name, kinds)

    def make(self):
        """The function, as a Source."""
        self.make_records()
        plain = [record for record in self.records if not record.has_bit_fields()]
        source = Source(self.seed, self.index)
        source.records = [record for record in self.records if not record.built_in]
        calls = []
        for number in range(self.pick([0, 0, 1, 2])):
            function, call = self.make_helper(number, calls)
            source.functions.append(function)
            calls.append(call)

        inputs = [(f"a{i}", self.any_type()) for i in range(self.random.randint(2, 5))]
        inputs += [(f"s{i}", self.pick(plain)) for i in range(self.pick([0, 1, 2])) if plain]
        outputs = [(f"x{i}", self.any_type()) for i in range(self.random.randint(1, 4))]
        outputs += [(f"y{i}", self.pick(plain)) for i in range(self.pick([0, 0, 1, 2])) if plain]
        source.inputs = Record("In", [(name, kind, 0, 0) for name, kind in inputs])
        source.outputs = Record("Out", [(name, kind, 0, 0) for name, kind in outputs])

        for i in range(self.pick([0, 0, 1, 1, 2])):
            kind = self.pick(plain) if plain and not self.one_of(4) else self.any_type()
            whole = self.one_of(2) and not (isinstance(kind, Record) and "symbol-copies" in self.without)
            count = 0 if whole else self.random.randint(2, 5)
            space = self.pick(["__constant__", "__constant__", "__device__"])
            source.constants.append((f"c{i}", kind, count, space, self.initializer(kind, count)))

        source.phase_count = self.pick([1, 1, 1, 2, 2, 3])
        source.threads = self.pick([32, 64, 64, 96])
        source.blocks = 384 // source.threads
        several = source.phase_count > 1
        if several:
            source.kept = [(f"k{i}", self.any_type()) for i in range(self.random.randint(1, 3))]
            source.kept += [("ks", self.pick(self.records))] if self.records and self.one_of(2) else []
            source.exchanged = self.pick(plain) if plain and not self.one_of(3) else self.any_type()
            source.where = self.pick(["__shared__", "__shared__", "__device__"])
            source.by_name = source.where == "__shared__" and self.one_of(2)
            source.memory = self.one_of(3)
            source.repeats = self.pick([1, 1, 2])
            if source.repeats % 2 == 0 and source.phase_count % 2 == 1:
                source.repeats = 1
            words = [kind for kind in self.palette if kind in ("i32", "u32", "i64", "u64", "f32", "f64")] or ["u32"]
            source.passed = self.pick(words)
            source.votes = [self.exchange(source.passed) for _ in range(source.phase_count - 1)]
        else:
            source.memory = self.one_of(4)
        for number in range(source.phase_count):
            source.functions.append(self.make_phase(source, number, calls))
        return source

    def exchange(self, passed):
        """What happens between two phases besides the barrier: (device, host). The host's has all states and a
        thread t; it reads what is passed and writes what is got."""
        kind = self.pick(["none", "none", "index", "xor", "up", "down", "ballot", "any", "all", "count", "and", "or"])
        width = self.pick([32, 32, 16, 8])
        first = f"t / {width} * {width}"
        amount = self.random.randrange(1, 32)
        if kind == "none":
            return None
        if kind == "index":
            return (
                f"s.got = __shfl_sync(~0u, s.passed, s.lane, {width});",
                f"s.got = all[{first} + all[t].lane % {width}].passed;",
            )
        if kind == "xor":
            # From the lanes of a later section nothing is read.
            return (
                f"s.got = __shfl_xor_sync(~0u, s.passed, {amount % width}, {width});",
                f"s.got = all[t ^ {amount % width}].passed;",
            )
        if kind == "up":
            return (
                f"s.got = __shfl_up_sync(~0u, s.passed, {amount % width}, {width});",
                f"s.got = all[t % {width} < {amount % width} ? t : t - {amount % width}].passed;",
            )
        if kind == "down":
            return (
                f"s.got = __shfl_down_sync(~0u, s.passed, {amount % width}, {width});",
                f"s.got = all[t % {width} + {amount % width} >= {width} ? t : t + {amount % width}].passed;",
            )
        if kind == "ballot":
            return (
                "s.vote = __ballot_sync(~0u, s.flag);",
                "s.vote = 0; for (u32 i = 0; i < 32; ++i) s.vote |= (u32)all[t / 32 * 32 + i].flag << i;",
            )
        warp = kind in ("any", "all")
        intrinsic = {
            "any": "__any_sync(~0u, s.flag) != 0",
            "all": "__all_sync(~0u, s.flag) != 0",
            "count": "(u32)__syncthreads_count(s.flag)",
            "and": "__syncthreads_and(s.flag) != 0",
            "or": "__syncthreads_or(s.flag) != 0",
        }[kind]
        begin, number = ("t / 32 * 32", "32") if warp else ("0", "kThreads")
        result = {"any": "n != 0", "or": "n != 0", "all": f"n == {number}", "and": f"n == {number}", "count": "n"}[kind]
        return (
            f"s.vote = {intrinsic};",
            f"{{ u32 n = 0; for (u32 i = 0; i < {number}; ++i) n += all[{begin} + i].flag; s.vote = {result}; }}",
        )

    def make_phase(self, source, number, calls):
        scope = Scope()
        scope.calls = list(calls)
        last = number == source.phase_count - 1
        for name, kind, _, _ in source.inputs.members:
            if isinstance(kind, Record):
                self.add_record(scope, kind, f"in.{name}", False)
            else:
                scope.values.append((kind, f"in.{name}"))
        scope.values.append(("u32", "t"))
        for name, kind, count, _, _ in source.constants:
            if isinstance(kind, Record):
                if count:
                    scope.record_arrays.append((kind, name, count, False))
                else:
                    self.add_record(scope, kind, name, False)
            elif count:
                scope.arrays.append((kind, name, count, False))
            else:
                scope.values.append((kind, name))
        for name, kind in source.kept:
            if isinstance(kind, Record):
                self.add_record(scope, kind, f"s.{name}", True)
            else:
                scope.values.append((kind, f"s.{name}"))
                scope.targets.append((kind, f"s.{name}"))
        for i in range(self.random.randint(2, 4)):
            self.declare(scope, self.any_type(), f"v{i}")
        if self.records:
            for i in range(self.pick([0, 1, 2])):
                self.declare(scope, self.pick(self.records), f"r{i}")
        if self.one_of(4):
            kind = self.pick(self.records) if self.records and self.one_of(2) else self.any_type()
            self.declare(scope, kind, "array", self.pick([2, 3, 4, 8]))
        if source.memory:
            scope.memory = "s.memory"
        outputs = Scope()
        for name, kind, _, _ in source.outputs.members:
            if isinstance(kind, Record):
                self.add_record(outputs, kind, f"out.{name}", True)
            else:
                outputs.targets.append((kind, f"out.{name}"))
        if self.one_of(3):
            scope.targets += outputs.targets
            scope.record_targets += outputs.record_targets
        ends = []
        if source.phase_count > 1:
            scope.values += [(source.passed, "s.got"), ("u32", "s.vote")]
            read, written = ("a", "b") if number % 2 == 0 else ("b", "a")
            if isinstance(source.exchanged, Record):
                scope.record_arrays.append((source.exchanged, read, source.threads, False))
                value = self.record_value
            else:
                scope.arrays.append((source.exchanged, read, source.threads, False))
                value = self.expression
            own = "t" if self.one_of(2) else f"t ^ {self.random.randrange(32)}"
            if not last or source.repeats > 1:
                ends = [
                    lambda: Node("statement", f"{written}[{own}] = {{0}};", [value(scope, source.exchanged, 2)]),
                    lambda: Node("statement", "s.passed = {0};", [self.expression(scope, source.passed, 2)]),
                    lambda: Node("statement", "s.flag = {0};", [self.truth(scope, 2)]),
                    lambda: Node("statement", "s.lane = {0};", [self.expression(scope, "u32", 1)]),
                ]
                if isinstance(source.exchanged, Record) and "symbol-copies" not in self.without:
                    # Element 0 by a constant index; no other thread writes it in this phase.
                    own_first = "0" if own == "t" else own[4:]
                    ends.append(
                        lambda: Node(
                            "statement",
                            f"if (t == {own_first}) {written}[0] = {{0}};",
                            [self.record_value(scope, source.exchanged, 1)],
                        )
                    )
        body = self.statements(scope, self.random.randint(2, 5), 2)
        for make in ends:
            if not self.one_of(4):
                body.kids.append(make())
        if last:
            for name, kind, _, _ in source.outputs.members:
                if isinstance(kind, Record):
                    value = self.record_value(scope, kind, 2)
                else:
                    value = self.expression(scope, kind, 3)
                body.kids.append(Node("statement", f"out.{name} = {{0}};", [value]))
        elif self.one_of(2) and outputs.targets:
            kind, text = self.pick(outputs.targets)
            body.kids.append(Node("statement", f"{text} = {{0}};", [self.expression(scope, kind, 2)]))
        head = f"static __host__ __device__ void phase{number}(const In& in, Out& out{source.phase_parameters()})"
        return Function(f"phase{number}", head, scope, body, "")


class Function:
    """A C++ function: its head, its declarations (in `scope`), its body and what stands behind that."""

    def __init__(self, name, head, scope, body, tail):
        self.name = name
        self.head = head
        self.declarations = list(scope.declarations)
        self.body = body
        self.tail = tail

    def text(self):
        body = self.body.text() + self.tail
        for name, line in reversed(self.declarations):
            if re.search(rf"\b{name}\b", body):
                body = f"  {line}\n{body}"
        return f"{self.head} {{\n{body}}}\n"


class Source:
    """A function under test: structures, constants, helpers, phases, and the two ways to run them."""

    def __init__(self, seed, index):
        self.seed = seed
        self.index = index
        self.name = f"function{index}"
        self.records = []
        self.functions = []
        self.inputs = None
        self.outputs = None
        self.constants = []
        self.phase_count = 1
        self.threads = 64
        self.blocks = 1
        self.kept = []
        self.exchanged = None
        self.where = ""
        self.by_name = False  # phases name the shared arrays, instead of having pointers to them
        self.passed = "u32"
        self.votes = []
        self.repeats = 1
        self.memory = False
        self.planted = False

    def has_state(self):
        return self.phase_count > 1 or self.memory

    def phase_parameters(self):
        parameters = ", u32 t"
        if self.has_state():
            parameters += ", State& s"
        if self.phase_count > 1 and not self.by_name:
            parameters += f", {self.type_name(self.exchanged)}* a, {self.type_name(self.exchanged)}* b"
        return parameters

    @staticmethod
    def type_name(kind):
        return kind.name if isinstance(kind, Record) else kind

    def state(self):
        members = [f"{self.type_name(kind)} {name};" for name, kind in self.kept]
        if self.phase_count > 1:
            members += [f"{self.passed} passed;", f"{self.passed} got;", "u32 vote;", "u32 lane;", "bool flag;"]
        if self.memory:
            members.append("alignas(16) u8 memory[32];")
        return "struct State {\n" + "".join(f"  {member}\n" for member in members) + "};\n"

    def first_exchanged(self):
        """What the two arrays begin with: an input of the type, or zero."""
        for name, kind, _, _ in self.inputs.members:
            if kind is self.exchanged:
                return f"in[g].{name}"
        name = self.type_name(self.exchanged)
        return "half_of(0)" if name == "f16" else f"{name}{{}}" if isinstance(self.exchanged, Record) else f"({name})0"

    def kernel(self):
        state = "  State s = {};\n" if self.has_state() else ""
        arguments = "in[g], out[g], t" + (", s" if self.has_state() else "")
        lines = "  const u32 t = threadIdx.x, g = blockIdx.x * blockDim.x + t;\n" + state
        outside = ""
        if self.phase_count > 1:
            kind = self.type_name(self.exchanged)
            if self.by_name:
                pass
            elif self.where == "__shared__":
                lines += f"  __shared__ {kind} a[kThreads], b[kThreads];\n"
            else:
                total = self.threads * self.blocks
                outside = f"static __device__ {kind} global_a[{total}], global_b[{total}];\n"
                lines += f"  {kind} *a = global_a + g - t, *b = global_b + g - t;\n"
            lines += f"  a[t] = b[t] = {self.first_exchanged()};\n  __syncthreads();\n"
            arguments += "" if self.by_name else ", a, b"
        calls = [f"phase{number}({arguments});" for number in range(self.phase_count)]
        if self.phase_count > 1:
            steps = []
            for number, call in enumerate(calls):
                steps.append(call)
                if number < len(self.votes) and self.votes[number]:
                    steps.append(self.votes[number][0])
                if number < self.phase_count - 1 or self.repeats > 1:
                    steps.append("__syncthreads();")
            calls = steps
        lines += self.repeated(calls)
        planted = "  if (g == 3) *(u8*)&out[g] ^= 1;\n" if self.planted else ""
        return f"{outside}static __global__ void kernel(const In* in, Out* out) {{\n{lines}{planted}}}\n"

    def repeated(self, calls):
        if self.repeats == 1:
            return "".join(f"  {call}\n" for call in calls)
        inner = "".join(f"    {call}\n" for call in calls)
        return f"  for (int round = 0; round < {self.repeats}; ++round) {{\n{inner}  }}\n"

    def on_host(self):
        lines = (
            "  const In* in = (const In*)inputs + block * kThreads;\n  Out* out = (Out*)outputs + block * kThreads;\n"
        )
        arguments = "in[t], out[t], t" + (", all[t]" if self.has_state() else "")
        if self.has_state():
            lines += "  State all[kThreads];\n  memset((void*)all, 0, sizeof all);\n"
        each = "for (u32 t = 0; t < kThreads; ++t) "
        if self.phase_count > 1:
            kind = self.type_name(self.exchanged)
            if not self.by_name:
                lines += f"  {kind} a[kThreads], b[kThreads];\n"
                arguments += ", a, b"
            lines += f"  {each}a[t] = b[t] = {self.first_exchanged().replace('[g]', '[t]')};\n"
        calls = []
        for number in range(self.phase_count):
            calls.append(f"{each}phase{number}({arguments});")
            if number < len(self.votes) and self.votes[number]:
                calls.append(f"{each}{{ State& s = all[t]; {self.votes[number][1]} }}")
        lines += self.repeated(calls)
        body = "".join(f"  {line}\n" for line in lines.splitlines())
        return (
            "static void on_host(const void* inputs, void* outputs, unsigned blocks, unsigned) {\n"
            f"  for (unsigned block = 0; block < blocks; ++block) {{\n{body}  }}\n}}\n"
        )

    def fields(self, name, record):
        lines = ", ".join(
            f'{{"{path}", Type::{"b" if kind == "bool" else kind}, offsetof({record.name}, {path})}}'
            for path, kind in record.leaves()
        )
        return f"static const Field {name}[] = {{{lines}}};\n"

    def device_text(self):
        """What both sides compute: the part that a reader of a report wants to see."""
        functions = [function.text() for function in self.functions]
        used = "".join(functions)
        text = "".join(record.text() for record in self.records)
        text += self.inputs.text() + self.outputs.text()
        constants = ""
        for name, kind, count, space, value in self.constants:
            if re.search(rf"\b{name}\b", used):
                declared = f"{self.type_name(kind)} {name}{f'[{count}]' if count else ''} = {value};\n"
                constants += f"#ifdef __CUDA_ARCH__\n{space} {declared}#else\nstatic const {declared}#endif\n"
        text += constants
        if self.has_state():
            text += self.state()
        text += f"constexpr u32 kThreads = {self.threads};\n"
        if self.by_name:
            arrays = f"static {{}}{self.type_name(self.exchanged)} a[kThreads], b[kThreads];\n"
            text += f"#ifdef __CUDA_ARCH__\n{arrays.format('__shared__ ')}#else\n{arrays.format('')}#endif\n"
        for i, function in enumerate(functions):
            name = self.functions[i].name
            if name.startswith("phase") or any(re.search(rf"\b{name}\b", other) for other in functions[i + 1 :]):
                text += function
        return text + self.kernel()

    def text(self):
        """All of it, in a namespace of its own."""
        return (
            f"namespace {self.name} {{\n{self.device_text()}"
            "#ifndef __CUDA_ARCH__\n"
            + self.fields("inputs", self.inputs)
            + self.fields("outputs", self.outputs)
            + self.on_host()
            + "#endif\n"
            "static void on_device(const void* in, void* out, unsigned blocks, unsigned threads) {\n"
            "  kernel<<<blocks, threads>>>((const In*)in, (Out*)out);\n}\n"
            f"}}  // namespace {self.name}\n"
        )

    def case(self):
        """Its line in the table of all functions."""
        seed = random.Random(f"inputs of {self.seed}/{self.index}").getrandbits(64)
        space = self.name
        return (
            f'{{"{space}", {seed}ull, {self.threads}, {self.blocks}, sizeof({space}::In), sizeof({space}::Out), '
            f"{space}::inputs, sizeof {space}::inputs / sizeof(Field), {space}::outputs, "
            f"sizeof {space}::outputs / sizeof(Field), {space}::on_device, {space}::on_host}},\n"
        )


def program(sources):
    """The text of a program that runs these functions."""
    return (
        '#include "device_functions.h"\n\n'
        + "\n".join(source.text() for source in sources)
        + "\n#ifndef __CUDA_ARCH__\nstatic const Case cases[] = {\n"
        + "".join(source.case() for source in sources)
        + "};\n\nint main(int argc, char** argv) {\n"
        "  return check_all(cases, sizeof cases / sizeof(Case), argc, argv);\n}\n#endif\n"
    )
