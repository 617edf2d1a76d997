"""Programs that a capable language model wrote beforehand: a generator that needs no model at all.

``programs/`` holds their texts, ``receipts.jsonl`` where each came from and what the executor found
in it; ``rejected/`` and ``rejected.jsonl`` hold those that did not pass. ``python -m
experiments.corpus`` makes requests, takes answers in, and examines all of it again.
"""

from spade_jax.generator.corpus.collection import (
    CorpusError,
    Entry,
    entries,
    entry_of,
    read_receipts,
    rejected,
)
from spade_jax.generator.corpus.propose import Corpus
from spade_jax.generator.corpus.variants import DECLARED, DIFFICULTIES, at_difficulty

__all__ = [
    "DECLARED",
    "DIFFICULTIES",
    "Corpus",
    "CorpusError",
    "Entry",
    "at_difficulty",
    "entries",
    "entry_of",
    "read_receipts",
    "rejected",
]
