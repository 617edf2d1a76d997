"""The drawing under ``render``: tiles by what their tags mean, discs, rings and bars (Pillow)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from envs_dsl.language.slots import LookCode
from envs_dsl.language.types import Look
from envs_dsl.language.vocabulary import COLORS

__all__ = ["PALETTE", "Canvas"]

Color = tuple[int, int, int]

PALETTE: dict[str, Color] = {
    "black": (31, 34, 43), "darkgray": (74, 80, 94), "gray": (124, 132, 148),
    "white": (240, 241, 245), "red": (226, 74, 74), "darkred": (143, 42, 53),
    "orange": (242, 142, 53), "brown": (139, 94, 60), "gold": (235, 187, 64),
    "yellow": (248, 224, 102), "green": (91, 188, 98), "darkgreen": (44, 88, 62),
    "cyan": (92, 202, 214), "blue": (72, 119, 218), "purple": (144, 97, 201),
    "pink": (238, 140, 179),
}  # fmt: skip
SEATS = ("blue", "orange", "purple", "green")
ROWS = ("red", "pink", "orange", "cyan", "purple")
THINGS = ("gold", "cyan", "pink", "green")
OVER = 3
"""Drawn this many times too large, then shrunk: smooth edges."""


def shade(color: Color, factor: float) -> Color:
    """Lighter (factor > 1) or darker."""
    r, g, b = (min(255, int(v * factor)) for v in color)
    return r, g, b


class Canvas:
    """One picture of a board, in cells; (0, 0) is the middle of the upper left cell."""

    def __init__(self, size: tuple[int, int], scale: int) -> None:
        self.rows, self.cols = size
        self.scale = scale
        self.unit = scale * OVER
        self.bar = max(3, scale // 5)
        shape = (self.cols * self.unit, self.rows * self.unit + self.bar * OVER)
        self.image = Image.new("RGB", shape, PALETTE["black"])
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self._lines()

    def _lines(self) -> None:
        """A faint grid."""
        for r in range(self.rows):
            for c in range(self.cols):
                self._box(r, c, 0.02, fill=(255, 255, 255, 10))

    def _box(self, r: float, c: float, inset: float, **style: object) -> None:
        u, pad = self.unit, inset * self.unit
        corners = (c * u + pad, r * u + pad, (c + 1) * u - pad, (r + 1) * u - pad)
        self.draw.rectangle(corners, **style)  # type: ignore[arg-type]

    def _disc(self, r: float, c: float, radius: float, **style: object) -> None:
        x, y, k = (c + 0.5) * self.unit, (r + 0.5) * self.unit, radius * self.unit
        self.draw.ellipse((x - k, y - k, x + k, y + k), **style)  # type: ignore[arg-type]

    def _shape(
        self, r: float, c: float, points: Sequence[tuple[float, float]], fill: Color
    ) -> None:
        """A polygon of (row, col) offsets from the middle of a cell."""
        u = self.unit
        self.draw.polygon([((c + 0.5 + x) * u, (r + 0.5 + y) * u) for y, x in points], fill=fill)

    # --- the board -----------------------------------------------------------------------------

    def tiles(self, board: np.ndarray, looks: Sequence[Look], codes: Sequence[LookCode]) -> None:
        """Every cell by its look; a tagged one stands on the ground of the plain ones."""
        plain = [look for look in looks if not look.tags]
        ground = PALETTE[plain[0].color] if plain else PALETTE["black"]
        for r in range(self.rows):
            for c in range(self.cols):
                code = int(board[r, c])
                look = looks[code]
                self._tile(r, c, look, PALETTE[look.color], ground, codes[code].variant)

    def _tile(self, r: int, c: int, look: Look, color: Color, ground: Color, variant: int) -> None:
        if not look.tags:
            self._box(r, c, 0.0, fill=shade(color, 1.0 + 0.12 * variant))
            self._box(r, c, 0.02, fill=shade(color, 1.06 + 0.12 * variant))
            return
        self._box(r, c, 0.0, fill=ground)
        self._box(r, c, 0.02, fill=shade(ground, 1.06))
        for tag, paint in _PAINTERS:
            if tag in look.tags:
                paint(self, r, c, color)
                break
        for k in range(variant):  # members of one colour and meaning are told apart by dots
            self._disc(r - 0.3, c - 0.3 + 0.2 * k, 0.06, fill=PALETTE["white"])

    def solid(self, r: int, c: int, color: Color) -> None:
        self._box(r, c, 0.0, fill=shade(color, 0.72))
        self._box(r - 0.04, c - 0.04, 0.06, fill=shade(color, 1.1))
        self._box(r, c, 0.09, fill=color)

    def door(self, r: int, c: int, color: Color) -> None:
        self.solid(r, c, color)
        self._box(r, c, 0.2, fill=shade(color, 0.8))
        self._disc(r, c + 0.16, 0.08, fill=PALETTE["gold"])

    def hazard(self, r: int, c: int, color: Color) -> None:
        self._box(r, c, 0.04, fill=shade(color, 0.6))
        self._shape(r, c, [(-0.42, 0.0), (0.34, -0.42), (0.34, 0.42)], color)
        self._shape(
            r, c, [(-0.12, -0.05), (-0.12, 0.05), (0.14, 0.02), (0.14, -0.02)], (40, 20, 20)
        )
        self._disc(r + 0.24, c, 0.05, fill=(40, 20, 20))

    def goal(self, r: int, c: int, color: Color) -> None:
        self._box(r, c, 0.06, fill=shade(color, 0.55))
        self._box(r, c, 0.16, fill=color)
        self._box(r, c, 0.3, fill=shade(color, 1.35))

    def item(self, r: int, c: int, color: Color) -> None:
        self._shape(r, c, [(-0.34, 0), (0, 0.34), (0.34, 0), (0, -0.34)], shade(color, 0.7))
        self._shape(r, c, [(-0.26, 0), (0, 0.26), (0.26, 0), (0, -0.26)], color)

    def tool(self, r: int, c: int, color: Color) -> None:
        self._shape(
            r, c, [(0.3, -0.36), (0.36, -0.3), (-0.1, 0.16), (-0.16, 0.1)], shade(color, 0.7)
        )
        self._disc(r - 0.2, c + 0.2, 0.16, fill=color)

    def resource(self, r: int, c: int, color: Color) -> None:
        for dr, dc in ((-0.14, -0.14), (-0.1, 0.17), (0.17, 0.0)):
            self._disc(r + dr, c + dc, 0.19, fill=shade(color, 0.7))
            self._disc(r + dr - 0.02, c + dc - 0.02, 0.15, fill=color)

    def marker(self, r: int, c: int, color: Color) -> None:
        self._disc(r, c, 0.34, fill=color)
        self._disc(r, c, 0.18, fill=shade(color, 1.35))

    def heat(self, values: np.ndarray) -> None:
        """A numeric grid, 0 to 1, as a warm tint."""
        for r, c in zip(*np.nonzero(values > 0.01)):
            alpha = int(150 * min(1.0, float(values[r, c])))
            self._box(float(r), float(c), 0.02, fill=(*PALETTE["orange"], alpha))

    def flags(self, values: np.ndarray) -> None:
        """A Bool grid as a light frame."""
        for r, c in zip(*np.nonzero(values)):
            self._box(float(r), float(c), 0.12, fill=(*PALETTE["cyan"], 90))

    # --- what stands on it -----------------------------------------------------------------------

    def player(self, at: tuple[float, float], seat: int, facing: tuple[int, int]) -> None:
        """A disc with a white rim, and a nose where it looks."""
        color = PALETTE[SEATS[seat % len(SEATS)]]
        r, c = at
        self._disc(r, c, 0.4, fill=PALETTE["white"])
        self._disc(r, c, 0.33, fill=color)
        if facing == (0, 0):
            self._disc(r, c, 0.1, fill=PALETTE["white"])
            return
        norm = (facing[0] ** 2 + facing[1] ** 2) ** 0.5
        y, x = facing[0] / norm, facing[1] / norm
        tip, left, right = (0.3 * y, 0.3 * x), (0.16 * x, -0.16 * y), (-0.16 * x, 0.16 * y)
        self._shape(r, c, [tip, left, right], PALETTE["white"])

    def row(self, at: tuple[float, float], number: int) -> None:
        """A disc with eyes."""
        color = PALETTE[ROWS[number % len(ROWS)]]
        r, c = at
        self._disc(r, c, 0.34, fill=shade(color, 0.55))
        self._disc(r, c, 0.28, fill=color)
        for side in (-0.1, 0.1):
            self._disc(r - 0.06, c + side, 0.07, fill=PALETTE["white"])
            self._disc(r - 0.06, c + side, 0.035, fill=PALETTE["black"])

    def thing(self, at: tuple[float, float], number: int) -> None:
        """A ring: many places are marked by a tile as well, which stays visible."""
        color = PALETTE[THINGS[number % len(THINGS)]]
        width = max(1, self.unit // 12)
        self._disc(*at, 0.42, outline=(*color, 230), width=width)

    def shape(
        self, kind: str, args: Sequence[np.ndarray], color: int | None, seat: int | None
    ) -> None:
        """A drawing of ``view``: points are (x, y) from the centre of the board, in cells.

        Nothing of it is drawn where a number is NaN or a radius negative. Points and radii are held
        within three boards, as far as a Pos can be off: a picture takes its time by their size.
        """
        if any(np.isnan(arg).any() for arg in args) or (kind != "bar" and args[1] < 0):
            return
        far = 3.0 * max(self.rows, self.cols)
        first, second = (np.clip(arg, -far, far) for arg in args)
        if color is None:
            paint = PALETTE[SEATS[(seat or 0) % len(SEATS)]]
        else:
            paint = PALETTE[COLORS[color]]
        c, r = first[0] + self.cols / 2 - 0.5, first[1] + self.rows / 2 - 0.5
        width = max(1, self.unit // 8)
        if kind == "disc":  # a seat has the white rim that every player has
            rim = shade(paint, 0.6) if seat is None else PALETTE["white"]
            self._disc(r, c, float(second), fill=rim)
            self._disc(r, c, max(0.0, float(second) - 0.08), fill=paint)
        elif kind == "ring":
            self._disc(r, c, float(second), outline=paint, width=width)
        else:
            c1, r1 = second[0] + self.cols / 2 - 0.5, second[1] + self.rows / 2 - 0.5
            u = self.unit
            points = [((x + 0.5) * u, (y + 0.5) * u) for x, y in ((c, r), (c1, r1))]
            self.draw.line(points, fill=paint, width=2 * width)

    def finish(self, elapsed: float, outcome: str | None) -> np.ndarray:
        """Add the bar (time that is left, or the outcome's colour) and shrink: uint8[h, w, 3]."""
        top = self.rows * self.unit
        ends = {None: "blue", "lose": "red", "draw": "gray", "win": "green"}
        color = PALETTE[ends.get(outcome, "green")]
        width = self.cols * self.unit * (1.0 if outcome else max(0.0, 1.0 - elapsed))
        box = (0, top, self.cols * self.unit, top + self.bar * OVER)
        self.draw.rectangle(box, fill=shade(PALETTE["black"], 0.7))
        self.draw.rectangle((0, top, width, top + self.bar * OVER), fill=color)
        shape = (self.cols * self.scale, self.rows * self.scale + self.bar)
        return np.asarray(self.image.resize(shape, Image.Resampling.BOX))


_PAINTERS: tuple[tuple[str, Callable[[Canvas, int, int, Color], None]], ...] = (
    ("door", Canvas.door),
    ("goal", Canvas.goal),
    ("hazard", Canvas.hazard),
    ("item", Canvas.item),
    ("tool", Canvas.tool),
    ("resource", Canvas.resource),
    ("marker", Canvas.marker),
    ("solid", Canvas.solid),
)
"""The first tag of this list that a look has decides how it is drawn."""
