"""Run folders written by hand, as input of the tests of everything that reads one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

FAMILIES = ("bridge", "kettle", "lantern", "orchard")


def heldout(step: int, scores: Sequence[float], *, iteration: int, round: int = 0) -> dict:
    """A held-out line; ``scores`` are multiples of 1/100."""
    programs = {
        name: {"successes": round_(100 * s), "episodes": 100, "mean": (1 + 100 * s) / 102}
        for name, s in zip(FAMILIES, scores, strict=True)
    }
    return {
        "kind": "heldout", "round": round, "iteration": iteration, "env_steps": step,
        "mean": sum(scores) / len(scores), "programs": programs,
    }  # fmt: skip


def round_(value: float) -> int:
    return int(value + 0.5)


def candidate(
    name: str,
    *,
    source: str = "garbage",
    reason: str = "ok",
    admitted: bool = False,
    operator: str = "swap",
    program: str = "",
    skeleton: str = "",
    behaviour: str = "",
    parents: Sequence[str] = (),
    round: int = 0,
) -> dict:
    stages = [
        {"name": "parse", "ok": True, "seconds": 0.01, "detail": {}},
        {"name": "check", "ok": reason == "ok", "seconds": 0.02, "detail": {"code": "E201"}},
    ]
    return {
        "kind": "candidate",
        "proposal": {
            "id": name, "source": source, "generator": "evolve", "operator": operator,
            "parents": list(parents), "round": round, "receipt": {},
        },
        "verdict": {
            "proposal_id": name, "ok": reason == "ok", "reason": reason, "stages": stages,
            "program_hash": program, "skeleton_hash": skeleton, "behaviour_hash": behaviour,
            "features": [], "stability": 1.0, "successes": 0, "episodes": 0, "env_steps": 10,
            "error": "" if reason == "ok" else "line 3: no such field",
        },
        "admitted": admitted, "reason": "admitted" if admitted else reason,
        "score": 0.5 if admitted else None,
    }  # fmt: skip


def entry(program: str, **changes: Any) -> dict:
    """A pool entry, by default a bundled seed."""
    values = {
        "program_hash": program, "skeleton_hash": f"s{program}", "behaviour_hash": f"b{program}",
        "source": "garbage", "name": f"name-{program[:6]}", "generator": "seeds",
        "operator": "seed", "parents": [], "round_admitted": 0, "skills": ["navigation"],
        "features": [], "stability": 1.0, "history": [], "env_steps": 0, "strikes": 0,
        "score": 0.0, "seed": True,
    }  # fmt: skip
    return values | changes


def pool(change: str, program: str, round: int = 0, **changes: Any) -> dict:
    """A pool change; ``changes`` are fields of the entry of an admitted program."""
    event = {
        "round": round,
        "kind": change,
        "program_hash": program,
        "reason": "test",
        "evidence": {},
    }
    line: dict = {"kind": "pool", "event": event, "name": f"name-{program[:6]}"}
    if change == "admit":
        line["program"] = entry(program, round_admitted=round, **changes)
        line["name"] = line["program"]["name"]
    return line


def evaluation(program: str, mean: float, round: int) -> dict:
    return {
        "kind": "evaluation", "round": round, "program_hash": program, "iteration": 10 * round,
        "successes": round_(100 * mean), "episodes": 100, "mean": mean, "low": mean - 0.05,
        "high": mean + 0.05, "env_steps": 1000, "mean_return": mean, "mean_length": 20.0,
    }  # fmt: skip


def iteration(number: int, step: int) -> dict:
    return {
        "kind": "iteration", "iteration": number, "round": number // 4, "env_steps": step,
        "policy": 0.0, "value": 0.1, "entropy": 2.0, "kl": 0.01, "clipped": 0.1,
        "grad_norm": 0.4, "explained": 0.5, "episodes": 100, "programs": 10,
        "success": 0.3, "steps_per_s": 9000.0, "seconds": 0.2, "rss_mb": 700.0,
    }  # fmt: skip


def round_line(number: int, step: int, histogram: Sequence[int]) -> dict:
    return {
        "kind": "round", "round": number, "env_steps": step, "pool_size": sum(histogram),
        "histogram": list(histogram), "funnel": {"ok": 1}, "admitted": 1, "evicted": 0,
        "profile": [
            {"skill": "navigation", "mean": 0.6, "low": 0.5, "high": 0.7, "programs": 3,
             "episodes": 300},
        ],
        "compile_seconds": 1.0, "wait_seconds": 0.5, "seconds": 30.0,
    }  # fmt: skip


def write_run(
    folder: Path,
    *,
    arm: str = "coevo",
    seed: int = 0,
    final: Sequence[float] = (0.5, 0.5, 0.5, 0.5),
    untrained: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    steps: int = 20_000,
    events: Sequence[Mapping[str, Any]] = (),
    rounds: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """A finished run of two rounds (whose lines are ``rounds``, if given)."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        yaml.safe_dump({"arm": arm, "seed": seed, "learner": {"num_envs": 64}})
    )
    metrics = [
        heldout(0, untrained, iteration=0),
        *(iteration(i, steps * i // 8) for i in range(1, 8)),
        *(
            rounds
            or (
                round_line(0, steps // 2, [1, 0, 0, 0, 2, 1, 0, 0, 0, 0]),
                round_line(1, steps, [0, 0, 0, 1, 2, 1, 0, 0, 1, 0]),
            )
        ),
        heldout(steps, final, iteration=7, round=1),
    ]
    _lines(folder / "metrics.jsonl", metrics)
    _lines(folder / "events.jsonl", events)
    return folder


def _lines(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
