"""Run a baseline: the same learner and budget on another source of environments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments import _run, coevo
from experiments._cli import parse, parse_known, run_command
from experiments._together import decided
from experiments.config import from_plain
from spade_jax.config import ARMS, Config
from spade_jax.errors import unknown_name
from spade_jax.report import read_run

ABOUT = """\
Run a baseline arm. `fixed` trains on the bundled seeds alone, with the same learner and the
same number of environment steps. --like takes configuration, seed and budget from a finished run,
probes and screening counted.

Examples:
  python -m experiments.baseline --arm fixed
  python -m experiments.baseline --arm fixed --like runs/a/coevo --run-dir runs/a/fixed
  python -m experiments.baseline --arm fixed --preset smoke --env-step-budget 200000
"""

BASELINES = tuple(arm for arm in ARMS if arm != "coevo")


@dataclasses.dataclass(frozen=True)
class Options(coevo.Options):
    like: Path | None = None
    """Finished run to take configuration, seed and environment-step budget from."""


def like(path: Path, base: Any) -> Any:
    """The configuration of a finished run with its steps as the budget."""
    run = read_run(path)
    config = from_plain(base, run.config, where=str(path / "config.yaml"))
    return dataclasses.replace(config, env_step_budget=run.env_steps)


def main(argv: Sequence[str]) -> int:
    first, _ = parse_known(Options(), argv)
    return _run.execute(**decided(first, lambda: planned(first, argv)))


def planned(first: Options, argv: Sequence[str]) -> dict[str, Any]:
    """What the command line asks for, as the arguments of ``_run.execute``."""
    if first.like is not None and not first.resume:
        start, label = like(first.like, Config()), first.like.parent.name or "like"
    else:
        start, label = coevo.configure(first, Config())
    if not first.resume:
        start = dataclasses.replace(start, arm="fixed")
    options, config = parse(
        Options(), argv, prog="python -m experiments.baseline", about=ABOUT, config=start
    )
    if config.arm not in BASELINES:
        raise unknown_name("arm", config.arm, BASELINES)
    if options.resume:
        _run.check_resumed(start, config)
    folder = _run.choose_folder(
        options.run_dir, options.resume, f"{label}-{config.arm}-s{config.seed}"
    )
    return {
        "config": config,
        "folder": folder,
        "resume": options.resume,
        "title": f"{config.arm} · {label}",
    }


if __name__ == "__main__":
    run_command(main)
