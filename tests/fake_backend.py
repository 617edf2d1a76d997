"""A hand-written game behind the back ends' API, to test the learner without the language.

``goal``: reach the goal on a 5×5 board (+1, win). ``loop``: nothing ever ends, every step pays
``pay`` until the time limit truncates. ``duel``: two seats, the learner wins at the limit if it
moved UP more often than the other seat. ``poison``: as ``goal``, but rewards become NaN.
Works on NumPy and on JAX arrays.
"""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from envs_dsl.interface import ACTIONS, HUD, VIEW, Observation

SIDE = 5
MOVES = np.asarray([[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]], np.int32)


class State(NamedTuple):
    fields: dict[str, Any]
    seed: Any
    t: Any
    turn: Any
    params: Any
    outcome: Any
    total: Any
    score: Any
    last_action: Any
    last_reward: Any
    fault: Any
    illegal: Any


class StepOut(NamedTuple):
    reward: Any
    terminated: Any
    truncated: Any


@dataclasses.dataclass(frozen=True)
class FakeProgram:
    kind: str = "goal"
    max_steps: int = 20
    pay: float = 0.1
    name: str = "fake"
    params: tuple = ()

    @property
    def game(self) -> Any:
        seats = 2 if self.kind == "duel" else 1
        skills = ("contest",) if self.kind == "duel" else ("navigation",)
        return SimpleNamespace(max_steps=self.max_steps, players=seats, skills=skills)

    @property
    def hashes(self) -> Any:
        full = f"{self.kind}-{self.max_steps}-{self.pay}-{self.name}"
        return SimpleNamespace(skeleton=self.kind, program=full)

    @property
    def executable(self) -> tuple[str, ...]:
        return (self.kind,)

    def default_params(self) -> np.ndarray:
        return np.zeros(0, np.float32)


class FakeBackend:
    def __init__(self, program: FakeProgram, xp: Any):
        self.kind, self.xp, self.seats = program.kind, xp, program.game.players

    def constants(self, program: FakeProgram) -> dict[str, Any]:
        return {
            "max_steps": np.asarray(program.max_steps, np.int32),
            "pay": np.asarray(program.pay, np.float32),
        }

    def reset(self, constants: Any, seeds: Any, params: Any) -> State:
        xp, batch = self.xp, seeds.shape[0]
        bits = seeds.astype(np.uint32)
        place = (bits[:, 0] % np.uint32(SIDE * SIDE)).astype(np.int32)
        offset = (bits[:, 1] % np.uint32(SIDE * SIDE - 1)).astype(np.int32)
        goal = (place + 1 + offset) % np.int32(SIDE * SIDE)
        seats = (batch, self.seats)
        return State(
            fields={
                "agent": xp.stack([place // SIDE, place % SIDE], -1),
                "goal": xp.stack([goal // SIDE, goal % SIDE], -1),
                "ups": xp.zeros(seats, np.int32),
            },
            seed=seeds,
            t=xp.zeros(batch, np.int32),
            turn=xp.zeros(batch, np.int32),
            params=params,
            outcome=xp.zeros(batch, np.int32),
            total=xp.zeros(seats, np.float32),
            score=xp.zeros(seats, np.float32),
            last_action=xp.zeros(seats, np.int32),
            last_reward=xp.zeros(seats, np.float32),
            fault=xp.zeros(batch, bool),
            illegal=xp.zeros(batch, np.int32),
        )

    def step(self, constants: Any, state: State, actions: Any) -> tuple[State, StepOut]:
        xp = self.xp
        mine = xp.where(actions[:, 0] < 5, actions[:, 0], 0)
        agent = xp.clip(state.fields["agent"] + xp.asarray(MOVES)[mine], 0, SIDE - 1)
        ups = state.fields["ups"] + (actions == 1)
        t = state.t + np.int32(1)
        late = t >= constants["max_steps"]
        reward = xp.zeros(actions.shape, np.float32)
        there = xp.all(agent == state.fields["goal"], axis=-1)
        if self.kind in ("goal", "poison"):
            outcome = xp.where(there, 1, 0).astype(np.int32)
            reward = xp.where(there, 1.0, 0.0).astype(np.float32)[:, None] + reward
        elif self.kind == "duel":
            outcome = xp.where(ups[:, 0] > ups[:, 1], 4, 5).astype(np.int32)
            outcome = xp.where(late, outcome, 0)
            sign = xp.where(outcome == 4, 1.0, -1.0) * late
            reward = xp.stack([sign, -sign], -1).astype(np.float32)
        else:
            outcome = xp.zeros(t.shape, np.int32)
            reward = reward + constants["pay"]
        if self.kind == "poison":
            reward = reward + np.float32(np.nan)
        outcome = xp.where(state.outcome != 0, state.outcome, outcome)
        state = state._replace(
            fields={"agent": agent, "goal": state.fields["goal"], "ups": ups.astype(np.int32)},
            t=t,
            outcome=outcome,
            total=state.total + reward,
            last_action=actions,
            last_reward=reward,
        )
        return state, StepOut(reward, outcome != 0, late & (outcome == 0))

    def observe(self, constants: Any, state: State) -> Observation:
        xp, batch = self.xp, state.t.shape[0]
        gap = state.fields["goal"] - state.fields["agent"]
        index = xp.arange(VIEW, dtype=np.int32) - VIEW // 2
        rows = gap[:, 0, None, None] == index[:, None]
        cols = gap[:, 1, None, None] == index[None, :]
        here = (rows & cols).astype(np.uint8)
        blank = xp.zeros(here.shape, np.uint8)
        cells = xp.stack([here * np.uint8(3), blank, here, blank, blank, blank], -1)
        clock = (state.t / constants["max_steps"]).astype(np.float32)[:, None]
        hud = xp.concatenate([clock, xp.zeros((batch, HUD - 1), np.float32)], -1)
        legal = xp.arange(ACTIONS) < 5
        seats = (batch, self.seats)
        return Observation(
            xp.broadcast_to(cells[:, None], (*seats, VIEW, VIEW, 6)),
            xp.broadcast_to(hud[:, None], (*seats, HUD)),
            xp.broadcast_to(legal, (*seats, ACTIONS)),
        )


def fake_jax(program: FakeProgram) -> FakeBackend:
    import jax.numpy as jnp

    return FakeBackend(program, jnp)


def fake_numpy(program: FakeProgram) -> FakeBackend:
    return FakeBackend(program, np)
