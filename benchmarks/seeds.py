"""What PPO makes of the bundled seeds in three minutes, against random play.

    python -m benchmarks.seeds [--seeds 0 1 2 3 4] [--seconds 180] [--json]

For every seed an untrained learner trains on all seed programs until the time is up, compilation
included; then every program is measured on 256 fresh whole episodes of the sampled policy. Random
legal play is measured on the same number. ``doubled`` counts the programs on which the learner
succeeds at least twice as often as random play (a program that random play wins more than half
of the time cannot be doubled).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from benchmarks.programs import pick
from envs_dsl.backends import numpy_backend
from spade_jax.learner import Learner, LearnerConfig
from spade_jax.play import episode_seeds, play_numpy, random_legal

__all__ = ["main", "random_success", "train_for"]

EPISODES = 256


def random_success(program: Any, seed: int) -> float:
    """Success rate of random legal play over ``EPISODES`` episodes."""
    backend = numpy_backend(program)
    params = np.broadcast_to(program.default_params(), (EPISODES, len(program.params)))
    levels = episode_seeds(seed, EPISODES)
    policy = random_legal(seed)
    stats = play_numpy(backend, backend.constants(program), program, policy, levels, params)
    return float(stats.success.mean())


def train_for(programs: Sequence[Any], seed: int, seconds: float) -> dict[str, Any]:
    """Train from nothing for ``seconds`` of wall clock, compilation included, and measure."""
    start = time.perf_counter()
    learner = Learner(LearnerConfig())
    layout = learner.arrange(programs)
    learner.prepare(layout)
    compiled = time.perf_counter() - start
    state = learner.init(seed, layout)
    while time.perf_counter() - start < seconds:
        state, _ = learner.train_iteration(state, layout)
    trained = time.perf_counter() - start
    found = learner.evaluate(
        state.params, programs, episodes=EPISODES, seed=seed + 1000, layout=layout
    )
    rows = {}
    for program, stats in zip(programs, found, strict=True):
        random, learnt = random_success(program, seed), float(stats.success.mean())
        rows[program.name] = {
            "random": random,
            "learner": learnt,
            "doubled": learnt > 0 and learnt >= 2 * random,
        }
    return {
        "seed": seed,
        "compile_seconds": compiled,
        "seconds": trained,
        "iterations": int(state.iteration),
        "env_steps": int(state.env_steps),
        "mean_random": float(np.mean([row["random"] for row in rows.values()])),
        "mean_learner": float(np.mean([row["learner"] for row in rows.values()])),
        "doubled": sum(row["doubled"] for row in rows.values()),
        "programs": rows,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="seeds, one run each")
    parser.add_argument("--seconds", type=float, default=180.0, help="wall clock of each run")
    parser.add_argument("--programs", nargs="*", default=[], help="seed programs (all)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    programs = pick(options.programs)
    runs = []
    for seed in options.seeds:
        run = train_for(programs, seed, options.seconds)
        runs.append(run)
        if not options.json:
            print(
                f"seed {seed}: mean success {run['mean_random']:.3f} → {run['mean_learner']:.3f}, "
                f"doubled on {run['doubled']} of {len(programs)}, {run['env_steps']:,} steps, "
                f"compile {run['compile_seconds']:.0f} s"
            )
            for name, row in run["programs"].items():
                print(f"  {name:12} {row['random']:.3f} → {row['learner']:.3f}")
    if options.json:
        device = jax.devices()[0].device_kind
        print(json.dumps({"device": device, "cpus": os.cpu_count(), "runs": runs}))


if __name__ == "__main__":
    main()
