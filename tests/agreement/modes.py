"""JAX against NumPy, in every way in which one may call it.

- *eager*: ``step`` (and of every fourth program ``reset``), one operation after the other;
- *jit*: the jitted ``step``, on every step that NumPy made;
- *vmap of scan*: ``reset`` and whole episodes in one ``lax.scan``, under ``jax.vmap`` over two
  groups of the same episodes in different order.

Every answer is compared with the step that NumPy makes from the very state JAX stepped from, so
rounding never adds up; episodes of programs without floats must be equal as a whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from oracle import Oracle, one_copy, shaken
from oracle.values import element

from envs_dsl import Program
from envs_dsl.backends import numpy_backend
from envs_dsl.backends.backend import Backend
from envs_dsl.backends.jax_ops import JAX
from envs_dsl.language.tree import Call, walk

from .episodes import SHAKES, Episodes, Finding
from .same import RELATIVE, difference

__all__ = ["MODES", "against_numpy", "has_floats"]


_EXACT = {
    "rand", "to_float", "where", "if_else", "min", "max", "clip", "pick", "pick_grid", "shift",
    "roll", "neg", "abs", "Vec2", "vec",
}  # fmt: skip


def has_floats(program: Program) -> bool:
    """Whether the program computes a float in a way that rounds."""
    for node in walk((*program.tree.reset, *program.tree.step)):
        rounds = isinstance(node, Call) and node.op not in _EXACT
        if rounds and element(node.type).kind in ("Float", "Vec2"):
            return True
    return False


class _Comparison:
    """Compares batches of JAX's states with NumPy's, and asks the oracle about what differs."""

    def __init__(self, program: Program) -> None:
        self.program, self.oracle = program, Oracle(program.tree)
        self.found: list[Finding] = []

    def states(self, mode: str, want: Any, got: Any, again: Callable[[int], Any]) -> None:
        """``again(copy)`` asks the oracle what the answer is for that copy."""
        got = jax.tree.map(np.asarray, got)
        for one, two in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
            assert one.dtype == two.dtype and one.shape == two.shape, (mode, one, two)
        batch = want.t.shape[0]
        suspects = np.zeros(batch, bool)
        for one, two in zip(jax.tree.leaves(want), jax.tree.leaves(got)):
            same = one == two
            if one.dtype == np.float32:
                same = same | (np.abs(one - two) <= RELATIVE * np.abs(one))
            suspects |= ~same.reshape(batch, -1).all(axis=1)
        tree = self.program.tree
        for copy in np.flatnonzero(suspects).tolist():
            theirs = one_copy(tree, got, copy)
            words = difference(tree, [one_copy(tree, want, copy)], theirs)
            if not words:
                continue
            wants = []
            for shake in range(SHAKES):
                with shaken(shake):
                    wants.append(again(copy))
            tie = difference(tree, wants, theirs) is None
            self.found.append(Finding(-2, copy, tie, f"{mode}: {words}"))

    def reset(self, mode: str, episodes: Episodes, got: Any) -> None:
        copies = got.t.shape[0]
        want = jax.tree.map(lambda leaf: leaf[:copies], episodes.states[0])

        def again(copy: int) -> Any:
            params = tuple(episodes.params[copy].tolist())
            return self.oracle.reset(tuple(episodes.seeds[copy].tolist()), params)

        self.states(f"{mode} reset", want, got, again)

    def step(self, mode: str, before: Any, actions: np.ndarray, got: Any) -> None:
        """``got`` is (state, out); ``before`` where JAX stepped from."""
        back = numpy_backend(self.program)
        want, out = back.step(back.constants(self.program), before, actions)

        def again(copy: int) -> Any:
            state = one_copy(self.program.tree, before, copy)
            return self.oracle.step(state, actions[copy].tolist()).state

        count = len(self.found)
        self.states(mode, want, got[0], again)
        if len(self.found) == count:
            for one, two in zip(out[1:], got[1][1:]):
                if not np.array_equal(one, np.asarray(two)):
                    self.found.append(Finding(-2, -1, False, f"{mode}: ended"))

    def whole(self, episodes: Episodes, after: Any) -> None:
        """Whole episodes [2, T, B, ...]: as NumPy played them, and the same in the other order.

        Rewards round, and are left out.
        """
        after = after._replace(total=0, score=0, last_reward=0)
        for t, state in enumerate(episodes.states[1:]):
            want = state._replace(total=0, score=0, last_reward=0)
            for one, two in zip(jax.tree.leaves(want), jax.tree.leaves(after)):
                if not np.array_equal(one, two[0, t] if np.ndim(two) else two):
                    self.found.append(Finding(t, -1, False, "scan: the whole episode"))
                    return
        for leaf in jax.tree.leaves(after):
            if np.ndim(leaf) and not np.array_equal(leaf[0], leaf[1][:, ::-1]):
                self.found.append(Finding(0, -1, False, "scan: another place in the batch"))
                return


class _Jax:
    """A program's JAX back end, traced once for all modes: always with batches of one size."""

    def __init__(self, program: Program) -> None:
        # a back end of its own, not the cached one: what was compiled for it is freed with it
        self.program, self.back = program, Backend(program.tree, JAX)
        self.constants = self.back.constants(program)
        self.step = jax.jit(self.back.step)
        self.reset = jax.jit(self.back.reset)


