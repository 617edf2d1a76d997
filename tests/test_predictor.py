"""What the predictor reads, learns and chooses, and what screening makes of it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import numpy as np
import pytest

from envs_dsl.library import seeds
from spade_jax.executor import ExecutorConfig, Sandbox
from spade_jax.predictor import NAMES, Prediction, Predictor, Row, choose, features, rows_of
from spade_jax.predictor.logistic import fit
from spade_jax.records import VerdictJournal
from spade_jax.screening import Known, Screened, Screening
from spade_jax.types import Context, PoolView, Proposal, Reason, Stage, StageResult, Verdict

ZERO = (0.0,) * len(NAMES)


def view(name: str, success: float | None, *place: float) -> PoolView:
    return PoolView(name, f"b{name}", "", name, (), success, place, True)


def context(*views: PoolView) -> Context:
    return Context(1, 7, views, ())


def numbers(*found: float, parents: tuple[str, ...] = (), pool: Context) -> dict[str, float]:
    (program,) = (p for p in seeds() if p.name == "key_door")
    smoke = {"runs": 64, "rewarded": 16, "mean_length": program.game.max_steps / 2}
    stages = (StageResult(Stage.SMOKE, True, 0.0, smoke),)
    verdict = Verdict("r1-0", True, Reason.OK, stages, features=found, stability=0.75)
    return dict(zip(NAMES, features(program, verdict, parents, pool), strict=True))


def row(value: float, success: float, *, survived: bool = True, in_band: bool = False) -> Row:
    probed = 256 if survived else 0
    return Row((value, *ZERO[1:]), survived, round(success * probed), probed, in_band)


# ---- what is read --------------------------------------------------------------------------------


def test_a_candidate_is_described_by_cost_structure_smoke_and_likeness() -> None:
    pool = context(view("a", 0.2, 0.0, 0.0), view("b", 0.8, 3.0, 4.0), view("c", None, 0.0, 0.0))
    found = numbers(0.0, 0.0, parents=("b", "a"), pool=pool)
    assert found["parent_success"] == 0.8
    assert found["parent_learnability"] == pytest.approx(0.64)
    # The usual success is 0.5 and weighs 1/e; b is too far away to count.
    assert found["like_success"] == pytest.approx((0.2 + 0.5 / np.e) / (1 + 1 / np.e), abs=1e-4)
    assert found["distance"] == 0.0
    assert (found["rewarded"], found["length"], found["stability"]) == (0.25, 0.5, 0.75)
    (program,) = (p for p in seeds() if p.name == "key_door")
    assert found["depth"] == program.cost.depth and found["players"] == 1
    assert found["fields"] == len(program.tree.fields) and found["branches"] > 0


def test_what_is_not_known_is_taken_to_be_usual() -> None:
    found = numbers(pool=context(view("a", 0.2), view("b", 0.4)), parents=("gone",))
    assert found["parent_success"] == found["like_success"] == pytest.approx(0.3)
    assert found["distance"] == 1.0
    assert numbers(pool=context())["parent_success"] == 0.5


# ---- what is learned -----------------------------------------------------------------------------


def test_the_regression_finds_the_rate_and_the_direction() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 2))
    targets = (rng.random(400) < 1 / (1 + np.exp(-2 * rows[:, 0]))).astype(float)
    model = fit(rows, targets, ridge=1.0)
    mean, low, high = model.predict(np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 3.0]]))
    # The logistic function of 0, 2 and −2.
    assert mean[:3] == pytest.approx([0.5, 0.881, 0.119], abs=0.06)
    assert mean[3] == pytest.approx(0.5, abs=0.15)
    assert (low < mean).all() and (mean < high).all()
    assert high[3] - low[3] > high[0] - low[0], "farther from what was seen, less is known"


def test_without_any_difference_between_rows_the_rate_is_predicted() -> None:
    model = fit(np.ones((40, 3)), np.repeat([1.0, 0.0], [30, 10]), ridge=4.0)
    mean, _, _ = model.predict(np.ones((1, 3)))
    assert mean[0] == pytest.approx(0.75, abs=0.01)


def test_it_says_nothing_before_it_has_seen_enough() -> None:
    predictor = Predictor().learn([row(0.0, 0.5)] * 23 + [row(0.0, 0.0, survived=False)] * 9)
    assert not predictor.ready and predictor.predict([ZERO]) == ()
    predictor = predictor.learn([row(0.0, 0.5)])
    assert predictor.ready and predictor.predict([]) == ()
    assert predictor.predict([ZERO])[0].success == pytest.approx(0.5, abs=0.01)


def test_survival_success_and_band_are_learned_apart() -> None:
    past = [row(x, 0.9, survived=x < 1) for x in (-1.0, 1.0) for _ in range(40)]
    past += [row(0.0, 0.4, in_band=True)] * 40
    low, middle, high = Predictor(tuple(past)).predict([(x, *ZERO[1:]) for x in (-1.0, 0.0, 1.0)])
    assert low.survive > middle.survive > high.survive and low.survive > 0.8 > 0.3 > high.survive
    assert low.success > 0.75 and middle.success < 0.55
    assert middle.band > 0.8 > 0.2 > low.band
    assert middle.promise == middle.survive * middle.band


def test_its_state_is_json_and_bounded() -> None:
    predictor = Predictor().learn([row(i / 8, 0.5, in_band=i % 2 == 0) for i in range(1100)])
    assert len(predictor.rows) == 1024 and predictor.rows[-1].features[0] == 1099 / 8
    state = json.loads(json.dumps(predictor.to_state()))
    assert Predictor.from_state(state) == predictor
    assert Predictor.from_state({}) == Predictor() == Predictor.from_state({**state, "names": []})


def test_what_a_clock_ended_and_what_was_not_probed_teaches_nothing() -> None:
    def verdict(number: int, reason: Reason, successes: int = 0, episodes: int = 0) -> Verdict:
        ok = reason is Reason.OK
        return Verdict(f"r1-{number}", ok, reason, successes=successes, episodes=episodes)

    verdicts = [
        verdict(0, Reason.OK, 128, 256),
        verdict(1, Reason.SCRIPT_WINS),
        verdict(2, Reason.TIMEOUT),
        verdict(3, Reason.NOT_PROBED),
        verdict(4, Reason.OK, 256, 256),
        verdict(5, Reason.SYNTAX),
    ]
    known = {f"r1-{i}": ZERO for i in range(5)}
    assert rows_of(known, verdicts, context()) == (
        Row(ZERO, True, 128, 256, True),
        Row(ZERO, False, 0, 0, False),
        Row(ZERO, True, 256, 256, False),
    )


# ---- who is chosen -------------------------------------------------------------------------------


def test_the_most_promising_are_chosen_and_a_quarter_of_others() -> None:
    expected = {f"r1-{i:02}": Prediction(1.0, 0.5, 0.4, 0.6, i / 20) for i in range(20)}
    chosen = choose(expected, 0.4, seed=3)
    assert len(chosen) == 8
    best = {f"r1-{i:02}" for i in range(14, 20)}
    assert best < chosen and chosen == choose(expected, 0.4, seed=3)
    assert {choose(expected, 0.4, seed=s) for s in range(9)} != {chosen}
    assert choose(expected, 1.0, seed=3) == set(expected)
    assert len(choose(expected, 0.01, seed=3)) == 1 and choose({}, 0.5, seed=3) == frozenset()


class Given:
    """Proposes the bundled seeds, and one text that is no program."""

    name = "given"

    def propose(self, context: Context, n: int) -> list[Proposal]:
        texts = [p.source for p in seeds()[: n - 1]] + ["nonsense"]
        return [Proposal("", text, self.name, "as given") for text in texts]

    def observe(self, outcomes: Any) -> None: ...

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Any) -> None: ...


class Closed:
    """Stands for workers that nothing should be asked of."""

    def submit(self, request: Any) -> Any:
        raise AssertionError(f"{request.id} was examined again")


@pytest.fixture
def taught() -> Predictor:
    """Expects that short programs lie in the band."""
    at = NAMES.index("length")

    def of(length: float, **what: Any) -> Row:
        return dataclasses.replace(
            row(0.0, 0.5, **what), features=(*ZERO[:at], length, *ZERO[at + 1 :])
        )

    return Predictor((of(0.1, in_band=True), of(0.9)) * 20)


def screened(
    folder: pathlib.Path, sandbox: Any, predictor: Predictor | None, share: float
) -> Screened:
    journal = VerdictJournal(folder / "verdicts.jsonl")
    screening = Screening(Given(), sandbox, journal, share)
    try:
        future = screening.start(
            context(), 5, (), folder / "none.npz", Known(), predictor=predictor
        )
        return future.result(120)
    finally:
        screening.close()
        journal.close()


def test_only_the_promising_are_examined_to_the_end(
    tmp_path: pathlib.Path, taught: Predictor
) -> None:
    with Sandbox(ExecutorConfig(nice=0)) as sandbox:
        found = screened(tmp_path, sandbox, taught, 0.5)
    assert [p.id for p in found.proposals] == [v.proposal_id for v in found.verdicts]
    assert set(found.predictions) == {f"r1-{i}" for i in range(4)}
    skipped = [v for v in found.verdicts if v.reason is Reason.NOT_PROBED]
    assert len(skipped) == 2 and not any(v.ok or v.episodes for v in skipped)
    for v in skipped:
        assert v.stages[-1].name is Stage.BEHAVIOUR and "others promised more" in v.error
    assert found.verdicts[-1].reason is Reason.SYNTAX
    last = [v.stages[-1].name for v in found.verdicts if v not in skipped][:-1]
    assert len(last) == 2 and set(last) == {Stage.PROBE}
    promise = {key: p.promise for key, p in found.predictions.items()}
    least_examined = min(promise[v.proposal_id] for v in found.verdicts[:-1] if v not in skipped)
    assert least_examined >= max(promise[v.proposal_id] for v in skipped)
    assert len(found.rows) == 2
    # A run that is done again reads it all back, whatever it would expect now.
    again = screened(tmp_path, Closed(), taught, 0.5)
    assert again == found


def test_at_a_share_of_one_it_is_a_witness(tmp_path: pathlib.Path, taught: Predictor) -> None:
    with Sandbox(ExecutorConfig(nice=0)) as sandbox:
        found = screened(tmp_path, sandbox, taught, 1.0)
        unready = screened(tmp_path, sandbox, Predictor(), 0.5)
    assert not [v for v in found.verdicts if v.reason is Reason.NOT_PROBED]
    assert set(found.predictions) == {f"r1-{i}" for i in range(4)} and len(found.rows) == 4
    assert unready.verdicts == found.verdicts and not unready.predictions
