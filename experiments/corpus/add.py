"""``add``: answers through all gates; what passes joins the collection, the rest is kept beside."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

import spade_jax.generator.corpus as collection
from envs_dsl import check, library
from experiments._cli import parse
from experiments.corpus.answers import MOST_ATTEMPTS, Answer, Answers, brief_of
from experiments.corpus.folder import Folder
from experiments.corpus.gates import Judged, judge, known_of, library_neighbours, policy_name
from spade_jax.errors import UserError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm.backends.batch import request_line
from spade_jax.generator.llm.messages import Request
from spade_jax.generator.llm.prompt import Idea
from spade_jax.records import write_atomic

__all__ = ["ABOUT", "Options", "Piece", "Verdicts", "keep_refused", "main", "pieces", "slug"]

ABOUT = """\
Read the answers to a folder's requests and put each program through every gate: the executor's
stages in sandbox workers, then that it is unlike the collection and the bundled programs. What
passes is written to the collection with its receipt. For what does not, a request to mend it is
written (requests-repair.jsonl, and repairs/NAME.N.md to read); after three of those, or at once
with --final, it is kept among the rejected.

Examples:
  python -m experiments.corpus add asked --model some-model-2
  python -m experiments.corpus add asked --model some-model-2 --policy runs/a/coevo/policy.npz
  python -m experiments.corpus add asked --model some-model-2 --only s0q003 --dry
"""


@dataclasses.dataclass(frozen=True)
class Options:
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folder of requests and answers."""
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


def main(argv: Sequence[str]) -> int:
    """Run the command; 0 if every answer at hand passed, else 1."""
    options, _ = parse(
        Options(tyro.MISSING), argv, prog="python -m experiments.corpus add", about=ABOUT
    )
    if options.policy is not None and not options.policy.is_file():
        raise UserError(f"no policy file {options.policy}")
    into = options.into or Path(collection.__file__).parent
    folder = Folder.load(options.folder)
    taken = {
        r.get("request")
        for file in ("receipts.jsonl", "rejected.jsonl")
        for r in collection.read_receipts(into / file).values()
    }
    verdicts = Verdicts(options.folder / "verdicts.json")
    open_requests: list[Request] = []
    for _ in range(MOST_ATTEMPTS):  # a repair's prompt needs what was found of the text before it
        open_requests.clear()
        found = [
            p
            for p in pieces(folder, verdicts.reasons(), open_requests)
            if p.name not in taken and (not options.only or p.name in options.only)
        ]
        earlier = {
            f"{p.name}.{k}": a.source
            for p in found
            for k, a in enumerate(p.answers[:-1])
            if not verdicts.of(a.source)["reason"]
        }
        if not earlier:
            break
        for judged in _gates(earlier, into, options, grow=False):
            verdicts.add(judged)
    fresh = [p for p in found if p.answers]
    passed = _judge(fresh, verdicts, into, options)
    good = True
    names = _Names(into)
    for piece in fresh:
        judged = passed[piece.name]
        if judged.ok:
            name = names.new(piece.idea.title)
            print(f"{piece.name} {name}: ok, {_told(judged)}")
            if not options.dry:
                receipt = _receipt(name, piece, judged, verdicts, options)
                _keep(into, "programs", "receipts.jsonl", name, judged.source, receipt)
                keep_refused(into, name, piece, verdicts, receipt)
            continue
        good = False
        print(f"{piece.name} {piece.idea.title}: {judged.reason.value}: {judged.error}")
        if len(piece.answers) < MOST_ATTEMPTS and not options.final:
            open_requests.append(_repair(folder, piece, judged))
        elif not options.dry:
            name = names.new(piece.idea.title)
            receipt = _receipt(name, piece, judged, verdicts, options)
            _keep(into, "rejected", "rejected.jsonl", name, judged.source, receipt)
            keep_refused(into, name, piece, verdicts, receipt)
    _write_requests(options.folder, open_requests)
    print(f"{sum(passed[p.name].ok for p in fresh)} of {len(fresh)} passed")
    return 0 if good else 1


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
            known = reasons.get(_digest(answer.source))
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


