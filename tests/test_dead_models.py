"""A co-evolution goes on with its other sources when its models die or never answer."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, hangs
from rich.console import Console
from tiny_runs import TINY

from experiments.progress import Plan, Progress
from spade_jax.coevolution import run
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm.backends import transformers as local
from spade_jax.records import read_jsonl

WORKER = """
import json, os, sys, time
for line in sys.stdin:
    if json.loads(line)["do"] == "load":
        print(json.dumps({"ok": True}), flush=True)
    else:
        with open(__file__ + ".asked", "a") as file:
            print(os.getpid(), file=file)
        time.sleep(600)
"""
"""Stands for a model's process: it loads, is asked, and thinks until it is killed."""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of weights, and the process above for whoever asks for them."""
    worker = tmp_path / "thinks.py"
    worker.write_text(WORKER)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setattr(local, "_WORKER", "thinks")
    monkeypatch.setattr(local, "_NEEDED", ())
    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "config.json").write_text("{}")
    return weights


@contextlib.contextmanager
def killed_when_asked(journal: Path) -> Iterator[set[int]]:
    """Ends every process that the worker above wrote down, as a system without memory does."""
    over, dead = threading.Event(), set[int]()

    def watch() -> None:
        while not over.wait(0.02):
            asked = {int(pid) for pid in journal.read_text().split()} if journal.exists() else ()
            for pid in set(asked) - dead:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                dead.add(pid)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield dead
    finally:
        over.set()
        thread.join()


def test_models_that_are_killed_or_hang_cost_their_programs_and_one_line(
    tmp_path: Path, model: Path
) -> None:
    out, folder = io.StringIO(), tmp_path / "run"
    folder.mkdir()
    with (
        ChatServer(hangs) as server,
        killed_when_asked(tmp_path / "thinks.py.asked") as dead,
        Progress(Plan(2, 6), "coevo", Console(file=out, force_terminal=False)) as progress,
    ):
        killed, hung = f"llm:transformers:{model}", f"llm:openai:m@{server.url}"
        config = dataclasses.replace(
            TINY,
            generator=f"evolve+{killed}+{hung}",
            candidates_per_round=6,
            rounds=2,
            heldout_every=9,
            llm=LlmConfig(seconds_per_round=5.0),  # else what is said depends on who is first
        )
        run(config, folder, on_event=progress.on_event)
    assert dead and server.seen

    rounds = list(read_jsonl(folder / "metrics.jsonl"))
    assert [r["round"] for r in rounds if r["kind"] == "round"][-1] == 2
    events = list(read_jsonl(folder / "events.jsonl"))
    candidates = [e["proposal"] for e in events if e["kind"] == "candidate"]
    assert [p["generator"] for p in candidates] == ["evolve"] * 2 * 6  # none is missing
    told = [e["text"] for e in events if e["kind"] == "warning"]
    assert told and all("\n" not in line for line in told)
    assert any(f"{killed} gave 0 of" in line and "was killed" in line for line in told)
    assert any(f"{hung} gave 0 of" in line and "no answer" in line for line in told)

    shown = [line for line in out.getvalue().splitlines() if line.startswith("warning:")]
    gists = [re.sub(r"\d+", "0", line) for line in shown]
    assert shown[0] == f"warning: {told[0]}" and len(gists) == len(set(gists)), shown
