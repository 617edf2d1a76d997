"""What a program of the collection must be unlike: the bundled ones, and the collection itself."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envs_dsl import library
from envs_dsl.behaviour import FEATURES
from envs_dsl.program import Program
from spade_jax.curator import CuratorConfig, heldout
from spade_jax.records import write_atomic
from spade_jax.types import Reason, Verdict

__all__ = ["Known", "Neighbours", "known_of", "library_neighbours"]


@dataclasses.dataclass(frozen=True)
class Known:
    """A program that others must be unlike: its identities and behaviour descriptor."""

    name: str
    program: str
    skeleton: str
    behaviour: str
    features: tuple[float, ...]


def known_of(name: str, receipt: Mapping[str, Any]) -> Known:
    """What a receipt says of a program, as something that others must be unlike."""
    return Known(
        name,
        receipt["program"],
        receipt["skeleton"],
        receipt["behaviour"],
        tuple(receipt["features"]),
    )


class Neighbours:
    """A growing set of programs that the next one must be unlike."""

    def __init__(self, known: Iterable[Known] = ()) -> None:
        self._known: list[Known] = list(known)

    def add(self, known: Known) -> None:
        """One more."""
        self._known.append(known)

    def nearest(self, features: Sequence[float], but: str = "") -> tuple[str, float]:
        """Name and behaviour distance of the one that plays most alike, ``but`` left out."""
        others = [k for k in self._known if k.name != but and len(k.features) == len(features)]
        if not others or not features:
            return "", math.inf
        gap = np.asarray([k.features for k in others], np.float64) - np.asarray(features)
        distances = np.sqrt(np.mean(gap * gap, axis=1))
        best = int(np.argmin(distances))
        return others[best].name, float(distances[best])

    def clash(self, verdict: Verdict, but: str = "") -> tuple[Reason, str] | None:
        """Why a program that passed the executor is none of its own; None if it is."""
        held = heldout.identities()
        if held & {verdict.behaviour_hash, verdict.skeleton_hash}:
            return Reason.HELD_OUT, "it is a held-out program"
        for other in self._known:
            if other.name == but:
                continue
            if other.behaviour == verdict.behaviour_hash:
                return Reason.SAME_BEHAVIOUR, f"it behaves like {other.name}"
            if other.skeleton == verdict.skeleton_hash:
                return Reason.DUPLICATE, f"it is {other.name} with other numbers"
        name, distance = self.nearest(verdict.features, but)
        least = CuratorConfig().min_distance
        if distance < least:
            text = f"it plays like {name} (behaviour distance {distance:.4f}, least {least:g})"
            return Reason.SAME_BEHAVIOUR, text
        return None


def library_neighbours() -> Neighbours:
    """The bundled programs that are no measure: seeds, games and ports.

    Playing them takes a minute or two; what was found is kept in the cache folder, by program hash.
    """
    programs: list[Program] = [
        p for load in (library.seeds, library.games, library.ports) for p in load()
    ]
    file = _cache_file()
    try:
        cached = {k: tuple(v) for k, v in json.loads(file.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        cached = {}
    missing = [p for p in programs if p.hashes.program not in cached]
    if missing:
        from envs_dsl.behaviour import behaviour

        for program in missing:
            found = behaviour(program)
            features = [round(float(x), 4) for x in found.features]
            cached[program.hashes.program] = (found.hash, features)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, json.dumps(cached))
    return Neighbours(
        Known(p.name, p.hashes.program, p.hashes.skeleton, behaviour_hash, tuple(features))
        for p in programs
        for behaviour_hash, features in (cached[p.hashes.program],)
    )


def _cache_file() -> Path:
    """One file a version of the behaviour code: its text decides what it finds."""
    import envs_dsl

    root = Path(envs_dsl.__file__).parent
    code = b"".join(
        (root / name).read_bytes() for name in ("behaviour.py", "behaviour_features.py")
    )
    key = hashlib.sha256(code + repr(FEATURES).encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "spade_jax" / "behaviour" / f"{key}.json"
