"""The benchmark of the static checks: its program is what it says, and its document is whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from envs_dsl import check

ROOT = Path(__file__).parents[1]


def test_its_program_has_a_hundred_lines_and_no_fault() -> None:
    text = (ROOT / "benchmarks" / "hundred_lines.txt").read_text()
    found = check(text)
    assert text.count("\n") == 100
    assert found.ok and not found.diagnostics


def test_it_prints_one_document_and_loads_no_array_library() -> None:
    command = [sys.executable, "-m", "benchmarks.check", "--repeats", "3", "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    report = json.loads(run.stdout)
    assert report["accepted"] and report["array_libraries_loaded"] == []
    assert set(report["limits"]) == {"median_ms", "cold_cpu_s"}
    assert run.returncode == (1 if report["broken"] else 0)
