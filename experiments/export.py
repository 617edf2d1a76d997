"""Bundle a run for others, who can read it, do it again and check that it is whole."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import tyro

from experiments._cli import parse, run_command
from experiments._run import resumed
from spade_jax.bundle import Checked, Choice, Exported, check, export_run
from spade_jax.config import Config
from spade_jax.errors import UserError

ABOUT = """\
Bundle a run for others: report, configuration, every record, the programs with verdicts, receipts
and hashes, what models were asked and answered, versions, commands, and a manifest with the SHA-256
of every file. Unpacked, it is a run folder that experiments.replay does again. Paths of the
machine, its name and its user's in addresses, and keys are taken out. The same run gives the same
bytes. Left out are checkpoints (see --checkpoints), traces, caches and files of other kinds.

--check tells whether a bundle, packed or unpacked, is as it was exported, a line for each fault
(exit code 1); nothing is unpacked. It tells the manifest's SHA-256 as well: compare it with what
the author says it is.

Examples:
  python -m experiments.export runs/a/coevo
  python -m experiments.export runs/a/coevo --out coevo.tar.gz --checkpoints best
  python -m experiments.export runs/a/coevo --out shared/coevo --hide my-project
  python -m experiments.export --check coevo.tar.gz
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="[RUN]")] = None
    """Run folder."""
    out: Path | None = None
    """FILE.tar.gz or a folder (default: an archive here, named after arm, seed and content)."""
    checkpoints: Literal["none", "best", "last", "all"] = "none"
    """Checkpoints to take along; the last one is what a run goes on from."""
    exchanges: Literal["auto", "all", "none"] = "auto"
    """What models were asked and answered; auto takes up to 256 MiB. Without, no replay."""
    hide: tuple[str, ...] = ()
    """Words to replace by HIDDEN wherever they stand."""
    overwrite: bool = False
    """Replace a bundle that is there."""
    check: Path | None = None
    """Bundle to check, an archive or a folder, instead."""
    json: bool = False
    """Print one JSON document."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.export", about=ABOUT)
    if (options.run is None) == (options.check is None):
        raise UserError("name a run folder to export, or --check a bundle")
    if options.check is not None:
        return _say_checked(check(options.check), options)
    choice = Choice(options.checkpoints, options.exchanges, options.hide)
    trouble = _trouble(options.run)
    made = export_run(
        options.run, options.out, choice, overwrite=options.overwrite, trouble=trouble
    )
    return _say_exported(made, options)


def _trouble(run: Path) -> str:
    """Why this version cannot do the run again, "" if it can."""
    try:
        if (run / "config.yaml").is_file():
            resumed(run, Config())
    except UserError as error:
        return str(error).removeprefix(f"{run / 'config.yaml'}: ")
    return ""


def _say_exported(made: Exported, options: Options) -> int:
    for warning in made.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if options.json:
        print(json.dumps({**dataclasses.asdict(made), "path": str(made.path)}, indent=1))
        return 0
    print(f"{made.path}: {size(made.bytes)}, {len(made.files)} files")
    for name, count in sorted(made.files.items(), key=lambda f: -f[1])[:5]:
        print(f"  {size(count):>9}  {name}")
    for rest in made.left_out:
        print(f"left out: {rest.name}, {size(rest.bytes)} ({rest.why})")
    for note in made.notes:
        print(f"note: {note}")
    print(f"manifest {made.manifest}; python -m experiments.export --check {made.path}")
    return 0


def _say_checked(found: Checked, options: Options) -> int:
    if options.json:
        faults = [dataclasses.asdict(fault) for fault in found.faults]
        print(json.dumps({"ok": found.ok, **dataclasses.asdict(found), "faults": faults}, indent=1))
    elif found.ok:
        what = f"{found.files} files, {size(found.bytes)}, manifest {found.manifest}"
        print(f"as it was exported: {what}")
    else:
        for fault in found.faults:
            print(fault)
    return 0 if found.ok else 1


def size(count: int) -> str:
    """Bytes for a person."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return f"{count} B"


if __name__ == "__main__":
    run_command(main)
