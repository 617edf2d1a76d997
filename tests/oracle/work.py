"""What each node costs by itself (``envs_dsl.language.cost`` gives the formulas)."""

from __future__ import annotations

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Grid, Scalar, Type

__all__ = ["of_call", "of_merge", "of_target", "size_of"]


def size_of(type_: Type, tree: Tree) -> int:
    """Scalar elements of a value."""
    if isinstance(type_, Grid):
        return tree.game.size[0] * tree.game.size[1] * size_of(type_.elem, tree)
    if isinstance(type_, Array):
        return type_.length * size_of(type_.elem, tree)
    return 2 if isinstance(type_, Scalar) and type_.kind in ("Pos", "Vec2") else 1


def of_call(node: T.Call, tree: Tree) -> int:
    """Weight times size, without the arguments."""
    row = TABLE[node.op]
    board = tree.game.size[0] * tree.game.size[1]
    tables = [tree.field(a.field).capacity for a in node.args if isinstance(a, T.TableName)]
    match row.size:
        case "board":
            return row.weight * board
        case "board*k":
            last = node.args[-1]
            return row.weight * board * (tables[0] if tables else int(last.value))  # type: ignore[union-attr]
        case "board*span":
            return row.weight * board * max(tree.game.size)
        case "maze":
            rows, cols = ((side - 1) // 2 for side in tree.game.size)
            return row.weight * (rows * cols) ** 2
        case "span":
            return row.weight * max(tree.game.size)
        case "rows":
            return row.weight * (tables[0] if tables else 1)
    folds = len(node.args) - 1 if row.variadic else 1
    return row.weight * max(size_of(t.type, tree) for t in (node, *node.args)) * folds


def of_target(target: T.Target, tree: Tree) -> int:
    """A store, without its index."""
    if isinstance(target, T.LocalTarget):
        return size_of(target.type, tree)
    field = tree.field(target.field)
    if target.row is not None:  # the whole column, also where one part of a pair is stored
        pair = target.component is not None
        return field.capacity * (2 if pair else size_of(target.type, tree))
    return size_of(field.type, tree)


def of_merge(node: T.If, tree: Tree) -> int:
    """The selection between the arms of a branch."""
    return sum(
        size_of(stmt.target.type, tree) if isinstance(stmt, T.Assign) else 1
        for stmt in (*node.then, *node.orelse)
    )
