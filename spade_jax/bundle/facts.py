"""What is told of a bundle: which run, what to know before it is done again, what to look at."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from spade_jax.bundle.scrub import Machine, Scrubber
from spade_jax.generator.specs import own_classes
from spade_jax.report import Run
from spade_jax.versions import read_versions

__all__ = ["facts_of", "names_left", "notes_on", "rounds"]


def rounds(run: Run) -> int | None:
    """Number of the last round that is recorded; None where there is none."""
    return max((int(line["round"]) for line in run.rounds), default=None)


def facts_of(run: Run) -> dict[str, Any]:
    """What run it is and how far it came, as JSON values."""
    return {
        "arm": run.arm,
        "seed": run.seed,
        "generator": run.config.get("generator", ""),
        "rounds": rounds(run),
        "configured_rounds": run.config.get("rounds"),
        "env_steps": run.env_steps,
        "candidates": len(run.candidates),
        "untrained": None if run.untrained is None else run.untrained.mean,
        "final": None if run.final is None else run.final.mean,
    }


def notes_on(run: Run, scrubber: Scrubber, *, recorded: bool, trouble: str) -> list[str]:
    """What whoever gets a bundle should know, a line each.

    ``recorded``: the answers that a replay needs are in it. ``trouble``: see ``export_run``.
    """
    notes = []
    done, wanted = rounds(run), run.config.get("rounds")
    over = run.config.get("env_step_budget")
    if isinstance(wanted, int) and (done or 0) < wanted and not over:
        notes.append(f"Unfinished: {done} of {wanted} rounds are recorded.")
    if trouble:
        notes.append(f"The version that exported it cannot do it again: {trouble}.")
    if not recorded:
        notes.append("What models answered is not in here: it cannot be done again, only anew.")
    own = own_classes(str(run.config.get("generator", ""))) if run.arm == "coevo" else ()
    residents = run.config.get("residents")
    for name in (*own, *(residents if isinstance(residents, list) else ())):
        what = "a generator" if name in own else "an environment"
        notes.append(f"Doing it again imports and runs {name}, {what} of its author's.")
    if run.arm == "coevo" and not (run.path / "verdicts.jsonl").is_file():
        notes.append("Verdicts that a clock decided were not kept and may fall otherwise.")
    if any(str(made.get("commit")).endswith("-dirty") for made in read_versions(run.path)):
        notes.append("It was made with files that differ from their commit (-dirty).")
    if scrubber.replaced:
        what = ", ".join(f"{kind}s {n}" for kind, n in sorted(scrubber.replaced.items()))
        notes.append(f"Taken out, since they name a machine or a person: {what}.")
    return notes


def names_left(staged: Path, machine: Machine) -> tuple[str, ...]:
    """Where the names of machine and user still stand, as a word: a person has to look at that."""
    found = []
    for what, name in (("this machine's name", machine.host), ("your user name", machine.user)):
        if not name:
            continue
        word = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9_])")
        files = sorted(p for p in staged.rglob("*") if p.is_file())
        for file in files:
            if "arrays" in file.parts:  # numbers, in which any two letters occur
                continue
            with open(file, "rb") as lines:
                count = sum(len(word.findall(line)) for line in lines)
            if count:
                place = file.relative_to(staged).as_posix()
                found.append(
                    f"{what}, {name!r}, stands in {place} ({count} times): look there "
                    f"(--hide {name} replaces it everywhere, in programs too)"
                )
    return tuple(found)
