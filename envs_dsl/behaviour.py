"""What a program does when fixed scripts play it: a hash to find copies, features to compare.

Both come from the same short roll-outs on the NumPy back end (nothing is compiled): two
levels × (doing nothing, each single action, random play, sweeps over the board), with the declared
parameters.

The *hash* covers, for every script and step, rewards (to 1e-3), outcome and time of the end, and
the motion: where the players stand, how many cells of the enum grid changed, and how many rows and
set cells there are. The motion is part of it because scripts alone seldom reach a sparse reward:
without it all games in which nothing pays by chance would be one. Names, colours and tags are not.
For the same reason it covers the shortest win on both levels, where a short search finds one:
scripts that never win would not see that another thing is asked for.

The *features* describe the same roll-outs and the program's structure as numbers of similar size,
for distances between programs; ``FEATURES`` names them.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from envs_dsl.backends import numpy_backend
from envs_dsl.behaviour_features import FEATURES, features_of
from envs_dsl.certify import Certificate, certify, limits_for
from envs_dsl.interface.plan import plan_of, player_place
from envs_dsl.language.types import Grid, TableRef
from envs_dsl.language.vocabulary import MOVES

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = [
    "FEATURES",
    "Behaviour",
    "Trace",
    "behaviour",
    "behaviour_features",
    "behaviour_hash",
    "trace",
]

LEVELS = 2
STEPS = 96
RANDOM, SWEEPS = 6, 3
SEARCHED = 4000
"""Levels and steps of the scripts; scripts of a kind; states of the search for a short win."""


class Trace(NamedTuple):
    """Roll-outs of the fixed scripts; T steps of B copies, S seats. After the end nothing changes.

    Attributes:
      scripts: the script of each copy: "noop", "constant", "random" or "sweep".
      actions: int32[T, B, S]. reward: float32[T, B, S]. outcome: int32[T, B].
      running: bool[T, B], the episode had not ended before this step.
      place: int32[T + 1, B, S, 2], cells of the players.
      changed: int32[T, B], cells of the enum grid that changed.
      rows: int32[T + 1, B], rows in use. marked: int32[T + 1, B], set cells of Bool grids.
      board: int32[B, H, W] the enum grid at the start, None without one.
      fault: bool[B].
    """

    scripts: tuple[str, ...]
    actions: np.ndarray
    reward: np.ndarray
    outcome: np.ndarray
    running: np.ndarray
    place: np.ndarray
    changed: np.ndarray
    rows: np.ndarray
    marked: np.ndarray
    board: np.ndarray | None
    fault: np.ndarray


class Behaviour(NamedTuple):
    """Hash, features float32[F], the environment steps that finding them took, the short search."""

    hash: str
    features: np.ndarray
    env_steps: int
    wins: Certificate


@functools.lru_cache(maxsize=256)
def behaviour(program: Program) -> Behaviour:
    """Both answers from one set of roll-outs."""
    found, wins = trace(program), _wins(program)
    steps = int(found.running.sum()) + sum(s.states for level in wins.levels for s in level.sides)
    return Behaviour(_digest(found, wins), features_of(program, found), steps, wins)


def behaviour_hash(program: Program) -> str:
    """16 hexadecimal characters; equal for programs that the scripts cannot tell apart."""
    return behaviour(program).hash


def behaviour_features(program: Program) -> np.ndarray:
    """float32[len(FEATURES)], a copy."""
    return behaviour(program).features.copy()


def trace(program: Program) -> Trace:
    """Play the scripts."""
    backend = numpy_backend(program)
    constants = backend.constants(program)
    scripts, actions = _scripts(program)
    copies = len(scripts)
    levels = np.arange(copies, dtype=np.int32) % LEVELS
    seeds = np.stack([levels + 1, np.full(copies, 7, np.int32)], 1)
    params = np.broadcast_to(program.default_params(), (copies, len(program.params)))
    state = backend.reset(constants, seeds, np.ascontiguousarray(params))
    tree = program.tree
    plan = plan_of(tree)
    board = "" if plan.slots.looks is None else plan.slots.looks.name
    first = np.array(state.fields[board]) if board else None
    places, rows, marked = (
        [_places(plan, state)],
        [_rows(program, state)],
        [_marked(program, state)],
    )
    reward: list[np.ndarray] = []
    outcome: list[np.ndarray] = []
    running: list[np.ndarray] = []
    changed: list[np.ndarray] = []
    alive = np.ones(copies, bool)
    for t in range(actions.shape[0]):
        before = state.fields[board] if board else None
        following, out = backend.step(constants, state, actions[t])
        running.append(alive)
        reward.append(np.where(alive[:, None], out.reward, 0))
        outcome.append(np.where(alive, following.outcome, outcome[-1] if outcome else 0))
        moved = 0 if before is None else (following.fields[board] != before).sum((1, 2))
        changed.append(np.where(alive, moved, 0))
        state = following
        for track, value in (
            (places, _places(plan, state)),
            (rows, _rows(program, state)),
            (marked, _marked(program, state)),
        ):
            mask = alive.reshape(-1, *(1,) * (value.ndim - 1))
            track.append(np.where(mask, value, track[-1]))
        alive = alive & ~(out.terminated | out.truncated)
        if not alive.any():
            break
    return Trace(
        scripts,
        actions[: len(reward)],
        np.stack(reward),
        np.stack(outcome),
        np.stack(running),
        np.stack(places),
        np.stack(changed),
        np.stack(rows),
        np.stack(marked),
        first,
        np.asarray(state.fault),
    )


def _scripts(program: Program) -> tuple[tuple[str, ...], np.ndarray]:
    """Scripts of all copies and their actions int32[T, B, S]; copies alternate between levels."""
    game = program.game
    steps = min(game.max_steps, STEPS)
    legal = np.asarray(game.actions, np.int32)
    verbs = game.actions[len(MOVES) :]
    names: list[str] = []
    columns: list[np.ndarray] = []  # int32[T, S]
    for action in legal:
        names.append("constant" if action else "noop")
        columns.append(np.full((steps, game.players), action, np.int32))
    for k in range(RANDOM):
        names.append("random")
        bits = _bits(k, steps * game.players).reshape(steps, game.players)
        columns.append(legal[bits % len(legal)])
    for k in range(SWEEPS):
        names.append("sweep")
        columns.append(np.tile(_sweep(k, steps, game.size, verbs)[:, None], (1, game.players)))
    doubled = [column for column in columns for _ in range(LEVELS)]
    return tuple(n for n in names for _ in range(LEVELS)), np.stack(doubled, 1)


def _sweep(kind: int, steps: int, size: tuple[int, int], verbs: Sequence[int]) -> np.ndarray:
    """Row by row over the board, column by column, or in circles that widen: int32[steps]."""
    up, down, left, right = 1, 2, 3, 4
    if kind == 0:
        loop = [up] * size[0] + [left] * size[1]
        for _ in range(size[0]):
            loop += [right] * (size[1] - 1) + [down] + [left] * (size[1] - 1) + [down]
    elif kind == 1:
        loop = [left] * size[1] + [up] * size[0]
        for _ in range(size[1]):
            loop += [down] * (size[0] - 1) + [right] + [up] * (size[0] - 1) + [right]
    else:
        loop = []
        for side in range(1, max(size)):
            for move in (right, down) if side % 2 else (left, up):
                loop += [move] * side
    if verbs:  # every third step a verb
        loop = [verbs[i // 3 % len(verbs)] if i % 3 == 2 else m for i, m in enumerate(loop)]
    return np.resize(np.asarray(loop, np.int32), steps)


def _bits(stream: int, count: int) -> np.ndarray:
    """Random numbers of our own (splitmix64), the same whatever NumPy's version: int64[count]."""
    with np.errstate(over="ignore"):
        x = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(stream * 1_000_003)
        x = x * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((x ^ (x >> np.uint64(31))) >> np.uint64(33)).astype(np.int64)


