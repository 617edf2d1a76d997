"""A run folder read back: its configuration and everything it recorded, as plain values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from spade_jax.errors import UserError
from spade_jax.fits import misfit
from spade_jax.plain_yaml import read_yaml
from spade_jax.records import read_jsonl
from spade_jax.report.lines import LINES, ConfigFile
from spade_jax.types import Evaluation, Outcome, PoolEntry, PoolEvent, from_json

__all__ = ["HeldOut", "PoolChange", "Run", "read_run"]

Line = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class HeldOut:
    """One held-out measurement.

    Attributes:
      round, iteration, env_steps: when it was taken (iteration 0: the untrained policy).
      mean: mean success over the programs, 0-1.
      programs: success of each program, 0-1.
      episodes: episodes of each program.
    """

    round: int
    iteration: int
    env_steps: int
    mean: float
    programs: Mapping[str, float]
    episodes: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class PoolChange:
    """One program entering or leaving the pool (a ``types.PoolEvent`` as it was recorded).

    Attributes:
      round, change, program_hash, reason, evidence: of the event ("admit", "evict", …).
      name: of the program. program: its ``types.PoolEntry`` as JSON values when it was admitted.
    """

    round: int
    change: str
    program_hash: str
    reason: str
    evidence: Mapping[str, Any]
    name: str
    program: Mapping[str, Any] | None


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run wrote. Lines stay as they were recorded; docs/quickstart.md lists their fields.

    Attributes:
      path: the folder. config: its config.yaml.
      iterations, rounds: lines of metrics.jsonl. heldout: its held-out measurements, in order.
      plans: lines of metrics.jsonl, of resumes that changed where the run was to end.
      candidates, evaluations, predictions: lines of events.jsonl. pool_changes: likewise.
    """

    path: Path
    config: Mapping[str, Any]
    iterations: Sequence[Line]
    rounds: Sequence[Line]
    heldout: Sequence[HeldOut]
    candidates: Sequence[Line]
    pool_changes: Sequence[PoolChange]
    evaluations: Sequence[Line]
    predictions: Sequence[Line] = ()
    plans: Sequence[Line] = ()

    @property
    def name(self) -> str:
        """The folder's name, with its parent's where the folder only says the arm."""
        return self.path.name

    @property
    def arm(self) -> str:
        """What the run was: "coevo", "fixed", …"""
        return str(self.config.get("arm", "coevo"))

    @property
    def seed(self) -> int:
        return int(self.config.get("seed", 0))

    @property
    def env_steps(self) -> int:
        """Environment steps spent in all, probes and screening counted."""
        lines = [*self.iterations[-1:], *self.rounds[-1:]]
        recorded = [int(line["env_steps"]) for line in lines if "env_steps" in line]
        return max([*recorded, *(h.env_steps for h in self.heldout[-1:])], default=0)

    @property
    def untrained(self) -> HeldOut | None:
        """The measurement before any training; None when the run has none."""
        first = self.heldout[0] if self.heldout else None
        return first if first is not None and first.iteration == 0 else None

    @property
    def final(self) -> HeldOut | None:
        """The last measurement (last checkpoint, not the best one); None when there is none."""
        return self.heldout[-1] if self.heldout else None


def read_run(path: Path | str) -> Run:
    """Read a run folder.

    Raises:
      UserError: there is no such folder, it is not a run's, or a line in it is damaged.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UserError(f"no such run folder: {folder}")
    config = _read_config(folder)
    metrics, events = _read(folder / "metrics.jsonl"), _read(folder / "events.jsonl")
    for line in metrics:
        if fault := misfit(line, LINES.get(str(line.get("kind")), Any), "it"):
            raise UserError(f"{folder / 'metrics.jsonl'}: damaged {line['kind']} line ({fault})")
    return Run(
        path=folder,
        config=config,
        iterations=_of_kind(metrics, "iteration"),
        rounds=_of_kind(metrics, "round"),
        heldout=[_heldout(line, folder) for line in _of_kind(metrics, "heldout")],
        candidates=_checked(_of_kind(events, "candidate"), Outcome, folder),
        pool_changes=[_pool_change(line, folder) for line in _of_kind(events, "pool")],
        evaluations=_checked(_of_kind(events, "evaluation"), Evaluation, folder),
        predictions=[_prediction(line, folder) for line in _of_kind(events, "prediction")],
        plans=_of_kind(metrics, "plan"),
    )


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        return read_jsonl(path)
    except ValueError as error:
        raise UserError(str(error)) from None


def _checked(lines: Sequence[Line], record: type, folder: Path) -> Sequence[Line]:
    """The lines as they are, each known to hold what ``record`` needs."""
    for line in lines:
        try:
            if fault := misfit(line.get("round", 0), int, "round"):
                raise ValueError(fault)
            from_json(record, {k: v for k, v in line.items() if k not in ("kind", "round")})
        except (TypeError, ValueError) as error:
            where = folder / "events.jsonl"
            raise UserError(f"{where}: damaged {line['kind']} line ({error})") from None
    return lines


def _prediction(line: Line, folder: Path) -> Line:
    numbers = [line.get(key) for key in ("survive", "success", "low", "high", "band")]
    if not isinstance(line.get("proposal_id"), str) or not all(
        isinstance(n, int | float) for n in numbers
    ):
        raise UserError(f"{folder / 'events.jsonl'}: damaged prediction line")
    return line


def _pool_change(line: Line, folder: Path) -> PoolChange:
    try:
        event = from_json(PoolEvent, line["event"])
        program = line.get("program")
        if program is not None:
            from_json(PoolEntry, program)
        return PoolChange(
            round=int(event.round),
            change=str(event.kind),
            program_hash=str(event.program_hash),
            reason=str(event.reason),
            evidence=event.evidence,
            name=str(line["name"]),
            program=program,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder / 'events.jsonl'}: damaged pool line ({error})") from None


def _read_config(folder: Path) -> dict[str, Any]:
    file = folder / "config.yaml"
    if not file.is_file():
        raise UserError(f"{folder} is not a run folder (it has no config.yaml)")
    try:
        config = read_yaml(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UserError(f"{file} is damaged") from None
    if fault := misfit(config, ConfigFile, "it"):
        raise UserError(f"{file} is damaged: {fault}")
    return config


def _of_kind(lines: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line.get("kind") == kind]


def _heldout(line: Line, folder: Path) -> HeldOut:
    if not (programs := line["programs"]):
        raise UserError(f"{folder / 'metrics.jsonl'}: damaged heldout line (it has no programs)")
    return HeldOut(
        round=line["round"],
        iteration=line["iteration"],
        env_steps=line["env_steps"],
        mean=float(line["mean"]),
        # The share of successes, not the posterior mean: arms are compared on what happened.
        programs={
            name: p["successes"] / p["episodes"] if p["episodes"] else 0.0
            for name, p in programs.items()
        },
        episodes={name: p["episodes"] for name, p in programs.items()},
    )
