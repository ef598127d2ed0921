"""Makes a function that fails smaller: leaves statements out and puts simpler expressions in, as long as it fails."""

import contextlib
import copy

from function_parts import INTEGERS, REALS, Node

#: Variants that are compiled in one file.
TOGETHER = 32


def simplest(kind):
    """Constants that can stand for an expression of the type."""
    if kind == "bool":
        return ["true", "false"]
    if kind == "f16":
        return ["half_of(0)"]
    if kind in INTEGERS or kind in REALS:
        return [f"({kind})0", f"({kind})1"]
    return []


def descendants(node):
    for kid in node.kids:
        yield kid
        yield from descendants(kid)


def edits(node):
    """Changes that make the tree below `node` smaller: (a node of it, the kids that it gets)."""
    found = []

    def visit(one):
        if one.kind == "block":
            size = len(one.kids)
            length = size
            while length >= 1:
                for at in range(0, size, length):
                    found.append((one, one.kids[:at] + one.kids[at + length :]))
                length //= 2
            for at, kid in enumerate(one.kids):
                blocks = [inner for inner in kid.kids if inner.kind == "block"]
                for inner in blocks:
                    if not any(
                        word in (deep.form or "") for deep in descendants(inner) for word in ("break", "continue")
                    ):
                        found.append((one, one.kids[:at] + inner.kids + one.kids[at + 1 :]))
        else:
            for at, kid in enumerate(one.kids):
                if kid.kind == "block" or kid.kind == "place":
                    continue
                others = [deep for deep in descendants(kid) if deep.kind == kid.kind and deep is not kid]
                others += [Node(kid.kind, text) for text in simplest(kid.kind) if kid.kids or kid.form[0].isalpha()]
                for other in others:
                    found.append((one, one.kids[:at] + [other] + one.kids[at + 1 :]))
        for kid in one.kids:
            visit(kid)

    visit(node)
    return found


class Reducer:
    """`failures` takes sources and returns those of them that fail, as Failure."""

    def __init__(self, failures):
        self.failures = failures

    def reduce(self, failure):
        """The failure of the smallest variant that was found."""
        while True:
            smaller = self.step(failure)
            if smaller is None:
                return failure
            failure = smaller

    def step(self, failure):
        """A smaller variant that fails as `failure` does, or None."""
        source = failure.source
        sizes = []
        changes = [change for function in source.functions for change in edits(function.body)]
        for number, change in enumerate(changes):
            with changed(change):
                size = len(source.device_text())
            if size < len(source.device_text()):
                sizes.append((size, number))
        sizes.sort()
        while sizes:
            # Some large changes and some small ones.
            stride = max(1, len(sizes) // TOGETHER)
            chosen = sizes[::stride][:TOGETHER]
            sizes = [one for one in sizes if one not in chosen]
            variants = []
            for _, number in chosen:
                with changed(changes[number]):
                    variants.append(copy.deepcopy(source))
                variants[-1].name = f"{source.name}_{len(variants)}"
            found = [one for one in self.failures(variants) if one.what == failure.what]
            if found:
                best = min(found, key=lambda one: len(one.source.device_text()))
                best.source.name = source.name
                return best
        return None


@contextlib.contextmanager
def changed(change):
    """The tree with a change in it."""
    node, kids = change
    before, node.kids = node.kids, kids
    yield
    node.kids = before
