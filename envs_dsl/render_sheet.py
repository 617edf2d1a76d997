"""A contact sheet: pictures of several programs on one page, each with its name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

__all__ = ["TILE", "contact_sheet", "fitting_scale"]

TILE = 168
"""Pixels of the longer side of a board: a multiple of many board sizes."""
GAP = 18
LABEL = 26
PAPER = (17, 19, 25)
INK = (214, 218, 228)


def fitting_scale(size: tuple[int, int]) -> int:
    """Pixels of a cell at which a board of ``size`` fits a tile of the sheet."""
    return max(1, TILE // max(size))


def contact_sheet(pictures: Sequence[tuple[str, np.ndarray]]) -> np.ndarray:
    """Named frames (uint8[h, w, 3]) in a grid, in reading order, as one frame.

    Raises:
      ValueError: there is no picture.
    """
    if not pictures:
        raise ValueError("a contact sheet needs at least one picture")
    columns = _columns(len(pictures))
    rows = -(-len(pictures) // columns)
    width = max(TILE, *(frame.shape[1] for _, frame in pictures))
    height = max(TILE, *(frame.shape[0] for _, frame in pictures))
    shape = (GAP + columns * (width + GAP), GAP + rows * (height + LABEL + GAP // 2))
    sheet = Image.new("RGB", shape, PAPER)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=14)
    for index, (name, frame) in enumerate(pictures):
        x = GAP + index % columns * (width + GAP)
        y = GAP + index // columns * (height + LABEL + GAP // 2)
        left, top = (width - frame.shape[1]) // 2, height - frame.shape[0]
        sheet.paste(Image.fromarray(frame), (x + left, y + top))
        middle = (x + width // 2, y + height + LABEL // 2)
        draw.text(middle, name[:24], fill=INK, font=font, anchor="mm")
    return np.asarray(sheet)


def _columns(count: int) -> int:
    """4 to 7 columns: those that leave the fewest places empty."""
    return count if count <= 5 else min(range(4, 8), key=lambda c: (-count % c, -c))
