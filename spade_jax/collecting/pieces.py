"""The requests of a folder, each with its idea and all the answers it got."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spade_jax.collecting.answers import MOST_ATTEMPTS, Answer, Answers
from spade_jax.collecting.folder import Folder
from spade_jax.collecting.verdicts import digest
from spade_jax.generator.llm.messages import Request
from spade_jax.generator.llm.prompt import Idea

__all__ = ["Piece", "pieces"]


@dataclasses.dataclass(frozen=True)
class Piece:
    """One request with its idea and all answers so far.

    Attributes:
      index, name: of the request. idea: of the program. answers: texts, oldest first.
      receipts: of the prompt of each answer; the first is that of the program. asked: of the ideas.
    """

    index: int
    name: str
    idea: Idea
    asked: Mapping[str, Any]
    answers: tuple[Answer, ...]
    receipts: tuple[Mapping[str, Any], ...]


def pieces(
    folder: Folder, reasons: Mapping[str, Mapping[str, Any]], open_requests: list[Request]
) -> list[Piece]:
    """Every request that has an idea, with its answers in turn.

    Args:
      folder: of the requests. reasons: what was found of earlier answers, by the hash of their
        program: a repair is asked for with it. open_requests: program requests without an answer
        are added to it.
    """
    answers = Answers(folder)
    found = []
    for i in range(folder.n):
        request, asked = folder.ideas_request(i)
        idea = answers.idea(i, request)
        if idea is None:
            continue
        request, receipt = folder.program_request(i, idea)
        texts: list[Answer] = []
        receipts = []
        while len(texts) < MOST_ATTEMPTS:
            answer = answers.program(i, len(texts) + 1, request)
            if answer is None:
                break
            texts.append(answer)
            receipts.append(receipt)
            known = reasons.get(digest(answer.source))
            if known is None or known["reason"] == "ok":
                if answers.program(i, len(texts) + 1, request) is None:
                    break
                known = known or {"reason": "", "error": "", "diagnostics": ()}
            request, receipt = folder.repair_request(
                i, len(texts), answer.source, known["diagnostics"], known["error"], known["reason"]
            )
        if not texts:
            open_requests.append(request)
        found.append(Piece(i, folder.name(i), idea, asked, tuple(texts), tuple(receipts)))
    return found
