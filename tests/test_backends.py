"""The two back ends against one another, and what both promise."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs_dsl.library
from envs_dsl import Program, load
from envs_dsl.backends import jax_backend, numpy_backend, outcome_name, success
from envs_dsl.backends.backend import Cache
from envs_dsl.backends.draws import DRAWS
from envs_dsl.backends.expressions import PURE
from envs_dsl.backends.jax_ops import HELD
from envs_dsl.backends.numpy_ops import NUMPY
from envs_dsl.backends.random import block_of, draw_bits, fmix32, uniform
from envs_dsl.backends.tables import TABLES
from envs_dsl.language.builtins import TABLE

STEPS, COPIES = 200, 64
LIBRARY = pathlib.Path(envs_dsl.library.__file__).parent
BUNDLED = sorted(path for path in LIBRARY.glob("*/*.py") if path.name != "__init__.py")
OFTEN = {
    *(path for path in BUNDLED if path.parent.name in ("seeds", "heldout_dev")),
    *[path for path in BUNDLED if path.parent.name in ("games", "ports")][::5],
}
"""Compiled in every run of the tests; the others only in the slow ones."""


def seeds_of(copies: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**31), 2**31, (copies, 2)).astype(np.int32)


def params_of(program: Program, copies: int, seed: int = 0) -> np.ndarray:
    """A level of its own for every copy, Int parameters among them unrounded on purpose."""
    rng = np.random.default_rng(seed)
    low = np.asarray([p.low for p in program.params], np.float32)
    high = np.asarray([p.high for p in program.params], np.float32)
    share = rng.random((copies, len(low)), np.float32)
    return np.asarray(low + share * (high - low), np.float32)


def assert_equal(numpy_tree: object, jax_tree: object) -> None:
    """Same structure, shapes and types; ints and bools exact, floats within 1e-5."""
    assert jax.tree.structure(numpy_tree) == jax.tree.structure(jax_tree)
    for (path, ours), theirs in zip(
        jax.tree_util.tree_leaves_with_path(numpy_tree), jax.tree.leaves(jax_tree)
    ):
        name, theirs = jax.tree_util.keystr(path), np.asarray(theirs)
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), name
        if ours.dtype == np.float32:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5, err_msg=name)
        else:
            np.testing.assert_array_equal(ours, theirs, err_msg=name)


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=() if p in OFTEN else pytest.mark.slow, id=p.stem) for p in BUNDLED],
)
def test_back_ends_agree_on_every_bundled_program(path: pathlib.Path) -> None:
    program = load(path)
    ours, theirs = numpy_backend(program), jax_backend(program)
    constants, traced = ours.constants(program), theirs.constants(program)
    seeds, params = seeds_of(COPIES), params_of(program, COPIES)
    start = ours.reset(constants, seeds, params)
    assert_equal(start, jax.jit(theirs.reset)(traced, seeds, params))

    # Both policies play in NumPy; then JAX makes each of those steps, all in one batch.
    seats = program.game.players
    rng = np.random.default_rng(1)
    befores, actions, afters, observed = [], [], [], []
    for policy in ("random", "noop"):
        state = start
        for _ in range(STEPS):
            action = np.zeros((COPIES, seats), np.int32)
            if policy == "random":
                action = rng.integers(-1, 21, (COPIES, seats)).astype(np.int32)
            after = ours.step(constants, state, action)
            befores.append(state)
            actions.append(action)
            afters.append(after)
            state = after[0]
        observed.append(state)
    join = lambda *leaves: np.concatenate(leaves)  # noqa: E731
    before = jax.tree.map(join, *befores)
    stepped = jax.jit(theirs.step)(traced, before, np.concatenate(actions))
    assert_equal(jax.tree.map(join, *afters), stepped)
    last = jax.tree.map(join, *observed)
    seen, expected = jax.jit(theirs.observe)(traced, last), ours.observe(constants, last)
    for name in ("hud", "legal"):
        assert_equal(getattr(expected, name), getattr(seen, name))
    # a float on the edge of a quantisation step may fall on either side
    gap = np.abs(expected.cells.astype(int) - np.asarray(seen.cells).astype(int))
    assert gap[..., :4].max() == 0 and gap.max() <= 1


def test_free_running_trajectories_are_equal_without_floats() -> None:
    program = load(LIBRARY / "seeds" / "key_door.py")
    ours, theirs = numpy_backend(program), jax_backend(program)
    constants, traced = ours.constants(program), theirs.constants(program)
    seeds, params = seeds_of(COPIES, 3), params_of(program, COPIES, 3)
    actions = np.random.default_rng(4).integers(0, 5, (STEPS, COPIES, 1)).astype(np.int32)

    @jax.jit
    def play(seeds: jax.Array) -> object:
        state = theirs.reset(traced, seeds, params)
        return jax.lax.scan(lambda s, a: (theirs.step(traced, s, a)[0], None), state, actions)[0]

    state = ours.reset(constants, seeds, params)
    for action in actions:
        state, _ = ours.step(constants, state, action)
    assert_equal(state, play(jnp.asarray(seeds)))


def test_a_large_batch_is_computed_in_held_parts_with_the_same_results() -> None:
    program = load(LIBRARY / "seeds" / "key_door.py")
    ours, theirs = numpy_backend(program), jax_backend(program)
    constants = ours.constants(program)
    state = ours.reset(constants, seeds_of(HELD), params_of(program, HELD))
    actions = np.zeros((HELD, 1), np.int32)
    step = jax.jit(theirs.step).lower(constants, state, actions).compile()
    for i in range(6):
        actions = ((np.arange(HELD, dtype=np.int32) + i) % 5)[:, None]
        got = step(constants, state, actions)
        state, out = ours.step(constants, state, actions)
        assert_equal((state, out), got)
    if jax.default_backend() == "cpu":
        assert " call(" in step.as_text()


def test_a_copy_does_not_depend_on_its_place_in_the_batch() -> None:
    program = load(LIBRARY / "seeds" / "hunter.py")
    ours = numpy_backend(program)
    constants = ours.constants(program)
    seeds, params = seeds_of(32, 5), params_of(program, 32, 5)
    actions = np.random.default_rng(6).integers(0, 5, (50, 32, 1)).astype(np.int32)

    def play(order: np.ndarray) -> object:
        state = ours.reset(constants, seeds[order], params[order])
        for action in actions:
            state, _ = ours.step(constants, state, action[order])
        return state

    whole = play(np.arange(32))
    for order in (np.arange(32)[::-1], np.array([7]), np.array([3, 30])):
        part = jax.tree.map(lambda leaf, order=order: leaf[order], whole)
        assert_equal(part, play(order))


def test_numpy_backend_imports_no_jax() -> None:
    code = (
        "import sys, numpy as np\n"
        "from envs_dsl import load\n"
        "from envs_dsl.backends import numpy_backend, success\n"
        f"p = load({str(LIBRARY / 'seeds' / 'key_door.py')!r})\n"
        "b = numpy_backend(p); c = b.constants(p)\n"
        "s = b.reset(c, np.zeros((2, 2), np.int32), np.tile(p.default_params(), (2, 1)))\n"
        "s, _ = b.step(c, s, np.zeros((2, 1), np.int32)); b.observe(c, s); b.view(c, s)\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_builtin_is_implemented() -> None:
    nodes_of_their_own = {"alive", "paint"}
    values = {name for name, row in TABLE.items() if not row.effect} - nodes_of_their_own
    assert values == set(PURE) | set(DRAWS) | set(TABLES)
    assert set(DRAWS) == {name for name, row in TABLE.items() if row.draws}


TINY = '''"""Walk to the right until the count is high enough."""
game = Game(size=(3, 5), max_steps={steps})

GOAL = Param(3, 1, 5, harder="up")

class State:
    agent: Pos
    {name}: Int(0, 50)

def reset(s):
    s.agent = Pos(1, {start})

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.{name} += {gain}
    if s.agent.col >= GOAL and s.{name} > 0:
        win()
'''


def tiny(steps: int = 9, name: str = "count", start: int = 0, gain: int = 1) -> Program:
    return Program.from_source(TINY.format(steps=steps, name=name, start=start, gain=gain))


def test_programs_of_one_skeleton_share_an_executable() -> None:
    one, two = tiny(), tiny(steps=2, start=1, gain=7)
    assert one.hashes.skeleton == two.hashes.skeleton != one.hashes.program
    back = jax_backend(one)
    assert back is jax_backend(two) and numpy_backend(one) is numpy_backend(two)
    reset, step = jax.jit(back.reset), jax.jit(back.step)
    got = []
    for program in (one, two):
        constants = back.constants(program)
        params = np.tile(program.default_params(), (1, 1))
        state = reset(constants, np.zeros((1, 2), np.int32), params)
        for _ in range(2):
            state, out = step(constants, state, np.full((1, 1), 4, np.int32))
        got.append((int(state.fields["count"][0]), bool(out.terminated[0]), bool(out.truncated[0])))
    # two: from column 1, two steps to the right reach column 3 within its two steps
    assert got == [(2, False, False), (14, True, False)]
    assert step._cache_size() == 1 == reset._cache_size()


def test_field_names_are_the_programs_own() -> None:
    one, two = tiny(), tiny(name="tally")
    assert one.hashes.skeleton == two.hashes.skeleton
    for program, name in ((one, "count"), (two, "tally")):
        back = numpy_backend(program)
        state = back.reset(
            back.constants(program), seeds_of(1), np.tile(program.default_params(), (1, 1))
        )
        assert set(state.fields) == {"agent", name}


def test_the_cache_is_bounded_and_drops_the_least_recently_used() -> None:
    cache = Cache(NUMPY, size=2)
    first, second, third = (tiny(name=name) for name in ("a", "b", "c"))
    kept = cache(first)
    dropped = cache(second)
    assert cache(first) is kept
    cache(third)
    assert cache(first) is kept and cache(second) is not dropped


def test_step_keeps_the_types_of_the_state() -> None:
    """Else every second call compiles anew: weak types and changed shapes miss the cache."""
    for path in (LIBRARY / "seeds" / "key_door.py", LIBRARY / "seeds" / "sumo.py"):
        program = load(path)
        back = jax_backend(program)
        constants = back.constants(program)
        seats = program.game.players
        state = jax.eval_shape(
            back.reset, constants, seeds_of(4), np.tile(program.default_params(), (4, 1))
        )
        after, out = jax.eval_shape(back.step, constants, state, np.zeros((4, seats), np.int32))
        assert jax.tree.structure(after) == jax.tree.structure(state)
        for leaf, next_leaf in zip(jax.tree.leaves(state), jax.tree.leaves(after)):
            assert (leaf.shape, leaf.dtype) == (next_leaf.shape, next_leaf.dtype)
            assert leaf.dtype in (np.int32, np.float32, np.bool_)
        assert not any(leaf.weak_type for leaf in jax.tree.leaves((state, after, out)))


def test_back_ends_take_the_random_bits_as_an_input() -> None:
    program = load(LIBRARY / "seeds" / "hunter.py")
    ours = numpy_backend(program)
    constants = ours.constants(program)
    seeds, params = seeds_of(8), params_of(program, 8)
    block = block_of(np, seeds, np.full((8,), -1, np.int32))
    start = ours.reset(constants, seeds, params)
    assert_equal(start, ours.reset_from(constants, seeds, params, block))
    actions = np.ones((8, 1), np.int32)
    bits = block_of(np, start.seed, start.t)
    assert_equal(
        ours.step(constants, start, actions), ours.step_from(constants, start, actions, bits)
    )
    assert (block != bits).any(axis=1).all()


def test_murmur_finaliser_gives_the_published_values() -> None:
    # MurmurHash3_x86_32 of the empty string is the finaliser of its seed
    got = fmix32(np.array([0, 1, 0xFFFFFFFF], np.uint32))
    assert got.tolist() == [0, 0x514E28B7, 0x81F16F39]


def test_blocks_and_draws_are_equal_in_both_back_ends() -> None:
    seeds, clock = seeds_of(256), np.arange(-1, 255, dtype=np.int32)
    block = block_of(np, seeds, clock)
    np.testing.assert_array_equal(block, block_of(jnp, jnp.asarray(seeds), jnp.asarray(clock)))
    cells = np.arange(12, dtype=np.uint32).reshape(1, 3, 4)
    for site, loop, lane in ((0, 0, 0), (511, 255, 1)):
        bits = draw_bits(block, site, loop, lane, cells)
        other = draw_bits(jnp.asarray(block), site, jnp.int32(loop), lane, cells)
        np.testing.assert_array_equal(bits, other)
    assert uniform(np.array([0, 2**32 - 1], np.uint32)).tolist() == [0.0, 1 - 2.0**-24]


def test_the_words_of_a_block_and_the_draws_of_a_step_are_uncorrelated() -> None:
    # 2^16 neighbouring seeds and draws: every bit is set in about half (5 sigma: 0.5 ± 0.0098)
    low = np.arange(2**16, dtype=np.int32)
    block = block_of(np, np.stack([low, np.zeros_like(low)], 1), np.zeros(1, np.int32))
    one = np.tile(block[:1], (1, 1))
    draws = draw_bits(one, 3, 0, 0, np.arange(2**16, dtype=np.uint32).reshape(1, 256, 256))
    for words in (block[:, 0], block[:, 1], block[:, 0] ^ block[:, 1], draws.ravel()):
        share = [(words >> np.uint32(bit) & np.uint32(1)).mean() for bit in range(32)]
        assert np.abs(np.array(share) - 0.5).max() < 0.0098
        assert len(np.unique(words)) > 65_500  # 2^16 random words: one half of a pair expected


def test_outcomes_in_words_and_success() -> None:
    codes = np.array([0, 1, 2, 3, 4, 5])
    assert [outcome_name(code) for code in codes] == [None, "win", "lose", "draw", "win:0", "win:1"]
    assert success(codes).tolist() == [False, True, False, False, True, False]
    assert success(codes, seat=1).tolist() == [False, True, False, False, False, True]
