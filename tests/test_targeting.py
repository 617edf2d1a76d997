"""Whether requests steer: counted by hand, and read from collections and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_folders import candidate

from envs_dsl import library
from envs_dsl.behaviour_features import FEATURES
from envs_dsl.skills import compare, evidence_of
from experiments import targeting as command
from spade_jax.errors import UserError
from spade_jax.report.targeting import Case, matches, moves, steering

SEEDS = tuple(library.seeds())


def case(skill: str, direction: str = "", success: float | None = None, **more) -> Case:
    played = {} if success is None else {"learner": success}
    return Case("p", skill, "", direction, (skill,), success=played, **more)


def test_a_request_that_is_always_met_against_requests_dealt_out_at_random() -> None:
    told = matches(["a", "a", "b", "b"], [["a"], ["a"], ["b"], ["b"]])
    assert told is not None
    assert (told["hits"], told["of"], told["share"], told["chance"]) == (4, 4, 1.0, 0.5)
    # 4 of the 24 ways to deal four requests out meet all of them.
    assert told["p"] == pytest.approx(4 / 24, abs=0.02)
    assert told["lift"] == 0.5 and told["lift_low"] < 0.5 <= told["lift_high"]
    # Wilson's interval of 4 in 4.
    assert told["low"] == pytest.approx(0.5101, abs=1e-4) and told["high"] == 1.0


def test_programs_that_have_everything_meet_every_request_by_chance() -> None:
    told = matches(["a", "b", "c"], [["a", "b", "c"]] * 3)
    assert told is not None
    assert told["share"] == told["chance"] == 1.0 and told["p"] == 1.0
    assert told["lift"] == told["lift_low"] == told["lift_high"] == 0.0


def test_within_a_group_only_its_own_requests_are_dealt_out() -> None:
    # What is asked for goes with the group, and every program of the group has it.
    wanted, found, groups = ["a", "a", "b", "b"], [["a"], ["a"], ["b"], ["b"]], ["x", "x", "y", "y"]
    told = matches(wanted, found, groups=groups)
    assert told is not None and (told["chance"], told["p"], told["lift"]) == (1.0, 1.0, 0.0)
    assert matches([], []) is None


def test_harder_is_compared_within_a_skill() -> None:
    # The easy skill was asked to be harder, the hard one was not: no difference within either.
    apart = [case("a", "harder", 0.9)] * 3 + [case("b", "same", 0.1)] * 3
    assert steering(apart)["harder"]["learner"] is None
    mixed = [*apart, case("a", "same", 0.9), case("b", "harder", 0.1)]
    told = steering(mixed)["harder"]["learner"]
    assert (told["of"], told["harder"], told["difference"]) == (8, 4, pytest.approx(0.0))
    listened = [case("a", "harder", 0.2)] * 6 + [case("a", "same", 0.6)] * 6
    told = steering(listened)["harder"]["learner"]
    assert told["difference"] == pytest.approx(-0.4) and told["p"] < 0.01
    assert steering(listened)["harder"]["random"] is None


def test_moves_from_a_parent_are_counted_by_what_was_asked() -> None:
    told = moves(
        [
            case("a", "harder", 0.4, parent_success=0.9),
            case("a", "harder", 1.0, parent_success=0.8),
            case("a", "easier", 0.3, parent_success=0.1),
            case("a", "easier", None, parent_success=0.1),
            case("a", "same", 0.5),
        ]
    )
    assert told == {
        "easier": {"of": 1, "harder": 0, "easier": 1, "change": pytest.approx(0.2)},
        "harder": {"of": 2, "harder": 1, "easier": 1, "change": pytest.approx(-0.15)},
    }
    assert moves([case("a", "same", 0.5)]) is None


def aim(skill: str, direction: str = "same") -> dict:
    return {"skill": skill, "direction": direction, "mechanism": "seats"}


def collection(folder: Path) -> Path:
    (folder / "programs").mkdir(parents=True)
    lines = []
    for program in SEEDS[:3]:
        (folder / "programs" / f"{program.name}.py").write_text(program.source)
        receipt = {
            "name": program.name, "prompt": {"aim": aim("navigation")},
            "probe": {"success": 0.25}, "triviality": {"random": 0.5},
            "features": [0.0] * len(FEATURES),
        }  # fmt: skip
        lines.append(json.dumps(receipt) + "\n")
    (folder / "receipts.jsonl").write_text("".join(lines))
    return folder


def test_a_collection_is_read_and_its_skills_verified_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = collection(tmp_path / "c"), tmp_path / "out" / "t.json"
    cases = command.cases_of(str(folder))
    assert [c.skills for c in cases] == [
        tuple(compare(p, evidence_of(p)).verified) for p in SEEDS[:3]
    ]
    assert cases[0].success == {"random": 0.5, "learner": 0.25}
    assert command.main([str(folder), "--out", str(out)]) == 0
    told = json.loads(out.read_text())[str(folder)]
    assert told["programs"] == 3 and told["mechanism"]["hits"] == 0
    assert capsys.readouterr().out.rstrip() == out.with_suffix(".txt").read_text().rstrip()
    assert out.with_suffix(".png").read_bytes()[:4] == b"\x89PNG"
    first = out.with_suffix(".png").read_bytes()
    assert command.main([str(folder), "--out", str(out), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {str(folder)}
    assert out.with_suffix(".png").read_bytes() == first


def test_a_run_tells_what_was_asked_of_an_edit_and_of_which_parent(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml").write_text("seed: 0\n")
    (run / "metrics.jsonl").write_text("")
    parent = "p" * 16
    edited = candidate("r2-0", source=SEEDS[0].source, parents=[parent], round=2)
    edited["proposal"]["receipt"] = {
        "aim": aim("memory", "same"), "prompt": {"aim": aim("memory", "harder")},
    }  # fmt: skip
    edited["verdict"] |= {"features": [1.0] * len(FEATURES), "successes": 1, "episodes": 4}
    unplayed = candidate("r2-1", source=SEEDS[0].source)
    unplayed["proposal"]["receipt"] = {"aim": aim("memory")}
    mutant = candidate("r2-2", source=SEEDS[0].source)
    counts = {"iteration": 1, "successes": 1, "episodes": 2, "env_steps": 9}
    lines = [
        {"kind": "evaluation", "round": r, "program_hash": key, **counts}
        | {"mean": mean, "low": 0.0, "high": 1.0}
        for r, key, mean in ((0, parent, 0.5), (1, parent, 0.9), (1, "q" * 16, 0.1), (2, parent, 0))
    ]
    lines += [{"kind": "candidate", **c} for c in (edited, unplayed, mutant)]
    (run / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (found,) = command.cases_of(str(run))
    assert (found.name, found.skill, found.direction) == ("r2-0", "memory", "harder")
    assert (found.success, found.parent_success) == ({"learner": 0.25}, 0.9)
    assert "seats" in found.mechanisms


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither `corpus`"):
        command.main([str(tmp_path)])
    folder = collection(tmp_path / "c")
    (folder / "programs" / f"{SEEDS[1].name}.py").unlink()
    with pytest.raises(UserError, match=f"{SEEDS[1].name}.py is missing"):
        command.main([str(folder)])
    (folder / "receipts.jsonl").write_text('{"name": "x"}\n')
    (folder / "programs" / "x.py").write_text(SEEDS[0].source)
    with pytest.raises(UserError, match="receipt of 'x'"):
        command.main([str(folder)])
    (folder / "receipts.jsonl").write_text("")
    with pytest.raises(UserError, match="no program"):
        command.main([str(folder)])
