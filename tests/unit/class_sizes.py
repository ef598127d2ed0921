#!/usr/bin/env python3
"""Limits the size of classes: member functions and data members of every class in the headers of the models, the
platforms and the software side (runtime, PTX parser, compiler, castor-cc, workloads), as clang reports them. Fails if a
class is above its limit.

    class_sizes.py <root of the tree> [--all]   checks it; --all lists every class, the largest first
    class_sizes.py --self-test                  checks that too large classes are found and all others are not

A class is counted by its own declarations. Member functions include constructors, operators and overrides, but no
defaulted or deleted functions. Data members do not include static ones. Inherited members and the members of nested
classes belong to the other class. In a record without functions, all members that one use of a macro declares count as
one: the ports of a block, its pins and its probes are a list that stands elsewhere.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

# Debian installs the module for its own Python only; other Pythons find it here.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from clang import cindex
except ImportError:
    sys.exit("class_sizes: needs python3-clang-14 (cmake/packages.txt)")

FOLDERS = ["models", "platforms", "sw/runtime", "sw/ptx", "sw/compiler", "sw/castor_cc", "sw/workloads"]
INCLUDES = [".", "models", "sw", "sw/device/include"]
EXAMPLES = "platforms/examples"  # each is a project with an include folder of its own
# As in a build with RTL and traces.
DEFINITIONS = ["VM_TRACE=1", "VM_TRACE_VCD=1"]

# Largest numbers of functions and data members of a class.
GENERAL = (40, 25)
# Classes with limits of their own: functions, data members, reason. A limit above the general one is the current size
# of the class and may only become smaller.
FIXED = "fixed: parts and their order are all it has"
OWN = {
    "castor::gpu::BasicSm": (42, 22, FIXED),
    "castor::gpu::BasicFrontEnd": (45, 22, FIXED),
    "castor::gpu::DramChannel": (24, 31, "first legal clocks of each kind of command, and eight statistics"),
    "castor::gpu::IssueStage": (30, 31, "six parts it asks, and what a tick found out about picks and commits"),
    "castor::gpu::MemoryOperation": (15, 35, "a record: all that an access carries through the LSU"),
    "castor::gpu::CopyPlan": (18, 29, "a record of the copy under way, and where its pieces stand"),
    "castor::gpu::Machine": (2, 44, "the keys of a machine file, a struct per section"),
    "castor::isa::Program": (1, 33, "a record: all that a machine and a listing need of a compiled kernel"),
    "castor::lax::State": (6, 77, "a record: the registers of the block, compared with the RTL as a whole"),
    "castor::darsie::State": (0, 29, "a record: the registers of the block, compared with the RTL as a whole"),
}

LIBRARIES = ["libclang-14.so.1", "/usr/lib/llvm-14/lib/libclang.so.1"]
KINDS = cindex.CursorKind
FUNCTIONS = {KINDS.CXX_METHOD, KINDS.CONSTRUCTOR, KINDS.DESTRUCTOR, KINDS.CONVERSION_FUNCTION, KINDS.FUNCTION_TEMPLATE}
CLASSES = {
    KINDS.CLASS_DECL,
    KINDS.STRUCT_DECL,
    KINDS.UNION_DECL,
    KINDS.CLASS_TEMPLATE,
    KINDS.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}


def load_library():
    """Makes cindex use libclang 14 from Debian's library path or LLVM's folder."""
    for library in LIBRARIES:
        cindex.Config.loaded = False
        cindex.Config.set_library_file(library)
        try:
            return cindex.Index.create()
        except cindex.LibclangError:
            continue
    sys.exit("class_sizes: no libclang 14; it comes with python3-clang-14 (cmake/packages.txt)")


def name_of(cursor):
    """Returns the name with namespaces and enclosing classes."""
    parts = []
    while cursor is not None and cursor.kind != KINDS.TRANSLATION_UNIT:
        parts.append(cursor.spelling)
        cursor = cursor.semantic_parent
    return "::".join(reversed(parts))


def counts(function):
    """Returns whether a member function is neither defaulted nor deleted."""
    return not function.is_default_method() and function.availability != cindex.AvailabilityKind.NOT_AVAILABLE


def measure(cursor, sizes):
    """Adds {name: (functions, data members)} of a class and of those inside it."""
    functions = members = 0
    places = set()  # positions of the members; members that one use of a macro declares share one
    for child in cursor.get_children():
        if child.kind in FUNCTIONS and counts(child):
            functions += 1
        elif child.kind == KINDS.FIELD_DECL:
            members += 1
            places.add((child.location.file.name, child.location.offset))
        elif child.kind in CLASSES and child.is_definition():
            inner = measure(child, sizes)
            if child.is_anonymous():  # members of an anonymous record count as the class's own
                members += inner[1]
                places.update((child.location.file.name, child.location.offset, i) for i in range(inner[1]))
    if functions == 0:
        members = len(places)
    if not cursor.is_anonymous():
        # An explicit instantiation has the name of its template and no members.
        known = sizes.get(name_of(cursor), (0, 0))
        sizes[name_of(cursor)] = (max(functions, known[0]), max(members, known[1]))
    return functions, members


def walk(cursor, folders, sizes):
    for child in cursor.get_children():
        if child.kind == KINDS.NAMESPACE:
            walk(child, folders, sizes)
        elif child.kind in CLASSES and child.is_definition():
            file = child.location.file
            if file is not None and any(pathlib.Path(file.name).is_relative_to(folder) for folder in folders):
                measure(child, sizes)


def verilator_includes():
    """Returns the folders of Verilator's headers, which the binding of a model to its RTL needs."""
    try:
        command = ["verilator", "--getenv", "VERILATOR_ROOT"]
        root = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"class_sizes: needs verilator (cmake/packages.txt): {error}")
    return [f"{root}/include", f"{root}/include/vltstd"]


