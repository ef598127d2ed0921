"""Proof strategy: the order in which the engines are applied to the properties of a block."""

from concurrent.futures import ThreadPoolExecutor

from .engines import bounded, induction, k_induction, pdr, prepare_aiger, prepare_smt, trace
from .properties import FAILED, PROVEN, REFUTED, UNKNOWN

#: Engines in the order of their first use.
ENGINES = ("pdr", "k-induction", "bmc")
#: Fractions of the time limit that PDR gets in its rounds. Properties proven early can make others inductive; those
#: then need no PDR.
_TURNS = (0.1, 0.3, 1)


def decide(chosen, properties, work, options, progress, done):
    """Decides every property of `chosen`, and calls `done` with each property when it is decided.

    The order is:
    1. k-induction by z3, for properties that it proved when they were recorded;
    2. the modules inside the block, each alone (decide_parts);
    3. PDR on the whole block, in rounds of increasing time. After each round: induction that assumes proven properties,
       repeated while it proves something. After the first round also: a bounded search for covers;
    4. PDR that assumes proven properties: first only those without further registers ("near"), then all ("given");
    5. k-induction by z3 that assumes proven properties;
    6. bounded model checking of the remaining assertions.
    """
    engines = options.engine or ENGINES
    expected = [one for one in chosen if one.expected == "k-induction" and not one.part]
    if expected and "k-induction" in engines:
        prepare_smt(expected, properties, work, [])
        _each(expected, options, progress, done, lambda one: k_induction(one, work, options.seconds, []))
    inside = [one for one in chosen if one.part]
    if inside:
        decide_parts(inside, properties, work / "parts", options, progress, engines, done)
    todo = [one for one in chosen if one.result == UNKNOWN]

    def induction_while_it_proves(todo):
        while "k-induction" in engines:
            proven = [one for one in chosen if one.result == PROVEN]
            asserts = [one for one in todo if not one.cover]
            prepare_aiger(asserts, properties, work, proven, "given")
            left = _each(asserts, options, progress, done, lambda one: induction(one, work, options.seconds, "given"))
            if len(left) == len(asserts):
                break
            todo = [one for one in todo if one.result == UNKNOWN]
        return todo

    prepare_aiger(todo, properties, work, [], "alone")
    for share in _TURNS:
        if "pdr" in engines:
            seconds = max(1, options.seconds * share)
            for one in todo:
                one.given = []
            todo = _each(todo, options, progress, done, lambda one, limit=seconds: pdr(one, work, limit, "alone"))
        todo = induction_while_it_proves(todo)
        if "bmc" in engines and share == _TURNS[0]:
            covers = [one for one in todo if one.cover]
            _each(covers, options, progress, done, lambda one: bounded(one, work, options.seconds))
            todo = [one for one in todo if one.result == UNKNOWN]
    if "pdr" in engines:
        for tag in ("near", "given"):
            proven = [one for one in chosen if one.result == PROVEN]
            now = [one for one in todo if proven and not one.cover]
            prepare_aiger(now, properties, work, proven, tag)
            _each(now, options, progress, done, lambda one, tag=tag: pdr(one, work, options.seconds, tag))
            todo = induction_while_it_proves([one for one in todo if one.result == UNKNOWN])
    if "k-induction" in engines:
        proven = [one for one in chosen if one.result == PROVEN]
        prepare_smt([one for one in todo if not one.cover], properties, work, proven)
        todo = _each(todo, options, progress, done, lambda one: k_induction(one, work, options.seconds, proven))
    if "bmc" in engines:
        asserts = [one for one in todo if not one.cover]
        _each(asserts, options, progress, done, lambda one: bounded(one, work, options.seconds))
    for one in todo:
        if one.result != UNKNOWN:
            continue
        if one.refuted:
            one.result, one.engine, one.depth = REFUTED, *one.refuted[1:]
            trace(one, work / "parts", one.part)
        done(one)


def decide_parts(inside, properties, work, options, progress, engines, done):
    """Proves properties of modules inside the block, each module alone with unconstrained inputs. A counterexample need
    not be possible in the block, so it is stored in `refuted` and used only if nothing else decides the property."""

    def only_proofs(engine):
        def run_one(one):
            engine(one)
            if one.result == PROVEN or (one.cover and one.result != UNKNOWN):
                one.alone = one.part.module
            else:
                if one.result == FAILED:
                    one.refuted = (one.part.module, one.engine, one.depth)
                one.result, one.engine, one.depth, one.trace = UNKNOWN, "", None, ""

        return run_one

    parts = list(dict.fromkeys(one.part for one in inside))
    todo = inside
    for part in parts:
        prepare_aiger([one for one in inside if one.part is part], properties, work, [], "alone", part)

    def turn(engine, wanted=lambda one: True):
        chosen = [one for one in todo if wanted(one)]
        _each(chosen, options, progress, done, only_proofs(engine))
        return [one for one in todo if one.result == UNKNOWN and not one.refuted]

    def inductive(tag):
        return turn(lambda one: induction(one, work, options.seconds, tag), lambda one: not one.cover)

    def search(seconds):
        return turn(lambda one: pdr(one, work, seconds, "alone", traced=False))

    if "k-induction" in engines:
        todo = inductive("alone")
    if "pdr" in engines:
        todo = search(max(1, options.seconds * _TURNS[0]))
    if "k-induction" in engines:
        for part in parts:
            mine = [one for one in todo if one.part is part and not one.cover]
            proven = [one for one in inside if one.part is part and one.result == PROVEN]
            prepare_aiger(mine, properties, work, proven, "given", part)
        todo = inductive("given")
    if "bmc" in engines:
        todo = turn(lambda one: bounded(one, work, options.seconds), lambda one: one.cover)
    if "pdr" in engines:
        for one in todo:
            one.given = []
        todo = search(options.seconds)
    if "k-induction" in engines:
        for part in dict.fromkeys(one.part for one in todo if not one.cover):
            mine = [one for one in todo if one.part is part and not one.cover]
            proven = [one for one in inside if one.part is part and one.result == PROVEN]
            prepare_smt(mine, properties, work, proven, part)
            _each(
                mine,
                options,
                progress,
                done,
                only_proofs(lambda one, given=proven: k_induction(one, work, options.seconds, given)),
            )


def _each(todo, options, progress, done, engine):
    """Runs the engine on each property of `todo`, in parallel, and calls `done` with each that is decided. Returns the
    undecided properties, in order."""
    left = len(todo)

    def one_by_one(one):
        nonlocal left
        engine(one)
        left -= 1
        progress.say(f"{left} properties to go")
        return one

    progress.say(f"{left} properties to go")
    still = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(one_by_one, todo):
            if one.result == UNKNOWN:
                still.append(one)
            else:
                done(one)
    return still
