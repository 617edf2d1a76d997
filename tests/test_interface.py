"""The observation: fixed shapes, one meaning a slot, nothing lost with the full view."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs_dsl import interface
from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, observe, unpack_cells
from envs_dsl.language import slots
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    EnumDecl,
    Field,
    Game,
    Grid,
    Look,
    Range,
    RowDecl,
    TableRef,
    enum_type,
)
from envs_dsl.language.vocabulary import COLORS, DIR_DELTAS, TAGS

TILE = EnumDecl(
    "Tile",
    ("FLOOR", "WALL", "SAND", "LAVA"),
    (
        Look(".", "black"),
        Look("#", "gray", ("solid",)),
        Look(",", "black"),
        Look("~", "red", ("hazard",)),
    ),
)
ROWS = (
    RowDecl("Bat", (Field("pos", POS), Field("mood", INT, Range(0, 100)), Field("face", DIR))),
    RowDecl("Note", (Field("kind", enum_type("Tile")), Field("level", FLOAT, Range(-1.0, 2.0)))),
)
FIELDS = (
    Field("board", Grid(enum_type("Tile")), outside=1),
    Field("seen", Grid(BOOL), outside=True),
    Field("heat", Grid(INT), Range(-5, 40), outside=3),
    Field("agents", Array(POS, 2), players=True),
    Field("crate", POS),
    Field("ball", VEC2, Range(-5.0, 5.0)),
    Field("push", VEC2, Range(-1.0, 1.0)),
    Field("face", DIR),
    Field("key", BOOL),
    Field("lit", Array(BOOL, 3)),
    Field("count", INT, Range(2, 9)),
    Field("debt", INT, Range(-20, 7)),
    Field("bag", Array(INT, 2), Range(0, 9)),
    Field("held", enum_type("Tile")),
    Field("fuel", Array(FLOAT, 2), Range(0.0, 60.0), players=True),
    Field("secret", INT, Range(0, 9), hidden=True),
    Field("bats", TableRef("Bat"), capacity=3),
    Field("notes", TableRef("Note"), capacity=2),
)
SIZE = (6, 7)


def make_tree(fields: tuple[Field, ...] = FIELDS, **game: Any) -> Tree:
    options = {"size": SIZE, "max_steps": 50, "players": 2, "verbs": ("take", "flip")} | game
    return Tree(Game(**options), (), (TILE,), ROWS, fields, (), (), ())


def random_state(tree: Tree, batch: int, seed: int = 0) -> Any:
    """A state with every field within its declared range (rows not in use are zero)."""
    rng = np.random.default_rng(seed)
    rows, cols = tree.game.size

    def value(declared: Field, kind: str, shape: tuple[int, ...]) -> np.ndarray:
        bounds = declared.range
        if kind == "Bool":
            return rng.random(shape) < 0.5
        if kind == "Int":
            return rng.integers(bounds.lo, bounds.hi + 1, shape).astype(np.int32)
        if kind == "Float":
            return rng.uniform(bounds.lo, bounds.hi, shape).astype(np.float32)
        if kind == "Enum":
            return rng.integers(0, 4, shape).astype(np.int32)
        if kind == "Dir":
            return rng.integers(0, 9, shape).astype(np.int32)
        if kind == "Vec2":
            return rng.uniform(bounds.lo, bounds.hi, (*shape, 2)).astype(np.float32)
        place = np.stack([rng.integers(0, rows, shape), rng.integers(0, cols, shape)], -1)
        return place.astype(np.int32)

    fields: dict[str, Any] = {}
    for field in tree.fields:
        match field.type:
            case Grid(elem=elem):
                fields[field.name] = value(field, elem.kind, (batch, rows, cols))
            case Array(elem=elem, length=n):
                fields[field.name] = value(field, elem.kind, (batch, n))
            case TableRef(row_type=row):
                alive = rng.random((batch, field.capacity)) < 0.6
                columns = {"alive": alive}
                for column in tree.row(row).columns:
                    raw = value(column, column.type.kind, (batch, field.capacity))
                    mask = alive if raw.ndim == 2 else alive[..., None]
                    columns[column.name] = np.where(mask, raw, np.zeros((), raw.dtype))
                fields[field.name] = columns
            case _:
                fields[field.name] = value(field, field.type.kind, (batch,))
    seats = tree.game.players
    return SimpleNamespace(
        fields=fields,
        t=rng.integers(0, 50, batch).astype(np.int32),
        turn=np.zeros(batch, np.int32),
        total=rng.uniform(-1, 1, (batch, seats)).astype(np.float32),
        last_action=rng.integers(0, ACTIONS, (batch, seats)).astype(np.int32),
        last_reward=rng.uniform(-1, 1, (batch, seats)).astype(np.float32),
    )


class Decoder:
    """Reads a full-view observation of seat 0 back, from the documented layout alone."""

    def __init__(self, cells: np.ndarray, hud: np.ndarray) -> None:
        self.cells, self.hud = cells.astype(int), hud.astype(float)
        rows, cols = SIZE
        self.place = [
            round(hud[81] * rows / 2 + (rows - 1) / 2),
            round(hud[82] * cols / 2 + (cols - 1) / 2),
        ]

    def board(self, channel: int) -> np.ndarray:
        half = self.cells.shape[0] // 2
        r, c = half - self.place[0], half - self.place[1]
        return self.cells[r : r + SIZE[0], c : c + SIZE[1], channel]

    def bearing(self, slot: int) -> tuple[float, float, float]:
        present, row, col = self.hud[80 + 3 * slot : 83 + 3 * slot]
        return present, row, col

    def spot(self, slot: int) -> list[float]:
        _, row, col = self.bearing(slot)
        return [self.place[0] + row * SIZE[0], self.place[1] + col * SIZE[1]]


def test_full_view_loses_nothing_that_is_visible() -> None:
    tree = make_tree()
    state = random_state(tree, 40)
    cells, hud, _ = observe(np, tree, state, 50, view=interface.full_view(SIZE))
    f = state.fields
    looks = {(COLORS.index(k.color), v, sum(1 << TAGS.index(t) for t in k.tags)): i
             for i, (k, v) in enumerate(zip(TILE.looks, (0, 0, 1, 0)))}  # fmt: skip
    for b in range(40):
        d = Decoder(cells[b, 0], hud[b, 0])
        assert d.place == f["agents"][b, 0].tolist()
        tiles = [[looks[tuple(cell[:3])] for cell in row] for row in
                 np.stack([d.board(i) for i in range(3)], -1).tolist()]  # fmt: skip
        assert tiles == f["board"][b].tolist()
        assert (d.board(4) >= 128).tolist() == f["seen"][b].tolist()
        assert np.round(d.board(5) * 45 / 255 - 5).tolist() == f["heat"][b].tolist()
        h = d.hud
        assert round(h[0] * 50) == state.t[b] and h[1] == pytest.approx(state.total[b, 0])
        assert h[2:22].argmax() == state.last_action[b, 0] and h[2:22].sum() == 1
        assert h[22] == pytest.approx(state.last_reward[b, 0]) and h[23] == 0
        # flags: key, lit[3], then the alive flags of `notes`, whose rows have no bearing
        want = [f["key"][b], *f["lit"][b], *f["notes"]["alive"][b]]
        assert h[24:30].tolist() == [float(x) for x in want] and not h[30:40].any()
        # counts: count, debt, bag[2], held, mood of 3 bats, kind of 2 notes
        assert round(h[40] * 7 + 2) == f["count"][b] and round(h[41] * 20) == f["debt"][b]
        assert np.round(h[42:44] * 9).tolist() == f["bag"][b].tolist()
        assert round(h[44] * 3) == f["held"][b]
        assert np.round(h[45:48] * 100).tolist() == f["bats"]["mood"][b].tolist()
        assert np.round(h[48:50] * 3).tolist() == f["notes"]["kind"][b].tolist()
        assert not h[50:64].any()
        # meters: push (two slots), fuel of both seats, level of 2 notes
        assert h[64:66] == pytest.approx(f["push"][b], abs=1e-6)
        assert h[66:68] * 60 == pytest.approx(f["fuel"][b], abs=1e-4)
        assert h[68:70] * 2 == pytest.approx(f["notes"]["level"][b], abs=1e-5)
        # bearings: me, the other seat, face, crate, ball, 3 bats, their faces
        assert d.spot(1) == pytest.approx(f["agents"][b, 1], abs=1e-4)
        assert d.bearing(2) == (1.0, *DIR_DELTAS[f["face"][b]])
        assert d.spot(3) == pytest.approx(f["crate"][b], abs=1e-4)
        row, col = d.spot(4)  # x to the right and y down from the centre of the board
        assert (col + 0.5 - 3.5, row + 0.5 - 3.0) == pytest.approx(tuple(f["ball"][b]), abs=1e-4)
        for n in range(3):
            if f["bats"]["alive"][b, n]:
                assert d.bearing(5 + n)[0] == 1
                assert d.spot(5 + n) == pytest.approx(f["bats"]["pos"][b, n], abs=1e-4)
                assert d.bearing(8 + n) == (1.0, *DIR_DELTAS[f["bats"]["face"][b, n]])
            else:
                assert d.bearing(5 + n) == (0, 0, 0) and d.bearing(8 + n) == (0, 0, 0)
        assert not h[80 + 33 :].any()


@pytest.mark.parametrize("module", [np, jnp], ids=["numpy", "jax"])
def test_a_camera_on_the_board_stands_still(module: Any) -> None:
    follows, still = make_tree(), make_tree(camera="board")
    state = random_state(follows, 12)
    middle = np.asarray(SIZE) // 2
    view = interface.full_view(SIZE)
    theirs = observe(module, follows, state, 50, view=view)
    ours = observe(module, still, state, 50, view=view)
    assert np.array_equal(theirs.hud, ours.hud) and np.array_equal(theirs.legal, ours.legal)
    reach = view // 2
    for b in range(12):
        for seat in range(2):
            # the same cells, seen from the middle of the board
            shift = state.fields["agents"][b, seat] - middle
            for row in range(-middle[0], SIZE[0] - middle[0]):
                for col in range(-middle[1], SIZE[1] - middle[1]):
                    r, c = row - shift[0], col - shift[1]
                    if abs(r) <= reach and abs(c) <= reach:
                        one = ours.cells[b, seat, reach + row, reach + col]
                        two = theirs.cells[b, seat, reach + r, reach + c]
                        assert np.array_equal(one, two), (b, seat, row, col)


def test_occupants_by_priority_and_leading_column() -> None:
    tree = make_tree()
    state = random_state(tree, 60, seed=3)
    cells, _, _ = observe(np, tree, state, 50, view=interface.full_view(SIZE))
    f = state.fields
    for b in range(60):
        d = Decoder(cells[b, 0], observe(np, tree, state, 50).hud[b, 0])
        want, lead = np.zeros(SIZE, int), np.zeros(SIZE, int)
        x, y = f["ball"][b]
        for r, c in [(math.floor(y + 3.0), math.floor(x + 3.5)), f["crate"][b]]:
            if 0 <= r < SIZE[0] and 0 <= c < SIZE[1]:
                want[r, c] = 7
        for n in (2, 1, 0):
            if f["bats"]["alive"][b, n]:
                at = tuple(f["bats"]["pos"][b, n])
                want[at], lead[at] = 3, math.floor(f["bats"]["mood"][b, n] * 1.27 + 0.5)
        for at, code in [(tuple(f["agents"][b, 1]), 2), (tuple(f["agents"][b, 0]), 1)]:
            want[at], lead[at] = code, 0
        assert d.board(3).tolist() == want.tolist()
        assert (d.board(4) % 128).tolist() == lead.tolist()


def test_off_the_board_shows_what_the_program_reads_there() -> None:
    tree = make_tree()
    state = random_state(tree, 1)
    state.fields["agents"][:] = 0
    cells = observe(np, tree, state, 50).cells[0, 0]
    corner = cells[0, 0]  # four rows above and left of (0, 0)
    assert corner.tolist() == [COLORS.index("gray"), 0, 1, 0, 128, round(8 * 255 / 45)]


def test_a_program_without_looks_has_visible_walls() -> None:
    tree = make_tree((Field("at", POS), Field("n", INT, Range(0, 3))), players=1)
    state = random_state(tree, 1)
    state.fields["at"][:] = 0
    cells = observe(np, tree, state, 50).cells[0, 0]
    assert cells[3, 4].tolist() == [COLORS.index("gray"), 0, 1, 0, 0, 0]
    assert cells[4, 4].tolist() == [0, 0, 0, 1, 0, 0]
    assert cells[4, 5].tolist() == [0, 0, 0, 0, 0, 0]


def test_hidden_fields_leave_no_trace() -> None:
    tree = make_tree()
    first, second = random_state(tree, 8), random_state(tree, 8)
    second.fields["secret"] = 9 - first.fields["secret"]
    for a, b in zip(observe(np, tree, first, 50), observe(np, tree, second, 50)):
        assert np.array_equal(a, b)


def test_seats_see_themselves_first() -> None:
    tree = make_tree()
    state = random_state(tree, 4)
    hud = observe(np, tree, state, 50).hud
    assert hud[:, 1, 66:68] * 60 == pytest.approx(state.fields["fuel"][:, ::-1], abs=1e-4)
    assert (hud[:, 0, 23] == 0).all() and (hud[:, 1, 23] == 1).all()
    assert hud[:, 1, 84:86] == pytest.approx(-hud[:, 0, 84:86], abs=1e-6)


def test_legal_lists_moves_and_verbs_and_whose_turn_it_is() -> None:
    tree = make_tree(turns="alternate")
    state = random_state(tree, 2)
    state.turn = np.asarray([0, 1], np.int32)
    legal = observe(np, tree, state, 50).legal
    assert legal.shape == (2, 2, ACTIONS) and legal.dtype == bool
    mine = [*range(5), 6, 19]
    assert np.flatnonzero(legal[0, 0]).tolist() == mine
    assert np.flatnonzero(legal[0, 1]).tolist() == [0]
    assert np.flatnonzero(legal[1, 1]).tolist() == mine


def test_jax_gives_the_same_numbers_traced() -> None:
    tree = make_tree()
    state = random_state(tree, 16)
    want = observe(np, tree, state, 50)

    def traced(fields: Any, rest: Any) -> Any:
        return observe(jnp, tree, SimpleNamespace(fields=fields, **rest), 50)

    rest = {k: v for k, v in vars(state).items() if k != "fields"}
    got = jax.jit(traced)(state.fields, rest)
    for a, b in zip(want, got):
        assert a.dtype == b.dtype and a.shape == b.shape
    assert want.cells.shape == (16, 2, 9, 9, 6) and want.hud.shape == (16, 2, HUD)
    assert np.array_equal(want.cells, got.cells) and np.array_equal(want.legal, got.legal)
    assert np.allclose(want.hud, got.hud, atol=1e-6)


def test_unpacked_cells_are_features_within_one() -> None:
    tree = make_tree()
    cells = observe(np, tree, random_state(tree, 3), 50).cells
    features = unpack_cells(np, cells)
    assert features.shape == (3, 2, 9, 9, CELL_FEATURES) and features.dtype == np.float32
    assert features.min() >= 0 and features.max() <= 1
    assert (features[..., :16].argmax(-1) == cells[..., 0]).all()
    assert (features[..., 28:36].argmax(-1) == cells[..., 3]).all()
    assert np.array_equal(np.asarray(unpack_cells(jnp, jnp.asarray(cells))), features)


@pytest.mark.parametrize("view", [0, 4, -1])
def test_view_must_be_odd(view: int) -> None:
    tree = make_tree()
    with pytest.raises(ValueError, match="odd"):
        observe(np, tree, random_state(tree, 1), 50, view=view)


@pytest.mark.parametrize(
    ("extra", "field", "words"),
    [
        (Field("more", Grid(enum_type("Tile"))), "more", "one enum grid"),
        (Field("lots", Array(INT, 25), Range(0, 9)), "lots", "count slots"),
        (Field("flags", Array(BOOL, 17)), "flags", "flag slots"),
        (Field("swarm", TableRef("Bat"), capacity=12), "swarm", "bearing slots"),
        (Field("where", Grid(POS)), "where", "Grid\\(Pos\\)"),
    ],
)
def test_what_does_not_fit_is_refused(extra: Field, field: str, words: str) -> None:
    problem = slots.overflow(make_tree((*FIELDS, extra)))
    assert problem is not None and problem.field == field
    with pytest.raises(ValueError, match=words):
        slots.layout(make_tree((*FIELDS, extra)))
    assert slots.overflow(make_tree()) is None


def test_a_fifth_look_of_the_same_colour_and_tags_is_refused() -> None:
    many = EnumDecl("Tile", tuple("ABCDE"), tuple(Look(g, "red") for g in "abcde"))
    tree = Tree(
        Game((5, 5), 9), (), (many,), (), (Field("g", Grid(enum_type("Tile"))),), (), (), ()
    )
    problem = slots.overflow(tree)
    assert problem is not None and "share colour and tags" in problem.message
