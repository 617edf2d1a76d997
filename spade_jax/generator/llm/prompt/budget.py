"""Making a prompt fit: which part gives way first, in an order that is written down."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence

from spade_jax.generator.llm.messages import Message

__all__ = ["Count", "Part", "TooLong", "estimate", "fit", "tokens_of"]

Count = Callable[[str], int]
"""Text → its number of tokens."""

_OVERHEAD = 8
"""Tokens that a chat template spends on the marks of one message."""


class TooLong(ValueError):
    """What must be quoted whole does not fit into the budget; one line, for a person."""


_PIECE = re.compile(r"[0-9]| ?[A-Z]?[a-z]{1,7}| ?[A-Z]{1,3}| ?[!-/:-@\[-`{-~]{1,2}|\n *|\s+")
_MARGIN = 1.07  # no bundled program is more to the tokenizer of SmolLM2, which has few tokens


def estimate(text: str) -> int:
    """Tokens of ``text``, rather too many than too few.

    Counted are the pieces that a byte-pair encoder starts from, long words as several, with a
    margin, and each byte of signs outside ASCII. (Characters divided by three are too few for
    programs: digits, brackets and indentation cost a token each.)
    """
    other = (
        0 if text.isascii() else sum(len(c.encode("utf-8", "replace")) for c in text if c > "\x7f")
    )
    return math.ceil(_MARGIN * len(_PIECE.findall(text))) + other


def tokens_of(messages: Sequence[Message], count: Count = estimate) -> int:
    """Tokens of a conversation, with what its template adds."""
    return sum(count(m.content) + _OVERHEAD for m in messages)


@dataclasses.dataclass(frozen=True)
class Part:
    """One module of a prompt.

    Attributes:
      name: of the module.
      forms: its text, from the fullest form to the shortest; "" where it may be left out.
    """

    name: str
    forms: tuple[str, ...]


def fit(
    parts: Sequence[Part],
    order: Sequence[tuple[str, int]],
    budget: int,
    tokens: Callable[[Mapping[str, str]], int],
) -> dict[str, int]:
    """Which form each part takes: part → index into its forms.

    ``order`` names the part that gives way first and how many shorter forms it keeps, then the
    next. When everything fits, what gave way is given back as far as there is room, the last first.

    Args:
      parts: the modules. order: (part, shorter forms kept), the same part several times.
      budget: the most tokens. tokens: those of a whole prompt, given part → text.

    Raises:
      TooLong: it does not fit even when all of ``order`` has given way.
    """
    forms = {part.name: part.forms for part in parts}
    chosen = dict.fromkeys(forms, 0)

    def size(trial: Mapping[str, int]) -> int:
        return tokens({name: forms[name][index] for name, index in trial.items()})

    gave: list[str] = []
    for name, kept in order:
        while name in forms and chosen[name] < len(forms[name]) - 1 - kept:
            if size(chosen) <= budget:
                break
            chosen[name] += 1
            gave.append(name)
    if (least := size(chosen)) > budget:
        raise TooLong(f"the prompt needs {least} tokens at least, the budget is {budget}")
    for name in reversed(gave):
        trial = {**chosen, name: chosen[name] - 1}
        if size(trial) <= budget:
            chosen = trial
    return chosen
