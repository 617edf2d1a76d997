"""The benchmark of screening: its stream, its arithmetic, and that it runs."""

from __future__ import annotations

import json

import pytest

from benchmarks.screening import main, rate, stream
from benchmarks.timed_stages import CPU_SECONDS, STEPS, WOULD_BE
from envs_dsl.program import check
from spade_jax.types import Reason, Stage, StageResult, Verdict


def verdict(**stages: tuple[float, Reason]) -> Verdict:
    """One whose stages took these CPU seconds and would have ended like that."""
    results = tuple(
        StageResult(Stage(name), True, 0.0, {CPU_SECONDS: cpu, STEPS: 0, WOULD_BE: reason.value})
        for name, (cpu, reason) in stages.items()
    )
    return Verdict("x", True, Reason.OK, results)


def test_the_rate_counts_what_the_executor_would_have_done() -> None:
    early = verdict(check=(1.0, Reason.INVALID))
    late = verdict(
        check=(1.0, Reason.OK), certificate=(2.0, Reason.UNSOLVABLE), probe=(4.0, Reason.OK)
    )
    bare = [Stage.CHECK, Stage.PROBE]
    assert rate([early, late], bare) == 2 / (1.0 + 1.0 + 4.0)
    # A candidate that the certificate rejects is not probed.
    assert rate([early, late], [*bare, Stage.CERTIFICATE]) == 2 / (1.0 + 1.0 + 2.0)


def test_the_stream_is_the_same_programs_again() -> None:
    first = stream(4, 7)
    assert first == stream(4, 7) != stream(4, 8)
    assert len({p.receipt["program"] for p in first}) == 4
    assert all(check(p.source).ok for p in first)


def test_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--tiny", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["candidates"] == 3 and found["tiny"]
    stages = {row["stage"]: row for row in found["tables"]["CPU time of the worker by stage"]}
    assert stages["smoke"]["candidates"] == 3 and stages["smoke"]["mean_ms"] > 0
    assert "probe" in stages and "trace" not in stages
    assert sum(row["candidates"] for row in found["tables"]["ends"]) == 3
    assert found["bars"][0]["value"] > 0 and found["bars"][0]["bar"] == 2.0


def test_a_missing_policy_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--policy", "no-such.npz"])
    assert "no-such.npz" in capsys.readouterr().err
