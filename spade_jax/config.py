"""The whole configuration of a run: one frozen record, written to the run folder as YAML."""

from __future__ import annotations

import dataclasses

from envs_dsl.adaptive import AdaptiveConfig
from spade_jax.curator.config import CuratorConfig
from spade_jax.executor.config import ExecutorConfig
from spade_jax.generator.config import LlmConfig
from spade_jax.learner.config import LearnerConfig

__all__ = ["ARMS", "Config"]

ARMS = ("coevo", "fixed")


@dataclasses.dataclass(frozen=True)
class Config:
    """Settings of a run.

    Attributes:
      arm: "coevo" (generate, screen, curate) or "fixed" (the bundled seeds, nothing else).
      seed: seed of everything random in the run.
      pretrain_iterations: PPO iterations on the seeds before the first round. The first policy is
        near random, and what near-random play solves must not set the band.
      rounds: rounds of co-evolution. The arm "fixed" goes on until ``env_step_budget`` if given.
      iterations_per_round: PPO iterations in a round.
      join_after: iterations of a round after which the programs admitted at the end of the round
        before join the training (their executables compile meanwhile; it waits if they are late).
      candidates_per_round: programs asked of the generator each round.
      archive_probes: archived programs measured again each round, the longest unmeasured first.
      probe_share: share of a round's candidates that are examined beyond their behaviour (for
        triviality, certificate, trace and probe): those that promise most to the predictor
        (``spade_jax.predictor``), and some others. At 1 all are, and it only says what it expects.
      generator: "evolve", "corpus", "none", "llm:BACKEND", "batch:FOLDER", "recorded:RUN",
        "module:Class" for one of your own, or several mixed: "evolve+llm:…" (docs/generators.md).
      residents: hand-written gymnax environments that are trained on as well, "module:Class" each
        (``spade_jax.residents``): each holds a slot of the learner through the whole run. The pool
        has the other slots.
      llm: how a language model is asked, where ``generator`` names one.
      heldout_every: rounds between two measurements on held-out programs (they are also measured
        before training, after pretraining and at the end).
      heldout_episodes: episodes of each held-out program in one measurement.
      env_step_budget: stop once so many environment steps are spent, training, evaluation, probes
        and screening counted; held-out measurements, which no arm learns from, are not.
      keep_checkpoints: the last so many are kept, and the best.
      compilation_cache: folder of compiled executables shared between runs; "auto" is a folder of
        the user's cache, "off" compiles anew.
      devices: that share the work of the learner; None for all of the default backend if they
        divide it, else one (``spade_jax.learner.devices``). A run may go on with another number.
      adaptive: while training, move each program's parameters with the learner's success on it
        (``spade_jax.difficulty``); everything that is measured stays at the declared ones.
      difficulty: the numbers of that. It begins at 0.5, the declared parameters, which is where a
        program's admission was decided.
      profile: write a profiler trace of one training iteration to the run's ``profile`` folder, for
        TensorBoard or Perfetto.
    """

    arm: str = "coevo"
    seed: int = 0
    pretrain_iterations: int = 80
    rounds: int = 8
    iterations_per_round: int = 30
    join_after: int = 6
    candidates_per_round: int = 12
    archive_probes: int = 2
    probe_share: float = 1.0
    generator: str = "evolve"
    residents: tuple[str, ...] = ()
    heldout_every: int = 2
    heldout_episodes: int = 256
    env_step_budget: int | None = None
    keep_checkpoints: int = 3
    compilation_cache: str = "auto"
    devices: int | None = None
    adaptive: bool = False
    profile: bool = False
    difficulty: AdaptiveConfig = dataclasses.field(
        default_factory=lambda: AdaptiveConfig(initial=0.5)
    )
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)
    curator: CuratorConfig = dataclasses.field(default_factory=CuratorConfig)
    executor: ExecutorConfig = dataclasses.field(default_factory=ExecutorConfig)
    llm: LlmConfig = dataclasses.field(default_factory=LlmConfig)

    def __post_init__(self) -> None:
        if self.arm not in ARMS:
            raise ValueError(f"arm is {self.arm!r}; it must be one of {', '.join(ARMS)}")
        for name in ("rounds", "pretrain_iterations", "candidates_per_round", "archive_probes"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0")
        if not 0.0 < self.probe_share <= 1.0:
            raise ValueError(
                f"probe_share is {self.probe_share}; it must lie in 0..1, and not be 0"
            )
        if self.devices is not None and self.devices < 1:
            raise ValueError(f"devices is {self.devices}; it must be at least 1")
        if not 0 <= self.seed < 1 << 64:
            raise ValueError(f"seed is {self.seed}; it must lie in 0..2**64 - 1")
        if self.env_step_budget is not None and self.env_step_budget < 1:
            raise ValueError(f"env_step_budget is {self.env_step_budget}; it must be at least 1")
        twice = [name for name in self.residents if self.residents.count(name) > 1]
        if twice:
            raise ValueError(f"residents names {twice[0]} twice; each has one slot")
        if len(self.residents) >= self.learner.slots:
            raise ValueError(
                f"{len(self.residents)} residents leave none of the {self.learner.slots} slots "
                "(learner.slots) to the pool"
            )
        needed, had = self.curator.episodes, self.executor.probe_episodes
        if self.arm == "coevo" and needed > had:
            raise ValueError(
                f"curator.episodes is {needed}; it must be at most {had} "
                "(executor.probe_episodes), or no program could be admitted"
            )
        positive = ("iterations_per_round", "heldout_every", "heldout_episodes", "keep_checkpoints")
        for name in positive:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if not 0 <= self.join_after <= self.iterations_per_round:
            raise ValueError(
                f"join_after is {self.join_after}; it must lie in 0..{self.iterations_per_round} "
                "(iterations_per_round)"
            )
