"""How far the proposals of a language model come: shares, stages, reasons, tokens, seconds."""

from __future__ import annotations

import collections
import dataclasses
import gzip
import json
import math
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from experiments._cli import parse, run_command
from experiments.prompt import fresh
from spade_jax.errors import UserError
from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm.backends import make_backend
from spade_jax.generator.llm.exchanges import Exchanges
from spade_jax.generator.llm.slots import Slot
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.types import Context, Stage, Verdict

ABOUT = """\
Ask a language model for environments, put each through the executor's stages up to the trace, and
write down what share parses, checks, passes the smoke test, passes every gate, and behaves unlike
all others. The pool is the bundled seeds, and nothing is trained. The exchanges are kept beside the
results; what is stopped goes on where it was.

Modes: "plain" takes what the model writes; "grammar" holds a local model to the language and to the
names that it declares; "grammar+repair" also sends faults back (three rounds) and salvages; "edits"
fills typed holes of bundled programs.

Examples:
  python -m experiments.generate --generator llm:transformers:PATH_OR_ID --out results/generator/a.json
  python -m experiments.generate --generator llm:openai:MODEL@URL --mode plain --out b.json
  python -m experiments.generate --generator llm:transformers:m.gguf --mode edits --proposals 20 --out c.json
"""  # noqa: E501

Mode = Literal["plain", "grammar", "grammar+repair", "edits"]

_SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"constrain": "off", "repair_rounds": 0, "salvage": False, "freedom": "program"},
    "grammar": {"constrain": "lines", "repair_rounds": 0, "salvage": False, "freedom": "program"},
    "grammar+repair": {
        "constrain": "lines", "repair_rounds": 3, "salvage": True, "freedom": "program",
    },
    "edits": {"constrain": "lines", "repair_rounds": 0, "salvage": False, "freedom": "holes"},
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Options:
    generator: str = ""
    """Who writes: llm:KIND:WHAT, as for experiments.coevo."""
    mode: Mode = "grammar"
    """What is asked for, and what is done with it."""
    proposals: int = 200
    """How many."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Results as JSON; the exchanges come to stand beside it."""
    seed: int = 0
    """Of what is drawn."""
    batch: int = 16
    """Proposals a round: those of one round know nothing of one another."""
    workers: int = 1
    """Processes that examine programs."""
    llm: LlmConfig = dataclasses.field(default_factory=lambda: LlmConfig(ideas_per_request=0))
    """Settings of generation; the mode sets constrain, repair_rounds, salvage and freedom, and no
    answer makes up for another (second_programs)."""


