"""One learner on several devices, and in several processes, trains as on one."""

from __future__ import annotations

import os
import pathlib
import pickle
import socket
import subprocess
import sys
from typing import Any

import jax
import numpy as np
import pytest
from tiny_runs import timeless, write_config

from spade_jax.learner import LearnerConfig
from spade_jax.learner.devices import choose

COUNTS = (1, 2, 4, 8)
ULPS = 1e-6  # a matmul of fewer rows may round another way


def start(out: pathlib.Path, *words: str, devices: int) -> subprocess.Popen[bytes]:
    root = pathlib.Path(__file__).parents[1]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(root), str(root / "tests")]),
        "JAX_PLATFORMS": "cpu",
        # Compiling is most of the work here, and what is compiled hardly runs.
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices} "
        "--xla_backend_optimization_level=0",
    }
    command = [sys.executable, "-m", "on_devices", str(out), *words]
    log = out.with_suffix(".log").open("wb")
    return subprocess.Popen(command, stdout=log, stderr=log, env=environment)


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return f"localhost:{probe.getsockname()[1]}"


def finish(out: pathlib.Path, process: subprocess.Popen[bytes]) -> Any:
    try:
        code = process.wait(1200)
    finally:
        process.kill()  # a test that fails leaves nothing running
    assert code == 0, out.with_suffix(".log").read_text()[-3000:]
    return pickle.loads(out.read_bytes())


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    out = tmp_path_factory.mktemp("devices") / "found"
    return finish(out, start(out, *map(str, COUNTS), devices=8))


def equal(one: Any, other: Any) -> None:
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other)):
        assert np.array_equal(a, b)


def close(one: Any, other: Any, tolerance: float) -> None:
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other)):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def same_training(one: dict[str, Any], other: dict[str, Any]) -> None:
    """What is decided is equal bit for bit; values, losses and parameters up to rounding."""
    floats = {"log_prob", "value", "hud"}
    equal(*[{k: v for k, v in r["steps"].items() if k not in floats} for r in (one, other)])
    close(*[{k: r["steps"][k] for k in floats} for r in (one, other)], ULPS)
    equal(one["episodes"], other["episodes"])
    close(one["last_value"], other["last_value"], ULPS)
    equal(one["stats"], other["stats"])
    equal(one["recording"], other["recording"])
    assert one["slots"] == other["slots"]
    close(one["losses"], other["losses"], 1e-5)
    close(one["params"], other["params"], 1e-5)
    close(one["carries"], other["carries"], ULPS)


@pytest.mark.parametrize("count", COUNTS[1:])
def test_training_does_not_depend_on_the_number_of_devices(
    found: dict[Any, Any], count: int
) -> None:
    assert found[count]["devices"] == count
    same_training(found[1], found[count])


def test_levels_are_told_apart_on_every_device(found: dict[Any, Any]) -> None:
    """Ids of levels are those of the pool, in its order, whichever device plays them."""
    recording = found[8]["recording"]
    # 16 copies: copy i plays the levels i, 16 + i, 32 + i … (the first ones of a pool of 32).
    assert np.array_equal(recording["levels"] % 16, np.tile(np.arange(16), (16, 1)))
    assert recording["levels"].max() >= 16


def test_every_device_has_its_share(found: dict[Any, Any]) -> None:
    assert [found[count]["share"] for count in COUNTS] == [16, 8, 4, 2]


@pytest.mark.parametrize("count", COUNTS)
def test_collectives_cannot_change_places(found: dict[Any, Any], count: int) -> None:
    """None where episodes are rolled out, one where they are gathered. The two of a minibatch are
    its weight and the gradients, which are divided by it."""
    divided = {"reset_share": {}, "collect_share": {}, "gathered": {"all-gather": 1}}
    alone = {"reset": {}, "collect": {}}
    wanted = divided | {"update": {"all-reduce": 2}} if count > 1 else alone | {"update": {}}
    told = found[count]["collectives"]
    assert {name: dict(kinds) for name, kinds in told.items() if name != "negative"} == wanted


def test_a_checkpoint_resumes_on_another_number_of_devices(found: dict[Any, Any]) -> None:
    for (_, resumed), params in found["resumed"].items():
        close(params, jax.tree.leaves(found[resumed]["params"]), 1e-5)


def test_two_processes_train_as_one(found: dict[Any, Any], tmp_path: pathlib.Path) -> None:
    address = free_address()
    outs = [tmp_path / f"process-{k}" for k in range(2)]
    running = [
        start(out, "--together", address, str(k), "2", devices=1) for k, out in enumerate(outs)
    ]
    try:
        both = [finish(*pair) for pair in zip(outs, running)]
    finally:
        for process in running:
            process.kill()
    assert [b["leads"] for b in both] == [True, False]
    assert [b["shared"] for b in both] == [{"from": 0}] * 2
    assert both[0]["alone"]["root"].tolist() == [0, 1] and "alone" not in both[1]
    for one in both:
        assert one[2]["devices"] == 2
        same_training(found[1], one[2])
        # Two devices of one process: nothing differs, to the last bit.
        equal({**found[2], "collectives": ()}, {**one[2], "collectives": ()})


def test_devices_that_do_not_divide_the_work_are_refused() -> None:
    there = len(jax.devices())
    with pytest.raises(ValueError, match=f"devices is {there + 1}; there are {there} "):
        choose(LearnerConfig(), there + 1)
    with pytest.raises(ValueError, match="devices is 0"):
        choose(LearnerConfig(), 0)
    assert choose(LearnerConfig(), 1).mesh is None


@pytest.mark.slow
def test_two_processes_run_one_experiment(tmp_path: pathlib.Path) -> None:
    """Process 0 screens, decides and writes; the other follows, also after a resume. The journals
    are those of two devices of one process, bit for bit."""
    config = write_config(tmp_path, rounds=1)
    for run, processes in (("one", 1), ("two", 2)):
        for more in (("--config", str(config)), ("--resume", "--rounds", "2")):
            told = [sys.executable, "-m", "experiments.coevo"]
            commands = [[*told, "--run-dir", str(tmp_path / run), *more]]
            if processes == 2:
                to = ("--coordinator", free_address(), "--processes", "2", "--process-id")
                # No flag of the run for the second: it is told.
                commands = [[*commands[0], *to, "0"], [*told, *to, "1"]]
            run_together(commands, devices=2 // processes, cwd=tmp_path)
    for name in ("metrics.jsonl", "events.jsonl"):
        assert timeless(tmp_path / "one" / name) == timeless(tmp_path / "two" / name), name
    kinds = [line["kind"] for line in timeless(tmp_path / "two" / "metrics.jsonl")]
    assert kinds.count("round") == 3 and kinds.count("iteration") == 2 + 2 * 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log", "one", "tiny.yaml", "two"]


def run_together(commands: list[list[str]], *, devices: int, cwd: pathlib.Path) -> None:
    environment = os.environ | {
        "PYTHONPATH": str(pathlib.Path(__file__).parents[1]),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
    }
    log = (cwd / "log").open("wb")
    running = [
        subprocess.Popen(command, cwd=cwd, env=environment, stdout=log, stderr=log)
        for command in commands
    ]
    try:
        codes = [process.wait(1200) for process in running]
    finally:
        for process in running:
            process.kill()
    assert not any(codes), (cwd / "log").read_text()[-3000:]
