"""How often a whole co-evolution traces and compiles: as often as its programs differ."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import pytest
from tiny_runs import TINY

from envs_dsl import Program
from envs_dsl.mutate import mutate
from experiments.config import load_preset
from spade_jax import coevolution
from spade_jax.config import Config
from spade_jax.learner import Layout, Learner, LearnerState

TRACED = "/jax/core/compile/jaxpr_trace_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"
PER_COHORT = {"jit(reset)", "jit(collect)"}

Key = tuple[tuple[str, ...], ...]


@dataclasses.dataclass
class Watch:
    """What was trained on so far, and what was traced and compiled meanwhile, by name.

    ``first``: compiled up to the end of the first iteration. ``last``: with what the latest ended.
    """

    traced: Counter[str] = dataclasses.field(default_factory=Counter)
    compiled: Counter[str] = dataclasses.field(default_factory=Counter)
    cohorts: set[Key] = dataclasses.field(default_factory=set)
    first: Counter[str] = dataclasses.field(default_factory=Counter)
    last: tuple[Learner, LearnerState, Layout] | None = None

    def listen(self, event: str, duration_secs: float, **rest: Any) -> None:
        name = str(rest.get("fun_name", ""))
        if event == TRACED:
            self.traced[name] += 1
        elif event == COMPILED:
            self.compiled[name] += 1

    def iterated(self, learner: Learner, state: LearnerState, layout: Layout) -> None:
        self.cohorts |= {tuple(p.executable for p in cohort) for cohort in layout.cohorts}
        if self.last is None:
            self.first = self.compiled.copy()
        self.last = (learner, state, layout)


@contextmanager
def watched() -> Iterator[Watch]:
    watch, train = Watch(), Learner.train_iteration

    def spy(learner: Learner, state: LearnerState, layout: Layout) -> Any:
        result = train(learner, state, layout)
        watch.iterated(learner, result[0], layout)
        return result

    jax.monitoring.register_event_duration_secs_listener(watch.listen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Learner, "train_iteration", spy)
        try:
            yield watch
        finally:
            jax.monitoring.unregister_event_duration_listener(watch.listen)


SMALL = dataclasses.replace(
    TINY,
    rounds=2,
    heldout_episodes=2,
    learner=dataclasses.replace(TINY.learner, cohort_size=1, copies=8, hidden=16),
)
QUICK = load_preset("quick", Config())
QUICK = dataclasses.replace(  # with room for every cohort: what was freed is compiled again
    QUICK, learner=dataclasses.replace(QUICK.learner, cache_size=1024)
)


def sibling(program: Program) -> Program:
    """The program with other numbers; itself where every one of them would change what it is."""
    for seed in range(20):
        made = mutate(program, seed, "jitter_literal")
        other = Program.from_source(made.source) if made else program
        if other.executable == program.executable and other.hashes != program.hashes:
            return other
    return program


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(SMALL, id="small"),
        pytest.param(QUICK, id="quick", marks=pytest.mark.slow),
    ],
)
def test_a_whole_run_compiles_what_its_programs_differ_in(config: Config, tmp_path: Path) -> None:
    with watched() as watch:
        coevolution.run(config, tmp_path)
        assert watch.last is not None
        learner, state, layout = watch.last
        assert len(watch.cohorts) > config.learner.slots, "the layout never changed"
        assert {*(watch.compiled - watch.first)} == PER_COHORT
        for found in (watch.compiled, watch.traced):
            of = {name.removeprefix("jit(").removesuffix(")"): n for name, n in found.items()}
            assert of["update"] == 1
            assert of["collect"] == of["reset"] == len(watch.cohorts)

        # Other numbers in the same programs are arguments, for training and for evaluation.
        before = watch.compiled.total() + watch.traced.total()
        others = dataclasses.replace(layout, programs=tuple(map(sibling, layout.programs)))
        assert others.hashes != layout.hashes
        state = learner.set_layout(state, layout, others)
        for _ in range(2):
            state, _ = learner.train_iteration(state, others)
        learner.evaluate(state.params, others.programs, episodes=8, layout=others)
        assert watch.compiled.total() + watch.traced.total() == before
