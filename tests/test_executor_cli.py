"""``python -m spade_jax.executor`` as its users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import envs_dsl.library

SEEDS = Path(envs_dsl.library.__file__).parent / "seeds"


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run(
        [sys.executable, "-m", "spade_jax.executor", *arguments],
        capture_output=True,
        text=True,
        env=env,
        cwd=cwd,
        timeout=120,
        check=False,
    )


def test_json_verdicts(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_bytes(os.urandom(5000))
    good = str(SEEDS / "key_door.py")
    done = run(good, str(bad), "--json", cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    first, second = json.loads(done.stdout)
    assert first["file"] == good and first["ok"] and first["reason"] == "ok"
    names = [stage["name"] for stage in first["stages"]]
    assert names[0] == "parse" and names[-1] == "probe"
    for stage in first["stages"]:
        assert stage["ok"] and stage["seconds"] >= 0 and isinstance(stage["detail"], dict)
    assert second["file"] == str(bad) and not second["ok"] and second["reason"] == "syntax"
    assert second["stages"][0]["detail"]["diagnostics"][0]["code"] == "E100"


def test_table_for_a_person(tmp_path: Path) -> None:
    done = run(str(SEEDS / "key_door.py"), "--until", "smoke")
    assert done.returncode == 0
    assert "key_door.py: ok" in done.stdout and "smoke" in done.stdout
    empty = tmp_path / "empty.py"
    empty.write_text("")
    done = run(str(empty))
    assert done.returncode == 1 and "syntax" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no_such_file.py"],
        ["no_such_file.py", "--json"],
        [".", "--json"],
        ["x.py", "--workers", "0"],
        ["x.py", "--until", "nowhere"],
        ["--no-such-option"],
    ],
)
def test_wrong_usage(arguments: list[str], tmp_path: Path) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_missing_policy(tmp_path: Path) -> None:
    done = run(str(SEEDS / "key_door.py"), "--policy", "none.npz", cwd=tmp_path)
    assert done.returncode == 2 and "none.npz" in done.stderr and "Traceback" not in done.stderr


def test_help_has_examples() -> None:
    done = run("--help")
    assert done.returncode == 0 and "examples:" in done.stdout
