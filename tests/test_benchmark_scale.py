"""The benchmarks of sizes and of a whole machine: what they choose, and that they survive."""

from __future__ import annotations

import json
import pathlib
import time
from typing import Any

import pytest

from benchmarks import device, scale
from benchmarks.programs import pick


def test_pools_are_alike_in_cost() -> None:
    programs = pick(())
    ordered = sorted(programs, key=lambda p: (p.cost.work, p.hashes.program))
    assert scale.evenly(programs, len(programs)) == ordered
    assert scale.evenly(programs[:9], 1) == [sorted(programs[:9], key=ordered.index)[4]]
    assert scale.evenly(programs[:8], 2) == [
        sorted(programs[:8], key=ordered.index)[place] for place in (2, 6)
    ]


def test_skeletons_differ() -> None:
    found = scale.skeletons(16)
    assert len({program.hashes.skeleton for program in found}) == 16


def line(kind: str, **values: Any) -> dict[str, Any]:
    return {"kind": kind, **values}


def test_what_the_records_of_a_run_come_to() -> None:
    spent = {"seconds": 2.0, "collect_seconds": 0.5, "update_seconds": 1.0}
    told = {"compile_seconds": 3.0, "wait_seconds": 0.25, "admitted": 2, "device_mb": None}
    lines = [
        line("heldout"),
        line("iteration", env_steps=100, steps_per_s=50.0, **spent),
        line("iteration", env_steps=300, steps_per_s=100.0, **spent),
        line("round", **told),
        line("round", **told),
    ]
    (row,) = device.coevolution_rows(lines, 10.0)
    assert (row["iterations"], row["rounds"], row["env_steps"], row["admitted"]) == (2, 2, 300, 4)
    assert row["steps_per_second"] == 75.0 and row["steps_per_second_of_everything"] == 30.0
    assert (row["collect_share"], row["update_share"]) == (0.25, 0.5)
    assert (row["training_share"], row["compile_seconds"]) == (0.4, 6.0)
    assert device.coevolution_rows([line("heldout")], 10.0) == []


def test_a_part_that_takes_too_long_is_ended(tmp_path: pathlib.Path) -> None:
    started = time.perf_counter()
    code, text = device.run(["http.server", "--bind", "localhost", "0"], 1.0, tmp_path, "endless")
    assert time.perf_counter() - started < 60 and text == text.strip("\0")
    assert code is not None


def test_a_part_that_fails_does_not_lose_the_rest(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {
        "settings": {"copies": 2},
        "tables": {"speed": [{"rate": 1.5}]},
        "bars": [
            {"name": "fast", "value": 1.0, "bar": 2.0, "unit": "×", "at_least": True, "met": False}
        ],
    }

    def run(words: Any, seconds: float, folder: pathlib.Path, name: str) -> tuple[int, str]:
        (folder / f"{name}.err").write_text("Traceback …\nValueError: no such peer\n")
        return (0, json.dumps(found)) if name == "pool" else (1, "")

    monkeypatch.setattr(device, "run", run)
    parts = [device.Part("rollout", (), 9.0), device.Part("pool", (), 9.0)]
    report = device.measure(parts, None, out=tmp_path / "out.json")
    first, second = report.tables["parts"]
    assert (first["ok"], first["fault"]) == (False, "ValueError: no such peer")
    assert (second["ok"], second["fault"]) == (True, "")
    assert report.tables["pool: speed"] == [{"rate": 1.5}]
    assert [(bar.name, bar.met) for bar in report.bars] == [("pool: fast", False)]
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["tables"]["parts"][0]["ok"] is False
