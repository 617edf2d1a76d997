"""Which form of a builtin fits these argument types, and what it gives."""

from __future__ import annotations

import dataclasses
import functools

from envs_dsl.language.builtins import TABLE, Builtin
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POS,
    VEC2,
    Grid,
    Scalar,
    TableRef,
    Type,
)

__all__ = ["Form", "forms", "misfit", "resolve"]

_SCALARS = {"Bool": BOOL, "Int": INT, "Float": FLOAT, "Pos": POS, "Dir": DIR, "Vec2": VEC2}


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """One parsed signature: patterns of the parameters and of the result ("" for an effect)."""

    params: tuple[str, ...]
    result: str


def forms(row: Builtin) -> tuple[Form, ...]:
    """The signatures of a row, parsed."""
    return _forms(row.signatures)


@functools.cache
def _forms(signatures: tuple[str, ...]) -> tuple[Form, ...]:
    found = []
    for text in signatures:
        left, _, right = text.partition("->")
        params = tuple(p.strip() for p in left.split(",") if p.strip())
        found.append(Form(params, right.strip()))
    return tuple(found)


def resolve(row: Builtin, args: tuple[Type, ...]) -> tuple[tuple[Type, ...], Type | None] | None:
    """The first fitting form: (types the arguments must be widened to, result type); else None.

    ``Const`` and ``Tag`` parameters are given as INT by the caller, who has checked them.
    """
    return _resolved(row.name, args)


@functools.lru_cache(maxsize=4096)
def _resolved(name: str, args: tuple[Type, ...]) -> tuple[tuple[Type, ...], Type | None] | None:
    row = TABLE[name]
    for form in forms(row):
        params = form.params
        if row.variadic and len(args) > len(params):
            params = params + (params[-1],) * (len(args) - len(params))
        if len(params) != len(args):
            continue
        fit = _fit(row, params, form.result, args)
        if fit is not None:
            return fit
    return None


def misfit(row: Builtin, args: tuple[Type, ...]) -> tuple[int, str] | None:
    """The first argument that a builtin of one plain form cannot take, and what it needs there."""
    shapes = forms(row)
    if len(shapes) != 1 or row.lift or len(shapes[0].params) != len(args):
        return None
    for i, (pattern, arg) in enumerate(zip(shapes[0].params, args)):
        if pattern == "Table" and not isinstance(arg, TableRef):
            return i, "a table"
        if pattern in _SCALARS:
            wanted: Type = _SCALARS[pattern]
        elif pattern.startswith("Grid(") and pattern[5:-1] in _SCALARS:
            wanted = Grid(_SCALARS[pattern[5:-1]])
        else:
            continue
        if arg != wanted and (wanted, arg) != (FLOAT, INT):
            return i, pattern
    return None


def _fit(
    row: Builtin, params: tuple[str, ...], result: str, args: tuple[Type, ...]
) -> tuple[tuple[Type, ...], Type | None] | None:
    lifted = row.lift and any(isinstance(a, Grid) for a in args)
    elems = tuple(a.elem if lifted and isinstance(a, Grid) else a for a in args)
    numbers = [e for p, e in zip(params, elems, strict=True) if p == "Num"]
    number = FLOAT if FLOAT in numbers else INT
    bound: Scalar | None = None
    wanted: list[Type] = []
    for pattern, elem in zip(params, elems, strict=True):
        target: Type
        match pattern:
            case "Num":
                if elem not in (INT, FLOAT):
                    return None
                target = number
            case "T" | "E":
                if not isinstance(elem, Scalar) or (pattern == "E" and elem.kind != "Enum"):
                    return None
                if bound is not None and elem != bound:
                    return None
                bound = target = elem
            case "Grid(T)":
                if not isinstance(elem, Grid) or bound not in (None, elem.elem):
                    return None
                bound = elem.elem
                target = elem
            case "Table" | "Row":
                if not isinstance(elem, TableRef) or elem.row != (pattern == "Row"):
                    return None
                target = elem
            case "Const" | "Tag":
                target = INT
            case "Layout":
                return None  # typed by the checker, which knows the layouts
            case "Grid(Bool)" | "Grid(Int)" | "Grid(Float)":
                target = Grid(_SCALARS[pattern[5:-1]])
                if elem != target:
                    return None
            case _:
                target = _SCALARS[pattern]
                if elem != target and not (target == FLOAT and elem == INT):
                    return None
        wanted.append(target)
    widened = tuple(
        Grid(w) if lifted and isinstance(a, Grid) and isinstance(w, Scalar) else w
        for w, a in zip(wanted, args, strict=True)
    )
    out = _result(result, number, bound)
    if lifted and isinstance(out, Scalar):
        out = Grid(out)
    return widened, out


def _result(pattern: str, number: Scalar, bound: Scalar | None) -> Type | None:
    match pattern:
        case "":
            return None
        case "Num":
            return number
        case "Grid(Num)":
            return Grid(number)
        case "T":
            return bound
        case "Grid(T)":
            assert bound is not None
            return Grid(bound)
        case "Grid(Bool)" | "Grid(Int)" | "Grid(Float)":
            return Grid(_SCALARS[pattern[5:-1]])
    return _SCALARS[pattern]
