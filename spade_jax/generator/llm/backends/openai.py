"""Any server that speaks OpenAI's chat completions: vLLM, SGLang, llama.cpp, hosted ones.

The transport is httpx2 rather than OpenAI's client, which is built on it: that one reads a whole
answer however large it is, and does not bound the time it takes. Nothing a server does raises: it
becomes a ``Response``.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import math
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm.backends.address import key_of, parse_spec
from spade_jax.generator.llm.backends.chat import (
    UnusableAnswer,
    body_of,
    one_line,
    read_answer,
    read_complaint,
)
from spade_jax.generator.llm.backends.gate import Gate, retry_after
from spade_jax.generator.llm.messages import Request, Response

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["Server"]

_LOCAL = ("127.0.0.1", "localhost", "::1")
_COMPLAINT_BYTES = 1 << 16
_AGAIN = frozenset({408, 409, 425, 429})
# The same for every request: one such answer is the answer to all.
_HOPELESS = frozenset({401, 402, 404, 405})
_LONGEST_BACKOFF = 60.0
# A server that asks for a longer wait is asked again in the next round instead.
_LONGEST_WAIT = 600.0
_CONNECT = 10.0


class _Trouble(Exception):
    """Why there is no answer. ``again``: a further try may help; ``all``: it holds for all."""

    def __init__(self, line: str, *, again: bool = False, all: bool = False, wait: float = 0.0):
        super().__init__(line)
        self.line, self.again, self.all, self.wait = line, again, all, wait


def _httpx() -> Any:
    try:
        import httpx2
    except ImportError:
        raise GeneratorError("openai: needs the package httpx2: pip install httpx2") from None
    return httpx2


class Server:
    """Asks a server; see ``Backend``.

    Args:
      what: ``MODEL@URL``; ``@official`` for OpenAI's own.
      config: settings; ``config.server`` says what the server understands.
      backoff: seconds before the second try, doubled before each further one.

    Raises:
      GeneratorError: ``what`` cannot be used, the key is missing or damaged, httpx2 is missing.
    """

    def __init__(self, what: str, config: LlmConfig, *, backoff: float = 1.0) -> None:
        self.model, self.url = parse_spec(what)
        self.name = f"openai:{what}"
        self._config = config
        self._key = key_of(config, self.url)
        self._httpx = _httpx()
        try:
            self._httpx.URL(self.url)
        except self._httpx.InvalidURL:
            raise GeneratorError(f"openai:{self.model}@…: the URL cannot be read") from None
        self._gate = Gate(config.requests_per_minute, config.parallel)
        self._backoff = backoff
        self._closed = False
        self._stopping = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    def __repr__(self) -> str:
        return f"Server({self.name!r})"

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        """One response a request, in order, within ``config.seconds_per_round`` all together."""
        if self._closed or not requests:
            return tuple(self._failed("closed") for _ in requests)
        self._stopping = False
        # A thread of its own: a notebook's thread has an event loop running already.
        with ThreadPoolExecutor(1, thread_name_prefix="server") as thread:
            future = thread.submit(asyncio.run, self._all(requests))
            try:
                return future.result()
            except Exception as error:  # an unusable proxy or certificate file, for example
                line = f"{type(error).__name__}: {error}"
                return tuple(self._failed(line) for _ in requests)
            except BaseException:  # Ctrl-C: do not wait for a server
                self._stop()
                raise

    def cancel(self) -> None:
        """Give up what is under way; see ``Cancellable``."""
        self._stop()

    def close(self) -> None:
        """Give up what is under way; later requests are not sent."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        self._stopping = True
        if (running := self._running) is not None:
            loop, stop = running
            with contextlib.suppress(RuntimeError):  # it has just ended by itself
                loop.call_soon_threadsafe(stop.set)

    async def _all(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        stop = asyncio.Event()
        self._running = (asyncio.get_running_loop(), stop)
        if self._stopping or self._closed:
            stop.set()
        self._gate.begin()
        self._hopeless: str = ""
        seconds = self._config.seconds_per_round
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds
        httpx = self._httpx
        headers = {
            # Nothing to unpack: a few kilobytes of gzip can hold gigabytes.
            "Accept-Encoding": "identity",
            "User-Agent": "spade_jax",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            async with httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(None, connect=min(_CONNECT, self._config.request_seconds)),
                follow_redirects=False,
                # A proxy is for what is outside.
                mounts={f"all://{_bracketed(host)}": None for host in _LOCAL},
            ) as client:
                tasks = [asyncio.create_task(self._one(client, r)) for r in requests]
                stopped = asyncio.create_task(stop.wait())
                finished: asyncio.Future[Any] = asyncio.gather(*tasks)
                ends: set[asyncio.Future[Any]] = {finished, stopped}
                await asyncio.wait(
                    ends,
                    timeout=seconds,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                late = f"not answered: the {seconds:g} s for all are over" if seconds else ""
                if stop.is_set():
                    late = "closed" if self._closed else "given up"
                for task in [*tasks, stopped]:
                    task.cancel()
                await asyncio.gather(*tasks, stopped, finished, return_exceptions=True)
        finally:
            self._running = None
        return tuple(self._failed(late) if t.cancelled() else t.result() for t in tasks)

    async def _one(self, client: Any, request: Request) -> Response:
        start = time.monotonic()
        trouble = _Trouble("no try was made")
        for attempt in range(self._config.retries + 1):
            if attempt:
                wait = min(self._backoff * 2.0 ** min(attempt - 1, 64), _LONGEST_BACKOFF)
                wait = max(wait * random.uniform(0.75, 1.25), trouble.wait)
                if time.monotonic() + wait >= self._deadline:
                    trouble = _Trouble(f"{trouble.line}; no time for another try")
                    break
                await asyncio.sleep(wait)
            try:
                async with self._gate.passage():
                    if self._hopeless:
                        raise _Trouble(self._hopeless)
                    async with asyncio.timeout(self._config.request_seconds):
                        answer = await self._ask(client, request)
                return dataclasses.replace(answer, seconds=time.monotonic() - start)
            except TimeoutError:
                line = f"no answer within {self._config.request_seconds:g} s"
                trouble = _Trouble(line, again=True)
            except _Trouble as raised:
                trouble = raised
            except (self._httpx.ConnectError, self._httpx.ConnectTimeout) as error:
                trouble = _Trouble(f"cannot connect {error}".strip(), again=True, all=True)
            except self._httpx.HTTPError as error:
                what = str(error) or type(error).__name__
                trouble = _Trouble(f"the connection broke: {what}", again=True)
            except Exception as error:  # whatever else a library makes of a hostile server
                trouble = _Trouble(f"{type(error).__name__}: {error}")
            if trouble.wait >= min(self._deadline - time.monotonic(), _LONGEST_WAIT):
                line = f"{trouble.line}; it asks for {trouble.wait:,.0f} s, there is not so much"
                trouble = _Trouble(line, all=True)
            elif trouble.wait:
                self._gate.pause(trouble.wait)
            if not trouble.again:
                break
        if trouble.all:
            self._hopeless = self._hopeless or trouble.line
        return self._failed(trouble.line, time.monotonic() - start)

    async def _ask(self, client: Any, request: Request) -> Response:
        body = json.dumps(body_of(request, self.model, self._config)).encode()
        async with client.stream(
            "POST",
            f"{self.url}/chat/completions",
            content=body,
            headers={"Content-Type": "application/json"},
        ) as reply:
            if reply.status_code != 200:
                raise await self._complaint(reply)
            limit = self._config.server.answer_kib * 1024
            if _packed(reply):
                raise _Trouble("the answer is compressed, which was not asked for")
            data = await _read(reply, limit)
            if data is None:
                raise _Trouble(f"the answer is larger than {limit:,} bytes; the rest was not read")
        try:
            parsed = json.loads(data)
        except (ValueError, RecursionError):
            raise _Trouble("the answer is not JSON", again=True) from None
        try:
            answer = read_answer(parsed, self._key)
        except UnusableAnswer as error:
            raise _Trouble(str(error)) from None
        return dataclasses.replace(answer, model=answer.model or self.model)

    async def _complaint(self, reply: Any) -> _Trouble:
        status = reply.status_code
        if 300 <= status < 400:
            line = f"{status}: the server redirects, which is not followed (the key would go along)"
            return _Trouble(line, all=True)
        data = b"" if _packed(reply) else await _read(reply, _COMPLAINT_BYTES) or b""
        try:
            message, code = read_complaint(json.loads(data))
        except (ValueError, RecursionError):
            message, code = data.decode(errors="replace"), ""
        line = f"{status} {reply.reason_phrase}: {message}"
        if status == 404 and not self.url.endswith("/v1"):
            line = f"{line} (most servers' URLs end in /v1)"
        if status in (400, 422):
            line = f"{line} (llm.server says what is sent)"
        no_money = code == "insufficient_quota"
        again = (status in _AGAIN or status >= 500) and not no_money
        wait = retry_after(reply.headers.get("retry-after", "")) if again else 0.0
        return _Trouble(line, again=again, all=status in _HOPELESS or no_money, wait=wait)

    def _failed(self, line: str, seconds: float = 0.0) -> Response:
        error = f"{urlsplit(self.url).netloc}: {one_line(line, self._key)}"
        return Response("", model=self.model, seconds=seconds, finish="error", error=error)


async def _read(reply: Any, limit: int) -> bytes | None:
    """The body, as sent; None once it turns out larger than ``limit`` bytes."""
    data = bytearray()
    async for chunk in reply.aiter_raw():
        data += chunk
        if len(data) > limit:
            return None
    return bytes(data)


def _packed(reply: Any) -> bool:
    return reply.headers.get("content-encoding", "identity").lower() != "identity"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
