"""The compact observation: it holds what can vary, and the whole one can be had back from it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_interface import FIELDS, SIZE, make_tree, random_state

from envs_dsl import interface, library
from envs_dsl.backends import jax_backend, numpy_backend
from envs_dsl.interface import expand, observe, observe_compact
from envs_dsl.language.types import BOOL, POS, Array, Field, Grid, enum_type
from envs_dsl.language.vocabulary import COLORS

COPIES, STEPS = 6, 5


def played(program: Any) -> tuple[Any, Any, list[Any]]:
    """The NumPy back end of a program, its constants, and states of random play."""
    back = numpy_backend(program)
    constants = back.constants(program)
    rng = np.random.default_rng(7)
    seeds = rng.integers(-(2**31), 2**31, (COPIES, 2)).astype(np.int32)
    params = np.tile(program.default_params(), (COPIES, 1))
    states = [back.reset(constants, seeds, params)]
    for _ in range(STEPS):
        actions = rng.integers(0, 20, (COPIES, program.game.players)).astype(np.int32)
        states.append(back.step(constants, states[-1], actions)[0])
    return back, constants, states


@pytest.mark.parametrize("name", library.bundled())
def test_a_buffer_of_compact_observations_expands_to_the_whole_ones(name: str) -> None:
    back, constants, states = played(library.find(name))
    buffer = [back.observe_compact(constants, state) for state in states]
    stacked = interface.Compact(*(np.stack(parts) for parts in zip(*buffer, strict=True)))
    whole = back.expand(stacked)
    first = back.expand(interface.Compact(*(part[:, :, :1] for part in stacked)))
    size = sum(part[0, 0].nbytes for part in stacked)
    assert size < sum(part[0, 0].nbytes for part in whole) / 2
    for t, state in enumerate(states):
        for want, got, mine in zip(back.observe(constants, state), whole, first, strict=True):
            assert want.dtype == got.dtype and want.tobytes() == got[t].tobytes()
            assert want[:, :1].tobytes() == mine[t].tobytes()


@pytest.mark.parametrize(
    "name", ["key_door", "hunter", "tic_tac_toe", "catch_bsuite", "cartpole_v1"]
)
def test_both_back_ends_agree_on_it(name: str) -> None:
    program = library.find(name)
    ours, constants, states = played(program)
    theirs = jax_backend(program)
    traced = theirs.constants(program)
    want = ours.observe_compact(constants, states[-1])
    got = jax.jit(theirs.observe_compact)(traced, states[-1])
    for a, b in zip(want, got, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        assert np.allclose(a, b, atol=1e-6) if a.dtype == np.float32 else np.array_equal(a, b)
    whole, expanded = jax.jit(theirs.observe)(traced, states[-1]), jax.jit(theirs.expand)(got)
    for a, b, c in zip(whole, expanded, ours.observe(constants, states[-1]), strict=True):
        assert np.array_equal(a, b)
        assert a.dtype == c.dtype and a.shape == c.shape
        assert np.allclose(a, c, atol=1e-6) if a.dtype == np.float32 else np.array_equal(a, c)


def test_what_never_changes_is_not_held() -> None:
    # cartpole: clock, reward paid, last reward and four meters; nothing on the board moves
    cells, hud, action, on_turn = played_once("cartpole_v1")
    assert cells.shape == (COPIES, 1, 0, 0) and hud.shape == (COPIES, 1, 7)
    assert action.shape == (COPIES, 1) and on_turn.shape == (COPIES, 1, 0)
    # four rooms: two bits for one of three tiles; the own place takes two numbers of the hud
    cells, hud, *_ = played_once("four_rooms_misc")
    assert cells.dtype == np.uint8 and cells.max() <= 2 and hud.shape == (COPIES, 1, 5)
    # both seats of a game of turns learn whose turn it is
    assert played_once("tic_tac_toe").on_turn[:, :, 0].tolist() == [[True, False]] * COPIES


def played_once(name: str) -> Any:
    back, constants, states = played(library.find(name))
    return back.observe_compact(constants, states[0])


def test_bits_of_a_cell() -> None:
    # 4 tiles: 2 bits; Bool grid 1; occupant 3; leading column 7; numeric grid 8: 21 in all
    tree = make_tree()
    state = random_state(tree, 5)
    state.fields["agents"][:] = 0  # the upper left corner, both seats
    cells = observe_compact(np, tree, state, 50).cells
    assert cells.dtype == np.uint32
    corner = 1 | 1 << 2 | 45 << 13  # off the board: WALL, True, and 3 in -5..40 is 45 of 255
    assert (cells[:, :, :4, :] == corner).all() and (cells[:, :, :, :4] == corner).all()
    # nobody is seen under oneself, neither the other seat nor a row
    assert (cells[:, :, 4, 4] >> 3 & 1023 == 0).all()
    tile, seen = state.fields["board"][:, 0, 0], state.fields["seen"][:, 0, 0]
    assert np.array_equal(cells[:, 0, 4, 4] & 7, tile | seen << 2)


@pytest.mark.parametrize("module", [np, jnp], ids=["numpy", "jax"])
@pytest.mark.parametrize("view", [1, 5, 9])
def test_the_window_of_a_player_anywhere(module: Any, view: int) -> None:
    fields = tuple(field for field in FIELDS if field.name in ("board", "seen", "agents"))
    tree = make_tree(fields)
    rows, cols = SIZE
    places = [(r, c) for r in range(-rows, 2 * rows) for c in range(-cols, 2 * cols)]
    state = random_state(tree, len(places))
    state.fields["agents"] = np.stack([np.asarray(places, np.int32)] * 2, 1)
    got = np.asarray(observe(module, tree, state, 50, view=view).cells)[:, 0]
    tiles = np.array([(0, 0, 0), (2, 0, 1), (0, 1, 0), (4, 0, 2)])  # colour, variant, tags
    assert [COLORS[i] for i in tiles[:, 0]] == ["black", "gray", "black", "red"]
    wide = np.full((len(places), 3 * rows + 40, 3 * cols + 40), 1)
    flags = np.ones(wide.shape, bool)
    at = slice(rows + 20, 2 * rows + 20), slice(cols + 20, 2 * cols + 20)
    wide[:, *at], flags[:, *at] = state.fields["board"], state.fields["seen"]
    for b, (r, c) in enumerate(places):
        top, left = r + rows + 20 - view // 2, c + cols + 20 - view // 2
        box = slice(top, top + view), slice(left, left + view)
        assert np.array_equal(got[b, ..., :3], tiles[wide[b][box]]), (r, c)
        assert np.array_equal(got[b, ..., 4] >= 128, flags[b][box]), (r, c)


@pytest.mark.parametrize("size", [(3, 14), (8, 8), (13, 5)])
def test_the_window_of_a_board_that_stands_still(size: tuple[int, int]) -> None:
    fields = (Field("board", Grid(enum_type("Tile")), outside=3), Field("on", Grid(BOOL)))
    tree = make_tree(fields, size=size, players=1)
    state = random_state(tree, 4)
    cells = observe(np, tree, state, 50).cells[:, 0]
    for i in range(9):
        for j in range(9):
            r, c = size[0] // 2 - 4 + i, size[1] // 2 - 4 + j
            on_board = 0 <= r < size[0] and 0 <= c < size[1]
            red = state.fields["board"][:, r, c] == 3 if on_board else np.ones(4, bool)
            assert np.array_equal(cells[:, i, j, 0] == COLORS.index("red"), red), (i, j)
            flag = state.fields["on"][:, r, c] if on_board else np.zeros(4, bool)
            assert np.array_equal(cells[:, i, j, 4] >= 128, flag), (i, j)


def test_without_looks_the_compact_window_still_shows_the_board_s_edge() -> None:
    tree = make_tree((Field("agents", Array(POS, 2), players=True),))
    state = random_state(tree, 1)
    state.fields["agents"][:] = 0
    compact = observe_compact(np, tree, state, 50)
    off = (np.arange(9) < 4) | (np.arange(9) >= 4 + SIZE[0])
    assert np.array_equal(compact.cells[0, 0, :, 4] & 1 == 1, off)
    colour = expand(np, tree, compact).cells[0, 0, :, 4, 0]
    assert np.array_equal(colour == COLORS.index("gray"), off)
