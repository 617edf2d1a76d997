"""The search for a win on one level: breadth-first as far as it goes, then with a guide.

Time is a layer: all states of a layer share ``t``, so the random bits of the next step are the same
for all of them, and a whole layer is stepped as one batch. Copies within a layer are dropped; where
neither clock nor draws have a say (``Influence.timeless``), nor rivals who play at random, so is
whatever was seen earlier, which is what makes a frontier run empty.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import Constants, State, map_leaves, numpy_backend, take
from envs_dsl.backends.backend import Backend
from envs_dsl.backends.random import block_of, fmix32
from envs_dsl.backends.state import NONE
from envs_dsl.certify.keys import BINS, StateKeys
from envs_dsl.certify.seats import Choices
from envs_dsl.language.tree import For, children
from envs_dsl.program import Program

__all__ = ["Found", "Level", "Limits", "limits_for", "search"]

_CHUNK_BYTES = 1 << 26  # of successor states stepped at once
_MOST_BYTES = 1 << 29  # of states of one layer
_EXACT_SHARE = 0.75  # of the budget for the search that proves something
_NARROW, _WIDE = 16, 2048  # widths of a guided search
_SPARED = 0.9  # of the budget at most is kept for a guided search of a long episode
_ATTEMPTS = 64


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one search may use. Counts, never a clock: an answer must not depend on the machine.

    Attributes:
      states: successor states computed, duplicates included (that is what takes time).
      overhead: states that a layer is charged at least (a batch of one costs as much as this many).
    """

    states: int = 200_000
    overhead: int = 64


