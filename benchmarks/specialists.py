"""Can the held-out programs be learned at all? One learner for each, trained on it alone.

    python -m benchmarks.specialists [--target 0.8] [--max-steps 4000000] [--programs NAME] [--json]

A held-out family is only fair if random play hardly ever wins and a specialist does. For every
held-out program: random legal play over 1,024 episodes, then PPO on that program alone until the
success rate over 512 fresh whole episodes reaches the target. Nothing here feeds a co-evolution.
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

from envs_dsl.backends import numpy_backend
from envs_dsl.library import heldout_dev
from spade_jax.learner import Learner, LearnerConfig
from spade_jax.play import episode_seeds, play_numpy, random_legal

__all__ = ["main", "random_success", "specialise"]

RANDOM_EPISODES, EPISODES = 1024, 512
SETTINGS = LearnerConfig(slots=2, cohort_size=2, copies=512)


def random_success(program: Any) -> float:
    """Success rate of random legal play."""
    backend = numpy_backend(program)
    stats = play_numpy(
        backend,
        backend.constants(program),
        program,
        random_legal(0),
        episode_seeds(0, RANDOM_EPISODES),
        np.tile(program.default_params(), (RANDOM_EPISODES, 1)),
    )
    return float(stats.success.mean())


def specialise(program: Any, seed: int, target: float, max_steps: int) -> dict[str, Any]:
    """Train on one program until it is solved or the steps are spent; measured every 10 updates."""
    started = time.perf_counter()
    learner = Learner(SETTINGS)
    layout = learner.arrange([program])
    state = learner.init(seed, layout)
    success = 0.0
    while success < target and int(state.env_steps) < max_steps:
        for _ in range(10):
            state, _ = learner.train_iteration(state, layout)
        (stats,) = learner.evaluate(
            state.params, [program], episodes=EPISODES, seed=int(state.iteration), layout=layout
        )
        success = float(stats.success.mean())
    return {
        "random": random_success(program),
        "specialist": success,
        "env_steps": int(state.env_steps),
        "seconds": time.perf_counter() - started,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Command line; 1 when some program was not learned, or random play wins 10 % of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.specialists", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--target", type=float, default=0.8, help="success rate that is enough")
    parser.add_argument("--max-steps", type=int, default=4_000_000, help="of each program")
    parser.add_argument("--seed", type=int, default=0, help="of the learners")
    parser.add_argument("--programs", nargs="*", default=[], help="held-out programs (all)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    known = {p.name: p for p in heldout_dev()}
    unknown = sorted(set(options.programs) - known.keys())
    if unknown:
        parser.error(f"no held-out program {unknown[0]!r}; known: {', '.join(known)}")
    rows = {}
    for name in options.programs or known:
        row = specialise(known[name], options.seed, options.target, options.max_steps)
        rows[name] = row
        if not options.json:
            print(
                f"{name:12} random {row['random']:.3f} → specialist {row['specialist']:.3f} "
                f"after {row['env_steps']:,} steps, {row['seconds']:.0f} s",
                flush=True,
            )
    if options.json:
        device = jax.devices()[0].device_kind
        print(json.dumps({"device": device, "cpus": os.cpu_count(), "programs": rows}, indent=1))
    learned = all(r["specialist"] >= options.target and r["random"] < 0.1 for r in rows.values())
    return 0 if learned else 1


if __name__ == "__main__":
    raise SystemExit(main())
