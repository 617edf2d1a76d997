"""What all benchmarks share: clocks, bars, the document; and that each of them runs at all."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from benchmarks import command
from benchmarks.figures import columns, number
from benchmarks.report import Report, at_least, at_most, document
from benchmarks.timing import Timing, ratio, side_by_side


def report(value: float | None, tiny: bool = False) -> Report:
    return Report(
        benchmark="sample",
        settings={"copies": 2},
        tables={"speed": [{"name": "ours", "rate": 1234.5, "curve": [1, 2]}]},
        bars=[at_least("fast", value, 2.0), at_most("short", 0.5, 1.0)],
        peers=["gymnax", "no-such-distribution"],
        notes=["a note"],
        tiny=tiny,
    )


def test_rounds_go_through_everything_forwards_and_backwards() -> None:
    calls: list[str] = []
    times = side_by_side({n: lambda n=n: calls.append(n) for n in "ab"}, repeats=3, warm_up=1)
    assert "".join(calls) == "ab" + "ab" + "ba" + "ab"
    assert all(len(t.seconds) == len(t.cpu_seconds) == 3 for t in times.values())


def test_rates_are_of_the_median_and_of_the_slowest() -> None:
    timing = Timing(seconds=(4.0, 1.0, 2.0), cpu_seconds=(0.5, 1.0, 0.25))
    assert timing.rates(8) == {
        "steps_per_second": 4.0,
        "slowest": 2.0,
        "steps_per_cpu_second": 16.0,
    }
    assert ratio(timing, Timing((6.0,), (6.0,)), 8, 12) == 2.0


def test_a_document_tells_machine_versions_and_bars() -> None:
    made = document(report(1.5))
    assert made["machine"]["cpus"] > 0 and made["machine"]["device"]
    assert {"jax", "numpy", "gymnax"} <= made["versions"].keys()
    assert "no-such-distribution" not in made["versions"]
    assert [bar["met"] for bar in made["bars"]] == [False, True]
    assert json.loads(json.dumps(made)) == made


@pytest.mark.parametrize(
    ("value", "tiny", "code"), [(1.5, False, 1), (2.0, False, 0), (None, False, 0), (1.5, True, 0)]
)
@pytest.mark.parametrize("as_json", [True, False])
def test_the_exit_code_says_whether_a_bar_is_missed(
    value: float | None, tiny: bool, code: int, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.finish(report(value, tiny), argparse.Namespace(json=as_json)) == code
    printed = capsys.readouterr().out
    if as_json:
        assert json.loads(printed)["tiny"] is tiny
    else:
        assert "1,234" in printed and "a note" in printed and "≥ 2 ×" in printed


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (float("nan"), "–"), (True, "yes"), (0.01234, "0.0123"), (12345.6, "12,346")],
)
def test_figures_are_short(value: Any, text: str) -> None:
    assert number(value) == text


def test_lists_are_no_columns() -> None:
    assert columns([{"a": 1}, {"a": 2, "b": [1]}, {"c": "x"}]) == ("a", "c")
