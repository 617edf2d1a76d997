"""The bundled programs check, differ, cover the skills, are as hard as promised, and can be won.

The players below are written by hand. They may read hidden fields: the question is whether a game
can be won, not whether it is easy to see how.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envs_dsl import Program, library
from envs_dsl.backends import numpy_backend, success
from envs_dsl.language.vocabulary import ACTIONS, DIR_DELTAS, SKILLS

SEEDS = library.names("seeds")
HELDOUT = library.names("heldout_dev")
EPISODES = 1024
COPIES = 64
Cell = tuple[int, int]


@functools.cache
def program(name: str) -> Program:
    return {p.name: p for p in (*library.seeds(), *library.heldout_dev())}[name]


# --- the folder -------------------------------------------------------------------------------


def test_the_two_sets_are_apart_sorted_and_cached() -> None:
    for names, load in ((SEEDS, library.seeds), (HELDOUT, library.heldout_dev)):
        assert [p.name for p in load()] == list(names) == sorted(names)
        assert all(a is b for a, b in zip(load(), load(), strict=True))
    library.seeds().clear()  # the list is the caller's own
    assert len(library.seeds()) == len(SEEDS) >= 10
    assert len(HELDOUT) >= 8
    assert not set(SEEDS) & set(HELDOUT)


def test_an_unknown_folder_is_named() -> None:
    with pytest.raises(ValueError, match=r"'tests': use 'seeds', .* or 'ports'"):
        library.names("tests")  # type: ignore[arg-type]


def test_no_two_programs_share_a_skeleton() -> None:
    owners: dict[str, str] = {}
    for name in (*SEEDS, *HELDOUT):
        other = owners.setdefault(program(name).hashes.skeleton, name)
        assert other == name, f"{name} has the skeleton of {other}"


@pytest.mark.parametrize("name", [*SEEDS, *HELDOUT])
def test_a_program_says_what_to_do_and_how_it_gets_harder(name: str) -> None:
    p = program(name)
    assert len(p.doc) >= 40
    assert p.doc.endswith(".")
    assert p.game.skills
    assert set(p.game.skills) <= set(SKILLS)
    assert any(param.harder for param in p.params)
    assert not [d for d in p.warnings if d.severity == "error"]


def test_seeds_cover_the_skills() -> None:
    counts = {skill: sum(skill in program(n).game.skills for n in SEEDS) for skill in SKILLS}
    for skill in ("navigation", "manipulation", "resource", "avoidance"):
        assert counts[skill] >= 2, counts
    for skill in ("memory", "puzzle", "continuous", "contest"):
        assert counts[skill] >= 1, counts
    covered = {skill for n in HELDOUT for skill in program(n).game.skills}
    assert len(covered) >= 6


def test_the_design_examples_are_among_the_seeds() -> None:
    assert {"camp", "key_door", "sumo"} <= set(SEEDS)


def test_only_measuring_code_names_the_heldout_set() -> None:
    """No training code calls it; that no path reaches it in a run is another test's matter."""
    root = pathlib.Path(library.__file__).parents[2]
    for folder in ("generator", "learner", "executor"):
        for file in (root / "spade_jax" / folder).rglob("*.py"):
            assert "heldout_dev" not in file.read_text(encoding="utf-8"), file


# --- how hard random and idle play find them --------------------------------------------------

Player = Callable[["Scene"], int]


def play(
    name: str, batch: int, choose: Callable[[Any, np.ndarray, np.random.Generator], Any]
) -> float:
    """Share of ``batch`` episodes that seat 0 wins; the other seats act at random.

    ``choose(state, over, rng)`` gives seat 0's action in each copy (ignored where it is over).
    """
    p = program(name)
    backend, rng = numpy_backend(p), np.random.default_rng(7)
    constants = backend.constants(p)
    legal = np.asarray([0, 1, 2, 3, 4, *(ACTIONS.index(v) for v in p.game.verbs)])
    seeds = np.stack([np.arange(batch), np.full(batch, 11)], 1).astype(np.int32)
    state = backend.reset(constants, seeds, np.tile(p.default_params(), (batch, 1)))
    won, over = np.zeros(batch, bool), np.zeros(batch, bool)
    while not over.all():
        actions = rng.choice(legal, (batch, p.game.players)).astype(np.int32)
        actions[:, 0] = choose(state, over, rng)
        state, out = backend.step(constants, state, actions)
        done = np.asarray(out.terminated) | np.asarray(out.truncated)
        won |= ~over & done & np.asarray(success(state.outcome))
        over |= done
        assert not np.asarray(state.fault)[~over].any()
    return float(won.mean())


def random_play(name: str) -> float:
    legal = np.asarray([0, 1, 2, 3, 4, *(ACTIONS.index(v) for v in program(name).game.verbs)])
    return play(name, EPISODES, lambda _state, _over, rng: rng.choice(legal, EPISODES))


