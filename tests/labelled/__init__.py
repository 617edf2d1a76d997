"""Programs with a label (sound, trivial, unsolvable, duplicate), to measure the gates with.

The first half was written first and the gates were mended on it; the second half was written after
that, and measured before any further change: 33 of 34 answers were right. The one that was not was
the label's fault: in a program labelled sound a crate can never be drawn into the bay, as the
certificate says, for whoever draws it stands in the way. It is now ``unsolvable_magnet``, with a
mended ``sound_magnet`` beside it. ``python -m tests.labelled`` measures all.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
import yaml

from envs_dsl import Program, load
from envs_dsl.behaviour import behaviour
from envs_dsl.likeness import constants
from spade_jax.curator import CuratorConfig
from spade_jax.executor import ExecutorConfig, Request, examine
from spade_jax.types import Reason, Stage, Verdict

__all__ = ["Judged", "Labelled", "judge", "programs"]

HERE = Path(__file__).parent
LIBRARY = HERE.parents[1] / "envs_dsl" / "library"

EXPECTED = {
    "sound": {Reason.OK},
    "trivial": {Reason.NOOP_WINS, Reason.SCRIPT_WINS},
    "unsolvable": {Reason.UNSOLVABLE},
    "duplicate": {Reason.DUPLICATE, Reason.SAME_BEHAVIOUR},
}
"""Reasons that count as the right answer. No other rejection will do, however right."""


@dataclasses.dataclass(frozen=True)
class Labelled:
    """One program of the set. ``of``: the program that it is a duplicate of."""

    name: str
    label: str
    half: int
    of: str = ""

    @property
    def program(self) -> Program:
        return _load(self.name)


@dataclasses.dataclass(frozen=True)
class Judged:
    """What the gates say. ``seconds`` by stage are wall clock."""

    entry: Labelled
    reason: Reason
    verdict: Verdict

    @property
    def right(self) -> bool:
        return self.reason in EXPECTED[self.entry.label]


@functools.cache
def programs() -> tuple[Labelled, ...]:
    """The set, as ``labels.yaml`` lists it; a name with a folder is a bundled program."""
    data = yaml.safe_load((HERE / "labels.yaml").read_text())
    found = [
        Labelled(item if isinstance(item, str) else item["name"], label, half,
                 "" if isinstance(item, str) else item["of"])
        for half in (1, 2)
        for label, items in data[f"half {half}"].items()
        for item in items
    ]  # fmt: skip
    return tuple(found)


@functools.cache
def _load(name: str) -> Program:
    folder = LIBRARY if "/" in name else HERE / "programs"
    return load(folder / f"{name}.py")


def pool() -> tuple[str, ...]:
    """What is known already: the sound programs, and what the duplicates are duplicates of."""
    names = [p.name for p in programs() if p.label == "sound"]
    return tuple(dict.fromkeys([*names, *(p.of for p in programs() if p.of)]))


def judge(entry: Labelled, config: ExecutorConfig | None = None) -> Judged:
    """Put a program through the executor's stages up to the certificate, and the pool's distance.

    Every other sound program of the set is known, as if it were in the pool.
    """
    others = [_load(name) for name in pool() if name != entry.name]
    request = Request(
        source=entry.program.source,
        id=entry.name,
        known_programs=tuple(p.hashes.program for p in others),
        known_behaviours=tuple(behaviour(p).hash for p in others),
        known_constants=tuple((p.hashes.program, p.hashes.skeleton, constants(p)) for p in others),
        until=Stage.CERTIFICATE,
    )
    verdict = examine(request, config)
    reason = verdict.reason
    if verdict.ok:
        gaps = np.asarray([behaviour(p).features for p in others]) - np.asarray(verdict.features)
        if np.sqrt((gaps**2).mean(1)).min() < CuratorConfig().min_distance:
            reason = Reason.SAME_BEHAVIOUR  # as the pool says, see curator.admission
    return Judged(entry, reason, verdict)