def slug(title: str) -> str:
    """A name for a program, from the title of its idea: ``honey_harvest``."""
    words = [w for w in re.findall(r"[a-z0-9]+", title.lower()) if w not in ("the", "a", "an")]
    name = "_".join(words)[:24].rstrip("_") or "program"
    return name if name[0].isalpha() else f"p{name}"


class _Names:
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


class Verdicts:
    """What was found of every text of the folder, kept in a file: nothing is examined twice."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self._found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._found = {}

    def reasons(self) -> Mapping[str, Mapping[str, Any]]:
        """Hash of the text → reason, error, diagnostics."""
        return self._found

    def add(self, judged: Judged) -> None:
        """One more."""
        diagnostics = [d.as_json() for d in check(judged.source).diagnostics]
        self._found[_digest(judged.source)] = {
            "reason": judged.reason.value,
            "error": judged.error,
            "diagnostics": [d for d in diagnostics if d["severity"] == "error"],
        }
        write_atomic(self._file, json.dumps(self._found, indent=1))

    def of(self, source: str) -> Mapping[str, Any]:
        """What was found of a text; blank where it was never examined."""
        return self._found.get(_digest(source), {"reason": "", "error": "", "diagnostics": []})


def _judge(
    fresh: Sequence[Piece], verdicts: Verdicts, into: Path, options: Options
) -> dict[str, Judged]:
    """The last answer of each piece through all gates."""
    last = {p.name: p.answers[-1].source for p in fresh}
    found = _gates(last, into, options, grow=True)
    for judged in found:
        verdicts.add(judged)
    return {j.name: j for j in found}


def _gates(texts: Mapping[str, str], into: Path, options: Options, *, grow: bool) -> list[Judged]:
    if not texts:
        return []
    neighbours = library_neighbours()
    receipts = collection.read_receipts(into / "receipts.jsonl")
    for name, receipt in receipts.items():
        neighbours.add(known_of(name, receipt))
    return judge(texts, neighbours, options.policy, options.workers, grow=grow)


def _receipt(
    name: str, piece: Piece, judged: Judged, verdicts: Verdicts, options: Options
) -> dict[str, Any]:
    answer = piece.answers[-1]
    model = answer.response.model or options.model
    if not model:
        raise UserError("who answered? name the model with --model")
    found = judged.found()
    if "probe" in found:
        found["probe"]["policy"] = policy_name(options.policy)
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
        "written": options.date or datetime.date.today().isoformat(),
        "idea": idea | {"prompt": piece.asked["hash"]},
        "prompt": {k: first[k] for k in kept},
        "answer": {"sha256": answer.sha256, **brief_of(answer.response)},
        "attempts": attempts,
        "reason": judged.reason.value,
        "error": judged.error,
        **found,
    }


def keep_refused(
    into: Path, name: str, piece: Piece, verdicts: Verdicts, receipt: Mapping[str, Any]
) -> None:
    """Earlier answers of a piece, which were refused, among the rejected: ``NAME_1`` and so on."""
    kept = ("request", "theme", "model", "revision", "written")
    for number, answer in enumerate(piece.answers[:-1], start=1):
        found = verdicts.of(answer.source)
        if found["reason"] in ("", "ok"):
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
        _keep(into, "rejected", "rejected.jsonl", record["name"], answer.source, record)


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


def _keep(
    into: Path, folder: str, file: str, name: str, source: str, receipt: Mapping[str, Any]
) -> None:
    """A text and its receipt; the receipts stay sorted by name."""
    (into / folder).mkdir(parents=True, exist_ok=True)
    write_atomic(into / folder / f"{name}.py", source)
    receipts = collection.read_receipts(into / file) | {name: dict(receipt)}
    lines = [json.dumps(receipts[n], ensure_ascii=False) for n in sorted(receipts)]
    write_atomic(into / file, "\n".join(lines) + "\n")


def _told(judged: Judged) -> str:
    """What a person wants to know of a program that passed."""
    found = judged.found()
    rates, probe = found["triviality"], found["probe"]
    return (
        f"skills {'+'.join(found['skills'])} (declared {'+'.join(found['declared'])}), "
        f"random {rates['random']:.2f}, probe {probe['success']:.2f}, "
        f"{found['certificate']['answer']}, nearest {judged.nearest} {judged.distance:.4f}"
    )


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
