"""Statistics, comparison and the HTML page, on run folders written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import run_folders as hand

from experiments.compare import table
from spade_jax.errors import UserError
from spade_jax.report import compare, read_run, stats, to_document
from spade_jax.report.figures import comparison_plot, svg
from spade_jax.report.summary import funnel, novelty, pool_at_end

# --- statistics: values worked out by hand ------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[1, 2, 3, 4, 5, 6, 7, 8]], 4.5),  # mean of 3, 4, 5, 6
        ([[8, 1], [7, 2], [6, 3], [5, 4]], 4.5),  # order and shape make no difference
        (
            [[0, 0, 0, 0, 1, 10]],
            1 / 6,
        ),  # quartile edges at 1.5 and 4.5: (0.5·0 + 0 + 0 + 0.5·1) / 3
        ([[7]], 7.0),
    ],
)
def test_inter_quartile_mean(values: list, expected: float) -> None:
    assert float(stats.iqm(np.array(values, dtype=float))) == pytest.approx(expected)


def test_inter_quartile_mean_keeps_leading_axes() -> None:
    scores = np.stack([np.arange(8.0).reshape(2, 4), 10 + np.arange(8.0).reshape(2, 4)])
    assert stats.iqm(scores) == pytest.approx([3.5, 13.5])


def test_student_interval_by_hand() -> None:
    # mean 2, s = 1, n = 3, t(0.975, 2) = 4.302653: half width 4.302653 / √3 = 2.484138
    interval = stats.t_interval(np.array([1.0, 2.0, 3.0]))
    assert (interval.value, interval.runs) == (2.0, 3)
    assert interval.low == pytest.approx(2 - 2.484138, abs=1e-5)
    assert interval.high == pytest.approx(2 + 2.484138, abs=1e-5)


def test_bootstrap_of_two_runs_by_hand() -> None:
    # Resamples of {0, 1}: mean 0 or 1 with probability 1/4 each, more than 2.5 % on either side.
    interval = stats.bootstrap(np.array([[0.0], [1.0]]), stats.mean)
    assert (interval.value, interval.low, interval.high) == (0.5, 0.0, 1.0)


def test_bootstrap_draws_whole_runs() -> None:
    # Both runs have mean 1/2 over their programs: no resample of whole runs differs from that.
    interval = stats.bootstrap(np.array([[0.0, 1.0], [1.0, 0.0]]), stats.mean)
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_bootstrap_covers_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(300):
        interval = stats.bootstrap(rng.normal(size=(20, 1)), stats.mean, draws=1000)
        covered += interval.low <= 0 <= interval.high
    assert 0.88 <= covered / 300 <= 0.98


def test_pairing_cancels_what_the_seed_gives_to_both() -> None:
    left = np.array([[0.1], [0.5], [0.9]])
    interval = stats.paired_difference(left + 0.1, left)
    assert [interval.value, interval.low, interval.high] == pytest.approx([0.1] * 3)
    with pytest.raises(ValueError, match="differ in shape"):
        stats.paired_difference(left, left[:2])


def test_one_run_has_no_interval() -> None:
    assert np.isnan(stats.bootstrap(np.array([[0.5, 0.7]]), stats.mean).low)
    assert np.isnan(stats.t_interval(np.array([0.5])).low)


# --- reading a run ------------------------------------------------------------------------------


def test_a_run_is_read_back(tmp_path: Path) -> None:
    run = read_run(hand.write_run(tmp_path / "r", seed=3, final=(0.1, 0.2, 0.3, 0.4)))
    assert (run.arm, run.seed, run.env_steps) == ("coevo", 3, 20_000)
    assert len(run.iterations) == 7
    assert len(run.rounds) == 2
    assert run.untrained is not None and run.untrained.mean == 0.0
    assert run.final is not None and run.final.programs["lantern"] == pytest.approx(0.3)


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    folder = hand.write_run(tmp_path / "r")
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "iteration", "iter')
    assert len(read_run(folder).iterations) == 7


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "config.yaml").unlink(), "is not a run folder"),
        (lambda f: (f / "config.yaml").write_text("a: ["), "is damaged"),
        (lambda f: (f / "metrics.jsonl").write_text("x\n{}\n"), "metrics.jsonl, line 1"),
        (lambda f: (f / "events.jsonl").write_text("[]\n"), "events.jsonl, line 1"),
        (lambda f: (f / "config.yaml").write_text("seed: x"), "is damaged"),
        (lambda f: (f / "metrics.jsonl").write_text('{"kind":"heldout"}\n'), "damaged heldout"),
        (lambda f: (f / "events.jsonl").write_text('{"kind":"pool"}\n'), "damaged pool line"),
        (lambda f: (f / "events.jsonl").write_text('{"kind":"candidate"}\n'), "damaged candidate"),
    ],
)
def test_damaged_folders_are_named(tmp_path: Path, spoil, message: str) -> None:
    folder = hand.write_run(tmp_path / "r")
    spoil(folder)
    with pytest.raises(UserError) as caught:
        read_run(folder)
    assert message in str(caught.value)


def wrong(kind: str, field: str, value: Any) -> Callable[[Path], None]:
    """Spoils one field of the last line of a kind: ``a.b`` is b in a, no value takes it out."""

    def spoil(folder: Path) -> None:
        events = [
            hand.candidate("r1-0", program="aa", admitted=True),
            hand.pool("admit", "aa", 1),
            hand.evaluation("aa", 0.5, 1),
        ]
        by_kind = {"candidate": events[:1], "pool": events[1:2], "evaluation": events[2:]}
        file = folder / ("events.jsonl" if kind in by_kind else "metrics.jsonl")
        lines = by_kind.get(kind) or [json.loads(line) for line in file.read_text().splitlines()]
        *path, name = field.split(".")
        found = next(line for line in reversed(lines) if line["kind"] == kind)
        for key in path:
            found = found[key]
        if value is None:
            del found[name]
        else:
            found[name] = value
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    return spoil


@pytest.mark.parametrize(
    ("kind", "field", "value", "message"),
    [
        ("round", "seconds", None, "it has no seconds"),
        ("round", "env_steps", "x", "env_steps is 'x', not a whole number"),
        ("round", "env_steps", True, "env_steps is True, not a whole number"),
        ("round", "env_steps", 10**30, "not a whole number"),
        ("round", "histogram", "abc", "histogram is 'abc', not a list"),
        ("round", "histogram", [1, 2], "histogram has 2 values, not 10"),
        ("round", "profile", [{"skill": "x"}], "an item of profile has no mean"),
        ("round", "difficulties", {"a": []}, "difficulties.a is [], not a number"),
        ("iteration", "residents", [1], "residents is [1], not fields of its own"),
        ("iteration", "residents", {"a": {}}, "residents.a has no "),
        ("iteration", "kl", "0", "kl is '0', not a number"),
        ("heldout", "programs", {}, "it has no programs"),
        ("heldout", "programs", {"a": {"successes": 1}}, "programs.a has no episodes"),
        ("candidate", "proposal.id", 5, "Proposal: id is 5, not a text"),
        ("candidate", "proposal.parents", [1], "Proposal: an item of parents is 1, not a text"),
        ("candidate", "verdict.program_hash", 5, "5 is no program hash"),
        ("candidate", "verdict.stages", 5, "Verdict: stages is 5, not a list"),
        ("candidate", "round", "1", "round is '1', not a whole number"),
        ("pool", "event.evidence", 3, "PoolEvent: evidence is 3, not fields of its own"),
        ("pool", "program.history", [[1, 2]], "an item of history has 2 values, not 3"),
        ("evaluation", "mean", "zz", "Evaluation: mean is 'zz', not a number"),
    ],
)
def test_a_field_of_another_type_is_a_damaged_line(
    tmp_path: Path, kind: str, field: str, value: Any, message: str
) -> None:
    folder = hand.write_run(tmp_path / "r")
    wrong(kind, field, value)(folder)
    with pytest.raises(UserError) as caught:
        read_run(folder)
    assert f"damaged {kind} line (" in str(caught.value) and message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("curator: 5", "curator is 5, not fields of its own"),
        ("curator: {band: [0.1]}", "band has 1 values, not 2"),
        ("- 1", "it is [1], not fields of its own"),
    ],
)
def test_a_configuration_of_another_kind_is_damaged(
    tmp_path: Path, text: str, message: str
) -> None:
    folder = hand.write_run(tmp_path / "r")
    (folder / "config.yaml").write_text(text)
    with pytest.raises(UserError, match="is damaged: ") as caught:
        read_run(folder)
    assert message in str(caught.value)


def test_missing_folder() -> None:
    with pytest.raises(UserError, match="no such run folder: nowhere"):
        read_run("nowhere")


# --- comparison ---------------------------------------------------------------------------------


def _runs(tmp_path: Path, fixed_steps: int = 20_000) -> list:
    runs = []
    for seed, shift in enumerate((0.0, 0.02, 0.04)):
        better = [0.4 + shift, 0.5 + shift, 0.6 + shift, 0.7 + shift]
        worse = [score - 0.1 for score in better]
        for arm, final, steps in (("coevo", better, 20_000), ("fixed", worse, fixed_steps)):
            folder = tmp_path / f"{arm}-{seed}"
            runs.append(
                read_run(
                    hand.write_run(
                        folder, arm=arm, seed=seed, final=final, untrained=(0.05,) * 4, steps=steps
                    )
                )
            )
    return runs


def test_comparison_by_hand(tmp_path: Path) -> None:
    result = compare(_runs(tmp_path))
    coevo, fixed = result.arms
    assert (coevo.name, coevo.seeds, fixed.name) == ("coevo", (0, 1, 2), "fixed")
    assert coevo.mean.value == pytest.approx(0.57)  # 0.55 + mean shift 0.02
    assert fixed.mean.value == pytest.approx(0.47)
    assert coevo.improvement is not None
    assert coevo.improvement.value == pytest.approx(0.52)
    assert coevo.improvement.low == pytest.approx(0.50)
    assert coevo.families["bridge"].value == pytest.approx(0.42)
    assert coevo.worst == "bridge"
    (difference,) = result.differences
    assert (difference.left, difference.right, difference.seeds) == ("coevo", "fixed", (0, 1, 2))
    assert [difference.mean.value, difference.mean.low] == pytest.approx([0.1, 0.1])
    assert result.warnings == ()


def test_unequal_budgets_are_said(tmp_path: Path) -> None:
    (warning,) = compare(_runs(tmp_path, fixed_steps=30_000)).warnings
    assert "did not spend the same number of environment steps" in warning


def test_the_document_is_strict_json_with_the_raw_numbers(tmp_path: Path) -> None:
    runs = _runs(tmp_path)[:2]
    document = json.loads(json.dumps(to_document(compare(runs), runs), allow_nan=False))
    assert document["arms"][0]["mean"]["low"] is None
    assert document["runs"][0]["heldout"][-1]["programs"]["bridge"] == pytest.approx(0.4)


def test_the_table_has_a_row_for_every_family(tmp_path: Path) -> None:
    text = table(compare(_runs(tmp_path)))
    assert all(family in text for family in hand.FAMILIES)
    assert re.search(r"coevo − fixed, 3 paired seeds: mean 0\.100 \[0\.100, 0\.100\]", text)


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    run = read_run(hand.write_run(tmp_path / "a"))
    twin = read_run(hand.write_run(tmp_path / "b"))
    with pytest.raises(UserError, match="two runs of arm 'coevo' have seed 0"):
        compare([run, twin])
    (tmp_path / "a" / "metrics.jsonl").write_text("")
    with pytest.raises(UserError, match="no held-out measurement yet"):
        compare([read_run(tmp_path / "a")])
    with pytest.raises(UserError, match="no runs"):
        compare([])


def test_figures_are_the_same_bytes_twice(tmp_path: Path) -> None:
    runs = _runs(tmp_path)
    comparison = compare(runs)
    assert svg(comparison_plot(comparison, runs)) == svg(comparison_plot(comparison, runs))


# --- what the candidates came to ----------------------------------------------------------------


def test_funnel_and_novelty(tmp_path: Path) -> None:
    new = {"seed": False, "operator": "swap", "generator": "evolve"}
    events = [
        hand.pool("admit", "p0", skeleton_hash="old", behaviour_hash="seed"),
        hand.candidate("r1-0", reason="syntax"),
        hand.candidate("r1-1", reason="too_easy"),
        hand.candidate("r1-2", reason="too_easy"),
        hand.candidate("r1-3", program="p3", admitted=True),
        hand.pool("admit", "p3", skeleton_hash="a", behaviour_hash="x", skills=["memory"], **new),
        # Plays like p3.
        hand.pool("admit", "p4", skeleton_hash="a", behaviour_hash="x", skills=["puzzle"], **new),
        # A seed's skeleton, but another behaviour.
        hand.pool("admit", "p5", skeleton_hash="old", skills=["navigation", "memory"], **new),
        # Another skeleton that behaves like a seed.
        hand.pool("admit", "p6", skeleton_hash="b", behaviour_hash="seed", **new),
        # Parameter moves are counted apart.
        hand.pool("admit", "p7", **new | {"operator": "parameters", "skills": ["contest"]}),
        # Out and in again: not admitted twice.
        hand.pool("evict", "p3"),
        hand.pool("admit", "p3", **new),
    ]
    run = read_run(hand.write_run(tmp_path / "r", events=events))
    assert funnel(run.candidates) == {"syntax": 1, "too_easy": 2, "admitted": 1}
    result = novelty(run)
    assert (result.proposed, result.admitted, result.parameter_moves) == (4, 5, 1)
    assert (result.skeletons, result.distinct) == (2, 2)
    assert result.skills == ("memory", "navigation")


def test_the_pool_at_the_end_replays_its_changes(tmp_path: Path) -> None:
    changes = [
        ("admit", "a"),
        ("admit", "b"),
        ("evict", "a"),
        ("quarantine", "b"),
        ("restore", "b"),
    ]
    events = [hand.pool(change, program) for change, program in changes]
    assert pool_at_end(read_run(hand.write_run(tmp_path / "r", events=events))) == ["b"]


# --- the page -----------------------------------------------------------------------------------


class _Page(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _page(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    return page


@pytest.fixture(scope="module")
def seeds():
    from envs_dsl import library

    return library.seeds()


def test_the_report_is_self_contained_and_complete(tmp_path: Path, seeds) -> None:
    from spade_jax.report.page import write_report

    first, second = seeds[0], seeds[1]
    key, other = first.hashes.program, second.hashes.program
    made = {"seed": False, "generator": "evolve", "operator": "swap", "parents": [other]}
    events = [
        hand.pool("admit", other, source=second.source, name=second.name),
        hand.candidate("r1-0", source=first.source, program=key, admitted=True, parents=[other]),
        hand.pool("admit", key, round=1, source=first.source, name=first.name, **made),
        hand.candidate("r1-1", reason="syntax"),
        *(hand.evaluation(key, mean, round=i + 1) for i, mean in enumerate((0.3, 0.5, 0.6))),
    ]
    run = read_run(hand.write_run(tmp_path / "coevo", events=events))
    fixed = read_run(hand.write_run(tmp_path / "fixed", arm="fixed", final=(0.2,) * 4))
    file = write_report(run, fixed)
    assert file == tmp_path / "coevo" / "report.html"
    page = _page(file.read_text(encoding="utf-8"))
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) >= 5 + 2 + 1  # figures, two boards, one sparkline
    assert all((image["src"] or "").startswith("data:image/") for image in images)
    assert all(image["alt"] for image in images)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert not [a for _, a in page.tags for name in a if name.startswith("on") or name == "href"]
    text = " ".join(page.text)
    assert first.name in text and second.name in text
    assert f"evolve: swap of {second.name}" in text
    assert all(family in text for family in hand.FAMILIES)
    assert "1 were admitted" in text


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    from spade_jax.report.page import render_report

    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    events = [
        hand.candidate("r0-0", source=evil, program="p" * 16, admitted=True, operator=evil),
        hand.pool("admit", "p" * 16, source=evil, name=evil, operator=evil, seed=False),
    ]
    page = _page(render_report(read_run(hand.write_run(tmp_path / "r", events=events))))
    assert "script" not in {tag for tag, _ in page.tags}
    assert not [a for _, a in page.tags if "onerror" in a]
    assert evil in "".join(page.text)


def test_the_report_says_where_programs_came_from_and_what_was_chosen(
    tmp_path: Path, seeds
) -> None:
    from spade_jax.report.page import render_report

    evil = "<script>alert(1)</script>"
    first, second = seeds[0], seeds[1]
    key, other = first.hashes.program, second.hashes.program
    made = hand.candidate(
        "r1-0",
        source=first.source,
        program=key,
        admitted=True,
        parents=[other],
        operator="idea",
        round=1,
    )
    made["proposal"]["generator"] = "llm"
    made["proposal"]["receipt"] = {
        "idea": {"title": f"Ferry {evil}"},
        "model": "tiny-1",
        "prompt": {"hash": "0123abcd", "files": ["a.j2", "b.j2"]},
        "repairs": 2,
        "raw": "x" * 5000,
        "choices": {"source": ["llm"], "theme": [f"food {evil}"], "few_shot": "near"},
        "ensemble": {"source": "llm", "asked": {"llm": 1}, "given": {"llm": 1}},
    }
    events = [
        hand.pool("admit", other, source=second.source, name=second.name),
        made,
        hand.pool("admit", key, round=1, source=first.source, name=evil, seed=False),
        hand.candidate("r1-1", reason="syntax", round=1),
        hand.candidate("r2-0", operator="swap+graft", round=2),
    ]
    page = _page(render_report(read_run(hand.write_run(tmp_path / "r", events=events))))
    assert "script" not in {tag for tag, _ in page.tags}
    text = " ".join(" ".join(page.text).split())
    assert f"Ferry {evil}" in text and "tiny-1" in text and "0123abcd" in text
    assert f"{second.name} ({other})" in text
    assert "a.j2, b.j2" in text and "(5000 characters)" in text and "x" * 500 not in text
    alts = [a["alt"] or "" for tag, a in page.tags if tag == "img"]
    assert any(
        alt.startswith("Proposals a round by source; in all evolve 2, llm 1") for alt in alts
    )
    assert any("operator; in all swap 2, graft 1, idea 1" in alt for alt in alts)
    assert not any("few_shot" in alt for alt in alts), "one name is no choice"
    assert "waits for a verdict" in text


def test_choices_are_counted_by_round_with_what_came_of_them(tmp_path: Path) -> None:
    from spade_jax.report.choices import choices

    def made(name: str, round: int, theme: str, **values) -> dict:
        line = hand.candidate(name, round=round, **values) | {"novelty": 0.5}
        line["proposal"]["receipt"] = {"choices": {"theme": theme}}
        line["verdict"] |= {"successes": 64, "episodes": 128}
        return line

    events = [
        made("r1-0", 1, "food", admitted=True),
        made("r1-1", 1, "sport", reason="syntax"),
        made("r2-0", 2, "food"),
        made("r3-0", 3, "food"),
    ]
    found = choices(read_run(hand.write_run(tmp_path / "r", events=events)))
    food, sport = found["theme"]
    assert (food.name, food.proposals, food.passed, food.admitted) == ("food", 3, 3, 1)
    assert food.by_round == {1: 1, 2: 1, 3: 1} and sport.by_round == {1: 1}
    # (1 + 0.5) / 2, and twice a quarter of it.
    assert food.reward == pytest.approx((0.75 + 2 * 0.1875) / 3) and sport.reward == 0
    assert list(found) == ["source", "operator", "theme"]


def test_calibration_compares_what_was_said_with_what_was(tmp_path: Path) -> None:
    from spade_jax.report.calibration import Bin, calibration
    from spade_jax.report.page import render_report

    def line(name: str, survive: float, success: float, band: float) -> dict:
        values = {"survive": survive, "success": success, "low": 0.0, "high": 1.0, "band": band}
        return {"kind": "prediction", "round": 1, "proposal_id": name, "probed": True, **values}

    def candidate(name: str, reason: str, successes: int) -> dict:
        found = hand.candidate(name, reason=reason)
        episodes = 100 if reason == "ok" else 0
        found["verdict"] |= {"successes": successes, "episodes": episodes}
        return found

    events = [
        candidate("r1-0", "ok", 50),
        line("r1-0", 0.9, 0.4, 1.0),
        candidate("r1-1", "script_wins", 0),
        line("r1-1", 0.5, 0.5, 0.5),
        candidate("r1-2", "ok", 100),
        line("r1-2", 0.9, 0.9, 0.2),
        candidate("r1-3", "not_probed", 0),
        line("r1-3", 0.1, 0.1, 0.1),
        candidate("r1-4", "timeout", 0),
        line("r1-4", 0.1, 0.1, 0.1),
    ]
    run = read_run(hand.write_run(tmp_path / "r", events=events))
    survive, success, band = calibration(run)
    assert (survive.count, success.count, band.count) == (3, 2, 2)
    assert survive.error == pytest.approx((0.01 + 0.25 + 0.01) / 3)
    assert survive.base == pytest.approx(2 / 9)
    assert survive.bins == (Bin(0.5, 0.0, 1), Bin(0.9, 1.0, 2))
    assert success.error == pytest.approx((0.01 + 0.01) / 2)
    assert band.error == pytest.approx(0.04 / 2) and band.base == 0.25
    assert "passes the executor" in render_report(run)
    assert calibration(read_run(hand.write_run(tmp_path / "none"))) == ()


def test_a_damaged_prediction_is_named(tmp_path: Path) -> None:
    folder = hand.write_run(tmp_path / "r", events=[{"kind": "prediction", "proposal_id": "a"}])
    with pytest.raises(UserError, match="damaged prediction line"):
        read_run(folder)


def test_a_run_that_has_only_begun_has_a_report(tmp_path: Path) -> None:
    from spade_jax.report.page import render_report

    folder = hand.write_run(tmp_path / "r")
    (folder / "metrics.jsonl").unlink()
    (folder / "events.jsonl").unlink()
    html = render_report(read_run(folder))
    assert "No held-out measurement" in html
    assert "No success rates of the pool" in html
