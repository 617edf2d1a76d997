"""One candidate's whole story: what made it, every stage, what became of it in the pool."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments._cli import parse, run_command
from spade_jax.errors import UserError, nearest
from spade_jax.evidence import read_evidence, replay
from spade_jax.report import PoolChange, Run, read_run
from spade_jax.report.provenance import provenance
from spade_jax.report.summary import difficulties
from spade_jax.skills import relabelled, tags
from spade_jax.types import PoolEventKind, Verdict, from_json

ABOUT = """\
Tell the story of one program of a run, found by proposal id (r3-12), by name (camp-5f2c1a), by
program hash or by the start of one. Without an id, list the candidates. Where the program was
quarantined for what it did in training, the evidence is replayed, and what it shows is told.

Examples:
  python -m experiments.inspect runs/a/coevo
  python -m experiments.inspect runs/a/coevo r3-12
  python -m experiments.inspect runs/a/coevo 5f2c --json
"""


_ORIGIN, _RECEIPT = 4, 12
"""Rows of the provenance that the first lines tell already, and most that are told of a receipt."""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder."""
    env_id: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[ID]")] = ""
    """Proposal id, name, program hash, or the start of a hash."""
    json: bool = False
    """Print one JSON document."""


@dataclasses.dataclass(frozen=True)
class Replay:
    """A quarantine's evidence, replayed.

    Attributes:
      round: of the quarantine. fault: what the program did. step: when, in its episode.
      shown: the step at which the replay shows it, None if it does not.
      error: why it could not be replayed, "" if it could.
    """

    round: int
    fault: str
    step: int
    shown: int | None
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Story:
    """Everything recorded about one program; ``candidate`` is None for bundled seeds.

    ``difficulties``: in training after each round, where that was adaptive.
    """

    program_hash: str
    candidate: Mapping[str, Any] | None
    pool: tuple[PoolChange, ...]
    evaluations: tuple[Mapping[str, Any], ...]
    children: tuple[str, ...]
    replays: tuple[Replay, ...] = ()
    difficulties: Mapping[int, float] = dataclasses.field(default_factory=dict)


def find(run: Run, env_id: str) -> Story:
    """The story of the program that ``env_id`` names.

    Raises:
      UserError: nothing, or more than one program, is named so.
    """
    by_id = [c for c in run.candidates if c["proposal"]["id"] == env_id]
    if by_id:
        return _story(run, by_id[-1]["verdict"]["program_hash"], by_id[-1])
    names = {change.name: change.program_hash for change in run.pool_changes}
    env_id = names.get(env_id, env_id)
    hashes = {c["verdict"]["program_hash"] for c in run.candidates}
    hashes |= {change.program_hash for change in run.pool_changes}
    hashes |= {line["program_hash"] for line in run.evaluations}
    hits = sorted(h for h in hashes if h and h.startswith(env_id))
    if len(hits) > 1:
        raise UserError(f"{env_id!r} names {len(hits)} programs: {', '.join(hits[:4])}, …")
    if not hits:
        ids = [c["proposal"]["id"] for c in run.candidates]
        guess = nearest(env_id, [*ids, *names])
        hint = f"; did you mean {guess!r}?" if guess else ""
        raise UserError(f"{run.path} knows no program {env_id!r}{hint}")
    # Duplicates carry the hash of what they repeat: the story is of the first that bore it.
    bearers = [c for c in run.candidates if c["verdict"]["program_hash"] == hits[0]]
    admitted = [c for c in bearers if c["admitted"]]
    return _story(run, hits[0], next(iter([*admitted, *bearers]), None))


def _story(run: Run, program_hash: str, candidate: Mapping[str, Any] | None) -> Story:
    if not program_hash:
        return Story("", candidate, (), (), ())
    pool = tuple(c for c in run.pool_changes if c.program_hash == program_hash)
    return Story(
        program_hash=program_hash,
        candidate=candidate,
        pool=pool,
        evaluations=tuple(e for e in run.evaluations if e["program_hash"] == program_hash),
        children=tuple(
            c["proposal"]["id"] for c in run.candidates if program_hash in c["proposal"]["parents"]
        ),
        replays=tuple(_replay(c) for c in pool if _replayable(c)),
        difficulties=difficulties(run, program_hash),
    )


def _replayable(change: PoolChange) -> bool:
    return change.change == PoolEventKind.QUARANTINE and "actions" in change.evidence


def _replay(change: PoolChange) -> Replay:
    evidence = change.evidence
    try:
        read = read_evidence(evidence)
        return Replay(change.round, read.fault, read.step, replay(read))
    except ValueError as error:
        return Replay(change.round, change.reason, -1, None, str(error))


