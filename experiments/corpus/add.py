"""``add``: answers through all gates; what passes joins the collection, the rest is kept beside."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from experiments._cli import parse
from spade_jax.collecting import Folder, Judged, Taken, Terms, take
from spade_jax.errors import UserError

__all__ = ["ABOUT", "Options", "main"]

ABOUT = """\
Read the answers to a folder's requests and put each program through every gate: the executor's
stages in sandbox workers, then that it is unlike the collection and the bundled programs. What
passes is written to the collection with its receipt. For what does not, a request to mend it is
written (requests-repair.jsonl, and repairs/NAME.N.md to read); after three of those, or at once
with --final, it is kept among the rejected.

Examples:
  python -m experiments.corpus add asked --model some-model-2
  python -m experiments.corpus add asked --model some-model-2 --policy runs/a/coevo/policy.npz
  python -m experiments.corpus add asked --model some-model-2 --only s0q003 --dry
"""


@dataclasses.dataclass(frozen=True)
class Options(Terms):
    folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")]
    """Folder of requests and answers."""


def main(argv: Sequence[str]) -> int:
    """Run the command; 0 if every answer at hand passed, else 1."""
    options, _ = parse(
        Options(tyro.MISSING), argv, prog="python -m experiments.corpus add", about=ABOUT
    )
    if options.policy is not None and not options.policy.is_file():
        raise UserError(f"no policy file {options.policy}")
    taken = take(Folder.load(options.folder), options, _show)
    passed = sum(t.judged.ok for t in taken)
    print(f"{passed} of {len(taken)} passed")
    return 0 if passed == len(taken) else 1


def _show(taken: Taken) -> None:
    piece, judged = taken.piece, taken.judged
    if judged.ok:
        print(f"{piece.name} {taken.name}: ok, {_told(judged)}")
    else:
        print(f"{piece.name} {piece.idea.title}: {judged.reason.value}: {judged.error}")


def _told(judged: Judged) -> str:
    """What a person wants to know of a program that passed."""
    found = judged.found()
    rates, probe = found["triviality"], found["probe"]
    return (
        f"skills {'+'.join(found['skills'])} (declared {'+'.join(found['declared'])}), "
        f"random {rates['random']:.2f}, probe {probe['success']:.2f}, "
        f"{found['certificate']['answer']}, nearest {judged.nearest} {judged.distance:.4f}"
    )
