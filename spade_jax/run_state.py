"""The whole state of a run between two rounds, and how it is kept.

Arrays (network, optimiser, running episodes) go to orbax, everything else to JSON; together they
are all that the rest of the run depends on, so going on from them equals not having stopped.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs_dsl import Program
from spade_jax import curator
from spade_jax.config import Config
from spade_jax.difficulty import Difficulty
from spade_jax.learner import Layout, Learner, LearnerState
from spade_jax.predictor import Predictor
from spade_jax.residents import Resident, refuse_changed
from spade_jax.types import Context, Outcome, SkillEstimate, from_json, to_json

__all__ = [
    "RunState",
    "context_at",
    "from_meta",
    "layout_of",
    "plan_of",
    "target_of",
    "to_meta",
]


@dataclasses.dataclass(frozen=True)
class RunState:
    """Everything between two rounds.

    Attributes:
      round: the next one; round 0 is pretraining on the seeds.
      env_steps: environment steps spent so far, evaluation, probes and screening counted.
      pool: programs. layout: which of them, and which resident, sits in which slot of the learner.
      learner: network, optimiser, random state, running episodes.
      difficulties: of programs in training, by program hash; empty unless ``Config.adaptive``.
      profile: success per skill at the last evaluation.
      outcomes: of the last round's proposals, which the generator has not been told yet.
      generator: its own state (JSON values).
      predictor: what it has learned of the candidates so far.
      uncompiled: hashes of programs that are quarantined since they did not compile even alone.
      heldout: latest mean held-out success (None before the first measurement).
      heldout_at: PPO iterations done when that was measured.
    """

    round: int
    env_steps: int
    pool: curator.Pool
    layout: Layout
    learner: LearnerState
    difficulties: Mapping[str, Difficulty] = dataclasses.field(default_factory=dict)
    profile: tuple[SkillEstimate, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    generator: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    predictor: Predictor = dataclasses.field(default_factory=Predictor)
    uncompiled: tuple[str, ...] = ()
    heldout: float | None = None
    heldout_at: int | None = None

    @property
    def score(self) -> float | None:
        """Held-out success of this very policy; None where it was not measured."""
        return self.heldout if self.heldout_at == int(self.learner.iteration) else None


def layout_of(
    pool: curator.Pool,
    hashes: tuple[str, ...],
    cohort_size: int,
    residents: Sequence[Resident] = (),
) -> Layout:
    """The layout that has these programs (of the pool) and residents in its slots."""
    programs: dict[str, Program | Resident] = {r.hashes.program: r for r in residents}
    for key in dict.fromkeys(hashes):
        if key not in programs:
            entry = pool.find(key)
            programs[key] = Program.from_source(entry.source, entry.name)
    return Layout(tuple(programs[key] for key in hashes), cohort_size)


def context_at(
    round: int, pool: curator.Pool, profile: tuple[SkillEstimate, ...], config: Config
) -> Context:
    """What a generator is told: pool, archive and profile. Of the held-out programs nothing is in
    a run's state to be told."""
    words = np.random.SeedSequence([config.seed, round]).generate_state(1)
    return Context(
        round=round,
        seed=int(words[0] >> 1),
        pool=curator.views(pool),
        profile=profile,
        target=config.curator.target,
        band=config.curator.band,
        limits=config.executor.limits,
    )


def plan_of(config: Config) -> dict[str, int | None]:
    """Where a run is to end, which may be changed when it is resumed."""
    return {"rounds": config.rounds, "env_step_budget": config.env_step_budget}


def to_meta(state: RunState) -> dict[str, Any]:
    """All of the state but ``learner``, as JSON values."""
    residents = {p.name: p.digest for p in state.layout.programs if isinstance(p, Resident)}
    return {
        "round": state.round,
        "env_steps": state.env_steps,
        "pool": curator.to_state(state.pool),
        "slots": list(state.layout.hashes),
        "difficulties": {key: to_json(d) for key, d in state.difficulties.items()},
        "profile": [to_json(p) for p in state.profile],
        "outcomes": [to_json(o) for o in state.outcomes],
        "generator": dict(state.generator),
        "predictor": state.predictor.to_state(),
        "uncompiled": list(state.uncompiled),
        "heldout": state.heldout,
        "heldout_at": state.heldout_at,
        **({"residents": residents} if residents else {}),
    }


def target_of(
    meta: Mapping[str, Any], learner: Learner, residents: Sequence[Resident] = ()
) -> LearnerState:
    """Structure, shapes and dtypes of the arrays saved beside ``meta``.

    Raises:
      UserError: a resident is not what it was.
    """
    return learner.template(_layout(meta, learner, residents))


def from_meta(
    meta: Mapping[str, Any],
    arrays: LearnerState,
    learner: Learner,
    residents: Sequence[Resident] = (),
) -> RunState:
    """The state that was saved as ``to_meta(state)`` and ``state.learner``."""
    return RunState(
        round=meta["round"],
        env_steps=meta["env_steps"],
        pool=curator.from_state(meta["pool"]),
        layout=_layout(meta, learner, residents),
        learner=arrays,
        difficulties={
            key: from_json(Difficulty, d)
            for key, d in meta.get("difficulties", {}).items()  # older checkpoints have none
        },
        profile=tuple(from_json(SkillEstimate, p) for p in meta["profile"]),
        outcomes=tuple(from_json(Outcome, o) for o in meta["outcomes"]),
        generator=meta["generator"],
        predictor=Predictor.from_state(meta.get("predictor", {})),
        uncompiled=tuple(meta.get("uncompiled", ())),  # older checkpoints have none
        heldout=meta["heldout"],
        heldout_at=meta.get("heldout_at"),  # older checkpoints have none
    )


def _layout(meta: Mapping[str, Any], learner: Learner, residents: Sequence[Resident]) -> Layout:
    refuse_changed(meta.get("residents", {}), residents)
    pool = curator.from_state(meta["pool"])
    return layout_of(pool, tuple(meta["slots"]), learner.cohorts.size, residents)
