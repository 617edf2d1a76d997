"""Compiled cohorts: kept by what programs share, compiled ahead of time, freed when long unused."""

from __future__ import annotations

import dataclasses
import functools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from spade_jax.learner.blocks import in_blocks
from spade_jax.learner.cohort import (
    SlotCarry,
    SlotInput,
    blank_shapes,
    make_collect,
    make_reset,
)
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.devices import Devices
from spade_jax.learner.heap import give_back
from spade_jax.learner.platform import block_size, cohort_size
from spade_jax.learner.recurrent import Network, memory_shape

__all__ = ["Cohorts", "CompiledCohort", "keep_executables"]


def keep_executables(folder: str) -> None:
    """Keep what is compiled from now on in ``folder``, for later processes; JAX's own cache.

    Without the smallest executables: a file for each of them would cost more than it saves.
    """
    os.makedirs(folder, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.05)


@dataclasses.dataclass(frozen=True)
class CompiledCohort:
    """The executables of one tuple of programs, for all that may share them.

    Attributes:
      key: what it was compiled for, in order: see ``Program.executable``.
      reset: (constants, seeds, params) -> pools. collect: see ``cohort.make_collect``.
      seconds: time it took to trace and compile both.
    """

    key: tuple[tuple[str, ...], ...]
    reset: Callable[..., Any]
    collect: Callable[..., Any]
    seconds: float


