"""``experiments.prompt``: what would be sent is shown, and is what a run would send."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import yaml
from scripted_model import Scripted
from tiny_runs import TINY

from envs_dsl import library
from experiments import _cli, prompt
from experiments.config import to_plain
from spade_jax import checkpoint, curator
from spade_jax.coevolution import context_of
from spade_jax.generator import Nothing
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.ensemble import Ensemble
from spade_jax.generator.llm.prompt import Failure, corpus_shots
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.run_state import RunState, context_at
from spade_jax.types import (
    Context,
    Outcome,
    PoolEntry,
    Proposal,
    Reason,
    SkillEstimate,
    Verdict,
    to_json,
)

PROFILE = (SkillEstimate("memory", 0.1, 0.05, 0.15, 2, 512),)
NAME = "llm:scripted"
OUTCOME = Outcome(
    Proposal(
        "r2-0", "x", NAME, "program", round=2,
        receipt={"ensemble": {"source": NAME, "asked": {NAME: 1}, "given": {NAME: 1}}},
    ),
    Verdict("r2-0", False, Reason.NOOP_WINS, error="standing still wins 0.41 of 64 episodes"),
    False,
    "noop_wins",
)  # fmt: skip


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(prompt.main, list(words))
    return int(stop.value.code or 0)


def a_pool() -> curator.Pool:
    found = []
    for program in library.seeds()[:4]:
        key, skeleton = program.hashes.program, program.hashes.skeleton
        origin = ("seeds", "seed", (), 0)
        found.append(
            PoolEntry(key, skeleton, f"b-{program.name}", program.source, program.name,
                      *origin, program.game.skills, (), 1.0)
        )  # fmt: skip
    return curator.start(found)[0]


def a_run(
    folder: Path, generator: str = "evolve", state: object = (), llm: LlmConfig | None = None
) -> Path:
    """A run folder between rounds 2 and 3, with no learner in its checkpoint."""
    config = dataclasses.replace(
        TINY, seed=7, generator=generator, llm=llm or LlmConfig(), candidates_per_round=8
    )
    (folder / "config.yaml").write_text(yaml.safe_dump(to_plain(config)))
    meta = {
        "round": 3,
        "pool": curator.to_state(a_pool()),
        "profile": [to_json(p) for p in PROFILE],
        "outcomes": [to_json(OUTCOME)],
        "generator": dict(state),  # type: ignore[call-overload]
    }
    checkpoint.save(folder / "checkpoints", 3, {}, meta)
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return a_run(tmp_path)


@pytest.mark.parametrize("kind", ["ideas", "program", "edit", "hole", "repair"])
def test_a_new_run(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--fresh", "--kind", kind) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("[system]\n") and "\n[user]\n" in shown and "## Your task" in shown
    receipt = json.loads(shown.rpartition("[receipt]\n")[2])
    assert receipt["kind"] == kind and receipt["tokens"] <= receipt["budget"]
    assert receipt["budget"] == (1_250 if kind == "hole" else 2_500)  # a piece takes half of it


def context() -> Context:
    """What a generator is told in that run's next round."""
    config = dataclasses.replace(TINY, seed=7)
    told = context_at(3, a_pool(), PROFILE, config)
    state = RunState(3, 0, a_pool(), None, None, profile=PROFILE)  # type: ignore[arg-type]
    assert told == context_of(state, config)
    return told


def asked(backend: Scripted, kind: str = "ideas") -> list[dict[str, str]]:
    """The messages of the first request of a kind that it got."""
    kind = "edit" if kind == "hole" else kind
    request = next(r for call in backend.calls for r in call if r.kind == kind)
    return [dataclasses.asdict(m) for m in request.messages]


def a_model(llm: LlmConfig, backend: Scripted) -> LanguageModel:
    """One that has been through a few rounds."""
    model = LanguageModel(backend, llm, name=NAME)
    model.failures = (Failure("unsolvable", "no play wins"),)
    model.titles = ("Night bakery",)
    model.ladder.help = 1
    model.bandit.learn([({"few_shot": ["bundled"], "theme": ["kitchen"]}, 1.0)] * 40)
    return model


