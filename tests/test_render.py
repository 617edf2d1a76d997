"""Pictures: text, frames, PNG and GIF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from envs_dsl import Program, library
from envs_dsl.backends import State, jax_backend, numpy_backend
from envs_dsl.render import render_rgb, render_text, save_gif, save_png
from envs_dsl.render_sheet import TILE, contact_sheet, fitting_scale
from envs_dsl.render_tiles import PALETTE

ROOM = '''"""Reach the flag while the cat sleeps, and mind the hidden number."""
game = Game(size=(3, 5), max_steps=9)

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)

class Cat(Row):
    pos: Pos

class State:
    agent: Pos
    flag: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    cats: Table(Cat, 2)
    lives: Int(0, 9) = 3
    code: Hidden(Int(0, 9)) = 0

def reset(s):
    s.board = where(COL == 4, Tile.WALL, s.board)
    s.agent = Pos(1, 0)
    s.flag = Pos(0, 3)
    s.code = 7
    spawn(s.cats, pos=Pos(2, 2))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if any_at(s.cats, s.agent):
        s.lives -= 1
    if s.agent == s.flag and s.lives + s.code > 0:
        win()
'''


def start(program: Program, seed: int = 0, copies: int = 1) -> State:
    backend = numpy_backend(program)
    seeds = np.asarray([[seed + b, 0] for b in range(copies)], np.int32)
    params = np.tile(program.default_params(), (copies, 1))
    return backend.reset(backend.constants(program), seeds, params)


def test_text_shows_board_things_and_fields() -> None:
    program = Program.from_source(ROOM)
    assert render_text(program, start(program)).split("\n") == [
        "...F#",
        "@...#",
        "..C.#",
        "@ agent  C cats  F flag",
        "t=0/9  reward=0.00  last=STAY  lives=3  (code=7)",
    ]


def test_frame_has_the_colours_of_what_is_there() -> None:
    program = Program.from_source(ROOM)
    frame = render_rgb(program, start(program), scale=20)
    assert frame.dtype == np.uint8 and frame.shape[1:] == (100, 3) and 60 < frame.shape[0] < 70
    middle = {(r, c): frame[20 * r + 10, 20 * c + 10].tolist() for r in range(3) for c in range(5)}
    assert middle[1, 4] == list(PALETTE["gray"])
    assert middle[1, 0] == list(PALETTE["white"])  # the player's dot
    assert middle[1, 1] == middle[0, 0] != middle[1, 4]
    player = frame[20 + 10, 10 + 5].tolist()
    assert player == list(PALETTE["blue"])


def test_the_bar_tells_time_and_outcome() -> None:
    program = Program.from_source(ROOM)
    backend = numpy_backend(program)
    constants = backend.constants(program)
    state = start(program)
    assert render_rgb(program, state)[-2, -2].tolist() == list(PALETTE["blue"])
    for action in (1, 4, 4, 4):
        state, _ = backend.step(constants, state, np.asarray([[action]], np.int32))
    assert render_rgb(program, state)[-2, -2].tolist() == list(PALETTE["green"])
    assert render_text(program, state).endswith("WIN")


@pytest.mark.parametrize("program", library.seeds(), ids=lambda p: p.name)
def test_every_bundled_program_renders(program: Program) -> None:
    state = start(program, copies=2)
    rows, cols = program.game.size
    for index in range(2):
        frame = render_rgb(program, state, index, scale=16)
        assert frame.shape[0] > 16 * rows and frame.shape[1] == 16 * cols
        assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 4
        text = render_text(program, state, index).split("\n")
        assert all(len(line) == cols for line in text[:rows])


def test_view_is_drawn_where_the_program_has_one() -> None:
    program = next(p for p in library.seeds() if p.name == "sumo")
    frame = render_rgb(program, start(program), scale=20)
    radius = int(7.0 * 20)
    assert frame[160, 160 - radius + 1].tolist() == list(PALETTE["white"])  # the ring
    assert (frame == PALETTE["orange"]).all(-1).any()  # the rival's disc


def test_contact_sheet_holds_every_picture_whole() -> None:
    sizes = {"a": (3, 5), "b": (16, 16), "c": (11, 2)}
    frames = []
    for index, (name, size) in enumerate(sizes.items()):
        scale = fitting_scale(size)
        frame = np.full((size[0] * scale, size[1] * scale, 3), 100 + index, np.uint8)
        assert TILE - scale < max(frame.shape[:2]) <= TILE
        frames.append((name, frame))
    sheet = contact_sheet(frames)
    for index, (_, frame) in enumerate(frames):
        found = (sheet == 100 + index).all(-1)
        assert found.sum() >= frame.shape[0] * frame.shape[1]
    assert contact_sheet(frames * 5).shape[0] > 2 * sheet.shape[0]  # 15 in three rows of five
    with pytest.raises(ValueError, match="at least one picture"):
        contact_sheet([])


def test_a_jax_state_renders_the_same() -> None:
    program = Program.from_source(ROOM)
    backend = jax_backend(program)
    seeds = np.zeros((1, 2), np.int32)
    state = backend.reset(backend.constants(program), seeds, program.default_params()[None])
    assert np.array_equal(render_rgb(program, state), render_rgb(program, start(program)))
    assert render_text(program, state) == render_text(program, start(program))


def test_png_and_gif_open_again(tmp_path: Path) -> None:
    program = Program.from_source(ROOM)
    backend, state = numpy_backend(program), start(program)
    frames = [render_rgb(program, state)]
    for _ in range(3):
        action = np.full((1, 1), 4, np.int32)
        state, _ = backend.step(backend.constants(program), state, action)
        frames.append(render_rgb(program, state))
    save_png(tmp_path / "a.png", frames[0])
    assert np.array_equal(np.asarray(Image.open(tmp_path / "a.png")), frames[0])
    save_gif(tmp_path / "a.gif", frames)
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.n_frames == 4 and picture.size == frames[0].shape[1::-1]
    with pytest.raises(ValueError, match="at least one frame"):
        save_gif(tmp_path / "b.gif", [])


@pytest.mark.parametrize(
    "drawing",
    [
        'disc(Vec2(0.0, 0.0), 0.5 - s.far, "red")',
        'disc(Vec2(0.0, 0.0), s.far - exp(100.0), "red")',
        'ring(Vec2(nan, 0.0), 2.0, "red")',
        'bar(Vec2(0.0, nan), Vec2(0.0, 0.0), "red")',
    ],
)
def test_drawings_without_a_place_or_a_size_are_left_out(drawing: str) -> None:
    assert np.array_equal(drawn(drawing), drawn('disc(Vec2(99.0, 99.0), 1.0, "red")'))


@pytest.mark.parametrize(
    "drawing",
    [
        'disc(Vec2(0.0, 0.0), s.far, "red")',
        'disc(Vec2(s.far, 0.0) - Vec2(s.far, 0.0), exp(100.0), "red")',
        'bar(Vec2(-exp(100.0), 0.0), Vec2(s.far, 0.0), "red")',
    ],
)
def test_drawings_of_any_size_are_drawn(drawing: str) -> None:
    """A disc of 1e5 cells took half a minute."""
    assert tuple(drawn(drawing)[36, 60]) == PALETTE["red"]


def drawn(drawing: str) -> np.ndarray:
    view = f"\n\ndef view(s):\n    nan = exp(100.0) - exp(100.0)\n    {drawing}\n"
    text = ROOM.replace(
        "    code: Hidden", "    far: Float(0.0, 1000000.0) = 100000.0\n    code: Hidden"
    )
    text = text.replace("    s.code = 7\n", "    s.code = 7\n    s.far = 100000.0\n")
    text = text.replace("s.code > 0:", "s.code > 0 and s.far > 1.0:")
    program = Program.from_source(text + view)
    return render_rgb(program, start(program))
