"""The audit sample laid out for a person: what a program is, how it plays, why it was accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from envs_dsl import Program, ProgramError
from envs_dsl import episode as play
from envs_dsl.render import render_rgb, save_gif
from spade_jax.records import write_atomic
from spade_jax.report import figures
from spade_jax.report.page import template
from spade_jax.report.run_folder import Run
from spade_jax.report.sheets import Sheet, sheets

__all__ = ["write_audit"]

_STEPS = 60  # of a roll-out, as ``python -m envs_dsl render --gif`` shows
_WIDTH = 300  # of a picture, about, in pixels


def write_audit(run: Run) -> Path:
    """Write ``audit/`` in the run folder; returns its ``index.html``.

    Beside the page, for each program HASH of the sample: HASH.py (its text), HASH.gif (a roll-out)
    and HASH.json (the candidate's whole record, with verdict and receipt).

    Raises:
      RecordError: the audit's own files are damaged. OSError: a file cannot be written.
    """
    folder = run.path / "audit"
    folder.mkdir(exist_ok=True)
    shown = []
    for sheet in sheets(run):
        write_atomic(folder / f"{sheet.program_hash}.py", sheet.source)
        record = json.dumps(dict(sheet.candidate), indent=1)
        write_atomic(folder / f"{sheet.program_hash}.json", record)
        gif = folder / f"{sheet.program_hash}.gif"
        told = _play(sheet, gif)
        picture = figures.data_uri(gif.read_bytes(), "gif") if told else None
        shown.append(
            (sheet, picture, told or "nothing, this version of the language cannot read it")
        )
    title = f"Audit of {run.arm}, seed {run.seed}"
    page = template("audit.html.j2").render(title=title, folder=str(run.path), sheets=shown)
    write_atomic(folder / "index.html", page)
    return folder / "index.html"


def _play(sheet: Sheet, path: Path) -> str:
    """Write a roll-out; returns who plays in it, "" where the program cannot be read.

    It is the win that the certificate's search found, or random play where there is none.
    """
    try:
        program = Program.from_source(sheet.source, name=sheet.name)
    except ProgramError:
        return ""
    seed, told = 0, "random play on level 0"
    actions, steps = play.policy(program, "random", seed, 1), _STEPS
    if (found := _witness(sheet, program.game.players)) is not None:
        seed, script = found
        actions, steps = play.scripted(script, 1), len(script)
        told = f"a win that the search found on level {seed}"
    states = play.play(program, seed, actions, steps, keep=True).states
    scale = max(1, round(_WIDTH / max(program.game.size)))
    save_gif(path, [render_rgb(program, state, scale=scale) for state in states])
    return told


def _witness(sheet: Sheet, seats: int) -> tuple[int, np.ndarray] | None:
    """Level and actions int32[T, S] of the certificate's win; None where there is none to read."""
    for stage in sheet.candidate["verdict"]["stages"]:
        witness = stage["detail"].get("witness")
        if stage["name"] == "certificate" and isinstance(witness, Mapping):
            try:
                actions = ",".join(str(action) for action in witness["actions"])
                return int(witness["seed"]), play.parse_actions(actions, seats)
            except (KeyError, TypeError, ValueError):
                return None
    return None
