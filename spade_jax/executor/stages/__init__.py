"""The stages a candidate goes through, from cheap to dear.

Each is a pure function of a ``Candidate``: it returns a ``Finding`` and touches nothing. Reading
and static checks in ``static``, play in ``smoke``, ``behaviour``, ``triviality`` and ``probe``, the
search in ``certificate``, JAX in ``trace`` (the only one to import it, and only when it runs).
"""

from spade_jax.executor.request import Stages
from spade_jax.executor.stages.behaviour import behaviour
from spade_jax.executor.stages.certificate import certificate
from spade_jax.executor.stages.probe import probe
from spade_jax.executor.stages.smoke import smoke
from spade_jax.executor.stages.static import check, cost, duplicate, parse
from spade_jax.executor.stages.trace import trace
from spade_jax.executor.stages.triviality import triviality
from spade_jax.types import Stage

__all__ = ["STAGES"]

STAGES: Stages = (
    (Stage.PARSE, parse),
    (Stage.CHECK, check),
    (Stage.COST, cost),
    (Stage.DUPLICATE, duplicate),
    (Stage.SMOKE, smoke),
    (Stage.BEHAVIOUR, behaviour),
    (Stage.TRIVIALITY, triviality),
    (Stage.CERTIFICATE, certificate),
    (Stage.TRACE, trace),
    (Stage.PROBE, probe),
)
