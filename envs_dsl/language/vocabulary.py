"""The fixed words of the language: the same action, tag, colour or skill in every program."""

from __future__ import annotations

__all__ = [
    "ACTIONS",
    "COLORS",
    "DIRS",
    "DIR_DELTAS",
    "MOVES",
    "SKILLS",
    "TAGS",
    "VERBS",
]

MOVES = ("STAY", "UP", "DOWN", "LEFT", "RIGHT")

VERBS = (
    "use", "take", "drop", "craft", "attack", "push", "pull", "build",
    "eat", "dash", "gather", "feed", "throw", "open", "flip",
)  # fmt: skip

ACTIONS = MOVES + VERBS
"""The 20 actions: index 0–4 are moves, 5–19 verbs, in every program."""

DIRS = (*MOVES, "UP_LEFT", "UP_RIGHT", "DOWN_LEFT", "DOWN_RIGHT")
"""The nine values of ``Dir``; the code is the index."""

DIR_DELTAS = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""(row, col) step of each direction."""

TAGS = ("solid", "hazard", "item", "goal", "door", "tool", "resource", "marker")
"""What a look can mean to the learner; the bit of a tag is its index."""

COLORS = (
    "black", "darkgray", "gray", "white", "red", "darkred", "orange", "brown",
    "gold", "yellow", "green", "darkgreen", "cyan", "blue", "purple", "pink",
)  # fmt: skip

SKILLS = (
    "navigation", "manipulation", "resource", "avoidance", "memory",
    "puzzle", "continuous", "contest", "cooperation",
)  # fmt: skip