@pytest.mark.parametrize("name", SEEDS)
def test_random_play_sometimes_wins_a_seed(name: str) -> None:
    assert 0.01 <= random_play(name) <= 0.5


@pytest.mark.parametrize("name", HELDOUT)
def test_random_play_hardly_ever_wins_a_heldout_program(name: str) -> None:
    assert random_play(name) < 0.1


@pytest.mark.parametrize("name", [n for n in (*SEEDS, *HELDOUT) if n != "sumo"])
def test_doing_nothing_does_not_win(name: str) -> None:
    """Not so in sumo, where a rival who dashes at random leaves the ring by himself."""
    assert play(name, 256, lambda *_: np.zeros(256, int)) <= 0.02


# --- players ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Scene:
    """One copy of a state in plain values; ``board`` holds glyphs, str[H, W]."""

    board: np.ndarray
    fields: dict[str, Any]
    rng: np.random.Generator

    @property
    def me(self) -> Cell:
        return self.cell("agent") if "agent" in self.fields else self.cells("pos")[0]

    def cell(self, name: str) -> Cell:
        row, col = self.fields[name]
        return int(row), int(col)

    def cells(self, name: str) -> list[Cell]:
        """Places of a table's living rows, or of the seats."""
        value = self.fields[name]
        places = value["pos"][value["alive"]] if isinstance(value, dict) else value
        return [(int(row), int(col)) for row, col in places]

    def mask(self, glyphs: str) -> np.ndarray:
        return np.isin(self.board, list(glyphs))

    def within(self, radius: int, *centres: Cell) -> np.ndarray:
        rows, cols = np.indices(self.board.shape)
        near = np.zeros(self.board.shape, bool)
        for row, col in centres:
            near |= abs(rows - row) + abs(cols - col) <= radius
        return near

    def walk(self, through: str, to: str | np.ndarray, avoid: np.ndarray | None = None) -> int:
        """First move of a shortest way to a cell of ``to``, off ``avoid`` where that can be."""
        goal = self.mask(to) if isinstance(to, str) else to
        free = self.mask(through)
        step = lambda at, action: moved(at, action)  # noqa: E731
        if avoid is not None:
            safe = (free | goal) & ~avoid
            action = search(self.me, step, lambda at: on(safe, at), lambda at: goal[at])
            if action:
                return action
        return search(self.me, step, lambda at: on(free | goal, at), lambda at: goal[at])


def moved(cell: Cell, direction: int) -> Cell:
    row, col = DIR_DELTAS[direction]
    return cell[0] + row, cell[1] + col


def on(mask: np.ndarray, cell: Cell) -> bool:
    return 0 <= cell[0] < mask.shape[0] and 0 <= cell[1] < mask.shape[1] and bool(mask[cell])


def search(start: Any, step: Any, allowed: Any, goal: Any, depth: int = 40) -> int:
    """First of the moves of a shortest way from ``start`` to a goal, breadth first; 0 if none."""
    queue, seen = deque([(start, 0, 0)]), {start}
    while queue:
        here, first, length = queue.popleft()
        for action in (1, 2, 3, 4, 0):
            there = step(here, action)
            if there in seen or not allowed(there) or length >= depth:
                continue
            if goal(there):
                return first or action
            seen.add(there)
            queue.append((there, first or action, length + 1))
    return 0


def orchard(s: Scene) -> int:
    return ACTIONS.index("gather") if s.board[s.me] == "f" else s.walk(".fb", "f")


def courier(s: Scene) -> int:
    wanted, verb = ("H", "drop") if s.fields["carrying"] else ("p", "take")
    return ACTIONS.index(verb) if s.board[s.me] == wanted else s.walk(".pH", wanted)


def lights(s: Scene) -> int:
    off, lamps = s.mask("o"), s.mask("o*")
    for row, col in zip(*np.nonzero(lamps), strict=True):
        if ((s.within(1, (row, col)) & lamps) == off).all():
            right = s.me == (row, col)
            return ACTIONS.index("flip") if right else s.walk(".o*", s.within(0, (row, col)))
    return 0


def ice(s: Scene) -> int:
    def slide(at: Cell, direction: int) -> Cell:
        while direction and on(s.mask("."), moved(at, direction)):
            at = moved(at, direction)
        return moved(at, direction) if on(s.mask("PO"), moved(at, direction)) else at

    return search(s.me, slide, lambda at: s.board[at] != "O", lambda at: s.board[at] == "P")


