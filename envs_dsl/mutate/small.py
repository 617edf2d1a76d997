"""Operators that change one value or one expression; structure mostly stays."""

from __future__ import annotations

import ast
from collections import defaultdict
from random import Random

from envs_dsl.language.builtins import BUILTINS
from envs_dsl.language.declarations import constant
from envs_dsl.language.types import BOOL, FLOAT, INT, Grid, Scalar, Type
from envs_dsl.mutate.subject import Subject, called, clone, expression

__all__ = [
    "change_param",
    "condition",
    "jitter_literal",
    "jitter_param",
    "replace_subtree",
    "resize",
    "sibling_builtin",
    "swap_member",
    "swap_operator",
]

_CLASSES: tuple[tuple[type[ast.AST], ...], ...] = (
    (ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.FloorDiv, ast.Mod),
    (ast.And, ast.Or),
)


def jitter_param(subject: Subject, rng: Random) -> bool:
    """Move one parameter's value within its range."""
    if not subject.params:
        return False
    line = rng.choice(subject.params)
    return change_param(line, rng.uniform(0.15, 0.5) * rng.choice((-1, 1)))


def change_param(line: ast.Assign, by: float) -> bool:
    """Move a ``Param`` by a share of its range (whole steps if Int); False when it cannot move."""
    assert isinstance(line.value, ast.Call)
    value, low, high = (_number(a) for a in line.value.args)
    whole = all(isinstance(v, int) for v in (value, low, high))
    moved = value + by * (high - low)
    if whole:
        moved = round(moved)
        if moved == value:
            moved += 1 if by > 0 else -1
    else:
        moved = _rounded(moved)
    moved = min(max(moved, low), high)
    line.value.args[0] = expression(repr(moved))
    return moved != value


def jitter_literal(subject: Subject, rng: Random) -> bool:
    """Change one number in the rules."""
    sites = [
        s
        for s in subject.sites()
        if isinstance(s.node, ast.Constant)
        and not isinstance(s.node.value, bool)
        and isinstance(s.node.value, int | float)
    ]
    if not sites:
        return False
    site = rng.choice(sites)
    value = site.node.value
    if isinstance(value, int):
        moved: int | float = value + rng.choice((-2, -1, 1, 2))
    elif value == 0.0:
        moved = rng.choice((0.1, 0.25, 1.0))
    else:
        moved = _rounded(value * rng.choice((0.4, 0.6, 0.8, 1.25, 1.6, 2.5)))
    site.put(expression(repr(moved)))
    return True


def swap_member(subject: Subject, rng: Random) -> bool:
    """Put another member of the same enum in one place."""
    enums = {e.name: e.members for e in subject.tree.enums if len(e.members) > 1}
    sites = [
        s
        for s in subject.sites()
        if isinstance(s.node, ast.Attribute)
        and isinstance(s.node.value, ast.Name)
        and s.node.value.id in enums
    ]
    if not sites:
        return False
    site = rng.choice(sites)
    enum, member = site.node.value.id, site.node.attr
    site.put(expression(f"{enum}.{rng.choice([m for m in enums[enum] if m != member])}"))
    return True


def swap_operator(subject: Subject, rng: Random) -> bool:
    """Replace one operator by another of its class (comparison, sum, product, logic)."""
    found = [
        node
        for function in subject.functions
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign | ast.Compare)
    ]
    if not found:
        return False
    node = rng.choice(found)
    if isinstance(node, ast.Compare):
        node.ops[0] = _other_operator(node.ops[0], rng)  # type: ignore[call-overload]
    else:
        node.op = _other_operator(node.op, rng)  # type: ignore[assignment]
    return True


def _other_operator(op: ast.AST, rng: Random) -> ast.AST:
    group = next(g for g in _CLASSES if isinstance(op, g))
    return rng.choice([c for c in group if not isinstance(op, c)])()


def sibling_builtin(subject: Subject, rng: Random) -> bool:
    """Call another builtin of the same signature (manhattan for chebyshev, away for toward, …)."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in BUILTINS:
        if not row.effect and row.name not in ("ROW", "COL", "BORDER", "alive"):
            groups[row.signatures].append(row.name)
    siblings = {name: group for group in groups.values() if len(group) > 1 for name in group}
    found = [
        node
        for function in subject.functions
        for node in ast.walk(function)
        if called(node) in siblings
    ]
    if not found:
        return False
    node = rng.choice(found)
    assert isinstance(node, ast.Call)
    name = called(node)
    node.func = ast.Name(rng.choice([n for n in siblings[name] if n != name]), ast.Load())
    return True


def replace_subtree(subject: Subject, rng: Random) -> bool:
    """Put another expression of the same type in one place: one of the program's, or a new one."""
    sites = [s for s in subject.sites() if not _is_state(s.node)]
    if not sites:
        return False
    site = rng.choice(sites)
    type_ = subject.types[id(site.node)]
    same = [
        s.node
        for s in subject.sites(type_)
        if s.function == site.function and ast.dump(s.node) != ast.dump(site.node)
    ]
    new = _new_expressions(subject, type_, rng)
    if same and (not new or rng.random() < 0.5):
        site.put(clone(rng.choice(same)))
    elif new:
        site.put(expression(rng.choice(new)))
    else:
        return False
    return True


