"""Random expressions of floating-point types."""

from function_parts import Node


class RealExpressions:
    """Those of `Expressions` whose value is a float, a double or a half."""

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
