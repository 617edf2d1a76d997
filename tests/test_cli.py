"""The commands from outside: help, exit codes, one-line errors, progress."""

from __future__ import annotations

import errno
import io
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import run_folders as hand
from rich.console import Console

from experiments import _cli, _run, compare, inspect, report
from experiments.coevo import ABOUT
from experiments.progress import Plan, Progress, Tracker, bars
from spade_jax import coevolution
from spade_jax.config import Config
from spade_jax.errors import UserError
from spade_jax.generator import Awaiting, generator_names
from spade_jax.generator.specs import PREFIXES, parts_of

COMMANDS = (
    "audit",
    "baseline",
    "coevo",
    "compare",
    "export",
    "generate",
    "inspect",
    "prompt",
    "replay",
    "report",
    "train",
)


def _call(command, *words: str) -> int:
    """Exit code of a command run in this process."""
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(command, list(words))
    return int(stop.value.code or 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"experiments.{name}", "--help"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Examples:" in done.stdout
    assert f"python -m experiments.{name}" in done.stdout


def test_a_run_that_awaits_answers_says_so_and_how_to_go_on(tmp_path, monkeypatch, capsys) -> None:
    def awaiting(*_: object, **__: object) -> None:
        raise Awaiting("batch:b: 3 of 3 requests have no answer")

    monkeypatch.setattr(coevolution, "run", awaiting)
    code = _run.execute(Config(), tmp_path / "run", resume=False, title="test")
    assert code == 75
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("batch:b: 3 of 3 requests have no answer; go on with: python -m exper")
    assert last.endswith(f"--run-dir {tmp_path / 'run'} --resume")


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (UserError("no such thing"), 2, "no such thing"),
        (UserError("the answer\nis no", exit_code=1), 1, "the answer is no"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x.py"), 2, "x.py"),
        (OSError(errno.ENOSPC, "No space left on device", "m.jsonl"), 1, "disk full"),
        (RuntimeError("tensorstore: No space left on device [x]"), 1, "--resume"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("boom"), 1, "unexpected ZeroDivisionError: boom (traceback in"),
    ],
)
def test_errors_are_one_line_with_their_code(error, code: int, words: str, capsys) -> None:
    def command(_: object) -> int:
        raise error

    assert _call(command) == code
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith("error: ") and said.count("\n") == 1
    assert "Traceback" not in said


def test_the_traceback_of_an_unexpected_error_is_kept(capsys) -> None:
    def command(_: object) -> int:
        raise ZeroDivisionError("boom")

    _call(command)
    path = Path(capsys.readouterr().err.rpartition("traceback in ")[2].strip().rstrip(")"))
    assert "ZeroDivisionError: boom" in path.read_text()
    path.unlink()


