"""castor lint: reports Verilator's warnings about a block's RTL at every parameter set, and parameters whose defaults
differ between the RTL and the block's C++ parameter list."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import installation, parameters, ports, tools, tree

_WARNING = re.compile(r"^%(Warning|Error)(?:-(\w+))?: (?:(\S+?):(\d+):(?:\d+:)? )?(.*)$", re.MULTILINE)


def add_arguments(parser):
    parser.add_argument(
        "block",
        nargs="*",
        help=f"blocks, '{tree.COMMON}' for the modules that blocks share (default: all, and {tree.COMMON})",
    )
    parser.add_argument("--params", metavar="SET", help="only this parameter set (default: all)")


class Task:
    """A lint run of one module at one parameter set. `run` stores the warnings in `found`: [(rule, place, text)]."""

    def __init__(self, name, chosen, top, values, sources, includes):
        self.name = name
        self.chosen = chosen
        self.found = []
        self._command = [
            "verilator",
            "--lint-only",
            "-Wall",
            "--error-limit",
            "0",
            "--top-module",
            top,
            *(f"+incdir+{tools.plain(folder)}" for folder in includes),
            *(f"-G{key}={value}" for key, value in values.items()),
            *map(tools.plain, sources),
        ]

    def run(self, work):
        result = tools.run(self._command, work / f"{self.name}-{self.chosen}.log")
        seen = _WARNING.finditer(result.output)
        self.found = list(
            dict.fromkeys(
                (match[2] or match[1].lower(), f"{tools.original(match[3])}:{match[4]}" if match[3] else "", match[5])
                for match in seen
                if not match[5].startswith("Exiting due to")
            )
        )
        if result.code != 0 and not self.found:
            self.found = [("error", "", (result.output.strip().splitlines() or ["verilator says nothing"])[-1])]
        return self

    def json(self):
        return {
            "block": self.name,
            "set": self.chosen,
            "warnings": [{"rule": rule, "place": place, "text": text} for rule, place, text in self.found],
        }


class Defaults:
    """A comparison of a block's parameter defaults in the RTL with those in its C++ parameter list."""

    chosen = "defaults"

    def __init__(self, block):
        self.name = block.name
        self.found = []
        self._block = block

    def run(self, work):
        own = work / f"{self.name}-{self.chosen}"
        own.mkdir(parents=True, exist_ok=True)
        module = parameters.of_module(self._block, own)
        listed = parameters.of_list(self._block, installation.find(), own)
        self.found = [
            ("defaults", str(self._block.folder / f"{self._block.top}.sv"), text)
            for text in parameters.differences(module, listed)
        ]
        return self

    json = Task.json


def tasks_of(block, chosen):
    """Returns the lint runs of a block: at the parameter set `chosen`, or at each of its sets if `chosen` is None."""
    waivers = [
        path
        for path in dict.fromkeys(folder / f"{block.name}.vlt" for folder in (block.folder, block.bench))
        if path.exists()
    ]
    # With --root the block has no manifest, so the location of its C++ headers is unknown.
    defaults = [] if chosen or block.manifest is None else [Defaults(block)]
    return defaults + [
        Task(block.name, name, block.top, block.parameters(name), [*waivers, *block.sources], block.includes)
        for name in ([chosen] if chosen else block.sets)
    ]


def tasks_of_common(work):
    """Returns the lint runs of the shared modules with their properties: each at its defaults and at each of its
    parameter sets. `work`: folder for generated files."""
    work.mkdir(parents=True, exist_ok=True)
    return [
        Task(
            tree.COMMON,
            f"{module.top}-{name}",
            module.top,
            values,
            [
                *module.sources,
                *ports.write_completed(sorted(module.bench.glob("*_properties.sv")), module.sources, work),
            ],
            module.includes,
        )
        for module in tree.designs(None, tree.COMMON)
        for name, values in {"itself": {}, **module.sets}.items()
    ]


def run(options, progress):
    """Runs the command. Returns the exit code."""
    tools.need("verilator")
    work = Path(options.work).resolve() / "lint"
    names = options.block or [*tree.blocks(options.root), *([] if options.params else [tree.COMMON])]
    tasks = []
    for name in dict.fromkeys(names):
        tasks += (
            tasks_of_common(work) if name == tree.COMMON else tasks_of(tree.find(options.root, name), options.params)
        )
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, task in enumerate(pool.map(lambda one: one.run(work), tasks), 1):
            progress.line(f"{task.name}, {task.chosen}: {len(task.found)} warnings")
            for rule, place, text in task.found:
                progress.line(f"  {rule} {place} {text}")
            progress.say(f"{number} of {len(tasks)}")
    warnings = sum(len(task.found) for task in tasks)
    progress.line(f"{len(tasks)} runs, {warnings} warnings")
    if options.json:
        tree.write_json(
            options.json,
            {
                "command": options.command,
                "tools": {"verilator": tools.version("verilator")},
                "runs": [task.json() for task in tasks],
            },
        )
    return 1 if warnings else 0
