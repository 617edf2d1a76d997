"""What stands for a value at one place in a program, by type: names, calls, cells of grids.

Each has the rule of its type: ``bool``, ``int``, ``num`` (Int or Float), ``pos``, ``dir``, ``vec``,
``e0``, ``e1`` … (enums in order), and with ``g`` before it the grids of these. Calls come from the
signatures of the builtin table.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from envs_dsl.language.builtins import BUILTINS, Builtin
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.ebnf import Expr, choice, many, maybe, words
from envs_dsl.language.grammar.rule_sets import inner
from envs_dsl.language.grammar.sofar import Helper
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.language.resolve import Form, forms
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POISON,
    POS,
    VEC2,
    Array,
    Grid,
    Scalar,
    TableRef,
    Type,
)
from envs_dsl.language.vocabulary import DIRS, TAGS

__all__ = ["ON_GRIDS", "Atoms", "key_of"]

ON_GRIDS = ("bool", "int", "num")
"""Rules of plain values that grids hold, besides enums."""

_KEYS = {BOOL: "bool", INT: "int", FLOAT: "num", POS: "pos", DIR: "dir", VEC2: "vec"}
_WORDS = {"Bool": "bool", "Int": "int", "Float": "num", "Pos": "pos", "Dir": "dir", "Vec2": "vec"}


def key_of(type_: Type, enums: list[str]) -> str | None:
    """The rule of a type; None for tables, arrays and what is not known."""
    match type_:
        case Scalar(kind="Enum", enum=name):
            return f"e{enums.index(name)}" if name in enums else None
        case Scalar():
            return _KEYS.get(type_)
        case Grid(elem=elem):
            inner = key_of(elem, enums)
            return f"g{inner}" if inner else None
    return None


@dataclasses.dataclass
class Atoms:
    """What there is at one place.

    Attributes:
      declared, scope, helpers: what it is taken from.
      short: numbers of few digits, as a model should write them; else all numbers.
      enums: names in order. scalars: the rules of plain values.
      live: what changes, by rule. fixed: what is known before the program runs.
    """

    declared: Declarations
    scope: Scope
    helpers: tuple[Helper, ...] = ()
    short: bool = False

    def __post_init__(self) -> None:
        self.enums = list(self.declared.enums)
        self.scalars = ["bool", "int", "num", "pos", "dir", "vec"]
        self.scalars += [f"e{i}" for i in range(len(self.enums))]
        self.live: dict[str, list[Expr]] = {}
        self.fixed: dict[str, list[Expr]] = {}
        self._constants()
        self._state()
        self._locals()
        self._calls()

    def add(self, key: str | None, *atoms: Expr, fixed: bool = False) -> None:
        if key is not None:
            (self.fixed if fixed else self.live).setdefault(key, []).extend(atoms)

    def key(self, type_: Type) -> str | None:
        return key_of(type_, self.enums)

    def named(self, alias: str) -> list[str]:
        """The names that stand for ``s``, ``act`` or ``acts`` here."""
        return [name for name, stands in self.scope.aliases.items() if stands == alias]

    def _constants(self) -> None:
        for i, enum in enumerate(self.enums):
            members = self.declared.enums[enum].members
            self.add(f"e{i}", *(f"{enum}.{m}" for m in members), fixed=True)
        self.add("dir", *DIRS, fixed=True)
        for name, value in self.declared.constants.items():
            kind = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else FLOAT
            self.add(self.key(kind), name, fixed=True)
        for name, node in self.declared.values.items():
            key = _value_key(node, self.enums)
            self.add(key, name, fixed=True)
        for name, param in self.declared.params.items():
            self.add("int" if param.is_int else "num", name)

    def _state(self) -> None:
        game = self.declared.game
        alternate = game is not None and game.turns == "alternate"
        for s in self.named("s"):
            self.add("int", f"{s}.t", *([f"{s}.turn"] if alternate else []))
            for field in self.declared.fields.values():
                self._holder(f"{s}.{field.name}", field.type)
        verbs = game.verbs if game else ()
        for act in self.named("act"):
            self.add("dir", f"{act}.move")
            self.add("bool", *(f"{act}.{verb}" for verb in verbs))
        for acts in self.named("acts"):
            seat = (f"{acts}[", inner("int"), "]")
            self.add("dir", (*seat, ".move"))
            if verbs:
                self.add("bool", (*seat, ".", words(verbs)))

    def _locals(self) -> None:
        for name in self.scope.tree_names:
            if name in self.scope.assigned:
                self._holder(name, self.scope.types[name])
        for row, (_, table) in self.scope.rows.items():
            for column in self._columns(table):
                self._holder(f"{row}.{column.name}", column.type)

    def _columns(self, table: str) -> tuple:
        type_ = self.declared.fields[table].type
        assert isinstance(type_, TableRef)
        row = self.declared.rows.get(type_.row_type)
        return row.columns if row else ()

    def _holder(self, text: str, type_: Type) -> None:
        """Something that holds a value, by its text."""
        if isinstance(type_, Array):
            index = f"e{self.enums.index(type_.index)}" if type_.index in self.enums else "int"
            self.add(self.key(type_.elem), (f"{text}[", inner(index), "]"))
        elif type_ == POISON:
            self._unknown(text)
        elif type_ == Grid(FLOAT):
            self.add("gfloat", text)
        else:
            self.add(self.key(type_), text)

    def _unknown(self, text: str) -> None:
        """A parameter of a helper, whatever it will be: it stands for every type."""
        for key in self.scalars:
            self.add(key, text)
            if key in ON_GRIDS or key.startswith("e"):
                self.add("gfloat" if key == "num" else f"g{key}", text)
            index = choice(*(inner(k) for k in ("int", "pos", *self.scalars[6:])))
            self.add(key, (f"{text}[", index, "]"))
        columns = {c.name: c.type for row in self.declared.rows.values() for c in row.columns}
        for name, type_ in columns.items():
            self.add(self.key(type_), (text, f".{name}"))

    # --- calls ----------------------------------------------------------------------------------

    def _calls(self) -> None:
        for row in BUILTINS:
            if row.name in NAMES_AS_CALLS:
                self.add("gint" if row.name in ("ROW", "COL") else "gbool", row.name)
            elif not row.effect:
                for form in forms(row):
                    for key, args in self._instances(row, form):
                        # a vector of plain numbers is a value like any other
                        self.add(key, self._call(row, args))
        game = self.declared.game
        if game is None or game.players < 2:
            self.live["int"] = [a for a in self.live["int"] if not _calls_to(a, "opponent")]
        for helper in self.helpers:
            self._helper(helper)

    def _helper(self, helper: Helper) -> None:
        args: list[Expr] = []
        for arg in helper.args:
            if isinstance(arg, str):
                names = self.named(arg)
                if not names:
                    return
                args.append(words(names))
            elif isinstance(arg, Array):
                names = [
                    f"{s}.{f.name}"
                    for s in self.named("s")
                    for f in self.declared.fields.values()
                    if f.type == arg
                ]
                if not names:
                    return
                args.append(words(names))
            elif isinstance(arg, TableRef):
                return
            else:
                args.append(inner(str(self.key(arg))))
        result = self.key(helper.result)
        self.add("gfloat" if helper.result == Grid(FLOAT) else result, _called(helper.name, args))

    def _call(self, row: Builtin, args: list[Expr]) -> Expr:
        more = (many(", ", args[-1]),) if row.variadic and not self.short else ()
        if row.variadic and self.short:
            more = (maybe(", ", args[-1]),)
        return _called(row.name, args, more)

    def _instances(self, row: Builtin, form: Form) -> Iterator[tuple[str, list[Expr]]]:
        """(rule of the result, arguments) for every choice of the pattern words of a signature."""
        patterns = [p.removeprefix("Grid(").removesuffix(")") for p in form.params]
        if "Num" in patterns or form.result == "Num":
            variants: list[str] = ["int", "num"]
        elif "T" in patterns:
            whole = any(p.startswith("Grid(") for p in form.params) or form.result == "Grid(T)"
            numbers = not any("Num" in p for f in forms(row) for p in f.params)
            variants = [
                k
                for k in self.scalars
                if (numbers or k not in ("int", "num"))
                and (not whole or k in ON_GRIDS or k.startswith("e"))
            ]
        elif "E" in patterns or form.result == "Grid(E)":
            variants = self.scalars[6:]
        else:
            variants = [""]
        for variant in variants:
            if row.name == "paint":
                enum = self.enums[int(variant[1:])]
                names = [n for n, d in self.declared.layouts.items() if d.enum == enum]
                if names:
                    yield f"g{variant}", [words(names)]
                continue
            args = [self._argument(row, p, variant) for p in form.params]
            if any(a is None for a in args):
                continue
            plain = [a for a in args if a is not None]
            result = self._pattern(form.result, variant)
            if row.name == "alive" or form.result in ("Grid(Float)",):
                result = "gfloat" if form.result == "Grid(Float)" else result
            yield result, plain
            if row.lift:
                keys = [self._pattern(p, variant) for p in form.params]
                for first in range(len(keys)):
                    mixed = [
                        inner(k)
                        if i < first
                        else inner(f"g{k}")
                        if i == first
                        else choice(inner(k), inner(f"g{k}"))
                        for i, k in enumerate(keys)
                        if k in ON_GRIDS or k.startswith("e")
                    ]
                    if len(mixed) == len(keys) and (result in ON_GRIDS or result.startswith("e")):
                        yield f"g{result}", mixed

    def _pattern(self, pattern: str, variant: str) -> str:
        inner = pattern.removeprefix("Grid(").removesuffix(")")
        key = variant if inner in ("Num", "T", "E") else _WORDS.get(inner, inner)
        if pattern.startswith("Grid("):
            return "gfloat" if inner == "Float" else f"g{key}"
        return key

    def _argument(self, row: Builtin, pattern: str, variant: str) -> Expr | None:
        match pattern:
            case "Const":
                most = 9 if row.name == "rooms" else 64
                constants = [
                    name
                    for name, v in self.declared.constants.items()
                    if type(v) is int and 1 <= v <= most
                ]
                return words([*map(str, range(1, most + 1)), *constants])
            case "Tag":
                return words([f'"{tag}"' for tag in TAGS])
            case "Row":
                return words(self.scope.rows) if self.scope.rows else None
            case "Table":
                names = list(self.tables(standing=row.name != "count_alive"))
                return words(names) if names else None
        return inner(self._pattern(pattern, variant))

    def tables(self, *, standing: bool = False) -> Iterator[str]:
        """Tables by their text; with ``standing`` those whose rows have a place."""
        for s in self.named("s"):
            for field in self.declared.fields.values():
                if isinstance(field.type, TableRef):
                    columns = self._columns(field.name)
                    if not standing or any(c.type == POS for c in columns):
                        yield f"{s}.{field.name}"


def _called(name: str, args: list[Expr], more: tuple[Expr, ...] = ()) -> Expr:
    parts: list[Expr] = []
    for i, arg in enumerate(args):
        parts += [", ", arg] if i else [arg]
    return (f"{name}(", *parts, *more, ")")


def _calls_to(atom: Expr, name: str) -> bool:
    return isinstance(atom, tuple) and bool(atom) and atom[0] == f"{name}("


def _value_key(node: object, enums: list[str]) -> str | None:
    """The rule of a named place, vector, direction or member."""
    match node:
        case ast.Name():
            return "dir"
        case ast.Call(func=ast.Name(id=name)):
            return {"Pos": "pos", "Vec2": "vec"}.get(name)
        case ast.Attribute(value=ast.Name(id=name)) if name in enums:
            return f"e{enums.index(name)}"
    return None
