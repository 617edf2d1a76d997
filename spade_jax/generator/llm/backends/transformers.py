"""A local model, in a process of its own.

torch never lives in the learner's process: a model that hangs or eats the memory is killed with its
process, its threads are counted, and a CPU machine can still train beside it. The two talk in lines
of JSON over pipes (``local_worker``).
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import math
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm import child
from spade_jax.generator.llm.backends import gguf
from spade_jax.generator.llm.messages import Request, Response

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig
    from spade_jax.generator.llm.tuning.job import Adapter

__all__ = ["Local"]

LOADING = 900.0
"""Seconds for a model to be loaded, converted or downloaded first."""

LONGEST = 3600.0
"""Seconds for a batch where ``seconds_per_round`` says nothing: what takes longer hangs."""

LETTING_GO = 60.0
"""Seconds for a batch to end that was given up: the model may be reading long prompts."""

_TICK = 0.5
_WORKER = "spade_jax.generator.llm.backends.local_worker"
_NEEDED = ("torch", "transformers", "accelerate")


class Local:
    """A model of transformers; see ``Backend``.

    The process starts with the first request, and again after it was killed. Requests of one call
    are decoded as one batch; their answers depend on their seeds, on the machine, and (in the last
    bits of its sums) on the batch.

    Args:
      what: a folder, a .gguf file, ``package:NAME``, or a hub id.
      config: settings; ``threads``, ``device``, ``constrain`` and ``seconds_per_round`` count here.

    Raises:
      GeneratorError: nothing is there, or a library is missing.
    """

    def __init__(self, what: str, config: LlmConfig) -> None:
        self.name = f"transformers:{what}"
        self._config = config
        try:
            self._weights = gguf.find(what)
        except gguf.WeightsError as error:
            raise GeneratorError(f"{self.name}: {error}") from None
        needed = [*_NEEDED]
        needed += ["gguf"] if self._weights.kind == "gguf" else []
        needed += ["llguidance"] if config.constrain != "off" else []
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        if missing:
            what_to_do = "pip install 'spade_jax[llm]'"
            raise GeneratorError(f"{self.name} needs {', '.join(missing)}: {what_to_do}")
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()
        self._log: IO[str] | None = None
        self._found: dict[str, Response] = {}
        self._closed = False
        self._lock = threading.Lock()
        self._saying = threading.RLock()
        self._let_go = math.inf  # when a batch that was given up has to be over
        self._adapter: Adapter | None = None
        self._loaded: Adapter | None = None

    def __repr__(self) -> str:
        return f"Local({self.name!r})"

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """One response a request, in order, within ``config.seconds_per_round`` after loading."""
        if not requests:
            return ()
        if self._closed:
            return tuple(self._failed("closed") for _ in requests)
        start = time.monotonic()
        found: dict[int, Response] = {}
        there = self._found = {}
        self._let_go = math.inf
        try:
            self._start()
            with self._saying:
                if self._let_go < math.inf:  # while it was loaded
                    return tuple(self._failed("given up") for _ in requests)
                self._say({"do": "complete", "requests": [dataclasses.asdict(r) for r in requests]})
            limit = time.monotonic() + (self._config.seconds_per_round or LONGEST)
            while len(found) < len(requests):
                told = self._hear(limit, batch=True)
                i = int(told["index"])
                found[i] = there[requests[i].key] = _response(told["response"])
        except _Gone as gone:
            self._kill()
            seconds = (time.monotonic() - start) / len(requests)
            failed = self._failed(gone.line, seconds)
            return tuple(found.get(i, failed) for i in range(len(requests)))
        return tuple(found[i] for i in range(len(requests)))

    def cancel(self) -> None:
        """Have the process drop its batch, or stop it where it does not; see ``Cancellable``."""
        if self._let_go < math.inf or not self._saying.acquire(timeout=0.1):
            return  # it was told, or is just being told of the batch
        try:
            self._let_go = time.monotonic() + LETTING_GO
            if self._process is not None:
                self._say({"do": "drop"})
        except _Gone:
            pass  # there is nothing to drop
        finally:
            self._saying.release()

    def so_far(self) -> Mapping[str, Response]:
        """See ``Streaming``."""
        return dict(self._found)

    def adopt(self, adapter: Adapter | None) -> None:
        """Answer with tuned weights from the next call on; None: with the model as it came."""
        self._adapter = adapter

    def close(self) -> None:
        """End the process; a second call does nothing. May come from another thread."""
        self._closed = True
        self._kill()

    def _failed(self, line: str, seconds: float = 0.0) -> Response:
        return Response("", self.name, seconds=seconds, finish="error", error=line)

    # --- the process ------------------------------------------------------------------------------

    def _start(self) -> None:
        adapter, alive = self._adapter, self._process is not None and self._process.poll() is None
        if alive and adapter == self._loaded:
            return
        self._kill()
        config, self._loaded = self._config, adapter
        # closed by _kill
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        with self._lock:
            if self._closed:
                raise _Gone("closed")
            self._process = subprocess.Popen(
                [sys.executable, "-m", _WORKER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=child.environment(config.threads, offline=self._weights.kind != "hub"),
                start_new_session=True,
                text=True,
                encoding="utf-8",
            )
        self._lines = queue.Queue()
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        self._say(
            {
                "do": "load",
                "kind": self._weights.kind,
                "place": self._weights.place,
                "name": self.name,
                "device": config.device,
                "threads": config.threads,
                "constrain": config.constrain,
                "adapter": "" if adapter is None else str(adapter.folder),
            }
        )
        self._hear(time.monotonic() + LOADING)

    def _say(self, message: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise _Gone("closed")
        try:
            with self._saying:
                process.stdin.write(json.dumps(message) + "\n")
                process.stdin.flush()
        except (OSError, ValueError):
            raise _Gone(self._why()) from None

    def _hear(self, limit: float, batch: bool = False) -> dict[str, Any]:
        """The next message; of a ``batch``, which may be given up meanwhile.

        Raises:
          _Gone: none came in time, the process ended, or it tells why it cannot.
        """
        line: str | None = None
        while line is None:
            left = (min(limit, self._let_go) if batch else limit) - time.monotonic()
            with contextlib.suppress(queue.Empty):
                line = self._lines.get(timeout=min(max(left, 0.01), _TICK))
            if line is None and left <= 0:
                raise _Gone("the model did not answer in time, and was stopped")
        if not line:
            raise _Gone("closed" if self._closed else self._why())
        try:
            told = json.loads(line)
        except ValueError:
            raise _Gone("the model's process wrote something that is no message") from None
        if "error" in told:
            raise _Gone(str(told["error"]))
        return told

    def _why(self) -> str:
        """What the process left behind, in one line."""
        process = self._process
        code: int | None = None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(timeout=5)
        return f"the model's {child.last_words(code, self._log)}"

    def _kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        child.end(process, self._log)
        self._log = None


class _Gone(Exception):
    """The process cannot answer; ``line`` says why."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = " ".join(line.split())[:300]


def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    """Bring what the process says to whoever waits; "" at its end."""
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def _response(values: Mapping[str, Any]) -> Response:
    known = {field.name for field in dataclasses.fields(Response)}
    return Response(**{name: value for name, value in values.items() if name in known})
