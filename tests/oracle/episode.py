"""Reset, step and view of one copy of a program."""

from __future__ import annotations

import dataclasses
from typing import Any

from envs_dsl.language.tree import Tree
from envs_dsl.language.vocabulary import ACTIONS, MOVES

from .bits import block_of
from .interpreter import Drawing, Inputs, Interpreter
from .numbers import rounded, single
from .values import copied, fresh

__all__ = ["Oracle", "State", "Stepped"]


@dataclasses.dataclass
class State:
    """Everything that one copy remembers, as plain Python values (see ``values``).

    Attributes:
      fields: by name. seed: 64 bits as two int32. t: completed steps. turn: the seat on turn, where
      turns alternate. params: of the level.
      outcome: None, "win", "lose", "draw" or "win:i"; the first one stays.
      total: reward paid so far to each seat. score: the same before clamping.
      last_action, last_reward: of each seat. fault: something went wrong. illegal: how many
      actions so far were none of the program's.
    """

    fields: dict[str, Any]
    seed: tuple[int, int]
    params: tuple[float, ...]
    t: int = 0
    turn: int = 0
    outcome: str | None = None
    total: list[float] = dataclasses.field(default_factory=list)
    score: list[float] = dataclasses.field(default_factory=list)
    last_action: list[int] = dataclasses.field(default_factory=list)
    last_reward: list[float] = dataclasses.field(default_factory=list)
    fault: bool = False
    illegal: int = 0


@dataclasses.dataclass(frozen=True)
class Stepped:
    """What a step gave: the next state, the reward of each seat, how the episode stands."""

    state: State
    reward: list[float]
    terminated: bool
    truncated: bool


class Oracle:
    """One program, interpreted one copy at a time from its typed tree alone.

    Args:
      tree: ``Program.tree``.

    Attributes:
      work: element operations of what ran in the last ``reset`` or ``step``.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.work = 0

    def reset(self, seed: tuple[int, int], params: tuple[float, ...] | None = None) -> State:
        """A fresh level."""
        values = [p.value for p in self.tree.params] if params is None else params
        levels = tuple(single(float(v)) for v in values)
        fields = {field.name: fresh(self.tree, field) for field in self.tree.fields}
        run = Interpreter(self.tree, fields, Inputs(levels, 0, block_of(seed, -1)))
        run.run(self.tree.reset)
        self.work = run.work
        seats = self.tree.game.players
        return State(
            fields=run.fields,
            seed=seed,
            params=levels,
            total=[0.0] * seats,
            score=[0.0] * seats,
            last_action=[0] * seats,
            last_reward=[0.0] * seats,
            fault=run.fault,
        )

    def step(self, state: State, actions: list[int]) -> Stepped:
        """One step; ``actions`` has one index for every seat. ``state`` is not changed."""
        legal = {*range(len(MOVES)), *(ACTIONS.index(verb) for verb in self.tree.game.verbs)}
        seats = range(len(actions))
        if self.tree.game.turns == "alternate":  # what the others choose is not even looked at
            seats = range(state.turn, state.turn + 1)
        taken = [a if i in seats and a in legal else 0 for i, a in enumerate(actions)]
        illegal = sum(actions[i] not in legal for i in seats)
        fields = {name: copied(value) for name, value in state.fields.items()}
        for name, value in fields.items():
            if value and isinstance(value, list) and isinstance(value[0], dict):
                fields[name] = [dict(row) for row in value]
        block = block_of(state.seed, state.t)
        run = Interpreter(
            self.tree, fields, Inputs(state.params, state.t, block, tuple(taken), state.turn)
        )
        run.run(self.tree.step)
        self.work = run.work
        outcome, pay = state.outcome, run.shaping  # after the end the outcome pays nothing further
        if outcome is None:
            outcome = _named(run.outcome)
            pay = [x + self._verdict(outcome, seat) for seat, x in enumerate(pay)]
        total = [min(max(rounded(s + p), -1.0), 1.0) for s, p in zip(state.total, pay)]
        reward = [rounded(after - before) for after, before in zip(total, state.total)]
        after = State(
            fields=run.fields,
            seed=state.seed,
            params=state.params,
            t=state.t + 1,
            turn=self._next_turn(state.turn, run.again),
            outcome=outcome,
            total=total,
            score=[rounded(s + p) for s, p in zip(state.score, pay)],
            last_action=taken,
            last_reward=reward,
            fault=state.fault or run.fault,
            illegal=state.illegal + illegal,
        )
        return Stepped(after, reward, *self.ended(after))

    def ended(self, after: State) -> tuple[bool, bool]:
        """Whether the step that led to a state terminated or truncated the episode."""
        over = after.outcome is not None
        return over, not over and after.t >= self.tree.game.max_steps

    def view(self, state: State) -> list[Drawing]:
        """The drawings of the program's ``view``, in order."""
        fields = {name: copied(value) for name, value in state.fields.items()}
        inputs = Inputs(state.params, state.t, (0, 0), turn=state.turn)
        run = Interpreter(self.tree, fields, inputs)
        run.run(self.tree.view)
        return run.drawings

    def _next_turn(self, turn: int, again: bool) -> int:
        game = self.tree.game
        if game.turns != "alternate" or again:
            return turn
        return (turn + 1) % game.players

    @staticmethod
    def _verdict(outcome: str | None, seat: int) -> float:
        """What an outcome pays a seat in the step in which it comes."""
        if outcome in (None, "draw"):
            return 0.0
        if outcome in ("win", "lose"):
            return 1.0 if outcome == "win" else -1.0
        return 1.0 if outcome == f"win:{seat}" else -1.0


def _named(outcome: tuple[str, int | None] | None) -> str | None:
    if outcome is None:
        return None
    name, seat = outcome
    return name if seat is None else f"{name}:{seat}"
