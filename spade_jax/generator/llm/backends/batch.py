"""Requests in files, answers from files: for batch services, and for whoever answers by hand.

The files are those of OpenAI's batch API, which others (``vllm run-batch``, hosted services) share:
one JSON object a line, tied together by ``custom_id``, here the request's key. A run writes what it
wants to know, stops, and goes on when it is resumed and the answers are there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spade_jax.generator.errors import Awaiting, GeneratorError
from spade_jax.generator.llm.backends.chat import (
    UnusableAnswer,
    body_of,
    one_line,
    read_answer,
    read_complaint,
)
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.records import write_atomic

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["Batch", "read_responses", "request_line"]

_AROUND = 4096  # bytes of a line beside the answer itself


class Batch:
    """Leaves requests in a folder and finds answers there; see ``Backend``.

    Args:
      what: the folder; it is made when there is something to write.
      config: settings; ``config.server.batch_model`` is the model that the requests name.

    Raises:
      GeneratorError: no model is named.
    """

    def __init__(self, what: str, config: LlmConfig) -> None:
        if not config.server.batch_model:
            raise GeneratorError(
                f"batch:{what}: which model shall answer? e.g. --llm.server.batch-model gpt-4.1"
            )
        self.name = f"batch:{what}"
        self._folder = Path(what)
        self._config = config

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """The answers of ``responses*.jsonl``, in order.

        An answer that says that its request failed is one, and has ``finish`` "error"; a request
        without any is written again.

        Raises:
          Awaiting: at least one has no answer yet. Those are in ``requests-ROUND-STAGE.jsonl`` now.
        """
        model = self._config.server.batch_model
        limit = self._config.server.answer_kib * 1024 + _AROUND
        try:
            found, unread = read_responses(self._folder, {r.key for r in requests}, limit)
            if missing := {r.key: r for r in requests if r.key not in found}:
                path = self._write(list(missing.values()))
        except OSError as error:
            where = error.filename or self._folder
            raise Awaiting(f"{self.name}: {where}: {error.strerror or error}") from None
        if missing:
            torn = f" (lines there that cannot be read: {unread})" if unread else ""
            raise Awaiting(
                f"{self.name}: {len(missing)} of {len(requests)} requests have no answer{torn}; "
                f"they are in {path}: let {model} answer them as a batch, put its output into "
                f"{self._folder / 'responses-….jsonl'}, and resume the run"
            )
        return tuple(
            dataclasses.replace(found[r.key], model=found[r.key].model or model) for r in requests
        )

    def close(self) -> None:
        """Nothing is held."""

    def _write(self, requests: Sequence[Request]) -> Path:
        lines = [
            request_line(r, self._config.server.batch_model, self._config) + "\n" for r in requests
        ]
        content = "".join(lines).encode()
        rounds = sorted({_round(r) for r in requests})
        stages = sorted({r.kind for r in requests})
        stem = re.sub("[^A-Za-z0-9+-]", "_", f"requests-{'+'.join(rounds)}-{'+'.join(stages)}")
        path = self._folder / f"{stem[:100]}.jsonl"
        self._folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() != content:  # a second repair, a rest of a batch
            digest = hashlib.sha256(content).hexdigest()[:8]
            path = path.with_name(f"{path.stem}-{digest}.jsonl")
        write_atomic(path, content)
        return path


def request_line(request: Request, model: str, config: LlmConfig) -> str:
    """One line of a batch's input, without its end."""
    return json.dumps(
        {
            "custom_id": request.key,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": body_of(request, model, config),
        }
    )


def read_responses(folder: Path, wanted: set[str], limit: int) -> tuple[dict[str, Response], int]:
    """Answers in ``responses*.jsonl``, the files by name and the lines in order.

    Of several answers to one request the first that did not fail is taken, else the first.

    Args:
      folder: may be absent. wanted: keys; answers to anything else are passed over.
      limit: a line of more bytes is passed over, and not held in memory.

    Returns:
      Key → answer, and how many lines could not be read (torn, no JSON object, too long).

    Raises:
      OSError: a file cannot be read.
    """
    found: dict[str, Response] = {}
    unread = 0
    # Nothing but files: a pipe would never end.
    for path in sorted(p for p in folder.glob("responses*.jsonl") if p.is_file()):
        for line in _lines(path, limit):
            record = _record(line)
            if record is None:
                unread += 1
                continue
            key = record.get("custom_id")
            if not isinstance(key, str) or key not in wanted:
                continue
            if key not in found or found[key].finish == "error":
                answer = _answer(record)
                if key not in found or answer.finish != "error":
                    found[key] = answer
    return found, unread


def _answer(record: dict[str, Any]) -> Response:
    response = record.get("response")
    if record.get("error") or not isinstance(response, dict):
        message, code = read_complaint(record.get("error"))
        return _failed(message or code or "the batch has neither an answer nor an error")
    status, body = response.get("status_code", 200), response.get("body")
    if status != 200:
        return _failed(f"status {status} {read_complaint(body)[0]}")
    try:
        return read_answer(body)
    except UnusableAnswer as error:
        return _failed(str(error))


def _failed(line: str) -> Response:
    return Response("", finish="error", error=f"batch: {one_line(line)}")


def _record(line: bytes | None) -> dict[str, Any] | None:
    try:
        record = json.loads(line.decode("utf-8-sig")) if line is not None else None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _lines(path: Path, limit: int) -> Iterator[bytes | None]:
    """Lines that are not blank; None for one of more than ``limit`` bytes."""
    with open(path, "rb") as file:
        while line := file.readline(limit + 1):
            if len(line) > limit:
                while line and not line.endswith(b"\n"):
                    line = file.readline(1 << 16)
                yield None
            elif line.strip():
                yield line


def _round(request: Request) -> str:
    return request.id.split("-", 1)[0]
