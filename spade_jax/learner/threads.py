"""Cohorts side by side, a thread each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["side_by_side"]

_T = TypeVar("_T")


def side_by_side(
    play: Callable[[Any, Callable[[], bool]], _T],
    jobs: Sequence[Any],
    stop: Callable[[], bool] | None,
    threads: int,
) -> list[_T]:
    """``play(job, stopped)`` of every job, in threads: XLA leaves much of a roll-out to one core.

    The answers are in the order of the jobs. Where one raises or ``stop`` says so, the others end
    as well.
    """
    over = threading.Event()

    def stopped() -> bool:
        return over.is_set() or (stop is not None and stop())

    if min(len(jobs), threads) == 1:
        return [play(job, stopped) for job in jobs]
    with ThreadPoolExecutor(max_workers=min(len(jobs), threads)) as pool:
        tasks = [pool.submit(play, job, stopped) for job in jobs]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            over.set()
            pool.shutdown(cancel_futures=True)
            raise
