"""The certificate: a few levels are searched for a win, with the random bits known in advance."""

from __future__ import annotations

from typing import Any

from envs_dsl.behaviour import behaviour
from envs_dsl.certify import Certificate, certify, limits_for
from envs_dsl.certify.certificate import script
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["certificate"]

_LONGEST = 400  # steps of a witness that go on record


def certificate(candidate: Candidate) -> Finding:
    """Search up to ``certificate_levels`` levels for one win. Ends with UNSOLVABLE or NO_REWARD.

    One level that can be won is all that is asked: the search stops there, for its states count as
    environment steps. Nothing is searched where the behaviour stage met such a level already. Where
    random play has met a reward, only a proof that nobody can win could reject, and the search
    stops as well after the first levels that leave no such proof.

    UNSOLVABLE takes a proof for every level that somebody who must be able to win cannot: no state
    is left to go to, or every play was followed to the step limit. "solvable" comes with a witness;
    "unknown" (the budget was spent) passes, and the record says so, unless the random play of the
    smoke stage met no reward either: then nobody has seen the program pay anything.
    """
    config, program = candidate.config, candidate.program
    limits = limits_for(program, config.certificate_states, config.certificate_work)
    known = behaviour(program).wins.levels if config.certificate_levels else ()
    won = next((level for level in known if level.answer == "solvable"), None)
    if won is not None:
        found, states = Certificate((won,)), 0
    else:
        levels = range(config.certificate_levels)
        found = certify(
            program, levels, limits, until_solved=True, until_hopeful=candidate.rewarded
        )
        states = sum(side.states for level in found.levels for side in level.sides)
    detail: dict[str, Any] = {
        "answer": found.answer,
        "engine": "breadth-first, then guided",
        "levels": len(found.levels),
        **{answer: found.count(answer) for answer in ("solvable", "unsolvable", "unknown")},
        "why": sorted({side.why for level in found.levels for side in level.sides}),
        "lengths": [[side.length for side in level.sides] for level in found.levels],
        "witness": _witness(found),
        "states": states,
        "note": "for the random bits of these levels; a player does not know them in advance",
    }
    if found.levels and found.hopeless:
        limit = any(level.beyond_limit for level in found.levels)
        how = f"within {program.game.max_steps} steps" if limit else "in any number of steps"
        error = f"nobody can win {len(found.levels)} of {len(found.levels)} levels {how}"
        if program.tree.contest:
            error = f"a seat cannot win any of {len(found.levels)} levels {how}"
        return Finding(Reason.UNSOLVABLE, detail, error, states)
    if not candidate.rewarded and (found.answer != "solvable" or not found.levels):
        error = "no reward at all: random play meets none, and no win was found"
        return Finding(Reason.NO_REWARD, detail, error, states)
    return Finding(detail=detail, env_steps=states)


def _witness(found: Certificate) -> dict[str, Any] | None:
    """The first witness, as the command ``run`` takes it."""
    for level in found.levels:
        for side in level.sides:
            if side.witness is not None and len(side.witness) <= _LONGEST:
                actions = script(side.witness)
                return {"seed": level.seed, "seat": side.seat, "actions": actions}
    return None
