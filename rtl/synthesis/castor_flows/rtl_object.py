"""rtl-object: builds the RTL of a block at given parameter values as a shared object that programs of Castor load.

Verilator translates the RTL to C++, and the C++ compiler builds rtl.so from it and from castor/twin/rtl.h. The file is
kept in a cache, <cache>/rtl/<block>-<key>/rtl.so. The key is a digest of all inputs of the build. See
docs/decisions/rtl-objects.md.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from . import enumerated, installation, parameters, ports, tools, tree
from .errors import WrongRequest

#: Part of every key. It must be incremented when the build result changes although no input of the key changes.
_RECIPE = 1

_VERILATE = (
    "--cc",
    "--prefix",
    "Vrtl",
    "-O3",
    "--assert",
    "--unroll-count",
    "256",
    "--output-split",
    "0",
    # Limits the length of functions, because the optimiser's time grows faster than the length.
    "--output-split-cfuncs",
    "2000",
    "--timescale-override",
    "1ps/1ps",
    "-Wno-fatal",
    # An error of this type is a port whose width differs from the C++ port list (ports.py).
    "-Werror-USERFATAL",
)

# Registers have random initial values. With toggle coverage they are initially 0, because a register that starts as 1
# and is then always 0 must not count as toggled.
_START = ("--x-assign", "unique", "--x-initial", "unique")
_START_COUNTED = ("--x-assign", "0", "--x-initial", "0")

#: Keeps only the assumptions of the bound properties (rtl/common/castor_assert.svh).
ASSUMPTIONS = "-DCASTOR_ASSUMPTIONS"

# Netlists and patched RTL are not linted.
_NO_LINT = ("-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT")

_COMPILE = (
    "-std=c++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-ffp-contract=off",
    "-DNDEBUG",
    "-w",
    "-DVM_COVERAGE=1",
    "-DVM_SC=0",
    "-DVM_TRACE_FST=0",
    "-DVM_TRACE_VCD=1",
)

#: Compiler option for an object that can write waves.
_TRACED = "-DVM_TRACE=1"

#: Compiler options of the program that lists a block's ports.
_LIST = ("-std=c++17", "-O0", "-w")

#: Sources of Verilator's runtime library.
_RUNTIME = ("verilated.cpp", "verilated_cov.cpp", "verilated_threads.cpp", "verilated_vcd_c.cpp")


def add_arguments(parser):
    parser.add_argument("manifest", help="block.json of the block")
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="every parameter of the block")
    parser.add_argument("--coverage", action="store_true", help="count executed lines and toggled bits")
    parser.add_argument(
        "--waves", action="store_true", help="build it with waves of internal signals; takes longer to build"
    )
    parser.add_argument(
        "--source", metavar="FILE", help="Verilog with the top castor_<block> at these values, in place of the RTL"
    )
    parser.add_argument(
        "--unoptimized", action="store_true", help="compile the verilated code without optimisation: for netlists"
    )
    parser.add_argument("--prefix", metavar="DIR", help="installation or build tree of Castor")


def run(options, progress):
    """Runs the command: prints the path of the shared object. Returns the exit code."""
    values = {}
    for word in options.values:
        match = re.fullmatch(r"([A-Za-z]\w*)=(\d+)", word)
        if match is None:
            raise WrongRequest(f"'{word}' is not of the form NAME=VALUE")
        values[match.group(1)] = int(match.group(2))
    block = tree.read_manifest(Path(options.manifest))
    path = build(
        block,
        values,
        installation.find(options.prefix),
        coverage=options.coverage,
        waves=options.waves,
        source=Path(options.source).resolve() if options.source else None,
        unoptimized=options.unoptimized,
        jobs=options.jobs,
    )
    progress.line(str(path))
    return 0


class Toolchain:
    """Verilator and the C++ compiler of a build. The constructor raises WrongRequest if one of them is missing."""

    def __init__(self, manifest):
        tools.need("verilator")
        chosen = shlex.split(os.environ.get("CXX", ""))
        if not chosen:
            theirs = manifest.get("compiler", "")
            chosen = [theirs if theirs and shutil.which(theirs) else "g++"]
        tools.need(chosen[0])
        self.compiler = chosen
        wraps = any(Path(word).name == "ccache" for word in chosen)
        self.launcher = [] if wraps or shutil.which("ccache") is None else ["ccache"]
        self.versions = [_says(["verilator", "--version"]), _says([*chosen, "--version"])]

    def verilator_include(self):
        return Path(_says(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"

    def compile(self, source, output, options, folder):
        """Compiles a source to an object file in `folder`. Paths are relative to `folder`, so that ccache can reuse
        results. Raises StepFailed."""
        return _step([*self.launcher, *self.compiler, *_COMPILE, *options, "-c", source, "-o", output], folder)


def _says(command):
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=tools.HANG_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        raise WrongRequest(f"'{' '.join(command)}' does not work") from None
    return done.stdout


class StepFailed(Exception):
    """A tool failed. The message is the command and its output."""


def _step(command, folder):
    """Runs a tool and returns its output. Raises StepFailed if it fails."""
    log = Path(folder) / f"{Path(str(command[-1])).name}.log"
    result = tools.run(command, log, cwd=folder)
    if result.code != 0:
        raise StepFailed(f"{shlex.join(map(str, command))}\n{result.output}")
    return result.output


# --- the cache --------------------------------------------------------------------------------------------------------


def cache_folder():
    """Returns the folder rtl/ in the cache: in CASTOR_CACHE, else in the user's cache folder. Raises WrongRequest if it
    is not writable."""
    told = os.environ.get("CASTOR_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(told or os.path.join(home, "castor"))
    try:
        (folder / "rtl").mkdir(parents=True, exist_ok=True)
        if not os.access(folder / "rtl", os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise WrongRequest(
            f"RTL is built into a cache, and '{folder}' cannot be written: {error.strerror}",
            "environment variable CASTOR_CACHE names another folder",
        ) from None
    return (folder / "rtl").resolve()


@contextmanager
def _building(final):
    """Context manager that yields an empty folder to build in and renames it to `final` at the end. Yields None if
    another process has made `final` in the meantime.

    The folder <final>.part is a lock that admits one builder at a time. Build folders lie in it under unique names; the
    next builder removes those of killed builders.
    """
    part = final.with_name(final.name + ".part")
    while True:
        part.mkdir(exist_ok=True)
        try:
            lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if os.stat(part).st_ino == os.fstat(lock).st_ino:
                break
        except FileNotFoundError:
            pass
        os.close(lock)
    try:
        if final.exists():
            yield None
        else:
            for old in part.iterdir():
                shutil.rmtree(old, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(dir=part))
            yield folder
            folder.chmod(0o755)
            folder.rename(final)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        os.close(lock)


# --- building ---------------------------------------------------------------------------------------------------------


def build(
    block, values, home, coverage=False, waves=False, source=None, patched=None, code=None, unoptimized=False, jobs=None
):
    """Builds the shared object unless the cache has it. Returns its path.

    `block`: a tree.Block with a manifest; `values`: the values of all its parameters; `home`: the
    installation.Installation; `waves`: the object can write waves of internal signals; `source`: Verilog file that
    replaces the RTL, whose top module has the block's ports and no probes; `patched`: source files that replace the
    block's own; `code`: a further C++ file.
    An object of the block's own RTL without coverage counters checks the assumptions of the properties.
    Raises WrongRequest after printing the output of a tool that failed.
    """
    manifest = block.manifest
    toolchain = Toolchain(manifest)
    headers = [*manifest["include"], home.include]
    skip = block.bench / "skip.h"
    skip = None if source or not skip.exists() else skip
    sources = [source] if source else patched or block.verilated
    checked = not (source or patched or coverage) and block.checks_assumptions(values)
    checks = block.with_assumptions if checked else []
    parts = [
        _RECIPE,
        home.abi,
        home.options,
        toolchain.versions,
        toolchain.compiler,
        _VERILATE,
        _START_COUNTED if coverage else _START,
        _NO_LINT,
        _COMPILE,
        _TRACED,
        coverage,
        waves,
        # Coverage data contain the names of the source files.
        list(map(str, sources)) if coverage else [],
        bool(source),
        len(checks),
        unoptimized,
        manifest["type"],
        manifest["ports"],
        sorted(values.items()),
    ]
    files = [
        *sources,
        *([] if source else [block.probe_top]),
        *checks,
        *_headers([manifest["ports"], *([str(skip)] if skip else [])], headers),
        _beside("rtl_object.cpp.in"),
        _beside("port_list.cpp.in"),
        _beside("ports.py"),
    ]
    files += sorted(path for folder in (() if source else block.includes) for path in folder.glob("*.svh"))
    files += [code] if code else []
    digest = hashlib.sha256(json.dumps(parts).encode())
    for path in files:
        digest.update(hashlib.sha256(_bytes(path)).digest())
    final = cache_folder() / f"{block.name}-{digest.hexdigest()[:20]}"
    if (final / "rtl.so").exists():
        return final / "rtl.so"

    what = source.name if source else "patched RTL" if patched else "RTL"
    at = ", ".join(f"{name} {value}" for name, value in values.items())
    with _building(final) as folder:
        if folder is not None:
            more = (", with counters" if coverage else "") + (", with waves" if waves else "")
            _say(f"building {what} of {block.name} at {at}{more} (once; into {final})")
            began = time.monotonic()
            try:
                _make(
                    block,
                    values,
                    home,
                    toolchain,
                    folder,
                    sources,
                    checks,
                    skip,
                    headers,
                    coverage,
                    waves,
                    source,
                    patched is not None,
                    code,
                    unoptimized,
                    jobs or tools.cores(),
                )
            except StepFailed as failure:
                _refuse_full_disk(str(failure), final)
                print(failure, file=sys.stderr)
                raise WrongRequest(
                    f"{what} of {block.name} cannot be built at {at}", "the tool's own message stands above"
                ) from None
            _say(f"built {what} of {block.name} in {time.monotonic() - began:.1f} s")
    return final / "rtl.so"


def _refuse_full_disk(said, final):
    """Raises WrongRequest if the output `said` of a tool shows that it failed because it could not write a file."""
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        if os.strerror(number) in said:
            raise WrongRequest(
                f"cannot write '{final}': {os.strerror(number)}",
                "environment variable CASTOR_CACHE names another folder, TMPDIR one for temporary files",
            )


def _say(text):
    print(f"castor: {text}", file=sys.stderr, flush=True)


def _make(
    block,
    values,
    home,
    toolchain,
    folder,
    sources,
    checks,
    skip,
    headers,
    coverage,
    waves,
    source,
    patched,
    code,
    unoptimized,
    jobs,
):
    """Builds rtl.so in `folder`. The folder then also has rtl.json, which describes the object, and the completed probe
    top and properties."""
    work = folder / "work"
    work.mkdir()
    names = tools.Names(work)
    includes = [f"-I{names(path)}" for path in block.includes]
    top = block.top if source else f"{block.top}_probe"
    given = [] if source else [f"-G{name}={value}" for name, value in values.items()]
    more = [
        *(_NO_LINT if source or patched else ()),
        *(["--coverage", *_START_COUNTED] if coverage else _START),
        *(["--trace"] if waves else []),
        *([ASSUMPTIONS] if checks else []),
    ]
    bench = [] if source else complete_bench(block, values, folder, checks, home, names)
    design = ["--top-module", top, *given, *more, *includes, *map(names, [*sources, *bench])]
    include = toolchain.verilator_include()
    system = ["-I.", "-isystem", include, "-isystem", include / "vltstd"]
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        archive = pool.submit(_runtime, toolchain, home, include, jobs)
        said = _verilate([*_VERILATE, "--Mdir", ".", *design], work, names)
        meanings = enumerated.signals(_xml(design, work, names)) if waves and not source else {}
        # Defaults of parameters are checked for the block's own RTL only, not for mutants and netlists.
        defaults = {} if source or patched else parameters.of_module(block, work)
        if said.strip():
            print(said.rstrip(), file=sys.stderr)
        written = sorted(path.name for path in work.glob("*.cpp"))
        (work / "all.cpp").write_text("".join(f'#include "{name}"\n' for name in written))
        (work / "unit.cpp").write_text(_unit(block, values, skip, meanings, defaults))
        traced = [_TRACED] if waves else ["-DVM_TRACE=0"]
        # -O1: -O2 and -O3 take longer and make verilated code no faster; -O0 makes it a hundred times slower.
        units = [
            ("all.cpp", [*home.options, *traced, "-O0" if unoptimized else "-O1", *system]),
            ("unit.cpp", [*home.options, *traced, "-O1", *system, *(f"-I{path}" for path in headers)]),
        ]
        if code:
            shutil.copy(code, work / "code.cpp")
            units.append(("code.cpp", [*home.options, "-O2"]))
        # The RTL's sources are compiled beside Verilator's runtime, which is compiled only once for all blocks.
        objects = [pool.submit(toolchain.compile, name, f"{name}.o", options, work) for name, options in units]
        for one in objects:
            one.result()
        runtime = archive.result()
    libraries = [
        *(path for path in block.libraries if path.exists()),
        home.library("castor_twin"),
        home.library("castor_base"),
    ]
    linking = [*toolchain.compiler, "-shared", "-pthread", *home.options, "-Wl,--version-script=" + str(home.exports)]
    if not home.options:
        linking.append("-Wl,--no-undefined")
    _step(
        [
            *linking,
            *(f"{name}.o" for name, _ in units),
            "-Wl,--start-group",
            *libraries,
            runtime,
            "-Wl,--end-group",
            "-ldl",
            "-o",
            "rtl.so",
        ],
        work,
    )
    (work / "rtl.so").rename(folder / "rtl.so")
    shutil.rmtree(work)
    (folder / "rtl.json").write_text(
        json.dumps(
            {
                "block": block.name,
                "values": values,
                "sources": list(map(str, sources)),
                "links": names.links,
                "properties": list(map(str, checks)),
                "coverage": coverage,
                "waves": waves,
                "abi": home.abi,
                "tools": [text.splitlines()[0] for text in toolchain.versions],
            },
            indent=2,
        )
        + "\n"
    )


def complete_bench(block, values, folder, checks=(), home=None, name=tools.plain):
    """Writes the completed probe top of the block, and the completed properties files `checks`, to `folder` (ports.py).
    Returns their paths. `values`: the values of all parameters; `home`: the installation.Installation; `name` returns
    the name of a file for messages of tools. Raises WrongRequest if they do not agree with the RTL."""
    top = folder / block.probe_top.name
    text = ports.probe_top(block, lambda: port_list(block, values, home), block.probe_top, name)
    top.write_text(text, encoding="utf-8")
    return [top, *ports.write_completed(checks, block.sources, folder, name)]


def links(rtl):
    """Returns the tools.Names.links through which Verilator has read the sources of the object `rtl`."""
    return json.loads((Path(rtl).parent / "rtl.json").read_text())["links"]


def port_list(block, values, home=None):
    """Returns a ports.Listed for each input, output and probe in the block's C++ headers. `values`: the values of all
    parameters. The program that prints the list is kept in the cache. Raises WrongRequest if it does not compile."""
    home = home or installation.find()
    toolchain = Toolchain(block.manifest)
    headers = [*block.manifest["include"], home.include]
    text = _beside("port_list.cpp.in").read_text()
    for key in ("ports", "type"):
        text = text.replace(f"@{key.upper()}@", block.manifest[key])
    parts = [text, home.abi, home.options, toolchain.versions, toolchain.compiler, _LIST]
    digest = hashlib.sha256(json.dumps(parts).encode())
    for path in _headers([block.manifest["ports"]], headers):
        digest.update(hashlib.sha256(_bytes(path)).digest())
    final = cache_folder() / f"ports-{block.name}-{digest.hexdigest()[:20]}"
    if not final.exists():
        with _building(final) as folder:
            if folder is not None:
                try:
                    _compile_list(block, text, home, toolchain, headers, folder)
                except StepFailed as failure:
                    print(failure, file=sys.stderr)
                    raise WrongRequest(
                        f"the ports of {block.name} cannot be listed", "the compiler's own message stands above"
                    ) from None
    said = _says([str(final / "list"), *(f"{name}={value}" for name, value in values.items())])
    return [ports.Listed(*line.split("\t")) for line in said.splitlines()]


def _compile_list(block, text, home, toolchain, headers, folder):
    work = folder / "work"
    work.mkdir()
    (work / "list.cpp").write_text(text)
    compiler = [*toolchain.compiler, *home.options]
    includes = [f"-I{path}" for path in headers]
    _step([*toolchain.launcher, *compiler, *_LIST, *includes, "-c", "list.cpp", "-o", "list.o"], work)
    archives = [path for path in block.libraries if path.exists()]
    archives += [home.library("castor_twin"), home.library("castor_base")]
    libraries = ["-Wl,--start-group", *archives, "-Wl,--end-group", "-ldl"]
    _step([*compiler, "-pthread", "list.o", *libraries, "-o", "list"], work)
    (work / "list").rename(folder / "list")
    shutil.rmtree(work)


def _verilate(arguments, work, names):
    """Runs Verilator in the folder `work`. `names`: the tools.Names of the files in `arguments`. Returns its output.
    Raises StepFailed."""
    try:
        return names.original(_step(["verilator", *arguments], work))
    except StepFailed as failure:
        raise StepFailed(names.original(str(failure))) from None


def _xml(design, work, names):
    """Writes Verilator's XML description of the design. Returns its path."""
    _verilate(["--xml-only", "--xml-output", "design.xml", "--Mdir", "xml", "-Wno-lint", *design], work, names)
    return work / "design.xml"


