"""Chat completions as servers and batches speak them: a request's body, an answer's text.

What comes back is not trusted: it may have any shape and hold anything, the key included.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from envs_dsl.language.grammar import grammar
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.generator.llm.prompt.idea import IDEAS_SCHEMA

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["UnusableAnswer", "body_of", "hide", "one_line", "read_answer", "read_complaint"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_LINE = 200
# Shorter "keys" are the EMPTY and none of local servers: words, not secrets.
_SHORTEST_SECRET = 8


class UnusableAnswer(ValueError):
    """JSON that is no chat completion; one line."""


def body_of(request: Request, model: str, config: LlmConfig) -> dict[str, Any]:
    """The JSON body that asks for one answer, without ``config.server.leave_out``."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": m.role, "content": _storable(m.content)} for m in request.messages],
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        config.server.length_field: sampling.max_tokens + config.server.reasoning_tokens,
        "seed": sampling.seed % (1 << 31),  # some servers take 32 bits, signed
    }
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    body |= _structure(request, config)
    return {k: v for k, v in body.items() if k not in config.server.leave_out}


def _structure(request: Request, config: LlmConfig) -> dict[str, Any]:
    """What holds the answer to its shape, in the words of the server."""
    shape = request.shape
    if config.server.structured == "off":
        return {}
    if "json" in shape or request.kind == "ideas":
        schema = {"name": "answer", "schema": shape.get("json", IDEAS_SCHEMA)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if "program" not in shape or config.constrain == "off":
        return {}
    match config.server.structured:
        case "llama.cpp":
            return {"grammar": _gbnf()}
        case "vllm":
            return {"structured_outputs": {"grammar": _gbnf()}}
        case "vllm-0.11":
            return {"guided_grammar": _gbnf()}
        case "sglang":
            return {"ebnf": _gbnf()}
    return {}


@functools.cache
def _gbnf() -> str:
    return grammar("gbnf")


def read_answer(body: Any, secret: str = "") -> Response:
    """The first choice of a chat completion.

    Args:
      body: any JSON value. secret: a key, which is cut out wherever it was echoed.

    Raises:
      UnusableAnswer: no chat completion, or one without a text.
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
    except (TypeError, LookupError):
        raise UnusableAnswer("no choices[0].message in the answer") from None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise UnusableAnswer("choices[0].message is not an object")
    text = _text(message.get("content"))
    if text is None:
        refusal = message.get("refusal")
        why = f": {refusal}" if isinstance(refusal, str) else ""
        raise UnusableAnswer(hide(f"the answer has no text{why}", secret))
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    if choice.get("finish_reason") == "content_filter":
        raise UnusableAnswer("the server's filter cut the answer off")
    return Response(
        text=hide(_storable(text), secret),
        model=_name(body.get("model"), secret),
        revision=_name(body.get("system_fingerprint"), secret),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        finish="length" if choice.get("finish_reason") == "length" else "stop",
    )


def read_complaint(body: Any) -> tuple[str, str]:
    """(message, code) of an error body in any of the usual forms; "" where there is none."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail") or ""
        code = error.get("code") or error.get("type") or ""
    else:
        message, code = error, ""
    if isinstance(message, list | dict):  # FastAPI's list of what is wrong with the body
        message = str(message)[: 4 * _LONGEST_LINE]
    return (message if isinstance(message, str) else "", code if isinstance(code, str) else "")


def one_line(text: str, secret: str = "") -> str:
    """Fit for a terminal and a journal: the key hidden, one printable line, not long."""
    text = hide(text, secret)[: 64 * _LONGEST_LINE]
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} …"


def hide(text: str, secret: str) -> str:
    """The text without the key."""
    return text.replace(secret, "[key]") if len(secret) >= _SHORTEST_SECRET else text


def _text(content: Any) -> str | None:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts, of which the texts are what we asked for
        parts = [
            p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str)
        ]
        return "".join(parts) if parts else None
    return None


def _storable(text: str) -> str:
    """JSON can hold half of a surrogate pair, UTF-8 files cannot."""
    return _SURROGATE.sub("\ufffd", text)


def _name(value: Any, secret: str) -> str:
    return one_line(value, secret) if isinstance(value, str) else ""


def _count(value: Any) -> int:
    usable = isinstance(value, int) and not isinstance(value, bool)
    return value if usable and 0 <= value < 1 << 53 else 0
