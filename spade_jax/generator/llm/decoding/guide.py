"""Scripts as masks over a model's tokens.

llguidance says which tokens a grammar lets come next. Its masks are unpacked with NumPy: its torch
kernel is compiled on first use, which takes up to half a minute and a C++ compiler.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from spade_jax.generator.llm.decoding.script import Script

__all__ = ["Guide", "Step", "Vocabulary", "byte_vocabulary"]

Step = Literal["go", "again", "end"]

MOST_GRAMMARS = 256
"""Compiled grammars that are kept: a batch meets the same line again and again."""


class Vocabulary:
    """A model's tokens as llguidance knows them, with the grammars that were compiled for them.

    Args:
      tokens: an ``llguidance.LLTokenizer``. decode: token numbers → text.
      ends: tokens by which the model may end its answer.
    """

    def __init__(
        self, tokens: Any, decode: Callable[[list[int]], bytes], ends: frozenset[int]
    ) -> None:
        self.tokens = tokens
        self.decode = decode
        self.ends = ends
        self.size = int(tokens.vocab_size)
        self._compiled: collections.OrderedDict[tuple[str, bool], Any] = collections.OrderedDict()

    def matcher(self, grammar: str, *, json: bool = False) -> Any:
        """A fresh matcher.

        Raises:
          ValueError: llguidance does not take the grammar.
        """
        import llguidance

        key = (grammar, json)
        found = self._compiled.get(key)
        if found is None:
            to_text = llguidance.LLMatcher
            text = to_text.grammar_from_json_schema(grammar) if json else None
            found = to_text(self.tokens, text or to_text.grammar_from_lark(grammar))
            if found.get_error():
                raise ValueError(f"the grammar was refused: {found.get_error()}")
            self._compiled[key] = found
            if len(self._compiled) > MOST_GRAMMARS:
                self._compiled.popitem(last=False)
        else:
            self._compiled.move_to_end(key)
        return found.deep_copy()

    def mask(self, matcher: Any) -> np.ndarray:
        """bool[size]: the tokens that may come next."""
        packed = np.frombuffer(matcher.compute_bitmask(), np.uint8)
        return np.unpackbits(packed, bitorder="little")[: self.size].astype(bool)


def byte_vocabulary() -> Vocabulary:
    """One token a byte, and one more that ends: for tests, and for whoever has no model."""
    import llguidance

    tokens = llguidance.LLTokenizer("byte")
    ends = frozenset({int(tokens.eos_token)})
    return Vocabulary(tokens, lambda ids: bytes(i for i in ids if i < 256), ends)


class Guide:
    """One answer under a script: ``mask``, draw a token, ``push`` it, until that says "end".

    "again" from ``push`` means that the piece was refused: the ``dropped`` last tokens that were
    pushed, this one among them, are no part of the answer, and the next mask is that of the place
    where the piece began.
    """

    def __init__(self, vocabulary: Vocabulary, script: Script) -> None:
        self.vocabulary = vocabulary
        self.script = script
        self.dropped = 0
        self.refused = 0
        self.gave_up = False
        """Whether it ended because nothing that was written would do."""
        self._piece: list[int] = []
        self._matcher: Any = None
        self._may_end = False
        self._longest = 0
        self._ended = False
        self._open()

    @property
    def text(self) -> str:
        """The finished pieces."""
        return self.script.text

    @property
    def at_start(self) -> bool:
        """Whether the next token begins a piece."""
        return not self._piece

    @property
    def ended(self) -> bool:
        return self._ended

    def mask(self) -> np.ndarray:
        """bool[size]: the tokens that may come next; those that end are among them where it may."""
        found = self.vocabulary.mask(self._matcher)
        ends = list(self.vocabulary.ends)
        found[ends] = self._may_end and self.at_start
        return found

    def push(self, token: int) -> Step:
        """Take the token that was drawn."""
        if token in self.vocabulary.ends:
            self.script.wants_end()
            self.dropped = 1
            return self._open() or "again"
        self._matcher.consume_token(token)
        self._piece.append(token)
        whole = self._matcher.is_stopped() or self._only_end()
        text = self.vocabulary.decode(self._piece).decode("utf-8", "replace")
        if not whole and len(text) < self._longest:
            return "go"
        if whole and self.script.offer(text):
            self._piece = []
            return self._open() or "go"
        self.refused += 1
        self.dropped = len(self._piece)
        self._piece = []
        if not self.script.stuck():
            self._ended = self.gave_up = True
            return "end"
        return self._open() or "again"

    def hurry(self) -> None:
        """There is little room left: the script is to come to its end.

        May be said before each piece: a program comes to the end of one function after the other.
        """
        if self.at_start and not self._ended:
            self.script.wants_end()
            self._open()

    def _only_end(self) -> bool:
        """Whether the piece is whole: the grammar accepts and nothing but the end may follow."""
        if not self._matcher.is_accepting():
            return False
        mask = self.vocabulary.mask(self._matcher)
        mask[list(self.vocabulary.ends)] = False
        return not mask.any()

    def _open(self) -> Step | None:
        """Begin the next piece; "end" where there is none."""
        piece = self.script.step()
        if not piece.grammar:
            self._ended = True
            return "end"
        self._matcher = self.vocabulary.matcher(piece.grammar, json=piece.json)
        self._may_end, self._longest = piece.may_end, piece.longest
        return None
