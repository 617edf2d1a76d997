"""The smallest run in which everything happens, and what two runs must agree on."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import yaml

from experiments.config import to_plain
from spade_jax.config import Config
from spade_jax.curator import CuratorConfig
from spade_jax.learner import LearnerConfig
from spade_jax.replay import timeless as without_times

TINY = Config(
    pretrain_iterations=2,
    rounds=3,
    iterations_per_round=2,
    join_after=1,
    candidates_per_round=3,
    heldout_every=2,
    heldout_episodes=16,
    learner=LearnerConfig(slots=2, copies=16, cohort_size=2, rollout_length=16, minibatches=4),
    curator=CuratorConfig(episodes=32, gate_mass=0.3, cut=0.2, admit_max=1, strikes=1, grace=0),
)


def write_config(folder: pathlib.Path, **changes: Any) -> pathlib.Path:
    """A YAML file of TINY with some fields changed."""
    config = dataclasses.replace(TINY, **changes)
    path = folder / "tiny.yaml"
    path.write_text(yaml.safe_dump(to_plain(config)))
    return path


def start(
    config: pathlib.Path, run: pathlib.Path, *, through: Sequence[str] = ("experiments.coevo",)
) -> subprocess.Popen[bytes]:
    """A co-evolution in a process (and a session) of its own; ``through`` another module."""
    known = ("--resume",) if (run / "config.yaml").exists() else ("--config", str(config))
    command = [sys.executable, "-m", *through, "--run-dir", str(run), *known]
    log = (run.parent / f"{run.name}.log").open("ab")
    root = pathlib.Path(__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), str(root / "tests")])}
    return subprocess.Popen(
        command,
        stdout=log,
        stderr=log,
        env=environment,
        cwd=root,
        start_new_session=True,
        preexec_fn=_hear_interrupts,
    )


def _hear_interrupts() -> None:
    """A shell without job control makes what it runs in the background deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def timeless(path: pathlib.Path) -> list[Any]:
    """The lines of a journal without anything that was read off a clock."""
    return [without_times(json.loads(line)) for line in path.read_text().splitlines()]
