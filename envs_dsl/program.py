"""A program: the one thing that everybody else holds."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING

from envs_dsl.language.canonical import Hashes, hashes, literals
from envs_dsl.language.check import analyse
from envs_dsl.language.cost import Cost
from envs_dsl.language.diagnostics import Diagnostic, render
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Game, Param
from envs_dsl.metadata import read_header

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MOST_BYTES", "Checked", "Program", "ProgramError", "check", "load"]

MOST_BYTES = 1 << 16
"""Read of a file: a legal program is far shorter, and more only shows that this is none."""


class ProgramError(ValueError):
    """The text is not a program; ``diagnostics`` says why, ``str`` shows the first."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], source: str) -> None:
        self.diagnostics = diagnostics
        self.source = source
        first = next((d for d in diagnostics if d.severity == "error"), None)
        super().__init__(str(first) if first else "not a program")

    def render(self) -> str:
        """All diagnostics with their lines, for a person or a model."""
        return render(self.diagnostics, self.source)


@dataclasses.dataclass(frozen=True)
class Program:
    """A checked program.

    Attributes:
      source: the text it came from. name: a short name for people. doc: what the player must do.
      game, params: the header and the numeric parameters.
      tree: canonical typed tree. ints, floats: values of its hoisted literals, by slot.
      cost: of one step. hashes: skeleton and program hash; the latter is its key everywhere.
      warnings: lints. metadata: the header comments of an accepted program (see ``metadata``).
    """

    source: str
    name: str
    doc: str
    game: Game
    params: tuple[Param, ...]
    tree: Tree
    ints: tuple[int, ...]
    floats: tuple[float, ...]
    cost: Cost
    hashes: Hashes
    warnings: tuple[Diagnostic, ...] = ()
    metadata: dict[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_source(cls, text: str, name: str = "program") -> Program:
        """Check ``text``.

        Raises:
          ProgramError: it has errors.
        """
        checked = check(text, name)
        if checked.program is None:
            raise ProgramError(checked.diagnostics, text)
        return checked.program

    @property
    def executable(self) -> tuple[str, ...]:
        """What programs that can share executables agree in: the skeleton, which knows no names,
        and the names of fields and columns, by which a state holds its arrays."""
        fields = (field.name for field in self.tree.fields)
        columns = (column.name for row in self.tree.rows for column in row.columns)
        return (self.hashes.skeleton, *fields, *columns)

    def default_params(self) -> np.ndarray:
        """Declared parameter values: float32[P]."""
        import numpy as np

        return np.asarray([p.value for p in self.params], np.float32)

    def params_at(self, difficulty: float) -> np.ndarray:
        """Parameter values at a difficulty: float32[P].

        0 is the easiest bound of every parameter, 0.5 the declared values, 1 the hardest bound,
        linear in between; Int parameters are rounded. A parameter without ``harder`` stays.
        """
        import numpy as np

        d = min(max(float(difficulty), 0.0), 1.0)
        values = []
        for p in self.params:
            value = p.value
            if p.harder is not None:
                easy, hard = (p.low, p.high) if p.harder == "up" else (p.high, p.low)
                value = (
                    easy + (value - easy) * 2 * d
                    if d <= 0.5
                    else value + (hard - value) * (2 * d - 1)
                )
            values.append(round(value) if p.is_int else value)
        return np.asarray(values, np.float32)

    def __hash__(self) -> int:
        return hash(self.hashes.program)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and other.hashes == self.hashes


@dataclasses.dataclass(frozen=True)
class Checked:
    """The answer of ``check``: a program, or why not."""

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    program: Program | None = None
    cost: Cost | None = None


def check(text: str, name: str = "program") -> Checked:
    """Check a program text. Never raises, whatever the text."""
    found = analyse(text)
    if found.tree is None or found.cost is None:
        return Checked(False, found.diagnostics, cost=found.cost)
    ints, floats = literals(found.tree)
    program = Program(
        source=text,
        name=name,
        doc=found.doc,
        game=found.tree.game,
        params=found.tree.params,
        tree=found.tree,
        ints=ints,
        floats=floats,
        cost=found.cost,
        hashes=hashes(found.tree),
        warnings=found.diagnostics,
        metadata=read_header(text),
    )
    return Checked(True, found.diagnostics, program, found.cost)


def load(path: str | os.PathLike[str]) -> Program:
    """Read and check a program file; its name is the file's stem.

    Raises:
      ProgramError: the text has errors (bytes that are not UTF-8 are E100).
      OSError: the file cannot be read.
    """
    file = pathlib.Path(path)
    with file.open("rb") as handle:
        text = handle.read(MOST_BYTES).decode("utf-8", errors="replace")
    return Program.from_source(text, name=file.stem)
