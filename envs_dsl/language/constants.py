"""What must be known before a program runs: options, numbers, initial values."""

from __future__ import annotations

import ast
from typing import cast

from envs_dsl.language.builtins import nearest_name
from envs_dsl.language.declarations import Declarations, Plain, constant
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import Range, Scalar
from envs_dsl.language.vocabulary import DIRS

__all__ = ["MAX_SIDE", "MIN_SIDE", "ConstantReader"]

MIN_SIDE, MAX_SIDE = 3, 32


class ConstantReader:
    """Reads constants; faults are reported.

    Attributes:
      out: the findings. found: what has been declared so far.
    """

    def __init__(self, out: Diagnostics) -> None:
        self.out = out
        self.found = Declarations()
        self.drawn: dict[str, ast.Call] = {}
        """Layouts, read last: the enum that knows their glyphs may stand further down."""

    def options(self, call: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
        """Keyword arguments, unknown ones reported with the nearest known."""
        given: dict[str, ast.expr] = {}
        for keyword in call.keywords:
            if keyword.arg not in names:
                near = nearest_name(str(keyword.arg), names)
                if near in ("size", "max_steps", "players", "turns", "verbs"):
                    given.setdefault(near, keyword.value)  # what was meant is not missing as well
                self.out.add(
                    "E204",
                    keyword,
                    f"unknown option {keyword.arg}",
                    f"did you mean {near}?" if near else "options: " + (", ".join(names) or "none"),
                )
            else:
                given[keyword.arg] = keyword.value
        return given

    def number(self, node: ast.AST | None) -> Plain | None:
        """The plain value that is written at ``node`` or is the constant named there, else None."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return None if inner is None or isinstance(inner, bool) else -inner
        if isinstance(node, ast.Name):
            return self.found.constants.get(node.id)
        return constant(node)

    def value(
        self, node: ast.expr | None, type_: Scalar, bounds: Range | None
    ) -> bool | int | float | tuple[float, float]:
        """An initial (or ``outside``) value: of the right type and in range; zero by default."""
        low = bounds.lo if bounds else 0
        high = bounds.hi if bounds else 0
        if node is None:
            if type_.kind == "Bool":
                return False
            if type_.kind == "Vec2":
                return (float(min(max(0.0, low), high)),) * 2
            if type_.kind == "Float":
                return float(min(max(0.0, low), high))
            if type_.kind == "Pos":
                return (0, 0)
            return int(min(max(0, low), high))
        if isinstance(node, ast.Name):
            node = self.found.values.get(node.id, node)
        plain = self.number(node)
        match type_.kind:
            case "Bool" if isinstance(plain, bool):
                return plain
            case "Int" if (
                isinstance(plain, int) and not isinstance(plain, bool) and low <= plain <= high
            ):
                return plain
            case "Float" if (
                isinstance(plain, int | float)
                and not isinstance(plain, bool)
                and low <= plain <= high
            ):
                return float(plain)
            case "Dir" if isinstance(node, ast.Name) and node.id in DIRS:
                return DIRS.index(node.id)
            case "Enum":
                declared = self.found.enums[type_.enum].members
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == type_.enum
                    and node.attr in declared
                ):
                    return declared.index(node.attr)
                if f"{type_.enum}.{getattr(node, 'attr', '')}" in self.found.broken:
                    return 0
            case "Pos" | "Vec2" if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == type_.kind
            ):
                parts = [self.number(a) for a in node.args]
                whole = type_.kind == "Pos"
                size = self.found.game.size if self.found.game else (MAX_SIDE, MAX_SIDE)
                limits = [(-n, 2 * n - 1) for n in size] if whole else [(low, high)] * 2
                self.options(node, ())
                if len(parts) == 2 and all(
                    isinstance(p, int if whole else int | float)
                    and not isinstance(p, bool)
                    and least <= p <= most
                    for p, (least, most) in zip(parts, limits, strict=True)
                ):
                    pair = cast(list[float], parts)
                    return (pair[0], pair[1]) if whole else (float(pair[0]), float(pair[1]))
        if type_.kind == "Enum" and isinstance(node, ast.Attribute):
            members = self.found.enums[type_.enum].members
            if isinstance(node.value, ast.Name) and node.value.id == type_.enum:
                near = nearest_name(node.attr, members)
                hint = f"did you mean {type_.enum}.{near}?" if near else ", ".join(members)
                self.out.add("E202", node, f"{type_.enum} has no member {node.attr}", hint)
                return 0
        what = f"{type_.kind}({low:g}, {high:g})" if bounds else (type_.enum or type_.kind)
        hint = "at most one board away from the board" if type_.kind == "Pos" else ""
        if isinstance(node, ast.Name) and node.id in self.drawn:
            hint = f"fill the grid in reset, with paint({node.id})"
        elif isinstance(node, ast.Call) and ast.unparse(node.func) != type_.kind:
            hint = "set it in reset"
        self.out.add("E301", node, f"the initial value must be a constant {what}", hint)
        return self.value(None, type_, bounds)
