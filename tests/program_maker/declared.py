"""What a random program declares: game, parameters, enums, rows, fields."""

from __future__ import annotations

import dataclasses
import random

from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Array,
    Grid,
    Scalar,
    TableRef,
    Type,
    enum_type,
)
from envs_dsl.language.vocabulary import COLORS, DIRS, TAGS, VERBS

__all__ = ["Declared", "Member", "declare", "literal"]

INT_RANGES = ((0, 9), (-5, 5), (0, 1), (-20, 99), (2, 7), (-100000, 100000))
FLOAT_RANGES = ((0.0, 1.0), (-5.0, 5.0), (0.5, 20.0), (-100.0, -1.0))
INTS = (0, 1, 2, 3, 4, 5, 7, 9, -1, -2, -3)
FLOATS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.75, -0.5, -1.0, -2.25, 0.1, 0.7)
EXTREMES = (2147483647, -2147483648, 65536, 1000000, -46341)
SIZES = ((3, 5), (5, 4), (5, 4), (7, 7))
"""Few, so that operations that JAX has compiled for one program serve others."""
GLYPHS = ".#@*%&+=?"


@dataclasses.dataclass(frozen=True)
class Member:
    """A field of State, or a column of a row, with its declaration as text."""

    name: str
    type: Type
    text: str
    players: bool = False
    capacity: int = 0


@dataclasses.dataclass
class Declared:
    """``head`` is the text above ``def reset``; the rest is what functions may name.

    ``floats``: whether the program computes with floats at all.
    """

    head: str
    size: tuple[int, int]
    players: int
    alternate: bool
    contest: bool
    verbs: list[str]
    params: dict[str, Scalar]
    constants: dict[str, Scalar]
    enums: dict[str, list[str]]
    layouts: dict[str, str]
    rows: dict[str, list[Member]]
    fields: list[Member]
    floats: bool

    def table_columns(self, field: Member) -> list[Member]:
        assert isinstance(field.type, TableRef)
        return self.rows[field.type.row_type]


def literal(rng: random.Random, type_: Scalar, enums: dict[str, list[str]]) -> str:
    """A value of a scalar type, written out."""
    match type_.kind:
        case "Bool":
            return rng.choice(("True", "False"))
        case "Int":
            return str(rng.choice(INTS if rng.random() < 0.97 else EXTREMES))
        case "Float":
            return repr(rng.choice(FLOATS) if rng.random() < 0.98 else rng.choice((1e20, 1e-30)))
        case "Enum":
            return f"{type_.enum}.{rng.choice(enums[type_.enum])}"
        case "Pos":
            return f"Pos({rng.randint(-1, 6)}, {rng.randint(-1, 6)})"
        case "Dir":
            return rng.choice(DIRS)
    return f"Vec2({rng.choice(FLOATS)}, {rng.choice(FLOATS)})"


def declare(rng: random.Random) -> Declared:
    """Declarations, at random."""
    return _Declarer(rng).declared()