class Cohorts:
    """A cache of compiled cohorts; safe to use from several threads.

    ``prepare`` may run in a background thread while training goes on in the foreground: XLA
    compiles without holding Python's lock. As cohorts are evicted it clears JAX's caches now and
    then (``jax.clear_caches``): functions that a caller jitted are compiled again when next called.

    Attributes:
      devices: that step a cohort. size: slots of a cohort.
    """

    def __init__(
        self,
        config: LearnerConfig,
        network: Network,
        params: Any,
        backend: Callable[[Any], Any],
        devices: Devices,
    ):
        """``params``: network parameters, only their shapes matter; ``backend(program)``."""
        self.devices = devices
        self.size = cohort_size(config)
        self._config = config
        self._network = network
        self._params = jax.tree.map(_shape, params)
        self._backend = backend
        # Never fewer than a layout and the next one take, or every iteration would compile.
        self._most = max(config.cache_size, 2 * config.slots // self.size)
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[tuple[str, ...], ...], Future[CompiledCohort]] = (
            OrderedDict()
        )
        self._carries: dict[tuple[str, ...], SlotCarry] = {}  # shapes only
        self._gathered: dict[int, Callable[..., Any]] = {}  # by the slots of a cohort
        self._gathered_lock = threading.Lock()
        self._seconds = 0.0
        self._evicted = 0  # since JAX's own caches were last cleared

    @property
    def compile_seconds(self) -> float:
        """Seconds spent compiling so far (the sum over threads)."""
        with self._lock:
            return self._seconds

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def clear(self) -> None:
        """Drop every executable; memory is freed once no roll-out uses them."""
        with self._lock:
            self._entries.clear()
            self._carries.clear()

    def prepare(self, programs: Sequence[Any]) -> CompiledCohort:
        """The executables of a cohort of these programs, compiled now if need be.

        Two threads that ask for the same cohort compile it once. Whatever the compilation raises
        is raised here, in every thread that asked.
        """
        key = tuple(program.executable for program in programs)
        with self._lock:
            entry = self._entries.get(key)
            mine = entry is None
            if entry is None:
                entry = self._entries[key] = Future()
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
                self._evicted += 1
        if mine:
            try:
                compiled = self._compile(key, programs)
            except BaseException as error:
                with self._lock:
                    self._entries.pop(key, None)
                entry.set_exception(error)
                raise
            with self._lock:
                self._seconds += compiled.seconds
            entry.set_result(compiled)
            self._tidy()
        return entry.result()

    def _tidy(self) -> None:
        """Give back what compiling left. Once as many cohorts went as are kept, also what JAX
        remembers of their traces, which it would keep far longer."""
        with self._lock:
            forget = self._evicted >= self._most
            self._evicted = 0 if forget else self._evicted
        if forget:
            jax.clear_caches()
        give_back()

    def constants(self, program: Any) -> Any:
        """A program's constants as typed JAX arrays."""
        constants = jax.tree.map(_typed, self._backend(program).constants(program))
        return self.devices.whole(constants)

    def blank(self, program: Any) -> SlotCarry:
        """The carry of a slot that has not run yet, see ``cohort.blank_shapes`` (NumPy arrays)."""
        shapes = self._carries.get(program.executable)
        if shapes is None:
            backend = self._backend(program)
            constants = backend.constants(program)
            seats, copies = program.game.players, self._config.copies
            memory = memory_shape(self._network, copies)
            shapes = blank_shapes(backend, constants, seats, copies, len(program.params), memory)
            self._carries[program.executable] = shapes
        carry = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)
        return carry._replace(pending=np.ones_like(carry.pending))

    def _compile(self, key: tuple[tuple[str, ...], ...], programs: Sequence[Any]) -> CompiledCohort:
        start = time.perf_counter()
        config = self._config
        backends = [self._backend(program) for program in programs]
        constants = tuple(jax.tree.map(_shape, self.constants(p)) for p in programs)
        size = config.pool_size
        seeds = tuple(jax.ShapeDtypeStruct((size, 2), jnp.int32) for _ in programs)
        params = tuple(jax.ShapeDtypeStruct((size, len(p.params)), jnp.float32) for p in programs)
        reset = self.devices.jit_reset(make_reset(backends)).lower(constants, seeds, params)
        inputs = tuple(
            SlotInput(c, jax.tree.map(_shape, pool), jax.ShapeDtypeStruct((), jnp.int32))
            for c, pool in zip(constants, reset.out_info, strict=True)
        )
        carries = tuple(jax.tree.map(_shape, self.blank(program)) for program in programs)
        share = config.copies // self.devices.count
        whole = make_collect(
            backends, self._network, config.rollout_length, slot_copies=config.copies
        )
        # Nothing is donated: the state before an iteration replays it (``Learner.record``).
        collect = self.devices.jit_collect(
            in_blocks(whole, share, block_size(share)), len(backends)
        )
        salt, noise = jax.ShapeDtypeStruct((), jnp.uint32), jax.ShapeDtypeStruct((), jnp.float32)
        with ThreadPoolExecutor(1, thread_name_prefix="compile-reset") as beside:
            first = beside.submit(lambda: reset.compile(compiler_options=_quick_options()))
            lowered = collect.lower(carries, self._params, inputs, salt, noise)
            second, gathered = lowered.compile(), self._compiled_gather(lowered.out_info[1])
            compiled = (
                self.devices.feed_reset(first.result()),
                self.devices.feed_collect(second, gathered),
            )
        return CompiledCohort(key, *compiled, seconds=time.perf_counter() - start)

    def _compiled_gather(self, collected: Any) -> Callable[..., Any] | None:
        """What makes such a roll-out whole on every device: one for all cohorts of as many slots,
        None with one device. ``collected``: its shapes."""
        if self.devices.count == 1:
            return None
        slots = collected.faults.shape[0]
        with self._gathered_lock:
            if slots not in self._gathered:
                self._gathered[slots] = self.devices.jit_gather().lower(collected).compile()
            return self._gathered[slots]


@functools.cache
def _quick_options() -> dict[str, str | bool]:
    """Options with which XLA compiles sooner what runs rarely; none where they are not known.

    The CPU's older code generator takes less time than the newer one, for slower code.
    """
    options: dict[str, str | bool] = {"xla_cpu_use_fusion_emitters": False}
    if jax.default_backend() != "cpu":
        return {}
    try:
        one = jax.ShapeDtypeStruct((), jnp.int32)
        jax.jit(jnp.negative).lower(one).compile(compiler_options=options)
    except jax.errors.JaxRuntimeError:
        return {}
    return options


def _shape(leaf: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)


def _typed(leaf: Any) -> jax.Array:
    value = np.asarray(leaf)
    return jnp.asarray(value, value.dtype)
