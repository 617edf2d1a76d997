"""The next line at the margin: header, declarations, heads of classes and functions."""

from __future__ import annotations

from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.declare import MAX_PARAMS
from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe, some, words
from envs_dsl.language.grammar.class_lines import enough
from envs_dsl.language.grammar.limits import Limits
from envs_dsl.language.grammar.literals import number_rules, values
from envs_dsl.language.grammar.names import new_name
from envs_dsl.language.grammar.sofar import SoFar
from envs_dsl.language.vocabulary import DIRS, SKILLS, VERBS

__all__ = ["module_lines"]

_BLANK = maybe("\n", maybe("\n"))
_INSIDE = Chars(" !#-\\[\\]-~")
_LETTERS = Chars("a-zA-Z")


def module_lines(known: SoFar, limits: Limits) -> tuple[list[Expr], dict[str, Expr]]:
    """(alternatives for a line that begins at the margin, the rules they use)."""
    rules = number_rules()
    if known.section == "":
        rules["DOCSTRING"] = _docstring(limits.short)
        return [(Ref("DOCSTRING"), "\n")], rules
    if known.section == "doc":
        return [(_BLANK, _game(limits), "\n")], rules
    if known.empty or (limits.short and known.section == "Enum" and not _looks(known)):
        return [], rules
    declared = known.declared
    found: list[Expr] = []
    if "State" not in declared.lines:
        rules |= _new_names(known, limits)
        found += _assignments(known, limits)
        found += _classes(known, limits)
    elif known.section != "State" or enough(known, limits):
        rules |= _new_names(known, limits)
        found += _heads(known, limits)
    return [(_BLANK, line, "\n") for line in found], rules


def _docstring(short: bool) -> Expr:
    if short:
        word = (some(_LETTERS), maybe(choice("'s", ",")))
        more: Expr = ()
        for _ in range(14):
            more = maybe(" ", word, more) if more else maybe(" ", word)
        return ('"""', Chars("A-Z"), many(Chars("a-z")), (" ", word), (" ", word), more, '."""')
    quoted = ('"', choice(_INSIDE, "\n"))
    long = choice(_INSIDE, "\n", quoted, ('"', *quoted))
    first = (many(Chars(" \\n")), choice(Chars("!#-\\[\\]-~"), quoted, ('"', *quoted)))
    return ('"""', *first, many(long), '"""')


# --- the header -----------------------------------------------------------------------------------


def _game(limits: Limits) -> Expr:
    verbs = [f'"{v}"' for v in VERBS]
    skills = [f'"{s}"' for s in SKILLS]

    def listed(items: list[str], most: int) -> Expr:
        item = words(items)
        if not limits.short:
            return maybe(item, many(", ", item))
        return (item, maybe(", ", item)) if most > 1 else item

    side = words(map(str, range(5, 14) if limits.short else range(3, 33)))
    steps = words(map(str, range(20, 201, 10))) if limits.short else Ref("WHOLE")
    first = ("game = Game(size=(", side, ", ", side, "), ")
    players: Expr = ("players=", words("1234"))
    turns: Expr = ("turns=", words(('"simultaneous"', '"alternate"')))
    if limits.short:
        second = maybe(", players=2") if limits.players > 1 else ()
        middle: Expr = ("max_steps=", steps, second)
    else:
        middle = choice(
            ("max_steps=", steps, maybe(", ", players), maybe(", ", turns)),
            (players, ", ", maybe(turns, ", "), "max_steps=", steps),
        )
    last = (
        maybe(", verbs=[", listed(verbs, 2), "]"),
        maybe(", skills=[", listed(skills, 2), "]"),
        () if limits.short else maybe(", camera=", words(('"player"', '"board"'))),
    )
    return (*first, middle, *last, ")")


# --- declarations ---------------------------------------------------------------------------------


def _new_names(known: SoFar, limits: Limits) -> dict[str, Expr]:
    taken = {*RESERVED, *known.declared.lines}
    return {
        "NEW_CONSTANT": new_name(taken, "constant", limits.short),
        "NEW_CLASS": new_name(taken, "class", limits.short),
        "NEW_HELPER": new_name(taken, "local", limits.short),
        "PARAMETER": new_name(taken - {"s", "act", "acts"}, "local", limits.short),
    }


def _assignments(known: SoFar, limits: Limits) -> list[Expr]:
    declared = known.declared
    name = (Ref("NEW_CONSTANT"), " = ")
    found: list[Expr] = []
    room = len(declared.params) < (limits.params or MAX_PARAMS)
    up = maybe(", harder=", words(('"up"', '"down"')))
    if limits.short:
        if room:
            found.append(
                (*name, "Param(", choice(*_between()), ', harder="', words(("up", "down")), '")')
            )
        return found
    if room:
        bounds = (Ref("number"), ", ", Ref("number"), ", ", Ref("number"))
        found.append((*name, "Param(", *bounds, up, ")"))
    picture = ('"""', many(choice(Chars(" !#-\\[\\]-~"), "\n")), '"""')
    line = ('"', many(Chars(" !#-\\[\\]-~")), '"')
    found.append((*name, "Layout(", choice(picture, line), ")"))
    found.append((*name, choice(Ref("number"), Ref("truth_"), *values(known), words(DIRS))))
    return found


def _between() -> list[Expr]:
    """``value, low, high`` in this order of size: of whole numbers, and of tenths."""
    found: list[Expr] = []
    for scale in (1, 10, 100):
        for value in range(1, 11):
            lows = [f"{_scaled(v, scale)}" for v in range(0 if scale > 1 else 1, value)]
            lows = lows or [_scaled(0, scale)]
            highs = [_scaled(v, scale) for v in range(value + 1, 2 * value + 4)]
            found.append((_scaled(value, scale), ", ", words(lows), ", ", words(highs)))
    return found


def _scaled(value: int, scale: int) -> str:
    return (
        str(value)
        if scale == 1
        else f"{value / scale:g}"
        if value % scale
        else f"{value // scale}.0"
    )


_LEAST_LOOKS = 3
"""Members of the enum of a small program's board: floor, wall, and something to look for."""


def _looks(known: SoFar) -> bool:
    """Whether the enum of a small program's board has enough members."""
    enums = known.declared.enums.values()
    return bool(enums) and all(len(e.members) >= _LEAST_LOOKS for e in enums)


def _classes(known: SoFar, limits: Limits) -> list[Expr]:
    declared = known.declared
    found: list[Expr] = []
    if not limits.enums or len(declared.enums) < limits.enums:
        found.append(("class ", Ref("NEW_CLASS"), "(Enum):"))
    if not limits.rows or len(declared.rows) < limits.rows:
        found.append(("class ", Ref("NEW_CLASS"), "(Row):"))
    if _looks(known) or not limits.short:
        # words apart: a lexeme that begins with another one would be waited for
        found.append(("class ", "State:"))
    return found


def _heads(known: SoFar, limits: Limits) -> list[Expr]:
    declared, functions = known.declared, known.declared.functions
    game = declared.game
    several = game is not None and game.players > 1 and game.turns != "alternate"
    found: list[Expr] = []
    if "reset" not in functions:
        found.append(("def ", "reset(s):"))
    elif "step" not in functions:
        found.append(("def ", "step(s, acts):" if several else "step(s, act):"))
    elif "view" not in functions and limits.view:
        found.append(("def ", "view(s):"))
    if limits.helpers:
        inner = (Ref("PARAMETER"), many(", ", Ref("PARAMETER")))
        found.append(("def ", Ref("NEW_HELPER"), "(", maybe(*inner), "):"))
    return found
