"""The pool of programs being trained on, and the archive that forgets none of them.

A ``Pool`` is a frozen record; every function returns a new one, and every change comes with a
``PoolEvent`` that says why. A program is in exactly one of four places: ``active`` (trained on),
``archive`` (evicted; still measured, and restored when it is in the band again or forgotten),
``quarantined`` (it misbehaved in training) or ``refused`` (by a person: it never comes back).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.score import Identities, Neighbourhood, score
from spade_jax.types import (
    Evaluation,
    PoolEntry,
    PoolEvent,
    PoolEventKind,
    PoolView,
    from_json,
    to_json,
)

__all__ = [
    "Change",
    "Pool",
    "admit",
    "bring_back",
    "from_state",
    "longest_unmeasured",
    "quarantine",
    "refuse",
    "release",
    "rescore",
    "send_to_archive",
    "start",
    "to_state",
    "update",
    "usefulness",
    "views",
]

Change = tuple["Pool", tuple[PoolEvent, ...]]


@dataclasses.dataclass(frozen=True)
class Pool:
    """All programs ever admitted.

    Attributes:
      active, archive, quarantined, refused: where each program is; in order of arrival there.
      since: program hash → round in which it came to where it is.
      spent: program hash → its training steps at each evaluation in its history.
      trained: program hash → the last round in which it was trained on.
    """

    active: tuple[PoolEntry, ...] = ()
    archive: tuple[PoolEntry, ...] = ()
    quarantined: tuple[PoolEntry, ...] = ()
    since: Mapping[str, int] = dataclasses.field(default_factory=dict)
    spent: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    refused: tuple[PoolEntry, ...] = ()
    trained: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def entries(self) -> tuple[PoolEntry, ...]:
        """Everything, wherever it is."""
        return self.active + self.archive + self.quarantined + self.refused

    def identities(self, heldout: Iterable[str] = ()) -> Identities:
        """Hashes a newcomer must not have."""
        return Identities(
            frozenset(e.program_hash for e in self.entries),
            frozenset(e.behaviour_hash for e in self.entries if e.behaviour_hash),
            frozenset(heldout),
            frozenset(e.skeleton_hash for e in self.refused),
        )

    def neighbourhood(self, without: str = "") -> Neighbourhood:
        """The active programs, as what diversity is measured against."""
        others = [e for e in self.active if e.program_hash != without]
        return Neighbourhood([e.features for e in others], [e.skills for e in others])

    def find(self, program_hash: str) -> PoolEntry:
        """The entry of a program; KeyError if it was never admitted."""
        for entry in self.entries:
            if entry.program_hash == program_hash:
                return entry
        raise KeyError(program_hash)


def start(seeds: Sequence[PoolEntry], round: int = 0) -> Change:
    """A pool of the bundled programs: not gated, marked ``seed``.

    Raises:
      ValueError: two of them have the same program hash.
    """
    pool, events = Pool(), []
    for entry in seeds:
        pool, event = _arrive(pool, dataclasses.replace(entry, seed=True), round, "seed", {})
        events.append(event)
    return pool, tuple(events)


def admit(pool: Pool, entry: PoolEntry, round: int, evidence: Mapping[str, Any]) -> Change:
    """Add a program that passed ``admission``. Raises ValueError if it was admitted before."""
    pool, event = _arrive(pool, entry, round, "passed", evidence)
    return pool, (event,)


def _arrive(
    pool: Pool, entry: PoolEntry, round: int, reason: str, evidence: Mapping[str, Any]
) -> tuple[Pool, PoolEvent]:
    if any(e.program_hash == entry.program_hash for e in pool.entries):
        raise ValueError(f"program {entry.program_hash} ({entry.name}) was admitted before")
    grown = dataclasses.replace(
        pool,
        active=(*pool.active, dataclasses.replace(entry, round_admitted=round, strikes=0)),
        since={**pool.since, entry.program_hash: round},
        spent={**pool.spent, entry.program_hash: (0,) * len(entry.history)},
    )
    return grown, PoolEvent(round, PoolEventKind.ADMIT, entry.program_hash, reason, evidence)


# ---- measuring ----------------------------------------------------------------------------------


def update(
    pool: Pool,
    evaluations: Sequence[Evaluation],
    round: int,
    config: CuratorConfig,
    steps: Mapping[str, int] | None = None,
) -> Pool:
    """Take in one round's measurements; nothing moves.

    Args:
      pool: the pool before.
      evaluations: of active, archived or quarantined programs, at most one each.
      round: this round.
      config: keep band and score weights.
      steps: training environment steps spent on each program this round (by hash).

    Returns:
      The pool with histories, step counts, strikes (active programs only) and scores brought up to
      date.

    Raises:
      ValueError: two evaluations of one program, or one of a program that is not in the pool.
    """
    measured = {e.program_hash: e for e in evaluations}
    if len(measured) != len(evaluations):
        raise ValueError("two evaluations of the same program in one round")
    stranger = (set(measured) | set(steps or {})) - {e.program_hash for e in pool.entries}
    if stranger:
        raise ValueError(f"program {min(stranger)} is not in the pool")
    spent = dict(pool.spent)

    def renew(entry: PoolEntry, active: bool) -> PoolEntry:
        total = entry.env_steps + int((steps or {}).get(entry.program_hash, 0))
        found = measured.get(entry.program_hash)
        if found is None:
            return dataclasses.replace(entry, env_steps=total)
        spent[entry.program_hash] = (*spent.get(entry.program_hash, ()), total)
        low, high = config.keep_band
        outside = not low <= found.mean <= high
        return dataclasses.replace(
            entry,
            env_steps=total,
            history=(*entry.history, (round, found.mean, found.episodes)),
            strikes=entry.strikes + 1 if outside and active else 0,
        )

    renewed = dataclasses.replace(
        pool,
        active=tuple(renew(e, True) for e in pool.active),
        archive=tuple(renew(e, False) for e in pool.archive),
        quarantined=tuple(renew(e, False) for e in pool.quarantined),
        spent=spent,
        trained={**pool.trained, **{key: round for key, n in (steps or {}).items() if n}},
    )
    return rescore(renewed, config)


def longest_unmeasured(entries: Iterable[PoolEntry], most: int) -> tuple[PoolEntry, ...]:
    """At most so many of the entries: those whose last measurement is the oldest, or none."""

    def last(entry: PoolEntry) -> tuple[int, str]:
        return (entry.history[-1][0] if entry.history else -1), entry.program_hash

    return tuple(sorted(entries, key=last)[:most])


def rescore(pool: Pool, config: CuratorConfig) -> Pool:
    """The pool with the score of every active program computed anew."""
    scored = tuple(dataclasses.replace(e, score=usefulness(pool, e, config)) for e in pool.active)
    return dataclasses.replace(pool, active=scored)


def usefulness(pool: Pool, entry: PoolEntry, config: CuratorConfig) -> float:
    """The rank of a program beside the active ones, from its latest success; 0 if unmeasured."""
    if entry.success is None:
        return 0.0
    others = pool.neighbourhood(without=entry.program_hash)
    return score(entry.success, entry.features, entry.skills, entry.stability, others, config).total


# ---- moving ------------------------------------------------------------------------------------


def send_to_archive(
    pool: Pool, entry: PoolEntry, round: int, reason: str, evidence: Mapping[str, Any]
) -> tuple[Pool, PoolEvent]:
    """Evict one active program; when and which is decided in ``curator.eviction``."""
    facts = {"success": entry.success, "score": entry.score, "env_steps": entry.env_steps}
    moved = dataclasses.replace(
        pool,
        active=_without(pool.active, entry),
        archive=(*pool.archive, dataclasses.replace(entry, strikes=0)),
        since={**pool.since, entry.program_hash: round},
    )
    event = PoolEvent(round, PoolEventKind.EVICT, entry.program_hash, reason, {**facts, **evidence})
    return moved, event


def bring_back(
    pool: Pool, entry: PoolEntry, round: int, reason: str, evidence: Mapping[str, Any]
) -> tuple[Pool, PoolEvent]:
    """Make an archived or quarantined program active again."""
    moved = dataclasses.replace(
        pool,
        active=(*pool.active, dataclasses.replace(entry, strikes=0)),
        archive=_without(pool.archive, entry),
        quarantined=_without(pool.quarantined, entry),
        since={**pool.since, entry.program_hash: round},
    )
    return moved, PoolEvent(round, PoolEventKind.RESTORE, entry.program_hash, reason, evidence)


def quarantine(
    pool: Pool, program_hash: str, round: int, reason: str, evidence: Mapping[str, Any]
) -> Change:
    """Take a misbehaving program out of training at once, even below ``pool_floor``.

    Args:
      evidence: enough to see it again: seed, parameters, actions, step.

    Raises:
      KeyError: the program is not in the pool.
    """
    entry = pool.find(program_hash)
    if entry in pool.quarantined or entry in pool.refused:
        return pool, ()
    moved = dataclasses.replace(
        pool,
        active=_without(pool.active, entry),
        archive=_without(pool.archive, entry),
        quarantined=(*pool.quarantined, dataclasses.replace(entry, strikes=0)),
        since={**pool.since, program_hash: round},
    )
    return moved, (PoolEvent(round, PoolEventKind.QUARANTINE, program_hash, reason, evidence),)


def refuse(pool: Pool, program_hash: str, round: int, because: str) -> Change:
    """Take a program out for good, wherever it is and even below ``pool_floor``: a person said so.

    Its identities stay known, its skeleton among them, so that nothing like it is admitted again.

    Raises:
      KeyError: the program is not in the pool.
    """
    entry = pool.find(program_hash)
    if entry in pool.refused:
        return pool, ()
    moved = dataclasses.replace(
        pool,
        active=_without(pool.active, entry),
        archive=_without(pool.archive, entry),
        quarantined=_without(pool.quarantined, entry),
        refused=(*pool.refused, dataclasses.replace(entry, strikes=0)),
        since={**pool.since, program_hash: round},
    )
    evidence = {"because": because, "success": entry.success}
    reason = "rejected by audit"
    return moved, (PoolEvent(round, PoolEventKind.EVICT, program_hash, reason, evidence),)


def release(pool: Pool, program_hash: str, round: int, stability: float) -> Change:
    """Bring a quarantined program back after its health was tested again (``stability``, 0 to 1).

    Raises:
      KeyError: it is not quarantined.
    """
    for entry in pool.quarantined:
        if entry.program_hash == program_hash:
            healthy = dataclasses.replace(entry, stability=stability)
            pool, event = bring_back(pool, healthy, round, "healthy", {"stability": stability})
            return pool, (event,)
    raise KeyError(program_hash)


def _without(entries: tuple[PoolEntry, ...], entry: PoolEntry) -> tuple[PoolEntry, ...]:
    return tuple(e for e in entries if e.program_hash != entry.program_hash)


# ---- other forms --------------------------------------------------------------------------------


def views(pool: Pool) -> tuple[PoolView, ...]:
    """What a generator may know: active programs, then the archive; no quarantined or refused."""
    return tuple(
        PoolView(
            program_hash=e.program_hash,
            behaviour_hash=e.behaviour_hash,
            source=e.source,
            name=e.name,
            skills=e.skills,
            success=e.success,
            features=e.features,
            active=active,
        )
        for entries, active in ((pool.active, True), (pool.archive, False))
        for e in entries
    )


def to_state(pool: Pool) -> dict[str, Any]:
    """JSON values, for the checkpoint; ``from_state`` gives an equal pool."""
    return to_json(pool)


def from_state(state: Mapping[str, Any]) -> Pool:
    """A pool from ``to_state``. Raises ValueError if a field is missing or unknown."""
    try:
        places = {
            place: tuple(from_json(PoolEntry, e) for e in state[place])
            for place in ("active", "archive", "quarantined", "refused")
            if place in state or place != "refused"  # older checkpoints have none
        }
        spent = {k: tuple(v) for k, v in state["spent"].items()}
        trained = dict(state.get("trained", {}))  # nor that
        return Pool(**places, since=dict(state["since"]), spent=spent, trained=trained)
    except KeyError as error:
        raise ValueError(f"pool state has no {error}") from None