@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        (compare.main, ["nowhere"], "no such run folder: nowhere"),
        (compare.main, [], "no runs to compare"),
        (compare.main, ["--jsn"], "unknown option --jsn; did you mean --json?"),
        (report.main, [], "Run folder"),
        (report.main, ["nowhere"], "no such run folder"),
        (inspect.main, ["."], "is not a run folder"),
    ],
)
def test_wrong_usage_is_exit_code_2(command, words, message, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _call(command, *words) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_the_rollout_of_the_readme_runs() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    code = readme.partition("```python\n")[2].partition("```")[0]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert math.isfinite(float(done.stdout))


# --- compare and inspect ------------------------------------------------------------------------


def test_compare_prints_json_and_nothing_else(tmp_path: Path, capsys) -> None:
    for arm in ("coevo", "fixed"):
        hand.write_run(tmp_path / arm, arm=arm)
    plot = tmp_path / "plot.png"
    runs = [str(tmp_path / "coevo"), str(tmp_path / "fixed")]
    assert _call(compare.main, *runs, "--json", "--plot", str(plot)) == 0
    document = json.loads(capsys.readouterr().out)
    assert [arm["name"] for arm in document["arms"]] == ["coevo", "fixed"]
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_compare_refuses_a_plot_it_cannot_write(tmp_path: Path, capsys) -> None:
    run = str(hand.write_run(tmp_path / "a"))
    assert _call(compare.main, run, "--plot", str(tmp_path / "a.xyz")) == 2
    assert "must be .png, .svg or .pdf" in capsys.readouterr().err
    assert _call(compare.main, run, "--plot", str(tmp_path / "no" / "a.png")) == 2


def test_report_prints_its_numbers_as_json(story_run: str, capsys) -> None:
    assert _call(report.main, story_run, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["novelty"]["proposed"] == sum(found["funnel"].values()) > 0
    assert not (Path(story_run) / "report.html").exists()


@pytest.fixture
def story_run(tmp_path: Path) -> str:
    events = [
        hand.candidate("r0-0", reason="syntax"),
        hand.candidate("r0-1", program="aabb01", admitted=True, parents=["feed00"]),
        hand.pool("admit", "aabb01"),
        hand.evaluation("aabb01", 0.4, 1),
        hand.candidate("r1-0", program="aacc02", reason="too_easy", parents=["aabb01"]),
        hand.pool("evict", "aabb01", round=1),
    ]
    return str(hand.write_run(tmp_path / "r", events=events))


def test_inspect_tells_the_whole_story(story_run: str, capsys) -> None:
    assert _call(inspect.main, story_run, "aab") == 0
    told = capsys.readouterr().out
    for part in (
        "candidate r0-1", "parents: feed00", "ok   parse", "round 0: admit", "success 0.400",
        "round 1: evict", "parent of r1-0", "garbage",
    ):  # fmt: skip
        assert part in told
    assert _call(inspect.main, story_run, "r0-0", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["candidate"]["reason"] == "syntax"


def test_inspect_lists_and_says_what_it_does_not_find(story_run: str, capsys) -> None:
    assert _call(inspect.main, story_run) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[0].split() == ["id", "program", "outcome", "operator"] and len(listed) == 4
    assert _call(inspect.main, story_run, "r0-9") == 2
    assert "did you mean 'r0-" in capsys.readouterr().err
    assert _call(inspect.main, story_run, "aa") == 2
    assert "names 2 programs" in capsys.readouterr().err


def test_inspect_says_what_evidence_it_cannot_replay(tmp_path: Path, capsys) -> None:
    whole = {
        "program_hash": "aabb01", "source": "x = 1", "fault": "fault", "iteration": 1, "slot": 0,
        "copy": 0, "seed": [1, 2], "params": [], "start": None, "actions": [[1]], "step": 1,
    }  # fmt: skip
    events = [hand.pool("admit", "aabb01")]
    for round, evidence in enumerate(({"error": "too large"}, {"actions": []}, whole), start=1):
        events.append(hand.pool("quarantine", "aabb01", round=round))
        events[-1]["event"]["evidence"] = evidence
    run = str(hand.write_run(tmp_path / "r", events=events))
    assert _call(inspect.main, run, "aabb01") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[2] == 'round 1: quarantine, test: error "too large"'
    assert told[3].endswith("the evidence cannot be replayed, Evidence has no program_hash")
    assert "cannot be replayed, the program has errors: E1" in told[4]
    assert _call(inspect.main, run, "aabb01", "--json") == 0
    found = json.loads(capsys.readouterr().out)["replays"]
    assert [r["round"] for r in found] == [2, 3] and all(r["error"] for r in found)


# --- run folders --------------------------------------------------------------------------------


def test_new_folders_are_unique() -> None:
    assert _run.choose_folder(None, False, "x") != _run.choose_folder(None, False, "x")


def test_an_empty_configuration_is_not_the_default_one(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("\n")
    with pytest.raises(UserError, match="is damaged: it is empty"):
        _run.resumed(tmp_path, Config())


def test_folders_are_not_overwritten_nor_resumed_by_mistake(tmp_path: Path) -> None:
    run = hand.write_run(tmp_path / "r")
    with pytest.raises(UserError, match="already holds a run; add --resume"):
        _run.choose_folder(run, False, "x")
    assert _run.choose_folder(run, True, "x") == run
    with pytest.raises(UserError, match="is not a run folder"):
        _run.choose_folder(tmp_path, True, "x")
    with pytest.raises(UserError, match="exists and is not a run folder"):
        _run.choose_folder(tmp_path, False, "x")
    with pytest.raises(UserError, match="not found"):
        _run.choose_folder(tmp_path / "none", True, "x")
    with pytest.raises(UserError, match="which run"):
        _run.choose_folder(None, True, "x")
    (tmp_path / "empty").mkdir()
    assert _run.choose_folder(tmp_path / "empty", False, "x") == tmp_path / "empty"


@pytest.mark.parametrize("page", ["--help", "docs/generators.md"])
def test_every_kind_of_generator_has_an_example(page: str) -> None:
    path = Path(__file__).parents[1] / page
    text = ABOUT if page == "--help" else path.read_text(encoding="utf-8")
    shown = re.findall(r"--generator (\S+)", text)
    kinds = {part.partition(":")[0] for spec in shown for part in parts_of(spec, generator_names())}
    assert {*generator_names(), *PREFIXES} - {"evolve"} <= kinds  # the default needs no flag
    models = [spec for spec in shown if spec.startswith("llm:") or "+llm:" in spec]
    assert any("llm:transformers:" in m for m in models) and any("llm:openai:" in m for m in models)
    assert any("+" in spec for spec in shown) and "examples.my_generator:Harder" in shown


# --- progress -----------------------------------------------------------------------------------


def _events() -> list[tuple[str, dict]]:
    return [
        ("heldout", hand.heldout(0, (0.0,) * 4, iteration=0)),
        ("iteration", hand.iteration(1, 1000)),
        ("candidate", hand.candidate("r0-0", reason="too_easy")),
        ("candidate", hand.candidate("r0-1", admitted=True)),
        ("round", hand.round_line(0, 2000, [0, 0, 1, 2, 4, 0, 0, 0, 0, 0])),
        ("something else", {}),
    ]


def test_bars() -> None:
    assert bars([0, 1, 2, 8]) == " ▁▂█"
    assert bars([0, 0]) == "  "


def test_the_tracker_counts_and_foresees() -> None:
    now = [0.0]
    tracker = Tracker(Plan(rounds=4, iterations=9), clock=lambda: now[0])
    for kind, data in _events():
        tracker.update(kind, data)
    assert tracker.seconds_left is None  # one iteration is no pace yet
    assert (tracker.round, tracker.pool_size, tracker.env_steps) == (1, 7, 2000)
    assert tracker.funnel == {"too_easy": 1, "admitted": 1}
    now[0] = 10.0
    tracker.update("iteration", hand.iteration(3, 3000))
    assert tracker.seconds_left == pytest.approx(30.0)  # two in ten seconds, six to go


def test_a_budget_of_steps_says_when_it_ends() -> None:
    now = [0.0]
    tracker = Tracker(Plan(rounds=4, iterations=9, env_steps=10_000), clock=lambda: now[0])
    tracker.update("iteration", hand.iteration(1, 1000))
    now[0] = 10.0
    tracker.update("iteration", hand.iteration(2, 3000))
    assert tracker.done == pytest.approx(0.3)
    assert tracker.seconds_left == pytest.approx(35.0)  # 2,000 in ten seconds, 7,000 to go
    assert "/" not in tracker.round_text


def test_plain_lines_when_not_a_terminal() -> None:
    out = io.StringIO()
    with Progress(
        Plan(4, 40), "coevo", Console(file=out, force_terminal=False, width=60)
    ) as progress:
        for kind, data in _events():
            progress.on_event(kind, data)
        progress.on_event("warning", {"text": "yield [bold]under[/bold] 10 %"})
        progress.on_event("warning", {"text": "yield [bold]under[/bold] 9 %"})
        progress.on_event("warning", {"text": "disk nearly full"})
    lines = out.getvalue().splitlines()
    assert lines[0] == "held-out success 0.000 after 0 steps"
    assert lines[1].startswith("pretraining: pool 7, success 0 [  ▂▄█     ] 1  |  2,000 steps")
    assert lines[2:] == ["warning: yield [bold]under[/bold] 10 %", "warning: disk nearly full"]
    assert "\x1b" not in out.getvalue()


def test_a_panel_on_a_terminal() -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=80)
    with Progress(Plan(4, 40), "coevo · quick", console) as progress:
        for kind, data in _events():
            progress.on_event(kind, data)
    text = out.getvalue()
    assert "coevo · quick" in text and "1/4" in text and "too easy 1" in text
