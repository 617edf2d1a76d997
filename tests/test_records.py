"""Journals, verdict journals and whole-file writes survive torn lines, resumes and full disks."""

import json
import os
import resource
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spade_jax import records
from spade_jax.records import Journal, RecordError, VerdictJournal, read_jsonl, write_atomic
from spade_jax.types import Proposal, Reason, Stage, StageResult, Verdict

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=6), st.data())
def test_cutting_back_and_writing_again_gives_the_same_file(tmp_path_factory, rows, data):
    path = tmp_path_factory.mktemp("journal") / "metrics.jsonl"
    cut = data.draw(st.integers(0, len(rows)))
    with Journal(path) as journal:
        offsets = [journal.offset]
        for row in rows:
            journal.write(row)
            offsets.append(journal.sync())
    whole = path.read_bytes()
    assert read_jsonl(path) == rows
    with Journal(path, offsets[cut]) as journal:
        for row in rows[cut:]:
            journal.write(row)
    assert path.read_bytes() == whole


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_file_torn_anywhere_reads_as_its_whole_lines(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("torn") / "metrics.jsonl"
    rows = [{"i": i, "text": "x" * i} for i in range(5)]
    with Journal(path) as journal:
        for row in rows:
            journal.write(row)
    content = path.read_bytes()
    keep = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:keep])
    whole = content[:keep].count(b"\n")
    assert read_jsonl(path) == rows[:whole]
    with Journal(path) as journal:  # opening without an offset cuts the torn line off
        journal.write({"i": "next"})
    assert read_jsonl(path) == [*rows[:whole], {"i": "next"}]


def test_a_torn_line_longer_than_the_read_block_is_found(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"' + b"x" * 200_000)
    with Journal(path) as journal:
        assert journal.offset == 8


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a":1}\n{"a":\n{"a":3}\n')
    with pytest.raises(RecordError, match=r"a\.jsonl, line 2: not JSON"):
        read_jsonl(path)
    path.write_text("[1]\n")
    with pytest.raises(RecordError, match="line 1: not a JSON object"):
        read_jsonl(path)


def test_a_line_that_is_nested_without_end_is_named(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + "[" * 100_000 + "\n")
    with pytest.raises(RecordError, match=r"a\.jsonl, line 2: nested too deeply"):
        read_jsonl(path)


def test_an_absent_file_has_no_records(tmp_path):
    assert read_jsonl(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize("offset", [3, 999])
def test_an_offset_of_another_file_is_refused(tmp_path, offset):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a":1}\n{"a":2}\n')
    with pytest.raises(RecordError, match=r"a\.jsonl"):
        Journal(path, offset)
    assert path.read_text() == '{"a":1}\n{"a":2}\n'


def test_a_line_that_does_not_fit_is_taken_back(tmp_path):
    # A file size limit stands in for a full disk: the write is cut short, then fails.
    path = tmp_path / "a.jsonl"
    script = f"""
        import resource
        from spade_jax.records import Journal
        journal = Journal({str(path)!r})
        journal.write({{"a": 1}})
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
        try:
            journal.write({{"b": "x" * 1000}})
        except OSError:
            print("refused", journal.offset)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        journal.write({{"c": 3}})
    """
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["refused", "8"]
    assert read_jsonl(path) == [{"a": 1}, {"c": 3}]


def test_atomic_write_replaces_or_leaves(tmp_path, monkeypatch):
    path = tmp_path / "config.yaml"
    write_atomic(path, "old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomic(path, "newer")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["config.yaml"]


def _verdict(identity="r1-0", reason=Reason.TIMEOUT):
    stage = StageResult(Stage.TRACE, False, 10.25, {"limit": 10, "nested": [1, [2.5]]})
    return Verdict(identity, False, reason, (stage,), features=(0.1, 1 / 3), error="too slow")


def test_a_verdict_is_written_once_and_read_back(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    proposal = Proposal("r1-0", "text", "evolve", "graft")
    journal = VerdictJournal(path)
    assert journal.get(proposal) is None
    first = journal.put(proposal, _verdict())
    assert journal.put(proposal, _verdict(reason=Reason.OK)) == first
    journal.close()

    again = VerdictJournal(path)
    assert len(again) == 1
    assert again.get(proposal) == first
    assert again.get(Proposal("r1-0", "another text", "evolve", "graft")) is None
    assert first.reason.depends_on_clock and first.features == (0.1, 1 / 3)
    again.close()


def test_a_torn_verdict_is_measured_again(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    proposals = [Proposal(f"r1-{i}", "text", "evolve", "graft") for i in range(2)]
    journal = VerdictJournal(path)
    for proposal in proposals:
        journal.put(proposal, _verdict(proposal.id))
    journal.close()
    path.write_bytes(path.read_bytes()[:-5])
    journal = VerdictJournal(path)
    assert journal.get(proposals[0]) is not None
    assert journal.get(proposals[1]) is None
    journal.put(proposals[1], _verdict("r1-1"))
    journal.close()
    assert [row["verdict"]["proposal_id"] for row in read_jsonl(path)] == ["r1-0", "r1-1"]


@pytest.mark.parametrize(
    "line", [{"round": 1}, {"text": "", "verdict": []}, {"text": [], "verdict": {"stages": [[]]}}]
)
def test_a_file_of_something_else_is_refused(tmp_path, line):
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(RecordError, match="line 1: not a verdict"):
        VerdictJournal(path)
