"""A round's candidates before the predictor: their numbers, what is expected, what is learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from envs_dsl import Program
from spade_jax.predictor.features import features
from spade_jax.predictor.model import Prediction, Predictor, Row, row_of
from spade_jax.types import Context, Proposal, Reason, Stage, Verdict

__all__ = ["expectations", "features_of", "not_probed", "rows_of"]


def features_of(
    proposals: Sequence[Proposal], verdicts: Sequence[Verdict], context: Context
) -> dict[str, tuple[float, ...]]:
    """``features`` by proposal id, of those that passed the stages up to behaviour."""
    return {
        p.id: features(Program.from_source(p.source), v, p.parents, context)
        for p, v in zip(proposals, verdicts, strict=True)
        if any(s.name is Stage.BEHAVIOUR and s.ok for s in v.stages)
    }


def expectations(
    predictor: Predictor, features: Mapping[str, Sequence[float]]
) -> dict[str, Prediction]:
    """Predictions by proposal id; none while the predictor is not ready."""
    return dict(zip(features, predictor.predict(list(features.values())), strict=False))


def rows_of(
    features: Mapping[str, Sequence[float]], verdicts: Sequence[Verdict], context: Context
) -> tuple[Row, ...]:
    """What the predictor learns from final verdicts, in their order.

    Nothing from a candidate that was not probed for want of promise, or that a clock ended.
    """
    return tuple(
        row_of(features[v.proposal_id], v, context.band)
        for v in verdicts
        if v.proposal_id in features
        and v.reason is not Reason.NOT_PROBED
        and not v.reason.depends_on_clock
    )


def not_probed(proposal: Proposal, verdict: Verdict, expected: Prediction) -> Verdict:
    """The final verdict on a candidate that others were preferred to."""
    return dataclasses.replace(
        verdict,
        proposal_id=proposal.id,
        ok=False,
        reason=Reason.NOT_PROBED,
        error=f"others promised more: expected success {expected.success:.2f}, chance to pass the "
        f"executor {expected.survive:.0%}, to lie in the band {expected.band:.0%}",
    )
