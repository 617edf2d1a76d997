"""What the processes that models live in have in common: environment, last words, end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import IO

__all__ = ["end", "environment", "last_words"]


def environment(threads: int, *, offline: bool = True) -> dict[str, str]:
    """For a process with so many threads; no hub is asked unless not ``offline``."""
    number = str(max(threads, 1))
    found = dict(os.environ)
    found |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), number)
    found |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_DISABLE_TELEMETRY": "1"}
    if offline:
        found |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    else:
        found |= {"HF_HUB_ETAG_TIMEOUT": "10", "HF_HUB_DOWNLOAD_TIMEOUT": "30"}
    return found


def last_words(code: int | None, log: IO[str] | None) -> str:
    """Why a process ended, in one line: its exit code, and the last line it left in ``log``."""
    if code == -signal.SIGKILL:
        return "process was killed: it may have needed more memory than there is"
    last = ""
    if log is not None and not log.closed:
        # all of it may be more than there is memory
        log.seek(max(log.seek(0, os.SEEK_END) - 4000, 0))
        lines = [line.strip() for line in log.read().split("\n") if line.strip()]
        last = lines[-1][:200] if lines else ""
    return f"process ended{f' ({code})' if code is not None else ''}: {last}"


def end(process: subprocess.Popen[str] | None, log: IO[str] | None) -> None:
    """Kill a process that leads a session, with what it started, and close what it held open."""
    if process is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()
    if log is not None:
        log.close()
