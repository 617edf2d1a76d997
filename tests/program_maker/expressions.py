"""Random expressions of a given type, as text."""

from __future__ import annotations

import dataclasses
import random
import re

from envs_dsl.language.builtins import TABLE, Builtin
from envs_dsl.language.names import NAMES_AS_CALLS
from envs_dsl.language.resolve import Form, forms
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
from envs_dsl.language.vocabulary import TAGS

from .declared import Declared, Member, literal

__all__ = ["Expressions", "Helper", "Scope"]

SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "eq": "==",
    "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "and", "or": "or",
}  # fmt: skip
PLAIN = {"Bool": BOOL, "Int": INT, "Float": FLOAT, "Pos": POS, "Dir": DIR, "Vec2": VEC2}
RARE = (
    "at", "rect", "disk", "neighbors4", "neighbors8", "occupied", "flood", "distance", "maze",
    "rooms", "cave", "carve", "chance_grid", "randint_grid", "pick_grid", "EVERYWHERE", "NOWHERE",
)  # fmt: skip
"""They give grids of one type and of no other, and so are asked for less often."""
HEAVY = ("flood", "distance", "maze", "rooms", "cave", "carve", "occupied", "neighbors8")
CHANGING = re.compile(
    r"\b(s|act|acts|[bk]\d+)[.\[]|\b[vb]\d+\b|\bP\d\b|\bh\d+\(|\b(ROW|COL|BORDER)\b"
    r"|\b(rand|randint|random_\w+|chance|chance_grid|uniform|normal|pick)\("
)
TAME = ("sin", "cos", "exp", "unit", "rotate", "tanh")
"""Of a large number these would say nothing: float32 does not know it well enough."""


@dataclasses.dataclass(frozen=True)
class Helper:
    """A helper function: ``params`` are types, "s", "act", or a table's name for a row of it."""

    name: str
    params: tuple[Type | str, ...]
    result: Type


@dataclasses.dataclass
class Scope:
    """What may be named at a place.

    Attributes:
      function: "reset", "step", "view" or "helper".
      values: names of locals (and loop variables) that are assigned, with their types.
      fixed: those of them that cannot be assigned to.
      rows: row variables with their table.
      s, act: how state and action are called ("" not at all).
      trips: how often the place runs in one step.
      loops, level: how many loops, and blocks, are around it.
    """

    function: str
    values: dict[str, Type] = dataclasses.field(default_factory=dict)
    fixed: set[str] = dataclasses.field(default_factory=set)
    rows: dict[str, Member] = dataclasses.field(default_factory=dict)
    s: str = "s"
    act: str = ""
    trips: int = 1
    loops: int = 0
    level: int = 0

    def inner(self) -> Scope:
        """The same place inside a block: what is assigned there is not known after it."""
        return dataclasses.replace(
            self,
            values=dict(self.values),
            fixed=set(self.fixed),
            rows=dict(self.rows),
            level=self.level + 1,
        )


