"""What the learner knows of a resident: what it knows of a program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import jax_backend
from envs_dsl.language.canonical import Hashes
from spade_jax.errors import UserError
from spade_jax.residents.backend import ResidentBackend

__all__ = ["Resident", "backend_of", "refuse_changed"]


@dataclasses.dataclass(frozen=True)
class Resident:
    """A hand-written environment, in the place of an ``envs_dsl.Program`` in a learner's layout.

    Attributes:
      name: "module:Class", by which it was asked for. digest: of that and the module's text, 16
        hexadecimal characters: its program hash.
      backend: runs it.
    """

    name: str
    digest: str
    backend: ResidentBackend = dataclasses.field(compare=False, repr=False)

    @property
    def hashes(self) -> Hashes:
        return Hashes(skeleton=self.digest, program=self.digest)

    @property
    def executable(self) -> tuple[str, ...]:
        """No other program shares its executables."""
        return ("resident", self.digest)

    @property
    def game(self) -> Any:
        """Of a program's header what a learner reads: the step limit, and that it is for one."""
        return SimpleNamespace(max_steps=self.backend.max_steps, players=1, skills=())

    @property
    def params(self) -> tuple[()]:
        """A level of it is a seed and nothing else."""
        return ()

    def default_params(self) -> NDArray[np.float32]:
        """float32[0]."""
        return np.zeros(0, np.float32)


def backend_of(program: Any) -> Any:
    """The JAX back end of a program or of a resident."""
    return program.backend if isinstance(program, Resident) else jax_backend(program)


def refuse_changed(recorded: Mapping[str, str], residents: Sequence[Resident]) -> None:
    """Go on with a run only if its residents are what they were.

    Args:
      recorded: digests by name, as they were when the run was saved.

    Raises:
      UserError: one is not; names it.
    """
    for resident in residents:
        if recorded.get(resident.name) != resident.digest:
            module = resident.name.partition(":")[0]
            raise UserError(
                f"resident {resident.name!r} is not the one that this run was started with: the "
                f"text of {module} has changed; put it back, or start another run"
            )
