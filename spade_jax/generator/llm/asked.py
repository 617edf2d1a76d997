"""A back end as the generator sees it: with the run's journal before it and a time limit."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Mapping, Sequence

from spade_jax.generator.errors import Awaiting
from spade_jax.generator.llm.exchanges import Exchanges, trimmed
from spade_jax.generator.llm.messages import Backend, Cancellable, Request, Response, Streaming

__all__ = ["Journaled", "Recorded", "failed"]

_TICK = 0.2
"""Seconds between two looks at whether the run has ended."""


def failed(error: str, seconds: float = 0.0) -> Response:
    """The answer that is none, and why."""
    return Response("", seconds=seconds, finish="error", error=" ".join(error.split())[:300])


class Recorded:
    """A back end that knows recorded answers and no others (protocol ``Backend``).

    Args:
      name: of the back end that gave them. known: answers by (back end, ``Request.key``).
    """

    def __init__(self, name: str, known: Mapping[tuple[str, str], Response]) -> None:
        self.name = name
        self._known = known

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """The recorded answers; an error where there is none."""
        return tuple(
            self._known.get((self.name, r.key)) or failed(f"the record has no answer to {r.id}")
            for r in requests
        )

    def close(self) -> None:
        """Nothing is held."""


class Journaled:
    """A back end with a journal in front of it and an end to each round.

    What is in the journal is not asked again. What is not answered when the round's time is over
    counts as failed, and is in the journal as that; a back end that is ``Cancellable`` is told to
    give it up, so that it is free for the next round.

    Args:
      backend: whom to ask. exchanges: the journal; None records nothing (for tests and tools).
      who: name under which the answers are kept; the back end's if "".
      seconds: of a round; None: until ``hurry`` is called.
      patient: wait for every answer, whatever it takes, and ask all at once.
      at_once: requests handed over together; where the back end is not ``Streaming``, what comes
        too late costs these, not all. None: all.
    """

    def __init__(
        self,
        backend: Backend,
        exchanges: Exchanges | None = None,
        *,
        who: str = "",
        seconds: float | None = None,
        patient: bool = False,
        at_once: int | None = None,
    ) -> None:
        self.name = who or backend.name
        self._backend = backend
        self._exchanges = exchanges
        self._seconds = seconds
        self._patient = patient
        self._at_once = None if patient else at_once
        self._over = math.inf
        self._round: int | None = None
        self._closed = threading.Event()
        self._busy: threading.Thread | None = None

    def begin(self, round: int) -> None:
        """A round begins: its time runs from the first call for it."""
        if round != self._round:
            seconds = math.inf if self._seconds is None else self._seconds
            self._over, self._round = time.monotonic() + seconds, round

    def hurry(self) -> None:
        """Come to an end: nothing more is waited for in this round, unless it was given a time."""
        if self._seconds is None:
            self._over = min(self._over, time.monotonic())

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """One answer a request, in order.

        Raises:
          Awaiting: the back end needs somebody to do something first.
          ValueError: it was closed meanwhile.
        """
        found: dict[str, Response] = {}
        missing: dict[str, Request] = {}
        for request in requests:
            known = self._exchanges and self._exchanges.get(self.name, request)
            if known:
                found[request.key] = known
            else:
                missing[request.key] = request
        rest = list(missing.values())
        size = self._at_once or len(rest) or 1
        for start in range(0, len(rest), size):
            part = rest[start : start + size]
            answers = self._put(part, self._ask(part))
            found |= {r.key: a for r, a in zip(part, answers, strict=True)}
        return tuple(found[r.key] for r in requests)

    def close(self) -> None:
        """End everything; an answer that still comes is not recorded."""
        self._closed.set()
        if self._exchanges is not None:
            self._exchanges.close()
        self._backend.close()

    def _put(self, part: list[Request], answers: Sequence[Response]) -> tuple[Response, ...]:
        if self._closed.is_set():
            raise ValueError("the back end was closed")
        if self._exchanges is None:
            return tuple(trimmed(a) for a in answers)
        return self._exchanges.put(self.name, list(zip(part, answers, strict=True)))

    def _ask(self, part: list[Request]) -> Sequence[Response]:
        if self._patient:
            return _answers(self._backend, part)
        late = "no answer while the round was trained (--llm.seconds-per-round waits longer)"
        if self._seconds is not None:
            late = f"no answer within the round's {self._seconds:g} seconds"
        while self._busy is not None and self._busy.is_alive():  # with what came too late before
            if not self._wait():
                return [failed(late)] * len(part)
            self._cancel()
            self._busy.join(_TICK)
        if not self._wait():
            return [failed(late)] * len(part)
        answers: queue.SimpleQueue[Sequence[Response] | Awaiting] = queue.SimpleQueue()
        # A thread of its own, and a daemon: nothing that a model does may hold up the run's end.
        self._busy = threading.Thread(
            target=lambda: answers.put(_caught(self._backend, part)), daemon=True
        )
        self._busy.start()
        while self._wait():
            try:
                answer = answers.get(timeout=_TICK)
            except queue.Empty:
                continue
            if isinstance(answer, Awaiting):
                raise answer
            return answer
        there = self._backend.so_far() if isinstance(self._backend, Streaming) else {}
        found = [there.get(r.key, failed(late)) for r in part]
        self._cancel()
        return found

    def _cancel(self) -> None:
        if isinstance(self._backend, Cancellable):
            self._backend.cancel()

    def _wait(self) -> bool:
        """Whether there is time left. Raises ValueError once the run has ended."""
        if self._closed.is_set():
            raise ValueError("the back end was closed")
        return time.monotonic() < self._over


def _caught(backend: Backend, part: list[Request]) -> Sequence[Response] | Awaiting:
    try:
        return _answers(backend, part)
    except Awaiting as waiting:
        return waiting


def _answers(backend: Backend, part: list[Request]) -> Sequence[Response]:
    """What the back end says; one that breaks its promises has failed."""
    try:
        answers = tuple(backend.complete(part))
    except Awaiting:
        raise
    except (Exception, SystemExit) as error:
        first = (str(error).splitlines() or [""])[0]
        return [failed(f"{backend.name}: {type(error).__name__}: {first}")] * len(part)
    if len(answers) != len(part) or not all(isinstance(a, Response) for a in answers):
        return [failed(f"{backend.name}: {len(answers)} answers to {len(part)} requests")] * len(
            part
        )
    return answers