class Expressions:
    """Makes expressions; ``unread`` and ``untold`` keep what the program has still to mention.

    Attributes:
      liked: builtins that this program uses more than others.
    """

    def __init__(self, rng: random.Random, declared: Declared) -> None:
        self.rng, self.declared = rng, declared
        self.helpers: list[Helper] = []
        self.unread = {f.name for f in declared.fields}
        self.untold = {*declared.params, *declared.layouts, *declared.verbs}
        usable = [r.name for r in TABLE.values() if not r.effect and r.name != "alive"]
        self.liked = set(rng.sample(usable, 8))
        enums = [enum_type(name) for name in declared.enums]
        self.scalars: list[Scalar] = [BOOL, INT, POS, DIR, *enums]
        if declared.floats:
            self.scalars += [FLOAT, VEC2]

    # --- types ---

    def any_scalar(self) -> Scalar:
        return self.rng.choice([*self.scalars, BOOL, INT, self.number()])

    def any_type(self) -> Type:
        """A scalar, or now and then a grid."""
        if self.rng.random() < 0.75:
            return self.any_scalar()
        return Grid(self.rng.choice((BOOL, BOOL, INT, INT, self.number(), *self.scalars)))

    def number(self) -> Scalar:
        return self.rng.choice((INT, FLOAT)) if self.declared.floats else INT

    # --- expressions ---

    def expr(self, type_: Type, scope: Scope, depth: int) -> str:
        """An expression of that very type."""
        exact = not self.declared.floats and type_ in (FLOAT, VEC2, Grid(FLOAT), Grid(VEC2))
        if depth <= 0 or exact or isinstance(type_, Array) or self.rng.random() < 0.3:
            return self.leaf(type_, scope)
        if self.rng.random() < 0.15:
            called = self.helper_call(type_, scope, depth)
            if called:
                return called
        found = self.producers(type_, scope)
        if not found:
            return self.leaf(type_, scope)
        weights = [
            (8 if row.name in self.liked else 1) * (4 if row.name in RARE else 1)
            for row, _, _ in found
        ]
        row, form, lifted = self.rng.choices(found, weights)[0]
        return self.call(row, form, type_, scope, depth - 1, lifted=lifted)

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """A Bool that is not constant."""
        for _ in range(20):
            before = set(self.unread), set(self.untold)
            text = self.expr(BOOL, scope, depth)
            if CHANGING.search(text):
                return text
            self.unread, self.untold = before
        return "rand() < 0.5"

    def producers(self, type_: Type, scope: Scope) -> list[tuple[Builtin, Form, bool]]:
        """Builtins that give the type: row, form, and whether it is lifted to grids."""
        found = []
        for row in TABLE.values():
            if row.effect or row.name in ("alive", "to_float") or not self.fits_here(row, scope):
                continue
            for form in forms(row):
                if _gives(form.result, type_) and self.possible(form, type_, scope):
                    found.append((row, form, False))
                elif row.lift and isinstance(type_, Grid) and _gives(form.result, type_.elem):
                    found.append((row, form, True))
        return found

    def fits_here(self, row: Builtin, scope: Scope) -> bool:
        return row.name not in HEAVY or scope.trips <= 4

    def possible(self, form: Form, type_: Type, scope: Scope) -> bool:
        """Whether there is something to give for its parameters."""
        if "Table" in form.params:
            return bool(self.places()) and bool(scope.s)
        if "Layout" in form.params:
            assert isinstance(type_, Grid)
            return type_.elem.enum in self.declared.layouts.values()
        return True

    def places(self) -> list[Member]:
        """Tables whose rows stand somewhere."""
        return [
            field
            for field in self.declared.fields
            if isinstance(field.type, TableRef)
            and any(c.type == POS for c in self.declared.table_columns(field))
        ]

    def call(
        self, row: Builtin, form: Form, type_: Type, scope: Scope, depth: int, *, lifted: bool
    ) -> str:
        """A call of a builtin with random arguments."""
        params = list(form.params)
        while row.variadic and len(params) < 4 and self.rng.random() < 0.25:
            params.append(params[-1])
        number = type_.elem if lifted and isinstance(type_, Grid) else type_
        if form.result != "Num":
            number = self.number()
        numbers = [i for i, p in enumerate(params) if p == "Num"]
        kept = self.rng.choice(numbers) if numbers else -1  # this one is of the type itself
        bound = self.bound(form, type_, lifted=lifted)
        grids = [lifted and self.rng.random() < 0.5 for _ in params]
        can_be = [i for i, p in enumerate(params) if p not in ("Tag", "Const")]
        if lifted:
            grids[self.rng.choice(can_be)] = True
        args = []
        for i, pattern in enumerate(params):
            wanted: Type
            match pattern:
                case "Num":
                    mixed = number == FLOAT and i != kept and self.rng.random() < 0.3
                    wanted = INT if mixed else number
                case "T":
                    wanted = bound
                case "E":
                    wanted = self.rng.choice([t for t in self.scalars if t.kind == "Enum"])
                case "Grid(T)":
                    wanted = Grid(bound)
                case "Const":
                    args.append(str(self.rng.randint(1, 9)))
                    continue
                case "Tag":
                    args.append(f'"{self.rng.choice(TAGS)}"')
                    continue
                case "Layout":
                    assert isinstance(type_, Grid)
                    layouts = self.declared.layouts.items()
                    name = self.rng.choice([n for n, e in layouts if e == type_.elem.enum])
                    self.untold.discard(name)
                    args.append(name)
                    continue
                case "Table":
                    table = self.rng.choice(self.places())
                    self.unread.discard(table.name)
                    args.append(f"{scope.s}.{table.name}")
                    continue
                case "Grid(Bool)" | "Grid(Int)" | "Grid(Float)":
                    wanted = Grid(PLAIN[pattern[5:-1]])
                case _:
                    wanted = PLAIN[pattern]
                    if wanted == FLOAT and self.rng.random() < 0.15:
                        wanted = INT
            if grids[i]:
                assert isinstance(wanted, Scalar)
                wanted = Grid(wanted)
            if row.name == "if_else" and i == 0:
                args.append(self.condition(scope, depth))
            else:
                args.append(self.expr(wanted, scope, 0 if row.name in TAME else depth))
        return self.written(row.name, args)

    def bound(self, form: Form, type_: Type, *, lifted: bool) -> Scalar:
        """What ``T`` stands for."""
        if form.result in ("T", "Grid(T)"):
            assert not isinstance(type_, TableRef)
            return type_ if isinstance(type_, Scalar) else type_.elem
        return self.any_scalar()

    @staticmethod
    def written(name: str, args: list[str]) -> str:
        if name in SYMBOLS:
            return f"({args[0]} {SYMBOLS[name]} {args[1]})"
        if name == "neg":
            return f"(-{args[0]})"
        if name == "not":
            return f"(not {args[0]})"
        if name == "if_else":
            return f"({args[1]} if {args[0]} else {args[2]})"
        return name if name in NAMES_AS_CALLS else f"{name}({', '.join(args)})"

    def helper_call(self, type_: Type, scope: Scope, depth: int) -> str:
        """A call of a helper with that result; "" where there is none that fits here."""
        fitting = [h for h in self.helpers if h.result == type_ and scope.trips <= 16]
        self.rng.shuffle(fitting)
        for helper in fitting:
            before = set(self.unread), set(self.untold)
            args = [self.argument(param, scope, depth - 2) for param in helper.params]
            if "" not in args:
                return f"{helper.name}({', '.join(args)})"
            self.unread, self.untold = before
        return ""

    def argument(self, param: Type | str, scope: Scope, depth: int) -> str:
        if param == "s":
            return scope.s
        if param == "act":
            return scope.act if scope.function != "view" else ""
        if isinstance(param, str):
            return next((row for row, table in scope.rows.items() if table.name == param), "")
        return self.expr(param, scope, depth)

    # --- leaves ---

    def leaf(self, type_: Type, scope: Scope) -> str:
        """A name or a literal, with an index or a part at most."""
        named = self.named(type_, scope)
        if named and (isinstance(type_, Array) or self.rng.random() < 0.75):
            return self.read(self.rng.choice(named))
        match type_:
            case Scalar():
                return literal(self.rng, type_, self.declared.enums)
            case Grid(elem=elem) if elem == INT:
                return self.rng.choice(("ROW", "COL"))
            case Grid(elem=elem) if elem == BOOL:
                return self.rng.choice(("BORDER", "(ROW > COL)", "(COL == 1)"))
            case Grid(elem=elem) if elem == FLOAT:
                return "where(BORDER, 0.5, 2.0)" if not self.declared.floats else "(0.5 * COL)"
            case Grid(elem=elem):
                one, two = (literal(self.rng, elem, self.declared.enums) for _ in range(2))
                return f"where({self.rng.choice(('BORDER', '(ROW == 1)'))}, {one}, {two})"
        return self.read(self.rng.choice(self.named(type_, scope)))

    def read(self, name: str) -> str:
        """The name itself; what it mentions is no longer to be mentioned."""
        for part in re.findall(r"\w+", name):
            self.unread.discard(part)
            self.untold.discard(part)
        return name

    def named(self, type_: Type, scope: Scope) -> list[str]:
        """Whatever has the type and a name here."""
        names = [name for name, known in scope.values.items() if known == type_]
        for known in (self.declared.params, self.declared.constants):
            names += [name for name, scalar in known.items() if scalar == type_]
        if scope.s:
            names += self.of_state(type_, scope)
        for row, table in scope.rows.items():
            columns = self.declared.table_columns(table)
            names += [f"{row}.{c.name}" for c in columns if c.type == type_]
            if type_ == BOOL:
                names.append(f"alive({row})")
        if scope.act:
            act = scope.act
            if self.declared.players > 1 and not self.declared.alternate:
                act = f"{act}[{self.seat(scope)}]"
            if type_ == DIR:
                names += [f"{act}.move"] * 3
            if type_ == BOOL:
                names += [f"{act}.{verb}" for verb in self.declared.verbs]
        if type_ in (INT, FLOAT):
            pair, parts = (POS, ("row", "col")) if type_ == INT else (VEC2, ("x", "y"))
            names += [f"{n}.{self.rng.choice(parts)}" for n in self.pairs(pair, scope)]
        return names

    def of_state(self, type_: Type, scope: Scope) -> list[str]:
        s = scope.s
        names = [f"{s}.t"] if type_ == INT else []
        if type_ == INT and self.declared.alternate:
            names.append(f"{s}.turn")
        for field in self.declared.fields:
            if field.type == type_:
                names.append(f"{s}.{field.name}")
            elif isinstance(field.type, Array | Grid) and field.type.elem == type_:
                names.append(f"{s}.{field.name}[{self.index(field.type, scope)}]")
        return names

    def pairs(self, pair: Scalar, scope: Scope) -> list[str]:
        names = [name for name, known in scope.values.items() if known == pair]
        if scope.s:
            names += [f"{scope.s}.{f.name}" for f in self.declared.fields if f.type == pair]
        return names

    def index(self, type_: Type, scope: Scope, depth: int = 0) -> str:
        """An index into a grid or array, now and then out of range."""
        if isinstance(type_, Grid):
            positions = self.pairs(POS, scope)
            if positions and self.rng.random() < 0.7:
                return self.rng.choice(positions)
            return self.expr(POS, scope, depth) if depth else literal(self.rng, POS, {})
        assert isinstance(type_, Array)
        if type_.index:
            return literal(self.rng, enum_type(type_.index), self.declared.enums)
        ints = [name for name, known in scope.values.items() if known == INT]
        if ints and self.rng.random() < 0.6:
            return self.rng.choice(ints)
        return self.expr(INT, scope, depth) if depth else str(self.rng.randint(0, type_.length))

    def seat(self, scope: Scope) -> str:
        seats = [n for n, known in scope.values.items() if known == INT and n.startswith("b")]
        if seats and self.rng.random() < 0.6:
            return self.rng.choice(seats)
        return str(self.rng.randrange(self.declared.players))


def _gives(result: str, type_: Type) -> bool:
    """Whether a form with that result can give that type."""
    match result:
        case "Num":
            return type_ in (INT, FLOAT)
        case "T":
            return isinstance(type_, Scalar)
        case "Grid(T)":
            return isinstance(type_, Grid)
        case "Grid(E)":
            return isinstance(type_, Grid) and type_.elem.kind == "Enum"
        case "Grid(Bool)" | "Grid(Int)" | "Grid(Float)":
            return type_ == Grid(PLAIN[result[5:-1]])
    return type_ == PLAIN.get(result)
