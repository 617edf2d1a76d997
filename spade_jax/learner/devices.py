"""One learner on several devices, of one process or of many.

The copies of every slot lie along a one-dimensional mesh. A device steps its share of each slot's
copies and draws their reset pool; it needs nothing of the others for that. Then the transitions,
which are compact, are gathered on every device, cohort by cohort, each minibatch is divided by rows
and the gradients are summed. So which rows meet in a minibatch does not depend on the number of
devices, and training is the same up to the order of these sums.

Collectives that meet the wrong partner end a run, or hang it. So there is one in what gathers, none
in what steps and draws, and in the update each needs the result of the one before; and nothing that
holds one begins, where the platform itself keeps no order, before the last is over.

With one device nothing is placed, divided or wrapped.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from numpy.typing import NDArray

from spade_jax.errors import UserError
from spade_jax.learner.cohort import Collected, SlotInput
from spade_jax.learner.config import LearnerConfig
from spade_jax.learner.gathering import gather
from spade_jax.learner.ppo import Split

__all__ = ["Devices", "DevicesError", "choose", "obstacle"]

_AXIS = "copies"
_WHOLE, _DIVIDED = PartitionSpec(), PartitionSpec(_AXIS)
_TIMED = ("steps", "episodes")  # fields of Collected whose first axis is time


class DevicesError(UserError, ValueError):
    """The devices asked for are not there, or cannot share the work."""


def choose(config: LearnerConfig, count: int | None = None) -> Devices:
    """The devices that a learner of these settings runs on.

    Args:
      config: the learner's settings.
      count: how many devices of the default backend; None for all of them if they divide the
        copies of a slot and the rows of a minibatch, else one. Where several processes work
        together it is all devices of all of them.

    Raises:
      DevicesError: there are not so many, they do not divide the work, or they are not all.
    """
    found = jax.devices()
    together = jax.process_count() > 1
    if count is None:
        fits = not obstacle(config, len(found))
        count = len(found) if fits or together else 1
    if not 1 <= count <= len(found):
        there = f"there are {len(found)} ({found[0].platform})"
        raise DevicesError(f"devices is {count}; {there}")
    if together and count != len(found):
        raise DevicesError(
            f"devices is {count}; {jax.process_count()} processes use all {len(found)} of theirs"
        )
    if fault := obstacle(config, count):
        raise DevicesError(fault)
    mesh = Mesh(np.asarray(found[:count]), (_AXIS,)) if count > 1 else None
    return Devices(mesh, config.copies)


def obstacle(config: LearnerConfig, count: int) -> str:
    """Why so many devices cannot share the work, "" when they can."""
    rows = config.slots * config.slot_rows // config.minibatches
    part = (rows, "rows of a minibatch")
    if config.core != "none":
        part = (config.batch // config.minibatches, "environments of a minibatch")
    for size, what in ((config.copies, "copies of a slot"), part):
        if size % count:
            return f"{count} devices do not divide the {size} {what}"
    return ""


@dataclasses.dataclass(frozen=True)
class Devices:
    """Where a learner's arrays lie; made by ``choose``.

    Attributes:
      mesh: the devices in a row, None for one device.
      copies: of a slot, on all devices together.
    """

    mesh: Mesh | None
    copies: int

    @property
    def count(self) -> int:
        """How many devices share the work."""
        return 1 if self.mesh is None else self.mesh.size

    @property
    def threads(self) -> int:
        """Threads that may call executables side by side, one a core.

        Only one where devices talk to one another: all have to be called in the same order.
        """
        return (os.cpu_count() or 1) if self.mesh is None else 1

    # --- the functions of a learner, to be lowered and compiled -----------------------------------

    def jit_reset(self, reset: Callable[..., Any]) -> Any:
        """``cohort.make_reset``'s function, each device drawing its copies' levels."""
        if self.mesh is None:
            return jax.jit(reset)
        specs = (_WHOLE, _DIVIDED, _DIVIDED)

        def reset_share(*arguments: Any) -> Any:
            return _anew(reset(*_anew(arguments)))

        return self._jit(self._divide(reset_share, specs, _DIVIDED), specs, _DIVIDED)

    def jit_collect(self, collect: Callable[..., Any], slots: int) -> Any:
        """``cohort.make_collect``'s function, each device stepping its copies of ``slots`` slots.

        With several devices, what was collected comes out divided, its environments as [K, n]
        instead of [K·n]: ``jit_gather`` makes it whole.
        """
        if self.mesh is None:
            return jax.jit(collect)
        share = self.copies // self.count

        def collect_share(carries: Any, params: Any, inputs: Any, salt: Any, noise: Any) -> Any:
            first = jax.lax.axis_index(_AXIS) * share
            inputs = tuple(i._replace(first_level=i.first_level + first) for i in inputs)
            carries, inputs = _anew((carries, inputs))
            carries, collected = collect(carries, params, inputs, salt, noise)
            return _anew(carries), _each(collected, functools.partial(_unfold, slots=slots))

        slot = SlotInput(constants=_WHOLE, pool=_DIVIDED, first_level=_WHOLE)
        inside = (_DIVIDED, _WHOLE, (slot,) * slots, _WHOLE, _WHOLE)
        outside = (_DIVIDED, _collected_specs())
        return self._jit(self._divide(collect_share, inside, outside), inside, outside)

    def jit_gather(self) -> Any:
        """What ``jit_collect``'s function collected, whole on every device and in the order that it
        has on one."""
        specs = (_collected_specs(),)

        def gathered(collected: Collected) -> Collected:
            return _each(gather(collected, _AXIS), _fold)

        return self._jit(self._divide(gathered, specs, _WHOLE), specs, _WHOLE)

    def jit_update(self, update: Callable[..., Any]) -> Any:
        """``ppo.make_update``'s function (made with ``split``): the same on every device, but for
        the rows of a minibatch."""
        if self.mesh is None:
            return jax.jit(update)
        return self._jit(self._divide(update, _WHOLE, _WHOLE), _WHOLE, _WHOLE)

    @property
    def split(self) -> Split:
        """How ``jit_update``'s function divides a minibatch."""
        if self.mesh is None:
            return Split()
        count = self.count

        def share(order: jax.Array) -> jax.Array:
            size = order.shape[-1] // count
            start = jax.lax.axis_index(_AXIS) * size
            return jax.lax.dynamic_slice_in_dim(order, start, size, axis=-1)

        return Split(share, lambda tree: jax.lax.psum(tree, _AXIS))

    def _divide(self, function: Callable[..., Any], inside: Any, outside: Any) -> Any:
        return jax.shard_map(
            function, mesh=self.mesh, in_specs=inside, out_specs=outside, check_vma=False
        )

    def _jit(self, function: Callable[..., Any], inside: Any, outside: Any) -> Any:
        return jax.jit(
            function, in_shardings=self._shardings(inside), out_shardings=self._shardings(outside)
        )

    def _shardings(self, specs: Any) -> Any:
        assert self.mesh is not None
        mesh = self.mesh
        return jax.tree.map(
            lambda spec: NamedSharding(mesh, spec),
            specs,
            is_leaf=lambda leaf: isinstance(leaf, PartitionSpec),
        )

    # --- the compiled functions, whatever their arguments lie on ----------------------------------

    def feed_reset(self, compiled: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled ``jit_reset`` that takes levels in their order: (constants, seeds, params)."""
        if self.mesh is None:
            return compiled

        def reset(constants: Any, seeds: Any, params: Any) -> Any:
            order = self._order(len(seeds[0]))
            levels = [tuple(np.asarray(part)[order] for part in parts) for parts in (seeds, params)]
            return compiled(self.whole(constants), *(self.divided(part) for part in levels))

        return reset

    def feed_collect(
        self, compiled: Callable[..., Any], gathered: Callable[..., Any] | None
    ) -> Callable[..., Any]:
        """A compiled ``jit_collect`` that puts its arguments where they are needed; where there are
        several devices, ``gathered`` is a compiled ``jit_gather``."""
        if gathered is None:
            return compiled

        def collect(carries: Any, params: Any, inputs: Any, salt: Any, noise: Any) -> Any:
            params, salt, noise = self.whole((params, salt, noise))
            carries, parts = compiled(
                self.divided(carries), params, self.inputs(inputs), salt, noise
            )
            return carries, self._settled(gathered(parts))

        return collect

    def feed_update(self, compiled: Callable[..., Any]) -> Callable[..., Any]:
        """A compiled ``jit_update`` that puts its arguments where they are needed."""
        if self.mesh is None:
            return compiled
        return lambda *arguments: self._settled(compiled(*self.whole(arguments)))

    def _settled(self, result: Any) -> Any:
        """What came of a collective. Accelerators run executables in the order of the calls; CPUs
        run what is ready, in each process another one."""
        assert self.mesh is not None
        if self.mesh.devices.flat[0].platform == "cpu":
            jax.block_until_ready(result)
        return result

    # --- placing and fetching ---------------------------------------------------------------------

    def whole(self, tree: Any) -> Any:
        """The arrays of ``tree`` on every device; those that are there already are not moved."""
        return self._place(tree, _WHOLE)

    def divided(self, tree: Any) -> Any:
        """The arrays of ``tree``, their first axis divided between the devices."""
        return self._place(tree, _DIVIDED)

    def inputs(self, inputs: tuple[SlotInput, ...]) -> tuple[SlotInput, ...]:
        """What roll-outs read, with pools of this object's ``feed_reset``."""
        if self.mesh is None:
            return inputs
        return tuple(
            SlotInput(self.whole(i.constants), self.divided(i.pool), self.whole(i.first_level))
            for i in inputs
        )

    def fetch(self, tree: Any) -> Any:
        """``tree`` with NumPy arrays; every process of several has to call it."""

        def host(leaf: Any) -> Any:
            elsewhere = isinstance(leaf, jax.Array) and not leaf.is_fully_addressable
            if elsewhere and not leaf.is_fully_replicated:
                leaf = multihost_utils.process_allgather(leaf, tiled=True)
            return np.asarray(leaf)

        return jax.tree.map(host, tree)

    def fetch_pool(self, pool: Any) -> Any:
        """A pool of ``feed_reset`` with NumPy arrays, its levels in their order."""
        pool = self.fetch(pool)
        if self.mesh is None:
            return pool
        back = np.argsort(self._order(len(jax.tree.leaves(pool)[0])))
        return jax.tree.map(lambda leaf: leaf[back], pool)

    def _order(self, size: int) -> NDArray[np.intp]:
        """Which level stands where in a divided pool: device by device, those of its copies.

        Copy i plays the levels i, n + i, 2n + i … (``cohort``), and has to find them at home.
        """
        share = self.copies // self.count
        levels = np.arange(size).reshape(-1, self.count, share)
        return levels.swapaxes(0, 1).ravel()

    def _place(self, tree: Any, spec: PartitionSpec) -> Any:
        if self.mesh is None:
            return tree
        target = NamedSharding(self.mesh, spec)

        def place(leaf: Any) -> Any:
            if isinstance(leaf, jax.Array):
                if leaf.sharding == target or leaf.sharding.is_equivalent_to(target, leaf.ndim):
                    return leaf
                if not leaf.is_fully_addressable:
                    return jax.device_put(leaf, target)
            host = np.asarray(leaf)
            return jax.make_array_from_callback(host.shape, target, lambda index: host[index])

        return jax.tree.map(place, tree)


def _axis(field: str) -> int:
    """Where the environments are in a field of ``Collected``."""
    return 1 if field in _TIMED else 0


def _collected_specs() -> Collected:
    """Where what was collected lies, its environments as [K, n]."""
    specs: dict[str, Any] = {
        name: PartitionSpec(*[None] * (_axis(name) + 1), _AXIS) for name in Collected._fields
    }
    return Collected(**specs)


def _each(collected: Collected, change: Callable[..., Any]) -> Collected:
    """``change(leaf, axis=…)``, of the environments, of every array."""
    changed: dict[str, Any] = {}
    for name, part in collected._asdict().items():
        axis = _axis(name)
        changed[name] = jax.tree.map(functools.partial(change, axis=axis), part)
    return Collected(**changed)


def _anew(tree: Any) -> Any:
    """``tree`` with its arrays of size 0 made here: jaxlib 0.11.2 crashes in compiling a loop that
    carries one which came from outside of what is divided."""
    return jax.tree.map(lambda leaf: leaf if leaf.size else jnp.zeros(leaf.shape, leaf.dtype), tree)


def _unfold(leaf: jax.Array, *, axis: int, slots: int) -> jax.Array:
    """[… K·n …] -> [… K, n …]: the axis that is divided by itself."""
    return leaf.reshape(*leaf.shape[:axis], slots, -1, *leaf.shape[axis + 1 :])


def _fold(leaf: jax.Array, *, axis: int) -> jax.Array:
    """[D … K, n …] of D devices -> [… K·D·n …]."""
    leaf = jnp.moveaxis(leaf, 0, axis + 1)
    return leaf.reshape(*leaf.shape[:axis], -1, *leaf.shape[axis + 3 :])
