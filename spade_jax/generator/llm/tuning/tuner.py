"""Tunings beside the run: one process at a time, whose results are files."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, TypeGuard

from spade_jax.generator.llm import child
from spade_jax.generator.llm.messages import Backend
from spade_jax.generator.llm.tuning.job import FOLDER, Adapter, finished, write_job
from spade_jax.generator.llm.tuning.samples import Sample
from spade_jax.records import RecordError

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["Tunable", "Tuner", "tunable"]

_WORKER = "spade_jax.generator.llm.tuning.worker"


class Tunable(Backend, Protocol):
    """A back end whose model can be tuned."""

    def adopt(self, adapter: Adapter | None) -> None:
        """Answer with these weights from the next request on; None: with the model as it came."""
        ...


def tunable(backend: Backend) -> TypeGuard[Tunable]:
    """Whether a back end's model can be tuned."""
    return callable(getattr(backend, "adopt", None))


class Tuner:
    """Starts tunings in a process of their own, and hands over what came of them.

    Which weights are there when a request is answered depends on a clock; the answer says which
    (``Response.revision``), and is in the journal.

    Args:
      backend: whose model is tuned. config: settings; ``tuning``, ``device`` and ``threads`` count.
      journal: file of the run's exchanges. folder: of the run. name: the generator's, under which
        the journal has its exchanges.
    """

    def __init__(
        self, backend: Tunable, config: LlmConfig, journal: Path, folder: Path, name: str
    ) -> None:
        self.name = name
        self.notice = ""
        """One line about the tuning that failed last, "" where none did."""
        self._backend = backend
        self._config = config
        self._journal = journal
        self._folder = folder / FOLDER
        self._process: subprocess.Popen[str] | None = None
        self._log: IO[str] | None = None
        self._started = 0.0
        self._key = ""
        self._failed: set[str] = set()
        self._closed = False
        self._lock = threading.Lock()

    def adopt(self, keys: Sequence[str]) -> Adapter | None:
        """Have requests answered with the newest of these tunings that is finished."""
        self._look()
        found = (finished(self._folder / key) for key in reversed(keys))
        adapter = next((a for a in found if a is not None), None)
        self._backend.adopt(adapter)
        return adapter

    def start(self, key: str, samples: Sequence[Sample]) -> None:
        """Begin the tuning of that name, unless it is done, under way, or failed before.

        Its inputs are written first; where they are there already they are what counts, so that one
        that was killed begins again as it began. A tuning that is under way is let come to its end.
        """
        self._look()
        if self._closed or self._process is not None or key in self._failed:
            return
        inputs, target = self._folder / f"{key}.jsonl", self._folder / key
        if finished(target) is not None:
            return
        try:
            self._folder.mkdir(exist_ok=True)
            if not inputs.exists():
                write_job(inputs, self._settings(key), samples, self._journal, self.name)
            self._spawn(key, inputs, target)
        except (OSError, RecordError) as error:
            self._fail(key, str(error))

    def wait(self) -> None:
        """Until the tuning that is under way has ended (for experiments; a run never waits)."""
        while self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1.0)
            self._look()

    def close(self) -> None:
        """End what is under way; a second call does nothing."""
        self._closed = True
        self._end()

    # --- the process ------------------------------------------------------------------------------

    def _settings(self, key: str) -> dict[str, object]:
        config = self._config
        return {
            "backend": self._backend.name,
            "device": config.device,
            "threads": config.threads,
            "constrain": config.constrain,
            "seed": int(key[:8], 16),
            **dataclasses.asdict(config.tuning),
        }

    def _spawn(self, key: str, inputs: Path, target: Path) -> None:
        # closed by _end
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        with self._lock:
            if self._closed:
                return
            self._process = subprocess.Popen(
                [sys.executable, "-m", _WORKER, str(inputs), str(target)],
                stdin=subprocess.PIPE,  # the process ends when this does, whatever ended the run
                stdout=self._log,
                stderr=self._log,
                env=child.environment(self._config.threads),
                start_new_session=True,
                text=True,
            )
        self._key, self._started = key, time.monotonic()

    def _look(self) -> None:
        """Take note of a tuning that has ended, and end one that takes too long."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            if time.monotonic() - self._started > self._config.tuning.seconds:
                self._fail(self._key, f"it took more than {self._config.tuning.seconds:g} seconds")
                self._end()
            return
        if process.returncode or finished(self._folder / self._key) is None:
            self._fail(self._key, f"its {child.last_words(process.returncode, self._log)}")
        self._end()

    def _fail(self, key: str, why: str) -> None:
        self._failed.add(key)
        self.notice = f"tuning {key} failed: {' '.join(why.split())[:250]}"

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        child.end(process, self._log)
        self._log = None
