"""What of a run folder goes into a bundle, and what stays behind."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import yaml

from spade_jax.bundle.scrub import Scrubber
from spade_jax.errors import UserError
from spade_jax.generator.llm.exchanges import FILE as EXCHANGES
from spade_jax.manifest import read_manifest, write_manifest
from spade_jax.records import RecordError
from spade_jax.report import Run
from spade_jax.versions import FILE as VERSIONS

__all__ = ["Choice", "LeftOut", "copy_checkpoints", "copy_records", "left_out"]

RECORDS = ("metrics.jsonl", "events.jsonl", "verdicts.jsonl", VERSIONS)
"""In this order: while a run goes on, events are written before the numbers of their round."""

PERSON = ("audit/heeded.jsonl", "audit/verdicts.jsonl")

_HUGE = 1 << 28
"""Bytes of exchanges above which they are only taken when asked for."""

_MADE_ANEW = ("config.yaml", "programs", "report.html", "README.md", "programs.json")
_WHY = {
    "checkpoints": "--checkpoints takes them along",
    "adapters": "weights of a tuned model: a replay reads its answers instead",
    "policy.npz": "a checkpoint has it",
    "profile": "a profiler's trace",
    "audit": "pages that `experiments.audit` lays out again; its verdicts are in the bundle",
}


@dataclasses.dataclass(frozen=True)
class Choice:
    """What goes into a bundle.

    Attributes:
      checkpoints: none of them, the best by held-out success, the last (to go on from), or all.
      exchanges: what models were asked and answered; "auto" takes them up to 256 MiB.
      hide: words to replace wherever they stand.
    """

    checkpoints: Literal["none", "best", "last", "all"] = "none"
    exchanges: Literal["auto", "all", "none"] = "auto"
    hide: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """What of the run folder is not in the bundle: its name, size, and why."""

    name: str
    bytes: int
    why: str


def copy_records(run: Run, config: dict, into: Path, choice: Choice, scrubber: Scrubber) -> bool:
    """Write configuration and journals without what the scrubber takes out, whole lines alone.

    Returns:
      Whether every journal that checkpoints count the bytes of is as it was.

    Raises:
      RecordError: a line is damaged.
      OSError: a file cannot be read or written.
    """
    text = yaml.safe_dump(scrubber.value(config), sort_keys=False)
    (into / "config.yaml").write_text(text, encoding="utf-8")
    names = [*RECORDS, *PERSON]
    if _takes_exchanges(run.path, choice):
        names.append(EXCHANGES)
    same = True
    for name in names:
        if (run.path / name).is_file():
            (into / name).parent.mkdir(exist_ok=True)
            changed = _copy_lines(run.path / name, into / name, scrubber)
            same = same and not (changed and name in RECORDS[:2])
    return same


def copy_checkpoints(run: Run, into: Path, choice: Choice, scrubber: Scrubber) -> None:
    """Copy the checkpoints that are wanted, which are whole.

    Raises:
      UserError: there is none.
    """
    if choice.checkpoints == "none":
        return
    from spade_jax import checkpoint

    folder = run.path / "checkpoints"
    whole = [p for p in checkpoint.listed(folder) if checkpoint.damage(p) is None]
    first = {"last": checkpoint.latest, "best": checkpoint.best}.get(choice.checkpoints)
    wanted = whole if first is None else [p for p in [first(folder)] if p is not None]
    if not wanted:
        kind = "" if choice.checkpoints == "all" else f"{choice.checkpoints} "
        raise UserError(f"{run.path} has no whole {kind}checkpoint; export it without")
    for path in wanted:
        copy = into / "checkpoints" / path.name
        shutil.copytree(path, copy)
        facts = read_manifest(copy)
        for note in copy.rglob("commit_success.txt"):  # orbax writes the folder's path there
            note.write_text(scrubber.text(note.read_text(encoding="utf-8")), encoding="utf-8")
        write_manifest(copy, {k: v for k, v in facts.items() if k not in ("format", "files")})


def left_out(run: Path, choice: Choice, taken: Path) -> tuple[LeftOut, ...]:
    """What is in the run folder and not in the bundle, by name."""
    found = []
    for path in sorted(run.iterdir()):
        if path.name in (*RECORDS, *_MADE_ANEW, "manifest.json"):
            continue
        size = tree_bytes(path, without=taken / path.name)
        if path.name == EXCHANGES:
            why = "not wanted" if choice.exchanges == "none" else "huge: --exchanges all takes them"
        else:
            why = _WHY.get(path.name, "not one of a run's own files")
        if size > 0 and not (path.name == EXCHANGES and (taken / EXCHANGES).exists()):
            found.append(LeftOut(path.name, size, why))
    return tuple(found)


def tree_bytes(path: Path, without: Path | None = None) -> int:
    """Bytes of a file or of all files below a folder, but not of those that ``without`` has, too.

    Links, and what is not there, count nothing.
    """
    if path.is_symlink() or not path.exists():
        return 0
    if path.is_file():
        return 0 if without is not None and without.exists() else path.stat().st_size
    below = [Path(folder) / name for folder, _, names in os.walk(path) for name in names]
    return sum(
        file.lstat().st_size
        for file in below
        if not file.is_symlink()
        and not (without is not None and (without / file.relative_to(path)).exists())
    )


def _takes_exchanges(run: Path, choice: Choice) -> bool:
    if choice.exchanges == "auto":
        return tree_bytes(run / EXCHANGES) <= _HUGE
    return choice.exchanges == "all"


def _copy_lines(source: Path, target: Path, scrubber: Scrubber) -> bool:
    """Copy a journal; whether any line of it became another one."""
    changed = False
    with open(target, "wb") as file:
        for number, line in _whole_lines(source):
            try:
                record = json.loads(line)
                clean = scrubber.value(record)
            except (ValueError, RecursionError):
                raise RecordError(f"{source}, line {number}: not JSON") from None
            if clean != record:
                changed = True
                line = json.dumps(clean, separators=(",", ":")).encode() + b"\n"
            file.write(line)
    return changed


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines of a journal; without a torn last one, as whoever reads journals has it."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n"):
                yield number, line
