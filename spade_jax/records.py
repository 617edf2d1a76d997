"""Files that survive a crash: JSON-lines journals, whole-file writes and tolerant readers.

Two kinds of journal are kept in a run folder. ``metrics.jsonl`` and ``events.jsonl`` belong to the
checkpointed state: a checkpoint holds their offsets, and a resumed run cuts them back to those
offsets so that nothing is written twice. ``verdicts.jsonl`` is never cut back: a verdict that
depended on a clock cannot be measured again with the same answer, so a resumed or replayed run
reads what was written the first time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from spade_jax.errors import UserError
from spade_jax.types import Proposal, Verdict, from_json, to_json

__all__ = [
    "Journal",
    "RecordError",
    "VerdictJournal",
    "iterate_jsonl",
    "read_jsonl",
    "sync_folder",
    "write_atomic",
]


class RecordError(UserError, ValueError):
    """A record file that is not what it should be; one line, for a person."""


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable (a rename is not, until its folder is synced)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomic(path: Path | str, content: bytes | str) -> None:
    """Write a whole file, or leave the one that was there.

    Args:
      path: the file; its folder exists.
      content: bytes, or text stored as UTF-8.

    Raises:
      OSError: the disk is full or the folder is not writable; the old file is intact then.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            error.filename = str(path)  # not the temporary one, which nobody has heard of
        raise
    sync_folder(path.parent)


def iterate_jsonl(path: Path | str) -> Iterator[dict[str, Any]]:
    """Records of a JSON-lines file, one by one; a torn last line is left out.

    Raises:
      FileNotFoundError: there is no such file.
      RecordError: a line other than the last is not a JSON object (named by its number).
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return  # the writer died in the middle of this line
            try:
                record = json.loads(line)
            except ValueError:
                raise RecordError(f"{path}, line {number}: not JSON") from None
            except RecursionError:
                raise RecordError(f"{path}, line {number}: nested too deeply") from None
            if not isinstance(record, dict):
                raise RecordError(f"{path}, line {number}: not a JSON object")
            yield record


def read_jsonl(path: Path | str) -> list[dict[str, Any]]:
    """All records of ``iterate_jsonl``; an absent file has none."""
    if not os.path.exists(path):
        return []
    return list(iterate_jsonl(path))


def _whole_length(path: Path) -> int:
    """Bytes up to and including the last newline (0 for an absent file)."""
    if not path.exists():
        return 0
    with open(path, "rb") as file:
        position = file.seek(0, os.SEEK_END)
        while position > 0:
            start = max(0, position - 65536)
            file.seek(start)
            newline = file.read(position - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            position = start
    return 0


class Journal:
    """An append-only JSON-lines file whose length is part of the checkpointed state.

    Lines are written unbuffered, so a killed *process* loses nothing; ``sync`` (at round ends)
    makes them survive a killed *machine*. A line that could not be written whole is taken back.
    """

    def __init__(self, path: Path | str, offset: int | None = None):
        """Open for appending.

        Args:
          path: the file, created when absent.
          offset: cut the file back to this many bytes (from a checkpoint). None keeps every whole
            line and cuts off a torn last one.

        Raises:
          RecordError: the file is shorter than ``offset``, or ``offset`` is inside a line: not
            the file that the checkpoint was written with.
        """
        self.path = Path(path)
        existed = self.path.exists()
        size = self.path.stat().st_size if existed else 0
        keep = _whole_length(self.path) if offset is None else offset
        if keep > size or keep < 0:
            raise RecordError(f"{self.path}: {size} bytes, the checkpoint says {keep}")
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        if keep and os.pread(self._file, 1, keep - 1) != b"\n":
            os.close(self._file)
            raise RecordError(f"{self.path}: byte {keep} is not at the end of a line")
        if keep != size:
            os.ftruncate(self._file, keep)
        self._offset = keep
        if not existed:
            sync_folder(self.path.parent)

    @property
    def offset(self) -> int:
        """Bytes written so far: what a checkpoint keeps."""
        return self._offset

    def write(self, record: Any) -> None:
        """Append one record (a mapping of JSON values, or one of the records of ``types``).

        Raises:
          OSError: it could not be written; the file holds what it held before.
          TypeError: a value is not a JSON value.
        """
        data = memoryview(json.dumps(to_json(record), separators=(",", ":")).encode() + b"\n")
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError:
            os.ftruncate(self._file, self._offset)
            raise
        self._offset += written

    def sync(self) -> int:
        """Force everything to the disk; returns the offset to keep in the checkpoint."""
        os.fsync(self._file)
        return self._offset

    def close(self) -> None:
        """Sync and close; closing twice is allowed."""
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class VerdictJournal:
    """Verdicts by proposal, written once and read back on resume or replay; never cut back.

    Every verdict may be put in, not only the clock-dependent ones: one that passed just below its
    time limit would be as unrepeatable as one that failed just above it. Looked up by proposal id
    *and* text, so a run folder that was started over with another generator is not confused.
    Safe to call from several threads.
    """

    def __init__(self, path: Path | str):
        """Open or create; a torn last line is cut off.

        Raises:
          RecordError: a line is not a verdict record (named by its number).
        """
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Verdict] = {}
        self._journal = Journal(path)
        if self._journal.offset:
            for number, record in enumerate(iterate_jsonl(path), start=1):
                try:
                    verdict = from_json(Verdict, record["verdict"])
                    key = (str(verdict.proposal_id), str(record["text"]))
                except (KeyError, TypeError, ValueError) as error:
                    raise RecordError(f"{path}, line {number}: not a verdict ({error})") from None
                self._known.setdefault(key, verdict)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, proposal: Proposal) -> Verdict | None:
        """The verdict recorded for exactly this proposal, or None."""
        return self._known.get((proposal.id, _text_hash(proposal.source)))

    def put(self, proposal: Proposal, verdict: Verdict) -> Verdict:
        """Record a verdict, durably, before anything depends on it.

        Returns:
          The verdict to go on with: the one recorded first, if there was one already.
        """
        key = (proposal.id, _text_hash(proposal.source))
        with self._lock:
            if key not in self._known:
                record: Mapping[str, Any] = {"text": key[1], "verdict": to_json(verdict)}
                self._journal.write(record)
                self._journal.sync()
                # What is used now and what is read back later must be the same values.
                self._known[key] = from_json(Verdict, json.loads(json.dumps(record["verdict"])))
            return self._known[key]

    def close(self) -> None:
        """Sync and close the file."""
        self._journal.close()
