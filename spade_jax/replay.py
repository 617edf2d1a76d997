"""Doing a run again from its records, and comparing what comes of it.

What a run did depends on its configuration, on what models answered (``exchanges.jsonl``), on
verdicts that a clock decided (``verdicts.jsonl``), and on what a person rejected meanwhile
(``audit/heeded.jsonl``). The first is given again, the others are read back; everything else is
computed anew and must come out the same, times aside.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import shutil
from collections.abc import Iterator, Mapping
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from spade_jax import coevolution
from spade_jax.config import Config
from spade_jax.errors import UserError
from spade_jax.generator.llm.exchanges import FILE as EXCHANGES
from spade_jax.recorder import ASIDE, OnEvent
from spade_jax.records import iterate_jsonl, read_jsonl
from spade_jax.report import read_run
from spade_jax.types import PoolEventKind, Reason

__all__ = [
    "CLOCKED",
    "Difference",
    "final_pool",
    "first_difference",
    "is_over",
    "rounds_of",
    "run_again",
    "timeless",
]

CLOCKED = frozenset(
    {
        *("seconds", "steps_per_s", "collect_seconds", "update_seconds", "rss_mb"),
        *("compile_seconds", "wait_seconds", "wait_screening_seconds", "cpu_seconds", "device_mb"),
    }
)
"""Fields of a run's records that are read off a clock or a memory gauge."""