def _is_state(node: ast.expr) -> bool:
    """``s`` and ``acts[i]`` alone are no values."""
    return isinstance(node, ast.Name) and node.id in ("s", "act", "acts")


def condition(subject: Subject, function: str, rng: Random) -> ast.expr:
    """A Bool for a guard: one of the function's own conditions (perhaps negated), or a new one."""
    own = [s.node for s in subject.sites(BOOL) if s.function == function]
    if own and rng.random() < 0.4:
        chosen = clone(rng.choice(own))
        return ast.UnaryOp(ast.Not(), chosen) if rng.random() < 0.4 else chosen
    return expression(rng.choice(_new_expressions(subject, BOOL, rng)))


def _new_expressions(subject: Subject, type_: Type, rng: Random) -> list[str]:
    """Some new expressions of a type, from the fields and builtins."""
    fields = {
        kind: [
            f"s.{f.name}"
            for f in subject.tree.fields
            if isinstance(f.type, Scalar) and f.type.kind == kind
        ]
        for kind in ("Bool", "Int", "Float", "Pos", "Dir", "Vec2")
    }
    number = rng.randint(1, 5)
    share = rng.choice((0.1, 0.3, 0.5, 0.8))
    match type_:
        case Scalar(kind="Bool"):
            steps = subject.tree.game.max_steps
            found = [
                f"chance({share})",
                f"s.t >= {rng.randint(1, max(2, steps // 2))}",
                f"s.t % {number + 1} == 0",
            ]
            found += [f for b in fields["Bool"] for f in (b, f"not {b}")]
            found += [f"{i} >= {number}" for i in fields["Int"]]
            places = fields["Pos"]
            if len(places) > 1:
                a, b = rng.sample(places, 2)
                found += [f"{a} == {b}", f"manhattan({a}, {b}) <= {number}"]
            return found
        case Scalar(kind="Int"):
            return [str(number), "s.t", f"randint(0, {number})", *fields["Int"]]
        case Scalar(kind="Float"):
            return [str(share), "rand()", f"uniform(0.0, {share})", *fields["Float"]]
        case Scalar(kind="Dir"):
            found = ["UP", "DOWN", "LEFT", "RIGHT", "random_dir()", *fields["Dir"]]
            if len(fields["Pos"]) > 1:
                a, b = rng.sample(fields["Pos"], 2)
                found += [f"toward({a}, {b})", f"away({a}, {b})"]
            return found
        case Scalar(kind="Pos"):
            found = list(fields["Pos"])
            found += [f"try_move({p}, {rng.choice(('UP', 'LEFT', 'random_dir()'))})" for p in found]
            return [*found, "random_cell(not BORDER)"]
        case Scalar(kind="Enum", enum=name):
            return [f"{name}.{m}" for m in subject.tree.enum(name).members]
        case Grid(elem=Scalar(kind="Bool")):
            found = ["BORDER", "not BORDER", f"chance_grid({share})"]
            found += [f"disk({p}, {number}.0)" for p in fields["Pos"]]
            board = subject.board()
            if board is not None:
                field, enum = board
                found += [f"s.{field.name} == {enum.name}.{m}" for m in enum.members]
            return found
    return []


def resize(subject: Subject, rng: Random) -> bool:
    """Make the board larger or smaller, and move the numbers that mean its middle or far edge."""
    rows, cols = subject.tree.game.size
    by = rng.choice((-2, -1, 1, 2, 3))
    if not 5 <= min(rows, cols) + by <= max(rows, cols) + by <= 17:
        return False
    size = next(k for k in subject.game.keywords if k.arg == "size")
    size.value = expression(f"({rows + by}, {cols + by})")
    moved: dict[int, int] = {}
    for side in (rows, cols):
        moved |= {side // 2: (side + by) // 2, side - 2: side - 2 + by, side - 1: side - 1 + by}
    for site in subject.sites(INT):
        node = site.node
        number = constant(node)
        if isinstance(number, int) and number in moved and _is_place(site.parent):
            site.put(expression(str(moved[number])))
    for site in subject.sites(FLOAT):  # coordinates of Vec2 have the centre as their origin
        node = site.node
        if (
            called(site.parent) == "uniform"
            and isinstance(node, ast.Constant)
            and _number(node) >= 2
        ):
            site.put(expression(repr(_rounded(_number(node) + by / 2))))
    for item in subject.klass("State").body:
        _stretch(item, by)
    return True


def _is_place(node: ast.AST) -> bool:
    """Whether a number at this parent is a row or a column."""
    if isinstance(node, ast.Compare):
        return isinstance(node.left, ast.Name) and node.left.id in ("ROW", "COL")
    return called(node) in ("Pos", "randint")


def _stretch(item: ast.stmt, by: int) -> None:
    """Widen the range of a Vec2 field that spans the board."""
    for node in ast.walk(item):
        if isinstance(node, ast.Call) and called(node) == "Vec2" and len(node.args) == 2:
            low, high = (_number(a) for a in node.args)
            if high - low >= 6 and low == -high:
                node.args[:] = [
                    expression(repr(_rounded(v))) for v in (low - by / 2, high + by / 2)
                ]


def _number(node: ast.expr) -> float:
    """The number written at ``node``, as it is (an int stays an int)."""
    value = constant(node)
    assert value is not None
    return value


def _rounded(value: float) -> float:
    """To three significant digits: programs are read by people."""
    return float(f"{value:.3g}")
