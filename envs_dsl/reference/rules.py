"""The rules of the language, each with a stable id, and the conformance cases linked to them."""

from __future__ import annotations

import collections
import dataclasses
import functools
import pathlib
import re
from importlib import resources

import yaml

from envs_dsl.language import allowed, constants, declare, fields, header, parse
from envs_dsl.language.cost import CAPS, MAX_LOOPS
from envs_dsl.language.layouts import MAX_LAYOUTS
from envs_dsl.language.loops import MAX_TRIPS
from envs_dsl.language.names import MAX_NODES

__all__ = ["Rule", "Section", "cases", "data", "filled", "rules"]

_FIGURES = {
    "work": CAPS.work,
    "depth": CAPS.depth,
    "ops": CAPS.ops,
    "draws": CAPS.draws,
    "state_bytes": CAPS.state_bytes,
    "loops": MAX_LOOPS,
    "nodes": MAX_NODES,
    "bytes": parse.MAX_BYTES,
    "line": parse.MAX_LINE,
    "brackets": parse.MAX_BRACKETS,
    "tree": parse.MAX_DEPTH,
    "least_side": constants.MIN_SIDE,
    "most_side": constants.MAX_SIDE,
    "max_steps": header.MAX_STEPS,
    "params": declare.MAX_PARAMS,
    "layouts": MAX_LAYOUTS,
    "members": declare.MAX_MEMBERS,
    "columns": declare.MAX_COLUMNS,
    "fields": declare.MAX_FIELDS,
    "length": fields.MAX_LENGTH,
    "rows": fields.MAX_ROWS,
    "trips": MAX_TRIPS,
    "blocks": parse.MAX_BLOCKS,
    "name": allowed.MAX_NAME,
}

_RULE_LINE = re.compile(r"^[\s-]*['\"]?rules?['\"]?\s*:\s*(.*)$")
_ID = re.compile(r"R-[A-Z]+-\d+")


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its id (never reused) and what it says, as Markdown."""

    id: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """Rules on one subject."""

    title: str
    about: str
    rules: tuple[Rule, ...]


def data(name: str) -> str:
    """The text of a data file of this package."""
    return (resources.files("envs_dsl.reference") / name).read_text(encoding="utf-8")


@functools.cache
def rules() -> tuple[Section, ...]:
    """All rules in order; figures such as caps are filled in from the checker."""
    return tuple(
        Section(
            part["section"],
            part["about"],
            tuple(Rule(id_, filled(text)) for id_, text in part["rules"].items()),
        )
        for part in yaml.safe_load(data("rules.yaml"))
    )


def filled(text: str) -> str:
    """``text`` with the checker's own figures for ``<<name>>``."""
    return re.sub(r"<<(\w+)>>", lambda m: f"{_FIGURES[m[1]]:,}", text)


def cases(folder: pathlib.Path) -> dict[str, tuple[str, ...]]:
    """Rule id → files with cases that name it; empty where there is no such folder.

    Cases are YAML entries with a line ``rule: R-SAT-1`` (or a list of ids on that line). Files, not
    counts: another case in the same file leaves the reference as it is.
    """
    found: dict[str, dict[str, None]] = collections.defaultdict(dict)
    for file in sorted(folder.glob("**/*.yaml")):
        for line in file.read_text(encoding="utf-8").splitlines():
            match = _RULE_LINE.match(line)
            for id_ in _ID.findall(match[1]) if match else ():
                found[id_][file.relative_to(folder).as_posix()] = None
    return {id_: tuple(files) for id_, files in found.items()}
