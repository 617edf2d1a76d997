"""What mechanics are built from: the texts that stand for the player, free cells and new names."""

from __future__ import annotations

import dataclasses
from random import Random

from envs_dsl.mutate.subject import Subject

__all__ = ["Scene", "scene"]


@dataclasses.dataclass
class Scene:
    """A single player's program, in the words that mechanics need.

    Attributes:
      me: the player's cell. place: the player's field, a Pos where ``walks``.
      board: the enum grid's field, "" without one; tile: its enum; floor: the plain member.
      free: a mask of cells where something may be put.
    """

    subject: Subject
    rng: Random
    me: str
    place: str
    walks: bool
    board: str
    tile: str
    floor: str
    free: str

    def name(self, *choices: str) -> str:
        """One of the names, not in use yet."""
        return self.subject.fresh(self.rng.choice(choices))

    def away(self, radius: float) -> str:
        """Free cells that are farther from the player than ``radius``."""
        return f"{self.free} and not disk({self.me}, {radius})"

    @property
    def steps(self) -> int:
        return self.subject.tree.game.max_steps


def scene(subject: Subject, rng: Random) -> Scene | None:
    """The scene of a program; None where it has no single player on the board."""
    player = subject.player()
    if player is None:
        return None
    walks = getattr(player.type, "kind", "") == "Pos"
    place = f"s.{player.name}"
    me = place if walks else f"cell({place})"
    found, floor = subject.board(), subject.floor()
    if found is None or floor is None:
        return Scene(subject, rng, me, place, walks, "", "", "", f"not at({me})")
    field, enum = found
    free = f"s.{field.name} == {enum.name}.{floor}"
    return Scene(subject, rng, me, place, walks, f"s.{field.name}", enum.name, floor, free)
