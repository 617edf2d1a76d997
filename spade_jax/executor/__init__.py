"""The executor: is this program fit to be trained on?

``examine`` runs a program through the stages in this process; ``Sandbox`` does the same in confined
worker processes, beside the training. Both answer with a ``Verdict``.
"""

from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.examine import examine
from spade_jax.executor.limits import Capabilities
from spade_jax.executor.request import Candidate, Finding, Request
from spade_jax.executor.sandbox import Sandbox, SandboxError

__all__ = [
    "Candidate",
    "Capabilities",
    "ExecutorConfig",
    "Finding",
    "Request",
    "Sandbox",
    "SandboxError",
    "examine",
]
