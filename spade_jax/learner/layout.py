"""Which program sits in which slot, and how hard it is there. Explicit data, for the checkpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

__all__ = ["Layout", "arrange"]


@dataclasses.dataclass(frozen=True)
class Layout:
    """A program for every slot, in order; ``cohort_size`` neighbours share an executable.

    Attributes:
      programs: one ``envs_dsl.Program`` (or ``residents.Resident``) a slot; the same program may
        hold several.
      cohort_size: slots of a cohort.
      difficulties: of each slot's training levels, None for the declared parameters; empty for
        these in all of them.
    """

    programs: tuple[Any, ...]
    cohort_size: int
    difficulties: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        if not self.programs or len(self.programs) % self.cohort_size:
            raise ValueError(
                f"{len(self.programs)} slots do not divide into cohorts of {self.cohort_size}"
            )
        if self.difficulties and len(self.difficulties) != len(self.programs):
            raise ValueError(
                f"{len(self.difficulties)} difficulties for {len(self.programs)} slots"
            )

    @property
    def hashes(self) -> tuple[str, ...]:
        """Program hash of every slot: what a checkpoint stores."""
        return tuple(program.hashes.program for program in self.programs)

    def difficulty(self, slot: int) -> float | None:
        """Difficulty of a slot's training levels; None where they are as declared."""
        return self.difficulties[slot] if self.difficulties else None

    @property
    def cohorts(self) -> tuple[tuple[Any, ...], ...]:
        """The programs of each cohort."""
        size = self.cohort_size
        return tuple(self.programs[i : i + size] for i in range(0, len(self.programs), size))


def arrange(programs: Sequence[Any], slots: int, cohort_size: int) -> Layout:
    """Deal ``slots`` out to ``programs`` in turn: nobody holds more than one slot above another.

    A first layout, or that of a fixed set; the curator lays out a pool that changes.

    Raises:
      ValueError: no program, or more programs than slots.
    """
    unique = list({program.hashes.program: program for program in programs}.values())
    if not 0 < len(unique) <= slots:
        raise ValueError(f"cannot share out {slots} slots between {len(unique)} programs")
    return Layout(tuple(unique[i % len(unique)] for i in range(slots)), cohort_size)
