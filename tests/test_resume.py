"""A run that is killed and resumed equals one that was never stopped."""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import time

import pytest
from killed_in_save import MOMENTS
from tiny_runs import start, timeless, write_config

from spade_jax.checkpoint import latest
from spade_jax.records import read_jsonl


def kill(process: subprocess.Popen[bytes], with_signal: int = signal.SIGKILL) -> None:
    os.kill(process.pid, with_signal)
    try:
        process.wait(300)
    finally:
        process.kill()  # a test that fails leaves nothing running


def partial(run: pathlib.Path) -> set[pathlib.Path]:
    """Checkpoints whose writing was broken off."""
    return set((run / "checkpoints").glob(".*"))


def kill_in_a_save(config: pathlib.Path, run: pathlib.Path, moment: str, number: int) -> bool:
    """A process that is killed at a moment of its ``number``-th save; False: it ended before."""
    before = partial(run)
    process = start(config, run, through=("killed_in_save", moment, str(number)))
    if process.wait(300) == 0:
        return False
    assert process.returncode == -signal.SIGKILL, run.with_suffix(".log").read_text()[-2000:]
    assert partial(run) - before, "the kill left no half-written checkpoint"
    return True


def kill_often(
    folder: pathlib.Path, config: pathlib.Path, kills: int, longest: float
) -> tuple[pathlib.Path, int, int]:
    """Run, killing it ``kills`` times (every second time in a save), then let it finish.

    Returns:
      The run, how often it was killed, and how often in a save.
    """
    run = folder / "killed"
    chance = random.Random(7)
    moments = list(MOMENTS)
    saves = 0
    for k in range(kills):
        if k % 2:
            # The first save of a process, then the second: that one has a checkpoint before it.
            if not kill_in_a_save(config, run, moments[saves % len(moments)], 1 + saves % 2):
                return run, k, saves
            saves += 1
            continue
        process = start(config, run)
        try:
            process.wait(chance.uniform(0.5, longest))
        except subprocess.TimeoutExpired:
            kill(process)
        if process.returncode == 0:
            return run, k, saves
    assert start(config, run).wait(600) == 0, (folder / "killed.log").read_text()[-2000:]
    return run, kills, saves


def check_equal(straight: pathlib.Path, killed: pathlib.Path) -> None:
    for journal in ("metrics.jsonl", "events.jsonl"):
        assert timeless(killed / journal) == timeless(straight / journal)


def undisturbed(folder: pathlib.Path, config: pathlib.Path) -> pathlib.Path:
    run = folder / "straight"
    assert start(config, run).wait(600) == 0, (folder / "straight.log").read_text()[-2000:]
    return run


def test_kill_and_resume_is_bit_exact(tmp_path: pathlib.Path) -> None:
    config = write_config(tmp_path, adaptive=True)
    straight = undisturbed(tmp_path, config)
    killed, kills, saves = kill_often(tmp_path, config, kills=4, longest=15.0)
    assert (kills, saves) == (4, 2)
    check_equal(straight, killed)
    kinds = [line["kind"] for line in read_jsonl(straight / "metrics.jsonl")]
    assert kinds.count("round") == 4
    assert kinds.count("iteration") == 2 + 3 * 2

    # The newest checkpoint is damaged: the one before is used, the last round is run again.
    damaged = latest(killed / "checkpoints")
    assert damaged is not None
    victim = max((p for p in damaged.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0xFF
    victim.write_bytes(data)
    assert start(config, killed).wait(600) == 0
    assert "is damaged" in (tmp_path / "killed.log").read_text()
    assert timeless(killed / "metrics.jsonl") == timeless(straight / "metrics.jsonl")


@pytest.mark.slow
def test_twenty_kills(tmp_path: pathlib.Path) -> None:
    # Long enough for the predictor to be ready and to choose who is probed.
    config = write_config(tmp_path, rounds=18, probe_share=0.5)
    straight = undisturbed(tmp_path, config)
    killed, kills, saves = kill_often(tmp_path, config, kills=20, longest=14.0)
    assert (kills, saves) == (20, 10)
    check_equal(straight, killed)


def test_ctrl_c_leaves_a_resumable_run(tmp_path: pathlib.Path) -> None:
    config = write_config(tmp_path, rounds=200)
    run = tmp_path / "killed"
    process = start(config, run)
    while not list((run / "checkpoints").glob("[!.]*")):
        assert process.poll() is None, (tmp_path / "killed.log").read_text()[-2000:]
        time.sleep(0.1)
    kill(process, signal.SIGINT)
    assert process.returncode == 130
    log = (tmp_path / "killed.log").read_text()
    assert "--resume" in log.splitlines()[-1]
    assert "Traceback" not in log
