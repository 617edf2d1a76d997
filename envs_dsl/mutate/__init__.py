"""Typed mutation of programs: every mutant checks again, and differs from its parent.

Small operators change one value, expression or statement. Structural ones build a new skeleton:
they add or remove a whole mechanic (a creature, a kind of ground, a control, a meter), add a goal
or put another in its place, or carry a feature over from a donor. ``mutate`` is deterministic in
its seed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.parse import parse
from envs_dsl.language.tree import Act, walk
from envs_dsl.language.unparse import unparse
from envs_dsl.mutate import blocks, small
from envs_dsl.mutate.entities import hazard, prey
from envs_dsl.mutate.graft import graft
from envs_dsl.mutate.objectives import OBJECTIVES
from envs_dsl.mutate.patch import Patch, apply
from envs_dsl.mutate.prune import prune, tidy
from envs_dsl.mutate.scene import Scene, scene
from envs_dsl.mutate.subject import Subject, open_subject
from envs_dsl.mutate.terrain import CONTROLS, METERS, TERRAIN
from envs_dsl.program import Program, check

__all__ = ["OPERATORS", "STRUCTURAL", "Mutation", "move_params", "mutate"]

TRIES = 30


class Mutation(NamedTuple):
    """A mutant: its canonical text and the operator that made it."""

    source: str
    operator: str


def _mechanics(
    *builders: Callable[[Scene], Patch | None], board: bool = False
) -> Callable[[Subject, Random], bool]:
    """An operator that adds one mechanic of a kind; with ``board`` only where there is a board."""

    def operator(subject: Subject, rng: Random) -> bool:
        where = scene(subject, rng)
        if where is not None and board and not where.board:
            return False
        patch = rng.choice(builders)(where) if where is not None else None
        return patch is not None and apply(subject, patch)

    return operator


def _objective(mode: str) -> Callable[[Subject, Random], bool]:
    """An operator that adds a goal to the ones there are, or puts it in their place."""

    def operator(subject: Subject, rng: Random) -> bool:
        where = scene(subject, rng)
        patch = rng.choice(OBJECTIVES)(where) if where is not None else None
        if patch is None:
            return False
        patch.mode = "instead" if mode == "instead" else patch.mode
        return apply(subject, patch)

    return operator


_OPERATORS: dict[str, tuple[Callable[[Subject, Random], bool], float]] = {
    "jitter_param": (small.jitter_param, 1.0),
    "jitter_literal": (small.jitter_literal, 1.0),
    "swap_member": (small.swap_member, 1.0),
    "swap_operator": (small.swap_operator, 1.0),
    "sibling_builtin": (small.sibling_builtin, 1.0),
    "replace_subtree": (small.replace_subtree, 2.0),
    "resize": (small.resize, 1.0),
    "add_guard": (blocks.add_guard, 1.0),
    "remove_guard": (blocks.remove_guard, 1.0),
    "duplicate_statement": (blocks.duplicate_statement, 1.0),
    "move_statement": (blocks.move_statement, 0.5),
    "delete_statement": (blocks.delete_statement, 1.0),
    "move_win": (blocks.move_win, 2.0),
    "add_entity": (_mechanics(hazard, hazard, prey), 4.0),
    "add_field": (_mechanics(*METERS), 2.0),
    "add_terrain": (_mechanics(*TERRAIN, board=True), 4.0),
    "add_control": (_mechanics(*CONTROLS), 3.0),
    "add_objective": (_objective("and"), 4.0),
    "swap_objective": (_objective("instead"), 6.0),
    "prune": (prune, 2.0),
}
_GRAFT_WEIGHT = 5.0

OPERATORS: tuple[str, ...] = (*_OPERATORS, "graft")
"""Every operator; "graft" needs a donor."""

STRUCTURAL: tuple[str, ...] = (
    "add_entity", "add_field", "add_terrain", "add_control", "add_objective", "swap_objective",
    "prune", "graft",
)  # fmt: skip
"""Those that add, remove or exchange a whole mechanic."""


def mutate(
    program: Program, seed: int, operator: str | None = None, donor: Program | None = None
) -> Mutation | None:
    """A mutant of ``program``, or None when about 30 tries gave none.

    Args:
      program: the parent.
      seed: the same seed gives the same mutant.
      operator: one of ``OPERATORS``; by default one is drawn, structural ones more often.
      donor: the program that "graft" takes a feature from; without one it is never drawn.

    Raises:
      ValueError: no such operator, or "graft" without a donor.
    """
    if operator is not None and operator not in OPERATORS:
        raise ValueError(f"unknown operator {operator!r}: use one of {', '.join(OPERATORS)}")
    if operator == "graft" and donor is None:
        raise ValueError("graft needs a donor program")
    parent = canonical_text(program.source)
    for attempt in range(TRIES):
        rng = Random(f"{program.hashes.program}:{seed}:{attempt}")
        name = operator or _draw(rng, with_graft=donor is not None)
        source = _attempt(program.source, name, rng, donor)
        if source is None or source in (parent, program.source):
            continue
        child = check(source, program.name).program
        if child is not None and child != program and _is_played(child):
            return Mutation(source, name)
    return None


def _is_played(program: Program) -> bool:
    """Whether ``step`` reads what the player does at all: the checker only asks this of verbs."""
    return any(isinstance(node, Act) for node in walk(program.tree.step))


def _draw(rng: Random, *, with_graft: bool) -> str:
    names = [*_OPERATORS]
    weights = [weight for _, weight in _OPERATORS.values()]
    if with_graft:
        names.append("graft")
        weights.append(_GRAFT_WEIGHT)
    return rng.choices(names, weights)[0]


def _attempt(source: str, name: str, rng: Random, donor: Program | None) -> str | None:
    subject = open_subject(source)
    if subject is None:
        return None
    if name == "graft":
        giver = open_subject(donor.source) if donor is not None else None
        done = giver is not None and graft(subject, giver, rng)
    else:
        done = _OPERATORS[name][0](subject, rng)
    if not done:
        return None
    tidy(subject)
    return unparse(subject.module)


def move_params(program: Program, seed: int, harder: bool) -> str | None:
    """The program with one or more parameter values moved to the harder or the easier side.

    Returns:
      Canonical text, or None where no parameter with ``harder`` can move that way.
    """
    rng = Random(f"{program.hashes.program}:{seed}:{harder}")
    subject = open_subject(program.source)
    if subject is None:
        return None
    sides = {p.name: p.harder for p in program.params}
    lines = [n for n in subject.params if sides[_name(n)] is not None]
    moved = False
    rng.shuffle(lines)
    for line in lines[: rng.randint(1, max(1, len(lines)))]:
        up = (sides[_name(line)] == "up") == harder
        moved = small.change_param(line, rng.uniform(0.1, 0.35) * (1 if up else -1)) or moved
    return unparse(subject.module) if moved else None


def _name(line: ast.Assign) -> str:
    assert isinstance(line.targets[0], ast.Name)
    return line.targets[0].id


def canonical_text(source: str) -> str:
    """A program's text as ``unparse`` writes it, without comments."""
    module = parse(source, Diagnostics())
    return source if module is None else unparse(module)
