"""The declarations of a program: game header, constants, enums, rows and ``class State``."""

from __future__ import annotations

import ast
import dataclasses
from typing import cast

from envs_dsl.language.builtins import TABLE, nearest_name
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    EnumDecl,
    Field,
    Game,
    Grid,
    Look,
    Param,
    Range,
    RowDecl,
    Scalar,
    TableRef,
    enum_type,
)
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS

__all__ = ["RESERVED", "Declarations", "constant", "declare"]

RESERVED = frozenset(TABLE) | set(DIRS) | {
    "s", "act", "acts", "game", "State", "Enum", "Row", "Game", "Param", "Look", "Layout", "Table",
    "Array", "Players", "Hidden", "Grid", "Bool", "Int", "Float", "Dir", "range", "dirs4", "dirs8",
    "players", "reset", "step", "view", "True", "False", "None",
}  # fmt: skip

MAX_PARAMS, MAX_MEMBERS, MAX_FIELDS, MAX_ROWS, MAX_COLUMNS, MAX_LENGTH = 16, 16, 32, 16, 8, 64
MIN_SIDE, MAX_SIDE, MAX_STEPS = 3, 32, 1000

Plain = bool | int | float


@dataclasses.dataclass
class Declarations:
    """What the module level declares. ``constants`` are plain numbers, inlined where named."""

    doc: str = ""
    game: Game | None = None
    params: dict[str, Param] = dataclasses.field(default_factory=dict)
    constants: dict[str, Plain] = dataclasses.field(default_factory=dict)
    enums: dict[str, EnumDecl] = dataclasses.field(default_factory=dict)
    rows: dict[str, RowDecl] = dataclasses.field(default_factory=dict)
    fields: dict[str, Field] = dataclasses.field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = dataclasses.field(default_factory=dict)
    lines: dict[str, int] = dataclasses.field(default_factory=dict)


