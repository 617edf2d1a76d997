"""Text → checked, typed tree. The one entry to the front end."""

from __future__ import annotations

import ast
import dataclasses

from envs_dsl.language import tree as T
from envs_dsl.language.canonical import canonical
from envs_dsl.language.cost import Cost, check_cost
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.declare import declare
from envs_dsl.language.diagnostics import Diagnostic, Diagnostics
from envs_dsl.language.names import MAX_LEVELS, MAX_NODES, TooDeep, TooLarge
from envs_dsl.language.parse import parse
from envs_dsl.language.sense import check_sense, is_contest, unused
from envs_dsl.language.slots import check_room
from envs_dsl.language.statements import Statements
from envs_dsl.language.types import Grid, Type

__all__ = ["Analysis", "analyse", "tree_of"]


@dataclasses.dataclass(frozen=True)
class Analysis:
    """What is known of a program text after checking.

    Attributes:
      ok: no errors (warnings may be there).
      diagnostics: at most five, in source order.
      doc: module docstring.
      tree: the canonical typed tree, None unless ``ok``.
      cost: None where nothing could be counted.
      module: Python's syntax tree of the text, None for unparsable text.
      types: ``id(expression node of module)`` → type, for tools that rewrite programs.
    """

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    doc: str = ""
    tree: T.Tree | None = None
    cost: Cost | None = None
    module: ast.Module | None = None
    types: dict[int, Type] = dataclasses.field(default_factory=dict)


def analyse(text: str) -> Analysis:
    """Check a program text. Never raises on any text; never executes any of it."""
    out = Diagnostics()
    try:
        return _analyse(text, out)
    except Exception as error:  # a fault of the checker must not become a fault of its caller
        out = Diagnostics()
        out.add(
            "E900",
            (1, 1),
            f"internal fault: {type(error).__name__}: {error}",
            "please report this program",
        )
        return Analysis(False, out.result())


def _analyse(text: str, out: Diagnostics) -> Analysis:
    module = parse(text, out)
    if module is None:
        return Analysis(False, out.result())
    declared = declare(module, out)
    checker = Statements(declared, out)
    try:
        reset, step, view = (checker.function(name) for name in ("reset", "step", "view"))
    except (TooLarge, TooDeep) as error:
        place = (declared.lines.get("step", 1), 1)
        if isinstance(error, TooLarge):
            message = f"more than {MAX_NODES} operations when helpers are inlined"
            out.add("E503", place, message, "call helpers fewer times, or in a loop")
        else:
            message = f"more than {MAX_LEVELS} levels of nesting when helpers are inlined"
            out.add("E502", place, message, "keep parts in locals or fields")
        return Analysis(False, out.result(), declared.doc, module=module)
    _capacities(declared, out)
    if out.has_errors or declared.game is None:
        return Analysis(False, out.result(), declared.doc, module=module, types=checker.types)
    check_sense(
        declared,
        reset,
        step,
        view,
        checker.used_params | checker.used_layouts,
        checker.used_verbs,
        checker.outcomes,
        out,
    )
    unused(text, declared, out)
    tree = tree_of(declared, reset, step, view)
    # counted before dead code is dropped: the caps hold for what was written
    found = check_cost(tree, declared.lines, out)
    check_room(tree, declared.lines, out)
    if out.has_errors:
        return Analysis(
            False, out.result(), declared.doc, cost=found, module=module, types=checker.types
        )
    return Analysis(True, out.result(), declared.doc, canonical(tree), found, module, checker.types)


def tree_of(declared: Declarations, reset: T.Block, step: T.Block, view: T.Block) -> T.Tree:
    """The whole program, of parts that were checked; its ``Game`` is declared."""
    assert declared.game is not None
    return T.Tree(
        game=declared.game,
        params=tuple(declared.params.values()),
        enums=tuple(declared.enums.values()),
        rows=tuple(declared.rows.values()),
        fields=tuple(declared.fields.values()),
        reset=reset,
        step=step,
        view=view,
        contest=is_contest(step),
    )


def _capacities(declared: Declarations, out: Diagnostics) -> None:
    """One visible enum, Bool and numeric grid at most: the observation has a plane for each."""
    seen: dict[str, str] = {}
    for name, field in declared.fields.items():
        if isinstance(field.type, Grid) and not field.hidden:
            elem = field.type.elem.kind
            kind = "numeric" if elem in ("Int", "Float") else str(elem)
            if kind in seen:
                out.add(
                    "E402",
                    (field.line, 5),
                    f"s.{name} is a second {kind} grid (after s.{seen[kind]})",
                    "hide one with Hidden(...), or use a table",
                )
            seen.setdefault(kind, name)
