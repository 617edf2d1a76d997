"""What the lines of ``metrics.jsonl`` and a run's configuration hold, as far as it is read back.

Other fields may be there, and older runs lack some: what is not ``Required`` may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Required, TypedDict

from spade_jax.types import SkillEstimate

__all__ = ["LINES", "ConfigFile"]


class _Slot(TypedDict):
    program_hash: str
    steps: int
    episodes: int
    successes: int
    mean_return: float
    healthy: bool


class _Iteration(TypedDict, total=False):
    iteration: Required[int]
    round: int
    env_steps: int
    episodes: int
    programs: int
    success: float | None
    policy: float
    value: float
    entropy: float
    kl: float
    clipped: float
    grad_norm: float
    explained: float
    steps_per_s: float
    seconds: float
    residents: Mapping[str, _Slot]


class _Round(TypedDict, total=False):
    round: Required[int]
    env_steps: Required[int]
    pool_size: Required[int]
    seconds: Required[float]
    wait_seconds: Required[float]
    compile_seconds: Required[float]
    histogram: tuple[int, int, int, int, int, int, int, int, int, int]
    funnel: Mapping[str, int]
    relabelled: int
    profile: list[SkillEstimate]
    difficulties: Mapping[str, float | None]


class _Measured(TypedDict):
    successes: int
    episodes: int


class _Heldout(TypedDict):
    round: int
    iteration: int
    env_steps: int
    mean: float
    programs: Mapping[str, _Measured]


class _Ends(TypedDict):
    rounds: int
    env_step_budget: int | None


class _Plan(TypedDict):
    round: int
    before: _Ends


LINES: Mapping[str, Any] = {
    "iteration": _Iteration,
    "round": _Round,
    "heldout": _Heldout,
    "plan": _Plan,
}
"""By their kind."""


class _Curator(TypedDict, total=False):
    band: tuple[float, float]


class ConfigFile(TypedDict, total=False):
    """Of ``config.yaml``; that of another version may hold what it likes, else."""

    seed: int
    curator: _Curator
