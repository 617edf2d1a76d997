"""What was answered to the requests of a folder: by hand, a file each, or by a batch service."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from envs_dsl.language.normalise import normalise
from spade_jax.collecting.folder import Folder
from spade_jax.generator.llm.backends.batch import read_responses
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.generator.llm.prompt import Idea, parse_ideas

__all__ = ["MOST_ATTEMPTS", "Answer", "Answers", "brief_of", "program_in"]

MOST_ATTEMPTS = 4
"""The program as first written, and three repairs."""
_MOST_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True)
class Answer:
    """One text that may hold a program.

    Attributes:
      raw: as it came. source: the program in it, mended where that is unambiguous.
      response: who answered and what it took; of an answer by hand only the text.
      mends: how many notices the normaliser gave.
    """

    raw: str
    source: str
    response: Response
    mends: int

    @property
    def sha256(self) -> str:
        """Of the text as it came."""
        return hashlib.sha256(self.raw.encode()).hexdigest()


class Answers:
    """Reads the answers of a folder.

    By hand: ``answers/NAME.md`` holds an idea in the form that is asked for and then the program in
    a fence; ``answers/NAME.2.md`` and so on the mended programs, in fences. By batch:
    ``responses*.jsonl``, by the requests' keys. A file by hand goes before a batch's answer.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def idea(self, index: int, request: Request) -> Idea | None:
        """The first idea that was answered; None where there is no answer yet."""
        text = self._by_hand(index, 1)
        if text is not None:
            text = text.partition("```")[0]
        else:
            response = self._by_batch(request)
            text = None if response is None else response.text
        found = parse_ideas(text or "")
        return found[0] if found else None

    def program(self, index: int, attempt: int, request: Request) -> Answer | None:
        """The answer to the request for a program (``attempt`` 1) or for a mended one."""
        text = self._by_hand(index, attempt)
        response = Response(text) if text is not None else self._by_batch(request)
        if response is None or response.finish == "error":
            return None
        source, mends = program_in(response.text)
        return Answer(response.text, source, response, mends)

    def _by_hand(self, index: int, attempt: int) -> str | None:
        ending = "" if attempt == 1 else f".{attempt}"
        file = self._folder.path / "answers" / f"{self._folder.name(index)}{ending}.md"
        if not file.is_file():
            return None
        with file.open("rb") as handle:
            return handle.read(_MOST_BYTES).decode("utf-8", "replace")

    def _by_batch(self, request: Request) -> Response | None:
        found, _ = read_responses(self._folder.path, {request.key}, _MOST_BYTES)
        return found.get(request.key)


def program_in(text: str) -> tuple[str, int]:
    """The program of an answer and how many mends it took: what is in the last fence, or all."""
    fences = re.findall(r"```[A-Za-z]*[ \t]*\n(.*?)(?:\n```|$)", text, re.DOTALL)
    source = (fences[-1] if fences else text).strip("\n") + "\n"
    mended = normalise(source)
    return mended.text, len(mended.notices)


def brief_of(response: Response) -> Mapping[str, Any]:
    """What a receipt keeps of how an answer was given."""
    return {
        "prompt_tokens": response.prompt_tokens,
        "completion_tokens": response.completion_tokens,
        "seconds": response.seconds,
    }
