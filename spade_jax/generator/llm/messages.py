"""What is asked of a language model, what it answers, and who answers.

``Request`` (generator) → ``Backend.complete`` → ``Response``. A request holds all that the answer
depends on, so that its ``key`` names it in the run's journal of exchanges, and a run can be done
again from that journal without the model.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["Backend", "Cancellable", "Message", "Request", "Response", "Sampling", "Streaming"]


@dataclasses.dataclass(frozen=True)
class Message:
    """One turn of a conversation. ``role`` is "system", "user" or "assistant"."""

    role: str
    content: str


@dataclasses.dataclass(frozen=True)
class Sampling:
    """How an answer is drawn.

    Attributes:
      temperature: 0 takes the likeliest token. top_p: share of the probability that is drawn from.
      max_tokens: greatest length of the answer, in the model's tokens.
      seed: of the draw; a server may ignore it.
      stop: texts that end the answer (they are not part of it).
    """

    temperature: float = 0.8
    top_p: float = 0.95
    max_tokens: int = 1200
    seed: int = 0
    stop: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Request:
    """One answer that is wanted.

    Attributes:
      id: unique in the run, ``r<round>-<what>-<index>``; two requests with the same messages and
        different ids are two draws.
      kind: "ideas", "program", "edit" or "repair".
      messages: the conversation so far; the answer is the next turn.
      sampling: how the answer is drawn.
      shape: what the answer must look like, for back ends that can see to it: ``{}`` for free text,
        ``{"program": {}}`` for a program of the language, ``{"hole": {...}}`` for a piece of a
        given program (see ``generator.llm.holes``), ``{"json": SCHEMA}`` for a JSON value. A back
        end may ignore it; whoever asked checks the answer in any case.
    """

    id: str
    kind: str
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    shape: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> str:
        """SHA-256 of everything above, as 64 hexadecimal digits."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class Response:
    """The answer to one request, or why there is none.

    Attributes:
      text: the answer as it came, nothing stripped; "" where there is none.
      model: who answered. revision: hash or version of the weights where it is known, else "".
      prompt_tokens, completion_tokens: as the back end counted them; 0 where it does not say.
      seconds: how long it took; an answer of a batch has its share of the batch.
      finish: "stop", "length" (cut off at ``max_tokens``) or "error".
      error: one line for a person, "" unless ``finish`` is "error".
    """

    text: str
    model: str = ""
    revision: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    finish: str = "stop"
    error: str = ""


class Backend(Protocol):
    """Who answers: a model in a process of its own, a server, a record of earlier answers."""

    name: str
    """What a person wrote to get it, e.g. ``transformers:HuggingFaceTB/SmolLM2-135M-Instruct``."""

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """One response a request, in order.

        Never raises for what a model or a server does: that is a ``Response`` with ``finish``
        "error". May be called from any one thread at a time; ``close`` from another meanwhile.

        Raises:
          spade_jax.generator.Awaiting: the answers come later, by way of a person (batches).
        """
        ...

    def close(self) -> None:
        """End what was started (processes, connections); a second call does nothing."""
        ...


@runtime_checkable
class Streaming(Protocol):
    """A ``Backend`` whose answers are had one by one, so that some are there before the last is."""

    def so_far(self) -> Mapping[str, Response]:
        """What the last ``complete`` has come to, by ``Request.key``.

        May be called from another thread meanwhile.
        """
        ...


@runtime_checkable
class Cancellable(Protocol):
    """A ``Backend`` that can give up what it was asked, and is free for other requests then."""

    def cancel(self) -> None:
        """Have the ``complete`` that is under way end soon; nobody waits for its answers any more.

        Does not wait itself, and does nothing where none is under way. May be called from another
        thread, and more than once.
        """
        ...
