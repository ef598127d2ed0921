"""Random expressions of every type, none of them undefined."""

import random

from function_parts import FREQUENCY, INTEGERS, REALS, WIDTH, Node, Record, is_signed, signed, unsigned
from function_reals import RealExpressions


class Expressions(RealExpressions):
    """Draws expressions: the same for the same seed, index and set of what is left out."""

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
