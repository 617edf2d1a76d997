"""Training steps a second against PureJaxRL's PPO recipe, and the update against a plain matmul.

    python -m benchmarks.ppo [--program key_door] [--iterations 40] [--seeds 2] [--json]

Both sides train one bundled program with the same observation, network, environments, steps,
epochs and minibatches: the learner with its default settings, the recipe (``purejaxrl_recipe``) on
the gymnax environment of the program, all in one jitted call. They run in turn, warm, in one
process. ``--iterations`` of training then compare what both have learnt after equally many steps.

``matmul share``: multiply-adds that the network needs for the update (three times those of a
forward pass, whatever the update does beside them), a second, as a share of what a large float32
matmul reaches on the same machine in the same minute.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import command
from benchmarks.programs import pick
from benchmarks.purejaxrl_recipe import PlainPolicyValue, Recipe, make_train
from benchmarks.report import Report, at_least
from benchmarks.timing import ratio, side_by_side
from envs_dsl.env import SpadeEnv
from envs_dsl.interface import ACTIONS, CELL_FEATURES, HUD, VIEW
from spade_jax.learner import Learner, LearnerConfig, settled

__all__ = ["main", "measure", "multiply_adds", "peer_settings"]

_TINY = LearnerConfig(
    slots=4, copies=4, cohort_size=4, rollout_length=4, hidden=16, epochs=1, minibatches=2
)


def multiply_adds(config: LearnerConfig) -> int:
    """Of one forward pass of one row through the network."""
    area, embedding, hidden = VIEW * VIEW, config.cell_embedding, config.hidden
    first = area * CELL_FEATURES * embedding + (area * embedding + HUD) * hidden
    return first + hidden * hidden + hidden * (ACTIONS + 1)


def peer_settings(config: LearnerConfig) -> Recipe:
    """The recipe with the learner's settings, its environments in one batch."""
    names = {field.name for field in dataclasses.fields(Recipe)} - {"copies", "anneal_updates"}
    return Recipe(copies=config.batch, **{name: getattr(config, name) for name in names})


def measure(
    name: str = "key_door",
    config: LearnerConfig | None = None,
    *,
    iterations: int = 40,
    seeds: int = 2,
    repeats: int = 10,
    matmul: int = 2048,
    tiny: bool = False,
) -> Report:
    """Speed side by side, the update's share of the matmul rate, and returns at equal steps.

    Args:
      name: a seed program. config: the learner's settings. iterations: of training for the
      comparison of returns, for each of ``seeds`` seeds; 0 leaves it out. matmul: side of the
      matrices.
    """
    # the recipe and the matrices are in float32, on an accelerator too
    config = dataclasses.replace(config or LearnerConfig(), precision="float32")
    config = settled(config)
    program = pick([name])[0]
    learner = Learner(config)
    layout = learner.arrange([program])
    command.progress("compiling")
    learner.prepare(layout)
    network = PlainPolicyValue(config.hidden, config.cell_embedding)
    env = SpadeEnv(program)
    recipe = peer_settings(config)
    start, train = make_train(env, env.default_params, network, recipe, 1)
    begin = jax.jit(start)
    peer_train = jax.jit(train).lower(jax.eval_shape(start, jax.random.key(0))).compile()

    command.progress("speed")
    state = learner.init(0, layout)
    runner = begin(jax.random.key(0))
    collect: list[float] = []
    update: list[float] = []
    stepped: list[int] = []

    def ours() -> Any:
        nonlocal state
        state, metrics = learner.train_iteration(state, layout)
        collect.append(metrics.collect_seconds)
        update.append(metrics.update_seconds)
        stepped.append(metrics.env_steps)
        return state.params

    def theirs() -> Any:
        nonlocal runner
        runner, watched = peer_train(runner)
        return watched

    operand = jnp.asarray(np.random.default_rng(0).random((matmul, matmul), np.float32))
    product = jax.jit(jnp.matmul)
    times = side_by_side(
        {"ours": ours, "recipe": theirs, "matmul": lambda: product(operand, operand)}, repeats, 2
    )
    done = statistics.mean(stepped[-repeats:])
    gain = ratio(times["ours"], times["recipe"], done, recipe.rows)

    work = 6.0 * multiply_adds(config) * config.slot_rows * config.slots * config.epochs
    peak = 2.0 * matmul**3 / times["matmul"].median
    seconds = statistics.median(update[-repeats:])
    share = work / seconds / peak

    tables: dict[str, list[dict[str, Any]]] = {
        "training": [
            {"side": "ours", **times["ours"].rates(done)},
            {"side": "PureJaxRL's recipe", **times["recipe"].rates(recipe.rows)},
        ],
        "the update": [
            {
                "collect seconds": statistics.median(collect[-repeats:]),
                "update seconds": seconds,
                "update GFLOP/s": work / seconds / 1e9,
                "matmul GFLOP/s": peak / 1e9,
                "matmul share": share,
            }
        ],
    }
    if iterations:
        command.progress("returns at equal steps")
        tables["returns"] = _returns(learner, layout, begin, peer_train, iterations, seeds)
    return Report(
        benchmark="ppo",
        settings={"program": name, **dataclasses.asdict(config), "matmul": matmul},
        tables=tables,
        bars=[
            at_least("training steps a second, ours : recipe", gain, 2.0),
            at_least("update's share of the matmul rate", share, 0.7, ""),
        ],
        peers=("gymnax",),
        notes=(
            "the recipe is given packed observations; the script it follows shuffles floats",
            "steps a second of ours count steps alone, not the row that follows a truncation",
        ),
        tiny=tiny,
    )


def _returns(
    learner: Learner, layout: Any, begin: Any, train: Any, iterations: int, seeds: int
) -> list[dict[str, Any]]:
    """Mean return of the episodes that ended in the last tenth of the training, seed by seed."""
    tail = max(1, iterations // 10)
    rows = []
    for seed in range(seeds):
        state, mine = learner.init(seed, layout), []
        runner, peer = begin(jax.random.key(seed)), []
        for _ in range(iterations):
            state, metrics = learner.train_iteration(state, layout)
            mine.append(_mean([(s.mean_return, s.episodes) for s in metrics.slots]))
            runner, watched = train(runner)
            ended = np.asarray(watched.ended)
            peer.append(_mean([(float(r), 1) for r in np.asarray(watched.returns)[ended]]))
        rows.append(
            {
                "seed": seed,
                "ours": _average(mine[-tail:]),
                "recipe": _average(peer[-tail:]),
                "our curve": mine,
                "recipe curve": peer,
            }
        )
    return rows


def _mean(parts: Sequence[tuple[float, int]]) -> float | None:
    """Mean of (mean, count); None where the counts are 0."""
    count = sum(n for _, n in parts)
    return sum(value * n for value, n in parts) / count if count else None


def _average(values: Sequence[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return statistics.mean(told) if told else None


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("ppo", __doc__)
    parser.add_argument("--program", default="key_door", help="a seed program (key_door)")
    parser.add_argument("--copies", type=int, default=LearnerConfig().copies, help="per slot")
    parser.add_argument("--iterations", type=int, default=40, help="for the returns; 0: none")
    parser.add_argument("--seeds", type=int, default=2, help="for the returns")
    options = parser.parse_args(argv)
    if options.tiny:
        report = measure(
            options.program, _TINY, iterations=2, seeds=1, repeats=2, matmul=64, tiny=True
        )
    else:
        report = measure(
            options.program,
            LearnerConfig(copies=options.copies),
            iterations=options.iterations,
            seeds=options.seeds,
            repeats=options.repeats,
        )
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