@dataclasses.dataclass(frozen=True)
class Row:
    """What became of one proposal.

    ``stage`` is the one it failed at ("" for none), ``reason`` why; ``distinct``: it passed every
    gate and no other that passed behaves alike, nor does a seed.
    """

    index: int
    parses: bool
    checks: bool
    smoke: bool
    gates: bool
    distinct: bool
    stage: str
    reason: str
    codes: tuple[str, ...]
    program: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.generate", about=ABOUT)
    if not options.generator.startswith("llm:") or options.out is None:
        raise UserError("name a model and a file: --generator llm:KIND:WHAT --out FILE")
    if options.proposals < 1 or options.batch < 1:
        raise UserError("--proposals and --batch must be at least 1")
    # Each answer counts for itself: what it holds besides makes up for no other.
    config = dataclasses.replace(options.llm, **_SETTINGS[options.mode], second_programs=False)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    journal = options.out.with_suffix(".exchanges.jsonl")
    backend = make_backend(options.generator.removeprefix("llm:"), config)
    writer = LanguageModel(backend, config, Exchanges(journal, options.generator))
    start = time.monotonic()
    try:
        rows, who = measure(writer, options)
    finally:
        writer.close()
    document = {
        "generator": options.generator,
        "mode": options.mode,
        "model": who,
        "seed": options.seed,
        "settings": dataclasses.asdict(config),
        **summary(rows),
        "wall_seconds": round(time.monotonic() - start, 1),
        "proposals": [dataclasses.asdict(row) for row in rows],
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    with journal.open("rb") as plain, gzip.open(f"{journal}.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    print(json.dumps({k: v for k, v in document.items() if k not in ("proposals", "settings")}))
    return 0


def measure(writer: LanguageModel, options: Options) -> tuple[list[Row], str]:
    """(one row a proposal, model and revision), the programs examined while others are written."""
    context, _ = fresh(options.seed)
    known = {view.behaviour_hash for view in context.pool}
    slots: list[Slot] = []
    verdicts: dict[int, Verdict] = {}
    with Sandbox(ExecutorConfig(workers=options.workers)) as box:
        futures = {}
        round = 0
        while len(slots) < options.proposals:
            round += 1
            wanted = min(options.batch, options.proposals - len(slots))
            for slot in _written(writer, context, round, wanted):
                at = len(slots)
                slots.append(slot)
                if slot.draft is not None and slot.draft.program is not None:
                    request = Request(slot.draft.source, id=str(at), until=Stage.TRACE)
                    futures[at] = box.submit(request)
            done = sum(s.checked for s in slots)
            print(f"{len(slots)} proposals, {done} check", file=sys.stderr, flush=True)
        for at, future in futures.items():
            verdicts[at] = future.result()
    rows = []
    programs: set[str] = {view.program_hash for view in context.pool}
    for at, slot in enumerate(slots):
        row = _row(at, slot, verdicts.get(at), known, programs)
        rows.append(row)
        if row.distinct:
            known.add(verdicts[at].behaviour_hash)
    answers = [e.response for slot in slots for e in slot.exchanges if e.response.model]
    who = f"{answers[0].model} {answers[0].revision}".strip() if answers else ""
    return rows, who


def _written(writer: LanguageModel, context: Context, round: int, n: int) -> Sequence[Slot]:
    """What came of one round, whether or not it checks."""
    return writer.write(dataclasses.replace(context, round=round), n).slots


def _row(at: int, slot: Slot, verdict: Verdict | None, known: set[str], programs: set[str]) -> Row:
    draft, answers = slot.draft, [e.response for e in slot.exchanges]
    codes = draft.codes if draft is not None else ()
    parses = draft is not None and not any(c.startswith("E1") for c in codes) and not draft.error
    key = draft.program.hashes.program if draft is not None and draft.program is not None else ""
    passed = {s.name for s in verdict.stages if s.ok} if verdict is not None else set()
    gates = verdict is not None and verdict.ok
    stage, reason = "", "ok"
    if verdict is not None and not verdict.ok:
        stage, reason = str(verdict.stages[-1].name) if verdict.stages else "", str(verdict.reason)
    elif verdict is None:
        stage = "answer" if draft is None else "check" if parses else "parse"
        reason = slot.error or (codes[0] if codes else "no program in the answer")
    twice = key in programs
    if key:
        programs.add(key)
    return Row(
        at,
        parses,
        bool(key),
        Stage.SMOKE in passed,
        gates,
        gates and not twice and verdict is not None and verdict.behaviour_hash not in known,
        stage,
        reason,
        tuple(dict.fromkeys(codes)),
        key,
        sum(a.prompt_tokens for a in answers),
        sum(a.completion_tokens for a in answers),
        round_(sum(a.seconds for a in answers)),
    )


def round_(value: float) -> float:
    """Hundredths are enough of a second."""
    return round(value, 2)


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Shares with central 95 % intervals (Wilson), where proposals ended, and what they cost."""
    names = ("parses", "checks", "smoke", "gates", "distinct")
    failed = [row for row in rows if row.stage]
    return {
        "count": len(rows),
        "shares": {name: share(sum(getattr(r, name) for r in rows), len(rows)) for name in names},
        "by_stage": dict(collections.Counter(row.stage for row in failed).most_common()),
        "by_reason": dict(
            collections.Counter(f"{r.stage}: {r.reason}" for r in failed).most_common()
        ),
        "prompt_tokens": round_(sum(r.prompt_tokens for r in rows) / max(len(rows), 1)),
        "completion_tokens": round_(sum(r.completion_tokens for r in rows) / max(len(rows), 1)),
        "seconds": round_(sum(r.seconds for r in rows) / max(len(rows), 1)),
    }


def share(hits: int, of: int) -> dict[str, float]:
    """A share with Wilson's interval of 95 %."""
    if not of:
        return {"hits": 0, "share": 0.0, "low": 0.0, "high": 1.0}
    z, p = 1.959964, hits / of
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return {"hits": hits, "share": round(p, 4), "low": round(low, 4), "high": round(high, 4)}


if __name__ == "__main__":
    run_command(main)
