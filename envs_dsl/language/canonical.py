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
from envs_dsl.language.types import FLOAT, INT, EnumDecl, Game, Param, Scalar

__all__ = ["Hashes", "canonical", "hashes", "literals"]


@dataclasses.dataclass(frozen=True, slots=True)
class Hashes:
    """16 hexadecimal characters each."""

    skeleton: str
    program: str


def canonical(tree: T.Tree) -> T.Tree:
    """The canonical form: same behaviour, one spelling. Idempotent."""
    blocks = [_Renamer().block(_live(b)) for b in (tree.reset, tree.step, tree.view)]
    for rewriter in (_Sites(), _Sorter(), _Slots()):
        blocks = [rewriter.block(block) for block in blocks]
    reset, step, view = blocks
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
        if isinstance(node, tuple):
            return tuple(self.visit(item) for item in node)
        if not dataclasses.is_dataclass(node) or isinstance(node, Scalar):
            return node
        changed = {}
        for name in _order(node):
            value = getattr(node, name)
            if isinstance(value, tuple) or dataclasses.is_dataclass(value):
                changed[name] = self.visit(value)
        rebuilt = dataclasses.replace(node, **changed) if changed else node  # type: ignore[type-var]
        return self.leave(rebuilt)

    def leave(self, node: Any) -> Any:
        return node


def _order(node: Any) -> list[str]:
    """Field names in evaluation order: the value of an assignment before the target's index."""
    names = [f.name for f in dataclasses.fields(node) if f.name not in ("type", "var_type")]
    return ["value", "target"] if isinstance(node, T.Assign) else names


class _Renamer(_Rewriter):
    """Locals, loop variables and rows become v0, v1, … by order of appearance."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}")

    def visit(self, node: Any) -> Any:
        if isinstance(node, T.For):
            node = dataclasses.replace(node, var=self.name(node.var))
        elif isinstance(node, T.Inline):
            params = tuple((self.name(n), self.visit(v)) for n, v in node.params)
            return dataclasses.replace(node, helper="", params=params, body=self.block(node.body))
        return super().visit(node)

    def leave(self, node: Any) -> Any:
        match node:
            case T.LocalRef(name=name) | T.LocalTarget(name=name):
                return dataclasses.replace(node, name=self.name(name))
            case T.Column(row=row) | T.Kill(row=row):
                return dataclasses.replace(node, row=self.name(row))
            case T.Place(row=str(row)):
                return dataclasses.replace(node, row=self.name(row))
        return node


class _Sites(_Rewriter):
    """Numbers the draw sites in evaluation order, over reset, step and view."""

    def __init__(self) -> None:
        self.next = 0

    def leave(self, node: Any) -> Any:
        if isinstance(node, T.Call) and TABLE[node.op].draws:
            node = dataclasses.replace(node, site=self.next)
            self.next += 1
        return node


class _Sorter(_Rewriter):
    """Orders the two operands of a commutative operator, where they have one type."""

    def __init__(self) -> None:
        self.keys: _Memo = {}

    def leave(self, node: Any) -> Any:
        if isinstance(node, T.Call) and TABLE[node.op].commutes and len(node.args) == 2:
            first, second = node.args
            if first.type == second.type and _key(second, self.keys) < _key(first, self.keys):
                return dataclasses.replace(node, args=(second, first))
        return node


_Memo = dict[int, tuple[Any, str]]
"""``id`` of a node → the node (so that the id stays its own) and its text."""


def _key(node: Any, memo: _Memo) -> str:
    """Structure of an expression without its literal values and draw sites."""
    return _dump(node, {}, sites=False, memo=memo)


class _Slots(_Rewriter):
    """Numbers the literals, Int and Float apart."""

    def __init__(self) -> None:
        self.next = {INT: 0, FLOAT: 0}

    def leave(self, node: Any) -> Any:
        if isinstance(node, T.Literal):
            node = dataclasses.replace(node, slot=self.next[node.type])
            self.next[node.type] += 1
        elif isinstance(node, T.Painted):
            node = dataclasses.replace(node, slot=self.next[INT])
            self.next[INT] += len(node.cells)
        return node


# --- text of the structure ----------------------------------------------------------------------


def _skeleton_text(tree: T.Tree) -> str:
    names: dict[str, str] = {}
    for i, enum in enumerate(tree.enums):
        names[enum.name] = f"E{i}"
    for i, row in enumerate(tree.rows):
        names[row.name] = f"R{i}"
    for i, field in enumerate(tree.fields):
        names[f".{field.name}"] = f"F{i}"
    parts: list[str] = [_dump(tree.game, names), str(tree.contest)]
    parts += [str(p.is_int) for p in tree.params]
    parts += [_dump(e, names) for e in tree.enums]
    for row in tree.rows:
        parts.append("row " + ";".join(_dump(c, names) for c in row.columns))
    parts += [_dump(f, names) for f in tree.fields]
    parts += [_dump(block, names) for block in (tree.reset, tree.step, tree.view)]
    return "\n".join(parts)


_FIELD_KEYS = {"field", "table"}


def _dump(
    node: Any, names: dict[str, str], *, sites: bool = True, memo: _Memo | None = None
) -> str:
    if memo is not None and id(node) in memo:
        return memo[id(node)][1]
    match node:
        case T.Literal(type=type_):
            return f"#{type_.kind}"
        case T.Painted(type=type_):
            return f"#paint{_dump(type_, names)}"
        case Scalar(kind=kind, enum=enum):
            return f"{kind}{names.get(enum, enum)}"
        case Game(size=size, players=players, turns=turns, verbs=verbs, camera=camera):
            return f"game{size}{players}{turns}{verbs}{'' if camera == 'player' else camera}"
        case EnumDecl(looks=looks):
            return "enum" + repr([(k.color, k.tags) for k in looks])
        case Param():
            return "param"
        case tuple():
            items: list[str] = []
            for item in node:  # no comprehension: it would take a stack frame more at every level
                items += (_dump(item, names, sites=sites, memo=memo),)
            return "(" + ",".join(items) + ")"
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        parts = [type(node).__name__]
        for field in dataclasses.fields(node):
            value = getattr(node, field.name)
            if field.name in ("line", "helper") or (field.name == "site" and not sites):
                continue
            if field.name in _FIELD_KEYS and isinstance(value, str):
                value = names.get(f".{value}", value)
            elif field.name == "name" and f".{value}" in names and type(node).__name__ == "Field":
                value = names[f".{value}"]
            elif field.name in ("row_type", "index") and isinstance(value, str):
                value = names.get(value, value)
            parts.append(f"{field.name}={_dump(value, names, sites=sites, memo=memo)}")
        text = "<" + " ".join(parts) + ">"
        if memo is not None:
            memo[id(node)] = node, text
        return text
    return repr(node)