def _eager(made: _Jax, episodes: Episodes, compare: _Comparison) -> None:
    two = lambda leaf: leaf[:2]  # noqa: E731
    if int(episodes.seeds[0, 0]) % 4 == 0:  # operations are compiled one by one, which takes long
        got = made.back.reset(made.constants, episodes.seeds[:2], episodes.params[:2])
        compare.reset("eager", episodes, got)
    before, actions = jax.tree.map(two, episodes.states[1]), episodes.actions[1][:2]
    compare.step("eager", before, actions, made.back.step(made.constants, before, actions))


def _jit(made: _Jax, episodes: Episodes, compare: _Comparison) -> None:
    for before, actions in zip(episodes.states, episodes.actions):
        compare.step("jit", before, actions, made.step(made.constants, before, actions))


def _scan(made: _Jax, episodes: Episodes, compare: _Comparison) -> None:
    """Two groups of episodes, the second in the reverse order of the first."""

    def play(seeds: Any, params: Any, actions: Any) -> Any:
        def step(state: Any, action: Any) -> Any:
            after, out = made.step(made.constants, state, action)
            return after, (after, out)

        start = made.reset(made.constants, seeds, params)
        return start, *jax.lax.scan(step, start, actions)[1]

    taken = np.stack(episodes.actions)
    there_and_back = lambda x, axis: np.stack([x, np.flip(x, axis)])  # noqa: E731
    run = jax.jit(jax.vmap(play))
    fresh, after, outs = run(
        there_and_back(episodes.seeds, 0),
        there_and_back(episodes.params, 0),
        there_and_back(taken, 1),
    )
    fresh, after, outs = jax.tree.map(np.asarray, (fresh, after, outs))
    run.clear_cache()
    compare.reset("scan", episodes, jax.tree.map(lambda leaf: leaf[0], fresh))
    if not has_floats(made.program):
        compare.whole(episodes, after)
    before = jax.tree.map(lambda leaf: leaf[0], fresh)
    for t, actions in enumerate(episodes.actions):
        got = jax.tree.map(lambda leaf: leaf[0, t], (after, outs))  # noqa: B023
        compare.step("scan", before, actions, got)
        before = got[0]


MODES: dict[str, Callable[[_Jax, Episodes, _Comparison], None]] = {
    "eager": _eager,
    "jit": _jit,
    "vmap of scan": _scan,
}


def against_numpy(
    program: Program, episodes: Episodes, modes: tuple[str, ...] = tuple(MODES)
) -> tuple[list[Finding], dict[str, float]]:
    """What JAX answers otherwise than NumPy, and the CPU seconds of each mode."""
    compare, made, seconds = _Comparison(program), _Jax(program), {}
    for mode in modes:
        start = time.process_time()
        MODES[mode](made, episodes, compare)
        seconds[mode] = time.process_time() - start
    made.step.clear_cache()
    made.reset.clear_cache()
    return compare.found, seconds
