"""PPO over cohorts of programs; see ``learner.Learner``.

The workers need no JAX: what they use of a policy is in ``spade_jax.play``.
"""

from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.executables import keep_executables
from spade_jax.learner.layout import Layout, arrange
from spade_jax.learner.learner import Learner, LearnerState
from spade_jax.learner.metrics import IterationMetrics, SlotMetrics
from spade_jax.learner.network import numpy_params
from spade_jax.learner.platform import settled
from spade_jax.learner.profile import capability_profile

__all__ = [
    "IterationMetrics",
    "Layout",
    "Learner",
    "LearnerConfig",
    "LearnerState",
    "SlotMetrics",
    "arrange",
    "capability_profile",
    "keep_executables",
    "numpy_params",
    "settled",
]
