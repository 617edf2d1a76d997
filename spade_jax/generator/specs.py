"""What a person writes to get a generator, taken apart: names, prefixes, and ``a+b``."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from spade_jax.errors import nearest
from spade_jax.generator.errors import GeneratorError
from spade_jax.own_class import is_own_class

__all__ = ["EXAMPLES", "PREFIXES", "asks_a_model", "own_classes", "parts_of", "unknown"]

EXAMPLES: Mapping[str, str] = {
    "evolve": "evolve",
    "corpus": "corpus",
    "none": "none",
    "llm": "llm:transformers:HuggingFaceTB/SmolLM2-135M-Instruct",
    "batch": "batch:FOLDER",
    "recorded": "recorded:RUN-FOLDER",
}
"""Kinds of generators, each with an example; ``module:Class`` works besides."""

PREFIXES = ("llm", "batch", "recorded")
"""Kinds that need something after a colon."""


def parts_of(spec: str, names: Collection[str]) -> tuple[str, ...]:
    """The generators of ``a+b``. A plus inside a path, an address or a model's name splits nothing.

    Args:
      spec: as it was written. names: of the generators that are a bare word.

    Raises:
      GeneratorError: there is nothing before or after a plus.
    """
    found: list[str] = []
    for piece in spec.split("+"):
        begins = piece in names or piece.partition(":")[0] in PREFIXES or is_own_class(piece)
        before = found[-1].partition(":")[0] if found else ""
        # What follows `llm:…` and is no generator belongs to it; after a bare word it is a typo.
        if found and not begins and before in PREFIXES and found[-1] != before:
            found[-1] += f"+{piece}"
        else:
            found.append(piece)
    if any(not part.strip() for part in found):
        raise GeneratorError(f"generator {spec!r}: a name is missing beside a +")
    return tuple(found)


def asks_a_model(spec: str) -> bool:
    """Whether a model's answers are needed, from itself or from a record, for these generators."""
    return any(piece.partition(":")[0] in PREFIXES for piece in spec.split("+"))


def own_classes(spec: str) -> tuple[str, ...]:
    """The generators among these that are a person's own, ``module:Class``."""
    pieces = [piece for piece in spec.split("+") if piece.partition(":")[0] not in PREFIXES]
    return tuple(filter(is_own_class, pieces))


def unknown(name: str, names: Collection[str]) -> GeneratorError:
    """The error for a generator that does not exist: the nearest one, with an example of it."""
    kind = name.partition(":")[0]
    guess = nearest(kind, {*names, *PREFIXES})
    if guess is None:
        known = ", ".join(sorted(EXAMPLES[k] if k in PREFIXES else k for k in {*names, *PREFIXES}))
        return GeneratorError(f"unknown generator {name!r}; known: {known}, module:Class")
    hint = f" (e.g. {EXAMPLES[guess]})" if guess in PREFIXES else ""
    return GeneratorError(f"unknown generator {name!r}; did you mean {guess!r}{hint}?")
