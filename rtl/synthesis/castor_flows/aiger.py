"""Reads circuits in the binary AIGER format from Yosys' write_aiger, and writes AIGER files for ABC.

A literal is 2 * variable, plus 1 if inverted. Literal 0 is false and literal 1 is true. Variables are numbered from 1:
inputs first, then latches, then AND gates.
"""

from pathlib import Path

from .errors import WrongRequest


class Circuit:
    """A circuit from an AIGER file of Yosys, with its map of names. Raises WrongRequest if a file cannot be read."""

    def __init__(self, path, names):
        try:
            self._read(Path(path).read_bytes())
            text = Path(names).read_text()
            self.inputs_by_name, self.latches_by_name, self.outputs_by_name = _read_map(text)
            self._arbitrary = {
                (words[3], int(words[2])) for words in map(str.split, text.splitlines()) if words[:1] == ["init"]
            }
        except (OSError, ValueError, IndexError):
            raise WrongRequest(f"cannot read the AIGER file '{path}'") from None

    def _read(self, data):
        end = data.index(b"\n")
        numbers = [int(word) for word in data[:end].split()[1:]]
        self.variables, self.inputs, latches, outputs, self.gates = numbers[:5]
        bads, constraints = (numbers[5:7] + [0, 0])[:2]
        lines = []
        at = end + 1
        for _ in range(latches + outputs + bads + constraints):
            end = data.index(b"\n", at)
            lines.append(data[at:end])
            at = end + 1
        self.latch_lines = lines[:latches]
        self.outputs = [int(line) for line in lines[latches : latches + outputs]]
        self.constraints = [int(line) for line in lines[latches + outputs + bads :]]
        self._begin = at
        self._data = data
        self._known = None  # (gates, next values of latches), set by the first call of _parsed

    def values_of(self, names):
        """Returns {(name, bit): literal} of the outputs with these names."""
        return {key: self.outputs[number] for key, number in self.outputs_by_name.items() if key[0] in names}

    def hide(self, names):
        """Removes the outputs with these names."""
        gone = {number for key, number in self.outputs_by_name.items() if key[0] in names}
        self.outputs = [literal for number, literal in enumerate(self.outputs) if number not in gone]

    def gate_bytes(self):
        """Returns the bytes of the file that encode the gates."""
        at, left = self._begin, 2 * self.gates
        while left:
            left -= self._data[at] < 128
            at += 1
        return self._data[self._begin : at]

    def gate_inputs(self):
        """Returns [(literal, literal)], the two inputs of each gate, in the order of the gates."""
        data, at, result = self._data, self._begin, []
        first = self.inputs + len(self.latch_lines) + 1
        for variable in range(first, first + self.gates):
            pair = []
            for _ in range(2):
                shift = delta = 0
                while True:
                    byte = data[at]
                    at += 1
                    delta |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                pair.append(delta)
            high = 2 * variable - pair[0]
            result.append((high, high - pair[1]))
        return result

    def latch_nexts(self):
        """Returns the literal of each latch's next value. All latches have the initial value 0."""
        return [int(line.split()[0]) for line in self.latch_lines]

    def support(self, literals, history=False):
        """Returns the numbers of the latches on which the literals depend in the same cycle; with `history`, also of
        latches on which they depend through earlier cycles."""
        gates, nexts = self._parsed()
        first = 1 + self.inputs
        found, seen, todo = set(), set(), [literal >> 1 for literal in literals]
        while todo:
            variable = todo.pop()
            if variable < first or variable in seen:
                continue
            seen.add(variable)
            latch = variable - first
            if latch >= len(nexts):
                todo += [literal >> 1 for literal in gates[latch - len(nexts)]]
                continue
            found.add(latch)
            if history:
                todo.append(nexts[latch] >> 1)
        return found

    def before_registers(self, value, enable):
        """Returns (literal, literal, cycles) for the outputs `value` and `enable` of a property.

        Yosys usually drives each of these outputs by a register. If both outputs are registers, the literals are the
        next values of the registers, which precede the outputs by 1 cycle, and `cycles` is 1. Otherwise the literals
        are the outputs themselves and `cycles` is 0.

        A search for a cycle in which both are true gives the same answer for both, because the register of `enable`
        begins at 0. Proofs are easier with next values: the property is then a function of the current state.
        """
        if {value, enable} <= self.latches_by_name.keys() and enable not in self._arbitrary:
            nexts = self._parsed()[1]
            return nexts[self.latches_by_name[value]], nexts[self.latches_by_name[enable]], 1
        # Yosys writes no enable for a process without a condition.
        at = self.outputs_by_name.get(enable)
        return self.outputs[self.outputs_by_name[value]], 1 if at is None else self.outputs[at], 0

    def history_before(self, literals):
        """Returns the numbers of the latches on which the literals depend through earlier cycles."""
        nexts = self._parsed()[1]
        return self.support([nexts[latch] for latch in self.support(literals)], history=True)

    def _parsed(self):
        if self._known is None:
            self._known = self.gate_inputs(), self.latch_nexts()
        return self._known


