"""The programs of a run's pool as cards: picture, text, origin and success over the rounds."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

from envs_dsl import Program, ProgramError
from envs_dsl.backends import numpy_backend
from envs_dsl.render import render_rgb
from spade_jax.report.provenance import provenance, receipts
from spade_jax.report.run_folder import Run
from spade_jax.report.summary import difficulties, entries, pool_at_end

__all__ = ["Card", "cards", "picture"]

_PICTURE_SEED = (0, 0)


@dataclasses.dataclass(frozen=True)
class Card:
    """One pool program, ready to be shown.

    Attributes:
      name, program_hash, doc, source, skills: from the program.
      origin: what made it, in words. round: when it came into the pool.
      provenance: rows on where it came from (see ``report.provenance``); none for a seed.
      history: success rates over the rounds, oldest first.
      difficulties: in training over the rounds; empty where that was not adaptive.
      png: a picture of a first state; None when the program could not be read.
    """

    name: str
    program_hash: str
    doc: str
    source: str
    skills: tuple[str, ...]
    origin: str
    provenance: tuple[tuple[str, str], ...]
    round: int
    history: tuple[float, ...]
    difficulties: tuple[float, ...]
    png: bytes | None


def picture(program: Program, *, width: int = 300) -> bytes:
    """PNG of the first state of a fixed level at the declared parameters, about ``width`` wide."""
    backend = numpy_backend(program)
    constants = backend.constants(program)
    seeds = np.array([_PICTURE_SEED], dtype=np.int32)
    state = backend.reset(constants, seeds, program.default_params()[None])
    scale = max(1, round(width / max(program.game.size)))
    buffer = io.BytesIO()
    Image.fromarray(render_rgb(program, state, scale=scale)).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def cards(run: Run) -> list[Card]:
    """Cards of the programs in the pool at the end, newest first."""
    history: dict[str, list[float]] = {}
    for line in run.evaluations:
        history.setdefault(line["program_hash"], []).append(float(line["mean"]))
    known = entries(run)
    names = {key: str(entry["name"]) for key, entry in known.items()}
    made = receipts(run)
    return [
        _card(
            known[key],
            known,
            tuple(provenance(made[key], names)) if key in made else (),
            tuple(history.get(key, ())),
            tuple(difficulties(run, key).values()),
        )
        for key in reversed(pool_at_end(run))
    ]


def _card(
    entry: Mapping[str, Any],
    known: Mapping[str, Mapping[str, Any]],
    rows: tuple[tuple[str, str], ...],
    history: tuple[float, ...],
    difficulties: tuple[float, ...],
) -> Card:
    try:
        program = Program.from_source(entry["source"], name=entry["name"])
    except ProgramError:  # written by another version of the language: its text is shown alone
        program = None
    return Card(
        name=entry["name"],
        program_hash=entry["program_hash"],
        doc=program.doc if program else "",
        source=entry["source"],
        skills=tuple(entry["skills"]),
        origin=_origin(entry, known),
        provenance=rows,
        round=entry["round_admitted"],
        history=history,
        difficulties=difficulties,
        png=picture(program) if program else None,
    )


def _origin(entry: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> str:
    if entry["seed"]:
        return "bundled seed"
    parents = [known[p]["name"] if p in known else p[:8] for p in entry["parents"]]
    of = f" of {', '.join(parents)}" if parents else ""
    return f"{entry['generator']}: {entry['operator']}{of}"
