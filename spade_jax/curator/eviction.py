"""Who leaves the pool, and who comes back.

Two thresholds and a count of rounds keep programs from flickering: a program is admitted inside the
band, leaves only after several rounds in a row outside the wider keep band, and comes back only by
the band again or because it was forgotten.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.pool import Change, Pool, bring_back, rescore, send_to_archive, usefulness
from spade_jax.curator.posterior import Posterior
from spade_jax.types import PoolEntry, PoolEvent

__all__ = [
    "Progress",
    "evict",
    "learning_progress",
    "least_useful",
    "replace_least",
    "restore",
]


@dataclasses.dataclass(frozen=True)
class Progress:
    """Change of success per million of the program's own training steps, with a 95 % bound.

    ``most`` is the largest absolute rate that the measurement does not exclude; ``falling`` says
    that success certainly fell.
    """

    rate: float
    most: float
    falling: bool
    steps: int


def learning_progress(pool: Pool, entry: PoolEntry, window: int) -> Progress | None:
    """Progress over the last ``window`` evaluations; None with fewer, or if no steps were spent."""
    if len(entry.history) < window or window < 2:
        return None
    spent = pool.spent[entry.program_hash][-window:]
    steps = spent[-1] - spent[0]
    if steps <= 0:
        return None
    (_, first, n_first), (_, last, n_last) = entry.history[-window], entry.history[-1]
    error = 1.96 * np.sqrt(first * (1 - first) / (n_first + 3) + last * (1 - last) / (n_last + 3))
    change = last - first
    millions = steps / 1e6
    most = float(abs(change) + error) / millions
    return Progress(change / millions, most, bool(change + error < 0), steps)


def evict(pool: Pool, round: int, config: CuratorConfig) -> Change:
    """Send to the archive, down to ``pool_floor`` programs at most:

    1. what has had ``strikes`` strikes in a row (mastered or hopeless), furthest out first;
    2. what has stalled (learning progress below ``stall_progress``, with certainty; what is being
       unlearned has not stalled, it needs training);
    3. while the pool is over its cap, the least useful.
    """
    events: list[PoolEvent] = []

    def leave(entry: PoolEntry, reason: str, **evidence: Any) -> None:
        nonlocal pool
        if len(pool.active) > config.pool_floor:
            pool, event = send_to_archive(pool, entry, round, reason, evidence)
            events.append(event)

    def distance(entry: PoolEntry) -> float:
        return abs((entry.success or 0.0) - 0.5)

    for entry in sorted(pool.active, key=lambda e: (-distance(e), e.program_hash)):
        if entry.strikes >= config.strikes and entry.success is not None:
            reason = "mastered" if entry.success > 0.5 else "hopeless"
            leave(entry, reason, strikes=entry.strikes)
    stalled = []
    for entry in pool.active:
        found = learning_progress(pool, entry, config.stall_rounds)
        if found is None or found.falling or _grace(pool, entry, round, config):
            continue
        if found.most < config.stall_progress:
            stalled.append((found.most, entry.program_hash, entry, found))
    for _, _, entry, found in sorted(stalled, key=lambda item: item[:2]):
        leave(entry, "stalled", progress=found.rate, most=found.most, steps=found.steps)
    while len(pool.active) > config.pool_cap:
        least = least_useful(pool, round, config)
        if least is None:
            break
        leave(least, "least_useful")
    return pool, tuple(events)


def least_useful(pool: Pool, round: int, config: CuratorConfig) -> PoolEntry | None:
    """The active program whose loss costs least; None if none may go.

    Unmeasured programs and those in their grace rounds stay, and so does the last holder of a
    skill, unless everything measured is one.
    """
    able = [e for e in pool.active if e.success is not None and not _grace(pool, e, round, config)]
    holders: dict[str, int] = {}
    for entry in pool.active:
        for skill in entry.skills:
            holders[skill] = holders.get(skill, 0) + 1
    spare = [e for e in able if all(holders[s] > 1 for s in e.skills)]
    return min(spare or able, key=lambda e: (e.score, e.program_hash), default=None)


def _grace(pool: Pool, entry: PoolEntry, round: int, config: CuratorConfig) -> bool:
    return round - pool.since[entry.program_hash] < config.grace


def replace_least(
    pool: Pool, newcomer_score: float, round: int, config: CuratorConfig, margin: float = 0.0
) -> Change | None:
    """Make room for a newcomer: the pool with a free place, or None if it is not worth one.

    With no place free, the least useful program goes if the newcomer outranks it by ``margin``.
    """
    if len(pool.active) < config.pool_cap:
        return pool, ()
    least = least_useful(pool, round, config)
    if least is None or newcomer_score <= least.score + margin:
        return None
    pool, event = send_to_archive(pool, least, round, "replaced", {"by_score": newcomer_score})
    return pool, (event,)


def restore(pool: Pool, round: int, config: CuratorConfig) -> Change:
    """Bring back at most ``restore_max`` archived programs, the most useful first.

    A program qualifies once it was measured after it left: as "forgotten" if it fell by
    ``forget_drop`` below the best it ever had and is no longer above the band, or as "in_band" by
    the gate newcomers pass. In a full pool it must outrank the least useful by ``margin``, so that
    two programs do not take turns.
    """
    low, high = config.band
    waiting: list[tuple[float, str, PoolEntry, str]] = []
    for entry in pool.archive:
        if not entry.history or entry.history[-1][0] <= pool.since[entry.program_hash]:
            continue
        _, now, episodes = entry.history[-1]
        before = max(mean for _, mean, _ in entry.history)
        if before >= high > now and before - now >= config.forget_drop:
            reason = "forgotten"
        elif _posterior(now, episodes).mass(low, high) >= config.gate_mass:
            reason = "in_band"
        else:
            continue
        waiting.append((-usefulness(pool, entry, config), entry.program_hash, entry, reason))
    events: list[PoolEvent] = []
    for negative, _, entry, reason in sorted(waiting, key=lambda w: w[:2])[: config.restore_max]:
        room = replace_least(pool, -negative, round, config, config.margin)
        if room is None:
            continue
        pool, evicted = room
        pool, event = bring_back(pool, entry, round, reason, {"success": entry.success})
        pool = rescore(pool, config)
        events += [*evicted, event]
    return pool, tuple(events)


def _posterior(mean: float, episodes: int) -> Posterior:
    return Posterior(min(max(round(mean * (episodes + 2) - 1), 0), episodes), episodes)