def _read_map(text):
    """Returns {(name, bit): number} for inputs, for latches that are not stored inverted, and for outputs."""
    inputs, latches, outputs = {}, {}, {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["input"]:
            inputs[words[3], int(words[2])] = int(words[1])
        elif words[:1] == ["latch"]:
            latches[words[3], int(words[2])] = int(words[1])
        elif words[:1] == ["output"]:
            outputs[words[3], int(words[2])] = int(words[1])
    return inputs, latches, outputs


class Invariants:
    """Proven properties of a block, as invariants for the comparison of its mutants with the RTL.

    `circuit` is the block with its properties, with all latches initially 0. `outputs` has a pair of its output
    literals for each property: the condition, and whether the condition is checked. Both are taken in front of the
    register that Yosys inserts. A property is used only if it is a function of inputs and latches that `block`, the
    circuit of the mutants, has too; properties with registers of their own are left out.

    The properties are evaluated with rst_ni = 1. A property that is checked only out of reset holds in every state
    after a reset and for all values of the other inputs, also if the next reset comes in that cycle. Memories are
    arbitrary before and after the first reset, so the effect of that reset on them needs no treatment.
    """

    def __init__(self, circuit, outputs, block, nets):
        """`nets`: {(name, bit): literal} of further signals in the circuit `block`."""
        self._gates = circuit.gate_inputs()
        self._first = circuit.inputs + len(circuit.latch_lines) + 1
        # Variable of `circuit` -> literal of `block`.
        self._leaves = {0: 0}
        for name, number in circuit.inputs_by_name.items():
            if name in block.inputs_by_name:
                self._leaves[1 + number] = 2 * (1 + block.inputs_by_name[name])
        for name, number in circuit.latches_by_name.items():
            if name in nets:
                self._leaves[1 + circuit.inputs + number] = nets[name]
            elif name in block.latches_by_name:
                self._leaves[1 + circuit.inputs + number] = 2 * (1 + block.inputs + block.latches_by_name[name])
        if ("rst_ni", 0) in circuit.inputs_by_name:
            self._leaves[1 + circuit.inputs_by_name["rst_ni", 0]] = 1
        nexts = circuit.latch_nexts()

        def before(literal):
            latch = (literal >> 1) - 1 - circuit.inputs
            return (
                nexts[latch] ^ (literal & 1)
                if 0 <= latch < len(nexts) and literal >> 1 not in self._leaves
                else literal
            )

        pairs = [(before(condition), before(checked)) for condition, checked in outputs]
        self._pairs = [pair for pair in pairs if self._cone(pair) is not None]
        self._order = sorted(set().union(*(self._cone(pair) for pair in self._pairs))) if self._pairs else []

    def __len__(self):
        return len(self._pairs)

    def _cone(self, literals):
        """Returns the gates that the literals depend on; None if they depend on a variable that the circuit of the
        mutants does not have."""
        found, todo = set(), [literal >> 1 for literal in literals]
        while todo:
            variable = todo.pop()
            if variable in found or variable in self._leaves:
                continue
            if variable < self._first:
                return None
            found.add(variable)
            todo += [literal >> 1 for literal in self._gates[variable - self._first]]
        return found

    def broken(self, net, values):
        """Builds gates in `net` and returns for each property the literal that is true if the property is violated.
        `values` are the literals of the variables of the mutants' circuit."""
        known = {here: _value(values, there) for here, there in self._leaves.items()}
        for variable in self._order:
            one, two = self._gates[variable - self._first]
            known[variable] = net.gate(known[one >> 1] ^ (one & 1), known[two >> 1] ^ (two & 1))
        return [
            net.gate(known[condition >> 1] ^ (condition & 1) ^ 1, known[checked >> 1] ^ (checked & 1))
            for condition, checked in self._pairs
        ]


def _packed(number):
    result = bytearray()
    while number >= 128:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def _gate(variable, one, other):
    high, low = max(one, other), min(one, other)
    return _packed(2 * variable - high) + _packed(high - low)


def write_property(path, circuit, bad, assumed):
    """Writes the circuit as an AIGER file with one bad-state property, `bad`.

    `bad` and each element of `assumed` are pairs of literals; a state is bad if both literals are true. The negations
    of `assumed` become constraints, in addition to the constraints of the circuit.
    """
    variables, extra, literals = circuit.variables, b"", []
    for one, other in [bad, *assumed]:
        variables += 1
        extra += _gate(variables, one, other)
        literals.append(2 * variables)
    constraints = circuit.constraints + [literal ^ 1 for literal in literals[1:]]
    header = [
        variables,
        circuit.inputs,
        len(circuit.latch_lines),
        0,
        circuit.gates + len(literals),
        1,
        len(constraints),
    ]
    lines = [b"aig " + " ".join(map(str, header)).encode(), *circuit.latch_lines]
    lines += [str(literal).encode() for literal in [literals[0], *constraints]]
    Path(path).write_bytes(b"\n".join(lines) + b"\n" + circuit.gate_bytes() + extra)


class Pair:
    """Two copies of a circuit that differ in constant values of some inputs, for an equivalence check. The copies share
    all other inputs.

    Gates that are structurally equal in both copies are written once. A latch has two copies only if its next values
    differ.
    """

    def __init__(self, circuit):
        self._circuit = circuit
        self._gates = circuit.gate_inputs()
        self._nexts = circuit.latch_nexts()
        self._begin = [0] * len(self._nexts)

    def reset(self, cycles):
        """Sets the initial state of both copies: the state after `cycles` cycles with all inputs 0, from all latches
        0."""
        for _ in range(cycles):
            values = [0] * (1 + self._circuit.inputs) + self._begin
            for one, two in self._gates:
                values.append((values[one >> 1] ^ (one & 1)) & (values[two >> 1] ^ (two & 1)))
            self._begin = [_value(values, literal) for literal in self._nexts]

    def write(self, path, gold, gate, combinational, invariants=None, zero=()):
        """Writes the comparison as an AIGER file whose only output says that the copies differ. Returns False, and
        writes nothing, if the copies are structurally equal.

        `gold`, `gate`: {number of an input: 0 or 1}, the constant inputs of each copy. `combinational`: latches are
        inputs of the comparison and their next values are compared like outputs, so equality is proven for every state
        in which the `invariants` hold and the latches with the numbers `zero` are 0. Otherwise both copies start in the
        state that reset() has set.
        """
        circuit = self._circuit
        latches = len(circuit.latch_lines)
        separate = set()
        while True:
            net = _Net(circuit.inputs + latches + len(separate))
            own = {latch: circuit.inputs + latches + at for at, latch in enumerate(sorted(separate))}
            # A latch with the initial value 1 is stored inverted.
            state = [2 * (1 + circuit.inputs + at) ^ self._begin[at] for at in range(latches)]
            other = [2 * (1 + own.get(at, circuit.inputs + at)) ^ self._begin[at] for at in range(latches)]
            shared = [2 * (1 + at) for at in range(circuit.inputs)]
            for at in zero if combinational else ():
                state[at] = other[at] = 0
            values = net.copy(self._gates, [gold.get(at, literal) for at, literal in enumerate(shared)] + state)
            broken = invariants.broken(net, values) if invariants else []
            # A property that only states the value of one latch or input makes that latch or input a constant.
            fixed = {literal & ~1: literal & 1 for literal in broken if 1 < literal < 2 * (net.inputs + 1)}
            if fixed:

                def constant(literals, known=fixed):
                    return [
                        known[literal & ~1] ^ (literal & 1) if literal & ~1 in known else literal
                        for literal in literals
                    ]

                shared, state, other = constant(shared), constant(state), constant(other)
                values = net.copy(self._gates, [gold.get(at, literal) for at, literal in enumerate(shared)] + state)
            others = net.copy(self._gates, [gate.get(at, literal) for at, literal in enumerate(shared)] + other)
            nexts = [(_value(values, literal), _value(others, literal)) for literal in self._nexts]
            more = {at for at, (one, two) in enumerate(nexts) if one != two} - separate
            if combinational or not more:
                break
            separate |= more
        pairs = [(_value(values, literal), _value(others, literal)) for literal in circuit.outputs]
        if combinational:
            pairs += nexts
        different = 0
        for one, two in dict.fromkeys(pairs):
            if one != two:
                different = net.either(different, net.differ(one, two))
        for literal in broken:
            different = net.gate(different, literal ^ 1)
        if different == 0:
            return False
        feedback = []
        if not combinational:
            feedback = [one ^ begin for (one, _), begin in zip(nexts, self._begin)]
            feedback += [nexts[latch][1] ^ self._begin[latch] for latch in sorted(separate)]
        net.write(path, different, feedback)
        return True

    def write_growth(self, path, gold, words):
        """Writes an AIGER file for each of the words, one after another, and yields after each. A word is a list of the
        numbers of its latches, lowest bit first. The only output of a file is true if the word is above M + 1 after a
        cycle, from any state in which none of the words is above M, for any M."""
        inputs = self._circuit.inputs
        leaves = inputs + len(self._nexts)
        net = _Net(leaves + max(map(len, words)))
        shared = [2 * (1 + at) for at in range(net.inputs)]
        most = shared[leaves:]
        values = net.copy(self._gates, [gold.get(at, literal) for at, literal in enumerate(shared[:leaves])])
        limit, carry, bounded = [], 1, 1
        for literal in most:
            limit.append(net.differ(literal, carry))
            carry = net.gate(literal, carry)
        for word in words:
            bounded = net.gate(bounded, net.above([shared[inputs + latch] for latch in word], most) ^ 1)
        for word in words:
            then = [_value(values, self._nexts[latch]) for latch in word]
            net.write(path, net.gate(net.above(then, [*limit, carry]), bounded), [])
            yield


def _value(values, literal):
    return values[literal >> 1] ^ (literal & 1)


class _Net:
    """A network of AND gates over a number of inputs, in which equal gates exist once. `write` can turn the last inputs
    into latches."""

    def __init__(self, inputs):
        self.inputs = inputs
        self.gates = []
        self._known = {}

    def gate(self, one, two):
        """Returns the literal of `one` AND `two`; adds a gate only if no equal gate exists."""
        if one > two:
            one, two = two, one
        if one == 0 or one ^ two == 1:
            return 0
        if one in (1, two):
            return two
        found = self._known.get((one, two))
        if found is None:
            self.gates.append((one, two))
            found = self._known[one, two] = 2 * (self.inputs + len(self.gates))
        return found

    def either(self, one, two):
        """Returns the literal of `one` OR `two`."""
        return self.gate(one ^ 1, two ^ 1) ^ 1

    def differ(self, one, two):
        """Returns the literal of `one` XOR `two`."""
        return self.either(self.gate(one, two ^ 1), self.gate(one ^ 1, two))

    def above(self, one, two):
        """Returns the literal of `one` > `two`, two numbers as lists of literals, lowest bit first. `two` must not have
        fewer bits."""
        above = 0
        for at, literal in enumerate(two):
            other = one[at] if at < len(one) else 0
            differs = self.differ(other, literal)
            above = self.either(self.gate(differs, other), self.gate(differs ^ 1, above))
        return above

    def copy(self, gates, leaves):
        """Copies the gates of a circuit into the network. Returns the literals of all variables of that circuit;
        `leaves` are the literals of its inputs and latches."""
        values = [0, *leaves]
        for one, two in gates:
            values.append(self.gate(values[one >> 1] ^ (one & 1), values[two >> 1] ^ (two & 1)))
        return values

    def write(self, path, output, feedback):
        """Writes an AIGER file. The last inputs become latches whose next values are the literals `feedback`."""
        inputs = self.inputs - len(feedback)
        lines = [
            f"aig {self.inputs + len(self.gates)} {inputs} {len(feedback)} 1 {len(self.gates)}",
            *map(str, feedback),
            str(output),
        ]
        body = b"".join(_gate(self.inputs + 1 + at, *pair) for at, pair in enumerate(self.gates))
        Path(path).write_bytes("\n".join(lines).encode() + b"\n" + body)
