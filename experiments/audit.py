"""The audit: a tenth of what a run accepted, laid out for a person, and that person's verdicts."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from experiments._cli import parse, run_command
from spade_jax.audit import Audit, PersonVerdict, read_heeded
from spade_jax.errors import UserError, nearest
from spade_jax.report import Run, read_run
from spade_jax.report.audit import write_audit
from spade_jax.report.sheets import sheets

ABOUT = """\
Lay out a tenth of the programs that each round of a run accepted (at least one a round, drawn by
the run's seed) in RUN/audit: text, roll-out, verdict, receipt and a page with all of them. Then say
what you think of one, by hash (or the start of one) or name. A rejected program is removed for good
at the next round, of a run that is over once it goes on with --resume.

Examples:
  python -m experiments.audit runs/a/coevo
  python -m experiments.audit runs/a/coevo --reject 5f2c --because "the door cannot be seen"
  python -m experiments.audit runs/a/coevo --approve camp-5f2c1a
  python -m experiments.audit runs/a/coevo --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder."""
    reject: str = ""
    """Program to remove, by hash, start of a hash, or name."""
    approve: str = ""
    """Program that is as it should be."""
    because: str = ""
    """Why; needed for a rejection."""
    json: bool = False
    """Print the sample and its verdicts as one JSON document; write nothing."""


def find(run: Run, word: str) -> str:
    """The hash of the program that was in the pool and that ``word`` names.

    Raises:
      UserError: nothing, or more than one program, is named so.
    """
    names = {change.name: change.program_hash for change in run.pool_changes}
    hashes = sorted({change.program_hash for change in run.pool_changes})
    if word in names:
        return names[word]
    hits = [h for h in hashes if h.startswith(word)]
    if len(hits) > 1:
        raise UserError(f"{word!r} names {len(hits)} programs: {', '.join(hits[:4])}, …")
    if not hits:
        guess = nearest(word, [*names, *hashes])
        hint = f"; did you mean {guess!r}?" if guess else ""
        raise UserError(f"{run.path} never accepted a program {word!r}{hint}")
    return hits[0]


def judge(run: Run, options: Options) -> str:
    """Write the verdict down; returns what follows from it, in a line."""
    if options.reject and options.approve:
        raise UserError("give --reject or --approve, not both")
    rejected = bool(options.reject)
    if rejected and not options.because.strip():
        raise UserError('a rejection needs --because "…": it is kept with the run')
    key = find(run, options.reject or options.approve)
    Audit(run.path).say(PersonVerdict(key, rejected, options.because.strip()))
    heeded = read_heeded(run.path).get(key)
    if heeded is not None:
        return f"{key} was removed in round {heeded.round} and stays out"
    if not rejected:
        return f"{key} is approved"
    command = f"python -m experiments.coevo --run-dir {run.path} --resume"
    return f"{key} is rejected; it leaves at the next round (of a run that is over: {command})"


def main(argv: Sequence[str]) -> int:
    options, _ = parse(_DEFAULTS, argv, prog="python -m experiments.audit", about=ABOUT)
    run = read_run(options.run)
    if options.reject or options.approve:
        print(judge(run, options))
        return 0
    if options.because:
        raise UserError("--because goes with --reject or --approve")
    found = sheets(run)
    if options.json:
        plain = [
            {
                "round": s.round,
                "program_hash": s.program_hash,
                "name": s.name,
                "status": s.status,
                "because": s.verdict.because if s.verdict else "",
            }
            for s in found
        ]
        print(json.dumps(plain, indent=1))
        return 0
    page = write_audit(run)
    for sheet in found:
        print(f"round {sheet.round}: {sheet.name} ({sheet.program_hash}), {sheet.status}")
    print(page)
    return 0


_DEFAULTS = Options(tyro.MISSING)

if __name__ == "__main__":
    run_command(main)
