"""Can a level be won, and how? A search with certificates, on the NumPy back end alone."""

from envs_dsl.certify.certificate import Certificate, LevelAnswer, Side, certify, replay
from envs_dsl.certify.keys import StateKeys
from envs_dsl.certify.search import Limits, limits_for

__all__ = [
    "Certificate",
    "LevelAnswer",
    "Limits",
    "Side",
    "StateKeys",
    "certify",
    "limits_for",
    "replay",
]
