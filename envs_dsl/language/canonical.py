"""Canonical form and hashes: when are two programs the same?

``canonical`` drops code that can never run or matter, numbers the draw sites (before operands are
sorted, so that sorting cannot change a trajectory), renames locals by order of appearance, orders
the operands of commutative operators and numbers the literal slots. Two hashes follow:

- *skeleton*: the structure, with literals, parameter values and the step limit left out.
  Programs of one skeleton share one executable.
- *program*: skeleton and values. Exact duplicates share it; it is the key of a program everywhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.sense import walk
from envs_dsl.language.types import (
    FLOAT,
    INT,
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

__all__ = ["Hashes", "canonical", "hashes", "literals"]


@dataclasses.dataclass(frozen=True, slots=True)
class Hashes:
    """16 hexadecimal characters each."""

    skeleton: str
    program: str


def canonical(tree: T.Tree) -> T.Tree:
    """The canonical form: same behaviour, one spelling. Idempotent."""
    namer = _Namer(_numbered(tree))
    blocks = [namer.function(_live(b)) for b in (tree.reset, tree.step, tree.view)]
    slots = _Slots()
    reset, step, view = [slots.block(block) for block in blocks]
    return dataclasses.replace(tree, reset=reset, step=step, view=view)


def literals(tree: T.Tree) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Values of the hoisted INT and FLOAT literals, by slot; cells of layouts are INT literals."""
    ints: dict[int, int] = {}
    floats: dict[int, float] = {}
    for node in walk((*tree.reset, *tree.step, *tree.view)):
        if isinstance(node, T.Literal):
            if node.type == INT:
                ints[node.slot] = int(node.value)
            else:
                floats[node.slot] = float(node.value)
        elif isinstance(node, T.Painted):
            ints.update(enumerate(node.cells, start=node.slot))
    return tuple(ints[k] for k in sorted(ints)), tuple(floats[k] for k in sorted(floats))


