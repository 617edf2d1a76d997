"""A round's verdicts against the pool: who gets in, and what each generator is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.eviction import replace_least
from spade_jax.curator.pool import Pool, admit
from spade_jax.curator.posterior import Posterior
from spade_jax.curator.score import Score, gates, score
from spade_jax.types import Outcome, PoolEntry, PoolEvent, Proposal, Reason, Verdict

__all__ = ["Admission", "Candidate", "select"]


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A proposal with its verdict and what admission needs of its program.

    Attributes:
      proposal, verdict: the probe's counts are the verdict's ``successes`` and ``episodes``.
      source: canonical text; name: short name; skills: their tags. Empty where the text never
        became a program.
    """

    proposal: Proposal
    verdict: Verdict
    source: str = ""
    name: str = ""
    skills: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Admission:
    """The pool after a round's candidates, one outcome each (in their order), and the changes."""

    pool: Pool
    outcomes: tuple[Outcome, ...]
    events: tuple[PoolEvent, ...]


def select(
    pool: Pool,
    candidates: Sequence[Candidate],
    round: int,
    config: CuratorConfig,
    heldout: Iterable[str] = (),
) -> Admission:
    """Gate all candidates, then admit the best, one by one, until ``admit_max`` are in.

    Each admission changes the pool the others are compared with, so two alike candidates of one
    round do not both get in. The order of the candidates does not matter.

    Args:
      pool: before. candidates: of one round. round: in which they join.
      config: thresholds.
      heldout: behaviour and skeleton hashes of held-out programs, see ``curator.heldout``.

    Returns:
      The new pool, outcomes and events; an outcome's novelty is measured against ``pool``.
    """
    heldout = frozenset(heldout)
    reasons: dict[str, str] = {}
    scores: dict[str, float] = {}
    ranks = {  # against the pool as it is: forgotten when it changes
        c.proposal.id: _rank(pool, c, config)
        for c in candidates
        if c.verdict.ok and c.verdict.features
    }
    novelty = {key: rank.diversity for key, rank in ranks.items()}
    events: list[PoolEvent] = []
    waiting: list[Candidate] = []
    for candidate in candidates:
        reason = _gate(pool, candidate, config, heldout)
        if reason is None:
            waiting.append(candidate)
        else:
            reasons[candidate.proposal.id] = reason.value
    admitted = 0
    while waiting:
        for c in waiting:
            if c.proposal.id not in ranks:
                ranks[c.proposal.id] = _rank(pool, c, config)
        candidate = max(waiting, key=lambda c: (ranks[c.proposal.id].total, c.proposal.id))
        waiting = [c for c in waiting if c is not candidate]
        key = candidate.proposal.id
        found = ranks[key]
        scores[key] = found.total
        # Asked again: one admitted a moment ago may be its twin.
        reason = _gate(pool, candidate, config, heldout)
        if reason is None and found.nearest < config.min_distance:
            reason = Reason.SAME_BEHAVIOUR
        elif reason is None and (found.total < config.cut or admitted >= config.admit_max):
            reason = Reason.LOW_RANK
        room = replace_least(pool, found.total, round, config) if reason is None else None
        if room is None:
            reasons[key] = (reason or Reason.LOW_RANK).value
            continue
        pool, evicted = room
        entry = _entry(candidate, found, round)
        pool, arrived = admit(pool, entry, round, found.evidence())
        events += [*evicted, *arrived]
        reasons[key] = Reason.OK.value
        admitted += 1
        ranks.clear()
    outcomes = tuple(
        Outcome(
            proposal=c.proposal,
            verdict=c.verdict,
            admitted=reasons[c.proposal.id] == Reason.OK.value,
            reason=reasons[c.proposal.id],
            score=scores.get(c.proposal.id),
            novelty=novelty.get(c.proposal.id),
        )
        for c in candidates
    )
    return Admission(pool, outcomes, tuple(events))


def _posterior(candidate: Candidate) -> Posterior:
    return Posterior(candidate.verdict.successes, candidate.verdict.episodes)


def _gate(
    pool: Pool, candidate: Candidate, config: CuratorConfig, heldout: frozenset[str]
) -> Reason | None:
    return gates(candidate.verdict, _posterior(candidate), config, pool.identities(heldout))


def _rank(pool: Pool, candidate: Candidate, config: CuratorConfig) -> Score:
    verdict = candidate.verdict
    return score(
        _posterior(candidate).mean,
        verdict.features,
        candidate.skills,
        verdict.stability,
        pool.neighbourhood(),
        config,
    )


def _entry(candidate: Candidate, found: Score, round: int) -> PoolEntry:
    proposal, verdict = candidate.proposal, candidate.verdict
    return PoolEntry(
        program_hash=verdict.program_hash,
        skeleton_hash=verdict.skeleton_hash,
        behaviour_hash=verdict.behaviour_hash,
        source=candidate.source,
        name=candidate.name,
        generator=proposal.generator,
        operator=proposal.operator,
        parents=proposal.parents,
        round_admitted=round,
        skills=candidate.skills,
        features=verdict.features,
        stability=verdict.stability,
        history=((round, _posterior(candidate).mean, verdict.episodes),),
        score=found.total,
    )
