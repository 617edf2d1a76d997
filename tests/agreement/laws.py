"""What must hold of every program, whatever it does; in words, where it does not."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
from oracle import Oracle, one_copy

from envs_dsl import Program
from envs_dsl.backends import numpy_backend, take
from envs_dsl.backends.backend import Backend
from envs_dsl.backends.numpy_ops import NUMPY
from envs_dsl.language import check
from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.canonical import canonical, literals
from envs_dsl.language.parse import parse_python
from envs_dsl.language.unparse import unparse

from .counted import measured
from .decoder import lost
from .episodes import Episodes, same_leaves
from .same import difference

__all__ = ["broken_laws"]


def broken_laws(program: Program, episodes: Episodes) -> list[str]:
    """The laws that do not hold of this program, one text for each."""
    return [
        f"{law.__name__.strip('_')}: {words}" for law in LAWS for words in law(program, episodes)
    ]


def _cost(program: Program, episodes: Episodes) -> Iterator[str]:
    """The static cost is what the walker does with the program as it was written.

    Neither dead code nor arms that nobody takes change what comes out.
    """
    tree = _written(program)
    ints, floats = literals(tree)
    constants = (
        numpy_backend(program)
        .constants(program)
        ._replace(ints=np.asarray(ints, np.int32), floats=np.asarray(floats, np.float32))
    )
    found, fresh, after = measured(tree, constants, episodes)
    if found != program.cost:
        yield f"{program.cost} is foretold, {found} is measured"
    if not same_leaves(fresh, episodes.states[0]) or not same_leaves(after, episodes.states[1]):
        yield "walking every arm gives another state"


def _canonical_form(program: Program, episodes: Episodes) -> Iterator[str]:
    """Canonical form is idempotent, and behaves as the program that was written."""
    if canonical(program.tree) != program.tree:
        yield "not idempotent"
    one, two = Oracle(program.tree), Oracle(_written(program))
    seed, params = tuple(episodes.seeds[0].tolist()), tuple(episodes.params[0].tolist())
    if one.reset(seed, params) != two.reset(seed, params):
        yield "another reset"
    state = one_copy(program.tree, episodes.states[0])
    for actions in episodes.actions[:3]:
        first, second = (oracle.step(state, actions[0].tolist()) for oracle in (one, two))
        if repr(first) != repr(second):  # NaN is unlike itself
            yield "another step"
        state = first.state


def _written(program: Program) -> T.Tree:
    """The tree as it was written: only draw sites and literals are numbered, in their order."""
    with mock.patch.object(check, "canonical", lambda tree: tree):
        tree = check.analyse(program.source).tree
    assert tree is not None
    sites, slots = iter(range(1 << 20)), {"Int": 0, "Float": 0}

    def visit(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(visit(item) for item in node)
        if not dataclasses.is_dataclass(node) or isinstance(node, type):
            return node
        names = [f.name for f in dataclasses.fields(node) if f.name not in ("type", "var_type")]
        if isinstance(node, T.Assign):
            names = ["value", "target"]
        changed = {name: visit(getattr(node, name)) for name in names}
        node = dataclasses.replace(node, **changed)  # type: ignore[type-var]
        if isinstance(node, T.Call) and TABLE[node.op].draws:
            node = dataclasses.replace(node, site=next(sites))
        if isinstance(node, T.Literal | T.Painted):
            kind = node.type.kind if isinstance(node, T.Literal) else "Int"
            node = dataclasses.replace(node, slot=slots[kind])
            slots[kind] += 1 if isinstance(node, T.Literal) else len(node.cells)
        return node

    reset, step, view = visit(tree.reset), visit(tree.step), visit(tree.view)
    return dataclasses.replace(tree, reset=reset, step=step, view=view)


def _spelling(program: Program, episodes: Episodes) -> Iterator[str]:
    """Printing and parsing again gives the same program."""
    module = parse_python(program.source)
    text = unparse(module)
    if ast.dump(parse_python(text)) != ast.dump(module):
        yield "another syntax tree"
    if unparse(parse_python(text)) != text:
        yield "another text"
    if Program.from_source(text).hashes != program.hashes:
        yield "other hashes"


def _hoisting(program: Program, episodes: Episodes) -> Iterator[str]:
    """Numbers that are arguments give what numbers in the tree give."""

    def visit(node: Any) -> Any:
        match node:
            case tuple():
                return tuple(visit(item) for item in node)
            case T.Literal(value=value, type=type_):
                return T.Const(value, type_)  # type: ignore[arg-type]
        if not dataclasses.is_dataclass(node) or isinstance(node, type):
            return node
        names = [f.name for f in dataclasses.fields(node) if f.name not in ("type", "var_type")]
        return dataclasses.replace(node, **{n: visit(getattr(node, n)) for n in names})  # type: ignore[type-var]

    tree = program.tree
    baked = dataclasses.replace(tree, reset=visit(tree.reset), step=visit(tree.step))
    back = Backend(baked, NUMPY)
    constants = back.constants(program)
    if not any(isinstance(node, T.Painted) for node in _all_nodes(baked)):
        none = constants.ints[:0], constants.floats[:0]
        constants = constants._replace(ints=none[0], floats=none[1])
    fresh = back.reset(constants, episodes.seeds, episodes.params)
    after, _ = back.step(constants, episodes.states[0], episodes.actions[0])
    if not same_leaves(fresh, episodes.states[0]) or not same_leaves(after, episodes.states[1]):
        yield "another state"


def _all_nodes(tree: T.Tree) -> Iterator[object]:
    stack: list[object] = [*tree.reset, *tree.step]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(T.children(node))


def _observation(program: Program, episodes: Episodes) -> Iterator[str]:
    """With the full view, every field that is not hidden can be read back."""
    for state in (episodes.states[0], episodes.states[-1]):
        words = lost(program.tree, state, program.game.max_steps)
        if words:
            yield words


def _determinism(program: Program, episodes: Episodes) -> Iterator[str]:
    """A copy goes the same way alone, and in another place of a larger batch."""
    back = numpy_backend(program)
    constants, tree = back.constants(program), program.tree
    copies = len(episodes.seeds)
    for order in ([copies - 1], [*range(copies)][::-1] * 3):
        rows = np.array(order)
        state = back.reset(constants, episodes.seeds[rows], episodes.params[rows])
        where = order.index(copies - 1)
        for t, actions in enumerate([None, *episodes.actions]):
            if actions is not None:
                before = take(episodes.states[t - 1], rows)
                state, _ = back.step(constants, before, actions[rows])
            want = one_copy(tree, episodes.states[t], copies - 1)
            words = difference(tree, [want], one_copy(tree, state, where))
            if words:
                yield f"in a batch of {len(order)}: {words}"
                return


def _drawings(program: Program, episodes: Episodes) -> Iterator[str]:
    """``view`` draws in NumPy what it draws in the oracle."""
    back, state = numpy_backend(program), episodes.states[-1]
    shapes = back.view(back.constants(program), state)
    for copy in range(2):
        got = []
        for shape in shapes:
            if shape.mask is None or shape.mask[copy % len(shape.mask)]:
                args = [arg[copy % len(arg)].tolist() for arg in shape.args]
                seat = None if shape.seat is None else int(shape.seat[copy % len(shape.seat)])
                got.append((shape.kind, args, shape.color, seat))
        want = Oracle(program.tree).view(one_copy(program.tree, state, copy))
        words = f"{want} and {got}"[:300]
        if [(d.kind, d.color, d.seat) for d in want] != [(k, c, s) for k, _, c, s in got]:
            yield words
        for drawing, (_, args, _, _) in zip(want, got):
            for one, two in zip(drawing.args, args):
                if not np.allclose(one, two, rtol=1e-4, atol=1e-3, equal_nan=True):
                    yield words


LAWS = (_cost, _canonical_form, _spelling, _hoisting, _observation, _determinism, _drawings)
