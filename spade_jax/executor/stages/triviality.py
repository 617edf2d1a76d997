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
_FEW = 8  # episodes of the first look at a player that may lose hardly any


@dataclasses.dataclass(frozen=True)
class _Tally:
    """Wins of one player of the panel against one rival so far.

    ``action``: the one repeated, or RANDOM or GREEDY. ``rival``: what the other seats do, likewise.
    ``full``: episodes behind a rejection. ``planned``: episodes that the wins are out of.
    """

    action: int
    rival: int
    limit: float
    full: int
    wins: int = 0
    planned: int = 0

    @property
    def rate(self) -> float:
        """Wins by episodes; those given up because the question was settled count as not won."""
        return self.wins / max(1, self.planned)

    @property
    def enough(self) -> int:
        """Wins of all episodes that are over the limit."""
        return math.floor(self.limit * self.full + 1e-9) + 1

    @property
    def suspicious(self) -> int:
        """Wins of a look that ask for a closer one; with fewer, ``enough`` is out of reach, or is
        not to be expected."""
        expected = 1 if self.limit < 0.25 else math.ceil(self.limit / 2 * self.planned)
        return max(expected, self.planned - (self.full - self.enough))

    @property
    def proven(self) -> bool:
        """The player wins too much."""
        return self.planned >= self.full and self.wins >= self.enough

    def next_look(self, first_look: int) -> int:
        """Episodes after the next look at the player.

        A low limit takes more of them to see that the player stays well below. Where a few defeats
        settle the question, a few episodes are a look: then it is grown in steps.
        """
        if self.limit < 0.25:
            first_look *= 4
        if self.full - self.enough < _FEW // 2 and not self.planned:
            first_look = min(first_look, _FEW)
        return self.full if self.planned >= first_look else min(first_look, self.full)


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
    where following it one step at a time hardly ever fails is there nothing to learn. Looking ahead
    is dear, and a few defeats settle the question: greed is looked at in growing steps.

    In a contest every player meets three rivals: one plays at random, one stands still, and one is
    keen (see ``panel``). It must not beat them all: against a rival that walks out of the ring by
    itself, or does not see what is before its eyes, much wins, and that says nothing about the
    game. A keen rival looks ahead, which is dear: only who beats the others meets it. Half of the
    games between equals are won, so doing nothing has the limit of the other actions there. In
    other games of several players the partners play at random.
    """
    config, program = candidate.config, candidate.program
    greedy = (GREEDY,) if _pays(program) else ()
    actions = (*program.game.actions, RANDOM, *greedy)
    contest = program.tree.contest
    tallies = [
        _Tally(a, r, _limit(a, contest, config), config.script_episodes)
        for a in actions
        for r in _rivals(a, contest)
    ]

    def least(action: int) -> float:
        return min(t.rate for t in tallies if t.action == action)

    def near(action: int) -> bool:
        """It may win too much, against every rival that it has met."""
        return all(t.wins >= t.suspicious for t in tallies if t.action == action and t.planned)

    steps = 0
    for keen in (False, True):  # dear rivals last, and only for who beats the others
        looks = [
            t.next_look(config.first_look) if (t.rival == KEEN) == keen and near(t.action) else 0
            for t in tallies
        ]
        if any(looks):
            looks = [max(n, t.planned) for n, t in zip(looks, tallies)]
            tallies, added = _measure(program, tallies, looks)
            steps += added
    suspects = [action for action in actions if near(action)]
    for action in sorted(suspects, key=lambda a: (a != 0, a == GREEDY, -least(a), a)):
        while near(action) and any(t.planned < t.full for t in tallies if t.action == action):
            looks = [
                t.next_look(config.first_look) if t.action == action else t.planned for t in tallies
            ]
            tallies, added = _measure(program, tallies, looks)
            steps += added
        if near(action):  # in all episodes
            break
    met = [t for t in tallies if t.planned]
    lowest = [min((t for t in met if t.action == a), key=lambda t: t.rate) for a in actions]
    detail = {
        "rates": {_name(t.action): t.rate for t in lowest},
        "episodes": {_name(t.action): t.planned for t in lowest},
        "limits": {_name(t.action): t.limit for t in lowest},
    }
    proven = [t for t in lowest if t.proven]
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


def _measure(program: Any, tallies: list[_Tally], looks: list[int]) -> tuple[list[_Tally], int]:
    """Play each tally up to ``looks`` episodes, all in one batch; new tallies, steps taken."""
    grown = [dataclasses.replace(t, planned=n) for t, n in zip(tallies, looks)]
    owner = np.repeat(np.arange(len(tallies)), [n - t.planned for t, n in zip(tallies, looks)])
    seeds = np.concatenate(
        [play.episode_seeds(_SEED, n, _stream(t))[t.planned :] for t, n in zip(tallies, looks)]
    )
    goals = np.asarray([t.suspicious for t in grown])
    last = np.asarray([t.planned >= t.full for t in grown])
    before = np.asarray([t.wins for t in tallies])
    players = np.asarray([t.action for t in tallies])

    def matters(won: NDArray[np.bool_], over: NDArray[np.bool_]) -> NDArray[np.bool_]:
        wins = before + np.bincount(owner[won], minlength=len(tallies))
        open_ = np.bincount(owner[~over], minlength=len(tallies))
        proven = (wins >= goals) & last
        if proven[np.unique(owner)].all():  # against every rival
            return np.zeros(len(owner), bool)
        lost = players[wins + open_ < goals]  # against one rival is enough
        return (~np.isin(players, lost) & ~proven)[owner]

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
