"""Numbers that describe a program: how it plays under the fixed scripts, and how it is built."""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING

import numpy as np

from envs_dsl.backends.state import DRAW, LOSE, success
from envs_dsl.language import tree as T
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.slots import look_codes
from envs_dsl.language.types import Array, Grid, Scalar, TableRef
from envs_dsl.language.vocabulary import MOVES, TAGS

if TYPE_CHECKING:
    from envs_dsl.behaviour import Trace
    from envs_dsl.program import Program

__all__ = ["FEATURES", "features_of"]

_SCRIPTS = ("random", "sweep", "noop")
_GROUPS = ("geometry", "grids", "tables", "random", "math", "vectors")
_KINDS = ("Bool", "Int", "Float", "Enum", "Pos", "Dir", "Vec2")

FEATURES: tuple[str, ...] = (
    *(f"{end} {script}" for script in _SCRIPTS for end in ("win", "lose", "draw")),
    *(f"length {script}" for script in _SCRIPTS),
    "reward per episode", "reward spread", "paid steps", "fines", "reward after moves",
    "reward after verbs", "cells visited", "steps moved", "moves blocked", "carried without moving",
    "cells changed", "rows in use", "rows gained or lost", "cells marked",
    *(f"tag {tag}" for tag in TAGS),
    *(f"fields {kind}" for kind in _KINDS),
    "tables", "hidden fields", "grids", "verbs", "seats", "contest", "parameters", "board side",
    "step limit", "work", "depth", "draws", "conditions", "loops", "ways to win", "ways to lose",
    *(f"calls {group}" for group in _GROUPS),
)  # fmt: skip
"""Names of the features, in order. All lie in [0, 1]; shares are shares, counts are squashed."""


def features_of(program: Program, trace: Trace) -> np.ndarray:
    """float32[len(FEATURES)]."""
    values = [*_ends(trace), *_rewards(trace), *_motion(program, trace)]
    values += [*_tags(program, trace), *_structure(program)]
    assert len(values) == len(FEATURES)
    return np.clip(np.asarray(values, np.float32), 0, 1)


def _squash(value: float, half: float) -> float:
    """0 → 0, ``half`` → 0.5, infinity → 1."""
    return float(value / (value + half)) if value > 0 else 0.0


def _ends(trace: Trace) -> list[float]:
    final = trace.outcome[-1]
    lengths = trace.running.sum(0)
    scripts = np.asarray(trace.scripts)
    shares, times = [], []
    for script in _SCRIPTS:
        mine = np.flatnonzero(scripts == script)
        ends = final[mine]
        shares += [success(ends).mean(), (ends == LOSE).mean(), (ends == DRAW).mean()]
        times.append(_squash(lengths[mine].mean(), 30))
    return [float(v) for v in (*shares, *times)]


def _rewards(trace: Trace) -> list[float]:
    reward = trace.reward[:, :, 0]
    total = reward.sum(0)
    played = max(1, int(trace.running.sum()))
    mine = trace.actions[:, :, 0]
    moves = trace.running & (mine > 0) & (mine < 5)
    verbs = trace.running & (mine >= 5)
    return [
        float((total.mean() + 1) / 2),
        float(total.std()),
        _squash((reward > 0).sum() / played, 0.05),
        _squash((reward < 0).sum() / played, 0.05),
        _squash(float(np.abs(reward[moves]).mean()) if moves.any() else 0.0, 0.02),
        _squash(float(np.abs(reward[verbs]).mean()) if verbs.any() else 0.0, 0.02),
    ]


def _motion(program: Program, trace: Trace) -> list[float]:
    rows, cols = program.game.size
    place = trace.place[:, :, 0].astype(np.int64)
    step = place[1:] - place[:-1]
    moved = np.abs(step).sum(-1) > 0
    actions = trace.actions[:, :, 0]
    tried = trace.running & (actions > 0) & (actions < len(MOVES))
    idle = trace.running & ~tried
    on_board = np.asarray((place >= 0).all(-1) & (place < (rows, cols)).all(-1))
    cells = place[..., 0] * cols + place[..., 1]
    visited = [len(np.unique(cells[on_board[:, b], b])) for b in range(cells.shape[1])]
    played = max(1, int(trace.running.sum()))
    return [
        float(np.mean(visited)) / (rows * cols),
        float(moved.sum()) / played,
        float((tried & ~moved).sum()) / max(1, int(tried.sum())),
        float((idle & moved).sum()) / max(1, int(idle.sum())),
        _squash(float(trace.changed.sum()) / played, 1.0),
        _squash(float(trace.rows.mean()), 2.0),
        _squash(float(np.abs(np.diff(trace.rows, axis=0)).sum()) / played, 0.05),
        _squash(float(trace.marked.mean()), 10.0),
    ]


def _tags(program: Program, trace: Trace) -> list[float]:
    """Shares of the starting board's cells with each tag."""
    grid = next(
        (
            f.type
            for f in program.tree.fields
            if isinstance(f.type, Grid) and f.type.elem.kind == "Enum" and not f.hidden
        ),
        None,
    )
    if grid is None or trace.board is None:
        return [0.0] * len(TAGS)
    bits = np.asarray([code.tags for code in look_codes(program.tree.enum(grid.elem.enum))])
    tagged = bits[trace.board]
    return [_squash(float(((tagged >> i) & 1).mean()), 0.05) for i in range(len(TAGS))]


def _structure(program: Program) -> list[float]:
    tree, game = program.tree, program.game
    kinds: collections.Counter[str] = collections.Counter()
    for field in tree.fields:
        match field.type:
            case Scalar(kind=kind) | Array(elem=Scalar(kind=kind)):
                kinds[kind] += 1
            case TableRef():
                kinds["table"] += 1
            case Grid():
                kinds["grid"] += 1
        kinds["hidden"] += field.hidden
    nodes = list(T.walk((*tree.reset, *tree.step)))
    calls = collections.Counter(TABLE[n.op].group for n in nodes if isinstance(n, T.Call))
    effects = collections.Counter(n.op for n in nodes if isinstance(n, T.Effect))
    counts = [kinds[k] for k in (*_KINDS, "table", "hidden", "grid")]
    return [
        *(_squash(count, 2.0) for count in counts),
        _squash(len(game.verbs), 2.0),
        (game.players - 1) / 3,
        float(tree.contest),
        _squash(len(tree.params), 4.0),
        _squash(max(game.size), 10.0),
        _squash(game.max_steps, 100.0),
        math.log10(max(1, program.cost.work)) / 6,
        _squash(program.cost.depth, 10.0),
        _squash(program.cost.draws, 8.0),
        _squash(sum(isinstance(n, T.If) for n in nodes), 8.0),
        _squash(sum(isinstance(n, T.For) for n in nodes), 3.0),
        _squash(effects["win"], 2.0),
        _squash(effects["lose"], 2.0),
        *(_squash(calls[group], 6.0) for group in _GROUPS),
    ]
