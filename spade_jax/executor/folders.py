"""The workers' private folders: made under the temporary folder, removed afterwards, swept if left.

A sandbox owns one base folder and holds a lock on a file in it for as long as its process lives. A
base folder whose lock is free belongs to a process that was killed: the next sandbox removes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

__all__ = ["BaseFolder"]

_PREFIX = "spade-jax-workers-"
_LOCK = "lock"
_YOUNG = 60.0  # seconds in which a folder without a lock may still be in the making


class BaseFolder:
    """One locked folder with a subfolder per worker."""

    def __init__(self, temp_dir: str = "") -> None:
        parent = temp_dir or tempfile.gettempdir()
        os.makedirs(parent, exist_ok=True)
        _sweep(Path(parent))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def make(self, name: str) -> Path:
        """A new, empty subfolder."""
        folder = self.path / name
        folder.mkdir(mode=0o700)
        return folder

    def remove(self) -> None:
        """Remove everything and let go of the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def empty(folder: Path) -> None:
    """Remove what a candidate left in its worker's folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)


def _sweep(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            if folder.stat().st_uid != os.getuid():
                continue
            lock = folder / _LOCK
            if not lock.exists():
                if time.time() - folder.stat().st_mtime > _YOUNG:
                    shutil.rmtree(folder, ignore_errors=True)
                continue
            handle = os.open(lock, os.O_RDWR)
        except FileNotFoundError:  # its owner was quicker
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # in use by a living sandbox
            continue
        finally:
            os.close(handle)