def sizes_of(root):
    """Returns {name of class: (functions, data members)}. All headers are one unit, parsed without function bodies."""
    folders = [root / folder for folder in FOLDERS]
    headers = [path for folder in folders for path in sorted(folder.rglob("*.h"))]
    text = "".join(f'#include "{path}"\n' for path in headers)
    arguments = ["-std=c++17", "-fsyntax-only"] + [f"-D{definition}" for definition in DEFINITIONS]
    arguments += [f"-isystem{folder}" for folder in verilator_includes()]
    arguments += [f"-I{root / folder}" for folder in INCLUDES]
    arguments += [f"-I{folder}" for folder in sorted((root / EXAMPLES).glob("*"))]
    unit = load_library().parse(
        "all_headers.cpp",
        args=arguments,
        unsaved_files=[("all_headers.cpp", text)],
        options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    errors = [str(found) for found in unit.diagnostics if found.severity >= cindex.Diagnostic.Error]
    if errors:
        sys.exit("\n".join(errors) + "\nclass_sizes: headers that clang cannot read")
    sizes = {}
    walk(unit.cursor, folders, sizes)
    return sizes


def check(sizes, general, own):
    """Returns the errors: classes above their limit, and special limits that no class needs any more."""
    for name, size in sorted(sizes.items()):
        limit = own[name][:2] if name in own else general
        for has, most, usual, what in zip(size, limit, general, ("member functions", "data members")):
            if has > most:
                yield f"{name}: {has} {what}, at most {most}"
            elif name in own and own[name][2] != FIXED and has < most and most > usual:
                yield f"{name}: {has} {what}, so its limit of {most} can be {max(has, usual)}"
    for name in own:
        if name not in sizes:
            yield f"{name}: has a limit of its own, but is no class of these headers"


def self_test():
    text = """
#pragma once
namespace castor::gpu {
class Large {
 public:
  Large();
  explicit Large(int);
  Large(const Large&) = delete;
  Large& operator=(const Large&) = default;
  virtual ~Large();
  bool operator==(const Large&) const { return nothing_here_is_read(; }
  explicit operator bool() const;
  template <class T>
  void pass(T value);
  static int count();
  friend void stranger(Large&);
  struct Inner {
    int a, b;
    void f();
  };

 private:
  static int shared_;
  int one_, two_;
  union {
    int either_;
    float or_;
  };
  Inner inner_;
  enum class Kind { kA, kB } kind_;
};
template <class T>
struct Sheet : Large {
  T a, b;
  void g();
};
extern template struct Sheet<int>;
class Announced;
}
"""
    ports = """
#pragma once
#include "castor/gpu/large.h"
#define PORTS(X) X(a) X(b) X(c)
#define PORT(name) int name = 0;
namespace castor::block {
struct Pins {
  PORTS(PORT)
  int clock;
};
struct Filled {
  PORTS(PORT)
  void f();
};
}
"""
    # A room of the software side.
    compiler = """
#pragma once
namespace castor::compiler {
struct Lowering {
  void a(), b(), c(), d(), e(), f(), g(), h();
};
}
"""
    expected = {
        "castor::gpu::Large": (7, 6),
        "castor::gpu::Large::Inner": (1, 2),
        "castor::gpu::Sheet": (1, 2),
        "castor::block::Pins": (0, 2),
        "castor::block::Filled": (1, 3),
        "castor::compiler::Lowering": (8, 0),
    }
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        # Function bodies are not parsed: one body of Large would not compile.
        for path, content in (
            ("models/castor/gpu/large.h", text),
            ("models/castor/block/ports.h", ports),
            ("sw/compiler/lower.h", compiler),
        ):
            header = root / path
            header.parent.mkdir(parents=True)
            header.write_text(content)
        sizes = sizes_of(root)
        if sizes != expected:
            wrong.append(f"sizes: {sizes}, expected {expected}")
    large = "castor::gpu::Large"
    compiler_class = "castor::compiler::Lowering"
    lowering = {compiler_class: (8, 0, "")}
    for what, own, offences in (
        ("within the limits", {large: (7, 6, "")}, 0),
        ("one function too many", {large: (6, 6, "")}, 1),
        ("one member too many", {large: (7, 5, "")}, 1),
        ("both", {large: (1, 1, "")}, 2),
        ("above the general limit", {}, 2),
        ("a limit that is not needed", {large: (8, 6, "")}, 1),
        ("a limit that is fixed", {large: (8, 7, FIXED)}, 0),
        ("a class of the compiler", {large: (7, 6, ""), compiler_class: (7, 0, "")}, 1),
        ("a limit of no class", {large: (7, 6, ""), "castor::gpu::Gone": (1, 1, "")}, 1),
    ):
        found = list(check(expected, (6, 5), {**lowering, **own}))
        if len(found) != offences:
            wrong.append(f"{what}: {found}, expected {offences} offences")
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path, nargs="?")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.root is None:
        parser.error("the root of the tree is needed")
    sizes = sizes_of(options.root.resolve())
    if options.all:
        for name, (functions, members) in sorted(sizes.items(), key=lambda item: (-item[1][0], item[0])):
            print(f"{functions:4} {members:4}  {name}")
    offences = list(check(sizes, GENERAL, OWN))
    print("\n".join(offences))
    print(f"{len(sizes)} classes, {len(offences)} offences")
    return 0 if sizes and not offences else 1


if __name__ == "__main__":
    sys.exit(main())
