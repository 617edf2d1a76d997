"""What all benchmarks share: clocks, bars, the document; and that each of them runs at all."""

from __future__ import annotations

import argparse
import importlib
import json
import pathlib
from typing import Any

import numpy as np
import pytest

from benchmarks import command, curves, page
from benchmarks.figures import columns, number
from benchmarks.report import Plot, Report, at_least, at_most, document
from benchmarks.sides import attempt
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
        plots=[Plot("speed by name", "speed", x="name", y="rate")],
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


# --- the page -----------------------------------------------------------------------------------

PAGE = """# By hand

<!-- begin bars -->
replaced
<!-- end bars -->

Between.

<!-- begin sample -->
<!-- end sample -->

<!-- begin missing -->
<!-- end missing -->

The end.
"""


def written(folder: pathlib.Path, value: float) -> str:
    results = folder / "results"
    results.mkdir(exist_ok=True)
    made = document(report(value))
    made["machine"]["load"] = 0.5
    (results / "sample.json").write_text(json.dumps(made))
    target = folder / "page.md"
    if not target.exists():
        target.write_text(PAGE)
    assert page.main(["--results", str(results), "--page", str(target)]) == 0
    return target.read_text()


def test_a_page_is_made_of_the_documents_and_keeps_what_is_written_by_hand(
    tmp_path: pathlib.Path,
) -> None:
    first = written(tmp_path, 1.5)
    for text in ("# By hand", "\nBetween.\n", "The end.\n", "Not measured yet."):
        assert text in first
    assert "replaced" not in first
    assert "| fast | ≥ 2 × | 1.5 | no |" in first
    assert "| short | ≤ 1 s | 0.5 | yes |" in first
    assert "| name | rate |\n|---|--:|\n| ours | 1,234 |" in first
    assert "- a note" in first and "copies 2" in first
    assert "![speed by name](images/bench_sample_0.png)" in first
    assert (tmp_path / "images" / "bench_sample_0.png").read_bytes()[1:4] == b"PNG"
    assert written(tmp_path, 1.5) == first
    assert "| fast | ≥ 2 × | 2.5 | yes |" in written(tmp_path, 2.5)


def test_a_plot_of_numbers_has_a_line_for_each_kind(tmp_path: pathlib.Path) -> None:
    rows = [{"copies": n, "rate": n * k, "pool": k} for n in (1, 2, 4) for k in (1, 8)]
    rows.append({"copies": 8, "rate": None, "pool": 1})
    plot = Plot("scale", "speed", x="copies", y="rate", by="pool", log=True)
    made = document(Report("lines", {}, {"speed": rows}, plots=[plot]))
    text = page.render("<!-- begin lines -->\n<!-- end lines -->", {"lines": made}, tmp_path / "i")
    assert "| 8 | – | 1 |" in text and "(i/bench_lines_0.png)" in text
    assert (tmp_path / "i" / "bench_lines_0.png").stat().st_size > 1000


def test_a_plot_with_a_band_has_a_line_for_each_row(tmp_path: pathlib.Path) -> None:
    row = {"side": "ours", "x": [1, 2], "y": [0.1, 0.2], "low": [0.0, 0.1], "high": [0.2, 0.3]}
    plot = Plot("curve", "speed", "x", "y", by="side", band=("low", "high"))
    made = document(Report("lines", {}, {"speed": [row]}, plots=[plot]))
    text = page.render("<!-- begin lines -->\n<!-- end lines -->", {"lines": made}, tmp_path / "i")
    assert "| side |" in text and "0.1, 0.2" not in text and "(i/bench_lines_0.png)" in text
    assert (tmp_path / "i" / "bench_lines_0.png").stat().st_size > 1000


def test_the_difference_of_two_learners_is_paired_by_seed() -> None:
    plain = np.asarray([0.1, 0.5, 0.9])
    ours = plain + np.asarray([0.01, 0.02, 0.03])
    found = curves.paired(ours, plain, 1)
    # Mean 0.02, standard error 0.01 / sqrt(3), Student's t of two degrees of freedom 4.303.
    assert found["difference"] == pytest.approx(0.02)
    assert found["high"] - found["difference"] == pytest.approx(4.3027 * 0.01 / 3**0.5, rel=1e-4)
    assert found["low"] < 0.0 < found["high"] and 0.05 < found["p"] < 0.1
    assert curves.paired(ours, plain, 3)["high"] > found["high"]
    assert curves.paired(plain, plain, 3) == {"difference": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}


def test_a_file_that_is_no_document_is_named(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("[1")
    (tmp_path / "page.md").write_text(PAGE)
    with pytest.raises(SystemExit, match="2"):
        page.main(["--results", str(tmp_path), "--page", str(tmp_path / "page.md")])
    assert "x.json is no document" in capsys.readouterr().err


def test_the_page_of_the_documentation_has_a_block_for_every_benchmark() -> None:
    root = pathlib.Path(__file__).parents[1]
    text = (root / "docs" / "performance.md").read_text(encoding="utf-8")
    blocks = {found[1] for found in page.BLOCK.findall(text)}
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    measured = makefile.partition("BENCH ?= ")[2].partition("\n")[0].split()
    assert {"bars", *measured} <= blocks


# --- each of them, at its smallest --------------------------------------------------------------

QUICK = ["rollout", "evaluation"]
SLOW = [
    "pool",
    "ppo",
    "curves",
    "compile",
    "screening",
    "round",
    "scale",
    "soak",
    "baseline",
    "device",
]


@pytest.mark.parametrize(
    "name",
    [
        *QUICK,
        *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW),
        pytest.param("round_llm", marks=pytest.mark.llm),
    ],
)
def test_a_benchmark_runs_and_prints_its_document(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(f"benchmarks.{name}")
    assert module.main(["--tiny", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["benchmark"] == name and made["tiny"] is True
    assert {"machine", "versions", "settings", "tables", "bars", "plots", "notes"} <= made.keys()
    assert made["tables"] and all(made["tables"].values())
    for bar in made["bars"]:
        assert {"name", "value", "bar", "unit", "at_least", "met"} == bar.keys()


def test_a_peer_that_cannot_be_measured_is_a_note() -> None:
    def broken() -> int:
        raise AttributeError("module 'jax'\nhas no such thing")

    assert attempt(lambda: 3, "peer") == (3, None)
    assert attempt(broken, "peer") == (
        None,
        "peer not measured: AttributeError: module 'jax' has no such thing",
    )
