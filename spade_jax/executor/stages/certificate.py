"""The certificate's place in the order. No search engine is built in, and the record says so."""

from __future__ import annotations

from spade_jax.executor.request import Candidate, Finding

__all__ = ["certificate"]


def certificate(candidate: Candidate) -> Finding:
    """Answer "unknown" for every program: that no level was searched is part of the record."""
    detail = {
        "answer": "unknown",
        "engine": "none",
        "levels": 0,
        "note": "no search was made; this says nothing about whether the program can be solved",
    }
    return Finding(detail=detail)
