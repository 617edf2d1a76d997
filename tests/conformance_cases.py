"""The conformance cases as records (``tests/conformance/README.md`` gives the form)."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any

import conformance_players as players
import yaml
from small_programs import program_text

from envs_dsl import check
from envs_dsl.language.vocabulary import ACTIONS
from envs_dsl.program import Program

__all__ = ["Case", "cases"]

FOLDER = pathlib.Path(__file__).parent / "conformance"
PARTS = ("fields", "step", "reset", "head", "helpers", "game")
FACTS = (
    "refused", "warns", "at", "cost", "step_cost", "params_at", "same_program", "same_skeleton",
    "other_skeleton",
)  # fmt: skip
KEYS = {
    "name", "rule", "sign", "program", "fill", "seed", "params", "actions", "batch", "expect",
    "why", "by", *PARTS, *FACTS,
}  # fmt: skip
TOLERANCE = 1e-5


@dataclasses.dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
      name, sign: as in the file. rules: ids. text: the whole program.
      facts: what is to hold of the text without running it, by key of the file (``FACTS``); texts
        of other programs are whole.
      expect: by number of completed steps, what must hold then; None where nothing is run.
      seed: two whole numbers. params: the level's parameters, None for the declared ones.
      actions: one tuple of seats a step. batch: how many copies run, and which is seen.
    """

    name: str
    rules: tuple[str, ...]
    sign: str
    text: str
    facts: dict[str, Any]
    expect: dict[int, dict[str, Any]] | None
    seed: tuple[int, int]
    params: tuple[float, ...] | None
    actions: tuple[tuple[int, ...], ...]
    batch: tuple[int, int]
    by: str

    def program(self) -> Program:
        return Program.from_source(self.text, self.name)

    def play(
        self, backend: Any, program: Program, batch: tuple[int, int] | None = None
    ) -> list[players.Seen]:
        """What is seen after reset and after every step, on a back end; in another ``batch``."""
        level = self._level(program)
        return players.play(
            backend, program, self.seed, level, self.actions, batch or self.batch, self._observed
        )

    def play_oracle(self, program: Program) -> list[players.Seen]:
        """The same on the oracle."""
        level = self._level(program)
        return players.play_oracle(program, self.seed, level, self.actions, self._observed)

    @property
    def _observed(self) -> bool:
        return any("observed" in wanted for wanted in (self.expect or {}).values())

    def _level(self, program: Program) -> tuple[float, ...]:
        return tuple(p.value for p in program.params) if self.params is None else self.params

    def check(self, seen: list[players.Seen]) -> None:
        """Compare with what must hold.

        Raises:
          AssertionError: it does not; the message names step and value.
        """
        for step, wanted in (self.expect or {}).items():
            for key, value in wanted.items():
                found = seen[step].get(key, "<no such field>")
                where = f"{self.name}: {key} after step {step} is {found}, not {value}"
                assert _same(found, value), where

    def check_facts(self) -> None:
        """The same for what holds of the text."""
        checked = check(self.text, self.name)
        errors = [d for d in checked.diagnostics if d.severity == "error"]
        refused = self.facts.get("refused")
        assert [d.code for d in errors[:1]] == ([refused] if refused else []), errors
        if "warns" in self.facts:
            assert [d.code for d in checked.diagnostics] == self.facts["warns"]
        if "at" in self.facts:
            first = checked.diagnostics[0]
            assert [first.line, first.column] == self.facts["at"], first
        for figure, wanted in self.facts.get("cost", {}).items():
            assert getattr(checked.cost, figure) == wanted, checked.cost
        if "step_cost" in self.facts:
            wanted, without = self.facts["step_cost"]
            before = check(without).cost
            added = {k: getattr(checked.cost, k) - getattr(before, k) for k in wanted}
            assert added == wanted
        for difficulty, values in self.facts.get("params_at", {}).items():
            level = self.program().params_at(float(difficulty)).tolist()
            assert _same(level, values), (difficulty, level)
        for key, (program, skeleton) in SAMENESS.items():
            for text in self.facts.get(key, ()):
                ours, theirs = self.program().hashes, Program.from_source(text).hashes
                same = (ours.program == theirs.program, ours.skeleton == theirs.skeleton)
                assert same == (program, skeleton), f"{key}: {text}"


SAMENESS = {
    "same_program": (True, True),
    "same_skeleton": (False, True),
    "other_skeleton": (False, False),
}
"""Whether the program hash and the skeleton hash are the same."""


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
    assert entry.get("by", "hand") in ("hand", "oracle"), f"{where}: by"
    facts = {key: entry[key] for key in FACTS if key in entry}
    assert facts or "expect" in entry, f"{where}: nothing to check"
    assert not ("expect" in entry and "refused" in entry), f"{where}: expect or refused"
    for key in SAMENESS:
        if key in facts:
            others = facts[key] if isinstance(facts[key], list) else [facts[key]]
            facts[key] = [_other(entry, other) for other in others]
    if "step_cost" in facts:
        facts["step_cost"] = facts["step_cost"], _other(entry, {"step": "pass"})
    params = entry.get("params")
    size, mine = entry.get("batch", (2, 1))
    return Case(
        name=entry["name"],
        rules=(entry["rule"],) if isinstance(entry["rule"], str) else tuple(entry["rule"]),
        sign=entry["sign"],
        text=_filled(_text(entry), entry.get("fill", 0)),
        facts=facts,
        expect=_by_step(entry["expect"]) if "expect" in entry else None,
        seed=tuple(entry.get("seed", (0, 0))),
        params=None if params is None else tuple(params),
        actions=tuple(_actions(a) for a in entry.get("actions", ())),
        batch=(size, mine),
        by=entry.get("by", "hand"),
    )


def _text(entry: dict[str, Any]) -> str:
    """The program of a case: given whole, or made of its parts."""
    if "program" in entry:
        return str(entry["program"])
    return program_text(
        str(entry.get("fields", "n: Int(0, 9)")),
        str(entry.get("step", "s.n = 1")),
        str(entry.get("reset", "pass")),
        **{k: str(entry[k]) for k in ("head", "helpers", "game") if k in entry},
    )


def _other(entry: dict[str, Any], other: str | dict[str, Any]) -> str:
    """Another program: a whole text, or the case's own with some parts replaced."""
    return _text({**entry, **other}) if isinstance(other, dict) else other


def _filled(text: str, length: int) -> str:
    """The text with comments at its end that make it ``length`` characters long."""
    while len(text) < length:
        text += "#" * min(100, length - len(text) - 1) + "\n"
    return text


def _by_step(expect: dict[Any, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    return {int(step): dict(values) for step, values in expect.items()}


def _actions(entry: str | int) -> tuple[int, ...]:
    return tuple(
        ACTIONS.index(word) if word in ACTIONS else int(word) for word in str(entry).split(":")
    )


_CELLS: dict[str, Any] = {".": False, "#": True, **{str(digit): digit for digit in range(10)}}


def _same(found: Any, wanted: Any) -> bool:
    """Floats to the tolerance, all else exactly; a dict names only what matters."""
    if isinstance(wanted, str) and isinstance(found, list):
        wanted = [_CELLS.get(mark, mark) for mark in wanted]
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
