"""What co-evolution costs the learner: waiting, and the machine's attention.

    python -m benchmarks.round [--preset quick] [--rounds 3] [--generator SPEC] [--json]

Two runs of what ``experiments.coevo`` does by default, in fewer rounds, in folders that are thrown
away: one as it is, and one in which nothing is generated, so that nothing is validated, admitted or
compiled beside training. They have the same seed, the same programs at first, and the same
iterations. The first compiles cold; the second finds the seeds' executables where the first kept
them. Round 0, in which the seeds are trained on and all of them compiled, and the first round, in
which nobody joins, do not count.

*Waiting* is the time in which the learner stands still for generation, validation or compilation,
as a share of the rounds' wall clock. Steps a second are those of training over the whole rounds,
which evaluate the pool as well, in both runs; where the run without generation waits (programs may
change places, which compiles their cohorts), that wait is taken out of its time.

``python -m benchmarks.round_llm`` is the same with a language model among the sources.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import command
from benchmarks.report import Report, at_least, at_most
from experiments.config import load_preset
from spade_jax.coevolution import run
from spade_jax.config import Config
from spade_jax.curator import CuratorConfig
from spade_jax.learner import LearnerConfig, settled

__all__ = ["LLM", "main", "measure"]

CANDIDATES = 8
"""The least candidates a round that count."""

LLM = "round_llm"
"""Name of the document where a language model writes."""

TINY = Config(
    pretrain_iterations=1,
    rounds=2,
    iterations_per_round=2,
    join_after=1,
    candidates_per_round=1,
    archive_probes=0,
    heldout_every=9,
    heldout_episodes=1,
    learner=LearnerConfig(slots=2, copies=4, cohort_size=2, rollout_length=4, minibatches=2),
    curator=CuratorConfig(episodes=4),
)


def asks_a_model(config: Config) -> bool:
    """Whether a language model is among the sources of programs."""
    return "llm:" in config.generator


def _asked(config: Config) -> dict[str, Any]:
    """How the model was asked, as far as it decides the speed."""
    return {f"llm_{name}": getattr(config.llm, name) for name in ("threads", "parallel", "freedom")}


def rounds_of(config: Config, name: str) -> list[dict[str, Any]]:
    """Run ``config``: a line for each round that counts."""
    steps: dict[int, float] = {}
    seconds: dict[int, float] = {}
    models: Counter[int] = Counter()  # round → candidates that a language model wrote
    found: list[dict[str, Any]] = []

    def on_event(kind: str, record: Mapping[str, Any]) -> None:
        if kind == "iteration":
            number = record["round"]
            steps[number] = steps.get(number, 0.0) + record["steps_per_s"] * record["seconds"]
            seconds[number] = seconds.get(number, 0.0) + record["seconds"]
        elif kind == "candidate":
            models[record["round"]] += record["proposal"]["generator"].startswith("llm:")
        elif kind == "warning":
            command.progress(f"round: {name}: {record['text']}")
        elif kind == "round":
            number = record["round"]
            command.progress(f"round: {name}, round {number}: {record['seconds']:.1f} s")
            found.append(
                {
                    "run": name,
                    "round": number,
                    "seconds": record["seconds"],
                    "training_s": seconds[number],
                    "waiting_s": record["wait_seconds"],
                    "for_screening_s": record["wait_screening_seconds"],
                    "compiling_beside_s": record["compile_seconds"],
                    "steps": steps[number],
                    "candidates": sum(record["funnel"].values()),
                    **({"of_a_model": models[number]} if asks_a_model(config) else {}),
                    "admitted": record["admitted"],
                }
            )

    with tempfile.TemporaryDirectory() as folder:
        run(config, pathlib.Path(folder), on_event=on_event)
    return [row for row in found if row["round"] > 1]


def measure(config: Config, tiny: bool = False) -> Report:
    """Run ``config`` with and without what goes on beside training."""
    with tempfile.TemporaryDirectory() as cache:
        config = dataclasses.replace(config, compilation_cache=cache)
        whole = rounds_of(config, "co-evolution")
        bare = rounds_of(dataclasses.replace(config, generator="none"), "training only")
    model = asks_a_model(config)

    def rate(rows: list[dict[str, Any]], clock: str, but: str | None = None) -> float:
        seconds = sum(row[clock] - (row[but] if but else 0.0) for row in rows)
        return float(sum(row["steps"] for row in rows) / seconds)

    waiting = sum(row["waiting_s"] for row in whole) / sum(row["seconds"] for row in whole)
    fewest = min(row["candidates"] for row in whole)
    notes = [] if fewest >= CANDIDATES else [f"a round had only {fewest} candidates"]
    if model and not all(row["of_a_model"] for row in whole):
        notes.append(
            "in at least one round the model wrote no candidate (it may have been too slow)"
        )
    return Report(
        benchmark=LLM if model else "round",
        settings={
            **({"generator": config.generator, **_asked(config)} if model else {}),
            "rounds": config.rounds,
            "pretrain_iterations": config.pretrain_iterations,
            "iterations_per_round": config.iterations_per_round,
            "candidates_per_round": config.candidates_per_round,
            "join_after": config.join_after,
            "cohort_size": config.learner.cohort_size,
            "steps_per_iteration": config.learner.batch * config.learner.rollout_length,
        },
        tables={
            "rounds": [*whole, *bare],
            "steps a second": [
                {
                    "run": rows[0]["run"],
                    "whole_rounds": rate(rows, "seconds"),
                    "training_iterations": rate(rows, "training_s"),
                }
                for rows in (whole, bare)
            ],
        },
        bars=[
            at_most("share of the wall clock spent waiting", waiting, 0.05, "share"),
            at_least(
                "steps a second / those of training only",
                rate(whole, "seconds") / rate(bare, "seconds", but="waiting_s"),
                0.75,
            ),
        ],
        notes=notes,
        tiny=tiny,
        peers=("torch", "transformers") if model else (),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("round", __doc__)
    parser.add_argument("--preset", default="quick", help="of experiments.coevo (quick, its own)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of co-evolution (3)")
    parser.add_argument("--pretrain", type=int, default=10, metavar="N", help="iterations (10)")
    parser.add_argument("--seed", type=int, default=0, help="of both runs (0)")
    parser.add_argument("--cohort-size", type=int, help="another learner.cohort_size")
    parser.add_argument("--join-after", type=int, help="another join_after")
    parser.add_argument(
        "--generator", default="evolve", metavar="SPEC", help="as for experiments.coevo (evolve)"
    )
    options = parser.parse_args(argv)
    if options.tiny:
        tiny = dataclasses.replace(TINY, generator=options.generator)
        return command.finish(measure(tiny, tiny=True), options)
    preset = load_preset(options.preset, Config())
    config = dataclasses.replace(
        preset,
        learner=settled(dataclasses.replace(preset.learner, cohort_size=options.cohort_size)),
        join_after=preset.join_after if options.join_after is None else options.join_after,
        generator=options.generator,
        llm=dataclasses.replace(preset.llm, freedom="holes", parallel=1),
        seed=options.seed,
        rounds=max(2, options.rounds),
        pretrain_iterations=options.pretrain,
    )
    return command.finish(measure(config), options)


if __name__ == "__main__":
    sys.exit(main())