def shown(run: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict:
    capsys.readouterr()
    assert call(str(run), *words, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("kind", "freedom", "ideas"),
    [
        ("ideas", "program", 3), ("program", "program", 0), ("edit", "edit", 0),
        ("hole", "holes", 0), ("edit", "auto", 3), ("program", "auto", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("budget", [2_500, 9_000])
def test_a_run_shows_what_it_would_send(
    kind: str, freedom: str, ideas: int, budget: int, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """To the letter, and with the corpus among the examples."""
    llm = LlmConfig(freedom=freedom, ideas_per_request=ideas, prompt_budget=budget)  # type: ignore[arg-type]
    backend = Scripted(lambda request, number: "no")
    model = a_model(llm, backend)
    run = a_run(tmp_path, NAME, model.state_dict(), llm)
    model.observe([OUTCOME])
    model.propose(context(), 8)
    found = shown(run, capsys, "--kind", kind)
    assert found["messages"] == asked(backend, kind)
    text = found["messages"][1]["content"]
    if budget == 9_000:
        assert set(found["receipt"]["shots"]) & {s.program_hash for s in corpus_shots()}
        assert "no play wins" in text and "standing still wins 0.41" in text
        assert kind != "ideas" or ("memory: wins 0.10" in text and "Night bakery" in text)


def test_a_model_among_other_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    llm = LlmConfig(freedom="program")
    backend = Scripted(lambda request, number: "no")
    mixed = Ensemble([Nothing(), a_model(llm, backend)])
    run = a_run(tmp_path, f"none+{NAME}", mixed.state_dict(), llm)
    mixed.observe([OUTCOME])
    mixed.propose(context(), 9)
    assert shown(run, capsys, "--kind", "ideas")["messages"] == asked(backend)


def test_a_run_without_a_model_shows_what_a_new_one_would_be_asked(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backend = Scripted(lambda request, number: "no")
    LanguageModel(backend, LlmConfig()).propose(context(), 8)
    assert shown(run, capsys, "--kind", "ideas")["messages"] == asked(backend)


def test_how_many_are_asked_for_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    llm = LlmConfig(freedom="auto", ideas_per_request=2)
    found = {}
    for n in (2, 3, 5):
        backend = Scripted(lambda request, number: "no")
        model = a_model(llm, backend)
        (tmp_path / str(n)).mkdir()
        run = a_run(tmp_path / str(n), NAME, model.state_dict(), llm)
        model.observe([OUTCOME])
        model.propose(context(), n)
        found[n] = shown(run, capsys, "--kind", "edit", "--proposals", str(n))["messages"]
        assert found[n] == asked(backend, "edit")
    assert found[2] != found[3] or found[2] != found[5]  # another program is to be changed


def test_a_skill_can_be_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for skill in ("puzzle", "contest"):
        assert shown(run, capsys, "--skill", skill)["receipt"]["aim"]["skill"] == skill


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a run folder, or --fresh"),
        (["{run}", "--fresh"], "name a run folder, or --fresh"),
        (["nowhere", "--kind", "ideas"], "nowhere is not a run folder"),
        (["{run}", "--skill", "memry"], "did you mean memory?"),
        (["{run}", "--budget", "300"], "tokens at least, the budget is 300"),
        (["{run}", "--budget", "0"], "it must be at least 1"),
        (["{run}", "--proposals", "0"], "--proposals must be at least 1"),
    ],
)
def test_wrong_usage(
    words: list[str], message: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*(w.format(run=run) for w in words)) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_run_without_a_checkpoint(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (run / "checkpoints").rglob("meta.json"):
        file.write_text("{}")
    assert call(str(run)) == 2
    assert "has no checkpoint yet; --fresh shows" in capsys.readouterr().err
