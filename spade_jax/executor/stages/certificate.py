"""The certificate: a few levels are searched for a win, with the random bits known in advance."""

from __future__ import annotations

from typing import Any

from envs_dsl.certify import Certificate, Limits, certify
from envs_dsl.certify.certificate import script
from envs_dsl.language.tree import For, children
from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["certificate"]

_LONGEST = 400  # steps of a witness that go on record


def certificate(candidate: Candidate) -> Finding:
    """Search ``certificate_levels`` levels. Ends with UNSOLVABLE.

    That takes a proof for every level that somebody who must be able to win cannot: no state is
    left to go to, or every play was followed to the step limit. "solvable" comes with a witness;
    "unknown" (the budget was spent) passes, and the record says so.
    """
    config, program = candidate.config, candidate.program
    found = certify(program, range(config.certificate_levels), _limits(program, config))
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
    return Finding(detail=detail, env_steps=states)


def _limits(program: Any, config: ExecutorConfig) -> Limits:
    """What one search may use: less of a dear program, and where there are several sides.

    It depends on the program alone, never on the clock, so that verdicts repeat.
    """
    states = config.certificate_states
    dear = max(1000, config.certificate_work // max(1, program.cost.work))
    sides = program.game.players if program.tree.contest else 1
    return Limits(states=min(states, dear) // sides, overhead=max(64, _nodes(program.tree.step)))


def _nodes(block: Any) -> int:
    """Nodes that one step walks over. In time, each is about as much as one state more."""
    return sum(
        1 + _nodes(children(node)) * (node.count if isinstance(node, For) else 1) for node in block
    )


def _witness(found: Certificate) -> dict[str, Any] | None:
    """The first witness, as the command ``run`` takes it."""
    for level in found.levels:
        for side in level.sides:
            if side.witness is not None and len(side.witness) <= _LONGEST:
                actions = script(side.witness)
                return {"seed": level.seed, "seat": side.seat, "actions": actions}
    return None