def _places(plan: Any, state: Any) -> np.ndarray:
    """int32[B, S, 2]"""
    return np.stack([player_place(np, plan, state, s).cell for s in range(plan.game.players)], 1)


def _rows(program: Program, state: Any) -> np.ndarray:
    tables = [f.name for f in program.tree.fields if isinstance(f.type, TableRef)]
    counts = [state.fields[name]["alive"].sum(1) for name in tables]
    return np.asarray(sum(counts, np.zeros(state.t.shape[0], np.int64)), np.int32)


def _marked(program: Program, state: Any) -> np.ndarray:
    grids = [
        f.name
        for f in program.tree.fields
        if isinstance(f.type, Grid) and f.type.elem.kind == "Bool"
    ]
    counts = [state.fields[name].sum((1, 2)) for name in grids]
    return np.asarray(sum(counts, np.zeros(state.t.shape[0], np.int64)), np.int32)


def _wins(program: Program) -> Certificate:
    return certify(program, range(1, LEVELS + 1), limits_for(program, SEARCHED, 10_000_000))


def _digest(found: Trace, wins: Certificate) -> str:
    hasher = hashlib.sha256()
    hasher.update(np.rint(found.reward * 1000).astype(np.int32).tobytes())
    for part in (
        found.outcome,
        found.running,
        found.place,
        found.changed,
        found.rows,
        found.marked,
    ):
        hasher.update(np.ascontiguousarray(part, np.int32).tobytes())
    lengths = [s.length if s.shortest else None for level in wins.levels for s in level.sides]
    hasher.update(repr(lengths).encode())
    return hasher.hexdigest()[:16]
