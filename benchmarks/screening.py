"""How many candidates a second one core screens, and what each stage takes.

    python -m benchmarks.screening [--candidates 200] [--trace] [--policy FILE] [--json]

The candidates are what the default generator makes of the bundled seeds: mutants, grafts and
parameter moves, always the same for a seed. Two worker processes of the executor examine them,
each one after the other and each candidate up to where it is rejected, the probe being played with
an untrained network of the default size (or with ``--policy``, the ``policy.npz`` of a run). Rates
are by the workers' CPU seconds, those of rejected candidates included; starting a worker is not
counted.

The bar is on check, smoke, behaviour, triviality and probe. The certificate is measured on all that
pass these; the second rate is with it, and the probes of what it rejects left out, as the executor
does it. ``--trace`` measures the trace as well, and the third rate is of all stages.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks import command
from benchmarks.report import Report, at_least
from benchmarks.timed_stages import CPU_SECONDS, STEPS, WOULD_BE
from envs_dsl import Program
from envs_dsl.library import seeds
from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.generator import make_generator
from spade_jax.learner import LearnerConfig
from spade_jax.learner.network import PolicyValue, init_params, numpy_params
from spade_jax.play import save_policy
from spade_jax.types import Context, PoolView, Proposal, Reason, Stage, Verdict

__all__ = ["main", "measure", "rate", "stream"]

CANDIDATES, TINY = 200, 3
WORKERS = 2
BAR = 2.0
_BARE = frozenset(Stage) - {Stage.CERTIFICATE, Stage.TRACE}


def stream(count: int, seed: int) -> tuple[Proposal, ...]:
    """What the default generator makes of the seeds, a pure function of (count, seed)."""
    context = Context(round=0, seed=seed, pool=tuple(map(_view, seeds())), profile=())
    return tuple(make_generator("evolve").propose(context, count))


def _view(program: Program) -> PoolView:
    return PoolView(
        program_hash=program.hashes.program,
        behaviour_hash="",
        source=program.source,
        name=program.name,
        skills=program.game.skills,
        success=None,
        features=(),
        active=True,
    )


def _untrained(path: Path) -> Path:
    config = LearnerConfig()
    network = PolicyValue(hidden=config.hidden, cell_embedding=config.cell_embedding)
    save_policy(path, numpy_params(init_params(network, jax.random.key(0))))
    return path


def screen(proposals: Sequence[Proposal], policy: Path, trace: bool) -> tuple[list[Verdict], float]:
    """Verdicts with timed stages, in order, and seconds of the clock; ``WORKERS``, warm."""
    stages = "benchmarks.timed_stages:" + ("TRACED" if trace else "STAGES")
    with Sandbox(ExecutorConfig(workers=WORKERS, nice=0), stages) as box:
        ask = [Request(p.source, p.id, policy=str(policy), seed=1) for p in proposals]
        warm = Request(seeds()[0].source, "warm-up", policy=str(policy))
        for done in [box.submit(warm) for _ in range(2 * WORKERS)]:
            done.result()
        start = time.perf_counter()
        verdicts = [future.result() for future in [box.submit(request) for request in ask]]
        seconds = time.perf_counter() - start
    for verdict in verdicts:
        if verdict.reason.depends_on_clock or verdict.reason is Reason.INTERNAL:
            raise SystemExit(
                f"error: {verdict.proposal_id} was not measured: {verdict.reason}: {verdict.error}"
            )
    return verdicts, seconds


def rate(verdicts: Sequence[Verdict], stages: Iterable[Stage]) -> float:
    """Candidates a CPU second, had the executor only had these stages."""
    return len(verdicts) / sum(_seconds(verdict, frozenset(stages)) for verdict in verdicts)


def _seconds(verdict: Verdict, stages: frozenset[Stage]) -> float:
    """CPU seconds of a candidate in these stages, up to the one of them that ends it."""
    total = 0.0
    for result in verdict.stages:
        if result.name in stages:
            total += result.detail[CPU_SECONDS]
            if result.detail[WOULD_BE] != Reason.OK:
                break
    return total


def _stage_rows(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    rows = []
    for stage in Stage:
        mine = [r.detail for v in verdicts for r in v.stages if r.name is stage]
        if not mine:
            continue
        cpu = [1e3 * detail[CPU_SECONDS] for detail in mine]
        rows.append(
            {
                "stage": stage.value,
                "candidates": len(mine),
                "mean_ms": statistics.fmean(cpu),
                "slowest_ms": max(cpu),
                "ms_of_all_candidates": sum(cpu) / len(verdicts),
                "env_steps": statistics.fmean(detail[STEPS] for detail in mine),
                "ends": sum(detail[WOULD_BE] != Reason.OK for detail in mine),
            }
        )
    return rows


def measure(
    count: int, seed: int, policy: Path | None, trace: bool, repeats: int, tiny: bool
) -> Report:
    """Screen the stream ``repeats`` times; the rates are those of the median pass."""
    proposals = stream(count, seed)
    passes = []
    with tempfile.TemporaryDirectory() as folder:
        file = policy or _untrained(Path(folder) / "policy.npz")
        for number in range(repeats):
            command.progress(f"pass {number + 1} of {repeats}: {len(proposals)} candidates")
            passes.append(screen(proposals, file, trace))
    kinds = {"without certificate": _BARE, "with certificate": _BARE | {Stage.CERTIFICATE}}
    if trace:
        kinds["all stages"] = frozenset(Stage)
    rows: list[dict[str, Any]] = []
    for name, stages in kinds.items():
        rates = [rate(verdicts, stages) for verdicts, _ in passes]
        cpu = [_seconds(v, stages) for v in passes[0][0]]
        rows.append(
            {
                "stages": name,
                "candidates_per_cpu_second": statistics.median(rates),
                "slowest": min(rates),
                "median_cpu_s_of_one": statistics.median(cpu),
                "p95_cpu_s_of_one": float(np.quantile(cpu, 0.95)),
                "slowest_cpu_s_of_one": max(cpu),
            }
        )
    verdicts = passes[0][0]
    ends = collections.Counter(_reason(verdict) for verdict in verdicts)
    config = dataclasses.asdict(ExecutorConfig())
    return Report(
        benchmark="screening",
        settings={
            "candidates": len(proposals),
            "seed": seed,
            "policy": "untrained, default network" if policy is None else policy.name,
            "passes": repeats,
            "workers": WORKERS,
            "clock_seconds": [round(seconds, 1) for _, seconds in passes],
            **{key: config[key] for key in ("smoke_episodes", "script_episodes", "probe_episodes")},
            **{key: config[key] for key in ("certificate_levels", "certificate_states")},
        },
        tables={
            "candidates a second and core": rows,
            "CPU time of the worker by stage": _stage_rows(verdicts),
            "ends": [{"reason": reason, "candidates": n} for reason, n in ends.most_common()],
        },
        bars=[
            at_least(
                "screening", rows[0]["candidates_per_cpu_second"], BAR, "candidates/s and core"
            )
        ],
        tiny=tiny,
    )


def _reason(verdict: Verdict) -> str:
    """How the executor would end the candidate."""
    ends = (r.detail[WOULD_BE] for r in verdict.stages if r.detail[WOULD_BE] != Reason.OK)
    return next(ends, Reason.OK.value)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; 1 where the bar is missed."""
    parser = command.parser("screening", __doc__)
    parser.set_defaults(repeats=1)
    parser.add_argument("--candidates", type=int, default=CANDIDATES, help=f"({CANDIDATES})")
    parser.add_argument("--seed", type=int, default=0, help="of the stream (0)")
    parser.add_argument("--policy", type=Path, default=None, metavar="FILE", help="policy.npz")
    parser.add_argument("--trace", action="store_true", help="measure the trace as well")
    options = _checked(parser, parser.parse_args(argv))
    count, repeats = (TINY, 1) if options.tiny else (options.candidates, options.repeats)
    report = measure(count, options.seed, options.policy, options.trace, repeats, options.tiny)
    return command.finish(report, options)


def _checked(parser: argparse.ArgumentParser, options: argparse.Namespace) -> argparse.Namespace:
    if options.policy is not None and not options.policy.is_file():
        parser.error(f"no such file: {options.policy}")
    for name in ("candidates", "repeats"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main())
