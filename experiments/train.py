"""Train the learner on given programs and nothing else: the first rung of the ladder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments._cli import parse, run_command
from experiments._device import describe_device
from experiments._together import Together, decided
from spade_jax.errors import UserError
from spade_jax.learner.config import LearnerConfig

ABOUT = """\
Train PPO on one or more programs, without any pool, and measure it before and after on fresh
episodes. When one program is not learnt here, no curriculum will help.

Examples:
  python -m experiments.train envs_dsl/library/seeds/key_door.py
  python -m experiments.train a.py b.py --iterations 200 --seed 1
  python -m experiments.train a.py --learner.learning-rate 3e-4 --json
"""


@dataclasses.dataclass(frozen=True)
class Options(Together):
    programs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE ...")]
    """Program files, one or more."""
    json: bool = False
    """Print one JSON document instead of lines."""


@dataclasses.dataclass(frozen=True)
class Training:
    """Settings of the training.

    Attributes:
      iterations: PPO iterations.
      episodes: episodes of every measurement.
      seed: seed of everything random.
      devices: that share the work, see ``spade_jax.config``.
    """

    iterations: int = 100
    episodes: int = 256
    seed: int = 0
    devices: int | None = None
    learner: LearnerConfig = dataclasses.field(default_factory=LearnerConfig)

    def __post_init__(self) -> None:
        for name, least in (("iterations", 0), ("episodes", 1), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {least}")


def read_programs(paths: Sequence[Path]) -> list[Any]:
    """Read and check program files.

    Raises:
      UserError: none given (exit code 2), or not a valid program (exit code 1).
      OSError: a file cannot be read.
    """
    from envs_dsl import ProgramError, load

    if not paths:
        raise UserError("give at least one program file")
    programs = []
    for path in paths:
        try:
            programs.append(load(path))
        except ProgramError as error:
            raise UserError(f"{path}: {error}", exit_code=1) from None
    return programs


def check_room(programs: Sequence[Any], slots: int) -> None:
    """Raises UserError where there are more programs than slots for them."""
    different = len({program.hashes.program for program in programs})
    if different > slots:
        raise UserError(
            f"{different} programs do not fit into {slots} slots: give fewer, or --learner.slots "
            f"of at least {different}"
        )


def train(programs: Sequence[Any], settings: Training, report: Any) -> dict[str, Any]:
    """Train and measure; ``report(iteration, metrics)`` is called after every iteration.

    Returns:
      JSON values: per program its success before and after, and what it took.
    """
    from spade_jax.learner import Learner

    learner = Learner(settings.learner, devices=settings.devices)
    layout = learner.arrange(programs)
    state = learner.init(settings.seed, layout)

    def measure() -> list[float]:
        found = learner.evaluate(
            state.params,
            programs,
            episodes=settings.episodes,
            seed=settings.seed + 1,
            layout=layout,
        )
        return [float(stats.success.mean()) for stats in found]

    before = measure()
    for number in range(1, settings.iterations + 1):
        state, metrics = learner.train_iteration(state, layout)
        report(number, metrics)
    after = measure()
    rows = zip(programs, before, after, strict=True)
    return {
        "programs": [
            {"name": p.name, "program_hash": p.hashes.program, "before": b, "after": a}
            for p, b, a in rows
        ],
        "iterations": settings.iterations,
        "env_steps": int(state.env_steps),
        "compile_seconds": learner.compile_seconds,
    }


def _line(number: int, metrics: Any) -> str:
    episodes = sum(slot.episodes for slot in metrics.slots)
    successes = sum(slot.successes for slot in metrics.slots)
    rate = f"{successes / episodes:.3f}" if episodes else "–"
    speed = metrics.env_steps / (metrics.collect_seconds + metrics.update_seconds)
    return f"iteration {number}: success {rate} of {episodes} episodes, {speed:,.0f} steps/s"


def _leads() -> bool:
    from spade_jax import processes

    return processes.leads()


def main(argv: Sequence[str]) -> int:
    options, settings = parse(
        Options(()), argv, prog="python -m experiments.train", about=ABOUT, config=Training()
    )
    programs = decided(options, lambda: read_programs(options.programs))
    check_room(programs, settings.learner.slots)
    leads = options.coordinator is None or _leads()
    silent = options.json or not leads
    if not silent:
        print(*describe_device(settings.learner, settings.devices), sep="\n")
        print("compiling, then measuring the untrained learner", flush=True)

    def report(number: int, metrics: Any) -> None:
        if not silent and (number % 10 == 0 or number == settings.iterations):
            print(_line(number, metrics), flush=True)

    result = train(programs, settings, report)
    if options.json and leads:
        print(json.dumps(result, indent=1))
    elif not silent:
        for row in result["programs"]:
            print(f"{row['name']}: success {row['before']:.3f} → {row['after']:.3f}")
    return 0


if __name__ == "__main__":
    run_command(main)