def constant(node: ast.AST | None) -> Plain | None:
    """The plain number or truth value written at ``node`` (a minus sign is allowed), else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant(node.operand)
        return None if inner is None or isinstance(inner, bool) else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return node.value
    return None


def declare(module: ast.Module, out: Diagnostics) -> Declarations:
    """Read all declarations; faults are reported and the rest is still read."""
    reader = _Reader(out)
    reader.module(module)
    return reader.found


class _Reader:
    def __init__(self, out: Diagnostics) -> None:
        self.out = out
        self.found = Declarations()

    def module(self, module: ast.Module) -> None:
        body = list(module.body)
        if body and isinstance(body[0], ast.Expr) and _text(body[0].value) is not None:
            self.found.doc = (_text(body.pop(0).value) or "").strip()  # type: ignore[attr-defined]
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
                "say what the player must do",
            )
        for node in body:
            self.statement(node)
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

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.assign(name, value, node)
            case ast.ClassDef(name=name, bases=bases):
                self.klass(name, bases, node)
            case ast.FunctionDef(name=name):
                if name in ("reset", "step", "view") or self.fresh(name, node):
                    if name in self.found.functions:
                        self.out.add("E203", node, f"{name} is declared twice")
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
            return False
        self.found.lines[name] = getattr(node, "lineno", 1)
        return True

    # --- constants ------------------------------------------------------------

    def assign(self, name: str, value: ast.expr, node: ast.stmt) -> None:
        called = (
            value.func.id
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
            else ""
        )
        if name == "game":
            if called == "Game":
                self.game(cast(ast.Call, value))
            else:
                self.out.add(
                    "E111",
                    value,
                    "game must be Game(...)",
                    "write game = Game(size=(9, 9), max_steps=100)",
                )
            return
        if not self.fresh(name, node):
            return
        if called == "Param":
            self.param(name, cast(ast.Call, value))
            return
        plain = constant(value)
        if plain is None:
            self.out.add("E111", value, f"{name} must be a number or Param(value, low, high)")
        elif isinstance(plain, int) and abs(plain) >= 2**31:
            self.out.add("E308", value, f"{plain} does not fit 32 bits")
        else:
            self.found.constants[name] = plain

    def options(self, call: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
        """Keyword arguments, unknown ones reported with the nearest known."""
        given: dict[str, ast.expr] = {}
        for keyword in call.keywords:
            if keyword.arg not in names:
                near = nearest_name(str(keyword.arg), names)
                self.out.add(
                    "E204",
                    keyword,
                    f"unknown option {keyword.arg}",
                    f"did you mean {near}?" if near else "options: " + ", ".join(names),
                )
            else:
                given[keyword.arg] = keyword.value
        return given

    def game(self, call: ast.Call) -> None:
        names = ("size", "max_steps", "players", "turns", "verbs", "skills")
        given = self.options(call, names)
        if call.args:
            self.out.add("E309", call.args[0], "Game takes named options only", "write size=(9, 9)")
        size = self._pair(given.get("size"), call)
        steps = constant(given.get("max_steps"))
        if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= MAX_STEPS:
            self.out.add(
                "E308",
                given.get("max_steps", call),
                f"max_steps must be a whole number from 1 to {MAX_STEPS}",
            )
            steps = 100
        players = constant(given["players"]) if "players" in given else 1
        if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= 4:
            self.out.add("E308", given["players"], "players must be 1, 2, 3 or 4")
            players = 1
        turns = _text(given["turns"]) if "turns" in given else "simultaneous"
        if turns != "simultaneous":
            self.out.add(
                "E204",
                given["turns"],
                f"turns={turns!r} is not available",
                'turns="simultaneous" is the only one so far',
            )
        verbs = self._words(given.get("verbs"), VERBS, "verb")
        skills = self._words(given.get("skills"), SKILLS, "skill")
        # an action has one index in every program: the order in which verbs are listed is not kept
        self.found.game = Game(
            size,
            steps,
            players,
            "simultaneous",
            tuple(v for v in VERBS if v in verbs),
            tuple(k for k in SKILLS if k in skills),
        )

    def _pair(self, node: ast.expr | None, call: ast.Call) -> tuple[int, int]:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            rows, cols = (constant(e) for e in node.elts)
            if all(
                isinstance(v, int) and not isinstance(v, bool) and MIN_SIDE <= v <= MAX_SIDE
                for v in (rows, cols)
            ):
                return cast(int, rows), cast(int, cols)
        self.out.add(
            "E308", node or call, f"size must be (rows, cols), each from {MIN_SIDE} to {MAX_SIDE}"
        )
        return 9, 9

    def _words(
        self, node: ast.expr | None, vocabulary: tuple[str, ...], what: str
    ) -> tuple[str, ...]:
        if node is None:
            return ()
        if not isinstance(node, ast.List):
            self.out.add("E308", node, f"a list of {what}s is needed")
            return ()
        words: list[str] = []
        for item in node.elts:
            word = _text(item)
            if word not in vocabulary:
                near = nearest_name(str(word), vocabulary)
                self.out.add(
                    "E204",
                    item,
                    f"unknown {what} {word!r}",
                    f"did you mean {near!r}?" if near else f"{what}s: " + ", ".join(vocabulary),
                )
            else:
                words.append(word)
        return tuple(dict.fromkeys(words))

    def param(self, name: str, call: ast.Call) -> None:
        given = self.options(call, ("harder",))
        numbers = [constant(a) for a in call.args]
        if len(numbers) != 3 or any(n is None or isinstance(n, bool) for n in numbers):
            self.out.add(
                "E308", call, "Param takes three numbers: value, low, high", "Param(0.5, 0.0, 1.0)"
            )
            numbers = [0, 0, 1]
        value, low, high = cast(list[float], numbers)
        if not low <= value <= high or not low < high or max(abs(low), abs(high)) > 1e6:
            self.out.add("E308", call, "Param needs low <= value <= high, low < high, within ±1e6")
            value, low, high = 0, 0, 1
        harder = None
        if "harder" in given:
            harder = _text(given["harder"])
            if harder not in ("up", "down"):
                self.out.add("E204", given["harder"], 'harder must be "up" or "down"')
                harder = None
        if len(self.found.params) >= MAX_PARAMS:
            self.out.add("E401", call, f"more than {MAX_PARAMS} parameters")
        is_int = all(isinstance(n, int) for n in (value, low, high))
        self.found.params[name] = Param(name, float(value), float(low), float(high), harder, is_int)  # type: ignore[arg-type]

    # --- classes --------------------------------------------------------------

    def klass(self, name: str, bases: list[ast.expr], node: ast.ClassDef) -> None:
        base = bases[0].id if len(bases) == 1 and isinstance(bases[0], ast.Name) else None
        if name == "State" and not bases:
            if "State" in self.found.lines:
                self.out.add("E203", node, "State is declared twice")
            self.found.lines["State"] = node.lineno
            for field in self.fields(node, in_row=False):
                self.found.fields[field.name] = field
            if len(self.found.fields) > MAX_FIELDS:
                self.out.add("E401", node, f"State has more than {MAX_FIELDS} fields")
        elif base not in ("Enum", "Row"):
            self.out.add(
                "E111",
                node,
                f"class {name} must be State, or derive from Enum or Row",
                f"class {name}(Enum) or class {name}(Row)",
            )
        elif self.fresh(name, node):
            if base == "Enum":
                self.enum(name, node)
            else:
                columns = self.fields(node, in_row=True)
                if not 1 <= len(columns) <= MAX_COLUMNS:
                    self.out.add("E401", node, f"a row has 1 to {MAX_COLUMNS} columns")
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
                    members.append(member)
                    looks.append(self.look(call))
                case _:
                    self.out.add(
                        "E111",
                        item,
                        "an enum has lines like WALL = Look(...)",
                        'WALL = Look("#", "gray", solid=True)',
                    )
        if not 1 <= len(members) <= MAX_MEMBERS:
            self.out.add("E401", node, f"an enum has 1 to {MAX_MEMBERS} members")
        self.found.enums[name] = EnumDecl(
            name, tuple(members) or ("NONE",), tuple(looks) or (Look("?", "black"),)
        )

    def look(self, call: ast.Call) -> Look:
        given = self.options(call, TAGS)
        words = [_text(a) for a in call.args]
        if len(words) != 2 or words[0] is None or len(words[0]) != 1:
            self.out.add(
                "E308",
                call,
                "Look takes one character and a colour",
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

    def fields(self, node: ast.ClassDef, *, in_row: bool) -> tuple[Field, ...]:
        found: dict[str, Field] = {}
        for item in node.body:
            match item:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    if name in found or name in ("t", "alive", "move") or name.startswith("__"):
                        self.out.add(
                            "E203",
                            item,
                            f"the field name {name} is taken or reserved",
                            "choose another name",
                        )
                    field = self.field(name, annotation, value, in_row=in_row)
                    if field is not None:
                        found[name] = dataclasses.replace(field, line=item.lineno)
                case ast.Pass():
                    pass
                case _:
                    self.out.add(
                        "E111",
                        item,
                        "a line like name: Type = value is needed",
                        "has_key: Bool = False",
                    )
        return tuple(found.values())

    def field(
        self, name: str, node: ast.expr, value: ast.expr | None, *, in_row: bool
    ) -> Field | None:
        called, args, call = _head(node)
        if called == "Hidden" and call is not None and len(args) == 1:
            inner = self.field(name, args[0], value, in_row=in_row)
            return None if inner is None else dataclasses.replace(inner, hidden=True)
        if in_row and called in ("Grid", "Array", "Table", "Players"):
            self.out.add("E301", node, f"a row's column must be a scalar, not {called}")
            return None
        match called:
            case "Grid":
                return self.grid(name, args, call, value)
            case "Array":
                return self.array(name, args, call, value)
            case "Players":
                return self.seats(name, args, call, value)
            case "Table":
                return self.table(name, args, node)
        scalar = self.scalar(node)
        if scalar is None:
            return None
        type_, bounds = scalar
        return Field(name, type_, bounds, init=self.value(value, type_, bounds))

    def scalar(self, node: ast.expr) -> tuple[Scalar, Range | None] | None:
        called, args, call = _head(node)
        if called in ("Bool", "Pos", "Dir") and call is None:
            return {"Bool": BOOL, "Pos": POS, "Dir": DIR}[called], None
        if called in ("Int", "Float", "Vec2"):
            numbers = [constant(a) for a in args]
            whole = called == "Int"
            if (
                call is None
                or len(numbers) != 2
                or any(
                    n is None or isinstance(n, bool) or (whole and not isinstance(n, int))
                    for n in numbers
                )
            ):
                form = "Int(0, 9)" if whole else f"{called}(0.0, 1.0)"
                self.out.add(
                    "E308",
                    node,
                    f"{called} needs a range of two {'whole ' if whole else ''}numbers",
                    f"write {form}",
                )
                numbers = [0, 1]
            low, high = cast(list[float], numbers)
            if not low < high or max(abs(low), abs(high)) > 1e6:
                self.out.add("E308", node, "a range needs low < high, within ±1e6")
                low, high = 0, 1
            return {"Int": INT, "Float": FLOAT, "Vec2": VEC2}[called], Range(low, high)
        if called in self.found.enums and call is None:
            return enum_type(called), None
        known = [
            "Bool",
            "Int",
            "Float",
            "Pos",
            "Dir",
            "Vec2",
            "Grid",
            "Array",
            "Table",
            "Players",
            "Hidden",
            *self.found.enums,
        ]
        near = nearest_name(called, known)
        self.out.add(
            "E201",
            node,
            f"unknown type {called or '(expression)'}",
            f"did you mean {near}?" if near else "types: " + ", ".join(known),
        )
        return None

    def grid(
        self, name: str, args: list[ast.expr], call: ast.Call | None, value: ast.expr | None
    ) -> Field | None:
        if call is None or len(args) != 1:
            self.out.add(
                "E309", call or args[0], "Grid takes one type", "Grid(Tile, outside=Tile.WALL)"
            )
            return None
        given = self.options(call, ("outside",))
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        if type_.kind not in ("Bool", "Int", "Float", "Enum"):
            self.out.add(
                "E301", args[0], f"a grid holds Bool, Int, Float or an enum, not {type_.kind}"
            )
            return None
        outside = self.value(given.get("outside"), type_, bounds)
        return Field(
            name,
            Grid(type_),
            bounds,
            init=self.value(value, type_, bounds),
            outside=cast(Plain, outside),
        )

    def array(
        self, name: str, args: list[ast.expr], call: ast.Call | None, value: ast.expr | None
    ) -> Field | None:
        if call is None or len(args) != 2:
            self.out.add(
                "E309",
                call or args[0],
                "Array takes a type and a length or an enum",
                "Array(Int(0, 9), Item)",
            )
            return None
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        length, index = self.length(args[1])
        return Field(
            name, Array(type_, length, index), bounds, init=self.value(value, type_, bounds)
        )

    def length(self, node: ast.expr) -> tuple[int, str]:
        if isinstance(node, ast.Name) and node.id in self.found.enums:
            return len(self.found.enums[node.id].members), node.id
        length = constant(node)
        if length is None and isinstance(node, ast.Name):
            length = self.found.constants.get(node.id)
        if not isinstance(length, int) or isinstance(length, bool) or not 1 <= length <= MAX_LENGTH:
            self.out.add("E308", node, f"a length from 1 to {MAX_LENGTH} or an enum is needed")
            return 1, ""
        return length, ""

    def seats(
        self, name: str, args: list[ast.expr], call: ast.Call | None, value: ast.expr | None
    ) -> Field | None:
        if call is None or len(args) != 1:
            self.out.add("E309", call or args[0], "Players takes one type", "Players(Pos)")
            return None
        scalar = self.scalar(args[0])
        if scalar is None:
            return None
        type_, bounds = scalar
        players = self.found.game.players if self.found.game else 1
        if players < 2:
            self.out.add(
                "E308", call, "Players needs a game of two players or more", "Game(..., players=2)"
            )
        return Field(
            name,
            Array(type_, max(players, 1)),
            bounds,
            init=self.value(value, type_, bounds),
            players=True,
        )

    def table(self, name: str, args: list[ast.expr], node: ast.expr) -> Field | None:
        capacity = constant(args[1]) if len(args) == 2 else None
        if len(args) == 2 and capacity is None and isinstance(args[1], ast.Name):
            capacity = self.found.constants.get(args[1].id)
        row = args[0].id if args and isinstance(args[0], ast.Name) else ""
        if row not in self.found.rows:
            near = nearest_name(row, self.found.rows)
            self.out.add(
                "E201",
                node,
                f"unknown row type {row or '(expression)'}",
                f"did you mean {near}?" if near else "declare class Bat(Row) first",
            )
            return None
        if (
            not isinstance(capacity, int)
            or isinstance(capacity, bool)
            or not 1 <= capacity <= MAX_ROWS
        ):
            self.out.add(
                "E308", node, f"a table needs a capacity from 1 to {MAX_ROWS}", f"Table({row}, 4)"
            )
            capacity = 1
        return Field(name, TableRef(row), capacity=capacity)

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
        plain = constant(node)
        if plain is None and isinstance(node, ast.Name):
            plain = self.found.constants.get(node.id)
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
            case "Pos" | "Vec2" if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == type_.kind
            ):
                parts = [constant(a) for a in node.args]
                whole = type_.kind == "Pos"
                if len(parts) == 2 and all(
                    isinstance(p, int if whole else int | float) and not isinstance(p, bool)
                    for p in parts
                ):
                    pair = cast(list[float], parts)
                    return (pair[0], pair[1]) if whole else (float(pair[0]), float(pair[1]))
        what = f"{type_.kind}({low:g}, {high:g})" if bounds else (type_.enum or type_.kind)
        self.out.add("E301", node, f"the initial value must be a constant {what}")
        return self.value(None, type_, bounds)


def _text(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _assigned(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return None


def _head(node: ast.expr) -> tuple[str, list[ast.expr], ast.Call | None]:
    """``Name`` or ``Name(args…)`` → (name, args, the call or None); else ("", [], None)."""
    match node:
        case ast.Name(id=name):
            return name, [], None
        case ast.Call(func=ast.Name(id=name), args=args):
            return name, args, node
    return "", [], None
