"""Rewrites of operators: bit operators on truth values, chains, ``in``, ``is``, powers."""

from __future__ import annotations

import ast

from envs_dsl.language.builtins import TABLE
from envs_dsl.language.normalise.edits import Edit, Rewrite, Source, draws

__all__ = ["REWRITES"]

_BITS: dict[type[ast.AST], tuple[str, str]] = {
    ast.BitAnd: ("&", "and"), ast.BitOr: ("|", "or"), ast.BitXor: ("^", "!="),
}  # fmt: skip
_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip


def _is_number(node: ast.expr) -> bool:
    """Whether an operand is plainly a number: then ``&`` is no word between truth values."""
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return True
        case ast.UnaryOp(op=ast.Invert(), operand=inner):
            return _is_number(inner)
        case ast.BinOp(op=op, left=left, right=right):
            return type(op) not in _BITS or _is_number(left) or _is_number(right)
        case ast.Call(func=ast.Name(id=name)) if name in TABLE and TABLE[name].signatures:
            return "Bool" not in TABLE[name].signatures[0].split("->")[-1]
    return False


def bits(node: ast.BinOp, source: Source) -> Edit | None:
    """``(a > 1) & (b < 2)`` → ``(a > 1) and (b < 2)``, where both sides can be Bool."""
    if type(node.op) not in _BITS or _is_number(node.left) or _is_number(node.right):
        return None
    symbol, word = _BITS[type(node.op)]
    start, end = source.end(node.left), source.start(node.right)
    left, right = source.of_node(node.left), source.of_node(node.right)
    text = source.bracket(node, f"{left} {word} {right}")
    if symbol not in source.text[start:end]:
        return None
    return source.replace(node, text, f"{symbol} written as {word}")


def invert(node: ast.UnaryOp, source: Source) -> Edit | None:
    """``~mask`` → ``not mask``."""
    if not isinstance(node.op, ast.Invert) or _is_number(node.operand):
        return None
    text = source.bracket(node, f"not {source.of_node(node.operand)}")
    return source.replace(node, text, "~ written as not")


def bits_into(node: ast.AugAssign, source: Source) -> Edit | None:
    """``x |= y`` → ``x = x or y``."""
    if type(node.op) not in _BITS or _is_number(node.value) or draws(node.target):
        return None
    symbol, word = _BITS[type(node.op)]
    target = source.of_node(node.target)
    text = f"{target} = {target} {word} {source.of_node(node.value)}"
    return source.replace(node, text, f"{symbol}= written as {word}")


def divided_into(node: ast.AugAssign, source: Source) -> Edit | None:
    """``x /= y``, ``x //= y``, ``x %= y``."""
    symbol = _SYMBOLS.get(type(node.op))
    if symbol is None or draws(node.target):
        return None
    target = source.of_node(node.target)
    text = f"{target} = {target} {symbol} {source.of_node(node.value)}"
    return source.replace(node, text, f"{symbol}= written out")


def chain(node: ast.Compare, source: Source) -> Edit | None:
    """``a < b < c`` → ``a < b and b < c``."""
    if len(node.ops) < 2 or any(type(op) not in _SYMBOLS for op in node.ops):
        return None
    if any(draws(inner) for inner in node.comparators[:-1]):
        return None
    operands = [source.of_node(operand) for operand in (node.left, *node.comparators)]
    parts = [f"{a} {_SYMBOLS[type(op)]} {b}" for a, op, b in zip(operands, node.ops, operands[1:])]
    text = source.bracket(node, " and ".join(parts))
    return source.replace(node, text, "a chained comparison written with and")


def member_of(node: ast.Compare, source: Source) -> Edit | None:
    """``x in (A, B)`` → ``x == A or x == B``."""
    match node:
        case ast.Compare(
            left=left,
            ops=[ast.In() | ast.NotIn() as op],
            comparators=[ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items)],
        ) if items and not draws(left):
            symbol, word = ("==", "or") if isinstance(op, ast.In) else ("!=", "and")
            name = source.of_node(left)
            text = f" {word} ".join(f"{name} {symbol} {source.of_node(item)}" for item in items)
            told = "in" if symbol == "==" else "not in"
            return source.replace(node, source.bracket(node, text), f"{told} written with {symbol}")
    return None


def identity(node: ast.Compare, source: Source) -> Edit | None:
    """``a is b`` → ``a == b``."""
    match node:
        case ast.Compare(
            left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[right]
        ) if not (isinstance(right, ast.Constant) and right.value is None):
            symbol = "==" if isinstance(op, ast.Is) else "!="
            start, end = source.end(left), source.start(right)
            between = source.text[start:end].replace("is not", "!=").replace("is", symbol)
            return Edit(start, end, between, f"is written as {symbol}")
    return None


def power(node: ast.BinOp, source: Source) -> Edit | None:
    """``x ** 2`` → ``x * x``, ``x ** 0.5`` → ``sqrt(x)``."""
    match node:
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2 | 3 as count)) if (
            not draws(left) and isinstance(count, int)
        ):
            text = " * ".join([source.of_node(left)] * count)
            return source.replace(node, source.bracket(node, text), "** written with *")
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=0.5)):
            text = source.text[source.start(left) : source.end(left)]
            return source.replace(node, f"sqrt({' '.join(text.split())})", "** written as sqrt")
    return None


REWRITES: tuple[Rewrite, ...] = (
    (ast.BinOp, bits),
    (ast.UnaryOp, invert),
    (ast.AugAssign, bits_into),
    (ast.AugAssign, divided_into),
    (ast.Compare, chain),
    (ast.Compare, member_of),
    (ast.Compare, identity),
    (ast.BinOp, power),
)
