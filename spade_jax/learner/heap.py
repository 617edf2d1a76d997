"""Memory that compiling leaves behind, given back to the system."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

__all__ = ["give_back"]


@functools.cache
def _malloc_trim() -> Any:
    """The C library's ``malloc_trim``; None where it has none (only glibc does)."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return trim


def give_back() -> None:
    """Give the free pages of the heap back.

    A compilation takes and frees many megabytes, in threads of its own, and glibc keeps what a
    thread has freed for that thread: the process would grow with every program it has seen.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)
