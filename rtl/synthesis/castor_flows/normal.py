"""Normal form of a source file, as text: two files with the same normal form have the same meaning for tools.

The normal form has no comments, blank lines and formatting, except comments that are directives for a tool, such as
`// verilator lint_off` or `/* synthesis keep */`. For Python it is the syntax tree without docstrings, help texts,
texts of WrongRequest and progress messages. For JSON it is the value.
"""

import ast
import hashlib
import json
import re
from pathlib import PurePath

#: File name suffixes of C++ and of SystemVerilog.
_CPP = {".h", ".hpp", ".cpp", ".cc", ".cu", ".cuh", ".c", ".in"}
_VERILOG = {".sv", ".svh", ".v", ".vh", ".vlt"}

#: Comments that begin with one of these words are directives for a tool.
_OBEYED = re.compile(r"(?://|/\*)\s*(?:verilator|synopsys|synthesis|yosys|pragma)\b")

_OPERATORS = (
    r"<<<=|>>>=|<<<|>>>|<=>|===|!==|==\?|!=\?|\|->|\|=>|->\*|<<=|>>=|\.\.\.|::|\+\+|--|->|<<|>>|<=|>=|==|!=|&&|\|\|"
    r"|\*\*|\+=|-=|\*=|/=|%=|&=|\|=|\^=|##|~&|~\||~\^|\^~|\+:|-:"
)
_STRING = r'(?:u8|[uUL])?"(?:\\.|[^"\\])*"'
_COMMENT = r"(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)"
_RAW_STRING = r'(?:u8|[uUL])?R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)"'
#: A quote after a digit is no character literal but a digit separator.
_CHARACTER = r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"

#: Comments, and literals that may contain the start of a comment.
_CPP_OPAQUE = re.compile(rf"{_COMMENT}|{_RAW_STRING}|{_STRING}|{_CHARACTER}", re.DOTALL)
_VERILOG_OPAQUE = re.compile(rf"{_COMMENT}|{_STRING}", re.DOTALL)
_CMAKE_OPAQUE = re.compile(
    r"(?P<comment>#\[(?P<a>=*)\[.*?\](?P=a)\]|#[^\n]*)|\[(?P<b>=*)\[.*?\](?P=b)\]" + f"|{_STRING}", re.DOTALL
)

_CPP_TOKEN = re.compile(
    rf"{_STRING}|{_CHARACTER}|\.?\d(?:[eEpP][+-]|'?[\w.])*|[A-Za-z_$]\w*|{_OPERATORS}|\S", re.DOTALL
)
_VERILOG_TOKEN = re.compile(rf"{_STRING}|\\\S+|[\w$`'.]+|{_OPERATORS}|\S", re.DOTALL)
_CMAKE_TOKEN = re.compile(rf'{_STRING}|[()]|[^\s()"]+|\S', re.DOTALL)

_CPP_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_VERILOG_DIRECTIVE = re.compile(r"^[ \t]*`define\b(?:\\\n|[^\n])*", re.MULTILINE)


def text_of(name, content, without=()):
    """Returns the normal form of the file `name` with the bytes `content`. `without`: definitions of a Python module
    that are left out (`function`, `Class.method`, `CONSTANT`). If a file cannot be parsed as its suffix says, only
    trailing blanks and blank lines are removed."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    suffix = PurePath(name).suffix
    try:
        if suffix == ".py":
            return _python(text, frozenset(without))
        if suffix == ".json":
            return json.dumps(json.loads(text))
    except (SyntaxError, ValueError):
        return _lines(text)
    if suffix == ".cmake" or PurePath(name).name == "CMakeLists.txt":
        return _by_tokens(_CMAKE_OPAQUE, _CMAKE_TOKEN, None, text)
    if suffix in _CPP:
        return _by_tokens(_CPP_OPAQUE, _CPP_TOKEN, _CPP_DIRECTIVE, text)
    if suffix in _VERILOG:
        return _by_tokens(_VERILOG_OPAQUE, _VERILOG_TOKEN, _VERILOG_DIRECTIVE, text)
    if suffix == ".f":
        return _lines(re.sub(r"(?:#|//)[^\n]*", "", text))
    return _lines(text)


def digest_of(name, content, without=()):
    """Returns a digest of the normal form, twelve hexadecimal digits. The arguments are those of `text_of`."""
    return hashlib.sha256(text_of(name, content, without).encode()).hexdigest()[:12]


def _lines(text):
    return "\n".join(line for line in (line.rstrip() for line in text.split("\n")) if line)


def _by_tokens(opaque, token, directive, text):
    """Returns the tokens of the text, separated by blanks. A preprocessor line (`directive`) is a unit of its own.
    `opaque` matches comments and literals, `token` matches tokens."""

    def bare(match):
        word = match.group()
        if match.lastgroup != "comment":
            return word
        return f" {' '.join(word.split())} " if _OBEYED.match(word) else " "

    def own_line(match):
        joined = match.group().replace("\\\n", " ")
        return f"\x01{joined}\x01"

    text = opaque.sub(bare, text)
    if directive is not None:
        text = directive.sub(own_line, text)
    return " ".join(token.findall(text))


# --- Python ---------------------------------------------------------------------------------------------------------


class _WhatRuns(ast.NodeTransformer):
    """Removes the parts of a Python syntax tree that do not change what the program computes: docstrings, help texts
    and messages."""

    def visit_Call(self, node):
        self.generic_visit(node)
        node.keywords = [one for one in node.keywords if one.arg not in ("help", "metavar", "description", "epilog")]
        return node

    def visit_Raise(self, node):
        self.generic_visit(node)
        call = node.exc
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "WrongRequest":
            node.exc = call.func
        return node

    def visit_Expr(self, node):
        self.generic_visit(node)
        call = node.value
        if isinstance(call, ast.Constant):  # a docstring
            return None
        said = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "say"
        return None if said else node


def definitions(text):
    """Returns the names of a Python module's functions, classes, methods (`Class.method`) and constants."""
    return {name for _, name in _named(ast.parse(text).body)}


def _named(body, prefix=""):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node, prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from _named(node.body, node.name + ".")
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node, prefix + node.targets[0].id


def _python(text, without):
    module = ast.parse(text)
    left_out = {node for node, name in _named(module.body) if name in without}
    for holder in [module, *(node for node in module.body if isinstance(node, ast.ClassDef))]:
        holder.body = [
            node for node in holder.body if node not in left_out and not isinstance(node, (ast.Import, ast.ImportFrom))
        ]
    return ast.dump(_WhatRuns().visit(module))
