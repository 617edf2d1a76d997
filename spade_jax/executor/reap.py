"""Looking after a worker's process group from outside: its memory, and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import time

import psutil

__all__ = ["kill_group", "living", "resident_bytes"]


def living(pid: int) -> list[psutil.Process]:
    """The processes that ``pid`` started, directly or not, and that have not ended."""
    try:
        return [p for p in psutil.Process(pid).children(recursive=True) if _lives(p)]
    except psutil.NoSuchProcess:
        return []


def resident_bytes(pid: int, group: bool) -> int:
    """Resident memory of process ``pid``, with what it started if ``group``; 0 once it is gone."""
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):  # gone between the listing and the look
        total += psutil.Process(pid).memory_info().rss
        for process in living(pid) if group else []:
            total += process.memory_info().rss
    return total


def kill_group(pid: int, patience: float = 2.0) -> None:
    """End a worker that leads its own process group, and everything it started.

    Must be called before the worker is waited for, so that its number cannot have been reused.
    """
    give_up = time.monotonic() + patience
    _signal_group(pid, signal.SIGSTOP)  # nobody shall start more while we count
    while (below := living(pid)) and time.monotonic() < give_up:
        for process in below:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(0.01)
    _signal_group(pid, signal.SIGKILL)


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _signal_group(pid: int, number: int) -> None:
    # No such group: all gone. "Not permitted" is macOS's answer for a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
