"""Declared skills against verified ones: per program, and precision and recall per skill."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from envs_dsl.language.vocabulary import SKILLS
from envs_dsl.skills.rules import reasons

if TYPE_CHECKING:
    from envs_dsl.program import Program
    from envs_dsl.skills.evidence import Evidence

__all__ = ["Agreement", "Comparison", "agreement", "compare"]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One program.

    Attributes:
      declared: what its header says. verified: skill → why.
      missing: verified, not declared. unsupported: declared, not verified.
    """

    name: str
    declared: tuple[str, ...]
    verified: dict[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """Verified, not declared."""
        return tuple(s for s in SKILLS if s in self.verified and s not in self.declared)

    @property
    def unsupported(self) -> tuple[str, ...]:
        """Declared, not verified."""
        return tuple(s for s in SKILLS if s in self.declared and s not in self.verified)

    @property
    def relabelled(self) -> bool:
        """The verified skills are others than the declared ones."""
        return bool(self.missing or self.unsupported)

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "name": self.name,
            "declared": list(self.declared),
            "verified": self.verified,
            "missing": list(self.missing),
            "unsupported": list(self.unsupported),
        }


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Counts of one skill over several programs, the declared skills taken as the truth.

    Attributes:
      both: declared and verified. verified, declared: in all.
    """

    both: int
    verified: int
    declared: int

    @property
    def precision(self) -> float | None:
        """Share of the verified that are declared; None without any."""
        return self.both / self.verified if self.verified else None

    @property
    def recall(self) -> float | None:
        """Share of the declared that are verified; None without any."""
        return self.both / self.declared if self.declared else None

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return dataclasses.asdict(self) | {"precision": self.precision, "recall": self.recall}


def compare(program: Program, evidence: Evidence | None = None) -> Comparison:
    """Declared and verified skills of one program; ``evidence`` as for ``reasons``."""
    declared = tuple(s for s in SKILLS if s in program.game.skills)
    return Comparison(program.name, declared, reasons(program, evidence))


def agreement(found: Sequence[Comparison]) -> dict[str, Agreement]:
    """Each skill's counts over ``found``, and under "all" their sums."""
    table = {
        skill: Agreement(
            sum(skill in c.declared and skill in c.verified for c in found),
            sum(skill in c.verified for c in found),
            sum(skill in c.declared for c in found),
        )
        for skill in SKILLS
    }
    sums = (
        sum(getattr(a, part) for a in table.values()) for part in ("both", "verified", "declared")
    )
    return table | {"all": Agreement(*sums)}
