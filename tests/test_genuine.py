"""Verdicts of workers that are wrong, or lie, about which program they examined."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import pytest

from envs_dsl.library import seeds
from spade_jax.records import RecordError, VerdictJournal
from spade_jax.screening import Known, Screening
from spade_jax.types import (
    Context,
    Proposal,
    Reason,
    Stage,
    StageResult,
    Verdict,
    from_json,
    to_json,
)

ICE, HILL = seeds()[:2]
NONSENSE = "def broken("
PASSED = (StageResult(Stage.BEHAVIOUR, True, 0.1),)


class Given:
    """Proposes one text."""

    name = "given"

    def __init__(self, source: str) -> None:
        self.source = source

    def propose(self, context: Context, n: int) -> list[Proposal]:
        return [Proposal("", self.source, self.name, "as given")]

    def observe(self, outcomes: Any) -> None: ...

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...


class Answers:
    """Stands for a worker that answers this, whatever it is asked; None: it must not be asked."""

    def __init__(self, answer: Verdict | None) -> None:
        self.answer = answer

    def submit(self, request: Any) -> Future[Verdict]:
        assert self.answer is not None, f"{request.id} was examined again"
        done: Future[Verdict] = Future()
        done.set_result(self.answer)
        return done


def screened(folder: pathlib.Path, source: str, answer: Verdict | None) -> Verdict:
    journal = VerdictJournal(folder / "verdicts.jsonl")
    screening = Screening(Given(source), Answers(answer), journal)  # type: ignore[arg-type]
    try:
        started = screening.start(Context(1, 0, (), ()), 1, (), folder / "p.npz", Known())
        return started.result(60).verdicts[0]
    finally:
        screening.close()
        journal.close()


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (ICE.source, Verdict("r1-0", True, Reason.OK, program_hash=HILL.hashes.program)),
        (ICE.source, Verdict("r1-0", True, Reason.OK)),
        (NONSENSE, Verdict("r1-0", True, Reason.OK, program_hash=ICE.hashes.program)),
        (NONSENSE, Verdict("r1-0", False, Reason.TOO_EASY, PASSED)),
    ],
)
def test_a_verdict_on_another_program_is_the_workers_failure(
    tmp_path: pathlib.Path, source: str, answer: Verdict
) -> None:
    found = screened(tmp_path, source, answer)
    assert (found.ok, found.reason, found.program_hash) == (False, Reason.KILLED, "")
    assert found.error == "the worker's verdict is not on this program"
    # What is read back by a resume or a replay is the same.
    assert screened(tmp_path, source, None) == found
    # And so where the journal itself holds the lie.
    other = tmp_path / "other"
    other.mkdir()
    with_lie = VerdictJournal(other / "verdicts.jsonl")
    with_lie.put(Proposal("r1-0", source, "given", "as given"), answer)
    with_lie.close()
    assert screened(other, source, None) == found


def test_a_true_verdict_is_left_alone(tmp_path: pathlib.Path) -> None:
    truth = Verdict("r1-0", False, Reason.NO_REWARD, program_hash=ICE.hashes.program)
    assert screened(tmp_path, ICE.source, truth) == truth
    refused = Verdict("r1-0", False, Reason.SYNTAX, (StageResult(Stage.PARSE, False, 0.1),))
    assert screened(tmp_path, NONSENSE, refused) == refused


@pytest.mark.parametrize("name", ["../../ESCAPED", "a/b", "a.b", "\0", "a" * 65, 7, None])
def test_what_cannot_name_a_file_is_no_program_hash(tmp_path: pathlib.Path, name: Any) -> None:
    record = to_json(Verdict("r1-0", True, Reason.OK)) | {"program_hash": name}
    with pytest.raises(ValueError, match="is no program hash"):
        from_json(Verdict, record)
    line = tmp_path / "verdicts.jsonl"
    line.write_text('{"text": "t", "verdict": {"program_hash": "../x"}}\n')
    with pytest.raises(RecordError, match="is no program hash"):
        VerdictJournal(line)
