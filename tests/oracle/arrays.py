"""One copy of a back end's arrays as the oracle's plain values."""

from __future__ import annotations

from typing import Any

from envs_dsl.backends.state import outcome_name
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Grid, TableRef

from .episode import State
from .values import element

__all__ = ["one_copy"]


def one_copy(tree: Tree, state: Any, copy: int = 0) -> State:
    """Copy ``copy`` of a back end's ``State`` (NumPy arrays)."""
    fields: dict[str, Any] = {}
    for field in tree.fields:
        value = state.fields[field.name]
        if isinstance(field.type, TableRef):
            columns = tree.row(field.type.row_type).columns
            fields[field.name] = [
                {"alive": bool(value["alive"][copy, i])}
                | {c.name: _plain(value[c.name][copy, i].tolist(), c.type, 0) for c in columns}
                for i in range(field.capacity)
            ]
        else:
            depth = {Grid: 2, Array: 1}.get(type(field.type), 0)
            fields[field.name] = _plain(value[copy].tolist(), field.type, depth)
    return State(
        fields=fields,
        seed=tuple(state.seed[copy].tolist()),
        params=tuple(state.params[copy].tolist()),
        t=int(state.t[copy]),
        turn=int(state.turn[copy]),
        outcome=outcome_name(int(state.outcome[copy])),
        total=state.total[copy].tolist(),
        score=state.score[copy].tolist(),
        last_action=state.last_action[copy].tolist(),
        last_reward=state.last_reward[copy].tolist(),
        fault=bool(state.fault[copy]),
        illegal=int(state.illegal[copy]),
    )


def _plain(value: Any, type_: Any, depth: int) -> Any:
    """Lists of pairs as lists of tuples."""
    if depth:
        return [_plain(item, type_, depth - 1) for item in value]
    return tuple(value) if element(type_).kind in ("Pos", "Vec2") else value
