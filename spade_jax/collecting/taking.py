"""Answers through all gates; what passes joins the collection, the rest is kept beside."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import spade_jax.generator.corpus as corpus
from envs_dsl import check
from spade_jax.collecting import neighbours
from spade_jax.collecting.answers import MOST_ATTEMPTS
from spade_jax.collecting.folder import Folder
from spade_jax.collecting.gates import Judged, judge
from spade_jax.collecting.pieces import Piece, pieces
from spade_jax.collecting.receipts import Names, closed, keep, keep_refused, receipt_of
from spade_jax.collecting.verdicts import Verdicts
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.corpus import read_receipts
from spade_jax.generator.llm.backends.batch import request_line
from spade_jax.generator.llm.messages import Request
from spade_jax.records import write_atomic

__all__ = ["Taken", "Terms", "take"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Terms:
    """How answers are taken in."""

    model: str = ""
    """Who answered by hand; answers of a batch say it themselves."""
    policy: Path | None = None
    """Policy file for the probe whose success the receipts record (random play)."""
    only: tuple[str, ...] = ()
    """Names of requests to look at (all that are answered)."""
    final: bool = False
    """Reject what does not pass now, whatever rounds are left."""
    dry: bool = False
    """Say what would be done; write nothing to the collection."""
    workers: int = 1
    """Sandbox processes, one core each."""
    into: Path | None = None
    """Folder of the collection (default: the bundled one)."""
    date: str = ""
    """Day of writing for the receipts, YYYY-MM-DD (today)."""

    @property
    def collection(self) -> Path:
        """The folder that ``into`` means."""
        return Path(corpus.__file__).parent if self.into is None else self.into


@dataclasses.dataclass(frozen=True)
class Taken:
    """The newest answer of a piece and what the gates said; ``name``: in the collection, if ok."""

    piece: Piece
    judged: Judged
    name: str = ""


def take(folder: Folder, terms: Terms, show: Callable[[Taken], None]) -> tuple[Taken, ...]:
    """Judge the newest answer of every request that is not settled, and keep what it says.

    What passes is written to the collection with its receipt. For what does not, a request to mend
    it is written to the folder (``requests-open.jsonl``, and ``repairs/`` to read); when no attempt
    is left it is kept among the rejected.

    Args:
      folder: of requests and answers. terms: what to do with them.
      show: called with each as soon as it is settled, before anything is written of it.

    Returns:
      What was judged, in the order of the requests.

    Raises:
      UserError: an answer does not say which model gave it, and neither do the terms.
    """
    into = terms.collection
    verdicts = Verdicts(folder.path / "verdicts.json")
    open_requests: list[Request] = []
    found = _examined(folder, terms, verdicts, open_requests)
    fresh = [p for p in found if p.answers]
    passed = _judge(fresh, verdicts, terms)
    names = Names(into)
    taken = []
    for piece in fresh:
        judged = passed[piece.name]
        mendable = len(piece.answers) < MOST_ATTEMPTS and not terms.final
        name = names.new(piece.idea.title) if judged.ok or not (mendable or terms.dry) else ""
        taken.append(Taken(piece, judged, name if judged.ok else ""))
        show(taken[-1])
        if not judged.ok and mendable:
            open_requests.append(_repair(folder, piece, judged))
        elif not terms.dry:
            receipt = receipt_of(
                name, piece, judged, verdicts, terms.model, terms.policy, terms.date
            )
            place = ("programs", "receipts.jsonl") if judged.ok else ("rejected", "rejected.jsonl")
            keep(into, *place, judged.source, receipt)
            keep_refused(into, name, piece, verdicts, receipt)
    _write_requests(folder.path, open_requests)
    return tuple(taken)


def _examined(
    folder: Folder, terms: Terms, verdicts: Verdicts, open_requests: list[Request]
) -> list[Piece]:
    """The pieces that are not settled; all their answers but the newest have a verdict."""
    accepted = read_receipts(terms.collection / "receipts.jsonl").values()
    rejected = read_receipts(terms.collection / "rejected.jsonl").values()
    found: list[Piece] = []
    for _ in range(MOST_ATTEMPTS):  # a repair's prompt needs what was found of the text before it
        open_requests.clear()
        found = [
            p
            for p in pieces(folder, verdicts.reasons(), open_requests)
            if not closed(p, accepted, rejected) and (not terms.only or p.name in terms.only)
        ]
        earlier = {
            f"{p.name}.{k}": a.source
            for p in found
            for k, a in enumerate(p.answers[:-1])
            if not verdicts.of(a.source)["reason"]
        }
        if not earlier:
            break
        for judged in _gates(earlier, terms, grow=False):
            verdicts.add(judged)
    return found


def _judge(fresh: Sequence[Piece], verdicts: Verdicts, terms: Terms) -> dict[str, Judged]:
    """The last answer of each piece through all gates."""
    last = {p.name: p.answers[-1].source for p in fresh}
    found = _gates(last, terms, grow=True)
    for judged in found:
        verdicts.add(judged)
    return {j.name: j for j in found}


def _gates(texts: Mapping[str, str], terms: Terms, *, grow: bool) -> list[Judged]:
    if not texts:
        return []
    others = neighbours.library_neighbours()
    for name, receipt in read_receipts(terms.collection / "receipts.jsonl").items():
        others.add(neighbours.known_of(name, receipt))
    return judge(texts, others, terms.policy, terms.workers, grow=grow)


def _repair(folder: Folder, piece: Piece, judged: Judged) -> Request:
    """The request to mend it, written also as a page to be read."""
    number = len(piece.answers)
    diagnostics = [d for d in check(judged.source).diagnostics if d.severity == "error"]
    request, _ = folder.repair_request(
        piece.index, number, judged.source, diagnostics, judged.error, judged.reason.value
    )
    pages = folder.path / "repairs"
    pages.mkdir(exist_ok=True)
    task = request.messages[-1].content
    write_atomic(pages / f"{piece.name}.{number + 1}.md", task[task.find("## Your task") :] + "\n")
    return request


def _write_requests(path: Path, requests: Sequence[Request]) -> None:
    file = path / "requests-open.jsonl"
    if not requests:
        file.unlink(missing_ok=True)
        return
    lines = [request_line(request, "any", LlmConfig()) for request in requests]
    write_atomic(file, "\n".join(lines) + "\n")
