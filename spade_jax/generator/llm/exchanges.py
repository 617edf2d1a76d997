"""The journal of what was asked of a model and what it answered: ``exchanges.jsonl`` of a run.

Every answer is written down, durably, before anything depends on it, failures and time-outs too: a
resumed or replayed run reads them back and asks nobody. The file is never cut back. Three kinds of
lines: ``{"generator": SPEC}`` (the first), ``{"text": HASH, "content": …}`` (a message, once), and
``{"backend": …, "key": …, "request": …, "response": …}``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spade_jax.generator.llm.messages import Message, Request, Response, Sampling
from spade_jax.records import Journal, RecordError, iterate_jsonl

__all__ = [
    "FILE",
    "MOST_TEXT",
    "Exchanges",
    "read_exchanges",
    "read_requests",
    "recorded_spec",
]

FILE = "exchanges.jsonl"

MOST_TEXT = 1 << 18
"""Characters of an answer that are kept: twenty times the longest program, and prose."""

_Key = tuple[str, str]


class Exchanges:
    """Answers by (back end, ``Request.key``), written once and read back. Threads may share it."""

    def __init__(self, path: Path | str, spec: str = "") -> None:
        """Open or create; a torn last line is cut off.

        Args:
          path: the file. spec: what a person wrote to get the generator; kept for ``recorded:``.

        Raises:
          RecordError: a line is no exchange (named by its number).
        """
        self._lock = threading.Lock()
        self._closed = False
        self._journal = Journal(path)
        try:
            self._known, self._texts = _read(Path(path)) if self._journal.offset else ({}, set())
        except RecordError:
            self._journal.close()
            raise
        if not self._journal.offset:
            self._journal.write({"generator": spec})

    def __len__(self) -> int:
        return len(self._known)

    def get(self, backend: str, request: Request) -> Response | None:
        """The recorded answer to exactly this request, or None."""
        return self._known.get((backend, request.key))

    def put(self, backend: str, pairs: Sequence[tuple[Request, Response]]) -> tuple[Response, ...]:
        """Record answers, durably, before anything depends on them.

        Returns:
          The answers to go on with: cut to ``MOST_TEXT``, and where there was one recorded already,
          that one.

        Raises:
          ValueError: the journal is closed: the run ended while the answer was on its way.
        """
        with self._lock:
            if self._closed:
                raise ValueError("the journal of exchanges is closed")
            for request, response in pairs:
                key = (backend, request.key)
                if key not in self._known:
                    kept = trimmed(response)
                    self._journal.write(
                        {
                            "backend": backend,
                            "key": request.key,
                            "request": self._request(request),
                            "response": dataclasses.asdict(kept),
                        }
                    )
                    self._known[key] = kept
            self._journal.sync()
            return tuple(self._known[backend, request.key] for request, _ in pairs)

    def close(self) -> None:
        """Close the file; nothing can be recorded afterwards."""
        with self._lock:
            self._closed = True
            self._journal.close()

    def _request(self, request: Request) -> dict[str, Any]:
        """The request as JSON values; what requests have in common is written once."""
        shape = json.dumps(request.shape, sort_keys=True) if request.shape else ""
        return {
            "id": request.id,
            "kind": request.kind,
            "messages": [[m.role, self._text(m.content)] for m in request.messages],
            "sampling": dataclasses.asdict(request.sampling),
            "shape": self._text(shape) if len(shape) > 64 else shape,
        }

    def _text(self, content: str) -> str:
        name = hashlib.sha256(content.encode()).hexdigest()[:16]
        if name not in self._texts:
            self._journal.write({"text": name, "content": content})
            self._texts.add(name)
        return name


def trimmed(response: Response) -> Response:
    """The answer as it may be kept: not too long, and text that can be written."""
    changes: dict[str, Any] = {}
    text = response.text
    if len(text) > MOST_TEXT:
        text, changes["finish"] = text[:MOST_TEXT], "length"
    changes["text"] = text.encode("utf-8", errors="replace").decode()  # no lone surrogates
    return dataclasses.replace(response, **changes)


def read_exchanges(path: Path | str) -> Mapping[_Key, Response]:
    """All answers of a journal, by (back end, key).

    Raises:
      FileNotFoundError: there is no such file.
      RecordError: a line is no exchange (named by its number).
    """
    return _read(Path(path))[0]


def read_requests(
    path: Path | str, backend: str, keys: Collection[str] | None = None
) -> dict[str, tuple[Request, Response]]:
    """What was asked of a back end, with its answers, by key: of those keys that are there, or all.

    Raises:
      FileNotFoundError: there is no such file.
      RecordError: a line is no exchange (named by its number).
    """
    texts: dict[str, str] = {}
    found: dict[str, tuple[Request, Response]] = {}
    for number, record in _lines(Path(path)):
        if isinstance(record.get("text"), str):
            texts[record["text"]] = str(record.get("content", ""))
        elif record.get("backend") == backend and (keys is None or record.get("key") in keys):
            try:
                request = _request(record["request"], texts)
                found.setdefault(record["key"], (request, _response(record["response"])))
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                what = f"{type(error).__name__}: {error}"
                raise RecordError(f"{path}, line {number}: not an exchange ({what})") from None
    return found


def recorded_spec(path: Path | str) -> str:
    """The generator that the exchanges of a journal were made for.

    Raises:
      FileNotFoundError: there is no such file.
      RecordError: its first line does not say so.
    """
    first: Mapping[str, Any] = next(_lines(Path(path)), (1, {}))[1]
    if not isinstance(spec := first.get("generator"), str) or not spec:
        raise RecordError(f"{path}, line 1: it does not say which generator was recorded")
    return spec


def _read(path: Path) -> tuple[dict[_Key, Response], set[str]]:
    known: dict[_Key, Response] = {}
    texts: set[str] = set()
    for number, record in _lines(path):
        if isinstance(record.get("text"), str):
            texts.add(record["text"])
        elif "generator" not in record:
            try:
                key = (str(record["backend"]), str(record["key"]))
                known.setdefault(key, _response(record["response"]))
            except (KeyError, TypeError, ValueError) as error:
                what = f"{type(error).__name__}: {error}"
                raise RecordError(f"{path}, line {number}: not an exchange ({what})") from None
    return known, texts


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    return enumerate(iterate_jsonl(path), start=1)


def _request(record: Mapping[str, Any], texts: Mapping[str, str]) -> Request:
    """The other way round than ``Exchanges._request``."""
    sampling = {**record["sampling"], "stop": tuple(record["sampling"]["stop"])}
    shape = texts.get(record["shape"], record["shape"])
    messages = tuple(Message(role, texts[text]) for role, text in record["messages"])
    shape = json.loads(shape) if shape else {}
    return Request(record["id"], record["kind"], messages, Sampling(**sampling), shape)


def _response(record: Mapping[str, Any]) -> Response:
    response = Response(**record)
    for field in dataclasses.fields(Response):
        value, default = getattr(response, field.name), field.default
        wanted = str if field.name == "text" else type(default)
        if not isinstance(value, (int, float) if wanted is float else wanted):
            raise TypeError(f"{field.name} is {type(value).__name__}")
    if response.finish not in ("stop", "length", "error"):
        raise ValueError(f"finish is {response.finish!r}")
    return response
