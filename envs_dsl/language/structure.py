"""Structure as text: what the skeleton hash is of, and what operands are ordered by."""

from __future__ import annotations

import dataclasses
from typing import Any

from envs_dsl.language import tree as T
from envs_dsl.language.rewrite import NODES, field_names
from envs_dsl.language.types import (
    Array,
    EnumDecl,
    Field,
    Game,
    Grid,
    Look,
    Param,
    Range,
    RowDecl,
    Scalar,
    TableRef,
)

__all__ = ["Memo", "declared_names", "skeleton_text", "structure"]

Memo = dict[int, tuple[Any, str]]
"""``id`` of a node → the node (so that the id stays its own) and its text."""


def declared_names(tree: T.Tree) -> dict[str, str]:
    """Declared names → their numbers: ``Tile``, ``Bat``, ``.field`` and ``table.column``."""
    names: dict[str, str] = {}
    columns = {row.name: row.columns for row in tree.rows}
    for i, enum in enumerate(tree.enums):
        names[enum.name] = f"E{i}"
    for i, row in enumerate(tree.rows):
        names[row.name] = f"R{i}"
    for i, field in enumerate(tree.fields):
        names[f".{field.name}"] = f"F{i}"
        if isinstance(field.type, TableRef):
            for k, column in enumerate(columns[field.type.row_type]):
                names[f"{field.name}.{column.name}"] = f"C{k}"
    return names


def skeleton_text(tree: T.Tree) -> str:
    """All that programs of one skeleton have in common, as text: of a canonical tree."""
    names = declared_names(tree)
    parts: list[str] = [structure(tree.game, names), str(tree.contest)]
    parts += [str(p.is_int) for p in tree.params]
    parts += [structure(e, names) for e in tree.enums]
    declared = {k: v for k, v in names.items() if not k.startswith(".")}  # columns are no fields
    for row in tree.rows:
        columns = [dataclasses.replace(c, name=f"C{k}") for k, c in enumerate(row.columns)]
        parts.append("row " + ";".join(structure(c, declared) for c in columns))
    parts += [structure(f, names) for f in tree.fields]
    parts += [structure(block, names) for block in (tree.reset, tree.step, tree.view)]
    return "\n".join(parts)


_FIELD_KEYS = {"field", "table"}


def structure(
    node: Any, names: dict[str, str], *, sites: bool = True, memo: Memo | None = None
) -> str:
    """The structure below a node (or a tuple of them), without the values of literals.

    Args:
      names: see ``declared_names``. sites: whether draw sites are told.
      memo: texts of nodes met before; it is added to.
    """
    if memo is not None and id(node) in memo:
        return memo[id(node)][1]
    kind = type(node)
    if kind is tuple:
        items: list[str] = []
        for item in node:  # no comprehension: it would take a stack frame more at every level
            items += (structure(item, names, sites=sites, memo=memo),)
        return "(" + ",".join(items) + ")"
    names_of = _DUMPED.get(kind)
    if names_of is None:
        return _short(node, names)
    parts = [kind.__name__]
    for name in names_of:
        if name == "site" and not sites:
            continue
        value = getattr(node, name)
        if kind is T.Spawn and name == "columns":
            value = tuple((names.get(f"{node.table}.{c}", c), v) for c, v in value)
        if type(value) is str:
            if name in _FIELD_KEYS or (name == "name" and type(node) is Field):
                value = names.get(f".{value}", value)
            elif name in ("row_type", "index"):
                value = names.get(value, value)
            elif name == "column":
                table = node.table if kind is T.Column else node.field
                value = names.get(f"{table}.{value}", value)
            parts.append(f"{name}={value!r}")
        elif value is None or type(value) in (int, bool):
            parts.append(f"{name}={value!r}")
        else:
            parts.append(f"{name}={structure(value, names, sites=sites, memo=memo)}")
    text = "<" + " ".join(parts) + ">"
    if memo is not None:
        memo[id(node)] = node, text
    return text


_SHORT = (T.Literal, T.Painted)
_DUMPED = {
    kind: tuple(name for name in field_names(kind) if name not in ("line", "helper"))
    for kind in (*NODES, Array, Field, Grid, Look, Range, RowDecl, TableRef)
    if kind not in _SHORT
}


def _short(node: Any, names: dict[str, str]) -> str:
    """What is told in a word: values that are no structure, and declarations."""
    match node:
        case Scalar(kind=kind, enum=enum):
            return f"{kind}{names.get(enum, enum)}"
        case T.Literal(type=type_):
            return f"#{type_.kind}"
        case T.Painted(type=type_):
            return f"#paint{structure(type_, names)}"
        case Game(size=size, players=players, turns=turns, verbs=verbs, camera=camera):
            return f"game{size}{players}{turns}{verbs}{'' if camera == 'player' else camera}"
        case EnumDecl(looks=looks):
            return "enum" + repr([(k.color, k.tags) for k in looks])
        case Param():
            return "param"
    return repr(node)