def limits_for(program: Program, states: int, work: int = 300_000_000) -> Limits:
    """Limits under which one program is searched for about as long as another.

    It depends on the program alone, never on the clock, so that answers repeat.

    Args:
      states: at most so many. work: element operations; a dear program gets fewer states for them
        (but not under 1000). In a contest every seat gets its share of both.
    """
    dear = max(1000, work // max(1, program.cost.work))
    sides = program.game.players if program.tree.contest else 1
    return Limits(states=min(states, dear) // sides, overhead=max(64, _nodes(program.tree.step)))


def _nodes(block: Sequence[object]) -> int:
    """Nodes that one step walks over: in time, each is about as much as one state more."""
    return sum(
        1 + _nodes(children(node)) * (node.count if isinstance(node, For) else 1) for node in block
    )


@dataclasses.dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
      answer: "solvable", "unsolvable" or "unknown".
      witness: int32[T, S], actions that win, None without a win.
      shortest: no shorter play wins (of those that ``Choices`` allows).
      states: successor states computed (``Limits`` charges small layers for more).
      why: how the answer came about: "breadth-first", "guided", "closed" (no state is left to go
        to), "step limit" (every play was followed to the limit, none wins), "sampled" (neither is
        left, but not all joint actions were among the choices), "budget".
    """

    answer: str
    witness: NDArray[np.int32] | None
    shortest: bool
    states: int
    why: str


class Level:
    """One level of a program, to be searched.

    Args:
      program: the program. seed: int32[2]. params: float32[P]. limits: of one search.

    Attributes:
      computed: successor states computed so far, by all searches.
    """

    def __init__(
        self,
        program: Program,
        seed: NDArray[np.int32],
        params: NDArray[np.float32],
        limits: Limits,
    ) -> None:
        self.program, self.seed, self.limits = program, seed, limits
        self.computed = 0
        self.backend: Backend = numpy_backend(program)
        self.constants: Constants = self.backend.constants(program)
        self.start: State = self.backend.reset(self.constants, seed[None], params[None])
        self.keys = StateKeys(program.tree)
        # Work is a pessimist's estimate of a state's size; it only keeps the batches small.
        self.chunk = max(256, _CHUNK_BYTES // max(1, 8 * program.cost.state_bytes))

    def step(self, state: State, actions: NDArray[np.int32], t: int) -> State:
        """All copies one step on; the random bits are drawn once for all of them."""
        self.computed += len(actions)
        block = block_of(np, self.seed[None], np.asarray([t], np.int32))
        return self.backend.step_from(self.constants, state, actions, block)[0]


def _join(parts: list[State]) -> State:
    """Batches one behind the other."""
    if len(parts) == 1:
        return parts[0]
    return map_leaves(lambda *leaves: np.concatenate(leaves), *parts)


class _Pass:
    """One way through the layers: the states at hand, how they were reached, what was seen."""

    def __init__(self, level: Level, choices: Choices, goal: int) -> None:
        self.level, self.choices, self.goal = level, choices, goal
        self.state, self.t, self.states = level.start, 0, 0
        self.keys = level.keys.keys(level.start)
        self.seen = set(self.keys)
        # Of each layer: the row of the layer before, and the actions [n, S], that led to a state.
        self.history: list[tuple[NDArray[np.intp], NDArray[np.int32]]] = []

    @property
    def rows(self) -> int:
        return len(self.state.t)

    @property
    def running(self) -> bool:
        """There is a state to go on from, and time for it."""
        return self.rows > 0 and self.t < self.level.program.game.max_steps

    def cost(self) -> int:
        """States that the next layer will be charged."""
        tried = len(self.choices.at(self.level.seed, self.t))
        return max(self.level.limits.overhead, self.rows * tried)

    def fits(self) -> bool:
        """The next layer fits the memory, even if all of its states are new."""
        tried = len(self.choices.at(self.level.seed, self.t))
        return self.rows * tried * self.level.program.cost.state_bytes <= _MOST_BYTES

    def advance(self) -> NDArray[np.int32] | None:
        """One layer on; the witness if a state of the new layer has reached the goal."""
        level, seats = self.level, self.level.program.game.players
        self.states += self.cost()
        tried = self.choices.at(level.seed, self.t)
        seen = self.seen if level.keys.timeless and self.choices.complete() else set()
        states, parents, actions, keys = [], [], [], []
        span = max(1, level.chunk // len(tried))
        for start in range(0, self.rows, span):
            rows = np.arange(start, min(start + span, self.rows))
            shape = (len(rows), len(tried), seats)
            action, fresh = self.choices.heard(np.broadcast_to(tried, shape), self.state.turn[rows])
            action, parent = action[fresh], np.repeat(rows, fresh.sum(1))
            after = level.step(take(self.state, parent), action, self.t)
            won = np.flatnonzero(after.outcome == self.goal)
            if len(won):
                return self._witness(int(parent[won[0]]), action[won[0]])
            new = []
            running = (after.outcome == NONE).tolist()
            for i, key in enumerate(level.keys.keys(after)):
                if running[i] and key not in seen:
                    seen.add(key)
                    keys.append(key)
                    new.append(i)
            kept = np.asarray(new, np.intp)
            states.append(take(after, kept))
            parents.append(parent[kept])
            actions.append(action[kept])
        self.history.append((np.concatenate(parents), np.concatenate(actions)))
        self.state, self.keys, self.seen = _join(states), keys, seen
        self.t += 1
        return None

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Go on with these states only; the others may be met again."""
        kept = [self.keys[i] for i in rows]
        self.seen -= set(self.keys)
        self.seen |= set(kept)
        parent, action = self.history[-1]
        self.history[-1] = parent[rows], action[rows]
        self.state, self.keys = take(self.state, rows), kept

    def _witness(self, parent: int, action: NDArray[np.int32]) -> NDArray[np.int32]:
        actions = [action]
        for parents, taken in reversed(self.history):
            actions.append(taken[parent])
            parent = int(parents[parent])
        return np.stack(actions[::-1])


def search(level: Level, choices: Choices, goal: int) -> Found:
    """Look for a play that ends with the outcome code ``goal``.

    Breadth-first while most of the budget lasts (three quarters; less where a guided search would
    not come to the step limit with the rest): the first win is a shortest one, and an exhausted
    frontier is a proof if ``choices`` are complete. Then with a guide (see ``_guided``) from where
    that stopped, and anew from the start until the budget is spent.

    A frontier that is exhausted only because the step limit was reached does not make a level
    unsolvable: a longer limit, which is a run-time number, might do. That answer is "unknown",
    with "step limit" as its reason.
    """
    budget, before = level.limits.states, level.computed

    def found(answer: str, why: str, witness: NDArray[np.int32] | None = None) -> Found:
        shortest = why == "breadth-first"
        return Found(answer, witness, shortest, level.computed - before, why)

    here = _Pass(level, choices, goal)
    exact = budget - max((1 - _EXACT_SHARE) * budget, min(_narrow(here), _SPARED * budget))
    while here.running and here.states + here.cost() <= exact and here.fits():
        witness = here.advance()
        if witness is not None:
            return found("solvable", "breadth-first", witness)
    if not (here.rows and here.running) and not choices.complete():
        return found("unknown", "sampled")
    if not here.rows:
        return found("unsolvable", "closed")
    if not here.running:
        return found("unknown", "step limit")
    spent = here.states
    for attempt in range(_ATTEMPTS):
        witness = _guided(here, budget - spent, attempt)
        spent += here.states - (spent if attempt == 0 else 0)
        if witness is not None:
            return found("solvable", "guided", witness)
        if spent + level.limits.overhead >= budget:
            break
        here = _Pass(level, choices, goal)
    return found("unknown", "budget")


def _narrow(here: _Pass) -> int:
    """States that the narrowest guided search down to the step limit is charged."""
    game, tried = here.level.program.game, len(here.choices.at(here.level.seed, here.t))
    return game.max_steps * max(here.level.limits.overhead, _NARROW * tried)


def _guided(here: _Pass, budget: int, attempt: int) -> NDArray[np.int32] | None:
    """A beam: of every layer only the most promising states are kept.

    Half of them by the shaping reward so far, half by how rare the rarest of their atoms
    (``StateKeys.atoms``) has been in this beam; further attempts shift the halves. Ties fall by a
    hash. The width is what half of the budget allows down to the step limit.
    """
    level, end = here.level, here.states + budget
    left = level.program.game.max_steps - here.t
    tried = len(here.choices.at(level.seed, here.t))
    widest = min(_WIDE, max(_NARROW, _MOST_BYTES // (tried * level.program.cost.state_bytes)))
    width = int(np.clip(0.5 * budget / max(1, tried * left), _NARROW, widest))
    seat = here.choices.seat or 0
    by_score = (0.5, 1.0, 0.0, 0.75)[attempt % 4]
    counts: NDArray[np.float32] | None = None
    while True:
        if here.rows:
            atoms = level.keys.atoms(here.state)
            columns = np.arange(atoms.shape[1])
            if counts is None:
                counts = np.zeros((atoms.shape[1], BINS), np.float32)
            if here.rows > width:
                rarity = counts[columns, atoms].min(axis=1)
                score = here.state.score[:, seat]
                rows = _best(score, -rarity, int(by_score * width), width, attempt)
                here.keep(rows)
                atoms = atoms[rows]
            np.add.at(counts, (np.broadcast_to(columns, atoms.shape), atoms), np.float32(1))
        if not here.running or here.states + here.cost() > end:
            return None
        witness = here.advance()
        if witness is not None:
            return witness


def _best(
    first: NDArray[np.float32], second: NDArray[np.float32], count: int, width: int, salt: int
) -> NDArray[np.intp]:
    """The ``count`` rows of the highest ``first``, filled up to ``width`` by ``second``; sorted."""
    ties = fmix32(np.arange(len(first), dtype=np.uint32) + np.uint32(1 + 7919 * salt))
    order = np.lexsort((ties, -first))
    chosen, rest = order[:count], order[count:]
    rest = rest[np.lexsort((ties[rest], -first[rest], -second[rest]))]
    return np.sort(np.concatenate([chosen, rest[: width - count]]))
