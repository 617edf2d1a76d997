"""Does a model that learns from its own accepted programs write better ones than a frozen one?"""

from __future__ import annotations

import collections
import dataclasses
import json
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from experiments._cli import parse, run_command
from experiments.prompt import fresh
from spade_jax.errors import UserError
from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm.backends import make_backend
from spade_jax.generator.llm.exchanges import FILE, Exchanges, read_requests
from spade_jax.generator.llm.tuning.config import TuningConfig
from spade_jax.generator.llm.tuning.job import key_of
from spade_jax.generator.llm.tuning.samples import Sample, gather, samples_of
from spade_jax.generator.llm.tuning.tuner import Tunable, Tuner, tunable
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.records import VerdictJournal, write_atomic
from spade_jax.report.tuning import Row, curves
from spade_jax.types import Context, Outcome, Proposal, Stage, Verdict

ABOUT = """\
Ask a local model for programs in several rounds, once as it came ("frozen") and once tuned after
each round on those of its own programs that passed the gates ("learned"). Both are asked for the
same: the pool stays, and no other part of the generator learns; the first round is common. What
passed is counted among all that were asked for, so that a tuned model is measured on fresh draws.
What is stopped goes on where it was: answers, verdicts and weights are kept in the folder --work.

Gates are the executor's up to the search for a win; the probe and the trace are left out.

Examples:
  python -m experiments.tune --generator llm:transformers:PATH_OR_ID --out results/generator/tuning.json
  python -m experiments.tune --generator llm:transformers:m.gguf --rounds 3 --proposals 60 --seeds 0 --out a.json
  python -m experiments.tune --generator llm:transformers:m.gguf --llm.tuning.method full --llm.tuning.rate 2e-5 --out b.json
"""  # noqa: E501

Arm = Literal["frozen", "learned"]
ARMS: tuple[Arm, ...] = ("frozen", "learned")


def _settings() -> LlmConfig:
    """Small prompts and one-line answers: what a model below a billion parameters can do."""
    tuning = TuningConfig(tokens=512, steps=40, batch=1, least=4)
    return LlmConfig(
        freedom="holes",
        ideas_per_request=0,
        repair_rounds=0,
        salvage=False,
        second_programs=False,
        prompt_budget=1500,
        tune_every=1,
        tuning=tuning,
    )


