"""When the next request may be sent: a rate, a number at a time, and pauses a server asked for."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from email.utils import parsedate_to_datetime

__all__ = ["Gate", "retry_after"]


class Gate:
    """Lets requests through, evenly spaced where there is a rate.

    Args:
      per_minute: most requests a minute; 0 is no limit. parallel: most under way at a time.

    Spacing outlives one event loop, so that two rounds keep the rate together; ``parallel`` holds
    within one.
    """

    def __init__(self, per_minute: int, parallel: int) -> None:
        self._spacing = 60.0 / per_minute if per_minute else 0.0
        self._parallel = parallel
        self._next = 0.0
        self._slots: asyncio.Semaphore | None = None

    def begin(self) -> None:
        """A new event loop: nothing is under way."""
        self._slots = asyncio.Semaphore(self._parallel)

    @contextlib.asynccontextmanager
    async def passage(self) -> AsyncIterator[None]:
        """Held while a request is under way."""
        assert self._slots is not None, "begin() comes first"
        async with self._slots:
            while (wait := self._next - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            self._next = time.monotonic() + self._spacing
            yield

    def pause(self, seconds: float) -> None:
        """The server asked everybody to wait."""
        self._next = max(self._next, time.monotonic() + seconds)


def retry_after(value: str) -> float:
    """Seconds that a ``Retry-After`` header asks for, a number or a date; 0 where it makes none."""
    try:
        seconds = float(value) if len(value) < 20 else None
    except ValueError:
        seconds = None
    if seconds is None:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError, IndexError):
            return 0.0
    return seconds if 0 < seconds < float("inf") else 0.0
