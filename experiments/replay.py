"""Do a finished run again from its records, and verify that the same comes of it."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro
import yaml

from experiments._cli import parse, run_command
from experiments._run import plan, resumed
from experiments.config import to_plain
from experiments.progress import Progress
from spade_jax.config import Config
from spade_jax.errors import UserError
from spade_jax.generator.specs import asks_a_model
from spade_jax.records import write_atomic

ABOUT = """\
Do a run again: from its configuration, with the answers that models gave (exchanges.jsonl; no model
is asked) and the verdicts that a clock decided. With --verify, metrics, events and the final pool
are compared, times aside: exit code 0 when they are the same, 1 when they differ (the first
difference is shown). The same kind of processor and the same versions are needed for that.

Examples:
  python -m experiments.replay runs/a/coevo --verify
  python -m experiments.replay runs/a/coevo --verify --json
  python -m experiments.replay runs/a/coevo --into runs/a/again
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder."""
    verify: bool = False
    """Compare what comes of it with what was recorded."""
    into: Path | None = None
    """Empty or new folder for the second run (default: one that is removed again)."""
    json: bool = False
    """Print the outcome of --verify as one JSON document."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(_DEFAULTS, argv, prog="python -m experiments.replay", about=ABOUT)
    if not options.verify and (options.into is None or options.json):
        what = "--json tells the outcome of --verify" if options.json else "or --into FOLDER"
        raise UserError(f"nothing would come of this: add --verify ({what})")
    if not (options.run / "config.yaml").is_file():
        what = (
            "is not a run folder (it has no config.yaml)" if options.run.is_dir() else "not found"
        )
        raise UserError(f"cannot replay: {options.run} {what}")
    config = resumed(options.run, Config())
    with _folder(options.into) as folder:
        if config.arm == "coevo" and asks_a_model(config.generator) and not _answered(options.run):
            raise UserError(f"cannot replay: {options.run} has no record of what models answered")
        read_back = _again(config, options, folder)
        if not options.verify:
            print(f"done again in {folder}")
            return 0
        return _report(_compared(config, options.run, folder, read_back), options.json)


def _answered(run: Path) -> bool:
    from spade_jax.generator.llm.exchanges import FILE

    return (run / FILE).is_file()


@contextlib.contextmanager
def _folder(into: Path | None) -> Iterator[Path]:
    if into is None:
        with tempfile.TemporaryDirectory(prefix="spade-replay-") as scratch:
            yield Path(scratch)
        return
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise UserError(f"{into} exists and is not empty; choose another --into")
    into.mkdir(parents=True, exist_ok=True)
    yield into


def _again(config: Config, options: Options, folder: Path) -> int:
    from spade_jax.replay import run_again

    write_atomic(folder / "config.yaml", yaml.safe_dump(to_plain(config), sort_keys=False))
    if options.json:
        return run_again(config, options.run, folder, lambda kind, data: None)
    with Progress(plan(config), f"replay · {options.run.name}") as progress:
        return run_again(config, options.run, folder, progress.on_event)


def _compared(config: Config, run: Path, again: Path, read_back: int) -> dict[str, Any]:
    """What --json prints."""
    from spade_jax.replay import final_pool, first_difference, is_over, rounds_of

    rounds = rounds_of(run)
    over = is_over(run, config)
    difference = first_difference(run, again, whole=over)
    pools = [final_pool(folder, None if over else rounds) for folder in (run, again)]
    return {
        "same": difference is None and pools[0] == pools[1],
        "rounds": rounds,
        "difference": None if difference is None else str(difference),
        "pool": len(pools[1]),
        "pool_hash": hashlib.sha256("\n".join(pools[1]).encode()).hexdigest()[:16],
        "recorded_pool_hash": hashlib.sha256("\n".join(pools[0]).encode()).hexdigest()[:16],
        "verdicts_read_back": read_back,
    }


def _report(found: Mapping[str, Any], as_json: bool) -> int:
    if as_json:
        print(json.dumps(found, indent=1))
    elif found["same"]:
        print(
            f"the same: {found['rounds']} rounds, metrics and events line by line, "
            f"{found['pool']} programs in the final pool ({found['pool_hash']})"
        )
    else:
        print(f"differs: {found['difference'] or 'the final pools'}")
    return 0 if found["same"] else 1


_DEFAULTS = Options(tyro.MISSING)

if __name__ == "__main__":
    run_command(main)
