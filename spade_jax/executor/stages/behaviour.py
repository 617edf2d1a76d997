"""Near duplicates: programs of different text that answer the same play in the same way."""

from __future__ import annotations

from typing import Any

from envs_dsl.behaviour import behaviour as behaviour_of
from envs_dsl.skills import compare, evidence_of
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["behaviour"]


def behaviour(candidate: Candidate) -> Finding:
    """Hash and features of the language's fixed seeds and scripts. Ends with SAME_BEHAVIOUR.

    Records which of the declared skills the program really exercises, and which others; nothing is
    rejected for that.
    """
    found = behaviour_of(candidate.program)
    known = candidate.request.known_behaviours
    learned: dict[str, Any] = {
        "behaviour_hash": found.hash,
        "features": tuple(float(x) for x in found.features),
    }
    if found.hash in known:
        error = f"it behaves like a known program (behaviour {found.hash})"
        return Finding(
            Reason.SAME_BEHAVIOUR, {"behaviour_hash": found.hash}, error, found.env_steps, learned
        )
    evidence = evidence_of(candidate.program)
    skills = compare(candidate.program, evidence)
    detail = {
        "compared_with": len(known),
        "skills": {"declared": list(skills.declared), "verified": skills.verified},
    }
    steps = found.env_steps + evidence.env_steps
    return Finding(detail=detail, env_steps=steps, learned=learned)
