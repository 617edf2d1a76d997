"""Residents: hand-written gymnax environments that keep a slot of the learner all through a run."""

from spade_jax.residents.backend import ResidentBackend, ResidentState
from spade_jax.residents.load import load_residents
from spade_jax.residents.resident import Resident, backend_of, refuse_changed

__all__ = [
    "Resident",
    "ResidentBackend",
    "ResidentState",
    "backend_of",
    "load_residents",
    "refuse_changed",
]
