"""The finished lines of a program that is being written: what is declared, and what may follow.

The text is completed with placeholders where its next line may stand and given to the checker, so
that what is known here is what the checker knows: types of locals, definite assignment, rows of
loops. Nothing is guessed, and no rule of the language is told twice.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import tokenize
from collections.abc import Iterator

from envs_dsl.language import tree as T
from envs_dsl.language.check import tree_of
from envs_dsl.language.cost import check_cost
from envs_dsl.language.declarations import Declarations, parameters
from envs_dsl.language.declare import declare
from envs_dsl.language.diagnostics import Diagnostic, Diagnostics
from envs_dsl.language.names import TooDeep, TooLarge
from envs_dsl.language.parse import parse
from envs_dsl.language.scope import Scope
from envs_dsl.language.slots import check_room
from envs_dsl.language.statements import Statements
from envs_dsl.language.types import (
    BOOL,
    DIR,
    FLOAT,
    INT,
    POISON,
    POS,
    Grid,
    Scalar,
    Type,
    enum_type,
)

__all__ = ["Helper", "SoFar", "Spot", "read_so_far"]

_FILLER = {"Enum": 'filler_ = Look("?", "black")', "Row": "filler_: Bool"}
"""An open class without lines is no fault."""


@dataclasses.dataclass(frozen=True)
class Spot:
    """A depth at which the next line of a function may stand.

    Attributes:
      depth: blocks around it, 1 in the body of a function.
      scope: what names mean there. loops: loops around it.
      ended: nothing further in this block is ever reached.
      follows: the scope in which ``elif`` would be typed, None where there is no ``if`` to go on.
    """

    depth: int
    scope: Scope
    loops: int
    ended: bool = False
    follows: Scope | None = None


@dataclasses.dataclass(frozen=True)
class Helper:
    """One way in which a helper may be called: types of its arguments ("" + alias for ``s``)."""

    name: str
    args: tuple[Type | str, ...]
    result: Type


@dataclasses.dataclass(frozen=True)
class SoFar:
    """What is known of an unfinished program.

    Attributes:
      declared: everything declared so far.
      section: what the last line belongs to: "" (nothing yet), "doc", "module", "Enum", "Row",
        "State", or "function".
      name: of the class or function that is open, else "".
      empty: the open class or function has no line yet, so that it cannot end.
      opened: the last line opens a block: one of its lines must follow.
      spots: where the next line may stand in the open function, deepest first.
      helpers: what may be called. outcomes: (effect, with a seat?) of step so far.
      used: parameters and layouts that are read. verbs: action numbers that are read.
      functions: the typed bodies of reset, step and view as far as they are written.
      faults: errors of what is written, without those that only say that something is missing yet.
    """

    declared: Declarations
    section: str
    name: str = ""
    empty: bool = False
    opened: bool = False
    spots: tuple[Spot, ...] = ()
    helpers: tuple[Helper, ...] = ()
    outcomes: tuple[tuple[str, bool], ...] = ()
    used: frozenset[str] = frozenset()
    verbs: frozenset[int] = frozenset()
    functions: dict[str, T.Block] = dataclasses.field(default_factory=dict)
    faults: tuple[Diagnostic, ...] = ()


def read_so_far(text: str) -> SoFar:
    """Read finished lines.

    Raises:
      ValueError: the text is not the beginning of a program: it does not parse.
    """
    if text.strip() and not text.endswith("\n"):
        raise ValueError("the last line is not finished")
    text = text.rstrip("\n") + "\n" if text.strip() else ""
    indent, head = _last_line(text)
    if indent % 4:
        raise ValueError("blocks are indented by four spaces")
    out = Diagnostics()
    opened = [" " * (indent + 4) + "pass"] if head else []
    first = _parsed(text, opened, out)
    section, name = _section(first)
    if section != "function":
        filler = "    " + _FILLER.get(section, "pass") if head else ""
        module = _parsed(text, [filler] if filler else [], out)
        return _finish(text, module, out, section, name, head, head, {})
    depth = indent // 4
    marks = [depth + 1] if head else list(range(depth, 0, -1))
    module = _parsed(text, ["    " * d + "pass" for d in marks], out)
    lines = text.count("\n")
    at = {lines + 1 + i: d for i, d in enumerate(marks)}
    return _finish(text, module, out, section, name, head and not indent, head, at)


def _parsed(text: str, placeholders: list[str], out: Diagnostics) -> ast.Module:
    whole = text + "".join(f"{line}\n" for line in placeholders)
    module = parse(whole, out)
    if module is None:
        raise ValueError(f"not the beginning of a program: {out.result()[0]}")
    return module


def _last_line(text: str) -> tuple[int, bool]:
    """(indentation of the last line, which may run over several; whether it opens a block)."""
    indent, head, begins = 0, False, True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in _NOTHING:
                continue
            if token.type == tokenize.NEWLINE:
                begins = True
                continue
            if begins:
                indent, begins = token.start[1], False
            head = token.string == ":"
    except (tokenize.TokenError, SyntaxError):
        raise ValueError("not the beginning of a program: a bracket or text is open") from None
    return indent, head


_NOTHING = (
    tokenize.NL,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def _section(module: ast.Module) -> tuple[str, str]:
    """The part of the program that is open, and its name."""
    match module.body[-1] if module.body else None:
        case None:
            return "", ""
        case ast.Expr() if len(module.body) == 1:
            return "doc", ""
        case ast.FunctionDef(name=name):
            return "function", name
        case ast.ClassDef(name=name, bases=[ast.Name(id="Enum" | "Row" as base)]):
            return base, name
        case ast.ClassDef(name=name):
            return "State", name
    return "module", ""


def _is_chain(node: ast.If) -> bool:
    """Whether what follows an ``if`` is its ``elif``: it stands at the same depth."""
    only = node.orelse[0]
    same = len(node.orelse) == 1 and isinstance(only, ast.If)
    return same and only.col_offset == node.col_offset


class _Probe(Statements):
    """Checks an unfinished function and keeps the scope at every placeholder."""

    def __init__(self, declared: Declarations, out: Diagnostics, marks: dict[int, int]) -> None:
        super().__init__(declared, out)
        self.marks = marks
        self.spots: dict[int, Spot] = {}
        self.heads: dict[int, Scope] = {}

    def block(self, body: list[ast.stmt], scope: Scope) -> tuple[T.Block, bool]:
        mark = body[-1] if body else None
        depth = self.marks.get(mark.lineno) if isinstance(mark, ast.Pass) else None
        found, ended = super().block(body[:-1] if depth else body, scope)
        if depth is None:
            return found, ended
        before = body[-2] if len(body) > 1 else None
        self.spots[depth] = Spot(
            depth, _copy(scope), scope.loops, ended or isinstance(before, ast.Pass),
            self._follows(before, scope),
        )  # fmt: skip
        return found, ended

    def _follows(self, node: ast.stmt | None, scope: Scope) -> Scope | None:
        if not isinstance(node, ast.If):
            return None
        entry = self.heads[id(node)]
        last: ast.If = node
        while last.orelse:
            only = last.orelse[0]
            if not (isinstance(only, ast.If) and _is_chain(last)):
                return None
            last = only
        follows = _copy(scope)
        follows.assigned = set(entry.assigned)
        return follows

    def statement(self, node: ast.stmt, scope: Scope) -> tuple[list[T.Stmt], bool]:
        if isinstance(node, ast.If):
            self.heads[id(node)] = _copy(scope)
        return super().statement(node, scope)

    def helper(self, node: ast.FunctionDef) -> None:
        """Check the body of an open helper, whose arguments nobody has given yet."""
        scope = Scope(node.name, pure=True)
        for name in parameters(node) or []:
            if name in ("s", "act", "acts"):
                scope.aliases[name] = name
            else:
                scope.tree_names[name], scope.types[name] = f"{name}@0", POISON
                scope.assigned.add(name)
        self.block(node.body, scope)


def _copy(scope: Scope) -> Scope:
    return dataclasses.replace(
        scope,
        types=dict(scope.types),
        assigned=set(scope.assigned),
        tree_names=dict(scope.tree_names),
        rows=dict(scope.rows),
        aliases=dict(scope.aliases),
        frozen=set(scope.frozen),
        broken=set(scope.broken),
    )


def _finish(
    text: str,
    module: ast.Module,
    out: Diagnostics,
    section: str,
    name: str,
    empty: bool,
    opened: bool,
    marks: dict[int, int],
) -> SoFar:
    declared = declare(module, out)
    helpers = _helpers(declared, name)
    probe = _Probe(declared, out, marks)
    functions: dict[str, T.Block] = {}
    try:
        for known in ("reset", "step", "view"):
            if known in declared.functions:
                functions[known] = probe.function(known)
        if section == "function" and name not in functions and name in declared.functions:
            probe.helper(declared.functions[name])
    except (TooLarge, TooDeep):
        out.add("E503", (text.count("\n"), 1), "too much is put in place of the calls of helpers")
    if not out.has_errors and declared.game is not None:
        _whole(declared, functions, out)
    # an enum with the glyphs of a layout may still come
    drawn = () if "State" in declared.lines else declared.layouts
    early = {declared.lines[name] for name in drawn}
    faults = [
        d for d in out.result() if d.severity == "error" and not _missing(d) and d.line not in early
    ]
    return SoFar(
        declared,
        section,
        name,
        empty,
        opened,
        tuple(sorted(probe.spots.values(), key=lambda spot: -spot.depth)),
        helpers,
        tuple((effect, seated) for effect, seated, _ in probe.outcomes),
        frozenset(probe.used_params | probe.used_layouts),
        frozenset(probe.used_verbs),
        functions,
        tuple(faults),
    )


def _missing(found: Diagnostic) -> bool:
    """Whether a finding only says that a part of the program is not there yet."""
    return found.code in ("E110", "E111") and (found.line, found.column) == (1, 1)


def _whole(declared: Declarations, functions: dict[str, T.Block], out: Diagnostics) -> None:
    """What the checker says of the sum of everything: cost, and room in the observation."""
    blocks = (functions.get(name, ()) for name in ("reset", "step", "view"))
    tree = tree_of(declared, *blocks)
    check_cost(tree, {"reset": 1, "step": 1, "view": 1, "State": 1, **declared.lines}, out)
    check_room(tree, declared.lines, out)


# --- what helpers take ----------------------------------------------------------------------------

MOST_TRIED, MOST_WAYS = 1500, 64
"""Of one helper: bodies that are checked, and ways to call it that are kept."""

_ON_GRIDS = ("Bool", "Int", "Float", "Enum")
_KNOWN: dict[str, tuple[Helper, ...]] = {}
"""What was found for a helper, by all that it depends on: a text is read once a line."""


def _helpers(declared: Declarations, open_name: str) -> tuple[Helper, ...]:
    """How each finished helper may be called, found by trying."""
    scalars: list[Type] = [BOOL, INT, FLOAT, POS, DIR, Scalar("Vec2")]
    scalars += [enum_type(name) for name in declared.enums]
    others: set[Type] = {f.type for f in declared.fields.values()}
    others |= {Grid(t) for t in scalars if isinstance(t, Scalar) and t.kind in _ON_GRIDS}
    kinds = [*scalars, *sorted(others - {*scalars}, key=repr)]
    told = repr((declared.fields, declared.enums, declared.rows, declared.params, declared.game))
    told += repr((declared.constants, [*declared.values], declared.layouts))
    found: list[Helper] = []
    for name, node in declared.functions.items():
        told += ast.dump(node)
        names = parameters(node)
        if name in ("reset", "step", "view", open_name) or names is None:
            continue
        if told not in _KNOWN:
            if len(_KNOWN) > 256:
                _KNOWN.clear()
            _KNOWN[told] = tuple(_ways(declared, name, names, kinds))
        found += _KNOWN[told]
    return tuple(found)


def _ways(
    declared: Declarations, name: str, names: list[str], kinds: list[Type]
) -> Iterator[Helper]:
    """Arguments from the left: a type that already fails with the others unknown is left."""
    options: list[list[Type | str]] = [
        [n] if n in ("s", "act", "acts") else [*kinds] for n in names
    ]
    rest: list[Type | str] = [n if n in ("s", "act", "acts") else POISON for n in names]
    stack: list[tuple[Type | str, ...]] = [()]
    tried = ways = 0
    while stack and tried < MOST_TRIED and ways < MOST_WAYS:
        args = stack.pop()
        tried += 1
        result = _tried(declared, name, (*args, *rest[len(args) :]))
        if result is None:
            continue
        if len(args) < len(names):
            stack += [(*args, kind) for kind in reversed(options[len(args)])]
        elif result != POISON:
            ways += 1
            yield Helper(name, args, result)


def _tried(declared: Declarations, name: str, args: tuple[Type | str, ...]) -> Type | None:
    """What a helper gives for arguments of these types, None where it does not take them."""
    out = Diagnostics()
    checker = Statements(declared, out)
    node = declared.functions[name]
    scope = Scope(name, pure=True)
    for parameter, kind in zip(parameters(node) or [], args):
        if isinstance(kind, str):
            scope.aliases[parameter] = kind
        else:
            scope.tree_names[parameter], scope.types[parameter] = f"{parameter}@0", kind
            scope.assigned.add(parameter)
    try:
        _, ended = checker.block(node.body, scope)
    except (TooLarge, TooDeep):
        return None
    return scope.returns if ended and not out.has_errors else None
