"""What is written to a collection: texts and their receipts, under names that are free."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import spade_jax.generator.corpus as collection
from envs_dsl import library
from spade_jax.collecting.answers import brief_of
from spade_jax.collecting.gates import Judged, policy_name
from spade_jax.collecting.pieces import Piece
from spade_jax.collecting.verdicts import Verdicts
from spade_jax.errors import UserError
from spade_jax.records import write_atomic

__all__ = ["Names", "closed", "keep", "keep_refused", "receipt_of", "slug", "write_receipts"]


def slug(title: str) -> str:
    """A name for a program, from the title of its idea: ``honey_harvest``."""
    words = [w for w in re.findall(r"[a-z0-9]+", title.lower()) if w not in ("the", "a", "an")]
    name = "_".join(words)[:24].rstrip("_") or "program"
    return name if name[0].isalpha() else f"p{name}"


class Names:
    """Names that are free in the collection and among the bundled programs."""

    def __init__(self, into: Path) -> None:
        self._taken = set(library.bundled())
        for file in ("receipts.jsonl", "rejected.jsonl"):
            self._taken |= set(collection.read_receipts(into / file))

    def new(self, title: str) -> str:
        """A free name; it is taken from then on."""
        name, base, number = slug(title), slug(title), 2
        while name in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return name


def receipt_of(
    name: str,
    piece: Piece,
    judged: Judged,
    verdicts: Verdicts,
    model: str,
    policy: Path | None,
    date: str,
) -> dict[str, Any]:
    """The receipt of a piece's newest answer: who wrote it, when, asked what, and what was found.

    Raises:
      UserError: neither the answer nor ``model`` says who answered.
    """
    answer = piece.answers[-1]
    model = answer.response.model or model
    if not model:
        raise UserError("who answered? name the model with --model")
    found = judged.found()
    if "probe" in found:
        found["probe"]["policy"] = policy_name(policy)
    first = piece.receipts[0]
    kept = ("version", "files", "hash", "tokens", "shots", "aim")
    attempts = [
        {
            "reason": verdicts.of(a.source)["reason"],
            "error": str(verdicts.of(a.source)["error"])[:200],
            "prompt": receipt["hash"],
            "mends": a.mends,
        }
        for a, receipt in zip(piece.answers, piece.receipts, strict=True)
    ]
    idea = {k: v for k, v in dataclasses.asdict(piece.idea).items() if v}
    return {
        "name": name,
        "request": piece.name,
        "theme": first["aim"]["theme"],
        "model": model,
        "revision": answer.response.revision,
        "written": date or datetime.date.today().isoformat(),
        "idea": idea | {"prompt": piece.asked["hash"]},
        "prompt": {k: first[k] for k in kept},
        "answer": {"sha256": answer.sha256, **brief_of(answer.response)},
        "attempts": attempts,
        "reason": judged.reason.value,
        "error": judged.error,
        **found,
    }


def closed(
    piece: Piece,
    accepted: Iterable[Mapping[str, Any]],
    rejected: Iterable[Mapping[str, Any]],
) -> bool:
    """Whether nothing is left to say of a piece: an answer was accepted, or the newest refused for
    good. Earlier refused answers do not close it. ``accepted``, ``rejected``: all receipts."""
    if any(r.get("request") == piece.name for r in accepted):
        return True
    refused = _refused(rejected, piece)
    return bool(piece.answers) and piece.answers[-1].sha256 in refused


def _refused(rejected: Iterable[Mapping[str, Any]], piece: Piece) -> set[str]:
    """Hashes of the answers of a piece that are kept among the rejected."""
    mine = (r for r in rejected if r.get("request") == piece.name)
    return {str(r.get("answer", {}).get("sha256")) for r in mine}


def keep_refused(
    into: Path, name: str, piece: Piece, verdicts: Verdicts, receipt: Mapping[str, Any]
) -> None:
    """Earlier answers of a piece, which were refused, among the rejected: ``NAME_1`` and so on.

    What is there already stays under the name it has.
    """
    kept = ("request", "theme", "model", "revision", "written")
    there = _refused(collection.read_receipts(into / "rejected.jsonl").values(), piece)
    for number, answer in enumerate(piece.answers[:-1], start=1):
        found = verdicts.of(answer.source)
        if found["reason"] in ("", "ok") or answer.sha256 in there:
            continue
        record = {
            "name": f"{name}_{number}",
            **{k: receipt[k] for k in kept},
            "prompt": piece.receipts[number - 1]["hash"],
            "answer": {"sha256": answer.sha256, **brief_of(answer.response)},
            "reason": found["reason"],
            "error": found["error"],
            "mended_as": name,
        }
        keep(into, "rejected", "rejected.jsonl", answer.source, record)


def keep(into: Path, folder: str, file: str, source: str, receipt: Mapping[str, Any]) -> None:
    """Write a text and its receipt, which has its name."""
    (into / folder).mkdir(parents=True, exist_ok=True)
    write_atomic(into / folder / f"{receipt['name']}.py", source)
    added = {str(receipt["name"]): dict(receipt)}
    write_receipts(into / file, collection.read_receipts(into / file) | added)


def write_receipts(file: Path, receipts: Mapping[str, Mapping[str, Any]]) -> None:
    """A JSON object a line, sorted by name; ``read_receipts`` reads them back."""
    lines = [json.dumps(receipts[n], ensure_ascii=False) for n in sorted(receipts)]
    write_atomic(file, "\n".join(lines) + "\n")
