"""What will become of a candidate, from what is cheap to know: who is worth a probe.

Neither generator nor curator: both are told in ``types``' records what happened, and this only
guesses. ``features`` reads a candidate, ``Predictor`` learns from a run's own records, ``choose``
picks. All are pure functions, so that a run that is resumed decides alike.
"""

from spade_jax.predictor.candidates import expectations, features_of, not_probed, rows_of
from spade_jax.predictor.features import NAMES, features
from spade_jax.predictor.model import Prediction, Predictor, Row, choose

__all__ = [
    "NAMES",
    "Prediction",
    "Predictor",
    "Row",
    "choose",
    "expectations",
    "features",
    "features_of",
    "not_probed",
    "rows_of",
]
