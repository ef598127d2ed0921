"""Makes random functions that compute the same on the host and on the device, as CUDA source.

A function has scalars and structures as inputs and outputs. It is one or several phases, each a `__host__ __device__`
function of one thread. Between phases the threads of a block exchange values: through shared memory or global
variables and a barrier, by shuffles and votes. The host runs each phase for all threads in turn.

Nothing in a function is undefined: signed sums are computed unsigned, counts of shifts are masked, divisors are not
zero, real numbers become integers inside of their range, an index is below the size, a variable has a value from its
declaration on. Any statement can be left out and any expression can be replaced by one of the same type: that is how
`reduced` texts are made.
"""

from function_expressions import Expressions
from function_parts import FREQUENCY, VECTORS, WIDTH, Node, Record, Scope, block, is_signed, vector
from function_source import Function, Source

#: What can be left out by name, while castor-cc is known to be wrong there.
LEAVABLE = {
    "symbol-copies": "structures at constant addresses: __constant__ variables, elements by constant indices",
    "bit-field-arguments": "structures with bit-fields as arguments and results of functions",
    "wide-fields": "64-bit values shifted right and masked",
    "wide-arguments": "structures with arrays of 128-bit integers as arguments and results of functions",
    "wide-rotations": "64-bit rotations by a variable amount",
}


class Maker(Expressions):
    """Makes one function."""

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