class _Declarer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.floats = rng.random() < 0.7
        self.room = 14  # how much of the observation may still be used
        self.seen: set[str] = set()  # kinds of grids that are observed

    def declared(self) -> Declared:
        rng = self.rng
        size = rng.choice(SIZES)
        players = rng.choice((1, 1, 1, 1, 1, 2, 2, 2, 3, 4))
        alternate = players > 1 and rng.random() < 0.4
        contest = players > 1 and rng.random() < 0.5
        verbs = rng.sample(VERBS, rng.randint(0, 3))
        game = f"game = Game(size={size}, max_steps={rng.randint(2, 12)}"
        if players > 1:
            game += f", players={players}"
        if rng.random() < 0.25:
            game += ', camera="board"'
        if alternate:
            game += ', turns="alternate"'
        if verbs:
            game += f", verbs=[{', '.join(map(repr, verbs))}]".replace("'", '"')
        parts = ['"""Do whatever this random program asks for."""', game + ")"]
        params = {f"P{i}": rng.choice((INT, FLOAT)) for i in range(rng.randint(0, 2))}
        for name, type_ in params.items():
            numbers = "3, -2, 9" if type_ == INT else "0.5, 0.0, 2.0"
            harder = rng.choice(("", ', harder="up"', ', harder="down"'))
            parts.append(f"{name} = Param({numbers}{harder})")
        constants = {f"N{i}": rng.choice((INT, FLOAT)) for i in range(rng.randint(0, 2))}
        parts += [f"{n} = {literal(rng, type_, {})}" for n, type_ in constants.items()]
        enums, glyphs = self.enums(parts)
        layouts: dict[str, str] = {}
        for i in range(rng.choice((0, 0, 1, 1, 2))):
            enum = rng.choice(list(enums))
            lines = ["".join(rng.choices(glyphs[enum], k=size[1])) for _ in range(size[0])]
            drawn = {c for line in lines for c in line}
            owner = next(e for e in enums if drawn <= set(glyphs[e]))
            layouts[f"LEVEL{i}"] = owner
            parts.append(f'LEVEL{i} = Layout("""\n' + "\n".join(lines) + '\n""")')
        rows: dict[str, list[Member]] = {}
        for i in range(rng.choice((0, 1, 1, 2))):
            columns = [self.scalar(f"c{k}", enums) for k in range(rng.randint(1, 3))]
            if rng.random() < 0.9:
                columns.append(Member("pos", POS, "pos: Pos"))
            rng.shuffle(columns)
            rows[f"Thing{i}"] = columns
            parts.append(f"class Thing{i}(Row):\n" + _lines([c.text for c in columns]))
        fields = self.fields(players, enums, rows)
        parts.append("class State:\n" + _lines([f.text for f in fields]))
        return Declared(
            "\n\n".join(parts),
            size,
            players,
            alternate,
            contest,
            verbs,
            params,
            constants,
            enums,
            layouts,
            rows,
            fields,
            self.floats,
        )

    def enums(self, parts: list[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
        rng = self.rng
        enums: dict[str, list[str]] = {}
        glyphs: dict[str, str] = {}
        for name in ("Tile", "Item")[: rng.randint(1, 2)]:
            count = rng.randint(2, 4)
            enums[name] = [f"{name[0]}{i}" for i in range(count)]
            glyphs[name] = "".join(rng.sample(GLYPHS, count))
            colors = rng.sample(COLORS, count)
            looks = []
            for member, glyph, color in zip(enums[name], glyphs[name], colors):
                tags = [f", {tag}=True" for tag in rng.sample(TAGS, rng.choice((0, 0, 1, 2)))]
                looks.append(f'{member} = Look("{glyph}", "{color}"{"".join(tags)})')
            parts.append(f"class {name}(Enum):\n" + _lines(looks))
        return enums, glyphs

    def scalar_type(self, enums: dict[str, list[str]], *, grid: bool = False) -> tuple[Scalar, str]:
        """A scalar type, and how it is declared."""
        rng = self.rng
        kinds = ("Bool", "Int", "Int", "Float", "Enum")
        kind = rng.choice(kinds if grid else (*kinds, "Pos", "Dir", "Vec2"))
        if kind in ("Float", "Vec2") and not self.floats:
            kind = "Int"
        match kind:
            case "Int":
                return INT, "Int({}, {})".format(*rng.choice(INT_RANGES[: 3 if grid else 6]))
            case "Float":
                return FLOAT, "Float({}, {})".format(*rng.choice(FLOAT_RANGES))
            case "Vec2":
                return VEC2, rng.choice(("Vec2(-4.0, 4.0)", "Vec2(-1.0, 0.5)"))
            case "Enum":
                name = rng.choice(list(enums))
                return enum_type(name), name
        return {"Bool": BOOL, "Pos": POS, "Dir": DIR}[kind], kind

    def scalar(self, name: str, enums: dict[str, list[str]]) -> Member:
        type_, text = self.scalar_type(enums)
        if type_.kind == "Enum" and self.rng.random() < 0.3:
            return Member(name, type_, f"{name}: {text} = {literal(self.rng, type_, enums)}")
        initial = {"Bool": "True", "Pos": "Pos(2, 1)", "Dir": "UP"}.get(type_.kind)
        if initial and self.rng.random() < 0.3:
            return Member(name, type_, f"{name}: {text} = {initial}")
        return Member(name, type_, f"{name}: {text}")

    def fields(
        self, players: int, enums: dict[str, list[str]], rows: dict[str, list[Member]]
    ) -> list[Member]:
        rng = self.rng
        fields = [self.hidden(self.scalar(f"f{i}", enums), 1) for i in range(rng.randint(3, 6))]
        for i in range(rng.choice((1, 1, 2))):
            type_, text = self.scalar_type(enums, grid=True)
            outside = ""
            if type_.kind in ("Bool", "Enum") and rng.random() < 0.6:
                outside = f", outside={literal(rng, type_, enums)}"
            field = Member(f"g{i}", Grid(type_), f"g{i}: Grid({text}{outside})")
            kind = "number" if type_ in (INT, FLOAT) else type_.kind
            fields.append(self.hidden(field, 99 if kind in self.seen else 0))
            self.seen.add(kind)
        for i in range(rng.choice((0, 1, 2))):
            type_, text = self.scalar_type(enums)
            name, form = f"a{i}", rng.random()
            if form < 0.3:
                enum = rng.choice(list(enums))
                array = Array(type_, len(enums[enum]), enum)
                fields.append(self.hidden(Member(name, array, f"{name}: Array({text}, {enum})"), 4))
            elif form < 0.6 and players > 1:
                array = Array(type_, players)
                member = Member(name, array, f"{name}: Players({text})", players=True)
                fields.append(self.hidden(member, players))
            else:
                length = rng.choice((1, 3))
                member = Member(name, Array(type_, length), f"{name}: Array({text}, {length})")
                fields.append(self.hidden(member, length))
        for i in range(rng.choice((1, 1, 2)) if rows else 0):
            row, capacity = rng.choice(list(rows)), rng.choice((1, 2, 4))
            text = f"t{i}: Table({row}, {capacity})"
            member = Member(f"t{i}", TableRef(row), text, capacity=capacity)
            fields.append(self.hidden(member, capacity * (len(rows[row]) + 1)))
        rng.shuffle(fields)
        return fields

    def hidden(self, member: Member, slots: int) -> Member:
        """The field, hidden where the observation has no room for it (or by chance)."""
        self.room -= slots
        if self.room >= 0 and self.rng.random() < 0.8:
            return member
        self.room += slots
        name, _, rest = member.text.partition(": ")
        kind, equals, value = rest.partition(" = ")
        return dataclasses.replace(member, text=f"{name}: Hidden({kind}){equals}{value}")


def _lines(lines: list[str]) -> str:
    return "\n".join("    " + line for line in lines)
