"""Expressions by type: a rule for each type, of what is declared and known at one place.

Rules are named after types: ``bool``, ``int``, ``num`` (Int or Float), ``pos``, ``dir``, ``vec``,
``e0``, ``e1`` … (enums in order), and with ``g`` before it the grids of these. A rule derives what
the checker takes where that type is needed; calls come from the signatures of the builtin table.
The text is in canonical style: one space around operators, none elsewhere, no line breaks.

What one rule cannot say it leaves to the checker: bounds of numbers, lengths of lines, cost.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from envs_dsl.language.builtins import BUILTINS, Builtin
from envs_dsl.language.declarations import Declarations
from envs_dsl.language.ebnf import (
    Chars,
    Choice,
    Expr,
    Ref,
    Repeat,
    choice,
    many,
    maybe,
    some,
    words,
)
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

__all__ = ["Typed", "key_of"]

_KEYS = {BOOL: "bool", INT: "int", FLOAT: "num", POS: "pos", DIR: "dir", VEC2: "vec"}
_WORDS = {"Bool": "bool", "Int": "int", "Float": "num", "Pos": "pos", "Dir": "dir", "Vec2": "vec"}
_ON_GRIDS = ("bool", "int", "num")
_ORDER = ("==", "!=", "<=", ">=", "<", ">")
_SAME = ("==", "!=")
_SCALES = choice(" * ", " / ")
_SIGNS = words((" + ", " - ", " * ", " / "))


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
class Typed:
    """The rules of all types at one place, made by ``rules``.

    Attributes:
      declared, scope, helpers: what there is.
      brackets: in one another in short style.
      short: numbers of few digits, as a model should write them; else all numbers.
    """

    declared: Declarations
    scope: Scope
    helpers: tuple[Helper, ...] = ()
    short: bool = False
    brackets: int = 2

    def __post_init__(self) -> None:
        self.enums = list(self.declared.enums)
        self.scalars = ["bool", "int", "num", "pos", "dir", "vec"]
        self.scalars += [f"e{i}" for i in range(len(self.enums))]
        self.live: dict[str, list[Expr]] = {}
        """Atoms that change: by rule."""
        self.fixed: dict[str, list[Expr]] = {}
        """Atoms that are known before the program runs."""
        self._constants()
        self._state()
        self._locals()
        self._calls()

    # --- atoms --------------------------------------------------------------------------------

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
            seat = (f"{acts}[", _inner("int"), "]")
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
            self.add(self.key(type_.elem), (f"{text}[", _inner(index), "]"))
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
            if key in _ON_GRIDS or key.startswith("e"):
                self.add("gfloat" if key == "num" else f"g{key}", text)
            index = choice(*(_inner(k) for k in ("int", "pos", *self.scalars[6:])))
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
                args.append(_inner(str(self.key(arg))))
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
                and (not whole or k in _ON_GRIDS or k.startswith("e"))
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
                        _inner(k)
                        if i < first
                        else _inner(f"g{k}")
                        if i == first
                        else choice(_inner(k), _inner(f"g{k}"))
                        for i, k in enumerate(keys)
                        if k in _ON_GRIDS or k.startswith("e")
                    ]
                    if len(mixed) == len(keys) and (result in _ON_GRIDS or result.startswith("e")):
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
        return _inner(self._pattern(pattern, variant))

    def tables(self, *, standing: bool = False) -> Iterator[str]:
        """Tables by their text; with ``standing`` those whose rows have a place."""
        for s in self.named("s"):
            for field in self.declared.fields.values():
                if isinstance(field.type, TableRef):
                    columns = self._columns(field.name)
                    if not standing or any(c.type == POS for c in columns):
                        yield f"{s}.{field.name}"

    # --- rules ----------------------------------------------------------------------------------

    def rules(self) -> dict[str, Expr]:
        """Rules of all types; those that nothing derives are left out, with what needs them."""
        found = self._numbers()
        found |= self._truths()
        for key in ("pos", "dir", *self.scalars[6:]):
            found |= self._plain(key)
        found |= self._vectors()
        for key in self.scalars[6:]:
            found[f"g{key}"] = Ref(f"atom_g{key}")
        for key in [*self.scalars, *(f"g{k}" for k in (*_ON_GRIDS, *self.scalars[6:])), "gfloat"]:
            found[f"atom_{key}"] = choice(*self._atoms(key))
        if not self.short:
            return {name: _moved(expr, "", "") for name, expr in found.items()}
        # in brackets there are rules of their own, so that brackets end
        levels = [f"in{i}_" if i else "" for i in range(self.brackets + 1)]
        rules: dict[str, Expr] = {}
        for here, below in zip(levels, [*levels[1:], "none_"]):
            rules |= {
                _moved_name(name, here): _moved(expr, here, below) for name, expr in found.items()
            }
        return rules

    def _atoms(self, key: str) -> list[Expr]:
        atoms = [*self.live.get(key, []), *self.fixed.get(key, [])]
        if key in ("int", "num"):
            atoms += [Ref("FLOAT"), Ref("INT")] if key == "num" else [Ref("INT")]
        return [*atoms, *self._composed(key)]

    def _live(self, key: str) -> list[Expr]:
        return [*self.live.get(key, []), *self._composed(key)]

    def _composed(self, key: str) -> list[Expr]:
        """Brackets, cells of grids, parts of places and vectors."""
        found: list[Expr] = [("(", _inner(key), ")")]
        if key == "int":
            found.append((Ref("holder_pos"), choice(".row", ".col")))
        if key == "num":
            found.append((Ref("holder_vec"), choice(".x", ".y")))
            found.append(Ref("atom_int"))
            found.append((Ref("atom_gfloat"), "[", _inner("pos"), "]"))
        if key in _ON_GRIDS or key.startswith("e"):
            found.append((Ref(f"atom_g{key}"), "[", _inner("pos"), "]"))
        if key == "gnum":
            found += [Ref("atom_gint"), Ref("atom_gfloat")]
        if key == "gfloat":
            found.append(("(", _inner("gratio"), ")"))
        return found

    def _numbers(self) -> dict[str, Expr]:
        found: dict[str, Expr] = {
            "holder_pos": choice(*self._atoms("pos")),
            "holder_vec": choice(*self._atoms("vec")),
            "gfloat": choice(
                (Ref("atom_gfloat"), self.repeated(_SIGNS, Ref("unary_num"))),
                (Ref("float"), _SIGNS, self.repeated(Ref("unary_num"), _SIGNS), Ref("unary_gnum")),
                (Ref("unary_gnum"), _SIGNS, Ref("float")),
            ),
            "float": choice(Ref("FLOAT"), *self.live.get("num", []), *self.fixed.get("num", [])),
            "gratio": (Ref("atom_gnum"), " / ", Ref("unary_num")),
            "INT": _short_int() if self.short else choice("0", (Chars("1-9"), many(Chars("0-9")))),
            "FLOAT": _short_float() if self.short else _float(),
        }
        for key in ("int", "num"):
            signs = (" + ", " - ", " * ", " // ", " % ", *((" / ",) if key == "num" else ()))
            tail = (words(signs), Ref(f"unary_{key}"))
            literal = choice(*self.fixed.get(key, []), *_literals(key))
            found |= {
                key: (Ref(f"chain_{key}"), self._otherwise(key)),
                f"chain_{key}": (Ref(f"unary_{key}"), self.repeated(*tail)),
                f"unary_{key}": (maybe("-"), Ref(f"atom_{key}")),
                f"fixed_{key}": (maybe("-"), literal),
                f"live_{key}": choice(
                    (maybe("-"), choice(*self._live(key)), self.repeated(*tail)),
                    (Ref(f"fixed_{key}"), *tail, self.repeated(*tail)),
                ),
                f"g{key}": (
                    self.repeated(Ref(f"unary_{key}"), words(signs)),
                    (maybe("-"), Ref(f"atom_g{key}")),
                    self.repeated(words(signs), choice(Ref(f"unary_{key}"), Ref(f"unary_g{key}"))),
                ),
                f"unary_g{key}": (maybe("-"), Ref(f"atom_g{key}")),
            }
        return found

    def repeated(self, *parts: Expr) -> Expr:
        """As often as one likes; in short style once more."""
        return maybe(*parts) if self.short else many(*parts)

    def _otherwise(self, key: str) -> Expr:
        return maybe(" if ", Ref("either"), " else ", Ref(key))

    def _plain(self, key: str) -> dict[str, Expr]:
        tail = (choice(" + ", " - "), Ref("atom_dir")) if key == "pos" else ()
        more = (self.repeated(*tail),) if tail else ()
        fixed = self.fixed.get(key, [])
        return {
            key: (Ref(f"chain_{key}"), self._otherwise(key)),
            f"chain_{key}": (Ref(f"atom_{key}"), *more),
            f"live_{key}": (choice(*self._live(key)), *more),
            **({f"fixed_{key}": choice(*fixed)} if fixed else {}),
        }

    def _vectors(self) -> dict[str, Expr]:
        times = (choice(" * ", " / "), Ref("unary_num"))
        scaled = self.repeated(*times)
        return {
            "vec": (Ref("chain_vec"), self._otherwise("vec")),
            "chain_vec": (Ref("term_vec"), self.repeated(choice(" + ", " - "), Ref("term_vec"))),
            "term_vec": (
                maybe(
                    self.repeated(Ref("unary_num"), choice(" * ", " / ")), Ref("unary_num"), " * "
                ),
                (maybe("-"), Ref("atom_vec"), scaled),
            ),
            "live_vec": Ref("chain_vec"),
        }

    def _truths(self) -> dict[str, Expr]:
        compared: list[Expr] = []
        both: list[Expr] = []
        for key in self.scalars:
            if key in ("int", "bool"):  # an Int is compared as a number
                continue
            signs = words(f" {s} " for s in (_ORDER if key == "num" else _SAME))
            right = f"chain_{key}"
            compared.append((Ref(f"live_{key}"), signs, Ref(right)))
            if key == "num" or self.fixed.get(key):
                compared.append((Ref(f"fixed_{key}"), signs, Ref(f"live_{key}")))
            if key == "num" or key.startswith("e"):
                one = Ref("gnum" if key == "num" else f"atom_g{key}")
                both.append((one, signs, choice(Ref(right), one)))
                both.append((Ref(right), signs, one))
        same = words(f" {s} " for s in _SAME)
        compared.append((Ref("live_bool"), same, choice(Ref("atom_bool"), Ref("truth"))))
        both.append(
            (Ref("atom_gbool"), same, choice(Ref("atom_bool"), Ref("atom_gbool"), "True", "False"))
        )
        both.append((Ref("atom_bool"), same, Ref("atom_gbool")))
        return {
            "bool": choice((Ref("either"), self._otherwise("bool")), Ref("truth")),
            "truth": choice("True", "False", *self.fixed.get("bool", [])),
            "either": (Ref("both"), self.repeated(" or ", Ref("both"))),
            "both": (Ref("negation"), self.repeated(" and ", Ref("negation"))),
            "negation": choice(("not ", Ref("negation")), Ref("comparison")),
            "comparison": choice(Ref("live_bool"), *compared),
            "live_bool": choice(
                *self.live.get("bool", []),
                ("(", _inner("either"), ")"),
                ("(", _inner("either"), " if ", _inner("either"), " else ", _inner("bool"), ")"),
                (Ref("atom_gbool"), "[", _inner("pos"), "]"),
            ),
            "gbool": (
                self.repeated(Ref("any_both"), " or "),
                Ref("gboth"),
                self.repeated(" or ", Ref("any_both")),
            ),
            "any_both": choice(Ref("both"), Ref("gboth")),
            "gboth": (
                self.repeated(Ref("any_negation"), " and "),
                Ref("gnegation"),
                self.repeated(" and ", Ref("any_negation")),
            ),
            "any_negation": choice(Ref("negation"), Ref("gnegation")),
            "gnegation": choice(("not ", Ref("gnegation")), Ref("gcomparison")),
            "gcomparison": choice(Ref("atom_gbool"), *both),
        }


def _inner(key: str) -> Expr:
    """A rule within brackets."""
    return Ref(f"inner {key}")


def _moved_name(name: str, here: str) -> str:
    return name if name.isupper() else f"{here}{name}"


def _moved(expr: Expr, here: str, below: str) -> Expr:
    """An expression of one level: its rules are those of this level, in brackets of the next."""
    match expr:
        case str() | Chars():
            return expr
        case Ref(name=name):
            inner = name.startswith("inner ")
            return Ref(_moved_name(name.removeprefix("inner "), below if inner else here))
        case tuple():
            return tuple(_moved(p, here, below) for p in expr)
        case Choice(parts=parts):
            return Choice(tuple(_moved(p, here, below) for p in parts))
        case Repeat(part=part, sign=sign):
            return Repeat(_moved(part, here, below), sign)
    return expr


# --- parts ----------------------------------------------------------------------------------------


def _called(name: str, args: list[Expr], more: tuple[Expr, ...] = ()) -> Expr:
    parts: list[Expr] = []
    for i, arg in enumerate(args):
        parts += [", ", arg] if i else [arg]
    return (f"{name}(", *parts, *more, ")")


def _calls_to(atom: Expr, name: str) -> bool:
    return isinstance(atom, tuple) and bool(atom) and atom[0] == f"{name}("


def _literals(key: str) -> list[Expr]:
    return [Ref("INT")] if key == "int" else [Ref("FLOAT"), Ref("INT")]


def _float() -> Expr:
    digits = some(Chars("0-9"))
    power = ("e", maybe(words("+-")), digits)
    return choice((digits, ".", many(Chars("0-9")), maybe(*power)), (digits, *power))


def _short_int() -> Expr:
    return choice("0", (Chars("1-9"), maybe(Chars("0-9"))))


def _short_float() -> Expr:
    return (
        choice("0", (Chars("1-9"), maybe(Chars("0-9")))),
        ".",
        Chars("0-9"),
        maybe(Chars("1-9")),
    )


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


def productive(rules: dict[str, Expr]) -> dict[str, Expr]:
    """The rules that derive some text, without alternatives that do not."""
    known: set[str] = set()
    waiting = dict(rules)
    while True:
        more = [name for name, expr in waiting.items() if _derives(expr, known)]
        if not more:
            break
        known.update(more)
        for name in more:
            del waiting[name]
    return {name: _pruned(expr, known) for name, expr in rules.items() if name in known}


def _derives(expr: Expr, known: set[str]) -> bool:
    match expr:
        case str():
            return True
        case Ref(name=name):
            return name in known
        case tuple():
            return all(_derives(p, known) for p in expr)
        case Choice(parts=parts):
            return any(_derives(p, known) for p in parts)
        case Repeat(part=part, sign=sign):
            return sign in "?*" or _derives(part, known)
    return True


def _pruned(expr: Expr, known: set[str]) -> Expr:
    match expr:
        case Choice(parts=parts):
            return choice(*(_pruned(p, known) for p in parts if _derives(p, known)))
        case Repeat(part=part, sign=sign):
            return Repeat(_pruned(part, known), sign) if _derives(part, known) else ()
        case tuple():
            return tuple(_pruned(p, known) for p in expr)
    return expr
