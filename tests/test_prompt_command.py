"""``experiments.prompt``: what would be sent is shown, and is what a run would send."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import yaml
from tiny_runs import TINY

from envs_dsl import library
from experiments import _cli, prompt
from experiments.config import to_plain
from spade_jax import checkpoint, curator
from spade_jax.coevolution import context_of
from spade_jax.generator.llm.prompt import aim as draw_aim
from spade_jax.generator.llm.prompt import brief_of, ideas, recent_failures, rng_of
from spade_jax.run_state import RunState, context_at
from spade_jax.types import (
    Outcome,
    PoolEntry,
    Proposal,
    Reason,
    SkillEstimate,
    Verdict,
    to_json,
)

PROFILE = (SkillEstimate("memory", 0.1, 0.05, 0.15, 2, 512),)
OUTCOME = Outcome(
    Proposal("r2-0", "x", "llm", "program"),
    Verdict("r2-0", False, Reason.NOOP_WINS, error="standing still wins 0.41 of 64 episodes"),
    False,
    "noop_wins",
)


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


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder between rounds 2 and 3, with no learner in its checkpoint."""
    config = dataclasses.replace(TINY, seed=7)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(to_plain(config)))
    meta = {
        "round": 3,
        "pool": curator.to_state(a_pool()),
        "profile": [to_json(p) for p in PROFILE],
        "outcomes": [to_json(OUTCOME)],
    }
    checkpoint.save(tmp_path / "checkpoints", 3, {}, meta)
    return tmp_path


@pytest.mark.parametrize("kind", ["ideas", "program", "edit", "hole", "repair"])
def test_a_new_run(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--fresh", "--kind", kind) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("[system]\n") and "\n[user]\n" in shown and "## Your task" in shown
    receipt = json.loads(shown.rpartition("[receipt]\n")[2])
    assert receipt["kind"] == kind and receipt["tokens"] <= receipt["budget"] == 2_500


def test_a_run_shows_what_it_would_send(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(str(run), "--kind", "ideas", "--budget", "9000", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    config = dataclasses.replace(TINY, seed=7)
    context = context_at(3, a_pool(), PROFILE, config)
    state = RunState(3, 0, a_pool(), None, None, profile=PROFILE)  # type: ignore[arg-type]
    assert context == context_of(state, config)
    rng = rng_of(context)
    aim = draw_aim(context, rng)
    failures = recent_failures([OUTCOME])
    made = ideas(brief_of(context, aim, rng, budget=9_000, failures=failures))
    assert shown["messages"] == [dataclasses.asdict(m) for m in made.messages]
    assert shown["receipt"] == made.receipt
    text = shown["messages"][1]["content"]
    assert "memory: wins 0.10" in text and "standing still wins 0.41" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name a run folder, or --fresh"),
        (["{run}", "--fresh"], "name a run folder, or --fresh"),
        (["nowhere", "--kind", "ideas"], "nowhere is not a run folder"),
        (["{run}", "--skill", "memry"], "did you mean memory?"),
        (["{run}", "--budget", "300"], "tokens at least, the budget is 300"),
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
