"""Difficulty of each program in training: it follows the learner's success, see ``AdaptiveConfig``.

Where ``Config.adaptive`` is on, a program's training levels are drawn around
``program.params_at(difficulty)`` instead of the declared parameters. Only training is moved:
evaluation, probes, admission and held-out measurements play what is declared.

What a decision rests on. Every episode that ended in training since the last decision counts once.
Of episodes that end in a short time the short ones are too many: copies that begin together show
first whatever ends early, wins or deaths. So a decision waits until at least ``window`` episodes
ended *and* at least ``max_steps`` rows of roll-out went by, in which any episode could have ended.
Over a longer time a copy plays whole episodes one after the other, and the share of them that
succeed is the success rate, short or long. Two errors stay, and both are fit for steering: the
first decision of a newcomer still leans to short episodes, and the first after a change counts
some that began before it. Either can be wrong by one change (at most ``most_change``), and the next
decision goes by what is then seen. Never take these rates for success: that is measured apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from envs_dsl.adaptive import AdaptiveConfig, moved
from spade_jax.learner import IterationMetrics, Layout

__all__ = ["Difficulty", "at_difficulty", "follow"]


@dataclasses.dataclass(frozen=True)
class Difficulty:
    """Of one program in training; plain JSON values.

    Attributes:
      value: on the scale of ``Program.params_at``.
      successes, episodes: that ended in training since the last decision.
      rows: steps of every copy since then.
    """

    value: float
    successes: int = 0
    episodes: int = 0
    rows: int = 0


def at_difficulty(
    layout: Layout, difficulties: Mapping[str, Difficulty], config: AdaptiveConfig
) -> Layout:
    """The layout with the levels of each program drawn at its difficulty, ``initial`` if new.

    A program without a parameter that says what is ``harder`` stays as declared.
    """
    start = Difficulty(config.initial)
    values = tuple(
        difficulties.get(program.hashes.program, start).value if _movable(program) else None
        for program in layout.programs
    )
    return dataclasses.replace(layout, difficulties=values)


def follow(
    difficulties: Mapping[str, Difficulty],
    layout: Layout,
    metrics: IterationMetrics,
    rows: int,
    config: AdaptiveConfig,
) -> dict[str, Difficulty]:
    """The difficulties after one iteration on ``layout``, whose roll-outs had ``rows`` rows.

    Programs that are not in the layout keep theirs, for when they come back.
    """
    after = dict(difficulties)
    for program in {p.hashes.program: p for p in layout.programs if _movable(p)}.values():
        key = program.hashes.program
        slots = [slot for slot in metrics.slots if slot.program_hash == key]
        before = after.get(key, Difficulty(config.initial))
        counted = Difficulty(
            before.value,
            before.successes + sum(slot.successes for slot in slots),
            before.episodes + sum(slot.episodes for slot in slots),
            before.rows + rows,
        )
        if counted.episodes >= config.window and counted.rows >= program.game.max_steps:
            rate = counted.successes / counted.episodes
            counted = Difficulty(moved(counted.value, rate, config))
        after[key] = counted
    return after


def _movable(program: Any) -> bool:
    return any(p.harder is not None for p in program.params)
