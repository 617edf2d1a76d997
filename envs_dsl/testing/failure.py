"""How a check says no."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["ConformanceError", "fail"]


class ConformanceError(AssertionError):
    """A program broke the contract. ``check`` names the part of it that did."""

    def __init__(self, check: str, message: str) -> None:
        self.check = check
        super().__init__(f"{check}: {message}")


def fail(check: str, message: str) -> NoReturn:
    """Raise ``ConformanceError``."""
    raise ConformanceError(check, message)
