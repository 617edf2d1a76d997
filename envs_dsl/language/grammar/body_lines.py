"""The next line of a function: a rule for each kind of statement that may stand there."""

from __future__ import annotations

from envs_dsl.language.builtins import TABLE
from envs_dsl.language.cost import MAX_LOOPS
from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.ebnf import Chars, Choice, Expr, Ref, Repeat, choice, many, maybe, words
from envs_dsl.language.grammar.atoms import key_of
from envs_dsl.language.grammar.limits import Limits
from envs_dsl.language.grammar.names import new_name
from envs_dsl.language.grammar.sofar import SoFar, Spot
from envs_dsl.language.grammar.typed import Typed
from envs_dsl.language.parse import MAX_BLOCKS
from envs_dsl.language.scope import Scope
from envs_dsl.language.types import (
    BOOL,
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
from envs_dsl.language.vocabulary import COLORS, DIRS

__all__ = ["Body", "body_lines"]


def body_lines(
    known: SoFar, limits: Limits, depths: tuple[int, ...] = ()
) -> tuple[list[Expr], dict[str, Expr]]:
    """(alternatives for the next line, with its indentation and line end; the rules they use).

    ``depths`` are those that are wanted, () all. Rules carry the depth in their names, since what
    is known differs between depths.
    """
    lines: list[Expr] = []
    rules: dict[str, Expr] = _new_names(known, limits)
    shared: dict[str, str] = {}
    """What is known at a depth → the prefix of its rules: mostly the same as one deeper."""
    for spot in known.spots:
        if depths and spot.depth not in depths:
            continue
        indent = "    " * spot.depth
        if spot.follows is not None:
            other = Body(known, spot, spot.follows, limits)
            prefix = _add(other, f"at{spot.depth}e_", shared, rules)
            lines.append((indent, "elif ", Ref(f"{prefix}either"), ":\n"))
            lines.append((indent, "else:\n"))
        if not (spot.ended and limits.short):
            body = Body(known, spot, spot.scope, limits)
            statements = body.statements()
            prefix = _add(body, f"at{spot.depth}_", shared, rules)
            line = f"line_{spot.depth}"
            rules[line] = _renamed(choice(*statements), prefix)
            lines.append((indent, Ref(line), "\n"))
    return lines, rules


def _new_names(known: SoFar, limits: Limits) -> dict[str, Expr]:
    """Names for new locals, and for variables of loops, which may be those of an earlier loop."""
    inside: set[str] = set()
    for spot in known.spots:
        inside |= {*spot.scope.types, *spot.scope.rows, *spot.scope.aliases}
    aliases = {name for spot in known.spots for name in spot.scope.aliases}
    declared = {*known.declared.lines, *aliases, "s", "act", "acts"}
    return {
        "NEW": new_name({*RESERVED, *declared, *inside}, "local", limits.short),
        "EACH": new_name(
            {*declared, *((*RESERVED, *inside) if limits.short else (*TABLE, *DIRS))},
            "local",
            limits.short,
        ),
        "NOTE": ('"""', many(choice(Chars(" !#-\\[\\]-~"), "\n")), '"""'),
    }


_COMMON = ("NEW", "EACH", "NOTE")


def _add(body: Body, prefix: str, shared: dict[str, str], rules: dict[str, Expr]) -> str:
    """The prefix under which the rules of what is known at a place stand in ``rules``."""
    scope = body.scope
    key = repr(
        (
            sorted((n, repr(scope.types[n])) for n in scope.tree_names if n in scope.assigned),
            sorted(scope.rows.items()),
            sorted(scope.aliases.items()),
        )
    )
    if key not in shared:
        shared[key] = prefix
        for name, expr in body.typed.rules().items():
            rules[_name(name, prefix)] = _renamed(expr, prefix)
    return shared[key]


def _name(old: str, prefix: str) -> str:
    if old in _COMMON:
        return old
    return f"{prefix.upper()}{old}" if old.isupper() else f"{prefix}{old}"


def _renamed(expr: Expr, prefix: str) -> Expr:
    match expr:
        case str() | Chars():
            return expr
        case Ref(name=old):
            return Ref(_name(old, prefix))
        case tuple():
            return tuple(_renamed(p, prefix) for p in expr)
        case Choice(parts=parts):
            return Choice(tuple(_renamed(p, prefix) for p in parts))
        case Repeat(part=part, sign=sign):
            return Repeat(_renamed(part, prefix), sign)
    return expr


class Body:
    """The statements that may stand at one depth."""

    def __init__(self, known: SoFar, spot: Spot, scope: Scope, limits: Limits) -> None:
        self.known, self.spot, self.scope, self.limits = known, spot, scope, limits
        self.declared = known.declared
        self.typed = Typed(self.declared, scope, known.helpers, limits.short, limits.brackets)

    @property
    def rules(self) -> dict[str, Expr]:
        """The rules that its statements use."""
        return {**self.typed.rules(), **_new_names(self.known, self.limits)}

    def statements(self) -> list[Expr]:
        function = self.scope.function
        found: list[Expr] = list(self.locals())
        if self.scope.pure:
            found += self.give_back()
        else:
            if function != "view":
                found += self.stores()
                found += self.effects()
            else:
                found += self.drawings()
            found += ["return"] if not self.limits.short else []
        if not self.limits.short:
            found += ["pass", Ref("NOTE")]
        if self.spot.loops:
            found += ["break", "continue"]
        if self.spot.depth < (self.limits.depth or MAX_BLOCKS):
            found += [("if ", Ref("either"), ":")]
            if self.spot.loops < (self.limits.loops or MAX_LOOPS):
                found += self.loops()
        return found

    # --- locals -----------------------------------------------------------------------------------

    def locals(self) -> list[Expr]:
        found: list[Expr] = []
        scope = self.scope
        for name, type_ in scope.types.items():
            if name not in scope.tree_names or name in scope.frozen or name in scope.rows:
                continue
            found += self.change(name, type_, changes=name in scope.assigned, local=True)
        if self.spot.depth == 1 or not self.limits.short:
            # a local that is new in an inner block is of little use behind it
            found.append((Ref("NEW"), " = ", self.anything()))
        return found

    def anything(self) -> Expr:
        keys = ["bool", "num", *(k for k in self.typed.scalars if k not in ("bool", "int", "num"))]
        grids = ["gbool", "gint", "gnum", *(f"g{k}" for k in self.typed.scalars[6:])]
        arrays = [
            f"{s}.{f.name}"
            for s in self.typed.named("s")
            for f in self.declared.fields.values()
            if isinstance(f.type, Array)
        ]
        whole: list[Expr] = [] if self.limits.short else list(arrays)
        return choice(*(Ref(k) for k in (*keys, *grids)), *whole)

    # --- stores -----------------------------------------------------------------------------------

    def stores(self) -> list[Expr]:
        found: list[Expr] = []
        for s in self.typed.named("s"):
            for field in self.declared.fields.values():
                text = f"{s}.{field.name}"
                match field.type:
                    case TableRef():
                        continue
                    case Grid(elem=elem):
                        found += self.change(text, field.type)
                        found += [(text, " = ", e) for e in self.filling(elem)]
                        found += self.change((text, "[", Ref("pos"), "]"), elem)
                    case Array(elem=elem):
                        index = key_of(Scalar("Enum", field.type.index), self.typed.enums)
                        cell = (text, "[", Ref(index or "int"), "]")
                        found += self.change(cell, elem)
                    case _:
                        found += self.change(text, field.type)
        for row, (_, table) in self.scope.rows.items():
            type_ = self.declared.fields[table].type
            assert isinstance(type_, TableRef)
            for column in self.declared.rows[type_.row_type].columns:
                found += self.change(f"{row}.{column.name}", column.type)
        return found

    def filling(self, elem: Scalar) -> list[Expr]:
        """One value for all cells of a grid: known before the program runs."""
        key = key_of(elem, self.typed.enums)
        if key == "bool":
            return [Ref("truth")]
        if key in ("int", "num"):
            return [Ref(f"fixed_{key}")]
        return [words(map(str, self.typed.fixed[key]))] if key in self.typed.fixed else []

    def change(
        self, target: Expr, type_: Type, *, changes: bool = True, local: bool = False
    ) -> list[Expr]:
        """Assignments to something of a type."""
        if type_ == POISON:
            return [(target, " = ", self.anything())]
        if type_ == Grid(FLOAT):
            return [(target, " = ", choice(Ref("gfloat"), Ref("gint"), Ref("gnum")))]
        key = key_of(type_, self.typed.enums)
        if key is None:
            return []
        found: list[Expr] = [(target, " = ", Ref(key))]
        if type_ == BOOL:
            found += [(target, " = ", e) for e in self.spawning()]
        if changes:
            if type_ in (INT, FLOAT):
                found.append((target, words((" += ", " -= ", " *= ")), Ref(key)))
            elif type_ in (Grid(INT), Grid(FLOAT)):
                right = choice(Ref(key), Ref(key.removeprefix("g")))
                found.append((target, words((" += ", " -= ", " *= ")), right))
            elif type_ == POS:
                found.append((target, choice(" += ", " -= "), Ref("dir")))
            elif type_ == VEC2:
                found.append((target, choice(" += ", " -= "), Ref("vec")))
                found.append((target, " *= ", Ref("num")))
        parts = {POS: (".row", ".col", "int"), VEC2: (".x", ".y", "num")}
        if isinstance(type_, Scalar) and type_ in parts and not local:
            first, second, number = parts[type_]
            signs = words((" = ", " += ", " -= ", " *= "))
            found.append((target, choice(first, second), signs, Ref(number)))
        return found

    # --- effects ----------------------------------------------------------------------------------

    def effects(self) -> list[Expr]:
        found = list(self.outcomes()) if self.scope.function == "step" else []
        found += [("kill(", row, ")") for row in self.scope.rows]
        for s in self.typed.named("s"):
            for field in self.declared.fields.values():
                if isinstance(field.type, Grid):
                    swap = (f"swap({s}.{field.name}, ", Ref("pos"), ", ", Ref("pos"), ")")
                    found.append(swap)
        return [*found, *self.spawning()]

    def spawning(self) -> list[Expr]:
        if self.scope.pure or self.scope.function == "view":
            return []
        found: list[Expr] = []
        for table in self.typed.tables():
            type_ = self.declared.fields[table.partition(".")[2]].type
            assert isinstance(type_, TableRef)
            columns = [
                (f", {c.name}=", Ref(str(key_of(c.type, self.typed.enums))))
                for c in self.declared.rows[type_.row_type].columns
            ]
            given = [maybe(*c) for c in columns] if self.limits.short else [many(choice(*columns))]
            if self.limits.short:
                first = next(
                    (i for i, c in enumerate(columns) if c[1] == Ref("pos")), 0
                )  # where it stands is never left out
                given[first] = columns[first]
            found.append((f"spawn({table}", *given, ")"))
        return found

    def outcomes(self) -> list[Expr]:
        game = self.declared.game
        players = game.players if game else 1
        told = self.known.outcomes
        contest = any(name == "win" and seat for name, seat in told)
        shared = any(
            (name in ("win", "reward") and not seat) or name == "lose" for name, seat in told
        )
        number = words(map(str, range(players)))
        plain = choice(number, Ref("live_int"))
        seat = (plain, maybe(" if ", Ref("either"), " else ", plain))
        found: list[Expr] = ["draw()"]
        if not contest:
            found += [("reward(", Ref("num"), ")"), "win()", "lose()"]
        if players > 1:
            found += [("reward(", Ref("num"), ", ", seat, ")")]
            if not shared:
                found += [("win(", seat, ")")]
        if game is not None and game.turns == "alternate":
            found.append("again()")
        return found

    def drawings(self) -> list[Expr]:
        color = choice(words(f'"{c}"' for c in COLORS), Ref("int"))
        point = (Ref("vec"), ", ")
        return [
            ("disc(", *point, Ref("num"), ", ", color, ")"),
            ("ring(", *point, Ref("num"), ", ", color, ")"),
            ("bar(", *point, Ref("vec"), ", ", color, ")"),
        ]

    # --- control ----------------------------------------------------------------------------------

    def loops(self) -> list[Expr]:
        game = self.declared.game
        over: list[Expr] = ["dirs4()", "dirs8()", *self.declared.enums, *self.typed.tables()]
        if (game is not None and game.players > 1) or not self.limits.short:
            over.append("players()")
        whole = [n for n, v in self.declared.constants.items() if type(v) is int]
        if self.limits.short:
            trips: Expr = words([*map(str, range(2, 13)), *whole])
            over.append(("range(", trips, ")"))
        else:
            bound = (
                choice((maybe("-"), Ref("INT")), words(whole))
                if whole
                else (maybe("-"), Ref("INT"))
            )
            over.append(("range(", bound, maybe(", ", bound, maybe(", ", bound)), ")"))
        return [("for ", Ref("EACH"), " in ", choice(*over), ":")]

    def give_back(self) -> list[Expr]:
        wanted = self.scope.returns
        if wanted is None or wanted == POISON:
            return [("return ", self.anything())]
        key = "gfloat" if wanted == Grid(FLOAT) else key_of(wanted, self.typed.enums)
        return [("return ", Ref(key))] if key else []
