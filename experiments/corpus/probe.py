"""``probe``: how well a policy plays the collection, at several difficulties, for the receipts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import tyro

import spade_jax.generator.corpus as collection
from experiments._cli import parse
from spade_jax.collecting import policy_name, probe, probe_record, rate, write_receipts
from spade_jax.errors import UserError, unknown_name
from spade_jax.types import Reason, Verdict

__all__ = ["ABOUT", "Options", "main"]

ABOUT = """\
Put every program of the collection through the executor at several difficulties, the probe played
by a policy, and write its success into the receipts: the generator picks by it. A program that is
refused at a difficulty is not proposed there. A hundred programs take some minutes of one core.

Examples:
  python -m experiments.corpus probe runs/a/coevo/policy.npz
  python -m experiments.corpus probe runs/a/coevo/policy.npz --missing
"""


@dataclasses.dataclass(frozen=True)
class Options:
    policy: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="POLICY")]
    """Policy file of a run."""
    only: tuple[str, ...] = ()
    """Names of programs (all)."""
    missing: bool = False
    """Only those whose receipts have nothing of this policy at other difficulties yet."""
    most: int = 1000
    """At most so many programs."""
    workers: int = 1
    """Sandbox processes, one core each."""
    into: Path | None = None
    """Folder of the collection (default: the bundled one)."""


def main(argv: Sequence[str]) -> int:
    """Run the command."""
    options, _ = parse(
        Options(tyro.MISSING), argv, prog="python -m experiments.corpus probe", about=ABOUT
    )
    if not options.policy.is_file():
        raise UserError(f"no policy file {options.policy}")
    into = options.into or Path(collection.__file__).parent
    name = policy_name(options.policy)
    receipts = collection.read_receipts(into / "receipts.jsonl")
    for wanted in options.only:
        if wanted not in receipts:
            raise unknown_name("program", wanted, receipts, where="the collection")
    chosen = [n for n in options.only or sorted(receipts) if not options.missing
              or "others" not in receipts[n]["probe"]
              or receipts[n]["probe"].get("policy") != name][: options.most]  # fmt: skip
    texts = {n: (into / "programs" / f"{n}.py").read_text(encoding="utf-8") for n in chosen}
    found = probe(texts, options.policy, options.workers, _show)
    # Read again: somebody may have added programs meanwhile.
    receipts = collection.read_receipts(into / "receipts.jsonl")
    for program, verdicts in found.items():
        receipts[program]["probe"] = probe_record(verdicts, name)
    write_receipts(into / "receipts.jsonl", receipts)
    return 0


def _show(program: str, verdicts: Mapping[float, Verdict]) -> None:
    told = ", ".join(f"{d:g}: {_told(v)}" for d, v in verdicts.items())
    print(f"{program:<26} {told}", flush=True)


def _told(verdict: Verdict) -> str:
    return f"{rate(verdict):.2f}" if verdict.reason is Reason.OK else verdict.reason.value
