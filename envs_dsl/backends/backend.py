"""A back end of one program skeleton, and a bounded cache of them."""

from __future__ import annotations

import collections
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from envs_dsl.backends import engine
from envs_dsl.backends.machine import Shape
from envs_dsl.backends.random import block_of
from envs_dsl.backends.state import Constants, State, StepOut
from envs_dsl.language.tree import Tree

if TYPE_CHECKING:
    from envs_dsl.interface import Compact, Observation
    from envs_dsl.program import Program

__all__ = ["Backend", "Cache"]


class Backend:
    """Pure functions of one program skeleton; the program's own numbers are the ``constants``.

    All arrays have a leading batch axis B; S is the number of seats. With JAX every method but
    ``constants`` is traceable and nothing is jitted here. Methods of one back end compare equal, so
    that ``jax.jit(backend.step)`` shares its executables.

    Attributes:
      tree: the typed tree it runs. ops: primitives of its array library.
    """

    def __init__(self, tree: Tree, ops: Any) -> None:
        self.tree, self.ops = tree, ops
        self._notes: dict[int, Any] = {}

    def constants(self, program: Program) -> Constants:
        """The numbers of a program of this skeleton, as arrays to pass to all other methods."""

        def array(values: Any, dtype: Any) -> Any:
            # JAX compiles a copy for every shape where it is not told the dtype.
            return self.ops.xp.asarray(np.asarray(values, dtype), dtype)

        return Constants(
            ints=array(program.ints, np.int32),
            floats=array(program.floats, np.float32),
            max_steps=array(program.game.max_steps, np.int32),
        )

    def reset(self, constants: Constants, seeds: Any, params: Any) -> State:
        """Initial states.

        Args:
          seeds: int32[B, 2], 64 bits a copy; with the parameters they fix the copy's whole fate.
          params: float32[B, P].
        """
        clock = np.full((1,), -1, np.int32)
        return self.reset_from(constants, seeds, params, block_of(self.ops.xp, seeds, clock))

    def reset_from(self, constants: Constants, seeds: Any, params: Any, block: Any) -> State:
        """``reset`` with given random bits, uint32[B, 2]."""
        return engine.reset(self.ops, self.tree, self._notes, constants, seeds, params, block)

    def step(self, constants: Constants, state: State, actions: Any) -> tuple[State, StepOut]:
        """One step of every copy; nothing is reset. ``actions`` int32[B, S].

        An action that the program does not have acts as STAY and is counted. After the end the
        game just goes on: the outcome stays, and pays nothing further.
        """
        block = block_of(self.ops.xp, state.seed, state.t)
        return self.step_from(constants, state, actions, block)

    def step_from(
        self, constants: Constants, state: State, actions: Any, block: Any
    ) -> tuple[State, StepOut]:
        """``step`` with given random bits, uint32[B, 2]."""
        return engine.step(self.ops, self.tree, self._notes, constants, state, actions, block)

    def observe(self, constants: Constants, state: State) -> Observation:
        """What each seat sees (see ``envs_dsl.interface``)."""
        from envs_dsl.interface import observe

        return observe(self.ops.xp, self.tree, state, constants.max_steps)

    def observe_compact(self, constants: Constants, state: State) -> Compact:
        """``observe`` without what never changes in this program: what a roll-out buffer holds."""
        from envs_dsl.interface import observe_compact

        return observe_compact(self.ops.xp, self.tree, state, constants.max_steps)

    def expand(self, compact: Compact) -> Observation:
        """The whole of a compact observation, bit for bit; any axes may stand before the seats."""
        from envs_dsl.interface import expand

        return expand(self.ops.xp, self.tree, compact)

    def view(self, constants: Constants, state: State) -> tuple[Shape, ...]:
        """The drawings of the program's ``view``, in order."""
        return engine.view(self.ops, self.tree, self._notes, constants, state)


class Cache:
    """Back ends by skeleton, the least recently used one dropped first."""

    def __init__(self, ops: Any, size: int = 256) -> None:
        self._ops, self._size = ops, size
        self._kept: collections.OrderedDict[tuple[Any, ...], Backend] = collections.OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, program: Program) -> Backend:
        key = program.executable
        with self._lock:
            found = self._kept.pop(key, None) or Backend(program.tree, self._ops)
            self._kept[key] = found
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return found
