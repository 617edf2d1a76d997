"""Whether a verdict is on the program that was asked about: workers are confined, not trusted."""

from __future__ import annotations

from envs_dsl import check
from spade_jax.types import Proposal, Reason, Stage, Verdict

__all__ = ["genuine"]

_STATIC = (Stage.PARSE, Stage.CHECK, Stage.COST)


def genuine(proposal: Proposal, verdict: Verdict) -> Verdict:
    """The verdict; if it is on no program, or on another one, that the worker was of no use.

    A program is known everywhere by its hash, and files are named after it, so the hash that a
    worker answers has to be that of the text it was given.
    """
    beyond = any(stage.name not in _STATIC for stage in verdict.stages)
    if not (verdict.ok or verdict.program_hash or beyond):
        return verdict
    program = check(proposal.source).program
    if program is not None and program.hashes.program == verdict.program_hash:
        return verdict
    error = "the worker's verdict is not on this program"
    return Verdict(proposal.id, False, Reason.KILLED, env_steps=verdict.env_steps, error=error)
