"""The declarations of a program: game header, constants, enums, rows and ``class State``."""

from __future__ import annotations

import ast
from typing import cast

from envs_dsl.language.builtins import nearest_name
from envs_dsl.language.declarations import RESERVED, Declarations, constant, parameters, text_of
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.header import HeaderReader
from envs_dsl.language.layouts import MAX_LAYOUTS, LayoutDecl, read_layout
from envs_dsl.language.types import (
    EnumDecl,
    Look,
    Param,
    RowDecl,
)
from envs_dsl.language.vocabulary import COLORS, DIRS, TAGS

__all__ = ["declare"]

MAX_PARAMS, MAX_MEMBERS, MAX_FIELDS, MAX_COLUMNS = 16, 16, 32, 8
_NOT_DRAWN = "()[]{}\"'\\"
"""Never a glyph: a layout of them would read as something else to whoever counts brackets."""


def declare(module: ast.Module, out: Diagnostics) -> Declarations:
    """Read all declarations; faults are reported and the rest is still read."""
    reader = _Reader(out)
    reader.module(module)
    return reader.found


class _Reader(HeaderReader):
    """Reads the module level."""

    def __init__(self, out: Diagnostics) -> None:
        super().__init__(out)
        self.faulty_looks = False

    def module(self, module: ast.Module) -> None:
        body = list(module.body)
        if body and isinstance(body[0], ast.Expr) and text_of(body[0].value) is not None:
            self.found.doc = (text_of(body.pop(0).value) or "").strip()  # type: ignore[attr-defined]
        if not self.found.doc:
            self.out.add(
                "E110",
                (1, 1),
                "the module docstring is missing",
                "start with one sentence that says what the player must do",
            )
        elif len(self.found.doc.split()) < 3:
            self.out.add(
                "W702",
                (1, 1),
                "the docstring is too short to play from",
                "say in a sentence what the player must do",
            )
        for node in body:
            self.statement(node)
        self.layouts()
        if self.found.game is None and not any(_assigned(n) == "game" for n in body):
            self.out.add(
                "E111",
                (1, 1),
                "no game = Game(...)",
                "write game = Game(size=(9, 9), max_steps=100) after the docstring",
            )
        if "State" not in self.found.lines:
            self.out.add(
                "E111", (1, 1), "no class State", "declare the fields of the game in class State"
            )
        for name in ("reset", "step"):
            if name not in self.found.functions:
                form = "def reset(s):" if name == "reset" else "def step(s, act):"
                self.out.add("E111", (1, 1), f"no {form[:-1]}", f"write {form}")

    def layouts(self) -> None:
        size = self.found.game.size if self.found.game else (9, 9)
        whole = not self.faulty_looks
        for name, call in self.drawn.items():
            # an enum with a faulty member may lack a glyph for that reason alone
            layout = read_layout(call, size, self.found.enums, self.out) if whole else None
            # a faulty one is declared all the same, so that its fault is told once
            self.found.layouts[name] = layout or LayoutDecl("", ())
            if len(self.found.layouts) == MAX_LAYOUTS + 1:
                self.out.add("E401", call, f"more than {MAX_LAYOUTS} layouts")

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.assign(name, value, node)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                what = "annotations belong in class State"
                self.out.add("E102", node, what, "assign without one")
                self.assign(name, value, node)
            case ast.ClassDef(name=name, bases=bases):
                self.klass(name, bases, node)
            case ast.FunctionDef(name=name):
                if name in ("reset", "step", "view") or self.fresh(name, node):
                    if name in self.found.functions:
                        self.out.add("E203", node, f"{name} is declared twice")
                    if name not in ("reset", "step", "view") and parameters(node) is None:
                        message = f"the head must be def {name}(a, b): plain parameters only"
                        self.out.add("E111", node, message)
                    self.found.functions[name] = node
                    self.found.lines[name] = node.lineno
            case _:
                self.out.add(
                    "E111",
                    node,
                    "only declarations and functions stand at the top level",
                    "move it into reset or step",
                )

    def fresh(self, name: str, node: ast.AST) -> bool:
        """Report a reserved or repeated name; True when it may be declared."""
        if name in RESERVED or name in self.found.lines or name.startswith("__"):
            line = self.found.lines.get(name)
            why = f"{name} is declared twice (line {line})" if line else f"{name} is reserved"
            self.out.add("E203", node, why, "choose another name")
            self.found.broken.add(name)
            return False
        self.found.lines[name] = getattr(node, "lineno", 1)
        return True

    def assign(self, name: str, value: ast.expr, node: ast.stmt) -> None:
        called = (
            value.func.id
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
            else ""
        )
        if name == "game" or called == "Game":
            if self.found.game is not None:
                self.out.add("E203", node, "game is declared twice")
            elif called == "Game":
                if name != "game":
                    what = f"Game(...) is called game, not {name}"
                    self.out.add("E111", node, what, "write game = Game(...)")
                self.game(cast(ast.Call, value))
            else:
                self.out.add(
                    "E111",
                    value,
                    "game must be Game(...)",
                    "write game = Game(size=(9, 9), max_steps=100)",
                )
                if nearest_name(called, ["Game"]):
                    self.game(cast(ast.Call, value))
            return
        if not self.fresh(name, node):
            return
        if called == "Param":
            self.param(name, cast(ast.Call, value))
            return
        if called == "Layout":
            self.drawn[name] = cast(ast.Call, value)
            return
        plain = constant(value)
        if _is_value(value):
            self.found.values[name] = value
        elif plain is None:
            self.found.broken.add(name)
            hint = (
                "constants: a number, True, Pos(1, 2), Vec2(0.5, 1.0), UP, Tile.WALL, "
                "Param(…), Layout(…)"
            )
            self.out.add("E111", value, f"{name} is not a constant", hint)
        elif isinstance(plain, int) and abs(plain) >= 2**31:
            self.found.broken.add(name)
            self.out.add("E308", value, f"{plain} does not fit 32 bits")
        else:
            self.found.constants[name] = plain

    def param(self, name: str, call: ast.Call) -> None:
        given = self.options(call, ("harder",))
        numbers = [self.number(a) for a in call.args]
        if len(numbers) != 3 or any(n is None or isinstance(n, bool) for n in numbers):
            self.out.add(
                "E308", call, "Param takes three numbers: value, low, high", "Param(0.5, 0.0, 1.0)"
            )
            numbers = [0, 0, 1]
        value, low, high = cast(list[float], numbers)
        if not low <= value <= high or not low < high or max(abs(low), abs(high)) > 1e6:
            what = "Param needs low <= value <= high, low < high, from -1e6 to 1e6"
            self.out.add("E308", call, what, _param_hint(value, low, high))
            value, low, high = 0, 0, 1
        harder = None
        if "harder" in given:
            harder = text_of(given["harder"])
            if harder not in ("up", "down"):
                self.out.add("E204", given["harder"], 'harder must be "up" or "down"')
                harder = None
        if len(self.found.params) == MAX_PARAMS:
            what = f"more than {MAX_PARAMS} parameters"
            self.out.add("E401", call, what, f"make a constant of it: {name} = {value:g}")
        is_int = all(isinstance(n, int) for n in (value, low, high))
        self.found.params[name] = Param(name, float(value), float(low), float(high), harder, is_int)  # type: ignore[arg-type]

    def klass(self, name: str, bases: list[ast.expr], node: ast.ClassDef) -> None:
        base = bases[0].id if len(bases) == 1 and isinstance(bases[0], ast.Name) else None
        if not bases and name != "State" and nearest_name(name, ["State"]):
            what = f"the class of the fields is called State, not {name}"
            self.out.add("E111", node, what, "write class State:")
            name = "State"
        if name == "State":
            if bases:
                self.out.add("E111", node, "State derives from nothing", "write class State:")
            if "State" in self.found.lines:
                self.out.add("E203", node, "State is declared twice")
            self.found.lines["State"] = node.lineno
            for field in self.fields(node, in_row=False):
                self.found.fields[field.name] = field
            if len(self.found.fields) > MAX_FIELDS:
                what = f"State has {len(self.found.fields)} fields; {MAX_FIELDS} are allowed"
                self.out.add("E401", node, what, "join fields of one type in an Array")
        elif base not in ("Enum", "Row"):
            self.found.broken.add(name)
            self.faulty_looks = True
            self.out.add(
                "E111",
                node,
                f"class {name} must be State, or derive from Enum or Row",
                f"class {name}(Enum): or class {name}(Row):",
            )
        elif self.fresh(name, node):
            if base == "Enum":
                self.enum(name, node)
            else:
                columns = self.fields(node, in_row=True)
                faulty = any(known.startswith(f"{name}.") for known in self.found.broken)
                if not (faulty or columns) or len(columns) > MAX_COLUMNS:
                    what = f"{name} has {len(columns)} columns; 1 to {MAX_COLUMNS} are allowed"
                    hint = "leave columns out, or use a second table"
                    if not columns:
                        hint = "give it one, such as pos: Pos"
                    self.out.add("E401", node, what, hint)
                if not columns:
                    self.found.broken.add(name)
                    return
                self.found.rows[name] = RowDecl(name, columns)

    def enum(self, name: str, node: ast.ClassDef) -> None:
        members: list[str] = []
        looks: list[Look] = []
        for item in node.body:
            match item:
                case ast.Assign(
                    targets=[ast.Name(id=member)], value=ast.Call(func=ast.Name(id="Look")) as call
                ):
                    if member in members:
                        self.out.add("E203", item, f"{member} is declared twice")
                    if member.startswith("__"):
                        self.out.add("E203", item, f"{member} is reserved", "choose another name")
                    members.append(member)
                    looks.append(self.look(call))
                case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                    pass
                case _:
                    self.found.broken.add(f"{name}.{_assigned(item)}")
                    self.faulty_looks = True
                    self.out.add(
                        "E111",
                        item,
                        "an enum has lines like WALL = Look(...)",
                        'WALL = Look("#", "gray", solid=True)',
                    )
        if not 1 <= len(members) <= MAX_MEMBERS:
            what = f"{name} has {len(members)} members; 1 to {MAX_MEMBERS} are allowed"
            self.out.add("E401", node, what, "count with an Int field instead")
        self.found.enums[name] = EnumDecl(
            name, tuple(members) or ("NONE",), tuple(looks) or (Look("?", "black"),)
        )

    def look(self, call: ast.Call) -> Look:
        given = self.options(call, TAGS)
        words = [text_of(a) for a in call.args]
        glyphs = words[0] if len(words) == 2 else None
        if glyphs is None or len(glyphs) != 1 or not "!" <= glyphs <= "~" or glyphs in _NOT_DRAWN:
            self.out.add(
                "E308",
                call,
                "Look takes one character (no space, bracket or quote) and a colour",
                'Look("#", "gray", solid=True)',
            )
            return Look("?", "black")
        glyph, color = cast(list[str], words)
        if color not in COLORS:
            near = nearest_name(str(color), COLORS)
            self.out.add(
                "E204",
                call.args[1],
                f"unknown colour {color!r}",
                f"did you mean {near!r}?" if near else "colours: " + ", ".join(COLORS),
            )
            color = "black"
        for tag, value in given.items():
            if not isinstance(constant(value), bool):
                self.out.add("E308", value, f"{tag} must be True or False")
        return Look(
            glyph, color, tuple(t for t in TAGS if t in given and constant(given[t]) is True)
        )


def _param_hint(value: float, low: float, high: float) -> str:
    """The nearest parameter that is one."""
    low, high = (max(min(v, 1e6), -1e6) for v in sorted((low, high)))
    if not low < high:
        high = low + 1
    return f"Param({min(max(value, low), high):g}, {low:g}, {high:g})"


def _is_value(node: ast.expr) -> bool:
    """A place or vector of plain numbers, a direction, or what looks like a member of an enum."""
    match node:
        case ast.Call(func=ast.Name(id="Pos" | "Vec2"), args=args, keywords=[]):
            return all(constant(arg) is not None for arg in args)
        case ast.Name(id=name):
            return name in DIRS
        case ast.Attribute(value=ast.Name()):
            return True
    return False


def _assigned(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return None
