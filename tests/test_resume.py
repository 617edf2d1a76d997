"""A run that is killed and resumed equals one that was never stopped."""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import time

import pytest
from tiny_runs import start, timeless, write_config

from spade_jax.checkpoint import latest
from spade_jax.records import read_jsonl


def kill(process: subprocess.Popen[bytes], with_signal: int = signal.SIGKILL) -> None:
    os.kill(process.pid, with_signal)
    process.wait(300)


def kill_in_a_save(process: subprocess.Popen[bytes], run: pathlib.Path) -> None:
    """SIGKILL as soon as a half-written checkpoint is seen."""
    known = set((run / "checkpoints").glob(".*"))  # left behind by an earlier kill
    while process.poll() is None:
        if set((run / "checkpoints").glob(".*")) - known:
            kill(process)
            return
        time.sleep(0.0005)


def kill_often(
    folder: pathlib.Path, config: pathlib.Path, kills: int, longest: float
) -> tuple[pathlib.Path, int]:
    """Run, killing it ``kills`` times (every second time in a save), then let it finish."""
    run = folder / "killed"
    chance = random.Random(7)
    for k in range(kills):
        process = start(config, run)
        if k % 2:
            kill_in_a_save(process, run)
        else:
            try:
                process.wait(chance.uniform(0.5, longest))
            except subprocess.TimeoutExpired:
                kill(process)
        if process.returncode == 0:
            return run, k
    assert start(config, run).wait(600) == 0, (folder / "killed.log").read_text()[-2000:]
    return run, kills


def check_equal(straight: pathlib.Path, killed: pathlib.Path) -> None:
    for journal in ("metrics.jsonl", "events.jsonl"):
        assert timeless(killed / journal) == timeless(straight / journal)


def undisturbed(folder: pathlib.Path, config: pathlib.Path) -> pathlib.Path:
    run = folder / "straight"
    assert start(config, run).wait(600) == 0, (folder / "straight.log").read_text()[-2000:]
    return run


def test_kill_and_resume_is_bit_exact(tmp_path: pathlib.Path) -> None:
    config = write_config(tmp_path)
    straight = undisturbed(tmp_path, config)
    killed, kills = kill_often(tmp_path, config, kills=4, longest=15.0)
    assert kills >= 2
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
    config = write_config(tmp_path, rounds=12)
    straight = undisturbed(tmp_path, config)
    killed, kills = kill_often(tmp_path, config, kills=20, longest=14.0)
    assert kills == 20
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
