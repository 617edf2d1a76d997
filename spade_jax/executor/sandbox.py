"""A pool of confined worker processes that examine candidates.

One thread a worker takes requests from a queue, hands them over, keeps the clock of each stage, and
fulfils the future. Whatever happens to a worker costs the candidate it was at, and nothing else.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import dataclasses
import itertools
import logging
import os
import queue
import signal
import threading
import time
from typing import Any

from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.examine import DEFAULT_STAGES, blank_verdict, end_verdict
from spade_jax.executor.folders import BaseFolder
from spade_jax.executor.limits import Capabilities
from spade_jax.executor.process import SandboxError, WorkerGone, WorkerProcess
from spade_jax.executor.request import Request
from spade_jax.types import Reason, Stage, Verdict, from_json

__all__ = ["Sandbox", "SandboxError"]

_log = logging.getLogger("spade_jax.executor")
_TICK = 0.05  # seconds between looks at the clock and at the memory
_TRIES = 3  # workers tried for a candidate that no stage has seen yet, or for a start

Future = concurrent.futures.Future


@dataclasses.dataclass(frozen=True)
class _End:
    """Why a worker had to be ended."""

    reason: Reason
    detail: dict[str, Any]
    error: str


class _Closed(Exception):
    """The sandbox was closed while a candidate was being examined."""


class Sandbox:
    """Examines candidates in worker processes, beside whatever the caller does.

    ```
    with Sandbox(ExecutorConfig(workers=2)) as box:
        futures = [box.submit(Request(source)) for source in sources]
        verdicts = [future.result() for future in futures]     # in the order of submission
    ```
    A verdict is a function of the request and the configuration, except for reasons that
    ``Reason.depends_on_clock``. Call ``close`` (or leave the ``with``) to end the workers at once.

    Args:
      config: limits and thresholds.
      stages: dotted name of the stages the workers run; another one is for tests.

    Raises:
      SandboxError: from ``capabilities`` and from futures, when workers cannot be started.
    """

    def __init__(self, config: ExecutorConfig | None = None, stages: str = DEFAULT_STAGES) -> None:
        self.config = config or ExecutorConfig()
        self._stages = stages
        self._jobs: queue.SimpleQueue[tuple[Request, Future[Verdict]] | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._hello: Future[Capabilities] = Future()
        self._hello_lock = threading.Lock()
        if self.config.compilation_cache:
            os.makedirs(self.config.compilation_cache, exist_ok=True)
        self._folder = BaseFolder(self.config.temp_dir)
        self._names = itertools.count()
        self._threads = [
            threading.Thread(target=self._serve, name=f"sandbox-{i}", daemon=True)
            for i in range(self.config.workers)
        ]
        self._pids: dict[int, int] = {}
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def capabilities(self) -> Capabilities:
        """Which limits this system enforces; waits for the first worker."""
        return self._hello.result()

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the living workers."""
        return tuple(self._pids.values())

    def submit(self, request: Request) -> Future[Verdict]:
        """Queue a request; the future ends with its verdict, or with SandboxError.

        Raises:
          SandboxError: the sandbox is closed.
        """
        if self._closing.is_set():
            raise SandboxError("the sandbox is closed")
        future: Future[Verdict] = Future()
        self._jobs.put((request, future))
        return future

    def close(self) -> None:
        """End all workers and what they started, cancel what waits, remove the private folders."""
        if self._closing.is_set():
            return
        self._closing.set()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job:
                job[1].cancel()
        if not self._hello.done():
            self._hello.set_exception(SandboxError("the sandbox is closed"))
        self._folder.remove()
        atexit.unregister(self.close)

    # One thread a worker from here on.

    def _serve(self) -> None:
        worker: WorkerProcess | None = None
        try:
            worker = self._try_start()
            while (job := self._jobs.get()) is not None:
                request, future = job
                if self._closing.is_set() or not future.set_running_or_notify_cancel():
                    future.cancel()
                    continue
                try:
                    worker, verdict = self._examine(worker, request)
                except (SandboxError, _Closed) as error:
                    worker = None
                    future.set_exception(SandboxError(str(error)))
                except BaseException as error:
                    future.set_exception(error)
                    raise
                else:
                    future.set_result(verdict)
                    worker = worker or self._try_start()
        finally:
            self._stop(worker)

    def _try_start(self) -> WorkerProcess | None:
        """A worker for the next request; None (and ``capabilities`` raises) if none starts."""
        try:
            return self._start()
        except (SandboxError, _Closed) as error:
            with self._hello_lock:
                if not self._hello.done():
                    self._hello.set_exception(SandboxError(str(error)))
            return None

    def _start(self) -> WorkerProcess:
        for attempt in range(_TRIES):
            if self._closing.is_set():
                raise _Closed("the sandbox is closed")
            folder = self._folder.make(f"{next(self._names)}")
            worker = WorkerProcess(self.config, self._stages, folder, self._closing)
            self._pids[threading.get_ident()] = worker.pid
            try:
                capabilities = worker.greet()
            except SandboxError:
                self._pids.pop(threading.get_ident(), None)
                if attempt == _TRIES - 1:
                    raise
                continue
            self._announce(capabilities)
            return worker
        raise AssertionError("unreachable")

    def _announce(self, capabilities: Capabilities) -> None:
        with self._hello_lock:
            if self._hello.done():
                return
            self._hello.set_result(capabilities)
        if capabilities.missing:
            _log.warning(capabilities.line())

    def _stop(self, worker: WorkerProcess | None) -> None:
        if worker is not None:
            worker.end()
        self._pids.pop(threading.get_ident(), None)

    def _examine(
        self, worker: WorkerProcess | None, request: Request
    ) -> tuple[WorkerProcess | None, Verdict]:
        """The verdict, and the worker if it can go on."""
        for _ in range(_TRIES):
            worker = worker or self._start()
            course = _Course(worker, request, self.config)
            try:
                verdict = course.run()
            except WorkerGone as error:
                status = worker.end()
                self._stop(worker)
                if self._closing.is_set():
                    raise _Closed("the sandbox was closed before the verdict") from None
                end = course.end or _why(error, status, worker.last_words())
                if course.stage is None and course.end is None:
                    worker = None  # it died before any stage saw the candidate: not its fault
                    continue
                return None, course.ended(end)
            except BaseException:
                self._stop(worker)
                raise
            worker.tidy()
            worn = worker.candidates >= self.config.recycle_candidates
            if worn or verdict.reason is Reason.MEMORY:
                self._stop(worker)
                worker = None
            return worker, verdict
        text = f"{_TRIES} workers died before the first stage"
        return None, dataclasses.replace(
            blank_verdict(request), ok=False, reason=Reason.KILLED, error=text
        )


