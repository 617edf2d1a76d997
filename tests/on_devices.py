"""Trains a tiny learner on devices of this process, or of several, and writes down what came of it.

    python -m on_devices OUT COUNT ...                     on so many devices, one after the other
    python -m on_devices OUT --together HOST:PORT ID N     as process ID of N, all devices of all

OUT gets a pickled dict: number of devices -> dict of NumPy arrays and numbers.
"""

from __future__ import annotations

import pathlib
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from fake_backend import FakeProgram, fake_jax

from spade_jax import checkpoint, processes
from spade_jax.learner import Learner, LearnerConfig

CONFIG = LearnerConfig(
    slots=3,
    copies=16,
    cohort_size=3,
    rollout_length=16,
    levels_per_copy=2,
    pool_refresh=2,
    minibatches=4,
    hidden=16,
)
PROGRAMS = [
    FakeProgram("goal", 12),
    FakeProgram("loop", 9),
    FakeProgram("duel", 7),
]
ITERATIONS = 2
ROOT = {"root": np.arange(2)}


def arrays(tree: Any) -> list[np.ndarray]:
    return [np.array(leaf) for leaf in jax.tree.leaves(tree)]


def share(leaf: jax.Array) -> int:
    """Copies that one device holds."""
    return leaf.sharding.shard_shape(leaf.shape)[0]


@contextmanager
def collectives() -> Iterator[dict[str, Counter[str]]]:
    """What is compiled meanwhile: name of the executable -> collectives in it, by their kind."""
    told: dict[str, Counter[str]] = {}
    compile_lowered = jax.stages.Lowered.compile

    def compile_and_look(self: Any, *arguments: Any, **options: Any) -> Any:
        compiled = compile_lowered(self, *arguments, **options)
        text = compiled.as_text()
        name = text.split(",", 1)[0].removeprefix("HloModule jit_")
        kinds = r" (all-\w+|reduce-scatter|collective-\w+|send|recv)(?:-start)?\("
        told.setdefault(name, Counter()).update(re.findall(kinds, text))
        return compiled

    jax.stages.Lowered.compile = compile_and_look  # type: ignore[method-assign]
    try:
        yield told
    finally:
        jax.stages.Lowered.compile = compile_lowered  # type: ignore[method-assign]


def train(count: int | None, folder: pathlib.Path | None) -> dict[str, Any]:
    """A few iterations; a checkpoint of the state before them goes to ``folder``."""
    learner = Learner(CONFIG, backend=fake_jax, devices=count)
    layout = learner.arrange(PROGRAMS)
    with collectives() as compiled:
        learner.prepare(layout)
    state = learner.init(5, layout)
    state, _ = learner.train_iteration(state, layout)
    _, collected = learner.collect(learner.init(5, layout), layout)
    before, told = state, []
    for _ in range(ITERATIONS):
        state, metrics = learner.train_iteration(state, layout)
        told.append(metrics)
    params = learner.init(5, layout).params
    stats = learner.evaluate(params, PROGRAMS, episodes=32, seed=1, layout=layout)
    result = {
        "devices": learner.devices.count,
        "collectives": compiled,
        "steps": collected[0].steps._asdict(),
        "episodes": collected[0].episodes._asdict(),
        "last_value": collected[0].last_value,
        "recording": learner.record(before, layout, 1)._asdict(),
        "slots": [m.slots for m in told],
        "losses": [m.losses for m in told],
        "params": state.params,
        "share": share(state.carries[0].turn),
        "carries": learner.fetch(state).carries,
        "stats": [(s.success, s.returns, s.lengths, s.env_steps) for s in stats],
    }
    kept = learner.fetch(before)
    if folder is not None:
        checkpoint.save(folder / f"on-{count}", 1, kept, {})
    return jax.tree.map(lambda leaf: np.array(leaf) if hasattr(leaf, "shape") else leaf, result)


def resume(folder: pathlib.Path, written: int, count: int) -> list[np.ndarray]:
    """Parameters after the same iterations, from the checkpoint of another number of devices."""
    learner = Learner(CONFIG, backend=fake_jax, devices=count)
    layout = learner.arrange(PROGRAMS)
    state = checkpoint.restore(folder / f"on-{written}", learner.template(layout)).arrays
    for _ in range(ITERATIONS):
        state, _ = learner.train_iteration(state, layout)
    return arrays(state.params)


def main(out: pathlib.Path, words: list[str]) -> None:
    found: dict[Any, Any] = {}
    if words[0] == "--together":
        processes.connect(words[1], int(words[2]), int(words[3]))
        found["shared"] = processes.share({"from": jax.process_index()})
        found["leads"] = processes.leads()
        if processes.leads():  # by itself: the other is at something else meanwhile
            checkpoint.save(out.parent / "alone", 1, ROOT, {})
            found["alone"] = checkpoint.restore(out.parent / "alone", ROOT).arrays
        found[jax.device_count()] = train(None, None)
    else:
        for count in map(int, words):
            found[count] = train(count, out.parent)
        first, last = int(words[0]), int(words[-1])
        found["resumed"] = {
            (last, first): resume(out.parent, last, first),
            (first, last): resume(out.parent, first, last),
        }
    out.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
