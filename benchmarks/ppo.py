"""Training throughput on the bundled seeds: roll-outs and PPO updates, compile time apart.

    python -m benchmarks.ppo [--iterations 10] [--copies 64] [--json]

One line of ``steps_per_second`` counts environment steps over whole training iterations (median
and slowest), warm; ``collect`` and ``update`` are their parts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Sequence

import jax

from benchmarks.programs import pick
from spade_jax.learner import Learner, LearnerConfig

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ppo", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--iterations", type=int, default=10, help="timed iterations")
    parser.add_argument("--copies", type=int, default=LearnerConfig().copies, help="per slot")
    parser.add_argument("--programs", nargs="*", default=[], help="seed programs (all)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    learner = Learner(LearnerConfig(copies=options.copies))
    layout = learner.arrange(pick(options.programs))
    start = time.perf_counter()
    learner.prepare(layout)
    compiled = time.perf_counter() - start
    state = learner.init(0, layout)
    state, _ = learner.train_iteration(state, layout)
    whole, collect, update = [], [], []
    for _ in range(options.iterations):
        start = time.perf_counter()
        state, metrics = learner.train_iteration(state, layout)
        whole.append(metrics.env_steps / (time.perf_counter() - start))
        collect.append(metrics.env_steps / metrics.collect_seconds)
        update.append(metrics.env_steps / metrics.update_seconds)
    result = {
        "device": jax.devices()[0].device_kind,
        "cpus": os.cpu_count(),
        "environments": learner.config.batch,
        "epochs": learner.config.epochs,
        "compile_seconds": compiled,
        "steps_per_second": statistics.median(whole),
        "slowest": min(whole),
        "collect_steps_per_second": statistics.median(collect),
        "update_steps_per_second": statistics.median(update),
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:26} {value:,.1f}" if isinstance(value, float) else f"{name:26} {value}")


if __name__ == "__main__":
    main()
