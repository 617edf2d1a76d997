"""Frozen beside learned: what is asked of whom, what is learned from, how it is counted."""

from __future__ import annotations

import dataclasses
import json
from concurrent.futures import Future
from pathlib import Path

import pytest
from scripted_model import Scripted, context, fenced, variant
from test_tuning import train_with

from experiments import tune
from spade_jax.errors import UserError
from spade_jax.generator.llm import Request, Response
from spade_jax.generator.llm.exchanges import FILE, read_exchanges
from spade_jax.generator.llm.tuning.job import read_job
from spade_jax.report.tuning import Row, curves
from spade_jax.types import Reason, Verdict


def row(seed: int, arm: str, round: int, gates: int, examples: int = 0) -> Row:
    return Row(seed, arm, round, 10, 10, 10, gates, gates, examples)


def test_differences_are_taken_seed_by_seed() -> None:
    rows = []
    for seed, learned in ((0, 5), (1, 7), (2, 6)):
        rows += [row(seed, arm, 1, 4) for arm in ("frozen", "learned")]
        rows += [row(seed, "frozen", 2, 4), row(seed, "learned", 2, learned, examples=4)]
    told = curves(rows)["gates"]
    assert told["rounds"] == [1, 2]
    assert [p["share"] for p in told["frozen"]] == [0.4, 0.4]
    assert [p["hits"] for p in told["learned"]] == [12, 18]
    assert told["learned"][1]["by_seed"] == {"0": 0.5, "1": 0.7, "2": 0.6}
    assert told["difference"][0]["value"] == 0.0
    # 0.1, 0.3, 0.2: mean 0.2, standard deviation 0.1, t(0.975; 2) = 4.3027.
    assert told["after"] == told["difference"][1]
    assert told["after"] == {"value": 0.2, "low": -0.0484, "high": 0.4484, "seeds": 3}
    alone = curves([r for r in rows if r.seed == 0])["gates"]["after"]
    assert (alone["value"], alone["low"]) == (0.1, None)
    assert curves([row(0, arm, 1, 1) for arm in ("frozen", "learned")])["gates"]["after"] is None


class Box:
    """Passes programs by their text; behaviour is the text's."""

    asked: list[str] = []

    def __init__(self, config: object) -> None:
        """Nothing is started."""

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is held."""

    def submit(self, request: object) -> Future[Verdict]:
        self.asked.append(request.id)  # type: ignore[attr-defined]
        good = "max_steps=1" not in request.source  # type: ignore[attr-defined]
        reason = Reason.OK if good else Reason.UNSOLVABLE
        future: Future[Verdict] = Future()
        behaviour = str(hash(request.source))  # type: ignore[attr-defined]
        future.set_result(
            Verdict(request.id, good, reason, behaviour_hash=behaviour)  # type: ignore[attr-defined]
        )
        return future


class Model(Scripted):
    """As it came every second answer is no program; tuned, all are."""

    name = "transformers:tiny"

    def __init__(self) -> None:
        super().__init__(self._say)
        self.adapter = ""

    def adopt(self, adapter) -> None:
        self.adapter = "" if adapter is None else adapter.digest[:8]

    def _say(self, request: Request, number: int) -> Response:
        bad = not self.adapter and number % 2
        text = "I cannot." if bad else fenced(variant(int(request.id.split("-")[2]) * 7 + number))
        return Response(text, "tiny", f"base+{self.adapter}" if self.adapter else "base")


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Model, *more: str) -> dict:
    monkeypatch.setattr(tune, "make_backend", lambda spec, config: model)
    monkeypatch.setattr(tune, "Sandbox", Box)
    monkeypatch.setattr(tune, "fresh", lambda seed: (context(), ()))
    out = tmp_path / "t.json"
    line = ["--generator", "llm:transformers:tiny", "--out", str(out), "--rounds", "3"]
    line += ["--proposals", "4", "--seeds", "0", "--llm.freedom", "program"]
    line += ["--llm.prompt-budget", "2500"]
    assert tune.main([*line, "--llm.tuning.least", "1", *more]) == 0
    return json.loads(out.read_text())


def test_both_arms_are_asked_for_the_same_and_one_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train_with(tmp_path, monkeypatch)
    model = Model()
    told = run(tmp_path, monkeypatch, model)
    rows = {(r["arm"], r["round"]): r for r in told["rows"]}
    assert len(rows) == 6
    for number in (1, 2, 3):
        assert rows["frozen", number]["checks"] == 2
        assert rows["frozen", number]["revisions"] == ["base"]
        assert rows["frozen", number]["reasons"]["does not check"] == 2
    assert [rows["learned", n]["checks"] for n in (1, 2, 3)] == [2, 4, 4]
    assert rows["learned", 1] == {**rows["frozen", 1], "arm": "learned"}
    (second,), (third,) = (rows["learned", n]["revisions"] for n in (2, 3))
    assert second.startswith("base+") and third.startswith("base+") and second != third
    assert 0 < rows["learned", 2]["examples"] < rows["learned", 3]["examples"]
    work = tmp_path / "t.work"
    frozen, learned = (read_exchanges(work / f"seed-0-{a}" / FILE) for a in tune.ARMS)
    assert set(frozen) == set(learned) and len(frozen) == 12
    inputs = sorted((work / "seed-0-learned" / "adapters").glob("*.jsonl"))
    sizes = sorted(len(read_job(path)[1]) for path in inputs)
    assert sizes == [rows["learned", n]["examples"] for n in (2, 3)]
    # 4 a round; the first of both arms is one.
    asked, examined = sum(map(len, model.calls)), len(Box.asked)
    assert asked == 20
    assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"

    again = run(tmp_path, monkeypatch, model)
    assert {k: v for k, v in again.items() if k != "wall_seconds"} == {
        k: v for k, v in told.items() if k != "wall_seconds"
    }
    assert (sum(map(len, model.calls)), len(Box.asked)) == (asked, examined)
    capsys.readouterr()


def test_programs_that_come_twice_check_and_are_a_reason_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train_with(tmp_path, monkeypatch)
    model = Model()
    model.answer = lambda request, number: fenced(variant(3))
    rows = run(tmp_path, monkeypatch, model, "--llm.tuning.least", "9")["rows"]
    for row in rows:
        assert (row["asked"], row["checks"], row["gates"]) == (4, 4, 1)
        assert row["reasons"] == {"twice or in the pool": 3}
    assert sum(map(len, model.calls)) == 20  # nothing is asked twice: 4 a round, one in common
    capsys.readouterr()


def test_a_tuning_that_fails_ends_the_experiment_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train_with(tmp_path, monkeypatch, "sys.exit('no room left')")
    model = Model()
    with pytest.raises(UserError, match="no room left"):
        run(tmp_path, monkeypatch, model)
    assert model.closed == 1
    capsys.readouterr()


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = ["--generator", "llm:transformers:x", "--out", str(tmp_path / "a.json")]
    for more, why in (
        (["--generator", "evolve"], "name a model"),
        (["--rounds", "1"], "--rounds 2"),
        (["--llm.freedom", "auto"], "ladder"),
    ):
        with pytest.raises(UserError, match=why):
            tune.main([*line, *more])
    fixed = dataclasses.replace(tune.Options().llm)
    assert fixed.freedom == "holes" and fixed.tune_every == 1
    monkeypatch.setattr(tune, "make_backend", lambda spec, config: Scripted(lambda r, n: ""))
    with pytest.raises(UserError, match="cannot be tuned"):
        tune.main(line)
