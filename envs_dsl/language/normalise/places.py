"""Rewrites of places and actions: pairs as indices, double indices, the bare action."""

from __future__ import annotations

import ast

from envs_dsl.language.normalise.edits import Edit, Rewrite, Source
from envs_dsl.language.vocabulary import DIRS

__all__ = ["REWRITES"]


def pair_index(node: ast.Subscript, source: Source) -> Edit | None:
    """``s.board[r, c]`` → ``s.board[Pos(r, c)]``."""
    match node.slice:
        case ast.Tuple(elts=[row, col]) if not isinstance(row, ast.Slice | ast.Starred):
            if isinstance(col, ast.Slice | ast.Starred):
                return None
            text = f"Pos({_plain(row, source)}, {_plain(col, source)})"
            return source.replace(node.slice, text, "a pair of indices written as Pos")
    return None


def double_index(node: ast.Subscript, source: Source) -> Edit | None:
    """``s.board[r][c]`` → ``s.board[Pos(r, c)]`` where ``board`` is a grid."""
    match node:
        case ast.Subscript(
            value=ast.Subscript(
                value=ast.Attribute(value=ast.Name(), attr=field) as grid, slice=row
            ),
            slice=col,
        ) if field in source.grids and not isinstance(row, ast.Tuple | ast.Slice):
            if isinstance(col, ast.Tuple | ast.Slice) or _is_place(row):
                return None
            text = source.text[source.start(grid) : source.end(grid)]
            pair = f"Pos({_plain(row, source)}, {_plain(col, source)})"
            return source.replace(node, f"{text}[{pair}]", "a double index written as Pos")
    return None


def _is_place(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Pos"


def constant_pair(node: ast.Tuple, source: Source) -> Edit | None:
    """``(3, 4)`` as a value → ``Pos(3, 4)``."""
    inside = source.parent(node)
    if source.function(node) is None or isinstance(inside, ast.Subscript | ast.For | ast.Compare):
        return None
    whole = [isinstance(item, ast.Constant) and type(item.value) is int for item in node.elts]
    if len(whole) != 2 or not all(whole):
        return None
    if isinstance(inside, ast.Assign) and node in inside.targets:
        return None
    text = f"Pos({source.of_node(node.elts[0])}, {source.of_node(node.elts[1])})"
    return source.replace(node, text, "a pair written as Pos")


def bare_action(node: ast.Name, source: Source) -> Edit | None:
    """``p + act``, ``act == UP`` → ``act.move``."""
    function, inside = source.function(node), source.parent(node)
    if node.id != "act" or function is None or "act" not in [a.arg for a in function.args.args]:
        return None
    match inside:
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=right) if right is node:
            pass
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]) if any(
            isinstance(side, ast.Name) and side.id in DIRS for side in (left, right)
        ):
            pass
        case ast.Call(func=ast.Name(id="try_move"), args=[_, second]) if second is node:
            pass
        case _:
            return None
    return source.replace(node, "act.move", "act written as act.move")


def _plain(node: ast.expr, source: Source) -> str:
    return " ".join(source.text[source.start(node) : source.end(node)].split())


REWRITES: tuple[Rewrite, ...] = (
    (ast.Subscript, pair_index),
    (ast.Subscript, double_index),
    (ast.Tuple, constant_pair),
    (ast.Name, bare_action),
)
