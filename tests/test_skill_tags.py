"""Skill tags of generated programs: from play, whatever the header says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import run_folders as hand

from experiments import inspect
from spade_jax.report import read_run
from spade_jax.report.page import render_report
from spade_jax.report.summary import novelty
from spade_jax.skills import relabelled, tags
from spade_jax.types import Reason, Stage, StageResult, Verdict


def verdict(declared: list[str], verified: list[str]) -> Verdict:
    detail = {"skills": {"declared": declared, "verified": dict.fromkeys(verified, "seen")}}
    stages = (StageResult(Stage.PARSE, True, 0.0), StageResult(Stage.BEHAVIOUR, True, 0.0, detail))
    return Verdict("r1-0", True, Reason.OK, stages)


@pytest.mark.parametrize(
    ("declared", "verified", "expected", "changed"),
    [
        (["navigation"], ["navigation"], ("navigation",), False),
        (["navigation", "memory"], ["navigation"], ("navigation",), True),
        (["memory"], ["avoidance", "navigation"], ("navigation", "avoidance"), True),
        ([], ["puzzle"], ("puzzle",), True),
        (["memory"], [], ("memory",), False),  # nothing better is known
        ([], [], (), False),
        (["navigation"], ["navigation", "telepathy"], ("navigation",), False),
    ],
)
def test_tags_by_hand(declared: Any, verified: Any, expected: Any, changed: bool) -> None:
    found = verdict(declared, verified)
    assert tags(found, declared) == expected
    assert relabelled(found) is changed


def test_a_verdict_that_ended_before_changes_nothing() -> None:
    early = Verdict("r1-0", False, Reason.INVALID, (StageResult(Stage.PARSE, True, 0.0),))
    assert tags(early, ["contest"]) == ("contest",) and not relabelled(early)


def test_report_and_inspect_tell_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = hand.candidate("r1-0", program="aa11", admitted=True)
    detail = {"skills": {"declared": ["memory"], "verified": {"navigation": "", "avoidance": ""}}}
    stage = {"name": "behaviour", "ok": True, "seconds": 0.1, "detail": detail}
    changed["verdict"]["stages"].append(stage)
    new = {"seed": False, "generator": "evolve", "operator": "swap"}
    events = [
        changed,
        hand.candidate("r1-1", program="bb22", admitted=True),
        hand.pool("admit", "aa11", round=1, **new),
        hand.pool("admit", "bb22", round=1, **new),
    ]
    lines = [hand.round_line(n, 9, [0] * 10) | {"relabelled": n} for n in (0, 1)]
    folder = hand.write_run(tmp_path / "r", events=events, rounds=lines)
    run = read_run(folder)
    assert novelty(run).relabelled == 1
    assert "1 of the admitted exercise other skills" in render_report(run)
    assert inspect.main([str(folder), "aa11"]) == 0
    told = capsys.readouterr().out
    assert "relabelled: its skills are navigation, avoidance, not as declared" in told
    assert inspect.main([str(folder), "bb22"]) == 0
    assert "relabelled" not in capsys.readouterr().out
    before = read_run(hand.write_run(tmp_path / "old", events=events))
    assert novelty(before).relabelled is None, "older runs did not count"
    assert "other skills than they declare" not in render_report(before)
