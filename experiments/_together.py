"""Flags of the commands that may run in several processes at once, one for each machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypeVar

from spade_jax.errors import UserError

__all__ = ["Together", "decided"]

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Together:
    coordinator: str | None = None
    """Train together with other processes: HOST:PORT of process 0, or `auto` on a cluster."""
    process_id: int | None = None
    """Number of this process; the same command runs in each, and process 0 alone writes."""
    processes: int | None = None
    """How many processes there are."""


def decided(options: Together, make: Callable[[], T]) -> T:
    """``make()``; where processes train together, they meet here and get what it gave in process 0.

    Raises:
      UserError: the processes do not find together, or ``make`` failed in process 0.
    """
    if options.coordinator is None:
        if (options.process_id, options.processes) != (None, None):
            raise UserError("--process-id and --processes need --coordinator")
        return make()
    from spade_jax import processes

    processes.connect(options.coordinator, options.process_id, options.processes)
    return processes.agreed(make)
