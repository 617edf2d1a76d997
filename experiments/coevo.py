"""Run co-evolution: a learner and the programs it trains on, round by round."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments import _run
from experiments._cli import parse, parse_known, run_command
from experiments._together import Together, decided
from experiments.config import load_file, load_preset
from spade_jax.config import Config

ABOUT = """\
Run co-evolution. The configuration is a preset (smoke, quick, full, gpu) or a YAML file;
every field of it can be overridden by a flag of its name. Ctrl-C or a kill leaves a run that
--resume continues.

Examples:
  python -m experiments.coevo
  python -m experiments.coevo --preset smoke --seed 3
  python -m experiments.coevo --config mine.yaml --run-dir runs/mine --rounds 20
  python -m experiments.coevo --run-dir runs/mine --resume
  python -m experiments.coevo --generator none
  python -m experiments.coevo --generator examples.my_generator:Harder
  python -m experiments.coevo --generator corpus
  python -m experiments.coevo --residents examples.my_environment:Catch
  python -m experiments.coevo --generator llm:transformers:HuggingFaceTB/SmolLM2-135M-Instruct
  python -m experiments.coevo --generator evolve+llm:openai:MODEL@http://127.0.0.1:8000/v1
  python -m experiments.coevo --generator batch:runs/mine-batch --llm.server.batch-model MODEL
  python -m experiments.coevo --config runs/a/config.yaml --generator recorded:runs/a
  python -m experiments.coevo --coordinator first:9000 --processes 2 --process-id 0
"""


@dataclasses.dataclass(frozen=True)
class Options(Together):
    preset: str = "quick"
    """Bundled configuration to start from; a run that goes on keeps its own."""
    config: Path | None = None
    """YAML file to start from, instead of a preset."""
    run_dir: Path | None = None
    """Folder of the run (default: a new one under runs/)."""
    resume: bool = False
    """Go on with the run in --run-dir."""


def configure(options: Any, base: Any) -> tuple[Any, str]:
    """The configuration before the flags of its fields, and a word for it."""
    if options.resume:
        folder = _run.choose_folder(options.run_dir, True, "")
        return _run.resumed(folder, base), folder.name
    if options.config is not None:
        return load_file(options.config, base), options.config.stem
    return load_preset(options.preset, base), options.preset


def main(argv: Sequence[str]) -> int:
    first, _ = parse_known(Options(), argv)
    return _run.execute(**decided(first, lambda: planned(first, argv)))


def planned(first: Options, argv: Sequence[str]) -> dict[str, Any]:
    """What the command line asks for, as the arguments of ``_run.execute``."""
    start, label = configure(first, Config())
    options, config = parse(
        Options(), argv, prog="python -m experiments.coevo", about=ABOUT, config=start
    )
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
