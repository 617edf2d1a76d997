"""Triviality: standing still, random play, one action over and over, or greed must not win."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.language.tree import Effect, walk
from envs_dsl.language.vocabulary import ACTIONS
from spade_jax import play
from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.request import Candidate, Finding
from spade_jax.executor.stages.panel import GREEDY, KEEN, RANDOM, Played, play_panel
from spade_jax.types import Reason

__all__ = ["triviality"]

_SEED, _STREAM = 0x7121A1, 0x100


@dataclasses.dataclass(frozen=True)
class _Tally:
    """Wins of one player of the panel against one rival so far.

    ``action``: the one repeated, or RANDOM or GREEDY. ``rival``: what the other seats do, likewise.
    ``planned``: episodes that the wins are out of.
    """

    action: int
    rival: int
    limit: float
    wins: int = 0
    planned: int = 0

    @property
    def rate(self) -> float:
        """Wins by episodes; those given up because the question was settled count as not won."""
        return self.wins / max(1, self.planned)

    @property
    def enough(self) -> int:
        """Wins that are over the limit."""
        return math.floor(self.limit * self.planned + 1e-9) + 1

    @property
    def strict(self) -> bool:
        """The limit is low: it takes more episodes to see that the player stays well below."""
        return self.limit < 0.25

    @property
    def suspicious(self) -> int:
        """Wins of a first look that ask for a closer one."""
        return 1 if self.strict else math.ceil(self.limit / 2 * self.planned)


def triviality(candidate: Candidate) -> Finding:
    """Measure the panel; ends with NOOP_WINS or SCRIPT_WINS.

    All players get a first look in one batch of episodes. Only what comes near its limit there is
    measured on with fresh levels, up to ``script_episodes``, one player after the other until one
    is proven to win: every rejection rests on that many planned episodes. Episodes on which nothing
    depends any more are given up: where a player cannot reach its limit in what is left, and all of
    them once one is proven to win. With the defaults a player that truly exceeds its limit slips
    past the first look about once in a thousand times (no-op: no win in 128; others: fewer than
    half of the limit in 32).

    Greed has a limit of its own: shaping that leads to the goal is what shaping is for, and only
    where following it one step at a time hardly ever fails is there nothing to learn.

    In a contest every player meets three rivals: one plays at random, one stands still, and one is
    keen (see ``panel``). It must not beat them all: against a rival that walks out of the ring by
    itself, or does not see what is before its eyes, much wins, and that says nothing about the
    game. Half of the games between equals are won, so doing nothing has the limit of the other
    actions there. In other games of several players the partners play at random.
    """
    config, program = candidate.config, candidate.program
    greedy = (GREEDY,) if _pays(program) else ()
    actions = (*program.game.actions, RANDOM, *greedy)
    contest = program.tree.contest
    tallies = [
        _Tally(a, r, _limit(a, contest, config)) for a in actions for r in _rivals(a, contest)
    ]
    looks = [
        min(config.script_episodes, config.first_look * (4 if t.strict else 1)) for t in tallies
    ]
    tallies, steps = _measure(program, tallies, looks, first=True)
    near = {
        a for a in actions if all(t.wins >= t.suspicious for t in tallies if t.action == a)
    }  # against every rival

    def least(action: int) -> float:
        return min(t.rate for t in tallies if t.action == action)

    for action in sorted(near, key=lambda a: (a != 0, a == GREEDY, -least(a), a)):
        more = [max(0, config.script_episodes - t.planned) * (t.action == action) for t in tallies]
        if any(more):
            tallies, added = _measure(program, tallies, more, first=False)
            steps += added
        if all(t.wins >= t.enough for t in tallies if t.action == action):
            break
    lowest = [min((t for t in tallies if t.action == a), key=lambda t: t.rate) for a in actions]
    detail = {
        "rates": {_name(t.action): t.rate for t in lowest},
        "episodes": {_name(t.action): t.planned for t in lowest},
        "limits": {_name(t.action): t.limit for t in lowest},
    }
    proven = [t for t in lowest if t.wins >= t.enough and t.planned >= config.script_episodes]
    if not proven:
        return Finding(detail=detail, env_steps=steps)
    worst = max(proven, key=lambda t: (t.action == 0, t.rate))
    reason = Reason.NOOP_WINS if worst.action == 0 else Reason.SCRIPT_WINS
    what = {RANDOM: "random play", GREEDY: "greed for the next reward"}.get(
        worst.action, f"repeating {_name(worst.action)}"
    )
    error = (
        f"{what} wins at least {worst.wins} of {worst.planned} episodes (limit {worst.limit:.0%})"
    )
    return Finding(reason, detail, error, steps)


def _rivals(action: int, contest: bool) -> tuple[int, ...]:
    if not contest:
        return (RANDOM,)
    return (RANDOM, 0) if action == GREEDY else (RANDOM, 0, KEEN)


def _pays(program: Any) -> bool:
    """There is shaping to be greedy for."""
    return any(isinstance(n, Effect) and n.op == "reward" for n in walk(program.tree.step))


def _limit(action: int, contest: bool, config: ExecutorConfig) -> float:
    if action == 0 and not contest:
        return config.noop_limit
    return config.greedy_limit if action == GREEDY else config.script_limit


def _name(action: int) -> str:
    return {RANDOM: "random", GREEDY: "greedy"}.get(action) or ACTIONS[action]


def _measure(
    program: Any, tallies: list[_Tally], counts: list[int], first: bool
) -> tuple[list[_Tally], int]:
    """Play ``counts[i]`` more episodes of tally i, all in one batch; new tallies, steps taken.

    After the ``first`` look the tallies with episodes are those of one player.
    """
    grown = [dataclasses.replace(t, planned=t.planned + n) for t, n in zip(tallies, counts)]
    owner = np.repeat(np.arange(len(tallies)), counts)
    seeds = np.concatenate(
        [
            play.episode_seeds(_SEED, t.planned + n, _stream(t))[t.planned :]
            for t, n in zip(tallies, counts)
        ]
    )
    goals = np.asarray([t.suspicious if first else t.enough for t in grown])
    before = np.asarray([t.wins for t in tallies])

    def matters(won: NDArray[np.bool_], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        wins = before + np.bincount(owner[won], minlength=len(tallies))
        open_ = np.bincount(owner[~over], minlength=len(tallies))
        reached = wins >= goals
        if not first and reached[np.unique(owner)].all():  # proven, against every rival
            return np.zeros(len(owner), bool)
        undecided = (wins + open_ >= goals) & (~reached if not first else True)
        return undecided[owner]

    played: Played = play_panel(
        program,
        seeds,
        np.asarray([t.action for t in tallies], np.int32)[owner],
        np.asarray([t.rival for t in tallies], np.int32)[owner],
        matters,
    )
    wins = np.bincount(owner[played.won], minlength=len(tallies))
    return [
        dataclasses.replace(t, wins=t.wins + int(n)) for t, n in zip(grown, wins)
    ], played.env_steps


def _stream(tally: _Tally) -> int:
    return _STREAM + 4 * tally.action + tally.rival
