"""Triviality: standing still, random play, or one action over and over must not win."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import numpy_backend
from envs_dsl.interface import Observation
from spade_jax import play
from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["triviality"]

_RANDOM = -1
_MOVES = ("STAY", "UP", "DOWN", "LEFT", "RIGHT")
_SEED, _STREAM = 0x7121A1, 0x100


@dataclasses.dataclass(frozen=True)
class _Tally:
    """Wins of one script so far.

    ``action``: the one repeated, or −1 for random legal play. ``rival``: what the other seats do,
    likewise.
    """

    action: int
    rival: int
    limit: float
    wins: int = 0
    episodes: int = 0

    @property
    def rate(self) -> float:
        return self.wins / max(1, self.episodes)


def triviality(candidate: Candidate) -> Finding:
    """Measure every script; ends with NOOP_WINS or SCRIPT_WINS.

    All scripts get a first look in one batch. Only what comes near its limit there is measured on
    with fresh levels, up to ``script_episodes`` in all: every rejection rests on that many, and the
    first one ends it. With
    the defaults a script that truly exceeds its limit slips past the first look about once in a
    thousand times (no-op: no win in 128; others: fewer than half of the limit in 32).

    In a contest every script meets two rivals, one that plays at random and one that stands still,
    and must not beat both: against a rival that walks out of the ring by itself standing still
    wins, and that says nothing about the game. In other games of several players the partners play
    at random.
    """
    config, program = candidate.config, candidate.program
    names = {_RANDOM: "random"} | dict(enumerate(_MOVES)) | _verbs(program)
    rivals = (_RANDOM, 0) if program.tree.contest else (_RANDOM,)
    tallies = [
        _Tally(action, rival, config.noop_limit if action == 0 else config.script_limit)
        for action in names
        for rival in rivals
    ]
    counts = [_first_look(tally, config) for tally in tallies]
    tallies, steps = _play(candidate, tallies, counts)
    # The most suspicious script first: once one is proven to win, the others need no more steps.
    for action in _suspects(tallies):
        counts = [
            max(0, config.script_episodes - t.episodes) if t.action == action else 0
            for t in tallies
        ]
        if any(counts):
            tallies, more = _play(candidate, tallies, counts)
            steps += more
        if all(t.rate > t.limit for t in tallies if t.action == action):
            break
    lowest = [
        min((t for t in tallies if t.action == action), key=lambda t: t.rate) for action in names
    ]
    detail = {
        "rates": {names[t.action]: t.rate for t in lowest},
        "episodes": {names[t.action]: t.episodes for t in lowest},
        "limits": {"STAY": config.noop_limit, "others": config.script_limit},
    }
    proven = [t for t in lowest if t.rate > t.limit and t.episodes >= config.script_episodes]
    if not proven:
        return Finding(detail=detail, env_steps=steps)
    worst = max(proven, key=lambda t: (t.action == 0, t.rate))
    reason = Reason.NOOP_WINS if worst.action == 0 else Reason.SCRIPT_WINS
    what = "random play" if worst.action == _RANDOM else f"repeating {names[worst.action]}"
    error = f"{what} wins {worst.wins} of {worst.episodes} episodes (limit {worst.limit:.0%})"
    return Finding(reason, detail, error, steps)


def _suspects(tallies: list[_Tally]) -> list[int]:
    """Actions that came near their limit against every rival, the nearest first."""
    nearest: dict[int, float] = {}
    for tally in tallies:
        closeness = tally.rate / max(tally.limit, 1e-9) if _is_near(tally) else -1.0
        nearest[tally.action] = min(nearest.get(tally.action, np.inf), closeness)
    return sorted((a for a, c in nearest.items() if c >= 0.0), key=lambda a: -nearest[a])


def _verbs(program: Any) -> dict[int, str]:
    from envs_dsl.language.vocabulary import ACTIONS

    return {ACTIONS.index(verb): verb for verb in program.game.verbs}


def _first_look(tally: _Tally, config: ExecutorConfig) -> int:
    """No-op has a low limit: it takes more episodes to see that it stays well below."""
    return min(config.script_episodes, config.first_look * (4 if tally.action == 0 else 1))


def _is_near(tally: _Tally) -> bool:
    return tally.wins > 0 if tally.action == 0 else tally.rate >= tally.limit / 2


def _play(
    candidate: Candidate, tallies: list[_Tally], counts: list[int]
) -> tuple[list[_Tally], int]:
    """Play ``counts[i]`` more episodes of script i, all in one batch; new tallies, steps taken."""
    program = candidate.program
    backend = numpy_backend(program)
    seeds = np.concatenate(
        [
            play.episode_seeds(_SEED, t.episodes + n, _stream(t))[t.episodes :]
            for t, n in zip(tallies, counts)
        ]
    )
    script = np.repeat(np.asarray([(t.action, t.rival) for t in tallies], np.int32), counts, axis=0)
    params = program.default_params()[None].repeat(len(seeds), axis=0)
    policy = _by_episode(seeds, script)
    stats = play.play_numpy(backend, backend.constants(program), program, policy, seeds, params)
    grown, start = [], 0
    for tally, count in zip(tallies, counts):
        wins = int(stats.success[start : start + count].sum())
        start += count
        grown.append(
            dataclasses.replace(tally, wins=tally.wins + wins, episodes=tally.episodes + count)
        )
    return grown, stats.env_steps


def _stream(tally: _Tally) -> int:
    return _STREAM + 2 * tally.action + tally.rival


def _by_episode(seeds: NDArray[np.int32], script: NDArray[np.int32]) -> play.Policy:
    """Each episode, known by its seed, plays its own script.

    Args:
      seeds: int32[E, 2]. script: int32[E, 2], what seat 0 and what the other seats repeat; −1 for
        random legal play.
    """

    def keys(values: NDArray[np.int32]) -> NDArray[np.int64]:
        return (values[:, 0].astype(np.int64) << 32) | values[:, 1].view(np.uint32)

    order = np.argsort(keys(seeds), kind="stable")
    known, scripts = keys(seeds)[order], script[order]

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        mine, theirs = scripts[np.searchsorted(known, keys(seeds))].T[:, :, None]
        seats = np.arange(observation.legal.shape[1])
        repeated = np.where(seats == 0, mine, theirs)
        drawn = play.random_actions(observation.legal, seeds, t, 0)
        return np.where(repeated == _RANDOM, drawn, repeated).astype(np.int32)

    return act
