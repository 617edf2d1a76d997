"""Success of a policy on many programs, from whole, fresh episodes.

Every copy plays the same fixed number of episodes, each to its end. (The first episodes to finish
would be the short ones, and a rate over them would be biased.) Every episode has a level of its
own. The roll-out's executables are reused: what training has compiled is not compiled again.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spade_jax.learner.cohort import Collected, SlotInput
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.executables import Cohorts
from spade_jax.learner.layout import Layout
from spade_jax.learner.levels import draw_levels, fold
from spade_jax.learner.threads import side_by_side
from spade_jax.play import EpisodeStats

__all__ = ["evaluate", "place"]


def place(
    programs: Sequence[Any], cohort_size: int, layout: Layout | None
) -> tuple[tuple[Any, ...], ...]:
    """Cohorts that together hold every program; a pure function, it does not look at the cache.

    Cohorts of ``layout`` come first, as long as they hold a program still missing (they may hold
    others, and the same one twice); what is left is divided into cohorts by step limit, since a
    cohort is run until the longest of its episodes is over.
    """
    missing = {program.hashes.program: program for program in programs}
    chosen = []
    for cohort in layout.cohorts if layout is not None else ():
        held = {program.hashes.program for program in cohort}
        if held & missing.keys():
            chosen.append(tuple(cohort))
            missing = {name: p for name, p in missing.items() if name not in held}
    rest = sorted(missing.values(), key=lambda program: program.game.max_steps)
    chosen += [tuple(rest[i : i + cohort_size]) for i in range(0, len(rest), cohort_size)]
    return tuple(chosen)


class _Tally(NamedTuple):
    """Counted episodes of one program so far (lists of arrays) and the steps they took."""

    success: list[NDArray[np.bool_]]
    returns: list[NDArray[np.float32]]
    lengths: list[NDArray[np.int32]]
    steps: list[int]


def evaluate(
    cohorts: Cohorts,
    config: LearnerConfig,
    params: Any,
    programs: Sequence[Any],
    *,
    episodes: int = 256,
    seed: int = 0,
    layout: Layout | None = None,
    greedy: bool = False,
    stop: Callable[[], bool] | None = None,
) -> tuple[EpisodeStats, ...]:
    """Play at least ``episodes`` whole episodes of every program.

    Args:
      cohorts: compiled executables. params: network parameters.
      programs: any number, not necessarily of the layout.
      episodes: per program; rounded up to a multiple of the copies.
      seed: of levels and noise. The same seed gives the same episodes, whatever else is evaluated.
      layout: the training layout, whose executables are used where they fit.
      greedy: the most likely action instead of the sampled one.
      stop: asked between roll-outs, from any thread; True raises KeyboardInterrupt.

    Returns:
      One ``EpisodeStats`` a program, in order. ``env_steps`` counts every step that was run for
      it, also those after a copy's last counted episode.
    """
    wanted = {program.hashes.program for program in programs}
    placed = place(programs, cohorts.size, layout)
    names = [program.hashes.program for cohort in placed for program in cohort]
    ordinal = dict.fromkeys(names, 0)
    root = fold(np.asarray([seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF], np.uint32), 0xE7A1)
    jobs = []
    for cohort in placed:
        numbers = []
        for program in cohort:
            numbers.append(ordinal[program.hashes.program])
            ordinal[program.hashes.program] += 1
        each = tuple(
            math.ceil(episodes / (config.copies * names.count(p.hashes.program)))
            if p.hashes.program in wanted
            else 0
            for p in cohort
        )
        jobs.append((cohort, each, numbers))

    def play(job: tuple[Any, Any, Any], stopped: Callable[[], bool]) -> dict[str, _Tally]:
        cohort, each, numbers = job
        tallies = {p.hashes.program: _Tally([], [], [], []) for p in cohort}
        for first in range(0, max(each), config.levels_per_copy):
            quota = np.clip(np.asarray(each) - first, 0, config.levels_per_copy)
            keys = [
                fold(root, zlib.crc32(p.hashes.program.encode()), number, first)
                for p, number in zip(cohort, numbers)
            ]
            _play(cohorts, config, params, cohort, quota, keys, root, greedy, tallies, stopped)
        return tallies

    found = side_by_side(play, jobs, stop, cohorts.devices.threads)
    return tuple(
        _stats([t[name] for t in found if name in t])
        for name in (program.hashes.program for program in programs)
    )


def _play(
    cohorts: Cohorts,
    config: LearnerConfig,
    params: Any,
    cohort: Sequence[Any],
    quota: NDArray[np.int64],
    keys: Sequence[NDArray[np.uint32]],
    root: NDArray[np.uint32],
    greedy: bool,
    tallies: dict[str, _Tally],
    stopped: Callable[[], bool],
) -> None:
    """Play ``quota[k]`` episodes in each copy of slot k; adds them to ``tallies``."""
    compiled = cohorts.prepare(cohort)
    constants = tuple(cohorts.constants(program) for program in cohort)
    levels = [draw_levels(p, config.pool_size, key) for p, key in zip(cohort, keys)]
    pools = compiled.reset(
        constants, tuple(level.seeds for level in levels), tuple(level.params for level in levels)
    )
    inputs = tuple(SlotInput(c, pool, np.int32(0)) for c, pool in zip(constants, pools))
    carries = tuple(cohorts.blank(program) for program in cohort)
    played = np.zeros((len(cohort), config.copies), np.int64)
    salt, noise = np.uint32(root[0]), np.float32(0.0 if greedy else 1.0)
    # One row fetches the first level, and each episode takes at most its limit and one row more.
    longest = [1 + q * (p.game.max_steps + 1) for p, q in zip(cohort, quota)]
    for _ in range(math.ceil(max(longest) / config.rollout_length)):
        if stopped():
            raise KeyboardInterrupt
        carries, collected = compiled.collect(carries, params, inputs, salt, noise)
        played = _count(config, cohort, quota, played, collected, tallies)
        if np.all(played >= quota[:, None]):
            return
    raise RuntimeError("an episode ran past its step limit: the back end never ended it")


def _count(
    config: LearnerConfig,
    cohort: Sequence[Any],
    quota: NDArray[np.int64],
    played: NDArray[np.int64],
    collected: Collected,
    tallies: dict[str, _Tally],
) -> NDArray[np.int64]:
    """Add the episodes that ended in this roll-out and still count; episodes played by copy."""
    episodes = [np.asarray(part) for part in collected.episodes]
    ended, success, returns, lengths, _ = episodes
    valid = np.asarray(collected.steps.valid)
    after = played.copy()
    for k, program in enumerate(cohort):
        if quota[k] == 0 or np.all(played[k] >= quota[k]):
            continue
        columns = slice(k * config.copies, (k + 1) * config.copies)
        number = played[k] + np.cumsum(ended[:, columns], axis=0)
        after[k] = number[-1]
        counted = ended[:, columns] & (number <= quota[k])
        tally = tallies[program.hashes.program]
        tally.success.append(success[:, columns][counted])
        tally.returns.append(returns[:, columns][counted])
        tally.lengths.append(lengths[:, columns][counted])
        tally.steps.append(int(valid[:, columns].sum()))
    return after


def _stats(parts: Sequence[_Tally]) -> EpisodeStats:
    """The episodes of one program, from all the cohorts that played it."""
    return EpisodeStats(
        success=np.concatenate([a for part in parts for a in part.success]),
        returns=np.concatenate([a for part in parts for a in part.returns]),
        lengths=np.concatenate([a for part in parts for a in part.lengths]),
        env_steps=sum(n for part in parts for n in part.steps),
    )