def tell(story: Story) -> str:
    """The story as text."""
    lines: list[str] = []
    if story.candidate is None:
        name = f"{story.pool[0].name}, " if story.pool else ""
        lines.append(f"{name}program {story.program_hash} (bundled seed)")
    else:
        lines += _candidate(story.candidate)
    replays = iter(story.replays)
    for change in story.pool:
        told = _replayed(change.evidence, next(replays)) if _replayable(change) else None
        told = _detail(change.evidence) if told is None else told
        lines.append(f"round {change.round}: {change.change}, {change.reason}{told}")
    for line in story.evaluations:
        lines.append(
            f"round {line.get('round', '?')}: success {line['mean']:.3f} "
            f"[{line['low']:.3f}, {line['high']:.3f}] over {line['episodes']} episodes"
        )
    if story.difficulties:
        told = ", ".join(f"{d:.2f} (round {n})" for n, d in story.difficulties.items())
        lines.append(f"difficulty in training (0.5: as declared): {told}")
    if story.children:
        lines.append(f"parent of {', '.join(story.children)}")
    if story.candidate is not None:
        lines += ["", story.candidate["proposal"]["source"].rstrip()]
    return "\n".join(lines)


def _replayed(evidence: Mapping[str, Any], found: Replay) -> str:
    """Evidence that replays, in short (``--json`` has all of it), and what the replay showed."""
    if found.error:
        return f": the evidence cannot be replayed, {found.error}"
    if found.shown is None:
        shown = "a replay does not show it"
    elif found.shown == found.step:
        shown = f"a replay shows the same at step {found.shown}"
    else:
        shown = f"a replay shows it at step {found.shown}"
    origin = "the level" if evidence["start"] is None else "a stored state"
    return (
        f" at step {found.step} of an episode in iteration {evidence['iteration']}: "
        f"level seed {json.dumps(evidence['seed'])}, parameters {json.dumps(evidence['params'])}, "
        f"{len(evidence['actions'])} actions from {origin} on; {shown}"
    )


def _candidate(candidate: Mapping[str, Any]) -> list[str]:
    proposal, verdict = candidate["proposal"], candidate["verdict"]
    parents = ", ".join(proposal["parents"]) or "none"
    outcome = "admitted" if candidate["admitted"] else f"not admitted: {candidate['reason']}"
    if candidate.get("score") is not None:
        outcome += f" (score {candidate['score']:.3f})"
    lines = [
        f"candidate {proposal['id']}, program {verdict['program_hash'] or '(never read)'}",
        f"made in round {proposal['round']} by {proposal['generator']}, {proposal['operator']}; "
        f"parents: {parents}",
        outcome,
        *(f"  {what}: {value}" for what, value in provenance(proposal)[_ORIGIN:][:_RECEIPT]),
    ]
    for stage in verdict["stages"]:
        mark = "ok  " if stage["ok"] else "FAIL"
        lines.append(f"  {mark} {stage['name']} {stage['seconds']:.2f} s{_detail(stage['detail'])}")
    lines += _skills(candidate)
    if verdict["error"]:
        lines.append(f"  {verdict['error']}")
    return lines


def _skills(candidate: Mapping[str, Any]) -> list[str]:
    """The line on an admitted program whose skill tags are not those it declares."""
    verdict = from_json(Verdict, candidate["verdict"])
    if not candidate["admitted"] or not relabelled(verdict):
        return []
    return [f"  relabelled: its skills are {', '.join(tags(verdict, ()))}, not as declared"]


def _detail(values: Mapping[str, Any]) -> str:
    if not values:
        return ""
    text = ", ".join(f"{key} {json.dumps(value)}" for key, value in values.items())
    return f": {text}" if len(text) <= 200 else f": {text[:199]}…"


def listing(run: Run) -> str:
    """One line a candidate, under a heading."""
    rows = [f"{'id':<10} {'program':<16} {'outcome':<16} operator"]
    for candidate in run.candidates:
        proposal, verdict = candidate["proposal"], candidate["verdict"]
        outcome = "admitted" if candidate["admitted"] else candidate["reason"]
        program = verdict["program_hash"] or "-"
        rows.append(f"{proposal['id']:<10} {program:<16} {outcome:<16} {proposal['operator']}")
    return "\n".join(rows) if run.candidates else "no candidates"


def main(argv: Sequence[str]) -> int:
    options, _ = parse(
        Options(tyro.MISSING), argv, prog="python -m experiments.inspect", about=ABOUT
    )
    run = read_run(options.run)
    if not options.env_id:
        print(json.dumps(list(run.candidates)) if options.json else listing(run))
        return 0
    story = find(run, options.env_id)
    print(json.dumps(dataclasses.asdict(story), indent=1) if options.json else tell(story))
    return 0


if __name__ == "__main__":
    run_command(main)
