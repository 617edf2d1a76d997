"""Expressions by type: a rule for each type, of what is declared and known at one place.

A rule derives what the checker takes where that type is needed; ``atoms`` names the rules. The text
is in canonical style: one space around operators, none elsewhere, no line breaks.

What one rule cannot say it leaves to the checker: bounds of numbers, lengths of lines, cost.
"""

from __future__ import annotations

import dataclasses

from envs_dsl.language.ebnf import Chars, Expr, Ref, choice, many, maybe, some, words
from envs_dsl.language.grammar.atoms import ON_GRIDS, Atoms
from envs_dsl.language.grammar.rule_sets import inner, nested

__all__ = ["Typed"]

_ORDER = ("==", "!=", "<=", ">=", "<", ">")
_SAME = ("==", "!=")
_SIGNS = words((" + ", " - ", " * ", " / "))


@dataclasses.dataclass
class Typed(Atoms):
    """The rules of all types at one place.

    Attributes:
      brackets: in one another in short style.
    """

    brackets: int = 2

    def rules(self) -> dict[str, Expr]:
        """Rules of all types; those that nothing derives are left out, with what needs them."""
        found = self._numbers()
        found |= self._truths()
        for key in ("pos", "dir", *self.scalars[6:]):
            found |= self._plain(key)
        found |= self._vectors()
        for key in self.scalars[6:]:
            found[f"g{key}"] = Ref(f"atom_g{key}")
        for key in [*self.scalars, *(f"g{k}" for k in (*ON_GRIDS, *self.scalars[6:])), "gfloat"]:
            found[f"atom_{key}"] = choice(*self._atoms(key))
        return nested(found, self.brackets if self.short else None)

    def _atoms(self, key: str) -> list[Expr]:
        atoms = [*self.live.get(key, []), *self.fixed.get(key, [])]
        if key in ("int", "num"):
            atoms += [Ref("FLOAT"), Ref("INT")] if key == "num" else [Ref("INT")]
        return [*atoms, *self._composed(key)]

    def _live(self, key: str) -> list[Expr]:
        return [*self.live.get(key, []), *self._composed(key)]

    def _composed(self, key: str) -> list[Expr]:
        """Brackets, cells of grids, parts of places and vectors."""
        found: list[Expr] = [("(", inner(key), ")")]
        if key == "int":
            found.append((Ref("holder_pos"), choice(".row", ".col")))
        if key == "num":
            found.append((Ref("holder_vec"), choice(".x", ".y")))
            found.append(Ref("atom_int"))
            found.append((Ref("atom_gfloat"), "[", inner("pos"), "]"))
        if key in ON_GRIDS or key.startswith("e"):
            found.append((Ref(f"atom_g{key}"), "[", inner("pos"), "]"))
        if key == "gnum":
            found += [Ref("atom_gint"), Ref("atom_gfloat")]
        if key == "gfloat":
            found.append(("(", inner("gratio"), ")"))
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
                ("(", inner("either"), ")"),
                ("(", inner("either"), " if ", inner("either"), " else ", inner("bool"), ")"),
                (Ref("atom_gbool"), "[", inner("pos"), "]"),
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
