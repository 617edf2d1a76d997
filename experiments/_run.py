"""What the commands that run an experiment share: folders, resuming, progress, the last words."""

from __future__ import annotations

import dataclasses
import secrets
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from experiments._cli import INTERRUPTED
from experiments.config import load_file, to_plain
from experiments.progress import Plan, Progress
from spade_jax.errors import UserError
from spade_jax.records import write_atomic
from spade_jax.report import read_run

__all__ = ["choose_folder", "execute", "plan", "resumed"]

EXTENDABLE = ("rounds", "env_step_budget", "keep_checkpoints", "devices")
"""What --resume may change: everything else would make the rest of the run another experiment."""


def choose_folder(run_dir: Path | None, resume: bool, label: str) -> Path:
    """The folder of the run; a new unique one under runs/ unless one is named.

    Raises:
      UserError: it holds a run already and --resume was not given, or is no run's and it was.
    """
    if resume:
        if run_dir is None:
            raise UserError("--resume needs --run-dir: which run?")
        if not (run_dir / "config.yaml").is_file():
            what = (
                "is not a run folder (it has no config.yaml)" if run_dir.is_dir() else "not found"
            )
            raise UserError(f"cannot resume: {run_dir} {what}")
        return run_dir
    if run_dir is None:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        return Path("runs") / f"{stamp}-{label}-{secrets.token_hex(2)}"
    if (run_dir / "config.yaml").exists():
        raise UserError(f"{run_dir} already holds a run; add --resume to go on with it")
    if run_dir.exists() and (not run_dir.is_dir() or any(run_dir.iterdir())):
        raise UserError(f"{run_dir} exists and is not a run folder; choose another --run-dir")
    return run_dir


def resumed(folder: Path, base: Any) -> Any:
    """The configuration a run was started with.

    Raises:
      UserError: its file is damaged. An empty one, too: the defaults would be another experiment.
    """
    file = folder / "config.yaml"
    if not file.read_bytes().strip():
        raise UserError(f"{file} is damaged: it is empty")
    return load_file(file, base)


def check_resumed(before: Any, after: Any) -> None:
    """Refuse changes on the command line that would turn the run into another experiment."""
    old, new = to_plain(before), to_plain(after)
    for field, value in new.items():
        if value != old[field] and field not in EXTENDABLE:
            raise UserError(
                f"--resume cannot change {field!r}; it may change {', '.join(EXTENDABLE)}"
            )


def execute(config: Any, folder: Path, *, resume: bool, title: str) -> int:
    """Run (or go on with) an experiment in ``folder``, showing its progress.

    Where several processes train together, all but process 0 follow: they write and show nothing.
    """
    from experiments._device import describe_device
    from spade_jax import coevolution, processes, versions
    from spade_jax.generator import AWAITING, Awaiting, close, make_generator
    from spade_jax.learner import settled
    from spade_jax.residents import load_residents

    config = dataclasses.replace(config, learner=settled(config.learner))
    if not processes.leads():
        with tempfile.TemporaryDirectory(prefix="spade-follower-") as scratch:
            coevolution.run(config, scratch, resume=resume)
        return 0
    # An unknown name, or devices that are not there, are refused before a folder is made.
    load_residents(config.residents)
    if config.arm == "coevo":
        close(make_generator(config.generator, config.llm))
    devices = describe_device(config.learner, config.devices)
    folder.mkdir(parents=True, exist_ok=True)
    # On resume too: the folder says what the run is now, when more rounds were asked for.
    write_atomic(folder / "config.yaml", yaml.safe_dump(to_plain(config), sort_keys=False))
    versions.record(folder)
    for line in devices:
        print(line)
    print(f"run folder: {folder}", flush=True)
    try:
        with Progress(plan(config), title) as progress:
            coevolution.run(config, folder, resume=resume, on_event=progress.on_event)
    except Awaiting as waiting:
        print(f"{waiting}; go on with: {_resume_command(folder)}")
        return AWAITING
    except KeyboardInterrupt:
        raise UserError(
            f"interrupted; go on with: {_resume_command(folder)}", exit_code=INTERRUPTED
        ) from None
    _last_words(folder)
    return 0


def plan(config: Any) -> Plan:
    """What the progress display is to expect."""
    iterations = config.pretrain_iterations + config.rounds * config.iterations_per_round
    return Plan(config.rounds, iterations, config.env_step_budget)


def _resume_command(folder: Path) -> str:
    module = Path(sys.argv[0]).stem
    command = "baseline" if module == "baseline" else "coevo"
    return f"python -m experiments.{command} --run-dir {folder} --resume"


def _last_words(folder: Path) -> None:
    run = read_run(folder)
    if run.final is not None:
        start = f" (untrained {run.untrained.mean:.3f})" if run.untrained is not None else ""
        print(f"held-out success {run.final.mean:.3f}{start}", end="; ")
    print(f"{run.env_steps:,} environment steps; see `python -m experiments.report {folder}`")
