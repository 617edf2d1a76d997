"""The learner: PPO over the programs of a layout, one iteration at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from spade_jax.evidence import Recording
from spade_jax.learner.cohort import Collected, SlotCarry, SlotInput, Steps
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.devices import choose
from spade_jax.learner.evaluate import evaluate, place
from spade_jax.learner.executables import Cohorts
from spade_jax.learner.heap import keep
from spade_jax.learner.layout import Layout, arrange
from spade_jax.learner.levels import draw_levels, fold
from spade_jax.learner.metrics import IterationMetrics, gather
from spade_jax.learner.network import init_params, numpy_params
from spade_jax.learner.ppo import make_optimizer, make_update
from spade_jax.learner.recurrent import make_network, memory_shape
from spade_jax.learner.threads import side_by_side
from spade_jax.play import EpisodeStats
from spade_jax.residents import backend_of

__all__ = ["Learner", "LearnerState"]

# What the root key is folded with, one number a purpose.
_INIT, _LEVELS, _NOISE, _ORDER = 1, 2, 3, 4


class LearnerState(NamedTuple):
    """Everything that, with the layout, makes training go on exactly as if it had not stopped.

    Attributes:
      params: network parameters. opt_state: optax state.
      root: uint32[2]: all randomness is a function of it and of ``iteration``; it never changes.
      iteration: int64[]: iterations done. env_steps: int64[]: training steps done.
      carries: ``SlotCarry`` of every slot, in the order of the layout.
    """

    params: Any
    opt_state: Any
    root: NDArray[np.uint32]
    iteration: NDArray[np.int64]
    env_steps: NDArray[np.int64]
    carries: tuple[SlotCarry, ...]


class Learner:
    """Trains one policy on the programs of a layout.

    The object holds only settings, compiled executables and a pool that can be drawn again; what
    training changes is in ``LearnerState``. ``train_iteration`` and ``evaluate`` may run while
    another thread calls ``prepare``.
    """

    def __init__(
        self,
        config: LearnerConfig | None = None,
        *,
        backend: Callable[[Any], Any] = backend_of,
        devices: int | None = None,
    ):
        """``backend``: program -> JAX back end; another one is for tests. ``devices``: how many
        share the work, see ``devices.choose``."""
        keep()
        self.config = LearnerConfig() if config is None else config
        self.devices = choose(self.config, devices)
        self.network = make_network(self.config)
        self._optimizer = make_optimizer(self.config)
        params = jax.eval_shape(lambda key: init_params(self.network, key), jax.random.key(0))
        self._abstract = params
        self.cohorts = Cohorts(self.config, self.network, params, backend, self.devices)
        self._update: Any = None
        self._update_seconds = 0.0
        self._update_lock = threading.Lock()
        self._pools: dict[int, tuple[Any, tuple[SlotInput, ...]]] = {}

    @property
    def compile_seconds(self) -> float:
        """Seconds spent on tracing and compiling so far, in all threads together."""
        return self.cohorts.compile_seconds + self._update_seconds

    def arrange(self, programs: Sequence[Any]) -> Layout:
        """A layout of this learner's slots, see ``layout.arrange``."""
        return arrange(programs, self.config.slots, self.cohorts.size)

    def prepare(self, layout: Layout) -> None:
        """Compile whatever training on ``layout`` needs; safe to call from any thread.

        Cohorts are compiled side by side: XLA leaves a good part of the work to one thread.
        """
        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            update = pool.submit(self._compiled_update)
            cohorts = [pool.submit(self.cohorts.prepare, cohort) for cohort in layout.cohorts]
            for task in (*cohorts, update):
                task.result()

    def prepare_evaluation(self, programs: Sequence[Any], layout: Layout | None = None) -> None:
        """Compile whatever ``evaluate`` with the same arguments needs."""
        for cohort in place(programs, self.cohorts.size, layout):
            self.cohorts.prepare(cohort)

    def init(self, seed: int, layout: Layout) -> LearnerState:
        """An untrained learner; all slots begin with fresh levels."""
        self._check(layout)
        root = fold(np.asarray([seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF], np.uint32), _INIT)
        params = init_params(self.network, jax.random.wrap_key_data(jnp.asarray(root)))
        return LearnerState(
            params=params,
            opt_state=self._optimizer.init(params),
            root=root,
            iteration=np.asarray(0, np.int64),
            env_steps=np.asarray(0, np.int64),
            carries=tuple(self.cohorts.blank(program) for program in layout.programs),
        )

    def template(self, layout: Layout) -> LearnerState:
        """The structure, shapes and dtypes of a state of this layout: a target to restore into."""
        return self.init(0, layout)

    def set_layout(self, state: LearnerState, old: Layout, new: Layout) -> LearnerState:
        """Go on with another layout.

        Slots that hold the same program as before keep their running episodes; the others begin
        with fresh levels. Parameters and optimiser are untouched.
        """
        self._check(old)
        self._check(new)
        carries = tuple(
            carry if before == program.hashes.program else self.cohorts.blank(program)
            for carry, before, program in zip(state.carries, old.hashes, new.programs)
        )
        return state._replace(carries=carries)

    def fetch(self, state: LearnerState) -> LearnerState:
        """The state as NumPy arrays of this process, for a checkpoint; of several processes that
        train together, every one has to call it."""
        return self.devices.fetch(state)

    def collect(
        self, state: LearnerState, layout: Layout
    ) -> tuple[tuple[SlotCarry, ...], tuple[Collected, ...]]:
        """The roll-outs of one iteration: (carries of every slot, what each cohort collected).

        Cohorts are stepped side by side where they share nothing: the small arrays of one keep
        one core busy, and not all of the time.
        """
        found = side_by_side(
            lambda number, _: self._collect(state, layout, number),
            range(len(layout.cohorts)),
            None,
            self.devices.threads,
        )
        carries = tuple(carry for after, _ in found for carry in after)
        return carries, tuple(rollout for _, rollout in found)

    def record(self, state: LearnerState, layout: Layout, slot: int) -> Recording:
        """One slot's roll-out of the iteration that begins with ``state``, run (again) to look at.

        Every call gives the same, and what ``train_iteration`` rolled out from the same state.
        """
        number, place = divmod(slot, layout.cohort_size)
        after, rollout = self._collect(state, layout, number)
        inputs = self._inputs(state.root, int(state.iteration), layout, number)[place]
        steps = rollout.steps
        columns = slice(place * self.config.copies, (place + 1) * self.config.copies)

        def rows(part: Any) -> NDArray[Any]:
            return np.asarray(part)[:, columns]

        return Recording(
            state=self.devices.fetch(state.carries[slot].state),
            pool=self.devices.fetch_pool(inputs.pool),
            first_level=int(inputs.first_level),
            salt=int(self._salt(state)),
            level=self.devices.fetch(after[place].level),
            action=rows(steps.action),
            levels=rows(rollout.episodes.level),
            valid=rows(steps.valid),
            terminated=rows(steps.terminated),
            healthy=rows(steps.healthy),
        )

    def _collect(
        self, state: LearnerState, layout: Layout, number: int
    ) -> tuple[tuple[SlotCarry, ...], Collected]:
        """The roll-out of one cohort."""
        inputs = self._inputs(state.root, int(state.iteration), layout, number)
        first = number * layout.cohort_size
        return self.cohorts.prepare(layout.cohorts[number]).collect(
            state.carries[first : first + layout.cohort_size],
            state.params,
            inputs,
            self._salt(state),
            np.float32(1.0),
        )

    def _salt(self, state: LearnerState) -> np.uint32:
        """Salt of the noise of one iteration."""
        return np.uint32(fold(state.root, _NOISE, int(state.iteration))[0])

    def train_iteration(
        self, state: LearnerState, layout: Layout
    ) -> tuple[LearnerState, IterationMetrics]:
        """One roll-out of every slot and one PPO update.

        A pure function of (state, layout) apart from the times in the metrics.

        Raises:
          ValueError: the layout does not have this learner's slots.
        """
        self._check(layout)
        self.prepare(layout)  # so that no compilation is counted as roll-out
        iteration = int(state.iteration)
        start = time.perf_counter()
        carries, collected = self.collect(state, layout)
        jax.block_until_ready(collected)
        middle = time.perf_counter()
        params, opt_state, losses = self._compiled_update()(
            state.params,
            state.opt_state,
            tuple(c.steps for c in collected),
            tuple(c.last_value for c in collected),
            tuple(c.memory for c in collected),
            fold(state.root, _ORDER, iteration),
        )
        jax.block_until_ready(params)
        end = time.perf_counter()
        metrics = gather(
            iteration + 1, layout.hashes, collected, losses, middle - start, end - middle
        )
        following = LearnerState(
            params=params,
            opt_state=opt_state,
            root=state.root,
            iteration=np.asarray(iteration + 1, np.int64),
            env_steps=np.asarray(int(state.env_steps) + metrics.env_steps, np.int64),
            carries=carries,
        )
        return following, metrics

    def evaluate(
        self,
        params: Any,
        programs: Sequence[Any],
        *,
        episodes: int = 256,
        seed: int = 0,
        layout: Layout | None = None,
        greedy: bool = False,
        stop: Callable[[], bool] | None = None,
    ) -> tuple[EpisodeStats, ...]:
        """Whole, fresh episodes of the policy on any programs, see ``evaluate.evaluate``."""
        return evaluate(
            self.cohorts,
            self.config,
            params,
            programs,
            episodes=episodes,
            seed=seed,
            layout=layout,
            greedy=greedy,
            stop=stop,
        )

    def numpy_params(self, params: Any) -> dict[str, np.ndarray]:
        """Parameters for ``play.numpy_policy`` and ``play.save_policy``."""
        return numpy_params(params)

    def _check(self, layout: Layout) -> None:
        wanted = (self.config.slots, self.cohorts.size)
        given = (len(layout.programs), layout.cohort_size)
        if given != wanted:
            raise ValueError(
                f"the layout has {given[0]} slots in cohorts of {given[1]}, this learner "
                f"{wanted[0]} in cohorts of {wanted[1]}"
            )

    def _inputs(
        self, root: NDArray[np.uint32], iteration: int, layout: Layout, number: int
    ) -> tuple[SlotInput, ...]:
        """Constants and reset pools of one cohort. The pool is a function of (root, draw, slot,
        program, difficulty); the last one is kept, since it is good for ``pool_refresh``
        iterations unless a difficulty changes."""
        config = self.config
        draw = iteration // config.pool_refresh
        cohort = layout.cohorts[number]
        first = number * layout.cohort_size
        difficulties = [layout.difficulty(first + k) for k in range(len(cohort))]
        names = tuple(p.hashes.program for p in cohort)
        tag = (tuple(root.tolist()), draw, names, tuple(difficulties))
        held = self._pools.get(number)
        if held is not None and held[0] == tag:
            return held[1]
        constants = tuple(self.cohorts.constants(program) for program in cohort)
        levels = [
            draw_levels(
                program,
                config.pool_size,
                fold(root, _LEVELS, draw, first + k),
                config.param_noise,
                difficulties[k],
            )
            for k, program in enumerate(cohort)
        ]
        pools = self.cohorts.prepare(cohort).reset(
            constants, tuple(lv.seeds for lv in levels), tuple(lv.params for lv in levels)
        )
        level = np.asarray(draw * config.pool_size & 0x7FFFFFFF, np.int32)
        inputs = tuple(SlotInput(c, pool, level) for c, pool in zip(constants, pools))
        inputs = self.devices.inputs(inputs)
        self._pools[number] = (tag, inputs)
        return inputs

    def _compiled_update(self) -> Any:
        with self._update_lock:
            if self._update is None:
                start = time.perf_counter()
                self._update = self._compile_update()
                self._update_seconds = time.perf_counter() - start
            return self._update

    def _compile_update(self) -> Any:
        config = self.config
        opt_state = jax.eval_shape(self._optimizer.init, self._abstract)
        width = self.cohorts.size * config.copies
        steps = _abstract_steps(config.rollout_length, width)
        cohorts = config.slots // self.cohorts.size
        last = jax.ShapeDtypeStruct((width,), jnp.float32)
        key = jax.ShapeDtypeStruct((2,), jnp.uint32)
        memory = memory_shape(self.network, width)
        update = self.devices.jit_update(make_update(config, self.network, self.devices.split))
        lowered = update.lower(
            *(self._abstract, opt_state, (steps,) * cohorts, (last,) * cohorts),
            *((memory,) * cohorts, key),
        )
        return self.devices.feed_update(lowered.compile())


def _abstract_steps(length: int, width: int) -> Steps:
    """Shapes of a cohort's transitions: they do not depend on its programs."""
    from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW

    def array(dtype: Any, *tail: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct((length, width, *tail), dtype)

    return Steps(
        cells=array(jnp.uint8, VIEW, VIEW, CELL_CHANNELS),
        hud=array(jnp.float32, HUD),
        legal=array(jnp.bool_, ACTIONS),
        action=array(jnp.int32),
        log_prob=array(jnp.float32),
        value=array(jnp.float32),
        reward=array(jnp.float32),
        terminated=array(jnp.bool_),
        truncated=array(jnp.bool_),
        valid=array(jnp.bool_),
        healthy=array(jnp.bool_),
    )
