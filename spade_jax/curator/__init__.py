"""The curator: success posteriors, gates and ranks, the pool, slots, held-out measurement."""

from spade_jax.curator.admission import Admission, Candidate, select
from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.eviction import evict, learning_progress, restore
from spade_jax.curator.pool import (
    Pool,
    from_state,
    longest_unmeasured,
    quarantine,
    refuse,
    release,
    start,
    to_state,
    update,
    views,
)
from spade_jax.curator.posterior import Posterior, evaluation
from spade_jax.curator.score import difficulty, gates, score
from spade_jax.curator.slots import assign_slots, changed_cohorts

__all__ = [
    "Admission",
    "Candidate",
    "CuratorConfig",
    "Pool",
    "Posterior",
    "assign_slots",
    "changed_cohorts",
    "difficulty",
    "evaluation",
    "evict",
    "from_state",
    "gates",
    "learning_progress",
    "longest_unmeasured",
    "quarantine",
    "refuse",
    "release",
    "restore",
    "score",
    "select",
    "start",
    "to_state",
    "update",
    "views",
]