def _unit(block, values, skip, names, defaults):
    text = _beside("rtl_object.cpp.in").read_text()
    for key, value in {
        "NAME": block.name,
        "PORTS": block.manifest["ports"],
        "TYPE": block.manifest["type"],
        "SKIP": f'#include "{skip}"' if skip else "",
        "VALUES": ", ".join(f'{{"{name}", {value}}}' for name, value in values.items()),
        "DEFAULTS": ", ".join(f'{{"{name}", {value}U}}' for name, value in defaults.items()),
        "NAMES": ", ".join(
            f'{{"{path}", {{' + ", ".join(f'{{{value}, "{name}"}}' for value, name in sorted(members.items())) + "}}"
            for path, members in sorted(names.items())
        ),
    }.items():
        text = text.replace(f"@{key}@", value)
    return text


def _runtime(toolchain, home, include, jobs):
    """Builds Verilator's runtime as a static library unless the cache has it. Returns its path."""
    key = hashlib.sha256(
        json.dumps([_RECIPE, home.options, toolchain.versions, toolchain.compiler, _COMPILE]).encode()
    ).hexdigest()[:20]
    final = cache_folder() / f"verilated-{key}"
    if not final.exists():
        with _building(final) as folder:
            if folder is not None:
                options = [*home.options, _TRACED, "-O3", "-isystem", include, "-isystem", include / "vltstd"]
                with ThreadPoolExecutor(max(1, jobs)) as pool:
                    compiled = [
                        pool.submit(toolchain.compile, include / name, f"{name}.o", options, folder)
                        for name in _RUNTIME
                    ]
                    for one in compiled:
                        one.result()
                _step(["ar", "rcs", "libverilated.a", *(f"{name}.o" for name in _RUNTIME)], folder)
                for name in _RUNTIME:
                    (folder / f"{name}.o").unlink()
                for log in folder.glob("*.log"):
                    log.unlink()
    return final / "libverilated.a"


def _beside(name):
    return Path(__file__).with_name(name)


def _bytes(path):
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise WrongRequest(f"cannot read '{path}': {error.strerror}") from None


def _headers(names, folders):
    """Returns the headers `names` and all files that they include, directly or indirectly, if they are found in
    `folders`."""
    found, todo = {}, list(names)
    while todo:
        name = todo.pop(0)
        path = next((path for path in (Path(folder) / name for folder in folders) if path.is_file()), None)
        if path is None:
            continue
        if path in found:
            continue
        found[path] = None
        todo += re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(errors="replace"), re.MULTILINE)
    return list(found)
