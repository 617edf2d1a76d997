"""Near duplicates: programs of different text that answer the same play in the same way."""

from __future__ import annotations

from typing import Any

from envs_dsl.behaviour import behaviour as behaviour_of
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["behaviour"]


def behaviour(candidate: Candidate) -> Finding:
    """Hash and features of the language's fixed seeds and scripts. Ends with SAME_BEHAVIOUR."""
    found = behaviour_of(candidate.program)
    known = candidate.request.known_behaviours
    learned: dict[str, Any] = {
        "behaviour_hash": found.hash,
        "features": tuple(float(x) for x in found.features),
    }
    if found.hash in known:
        error = f"it behaves like a known program (behaviour {found.hash})"
        detail = {"behaviour_hash": found.hash}
        return Finding(Reason.SAME_BEHAVIOUR, detail, error, found.env_steps, learned)
    return Finding(detail={"compared_with": len(known)}, env_steps=found.env_steps, learned=learned)