def crate(s: Scene) -> int:
    def push(both: tuple[Cell, Cell], direction: int) -> tuple[Cell, Cell]:
        me = moved(both[0], direction)
        return me, moved(both[1], direction) if me == both[1] else both[1]

    board, plate = np.ones(s.board.shape, bool), s.cell("plate")
    inside = lambda both: on(board, both[0]) and on(board, both[1])  # noqa: E731
    return search((s.me, s.cell("crate")), push, inside, lambda both: both[1] == plate)


def herd(s: Scene) -> int:
    board = np.ones(s.board.shape, bool)

    def chase(both: tuple[Cell, Cell], direction: int) -> tuple[Cell, Cell]:
        me, (row, col) = moved(both[0], direction), both[1]
        if me == both[1]:
            me = both[0]
        if abs(me[0] - row) + abs(me[1] - col) > 1:
            return me, both[1]
        away = (2 * row - me[0], 2 * col - me[1])
        return me, away if on(board, away) else both[1]

    start = (s.me, s.cells("flock")[0])
    in_pen = lambda both: s.board[both[1]] == "P"  # noqa: E731
    return search(start, chase, lambda both: on(board, both[0]), in_pen) or int(
        s.rng.integers(1, 5)
    )


def bridge(s: Scene) -> int:
    if search(s.me, moved, lambda at: on(s.mask(".pF"), at), lambda at: s.board[at] == "F"):
        return s.walk(".pF", "F")
    enough = s.fields["planks"] >= (2 if (s.board == "~").sum() > 7 else 1)
    return s.walk(".p~", "F") if enough else s.walk(".p", "p")


def ford(s: Scene) -> int:
    def hit(at: Cell, wait: int) -> bool:
        row, col = at
        carts = ((col - wait, ">"), (col + wait, "<"))
        return any(0 <= c < s.board.shape[1] and s.board[row, c] == cart for c, cart in carts)

    def step(now: tuple[Cell, int], direction: int) -> tuple[Cell, int]:
        return moved(now[0], direction), now[1] + 1

    board = np.ones(s.board.shape, bool)
    safe = lambda now: on(board, now[0]) and not hit(*now)  # noqa: E731
    return search((s.me, 0), step, safe, lambda now: now[0][0] == 0, depth=14)


def sneak(s: Scene) -> int:
    (guard,), facing = s.cells("guards"), int(s.fields["guards"]["facing"][0])
    turning = not on(s.mask(".+"), moved(guard, facing))
    danger = s.within(1, guard)
    for direction in (1, 2, 3, 4) if turning else (facing,):
        spot = guard
        for _ in range(3):
            spot = moved(spot, direction)
            if not on(s.mask(".+"), spot):
                break
            danger |= s.within(0, spot)
    return s.walk(".+", "E", danger) if (s.mask(".+E") & ~danger).any() else 0


PLAYERS: dict[str, Player] = {
    "rooms": lambda s: s.walk(".~", "F"),
    "key_door": lambda s: s.walk(
        ".D" if s.fields["has_key"] else ".",
        "E" if s.fields["has_key"] else "k",
        s.within(1, *s.cells("bats")),
    ),
    "hunter": lambda s: s.walk(".c", "c", s.within(1, *s.cells("hunters"))),
    "hail": lambda s: s.walk(
        ".*g", s.within(0, s.cell("gem")), np.roll(s.mask("*"), 1, 0) | s.mask("*")
    ),
    "orchard": orchard,
    "courier": courier,
    "lamp": lambda s: s.walk(".", "RBG"[int(s.fields["hue"])]),
    "lights": lights,
    "ice": ice,
    "crate": crate,
    "scramble": lambda s: s.walk(".g", "g", s.within(0, s.cells("pos")[1])),
    "beads": lambda s: s.walk(".", "*"),
    "bridge": bridge,
    "brigade": lambda s: s.walk(".W", "f") if s.fields["water"] else s.walk(".", "W"),
    "firefly": lambda s: s.walk(".*", s.within(0, s.cell("fly"))),
    "ford": ford,
    "herd": herd,
    "sneak": sneak,
    "turf": lambda s: s.walk(".ox", ".x", s.within(0, s.cells("pos")[1])),
}


def scene(p: Program, state: Any, copy: int, rng: np.random.Generator) -> Scene:
    glyphs = np.asarray([look.glyph for look in p.tree.enums[0].looks])
    pick = lambda v: {k: pick(x) for k, x in v.items()} if isinstance(v, dict) else v[copy]  # noqa: E731
    fields = {name: pick(value) for name, value in state.fields.items()}
    return Scene(glyphs[fields["board"]], fields, rng)


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_a_person_would_win(name: str) -> None:
    p, player = program(name), PLAYERS[name]

    def choose(state: Any, over: np.ndarray, rng: np.random.Generator) -> list[int]:
        return [0 if over[i] else player(scene(p, state, i, rng)) for i in range(COPIES)]

    assert play(name, COPIES, choose) >= 0.85
