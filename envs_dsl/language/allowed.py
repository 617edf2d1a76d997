"""Which constructs of Python the language has, and what to write in place of the others (E102)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from envs_dsl.language.diagnostics import Diagnostics

__all__ = ["MAX_FLOAT", "MAX_NAME", "Child", "not_in_language", "report_foreign"]

MAX_NAME = 40
MAX_FLOAT = 3e38
"""A little less than the largest 32-bit float."""

Child = tuple[ast.AST, ast.AST]
"""A node and its parent."""

_ALLOWED: frozenset[type[ast.AST]] = frozenset((
    ast.Module, ast.Expr, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute,
    ast.Subscript, ast.Call, ast.keyword, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If,
    ast.For, ast.Break, ast.Continue, ast.Return, ast.Pass, ast.FunctionDef, ast.arguments, ast.arg,
    ast.ClassDef, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.UnaryOp, ast.USub, ast.Not, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.Eq, ast.NotEq,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.IfExp,
))  # fmt: skip

_NAMES = {
    "While": ("while", "loops have a fixed trip count: for i in range(8)"),
    "Import": ("import", "every builtin is already there"),
    "ImportFrom": ("import", "every builtin is already there"),
    "Lambda": ("lambda", "write a helper function with def"),
    "ListComp": ("a comprehension", "use a for loop, or a grid expression"),
    "GeneratorExp": ("a comprehension", "use a for loop, or a grid expression"),
    "DictComp": ("a comprehension", "use a for loop"),
    "SetComp": ("a comprehension", "use a for loop"),
    "Try": ("try", "nothing can raise: reads and stores are always defined"),
    "TryStar": ("try", "nothing can raise: reads and stores are always defined"),
    "Pow": ("**", "write x * x"),
    "JoinedStr": ("an f-string", "programs have no strings"),
    "BitAnd": ("&", "write and: it works on grids cell by cell"),
    "BitOr": ("|", "write or: it works on grids cell by cell"),
    "BitXor": ("^", "write a != b"),
    "LShift": ("<<", "multiply"),
    "RShift": (">>", "use //"),
    "MatMult": ("@", "use dot(a, b) for vectors"),
    "UAdd": ("a plus sign before a value", "leave it out"),
    "Set": ("a set", "use a Grid(Bool) or an Array field of State"),
    "Yield": ("yield", "effects are statements: reward(0.1)"),
    "YieldFrom": ("yield", "effects are statements: reward(0.1)"),
    "Await": ("await", "write the call alone"),
    "AsyncFunctionDef": ("async", "write def"),
    "AsyncFor": ("async", "write for"),
    "AsyncWith": ("async", ""),
    "Match": ("match", "use if, elif and else"),
    "Nonlocal": ("nonlocal", "keep state in class State"),
    "Invert": ("~", "write not: it works on grids cell by cell"),
    "In": ("in", "compare with ==, joined by or"),
    "NotIn": ("not in", "compare with !=, joined by and"),
    "Is": ("is", "write =="),
    "IsNot": ("is not", "write !="),
    "Tuple": ("a tuple", "use Pos(row, col) or Vec2(x, y)"),
    "List": ("a list", "use an Array or a Table field of State, set one by one: s.n[0] = 1"),
    "Dict": ("a dict", "use an Array indexed by an enum"),
    "NamedExpr": (":=", "assign on a line of its own"),
    "Global": ("global", "keep state in class State"),
    "Starred": ("*", "write the arguments one by one"),
    "Delete": ("del", "kill(row) frees a table row"),
    "Assert": ("assert", "use if"),
    "Raise": ("raise", "use lose() to end the episode"),
    "With": ("with", ""),
    "Slice": ("a slice", "index one element"),
}


def not_in_language(node: ast.AST) -> tuple[str, str]:
    """Message and hint for a construct that the language does not have."""
    kind = type(node).__name__
    name, hint = _NAMES.get(kind, (kind, ""))
    return f"{name} is not in the language", hint


def report_foreign(nodes: list[Child], out: Diagnostics) -> None:
    """Report what is not in the language; what stands below a reported node is passed over."""
    passed: set[int] = set()
    for node, parent in nodes:
        kind = type(node)
        if passed and id(parent) in passed and node is not parent:
            passed.add(id(node))
            continue
        if kind not in _ALLOWED:
            if isinstance(parent, ast.keyword) and isinstance(node, ast.Tuple | ast.List):
                continue  # Game(size=(9, 9)); elsewhere they are reported where they are typed
            # operators carry no position of their own: report at the expression they are in
            place = node if hasattr(node, "lineno") else parent
            out.add("E102", place, *not_in_language(node))
            passed.add(id(node))
            continue
        special = _SPECIAL.get(kind)
        if special is not None:
            special(node, out)


def _definition(node: ast.FunctionDef | ast.ClassDef, out: Diagnostics) -> None:
    _name(node, out)
    if node.decorator_list:
        out.add("E102", node.decorator_list[0], "decorators are not in the language")
    if isinstance(node, ast.ClassDef) and node.keywords:
        out.add("E102", node.keywords[0], "a class takes no options", f"class {node.name}:")


def _keyword(node: ast.keyword, out: Diagnostics) -> None:
    _name(node, out)
    if node.arg is None:
        out.add("E102", node, "** is not in the language", "write the options one by one")


def _call(node: ast.Call, out: Diagnostics) -> None:
    named: set[str] = set()
    for keyword in node.keywords:  # only Python's compiler, which never runs, forbids it
        if keyword.arg in named:
            out.add("E101", keyword, f"{keyword.arg} is given twice")
        named.add(keyword.arg or "")


def _for(node: ast.For, out: Diagnostics) -> None:
    if node.orelse:
        out.add("E102", node.orelse[0], "for ... else is not in the language")


def _constant(node: ast.Constant, out: Diagnostics) -> None:
    """Report what no program can mean: bytes, imaginary or infinite numbers, control characters."""
    value = node.value
    if isinstance(value, str):
        odd = next((c for c in value if not (" " <= c <= "~" or c in "\n\t")), None)
        if odd is not None:
            message = f"character U+{ord(odd):04X} is not allowed in a text"
            out.add("E102", node, message, "write printable ASCII")
    elif isinstance(value, float):
        if not abs(value) <= MAX_FLOAT:
            out.add("E308", node, "the number does not fit a 32-bit float")
    elif value is not None and not isinstance(value, int):
        out.add("E102", node, f"{type(value).__name__} values are not in the language")


def _name(node: ast.AST, out: Diagnostics) -> None:
    """Bound the length of names: canonical text must fit its lines."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            pass
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.keyword(arg=str(name)):
            pass
        case _:
            return
    if len(name) > MAX_NAME:
        out.add("E203", node, f"the name has {len(name)} characters; {MAX_NAME} are allowed")


_SPECIAL: dict[type[ast.AST], Callable[[Any, Diagnostics], None]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _name,
    ast.arg: _name,
    ast.FunctionDef: _definition,
    ast.ClassDef: _definition,
    ast.keyword: _keyword,
    ast.Call: _call,
    ast.For: _for,
}
