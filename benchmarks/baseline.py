"""Co-evolution against the fixed environments, at equal environment steps: one table.

    python -m benchmarks.baseline [--preset quick] [--seeds 0 1 2 3 4] [--runs FOLDER] [--json]

For every seed a co-evolution, and then the same learner on the bundled seeds alone, for as many
environment steps as the co-evolution spent, screening and probes counted. Both are measured on the
same held-out levels. ``FOLDER`` holds the runs (``seed-N/coevo`` and ``seed-N/fixed``, where ``make
results`` puts them as well): finished ones are read, a stopped command goes on where it was.

Intervals are 95 %: bootstrap over runs, and the difference paired by seed. There is no bar: the
table is the answer.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import command
from benchmarks.report import Report
from experiments.config import presets
from spade_jax.errors import UserError
from spade_jax.report import compare, read_run
from spade_jax.report.stats import Interval

__all__ = ["commands", "main", "measure", "table"]

ARMS = ("coevo", "fixed")
SEEDS = (0, 1, 2, 3, 4)
_STDERR = 2  # the descriptor: stdout is for the document alone
_TINY = ("--pretrain-iterations", "1", "--rounds", "1", "--iterations-per-round", "2")


def commands(preset: str, seed: int, runs: Path, changes: Sequence[str] = ()) -> list[list[str]]:
    """The two commands of a seed, in order; ``--resume`` where the run has begun.

    Args:
      preset: of the co-evolution. runs: folder of all runs. changes: flags of ``experiments.coevo``
        for a run that has not begun; the other arm takes everything from it.
    """
    coevo, fixed = (runs / f"seed-{seed}" / arm for arm in ARMS)
    made = []
    for module, folder, start in (
        ("coevo", coevo, ["--preset", preset, "--seed", str(seed), *changes]),
        ("baseline", fixed, ["--arm", "fixed", "--like", str(coevo)]),
    ):
        how = ["--resume"] if (folder / "config.yaml").exists() else start
        made.append([sys.executable, "-m", f"experiments.{module}", "--run-dir", str(folder), *how])
    return made


def measure(preset: str, seeds: Sequence[int], runs: Path, changes: Sequence[str] = ()) -> None:
    """Run, or finish, both arms for every seed; what they print goes to stderr.

    Raises:
      UserError: a run did not finish.
    """
    for seed in seeds:
        for number, arm in enumerate(ARMS):
            line = commands(preset, seed, runs, changes)[number]
            command.progress(f"seed {seed}, {arm}: {' '.join(line[1:])}")
            code = subprocess.run(line, stdout=_STDERR, check=False).returncode
            if code:
                raise UserError(
                    f"{line[2]} of seed {seed} ended with exit code {code}; "
                    "the same command goes on"
                )


def table(preset: str, seeds: Sequence[int], runs: Path, tiny: bool = False) -> Report:
    """What finished runs show."""
    folders = [runs / f"seed-{seed}" / arm for seed in seeds for arm in ARMS]
    found = [read_run(folder) for folder in folders]
    comparison = compare(found)
    arms = [
        {
            "arm": arm.name,
            "runs": len(arm.seeds),
            "env_steps": round(arm.env_steps),
            **_columns("final_iqm", arm.iqm),
            **_columns("mean", arm.mean),
            **_columns("final_minus_untrained", arm.improvement),
            "worst_family": arm.worst,
        }
        for arm in comparison.arms
    ]
    differences = [
        {
            "paired_by_seed": f"{difference.left} − {difference.right}",
            "seeds": len(difference.seeds),
            **_columns("mean", difference.mean),
            **_columns("iqm", difference.iqm),
        }
        for difference in comparison.differences
    ]
    each = [
        {
            "run": f"seed {run.seed}, {run.arm}",
            "env_steps": run.env_steps,
            "untrained": None if run.untrained is None else run.untrained.mean,
            "final": None if run.final is None else run.final.mean,
        }
        for run in found
    ]
    return Report(
        benchmark="baseline",
        settings={"preset": preset, "seeds": list(seeds)},
        tables={"arms": arms, "differences": differences, "runs": each},
        notes=comparison.warnings,
        tiny=tiny,
    )


def _columns(name: str, interval: Interval | None) -> dict[str, Any]:
    """An estimate and its interval as columns; None for what one run alone cannot say."""
    if interval is None:
        return {name: None, f"{name}_95%": None}
    bounds = None if math.isnan(interval.low) else f"{interval.low:.3f} to {interval.high:.3f}"
    return {name: interval.value, f"{name}_95%": bounds}


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; 2 where a run does not finish."""
    parser = command.parser("baseline", __doc__)
    parser.add_argument("--preset", default="quick", choices=presets(), help="(quick)")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), metavar="N")
    parser.add_argument("--runs", type=Path, default=None, metavar="FOLDER", help="of the runs")
    options = parser.parse_args(argv)
    try:
        if options.tiny:
            with tempfile.TemporaryDirectory() as folder:
                measure("smoke", [0], Path(folder), _TINY)
                report = table("smoke", [0], Path(folder), tiny=True)
        else:
            runs = options.runs or Path("runs") / f"results-{options.preset}"
            measure(options.preset, options.seeds, runs)
            report = table(options.preset, options.seeds, runs)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
