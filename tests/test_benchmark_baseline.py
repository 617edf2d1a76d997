"""The benchmark of co-evolution against fixed environments: its commands and its table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import run_folders as hand

from benchmarks.baseline import commands, main, table


def test_a_seed_is_two_commands_and_what_has_begun_goes_on(tmp_path: Path) -> None:
    coevo, fixed = tmp_path / "seed-3" / "coevo", tmp_path / "seed-3" / "fixed"
    start = [sys.executable, "-m"]
    first, second = commands("smoke", 3, tmp_path, ("--rounds", "1"))
    assert first == [
        *start, "experiments.coevo", "--run-dir", str(coevo),
        "--preset", "smoke", "--seed", "3", "--rounds", "1",
    ]  # fmt: skip
    like = ["--arm", "fixed", "--like", str(coevo)]
    assert second == [*start, "experiments.baseline", "--run-dir", str(fixed), *like]
    coevo.mkdir(parents=True)
    (coevo / "config.yaml").write_text("seed: 3\n")
    first, second = commands("smoke", 3, tmp_path)
    assert first == [*start, "experiments.coevo", "--run-dir", str(coevo), "--resume"]
    assert second[-4:] == like


def test_the_table_by_hand(tmp_path: Path) -> None:
    for seed, shift in ((0, 0.0), (1, 0.1)):
        for arm, less in (("coevo", 0.0), ("fixed", 0.2)):
            hand.write_run(
                tmp_path / f"seed-{seed}" / arm,
                arm=arm,
                seed=seed,
                final=[score + shift - less for score in (0.3, 0.4, 0.5, 0.6)],
                untrained=(0.05,) * 4,
                steps=20_000,
            )
    report = table("smoke", [0, 1], tmp_path)
    coevo, fixed = report.tables["arms"]
    assert (coevo["arm"], coevo["runs"], coevo["env_steps"]) == ("coevo", 2, 20_000)
    assert [coevo["mean"], fixed["mean"]] == pytest.approx([0.5, 0.3])
    assert coevo["final_minus_untrained"] == pytest.approx(0.45)
    (difference,) = report.tables["differences"]
    assert difference["mean"] == pytest.approx(0.2) and difference["seeds"] == 2
    assert difference["mean_95%"] == "0.200 to 0.200"
    assert [row["run"] for row in report.tables["runs"]][:2] == ["seed 0, coevo", "seed 0, fixed"]
    assert "fewer than three runs" in report.notes[0]


def test_a_run_that_does_not_finish_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "seed-0" / "coevo"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("no such field: 1\n")
    assert main(["--preset", "smoke", "--seeds", "0", "--runs", str(tmp_path)]) == 2
    assert "experiments.coevo of seed 0 ended with exit code 2" in capsys.readouterr().err
