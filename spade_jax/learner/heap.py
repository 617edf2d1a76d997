"""The C library's heap: what is kept of it between updates, and what is given back."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

__all__ = ["give_back", "keep"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # malloc.h
_MOST = 1 << 30


@functools.cache
def _malloc_trim() -> Any:
    """The C library's ``malloc_trim``; None where it has none (only glibc does)."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return trim


@functools.cache
def keep() -> None:
    """Have freed memory kept for the next allocation, also of large blocks; once for the process.

    An executable takes its scratch memory anew in every call. glibc fetches blocks of more than
    32 MB from the system each time, which clears them page by page while the other cores wait.
    Does nothing where the C library has no ``mallopt``. ``give_back`` gives back all the same.
    """
    try:
        option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    option.argtypes, option.restype = [ctypes.c_int, ctypes.c_int], ctypes.c_int
    option(_MMAP_THRESHOLD, _MOST)
    option(_TRIM_THRESHOLD, _MOST)


def give_back() -> None:
    """Give the free pages of the heap back.

    A compilation takes and frees many megabytes, in threads of its own, and glibc keeps what a
    thread has freed for that thread: the process would grow with every program it has seen.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)
