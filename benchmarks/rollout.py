"""How fast the environments step, without and with a policy; compile time apart.

    python -m benchmarks.rollout [--copies 1024] [--length 64] [--programs key_door ice] [--json]

For every bundled seed program: random legal play in one jitted scan, observations included, done
copies replaced from a pool of initial states. Then all of them in cohorts with the policy network,
as training collects them. Steps a second are over ten repeats: the median, and the slowest.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envs_dsl.backends import jax_backend
from envs_dsl.library import seeds
from spade_jax.learner import Learner, LearnerConfig
from spade_jax.play import episode_seeds, random_actions

__all__ = ["main", "pick", "speed"]

REPEATS = 10


def speed(run: Callable[[], Any], steps: int) -> dict[str, float]:
    """Steps a second of ``run()``, warm, over ten repeats."""
    jax.block_until_ready(run())
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - start)
    return {
        "steps_per_second": steps / statistics.median(times),
        "slowest_of_ten": steps / max(times),
    }


def pick(names: Sequence[str]) -> list[Any]:
    """The seed programs of these names, or all of them."""
    programs = {program.name: program for program in seeds()}
    unknown = sorted(set(names) - programs.keys())
    if unknown:
        raise SystemExit(f"error: no seed program {unknown[0]!r}; known: {', '.join(programs)}")
    return [programs[name] for name in names or programs]


def random_play(program: Any, copies: int, length: int) -> dict[str, float]:
    """Random legal play of one program."""
    backend = jax_backend(program)
    constants = jax.tree.map(jnp.asarray, backend.constants(program))
    levels = episode_seeds(0, copies)
    params = np.broadcast_to(program.default_params(), (copies, len(program.params)))

    def play(constants: Any, state: Any, pool: Any) -> Any:
        def row(state: Any, t: jax.Array) -> Any:
            observation = backend.observe(constants, state)
            clock = jnp.full(copies, t)
            actions = random_actions(observation.legal, state.seed, clock, 1, jnp)
            state, out = backend.step(constants, state, actions)
            done = out.terminated | out.truncated

            def renew(fresh: jax.Array, old: jax.Array) -> jax.Array:
                return jnp.where(done.reshape(-1, *(1,) * (old.ndim - 1)), fresh, old)

            return jax.tree.map(renew, pool, state), (observation, out)

        return jax.lax.scan(row, state, jnp.arange(length, dtype=jnp.int32))

    start = time.perf_counter()
    reset = jax.jit(backend.reset).lower(constants, levels, params).compile()
    pool = reset(constants, levels, params)
    run = jax.jit(play).lower(constants, pool, pool).compile()
    compiled = time.perf_counter() - start
    return {
        "compile_seconds": compiled,
        **speed(lambda: run(constants, pool, pool), copies * length),
    }


def with_policy(programs: Sequence[Any], copies: int, length: int) -> dict[str, float]:
    """All programs in cohorts of four with the policy network, about ``copies`` in total."""
    slots = -(-max(len(programs), 4) // 4) * 4
    each = max(1, copies // slots)
    config = LearnerConfig(slots=slots, copies=each, rollout_length=length, minibatches=1)
    learner = Learner(config)
    layout = learner.arrange(programs)
    start = time.perf_counter()
    for cohort in layout.cohorts:
        learner.cohorts.prepare(cohort)
    compiled = time.perf_counter() - start
    state = learner.init(0, layout)
    carries = state.carries

    def run() -> Any:
        nonlocal carries
        carries, collected = learner.collect(state._replace(carries=carries), layout)
        return collected

    return {"compile_seconds": compiled, **speed(run, config.batch * length)}


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rollout", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--copies", type=int, default=1024, help="environments stepped at once")
    parser.add_argument("--length", type=int, default=64, help="steps of one roll-out")
    parser.add_argument("--programs", nargs="*", default=[], help="seed programs (all)")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(argv)
    programs = pick(options.programs)
    result: dict[str, Any] = {
        "device": jax.devices()[0].device_kind,
        "cpus": os.cpu_count(),
        "copies": options.copies,
        "length": options.length,
        "random": {p.name: random_play(p, options.copies, options.length) for p in programs},
        "policy": with_policy(programs, options.copies, options.length),
    }
    if options.json:
        print(json.dumps(result))
        return
    for name, row in (*result["random"].items(), ("with policy", result["policy"])):
        print(
            f"{name:12} compile {row['compile_seconds']:5.1f} s   "
            f"{row['steps_per_second']:12,.0f} steps/s   slowest {row['slowest_of_ten']:12,.0f}"
        )


if __name__ == "__main__":
    main()
