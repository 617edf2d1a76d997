"""What `make` runs, with the commands printed instead."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def _commands(*words: str) -> list[str]:
    """Lines that a target would run Python with; nothing is installed."""
    call = ["make", "--silent", "--old-file=.venv/.installed", "PY=echo", *words]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def test_a_new_run_gets_preset_and_seed_and_one_that_goes_on_keeps_its_own(tmp_path: Path) -> None:
    run = tmp_path / "run"
    first = _commands("coevo", f"RUN={run}", "PRESET=smoke", "SEED=3")
    assert first[0] == f"-m experiments.coevo --run-dir {run}/coevo --preset smoke --seed 3"
    (run / "coevo").mkdir(parents=True)
    (run / "coevo" / "config.yaml").touch()
    again = _commands("coevo", f"RUN={run}")
    assert again[0] == f"-m experiments.coevo --run-dir {run}/coevo --resume"
    assert again[1].endswith(f"--like {run}/coevo --run-dir {run}/fixed")
