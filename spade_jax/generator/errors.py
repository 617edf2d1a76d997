"""What a generator stops a run with, or is refused for."""

from __future__ import annotations

from spade_jax.errors import UserError

__all__ = ["AWAITING", "Awaiting", "GeneratorError"]

AWAITING = 75
"""Exit code of a run that waits for answers (``EX_TEMPFAIL`` of sysexits: come again later)."""


class GeneratorError(UserError, ValueError):
    """No such generator, or one that does not keep to the protocol; one line, for a person."""


class Awaiting(UserError):
    """The generator cannot go on before somebody did something: the run ends, to be resumed.

    A generator (or a back end) raises it from ``propose``. The run stops with its last checkpoint
    in place; its message is the one line that a person reads, and says what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=AWAITING)