class _Course:
    """One candidate's way through one worker."""

    def __init__(self, worker: WorkerProcess, request: Request, config: ExecutorConfig) -> None:
        self._worker, self._request, self._config = worker, request, config
        self._verdict = blank_verdict(request)
        self._seen: set[Stage] = set()
        self._since = time.monotonic()
        self.stage: Stage | None = None
        self.end: _End | None = None

    def run(self) -> Verdict:
        """Hand the request over and follow the worker to the verdict.

        Raises:
          WorkerGone: the worker died or must be ended; ``end`` says why if that was our doing.
        """
        limit = self._config.start_seconds
        self._worker.send(self._request.to_json(), self._since + limit)
        most = self._config.resident_mb << 20
        while True:
            message = self._worker.receive(_TICK)
            if message is not None:
                verdict = self._take(message)
                if verdict is not None:
                    return verdict
                limit = self._limit()
                continue
            if time.monotonic() - self._since > limit:
                name = self.stage or "start"
                self._give_up(Reason.TIMEOUT, f"{name} took more than {limit:g} s", seconds=limit)
            if self._worker.resident_bytes() > most:
                mb = self._config.resident_mb
                self._give_up(Reason.MEMORY, f"more than {mb} MB resident", resident_mb=mb)

    def _limit(self) -> float:
        config = self._config
        return config.start_seconds if self.stage is None else config.seconds(self.stage)

    def _give_up(self, reason: Reason, error: str, **detail: Any) -> None:
        self.end = _End(reason, {"limit": detail}, error)
        raise WorkerGone(error)

    def _take(self, message: dict[str, Any]) -> Verdict | None:
        try:
            if "stage" in message:
                stage = Stage(message["stage"])
                if stage in self._seen:
                    raise ValueError("a stage twice")
                self._seen.add(stage)
                self.stage, self._since = stage, time.monotonic()
                return None
            final = "verdict" in message
            verdict = from_json(Verdict, message["verdict" if final else "so_far"])
            verdict = dataclasses.replace(verdict, proposal_id=self._request.id)
        except (KeyError, TypeError, ValueError, AttributeError):
            error = "the worker sent something that is not a verdict"
            raise WorkerGone(error, misbehaved=True) from None
        self._verdict = verdict
        return verdict if final else None

    def ended(self, end: _End) -> Verdict:
        """The verdict so far, ended where the worker was."""
        seconds = time.monotonic() - self._since
        stage = self.stage or Stage.PARSE
        return end_verdict(self._verdict, stage, end.reason, seconds, end.detail, end.error)


def _why(error: WorkerGone, status: int, words: str) -> _End:
    """What became of a worker whose limits we did not have to enforce ourselves."""
    if error.misbehaved:
        return _End(Reason.KILLED, {"worker": str(error)}, str(error))
    detail: dict[str, Any] = {"status": status, "worker": str(error), "stderr": words}
    if status >= 0:
        return _End(Reason.KILLED, detail, f"{error} with status {status}: {words}".rstrip(": "))
    name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
    detail["signal"] = name
    if -status == signal.SIGXCPU:
        return _End(Reason.TIMEOUT, detail, "out of processor time (cpu_seconds)")
    memory = ("bad_alloc", "memory", "Memory", "alloc")
    if -status in (signal.SIGABRT, signal.SIGSEGV) and any(word in words for word in memory):
        return _End(Reason.MEMORY, detail, f"out of memory ({name})")
    return _End(Reason.KILLED, detail, f"the worker was ended by {name}")
