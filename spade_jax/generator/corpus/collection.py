"""The bundled collection as records. Nothing is parsed or played to read it."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import json
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any

from spade_jax.errors import UserError
from spade_jax.generator.corpus.variants import DECLARED
from spade_jax.types import PoolView

__all__ = ["CorpusError", "Entry", "entries", "entry_of", "read_receipts", "rejected"]


class CorpusError(UserError, ValueError):
    """A receipt or a text of the collection is missing or damaged; one line, for a person."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One program of the collection and what is known of it.

    Attributes:
      name: of its file. source: its text. theme: what it was asked to be about.
      skills: as its play verified them (the declared ones where none was).
      program_hash, skeleton_hash, behaviour_hash: its identities.
      features: behaviour descriptor (``envs_dsl.behaviour``), rounded to 4 digits.
      success: of the policy that probed it, in [0, 1]; the receipt names the policy.
      rates: (difficulty, success) at each difficulty where it was probed and passes the executor's
        gates, the easiest first; the declared one, 0.5, is among them.
      receipt: everything else: idea, model, prompt, attempts, verdict (JSON values).
    """

    name: str
    source: str
    theme: str
    skills: tuple[str, ...]
    program_hash: str
    skeleton_hash: str
    behaviour_hash: str
    features: tuple[float, ...]
    success: float
    rates: tuple[tuple[float, float], ...]
    receipt: Mapping[str, Any]

    def view(self) -> PoolView:
        """As if it were a program of a pool, for what is reckoned of those."""
        return PoolView(
            program_hash=self.program_hash,
            behaviour_hash=self.behaviour_hash,
            source=self.source,
            name=self.name,
            skills=self.skills,
            success=self.success,
            features=self.features,
            active=False,
        )


def entries() -> tuple[Entry, ...]:
    """The collection, sorted by name. Read once a process.

    Raises:
      CorpusError: a receipt is no receipt, or its program's text is missing.
    """
    return _entries()


def rejected() -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """(text, receipt) of what was written and did not pass, in order of the names.

    Raises:
      CorpusError: as for ``entries``.
    """
    folder = _root() / "rejected"
    found = read_receipts(_root() / "rejected.jsonl")
    return tuple((_text(folder, name), found[name]) for name in sorted(found))


def read_receipts(file: Traversable) -> dict[str, dict[str, Any]]:
    """Name → receipt, of a file with one JSON object a line; an absent file has none.

    Raises:
      CorpusError: a line is not such an object, or a name comes twice.
    """
    found: dict[str, dict[str, Any]] = {}
    if not file.is_file():
        return found
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{file.name}, line {number}"
        try:
            record = json.loads(line)
        except ValueError:
            raise CorpusError(f"{where}: not JSON") from None
        if not isinstance(record, dict) or not isinstance(name := record.get("name"), str):
            raise CorpusError(f"{where}: no receipt (a JSON object with a name)")
        if name in found:
            raise CorpusError(f"{where}: a second receipt for {name!r}")
        found[name] = record
    return found


def entry_of(source: str, receipt: Mapping[str, Any]) -> Entry:
    """The record of a text and its receipt.

    Raises:
      CorpusError: the receipt lacks something.
    """
    try:
        return Entry(
            name=receipt["name"],
            source=source,
            theme=receipt["theme"],
            skills=tuple(receipt["skills"]),
            program_hash=receipt["program"],
            skeleton_hash=receipt["skeleton"],
            behaviour_hash=receipt["behaviour"],
            features=tuple(float(x) for x in receipt["features"]),
            success=float(receipt["probe"]["success"]),
            rates=_rates(receipt["probe"]),
            receipt=receipt,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise CorpusError(f"receipt of {receipt.get('name')!r}: {what}") from None


def _rates(probe: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    others = probe.get("others", {})
    found = {float(d): float(o["success"]) for d, o in others.items() if o["reason"] == "ok"}
    return tuple(sorted((found | {DECLARED: float(probe["success"])}).items()))


@functools.cache
def _entries() -> tuple[Entry, ...]:
    receipts = read_receipts(_root() / "receipts.jsonl")
    folder = _root() / "programs"
    return tuple(entry_of(_text(folder, name), receipts[name]) for name in sorted(receipts))


def _root() -> Traversable:
    return importlib.resources.files(__package__)


def _text(folder: Traversable, name: str) -> str:
    file = folder / f"{name}.py"
    if not file.is_file():
        raise CorpusError(f"{folder.name}/{name}.py is missing, and there is a receipt for it")
    return file.read_text(encoding="utf-8")
