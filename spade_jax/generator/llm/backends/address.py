"""Which server, which model, which key: what a person wrote, and what the environment holds."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm.backends.chat import one_line

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["OFFICIAL", "key_of", "parse_spec"]

OFFICIAL = "https://api.openai.com/v1"
"""What ``@official`` stands for: prompts and key go there only if somebody wrote so."""

_EXAMPLE = "openai:MODEL@http://127.0.0.1:8000/v1"
_SPEC = re.compile(r"(?P<model>.+?)@(?P<url>https?://.*|official)", re.DOTALL)


def parse_spec(what: str) -> tuple[str, str]:
    """``MODEL@URL`` → (model, base URL without a slash at its end).

    Raises:
      GeneratorError: no model, no URL, or a URL that would carry a secret into the run's records.
    """
    found = _SPEC.fullmatch(what)
    if found is None:
        # Of what comes after an @ nothing is repeated, here and below: it may hold a password.
        model, at, _ = what.partition("@")
        raise GeneratorError(
            f"openai:{one_line(model)}{'@…' if at else ''}: which server? Write {_EXAMPLE}, or "
            f"openai:MODEL@official for {OFFICIAL}"
        )
    model, url = found["model"], OFFICIAL if found["url"] == "official" else found["url"]
    if problem := _problem(url):
        raise GeneratorError(f"openai:{one_line(model)}@…: {problem}, e.g. {_EXAMPLE}")
    return model, url.rstrip("/").removesuffix("/chat/completions")


def _problem(url: str) -> str:
    if not url.isprintable() or " " in url:
        return "the URL has a blank or a control character in it"
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is none
    except ValueError:
        return "the URL cannot be read"
    if not parts.hostname:
        return "the URL has no host"
    if parts.username is not None or parts.password is not None:
        return "no user or password in the URL (it is written to the run's records)"
    if parts.query or parts.fragment:
        return "no ? and no # in the URL (it is written to the run's records)"
    return ""


def key_of(config: LlmConfig, url: str) -> str:
    """The key from the environment, "" where there is none and none is needed."""
    variable = config.server.key_variable
    key = os.environ.get(variable, "").strip() if variable else ""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise GeneratorError(f"{variable} holds a character that no key has (it is not shown here)")
    if not key and url == OFFICIAL:
        raise GeneratorError(
            f"{OFFICIAL} needs a key: put it into the environment as {variable or 'OPENAI_API_KEY'}"
        )
    return key
