"""The conformance cases as records (``tests/conformance/README.md`` gives the form)."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any

import numpy as np
import yaml
from small_programs import program_text

from envs_dsl.backends import State, StepOut, outcome_name
from envs_dsl.language.vocabulary import ACTIONS
from envs_dsl.program import Program

__all__ = ["Case", "cases", "snapshot"]

FOLDER = pathlib.Path(__file__).parent / "conformance"
KEYS = {
    "name", "rule", "sign", "fields", "step", "reset", "head", "helpers", "game", "program", "seed",
    "params", "actions", "expect", "why", "by", "refused",
}  # fmt: skip
TOLERANCE = 1e-5


@dataclasses.dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
      name, rule, sign: as in the file. text: the whole program.
      seed: two whole numbers. params: the level's parameters, None for the declared ones.
      actions: one tuple of seats a step.
      expect: by number of completed steps, what must hold then.
      refused: the code of the first error, "" for a program that is accepted.
    """

    name: str
    rule: str
    sign: str
    text: str
    seed: tuple[int, int]
    params: tuple[float, ...] | None
    actions: tuple[tuple[int, ...], ...]
    expect: dict[int, dict[str, Any]]
    refused: str
    by: str

    def program(self) -> Program:
        return Program.from_source(self.text, self.name)

    def levels(self, program: Program) -> np.ndarray:
        """float32[1, P]"""
        values = program.default_params() if self.params is None else self.params
        return np.asarray(values, np.float32).reshape(1, len(program.params))

    def play(self, backend: Any, program: Program) -> list[dict[str, Any]]:
        """What is seen after reset and after every step, on a back end."""
        constants = backend.constants(program)
        seed = np.asarray([self.seed], np.int32)
        state = backend.reset(constants, seed, self.levels(program))
        seen = [snapshot(state, None)]
        for action in self.actions:
            state, out = backend.step(constants, state, np.asarray([action], np.int32))
            seen.append(snapshot(state, out))
        return seen

    def check(self, seen: list[dict[str, Any]]) -> None:
        """Compare with what must hold.

        Raises:
          AssertionError: it does not; the message names step and value.
        """
        for step, wanted in self.expect.items():
            for key, value in wanted.items():
                found = seen[step].get(key, "<no such field>")
                where = f"{self.name}: {key} after step {step} is {found}, not {value}"
                assert _same(found, value), where


def cases() -> list[Case]:
    """All cases, in the order of the files."""
    found: list[Case] = []
    for file in sorted(FOLDER.glob("*.yaml")):
        for entry in yaml.load(file.read_text(), yaml.CSafeLoader):
            found.append(_case(entry, file.name))
    return found


def _case(entry: dict[str, Any], file: str) -> Case:
    where = f"{file}: {entry.get('name')}"
    unknown = set(entry) - KEYS
    assert not unknown, f"{where}: unknown keys {unknown}"
    assert entry.get("sign") in ("positive", "negative"), f"{where}: sign"
    assert ("expect" in entry) != ("refused" in entry), f"{where}: expect or refused"
    assert entry.get("by", "hand") in ("hand", "oracle"), f"{where}: by"
    parts = {k: str(entry[k]) for k in ("head", "helpers", "game") if k in entry}
    text = entry.get("program") or program_text(
        str(entry.get("fields", "n: Int(0, 9)")),
        str(entry.get("step", "pass")),
        str(entry.get("reset", "pass")),
        **parts,
    )
    params = entry.get("params")
    return Case(
        name=entry["name"],
        rule=entry["rule"],
        sign=entry["sign"],
        text=text,
        seed=tuple(entry.get("seed", (0, 0))),
        params=None if params is None else tuple(params),
        actions=tuple(_actions(a) for a in entry.get("actions", ())),
        expect={int(step): dict(values) for step, values in entry.get("expect", {}).items()},
        refused=str(entry.get("refused", "")),
        by=entry.get("by", "hand"),
    )


def _actions(entry: str | int) -> tuple[int, ...]:
    return tuple(
        ACTIONS.index(word) if word in ACTIONS else int(word) for word in str(entry).split(":")
    )


def snapshot(state: State, out: StepOut | None) -> dict[str, Any]:
    """The first copy as plain values, with the reserved keys of the cases."""

    def plain(array: Any) -> Any:
        return np.asarray(array)[0].tolist()

    def seats(array: Any) -> Any:
        values = plain(array)
        return values[0] if len(values) == 1 else values

    seen: dict[str, Any] = {
        name: {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else plain(value)
        for name, value in state.fields.items()
    }
    seen |= {
        "t": plain(state.t),
        "outcome": outcome_name(plain(state.outcome)),
        "score": seats(state.score),
        "total": seats(state.total),
        "last_action": seats(state.last_action),
        "fault": plain(state.fault),
        "illegal": plain(state.illegal),
    }
    if out is not None:
        seen |= {
            "reward": seats(out.reward),
            "terminated": plain(out.terminated),
            "truncated": plain(out.truncated),
        }
    return seen


def _same(found: Any, wanted: Any) -> bool:
    """Floats to the tolerance, all else exactly; a dict names only what matters."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(_same(found.get(k), v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(_same(f, w) for f, w in zip(found, wanted))
        )
    if isinstance(found, float) and isinstance(wanted, int | float):
        return abs(found - wanted) <= TOLERANCE * max(1.0, abs(wanted))
    return type(found) is type(wanted) and found == wanted