def hashes(tree: T.Tree) -> Hashes:
    """Hashes of a canonical tree."""
    text = _skeleton_text(tree)
    values = (
        literals(tree),
        tree.game.max_steps,
        [(p.value, p.low, p.high, p.harder) for p in tree.params],
    )
    return Hashes(_digest(text), _digest(f"{text}|{values!r}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- dead code ------------------------------------------------------------------------------------


def _live(block: T.Block) -> T.Block:
    """Without statements behind a break/continue/return, empty branches and locals nobody needs."""
    needs: dict[str, set[str]] = {}
    needed = _needs(block, frozenset(), needs)
    stack = list(needed)
    while stack:
        for name in needs.pop(stack.pop(), ()):
            if name not in needed:
                needed.add(name)
                stack.append(name)
    return _drop(block, needed)


def _needs(block: T.Block, tests: frozenset[str], needs: dict[str, set[str]]) -> set[str]:
    """Locals that must be kept whatever else is; ``needs`` gets those that a local is made from.

    ``tests``: locals that the branches around ``block`` are decided by.
    """
    needed: set[str] = set()
    for stmt in block:
        match stmt:
            case T.Assign(target=T.LocalTarget(name=name), value=value):
                reads = _reads((value,)) | tests
                if _draws(value):
                    needed |= reads
                needs.setdefault(name, set()).update(reads)
            case T.If(test=test, then=then, orelse=orelse):
                inner = _reads((test,)) | tests
                if _draws(test):
                    needed |= inner
                for arm in (then, orelse):
                    needed |= _needs(arm, frozenset(inner), needs)
            case T.For(body=body):
                needed |= _needs(body, tests, needs)
            case _:
                needed |= _reads((stmt,)) | tests
                if isinstance(stmt, T.Spawn) and isinstance(stmt.ok, T.LocalTarget):
                    needs.setdefault(stmt.ok.name, set())
                if isinstance(stmt, T.Break | T.Continue | T.Return):
                    break
    return needed


def _reads(block: T.Block | tuple[T.Expr, ...]) -> set[str]:
    return {n.name for n in walk(block) if isinstance(n, T.LocalRef)}


def _drop(block: T.Block, read: set[str]) -> T.Block:
    kept: list[T.Stmt] = []
    for stmt in block:
        match stmt:
            case T.Assign(target=T.LocalTarget(name=name), value=value) if (
                name not in read and not _draws(value)
            ):
                continue
            case T.If(test=test, then=then, orelse=orelse):
                then, orelse = _drop(then, read), _drop(orelse, read)
                if not then and not orelse and not _draws(test):
                    continue
                kept.append(T.If(test, then, orelse))
            case T.For(body=body):
                body = _drop(body, read)
                if body:
                    kept.append(dataclasses.replace(stmt, body=body))
            case _:
                kept.append(stmt)
                if isinstance(stmt, T.Break | T.Continue | T.Return):
                    break
    return tuple(kept)


def _draws(expr: T.Expr) -> bool:
    return any(isinstance(n, T.Call) and TABLE[n.op].draws for n in walk((expr,)))


# --- rewriting ------------------------------------------------------------------------------------


class _Rewriter:
    """Rebuilds a block bottom-up, in evaluation order; subclasses change the nodes they want."""

    def block(self, block: T.Block) -> T.Block:
        return tuple(self.visit(stmt) for stmt in block)

    def visit(self, node: Any) -> Any:
        if type(node) is tuple:
            items = []
            same = True
            for item in node:  # no comprehension: it would take a stack frame more at every level
                new = self.visit(item)
                same = same and new is item
                items.append(new)
            return node if same else tuple(items)
        names = _VISITED.get(type(node))
        if names is None:
            return node
        changed = {}
        for name in names:
            value = getattr(node, name)
            if type(value) is tuple or type(value) in _VISITED:
                new = self.visit(value)
                if new is not value:
                    changed[name] = new
        return self.leave(_with(node, changed) if changed else node)

    def leave(self, node: Any) -> Any:
        return node


def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


_NODES = tuple(kind for name in T.__all__ if dataclasses.is_dataclass(kind := getattr(T, name)))

_ALL: dict[type, tuple[str, ...]] = {kind: _field_names(kind) for kind in _NODES}  # type: ignore[misc]

_VISITED: dict[type, tuple[str, ...]] = {
    **dict.fromkeys(_ALL, ()),
    T.Element: ("base", "index"),
    T.Component: ("base",),
    T.Call: ("args",),
    T.Inline: ("params", "body"),
    T.Act: ("seat",),
    T.Place: ("index",),
    T.Assign: ("value", "target"),
    T.If: ("test", "then", "orelse"),
    T.For: ("body",),
    T.Return: ("value",),
    T.Effect: ("args", "seat"),
    T.Spawn: ("columns", "ok"),
    T.Swap: ("first", "second"),
}
"""Fields that hold nodes, in evaluation order: the value of an assignment before the index of its
target."""


def _with(node: Any, changed: dict[str, Any]) -> Any:
    """``dataclasses.replace``, which is slow where it is called ten thousand times."""
    kind = type(node)
    return kind(*[changed[n] if n in changed else getattr(node, n) for n in _ALL[kind]])


class _Namer(_Rewriter):
    """Locals, loop variables and rows become v0, v1, … by order of appearance in their function;
    draw sites are numbered in evaluation order, over reset, step and view; the two operands of a
    commutative operator are ordered where they have one type.

    All in one pass: names and sites are given on the way, and what is ordered has them already.
    Operands that both draw, or both call helpers, stay as they are: draw sites and the locals of
    helpers are numbered in order of evaluation, which the canonical form must not change.
    """

    def __init__(self, declared: dict[str, str]) -> None:
        self.declared = declared
        self.names: dict[str, str] = {}
        self.site = 0
        self.keys: _Memo = {}
        self.marks: dict[int, tuple[Any, frozenset[str]]] = {}

    def function(self, block: T.Block) -> T.Block:
        self.names = {}
        return self.block(block)

    def name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}")

    def visit(self, node: Any) -> Any:
        if isinstance(node, T.For):
            node = _with(node, {"var": self.name(node.var)})
        elif isinstance(node, T.Inline):
            params = tuple((self.name(n), self.visit(v)) for n, v in node.params)
            return dataclasses.replace(node, helper="", params=params, body=self.block(node.body))
        return super().visit(node)

    def leave(self, node: Any) -> Any:
        kind = type(node)
        if kind is T.Call:
            row = TABLE[node.op]
            if row.draws:
                self.site += 1
                return _with(node, {"site": self.site - 1})
            if row.commutes and len(node.args) == 2:
                first, second = node.args
                if first.type != second.type or self.numbered(first) & self.numbered(second):
                    return node
                if self.key(second) < self.key(first):
                    return _with(node, {"args": (second, first)})
        elif kind in (T.LocalRef, T.LocalTarget):
            return _with(node, {"name": self.name(node.name)})
        elif kind in (T.Column, T.Kill, T.Place) and node.row is not None:
            return _with(node, {"row": self.name(node.row)})
        return node

    def key(self, node: Any) -> str:
        """Structure of an expression without its literal values, draw sites and given names."""
        return _dump(node, self.declared, sites=False, memo=self.keys)

    def numbered(self, node: Any) -> frozenset[str]:
        """What there is below a node that is numbered in order of evaluation: draws, helpers."""
        kept = self.marks.get(id(node))
        if kept is None:
            kind = type(node)
            own = {"helper"} if kind is T.Inline else set()
            if kind is T.Call and TABLE[node.op].draws:
                own.add("draw")
            found = frozenset(own).union(*map(self.numbered, T.children(node)))
            kept = self.marks[id(node)] = (node, found)
        return kept[1]


_Memo = dict[int, tuple[Any, str]]
"""``id`` of a node → the node (so that the id stays its own) and its text."""


class _Slots(_Rewriter):
    """Numbers the literals, Int and Float apart."""

    def __init__(self) -> None:
        self.next = {INT: 0, FLOAT: 0}

    def leave(self, node: Any) -> Any:
        if isinstance(node, T.Literal):
            node = _with(node, {"slot": self.next[node.type]})
            self.next[node.type] += 1
        elif isinstance(node, T.Painted):
            node = _with(node, {"slot": self.next[INT]})
            self.next[INT] += len(node.cells)
        return node


# --- text of the structure ----------------------------------------------------------------------


def _numbered(tree: T.Tree) -> dict[str, str]:
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


def _skeleton_text(tree: T.Tree) -> str:
    names = _numbered(tree)
    parts: list[str] = [_dump(tree.game, names), str(tree.contest)]
    parts += [str(p.is_int) for p in tree.params]
    parts += [_dump(e, names) for e in tree.enums]
    declared = {k: v for k, v in names.items() if not k.startswith(".")}  # columns are no fields
    for row in tree.rows:
        columns = [dataclasses.replace(c, name=f"C{k}") for k, c in enumerate(row.columns)]
        parts.append("row " + ";".join(_dump(c, declared) for c in columns))
    parts += [_dump(f, names) for f in tree.fields]
    parts += [_dump(block, names) for block in (tree.reset, tree.step, tree.view)]
    return "\n".join(parts)


_FIELD_KEYS = {"field", "table"}


def _dump(
    node: Any, names: dict[str, str], *, sites: bool = True, memo: _Memo | None = None
) -> str:
    if memo is not None and id(node) in memo:
        return memo[id(node)][1]
    kind = type(node)
    if kind is tuple:
        items: list[str] = []
        for item in node:  # no comprehension: it would take a stack frame more at every level
            items += (_dump(item, names, sites=sites, memo=memo),)
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
            parts.append(f"{name}={_dump(value, names, sites=sites, memo=memo)}")
    text = "<" + " ".join(parts) + ">"
    if memo is not None:
        memo[id(node)] = node, text
    return text


_SHORT = (T.Literal, T.Painted)
_DUMPED = {
    kind: tuple(name for name in _field_names(kind) if name not in ("line", "helper"))
    for kind in (*_NODES, Array, Field, Grid, Look, Range, RowDecl, TableRef)
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
            return f"#paint{_dump(type_, names)}"
        case Game(size=size, players=players, turns=turns, verbs=verbs, camera=camera):
            return f"game{size}{players}{turns}{verbs}{'' if camera == 'player' else camera}"
        case EnumDecl(looks=looks):
            return "enum" + repr([(k.color, k.tags) for k in looks])
        case Param():
            return "param"
    return repr(node)
