"""The next line inside of a class: members, columns, fields."""

from __future__ import annotations

from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.declare import MAX_COLUMNS, MAX_FIELDS, MAX_MEMBERS
from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe, words
from envs_dsl.language.fields import MAX_LENGTH, MAX_ROWS
from envs_dsl.language.grammar.limits import Limits
from envs_dsl.language.grammar.literals import constant, number_rules, values
from envs_dsl.language.grammar.names import new_name
from envs_dsl.language.grammar.sofar import SoFar
from envs_dsl.language.types import POS, Grid, TableRef, Type
from envs_dsl.language.vocabulary import COLORS, DIRS, TAGS

__all__ = ["class_lines", "enough"]


def class_lines(known: SoFar, limits: Limits) -> tuple[list[Expr], dict[str, Expr]]:
    """(alternatives for a line of the open class, the rules they use)."""
    rules = number_rules()
    match known.section:
        case "Enum":
            found = _member(known, limits, rules)
        case "Row":
            row = known.declared.rows.get(known.name)
            columns = [] if known.empty or row is None else [c.name for c in row.columns]
            if limits.short and not columns:
                return [("    ", "pos: Pos", "\n")], rules
            room = len(columns) < (3 if limits.short else MAX_COLUMNS)
            found = _field(known, limits, rules, columns, in_row=True) if room else []
        case "State":
            fields = list(known.declared.fields)
            room = len(fields) < (limits.fields or MAX_FIELDS)
            if limits.short and not enough(known, limits):
                found = [(Ref("NEW_FIELD"), ": ", _missing(known))]
                _field(known, limits, rules, fields, in_row=False)
                return [("    ", line, "\n") for line in found], rules
            found = _field(known, limits, rules, fields, in_row=False) if room else []
        case _:
            found = []
    if found and not limits.short:
        found.append("pass")
    return [("    ", line, "\n") for line in found], rules


def _missing(known: SoFar) -> Expr:
    """A small program's State begins with the player's place, the board, and the tables."""
    types = _seen(known)
    if POS not in types:
        return "Pos"
    if not _has_board(types):
        return choice(*_boards(known))
    return (f"Table({_without_table(known)[0]}, ", words("123456"), ")")


def _boards(known: SoFar) -> list[Expr]:
    found: list[Expr] = []
    for name, enum in known.declared.enums.items():
        member = words(f"{name}.{m}" for m in enum.members)
        found.append((f"Grid({name}, outside=", member, ") = ", member))
    return found


def _member(known: SoFar, limits: Limits, rules: dict[str, Expr]) -> list[Expr]:
    enum = known.declared.enums.get(known.name)
    members = [m for m in enum.members if m != "filler_"] if enum else []
    if len(members) >= (limits.members or MAX_MEMBERS):
        return []
    # several enums may have members of one name; the words of the language are none of a model's
    taken = {*members, *(RESERVED if limits.short else ())}
    rules["NEW_MEMBER"] = new_name(taken, "constant", limits.short)
    glyphs: Expr = Chars("!#-&*-Z^-z|~")
    if limits.short:
        used = {look.glyph for look in enum.looks} if enum and members else set()
        glyphs = words(c for c in ".#*o+~^OTMSDGKPEx$%&=" if c not in used)
    tags: Expr = many(", ", words(TAGS), "=", words(("True", "False")))
    if limits.short:
        tags = maybe(", ", words(TAGS), "=True")
    color = words(f'"{c}"' for c in COLORS)
    return [(Ref("NEW_MEMBER"), ' = Look("', glyphs, '", ', color, tags, ")")]


def _field(
    known: SoFar, limits: Limits, rules: dict[str, Expr], names: list[str], *, in_row: bool
) -> list[Expr]:
    reserved = {"t", "turn", "alive", "move"}
    taken = {*names, *reserved, *(RESERVED if limits.short else ())}
    rules["NEW_FIELD"] = new_name(taken, "local", limits.short)
    rules |= _types(known, limits)
    alone = choice(*_typed(known, limits))
    types: list[Expr] = [alone]
    if not in_row:
        types += _containers(known, limits)
    if not limits.short:
        hidden = choice(*_bare(known, limits), *_bare_containers(known, in_row))
        types.append(("Hidden(", hidden, ")", maybe(" = ", _initial(known))))
    return [(Ref("NEW_FIELD"), ": ", choice(*types))]


def _types(known: SoFar, limits: Limits) -> dict[str, Expr]:
    return {"bound": constant(known, whole=False)}


