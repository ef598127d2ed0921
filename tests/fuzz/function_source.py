"""The text of a random function: its kernel, its run on the host, and programs of several functions."""

import random
import re

from function_parts import Record


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
