"""One answer of a local model, as it is written token by token."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spade_jax.generator.llm.decoding.guide import Guide
from spade_jax.generator.llm.decoding.sampling import draw
from spade_jax.generator.llm.messages import Request

__all__ = ["Answer", "named"]

HOTTER = 0.15
"""Added to the temperature for each refusal in a row: the same piece would come again."""


class Answer:
    """What has been written so far, and what comes next.

    Args:
      index: of the request in its batch. prompt: its tokens.
      guide: what the answer is held to, None for free text.
      ends: tokens that end the answer, fences among them where it is code alone.
      decode: tokens → text, for free text.
      error: why there is no answer, "" where there may be one.

    Attributes:
      finish: "" while it is being written, then "stop", "length" or "error".
      used: tokens drawn. seconds: its share of the time of its batch.
      told: whether somebody has been told of it.
    """

    def __init__(
        self,
        index: int,
        request: Request,
        prompt: list[int],
        guide: Guide | None,
        *,
        ends: frozenset[int] = frozenset(),
        decode: Callable[[list[int]], str] = lambda _: "",
        error: str = "",
    ) -> None:
        self.index, self.request, self.prompt = index, request, prompt
        self.error = error
        self.finish = "error" if error else ""
        self.used = 0
        self.seconds = 0.0
        self.told = False
        self._guide, self._ends, self._decode = guide, ends, decode
        self._rng = np.random.default_rng(request.sampling.seed)
        self._tokens: list[int] = []
        self._cut = -1
        self._start: np.ndarray | None = None
        self._slots: list[int] = []
        self._dropped: list[int] = []
        self._refusals = 0

    @property
    def done(self) -> bool:
        return bool(self.finish)

    @property
    def text(self) -> str:
        if self.error:
            return ""
        if self._guide is not None:
            return self._guide.text
        text = self._decode(self._tokens)
        return text if self._cut < 0 else text[: self._cut]

    def fail(self, why: str) -> None:
        self.error, self.finish = why, "error"

    def follow(self, scores: np.ndarray) -> int:
        """The token to feed to the model; once the answer has ended, one that nobody looks at.

        Whatever goes wrong is the end of this answer alone.

        Args:
          scores: float32[V], the model's for the next token.
        """
        try:
            if self.used >= self.request.sampling.max_tokens:
                self.finish = "length"
                return 0
            if self._guide is None:
                return self._free(scores)
            return self._guided(scores, self._guide)
        except Exception as error:  # of a checker, a grammar, a tokenizer
            self.fail(named(error))
            return 0

    def fed(self, slot: int) -> None:
        """The last token now stands in that slot of the cache."""
        if self._guide is not None and not self._guide.at_start:
            self._slots.append(slot)

    def forget(self) -> list[int]:
        """Slots of refused tokens."""
        found, self._dropped = self._dropped, []
        return found

    def _guided(self, scores: np.ndarray, guide: Guide) -> int:
        sampling = self.request.sampling
        if guide.at_start:
            self._start = scores.copy()
            if self.used + guide.script.reserve >= sampling.max_tokens:
                guide.hurry()
        while True:
            heat = sampling.temperature + HOTTER * self._refusals
            try:
                token = draw(scores, self._rng, heat, sampling.top_p, guide.mask())
            except ValueError:
                self.finish = "length"
                return 0
            status = guide.push(token)
            if status == "end":
                self.used += 1
                self.finish = "length" if guide.gave_up else "stop"
                return token
            if status == "again":
                if token not in self._ends:
                    self._refusals += 1
                    self.used += 1
                self._dropped += self._slots
                self._slots = []
                assert self._start is not None
                scores = self._start
                continue
            self.used += 1
            if guide.at_start:
                self._slots, self._refusals = [], 0
            return token

    def _free(self, scores: np.ndarray) -> int:
        sampling = self.request.sampling
        token = draw(scores, self._rng, sampling.temperature, sampling.top_p)
        self.used += 1
        if token in self._ends:
            self.finish = "stop"
            return token
        self._tokens.append(token)
        if sampling.stop:
            text = self._decode(self._tokens)
            cuts = [at for word in sampling.stop if (at := text.find(word)) >= 0]
            if cuts:
                self._cut, self.finish = min(cuts), "stop"
        return token


def named(error: Exception) -> str:
    """One line about whatever a library raised."""
    line = " ".join(str(error).split())[:200]
    return line if isinstance(error, ValueError) and line else f"{type(error).__name__}: {line}"
