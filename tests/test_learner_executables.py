"""What is compiled, how often, and what becomes of it: nothing twice, nothing for ever."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from fake_backend import FakeProgram, fake_jax

from envs_dsl.backends import jax_backend
from envs_dsl.backends.apart import apart
from envs_dsl.library import seeds
from spade_jax.learner import Layout, Learner, LearnerConfig
from spade_jax.learner.cohort import SlotInput, make_collect, make_reset
from spade_jax.learner.executables import Cohorts, CompiledCohort

COMPILED = "/jax/core/compile/backend_compile_duration"
SMALL = LearnerConfig(
    slots=2, copies=4, cohort_size=1, rollout_length=4, minibatches=1, epochs=1, hidden=8
)


@pytest.fixture
def compilations() -> Iterator[list[str]]:
    """What XLA compiles during the test, one entry each."""
    found: list[str] = []

    def listen(event: str, seconds: float, **rest: Any) -> None:
        if event == COMPILED:
            found.append(str(rest.get("fun_name", "")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield found
    jax.monitoring.unregister_event_duration_listener(listen)


class Counted:
    """A back end that counts how often each skeleton's step is traced."""

    def __init__(self) -> None:
        self.traces: Counter[str] = Counter()

    def __call__(self, program: FakeProgram) -> Any:
        backend = fake_jax(program)
        plain = backend.step

        def step(constants: Any, state: Any, actions: Any) -> Any:
            self.traces[program.kind] += 1
            return plain(constants, state, actions)

        backend.step = step
        return backend


def test_a_whole_training_compiles_each_cohort_once(compilations: list[str]) -> None:
    counted = Counted()
    learner = Learner(SMALL, backend=counted)
    goal, loop, duel = (FakeProgram(kind, 6) for kind in ("goal", "loop", "duel"))
    layouts = [
        Layout((goal, loop), 1),
        Layout((goal, FakeProgram("loop", 9, pay=0.05)), 1),  # other numbers
        Layout((loop, goal), 1),  # other places
        Layout((goal, duel), 1),  # a newcomer
        Layout((goal, loop), 1),
    ]
    state = learner.init(0, layouts[0])
    learner.evaluate(state.params, [goal], episodes=4)
    for before, layout in zip([layouts[0], *layouts], layouts, strict=False):
        state = learner.set_layout(state, before, layout)
        for _ in range(2):
            state, _ = learner.train_iteration(state, layout)
    learner.evaluate(state.params, [loop, duel], episodes=4)
    assert counted.traces == {"goal": 1, "loop": 1, "duel": 1}
    ours = Counter(name for name in compilations if name in OURS)
    assert ours == {"jit(reset)": 3, "jit(collect)": 3, "jit(update)": 1}


OURS = {"jit(reset)", "jit(collect)", "jit(update)"}


def test_executables_beyond_the_cache_are_freed() -> None:
    config = LearnerConfig(
        slots=1, copies=4, cohort_size=1, minibatches=1, hidden=8, cache_size=2, rollout_length=4
    )
    learner = Learner(config, backend=fake_jax)
    refs = []
    for kind in ("goal", "loop", "duel"):
        layout = Layout((FakeProgram(kind),), 1)
        learner.train_iteration(learner.init(0, layout), layout)
        compiled = learner.cohorts.prepare(layout.programs)
        refs.append((weakref.ref(compiled), weakref.ref(compiled.collect)))
        del compiled
    gc.collect()
    alive = [[ref() is not None for ref in pair] for pair in refs]
    assert alive == [[False, False], [True, True], [True, True]]


def test_the_cache_holds_a_layout_and_the_next_whatever_its_size() -> None:
    config = LearnerConfig(
        slots=2, copies=4, cohort_size=1, minibatches=1, hidden=8, cache_size=1, rollout_length=4
    )
    learner = Learner(config, backend=fake_jax)
    for kind in ("goal", "loop", "duel", "poison"):
        learner.cohorts.prepare((FakeProgram(kind),))
    assert len(learner.cohorts) == 4


def test_jax_forgets_the_traces_of_what_was_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Cohorts,
        "_compile",
        lambda self, key, programs: CompiledCohort(key, *(lambda: None,) * 2, seconds=0.0),
    )
    cleared: list[int] = []
    config = LearnerConfig(slots=1, copies=4, cohort_size=1, minibatches=1, hidden=8, cache_size=3)
    cohorts = Learner(config, backend=fake_jax).cohorts
    monkeypatch.setattr(jax, "clear_caches", lambda: cleared.append(number))
    for number in range(10):
        cohorts.prepare((FakeProgram(kind=str(number)),))
    assert cleared == [5, 8]  # at the third eviction, and three later


def test_nothing_is_weakly_typed() -> None:
    program = seeds()[0]
    learner = Learner(SMALL)
    backend, size = jax_backend(program), SMALL.pool_size
    constants = (learner.cohorts.constants(program),)
    levels = (jax.ShapeDtypeStruct((size, 2), jnp.int32),)
    params = (jax.ShapeDtypeStruct((size, len(program.params)), jnp.float32),)
    reset, pools = jax.make_jaxpr(make_reset([backend]), return_shape=True)(
        constants, levels, params
    )
    inputs = (SlotInput(constants[0], pools[0], np.int32(0)),)
    carries = (learner.cohorts.blank(program),)
    weights = learner.init(0, learner.arrange([program])).params
    collect, shapes = jax.make_jaxpr(
        make_collect([backend], learner.network, SMALL.rollout_length), return_shape=True
    )(carries, weights, inputs, np.uint32(0), np.float32(1))
    for closed in (reset, collect):
        values = [*closed.in_avals, *closed.out_avals]
        assert not [value for value in values if value.weak_type]
    allowed = {np.dtype(name) for name in ("int32", "uint32", "uint8", "float32", "bool")}
    assert {leaf.dtype for leaf in jax.tree.leaves(shapes)} <= allowed
    # What comes out goes in again: nothing is traced anew for another dtype or weak type.
    assert jax.tree.map(lambda a: (a.shape, a.dtype), shapes[0]) == jax.tree.map(
        lambda a: (a.shape, a.dtype), carries
    )


def test_apart_changes_no_result_and_stays_a_call() -> None:
    def double(x: jax.Array) -> jax.Array:
        return jnp.where(x > 1, x * 2, x)

    def whole(x: jax.Array) -> jax.Array:
        return apart(double)(x + 1) + 1

    value = np.arange(4, dtype=np.int32)
    executable = jax.jit(whole).lower(value).compile()
    assert np.array_equal(executable(value), double(value + 1) + 1)
    if jax.default_backend() == "cpu":
        assert executable.as_text().count(" call(") == 1


SECOND = """
import json, sys
import jax
from envs_dsl.library import seeds
from spade_jax.learner import Learner, LearnerConfig, keep_executables
found = []
jax.monitoring.register_event_listener(lambda event, **_: found.append(event))
keep_executables(sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
learner = Learner(LearnerConfig(**json.loads(sys.argv[2])))
layout = learner.arrange(seeds()[:1])
learner.prepare(layout)
print(json.dumps([found.count("/jax/compilation_cache/cache_" + k) for k in ("hits", "misses")]))
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    settings = {"slots": 1, "copies": 4, "cohort_size": 1, "rollout_length": 4, "minibatches": 1}
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    counts = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", SECOND, str(tmp_path), json.dumps(settings)],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        counts.append(json.loads(run.stdout))
    (_, first_missed), (hits, missed) = counts
    assert first_missed >= 3  # reset, roll-out, update
    assert hits >= 3 and missed == 0