HEEDED = Path("audit") / "heeded.jsonl"
JOURNALS = ("metrics.jsonl", "events.jsonl")


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first place where two runs part.

    Attributes:
      file, line: of the journal (1-based). field: path inside the record, "" for the whole line.
      was, now: what was recorded and what came of the replay; None where there is no such line.
    """

    file: str
    line: int
    field: str
    was: Any
    now: Any

    def __str__(self) -> str:
        was, now = (_short(value) for value in (self.was, self.now))
        return f"{self.file}, line {self.line}: {self.field or 'the line'} was {was}, is {now}"


class _Enough(Exception):
    """The replay has come as far as the record goes."""


def run_again(config: Config, run: Path, into: Path, on_event: OnEvent) -> int:
    """Do the run in ``run`` again, in the empty folder ``into``, as far as it was recorded.

    Where a resume changed how far it was to go, it is done again in as many stretches.

    Args:
      config: what it was run with. on_event: see ``coevolution.run``.

    Returns:
      How many verdicts were read back rather than measured, since a clock had decided them.

    Raises:
      UserError: nothing was recorded; a record that is needed is missing or damaged.
    """
    # Others made it: what is missing or damaged in it is said before anything is done.
    read_run(run)
    for name in JOURNALS:
        if not (run / name).is_file():
            raise UserError(f"{run} has no {name}: the record is not whole")
    last = rounds_of(run)
    if last is None:
        raise UserError(f"{run}: not one round is recorded; there is nothing to do again")
    if (run / EXCHANGES).exists():
        config = dataclasses.replace(config, generator=f"recorded:{run}")
    read_back = _copy_clocked_verdicts(run, into)
    if (run / HEEDED).exists():
        (into / HEEDED).parent.mkdir(exist_ok=True)
        shutil.copyfile(run / HEEDED, into / HEEDED)

    over = is_over(run, config)
    stretches = _stretches(run, config)
    if not over:
        stretches = [s for s in stretches if s.first <= last]
    for number, stretch in enumerate(stretches):
        # One that another follows goes on until its last checkpoint is written: into the iteration
        # after that. A record of a run that is not over ends with the line of a round.
        end = ("round", last) if not over else None
        if number < len(stretches) - 1:
            end = ("iteration", stretches[number + 1].first)

        def watch(kind: str, data: Mapping[str, Any], end: tuple[str, int] | None = end) -> None:
            on_event(kind, data)
            if end is not None and kind == end[0] and data["round"] >= end[1]:
                raise _Enough

        with contextlib.suppress(_Enough):
            coevolution.run(stretch.config, into, resume=number > 0, on_event=watch)
    return read_back


@dataclasses.dataclass(frozen=True)
class _Stretch:
    """A part of a run: from round ``first`` on, with this configuration."""

    first: int
    config: Config


def _stretches(run: Path, config: Config) -> list[_Stretch]:
    """The parts of a run between the resumes that changed its plan, the last with ``config``."""
    first, found = 0, []
    for line in read_run(run).plans:
        ends = {name: line["before"][name] for name in ("rounds", "env_step_budget")}
        try:
            found.append(_Stretch(first, dataclasses.replace(config, **ends)))
        except ValueError as error:
            raise UserError(f"{run / 'metrics.jsonl'}: damaged plan line ({error})") from None
        first = line["round"]
    return [*found, _Stretch(first, config)]


def is_over(run: Path, config: Config) -> bool:
    """Whether the record is of a run that has ended, not of one that was broken off or goes on."""
    lines = [r for r in read_jsonl(run / "metrics.jsonl") if r.get("kind") == "round"]
    if not lines:
        return False
    last = max(lines, key=lambda line: line["round"])
    return coevolution.over(last["round"] + 1, last["env_steps"], config)


def rounds_of(run: Path) -> int | None:
    """Number of the last round that is recorded; None where there is none."""
    rounds = [r["round"] for r in read_jsonl(run / "metrics.jsonl") if r.get("kind") == "round"]
    return max(rounds, default=None)


def first_difference(run: Path, again: Path, *, whole: bool) -> Difference | None:
    """Where the journals of two runs part first, times aside; None: nowhere.

    ``whole``: as many lines are expected in both; else the record may go on after the replay.
    """
    for name in JOURNALS:
        was, now = _comparable(run / name), _comparable(again / name)
        for old, new in zip_longest(was, now):
            if new is None and not whole:
                break
            if old is None or new is None:
                (number, record) = old or new  # type: ignore[misc]
                pair = (None, record) if old is None else (record, None)
                return Difference(name, number, "", *pair)
            if old[1] != new[1]:
                return Difference(name, old[0], *_parting(old[1], new[1]))
    return None


def final_pool(run: Path, last: int | None = None) -> tuple[str, ...]:
    """Program hashes of the active pool at the end of a run, sorted, from its record of changes.

    ``last``: at the end of this round; what a run that was broken off did after it is left out.
    """
    active: set[str] = set()
    for record in iterate_jsonl(run / "events.jsonl"):
        if record.get("kind") != "pool":
            continue
        event = record["event"]
        if last is not None and event["round"] > last:
            continue
        if event["kind"] in (PoolEventKind.ADMIT, PoolEventKind.RESTORE):
            active.add(str(event["program_hash"]))
        else:
            active.discard(str(event["program_hash"]))
    return tuple(sorted(active))


def timeless(value: Any) -> Any:
    """A record without anything that was read off a clock; not a number equals itself in it."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in CLOCKED}
    if isinstance(value, list):
        return [timeless(v) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value


def _comparable(path: Path) -> Iterator[tuple[int, Any]]:
    """Numbered lines; not those of a resume that met a damaged checkpoint, which was the disk, or
    of what went on beside the run."""
    for number, record in enumerate(iterate_jsonl(path), start=1):
        text = record.get("text")
        if record.get("kind") == "warning" and str(text).startswith(("checkpoint ", ASIDE)):
            continue
        yield number, timeless(record)


def _parting(was: Any, now: Any) -> tuple[str, Any, Any]:
    """(path, old, new) of the first field in which two records differ."""
    path = ""
    while True:
        if isinstance(was, dict) and isinstance(now, dict):
            keys = [k for k in {**was, **now} if was.get(k, _ABSENT) != now.get(k, _ABSENT)]
            key: Any = keys[0]
            path += f".{key}" if path else str(key)
            was, now = was.get(key), now.get(key)
        elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
            key = next(i for i, (a, b) in enumerate(zip(was, now, strict=True)) if a != b)
            path += f"[{key}]"
            was, now = was[key], now[key]
        else:
            return path, was, now


_ABSENT = object()


def _copy_clocked_verdicts(run: Path, into: Path) -> int:
    """Put the verdicts that a clock decided where the replay will look for them."""
    clocked = [reason.value for reason in Reason if reason.depends_on_clock]
    kept = [
        record
        for record in read_jsonl(run / "verdicts.jsonl")
        if isinstance(verdict := record.get("verdict"), dict) and verdict.get("reason") in clocked
    ]
    text = "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in kept)
    (into / "verdicts.jsonl").write_text(text, encoding="utf-8")
    return len(kept)


def _short(value: Any) -> str:
    if value is None:
        return "absent"
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else "".join(islice(text, 77)) + "..."
