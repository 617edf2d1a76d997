"""What a name means at one point of a function body."""

from __future__ import annotations

import dataclasses

from envs_dsl.language.types import Type

__all__ = ["Scope"]


@dataclasses.dataclass
class Scope:
    """Names visible while one function body is checked.

    Attributes:
      function: "reset", "step", "view" or a helper's name.
      types: type of every local seen so far (a local keeps its first type).
      assigned: locals that are definitely assigned here.
      tree_names: source name → name in the tree (distinct for every inlined call).
      rows: row variables: source name → (tree name, table field).
      aliases: helper parameters that stand for ``s``, ``act`` or ``acts``.
      broken: names of locals that could not be assigned. unknown: names told to be unknown.
      pure: no stores to state and no effects (helpers).
      changes: a fault was told that it tries to change the state although it must not.
      loops: nesting of loops around this point.
    """

    function: str
    types: dict[str, Type] = dataclasses.field(default_factory=dict)
    assigned: set[str] = dataclasses.field(default_factory=set)
    tree_names: dict[str, str] = dataclasses.field(default_factory=dict)
    rows: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)
    frozen: set[str] = dataclasses.field(default_factory=set)
    read: set[str] = dataclasses.field(default_factory=set)
    lines: dict[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    broken: set[str] = dataclasses.field(default_factory=set)
    unknown: set[str] = dataclasses.field(default_factory=set)
    pure: bool = False
    changes: bool = False
    loops: int = 0
    returns: Type | None = None