def _typed(known: SoFar, limits: Limits) -> list[Expr]:
    """Scalar types with an initial value that fits."""
    if not limits.short:
        return [(kind, maybe(" = ", _initial(known))) for kind in _bare(known, limits)]
    found: list[Expr] = [
        ("Bool", maybe(" = ", Ref("truth_"))),
        "Pos",
        ("Dir", maybe(" = ", words(DIRS[:5]))),
    ]
    found += _ranges()
    found += [
        (name, maybe(" = ", words(f"{name}.{m}" for m in e.members)))
        for name, e in known.declared.enums.items()
    ]
    return found


def _ranges() -> list[Expr]:
    """``Int(0, high) = value`` and ``Float(0.0, high) = value``, with the value in range."""
    found: list[Expr] = []
    for high in (3, 5, 9, 20, 50, 99):
        some_values = [v for v in (0, 1, 2, 3, 5, 8, 10, 20, 50) if v <= high]
        found.append((f"Int(0, {high})", maybe(" = ", words(map(str, some_values)))))
    for top in (1, 5, 10, 20):
        values = [f"{v:.1f}" for v in (0, 0.5, 1, 2, 5, 10, 20) if v <= top]
        found.append((f"Float(0.0, {top}.0)", maybe(" = ", words(values))))
    return found


def _bare(known: SoFar, limits: Limits) -> list[Expr]:
    """Scalar types as they are written."""
    bounds = ("(", Ref("bound"), ", ", Ref("bound"), ")")
    ranged: list[Expr] = [(kind, *bounds) for kind in ("Int", "Float", "Vec2")]
    enums = list(known.declared.enums)
    return ["Bool", "Pos", "Dir", *ranged, *([words(enums)] if enums else [])]


def _initial(known: SoFar) -> Expr:
    names = [*known.declared.constants, *known.declared.values]
    return choice(
        Ref("number"),
        Ref("truth_"),
        words([*DIRS, *names]),
        ("-", words(names)) if names else "True",
        *values(known),
    )


def _bare_containers(known: SoFar, in_row: bool) -> list[Expr]:
    """Grids, arrays, seats and tables as they are written."""
    if in_row:
        return []
    declared = known.declared
    plain = choice(*_bare(known, Limits()))
    outside = maybe(", outside=", _initial(known))
    whole = [n for n, v in declared.constants.items() if type(v) is int and 1 <= v <= MAX_LENGTH]
    length = words([*map(str, range(1, MAX_LENGTH + 1)), *whole, *declared.enums])
    found: list[Expr] = [
        ("Grid(", plain, outside, ")"),
        ("Array(", plain, ", ", length, ")"),
        ("Players(", plain, ")"),
    ]
    if declared.rows:
        rows = [n for n, v in declared.constants.items() if type(v) is int and 1 <= v <= MAX_ROWS]
        most = words([*map(str, range(1, MAX_ROWS + 1)), *rows])
        found.append(("Table(", words(declared.rows), ", ", most, ")"))
    return found


def _containers(known: SoFar, limits: Limits) -> list[Expr]:
    if not limits.short:
        return [(kind, maybe(" = ", _initial(known))) for kind in _bare_containers(known, False)]
    declared = known.declared
    shown = {
        field.type.elem.kind
        for field in declared.fields.values()
        if isinstance(field.type, Grid) and not field.hidden
    }
    found: list[Expr] = []
    if "Enum" not in shown:
        found += _boards(known)
    if "Bool" not in shown:
        found.append("Grid(Bool)")
    if not shown & {"Int", "Float"}:
        found.append(("Grid(Int(0, ", words(("3", "5", "9")), "))"))
    tables = {str(getattr(f.type, "row_type", "")) for f in declared.fields.values()}
    for row in declared.rows:
        if row not in tables:
            found.append((f"Table({row}, ", words(map(str, range(1, 7))), ")"))
    return found


def enough(known: SoFar, limits: Limits) -> bool:
    """Whether State may end: it has a field; a small program has a player and a board."""
    types = _seen(known)
    if not limits.short:
        return bool(types)
    return POS in types and _has_board(types) and not _without_table(known)


def _seen(known: SoFar) -> list[Type]:
    """Types of the fields that are not hidden."""
    return [f.type for f in known.declared.fields.values() if not f.hidden]


def _without_table(known: SoFar) -> list[str]:
    """Rows of which State has no table yet."""
    used = {f.type.row_type for f in known.declared.fields.values() if isinstance(f.type, TableRef)}
    return [name for name in known.declared.rows if name not in used]


def _has_board(types: list[Type]) -> bool:
    return any(isinstance(t, Grid) and t.elem.kind == "Enum" for t in types)
