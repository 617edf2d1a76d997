"""One worker process seen from the parent: start, talk, watch, end."""

from __future__ import annotations

import dataclasses
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from spade_jax.executor import reap
from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.folders import empty
from spade_jax.executor.limits import Capabilities

__all__ = ["SandboxError", "WorkerGone", "WorkerProcess"]

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_CHUNK = 1 << 16


class SandboxError(RuntimeError):
    """The sandbox itself cannot work (not: a candidate failed)."""


class WorkerGone(Exception):
    """A worker ended by itself, or (``misbehaved``) must be ended; the text says why."""

    def __init__(self, text: str, misbehaved: bool = False) -> None:
        super().__init__(text)
        self.misbehaved = misbehaved


class WorkerProcess:
    """A confined worker. Used by one thread at a time, and started by that same thread.

    Args:
      config: its limits. stages: dotted name of the stages it runs.
      folder: its private folder (working directory and temporary folder), empty.
      closing: once set, whoever waits for the worker gets ``WorkerGone``.
    """

    def __init__(
        self, config: ExecutorConfig, stages: str, folder: Path, closing: threading.Event
    ) -> None:
        self._config, self._folder, self._closing = config, folder, closing
        self._stderr = folder.parent / f"{folder.name}.stderr"
        their_requests, requests = os.pipe()
        answers, their_answers = os.pipe()
        try:
            with open(self._stderr, "ab") as stderr:
                # The worker makes itself die with the thread that starts it (see confine).
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "spade_jax.executor.worker",
                     str(their_requests), str(their_answers)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    cwd=folder,
                    env=_environment(config, folder),
                    pass_fds=(their_requests, their_answers),
                    start_new_session=True,
                )  # fmt: skip
        except BaseException:
            os.close(requests)
            os.close(answers)
            raise
        finally:
            os.close(their_requests)
            os.close(their_answers)
        self._requests, self._answers = requests, answers
        os.set_blocking(requests, False)
        os.set_blocking(answers, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(answers, selectors.EVENT_READ)
        self._buffer = bytearray()
        self._ended = False
        self.candidates = 0
        self.pid = self._process.pid
        self._setup = {"config": dataclasses.asdict(config), "stages": stages}

    def greet(self) -> Capabilities:
        """Send the set-up and wait for the worker to be confined.

        Raises:
          SandboxError: it did not start.
        """
        deadline = time.monotonic() + self._config.start_seconds
        try:
            self.send(self._setup, deadline)
            while time.monotonic() < deadline:
                message = self.receive(0.2)
                if message is not None:
                    return Capabilities(**message["hello"])
            problem = f"no answer within {self._config.start_seconds:g} s"
        except (WorkerGone, KeyError, TypeError) as error:
            problem = str(error)
        self.end()
        raise SandboxError(
            f"a worker process did not start: {self.last_words() or problem}"
            f" (memory_mb is {self._config.memory_mb})"
        )

    def send(self, message: dict[str, Any], deadline: float) -> None:
        """Write one line, without ever waiting past ``deadline`` for a worker that does not read.

        Raises:
          WorkerGone: the pipe broke, or the deadline passed.
        """
        data = memoryview((json.dumps(message) + "\n").encode())
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_WRITE)
            while data:
                if self._closing.is_set():
                    raise WorkerGone("the sandbox is closing")
                if time.monotonic() > deadline:
                    raise WorkerGone("the worker does not read its requests", misbehaved=True)
                if not selector.select(0.2):
                    continue
                try:
                    data = data[os.write(self._requests, data[:_CHUNK]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise WorkerGone("the worker ended") from None

    def receive(self, timeout: float) -> dict[str, Any] | None:
        """The next message, or None if none came within ``timeout`` seconds.

        Raises:
          WorkerGone: the worker ended, or sent something that is not a message.
        """
        if self._closing.is_set():
            raise WorkerGone("the sandbox is closing")
        line = self._line()
        if line is None and self._selector.select(timeout):
            try:
                data = os.read(self._answers, _CHUNK)
            except BlockingIOError:
                data = None
            if data == b"":
                raise WorkerGone("the worker ended")
            self._buffer += data or b""
            line = self._line()
        if line is None:
            if len(self._buffer) > self._config.answer_kb * 1024:
                text = f"the worker sent more than {self._config.answer_kb} kB at once"
                raise WorkerGone(text, misbehaved=True)
            if self._dead():
                raise WorkerGone("the worker ended")
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise WorkerGone("the worker sent something that is not a message", misbehaved=True)
        return message

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _dead(self) -> bool:
        """Whether it ended. Does not wait for it: its number must stay taken until the reaping."""
        if not hasattr(os, "waitid"):
            return False  # macOS before Python 3.13: the closing pipe tells
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, flags) is not None

    def resident_bytes(self) -> int:
        """Resident memory of the worker and of whatever it was allowed to start."""
        return reap.resident_bytes(self.pid, group=self._config.child_processes)

    def tidy(self) -> None:
        """Between candidates: empty the private folder and the error file."""
        self.candidates += 1
        empty(self._folder)
        os.truncate(self._stderr, 0)

    def end(self) -> int:
        """End the worker and everything it started; its exit status (negative: a signal)."""
        if not self._ended:
            self._ended = True
            reap.kill_group(self.pid)
            self._selector.close()
            os.close(self._requests)
            os.close(self._answers)
            self._process.wait()
        return int(self._process.returncode)

    def last_words(self) -> str:
        """The last line it wrote to its standard error, shortened."""
        with open(self._stderr, "rb") as file:
            file.seek(max(0, os.path.getsize(self._stderr) - 4096))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip()[:300] if lines else ""


def _environment(config: ExecutorConfig, folder: Path) -> dict[str, str]:
    """A clean environment: where Python and its libraries are, one thread, no accelerator."""
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    env |= dict.fromkeys(_THREADS, "1")
    env |= {
        # The parent's import path, so that the worker finds what the parent found.
        "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path if p),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "JAX_PLATFORMS": "cpu",
    }
    if config.compilation_cache:
        env["JAX_COMPILATION_CACHE_DIR"] = os.path.abspath(config.compilation_cache)
    return env