@dataclasses.dataclass(frozen=True)
class Options:
    generator: str = ""
    """Who writes: llm:transformers:WHAT, as for experiments.coevo."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Results as JSON; a figure (.png) comes to stand beside it."""
    rounds: int = 4
    """Of proposals; after each but the last, the learned arm is tuned."""
    proposals: int = 40
    """In each round of each arm."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Each is a whole repetition."""
    work: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Folder of what is kept meanwhile (default: beside the results, with the ending .work)."""
    workers: int = 1
    """Processes that examine programs."""
    llm: LlmConfig = dataclasses.field(default_factory=_settings)
    """Settings of generation; llm.tuning says how it is tuned."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.tune", about=ABOUT)
    if not options.generator.startswith("llm:") or options.out is None:
        raise UserError("name a model and a file: --generator llm:transformers:WHAT --out FILE")
    if options.rounds < 2 or options.proposals < 1 or not options.seeds:
        raise UserError("at least --rounds 2, --proposals 1 and one of --seeds are needed")
    if options.llm.freedom == "auto":
        raise UserError("--llm.freedom must be fixed: on a ladder the arms would part")
    backend = make_backend(options.generator.removeprefix("llm:"), options.llm)
    if not tunable(backend):
        raise UserError(f"{options.generator} cannot be tuned from here; llm:transformers:… can")
    work = options.work or options.out.with_suffix(".work")
    rows: list[Row] = []
    start = time.monotonic()
    context, _ = fresh(0)
    try:
        with Sandbox(ExecutorConfig(workers=options.workers)) as box:
            for seed in options.seeds:
                of_seed = dataclasses.replace(context, seed=seed)
                rows += Repetition(backend, options, box, of_seed, work).run()
    finally:
        backend.close()
    document = {
        "generator": options.generator,
        "settings": dataclasses.asdict(options.llm),
        "proposals": options.proposals,
        **curves(rows),
        "wall_seconds": round(time.monotonic() - start, 1),
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(options.out, json.dumps(document, indent=1) + "\n")
    from spade_jax.report.figures import tuning_plot

    figure = tuning_plot(document)
    figure.savefig(options.out.with_suffix(".png"), dpi=150, metadata={"Software": None})
    print(json.dumps({k: document[k] for k in ("gates", "distinct")}))
    return 0


class Repetition:
    """Both arms of one seed."""

    def __init__(
        self, backend: Tunable, options: Options, box: Sandbox, context: Context, work: Path
    ) -> None:
        self.backend, self.options, self.box, self.context = backend, options, box, context
        self.folders = {arm: work / f"seed-{context.seed}-{arm}" for arm in ARMS}
        self.known = tuple(sorted(v.behaviour_hash for v in context.pool))

    def run(self) -> list[Row]:
        """One row an arm and round; the first round is the same in both."""
        for folder in self.folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        rows = self._arm("frozen")
        self._share_first_round()
        return rows + self._arm("learned")

    def _share_first_round(self) -> None:
        """What was answered before anything was learned is not asked again."""
        name = f"llm:{self.backend.name}"
        known = read_requests(self.folders["frozen"] / FILE, name)
        journal = Exchanges(self.folders["learned"] / FILE, self.options.generator)
        journal.put(name, [pair for pair in known.values() if pair[0].id.startswith("r1-")])
        journal.close()

    def _arm(self, arm: Arm) -> list[Row]:
        options, folder = self.options, self.folders[arm]
        exchanges = Exchanges(folder / FILE, options.generator)
        verdicts = VerdictJournal(folder / "verdicts.jsonl")
        writer = LanguageModel(self.backend, options.llm, exchanges)
        tuner = Tuner(self.backend, options.llm, folder / FILE, folder, writer.name)
        samples: tuple[Sample, ...] = ()
        seen: set[str] = set()
        rows: list[Row] = []
        try:
            for round in range(1, options.rounds + 1):
                examples = self._tune(tuner, samples) if arm == "learned" and round > 1 else 0
                if not examples:
                    self.backend.adopt(None)
                context = dataclasses.replace(self.context, round=round)
                work = writer.write(context, options.proposals)
                checked = sum(slot.checked for slot in work.slots)
                proposals = writer.take(work, context)  # without copies
                waiting = [self._ask(p, verdicts) for p in proposals]
                found = [
                    verdicts.put(p, w if isinstance(w, Verdict) else w.result())
                    for p, w in zip(proposals, waiting, strict=True)
                ]
                rows.append(self._row(arm, round, checked, proposals, found, seen, examples))
                print(_line(rows[-1]), writer.notice, file=sys.stderr, flush=True)
                outcomes = [
                    Outcome(p, v, v.ok, v.reason) for p, v in zip(proposals, found, strict=True)
                ]
                new = samples_of(outcomes, options.llm.tuning.weights)
                samples = gather(samples, new, options.llm.tuning.most)
        finally:
            tuner.close()
            exchanges.close()
            verdicts.close()
        return rows

    def _tune(self, tuner: Tuner, samples: tuple[Sample, ...]) -> int:
        """How many examples the weights that answer now were tuned on; 0: too few for that."""
        config = self.options.llm.tuning
        if len(samples) < config.least:
            return 0
        key = key_of(tuner.name, samples, config)
        tuner.start(key, samples)
        tuner.wait()
        if tuner.adopt([key]) is None:
            raise UserError(tuner.notice or "the model could not be tuned", exit_code=1)
        return len(samples)

    def _ask(self, proposal: Proposal, verdicts: VerdictJournal) -> Verdict | Future[Verdict]:
        if (known := verdicts.get(proposal)) is not None:
            return known
        request = Request(
            proposal.source,
            id=proposal.id,
            known_behaviours=self.known,
            seed=self.context.seed,
            until=Stage.CERTIFICATE,
        )
        return self.box.submit(request)

    def _row(
        self,
        arm: Arm,
        round: int,
        checked: int,
        proposals: Sequence[Proposal],
        verdicts: Sequence[Verdict],
        seen: set[str],
        examples: int,
    ) -> Row:
        passed = [v.behaviour_hash for v in verdicts if v.ok]
        distinct = set(passed) - seen
        seen |= distinct
        asked = self.options.proposals
        reasons = collections.Counter(str(v.reason) for v in verdicts if not v.ok)
        reasons["does not check"] = asked - checked
        reasons["twice or in the pool"] = checked - len(verdicts)
        return Row(
            seed=self.context.seed,
            arm=arm,
            round=round,
            asked=asked,
            checks=checked,
            smoke=sum(any(s.name is Stage.SMOKE and s.ok for s in v.stages) for v in verdicts),
            gates=len(passed),
            distinct=len(distinct),
            examples=examples,
            revisions=tuple(sorted({_revision(p.receipt) for p in proposals})),
            reasons={why: times for why, times in reasons.most_common() if times},
        )


def _revision(receipt: Mapping[str, Any]) -> str:
    return str(receipt.get("revision", ""))


def _line(row: Row) -> str:
    tuned = f", tuned on {row.examples}" if row.examples else ""
    return (
        f"seed {row.seed}, {row.arm}, round {row.round}: of {row.asked} {row.checks} check, "
        f"{row.gates} pass, {row.distinct} new{tuned}"
    )


if __name__ == "__main__":
    run_command(main)
