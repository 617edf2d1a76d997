"""Crossover: carry one feature of a donor (a field, a table, a kind of tile) into another program.

Everything that mentions the feature comes along; what it needs besides is bound to the recipient by
type (player to player, board to board, floor to floor, tiles of the same name or tags to each
other) and otherwise declared anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from random import Random

from envs_dsl.language.types import Scalar
from envs_dsl.language.vocabulary import VERBS
from envs_dsl.mutate.patch import extend
from envs_dsl.mutate.subject import Subject, called, clone, statements

__all__ = ["graft"]

MAX_STATEMENTS = 14


def graft(subject: Subject, donor: Subject, rng: Random) -> bool:
    """Carry a feature of ``donor`` into ``subject``; False where the two cannot be joined."""
    mine, theirs = subject.player(), donor.player()
    if mine is None or theirs is None or mine.type != theirs.type:
        return False
    features = _features(donor)
    if not features:
        return False
    parts = _Parts(donor, rng.choice(features))
    if not parts.collect():
        return False
    binding = _Binding(subject, donor, parts, rng)
    return binding.bind() and binding.write()


def _features(donor: Subject) -> list[str]:
    """What may be carried: ``s.field`` or ``Enum.MEMBER``, written that way."""
    player, board, floor = donor.player(), donor.board(), donor.floor()
    kept = {player.name if player else "", board[0].name if board else ""}
    found = [f"s.{f.name}" for f in donor.tree.fields if f.name not in kept]
    if board is not None:
        found += [f"{board[1].name}.{m}" for m in board[1].members if m != floor]
    return found


def _mentions(node: ast.AST) -> set[str]:
    """Dotted names ``s.field`` and ``Enum.MEMBER``, and plain names, below a node."""
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name):
            found.add(f"{n.value.id}.{n.attr}")
        elif isinstance(n, ast.Name):
            found.add(n.id)
    return found


def _assigned(node: ast.AST) -> set[str]:
    """Locals that a statement assigns (loop variables are its own business)."""
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


class _Parts:
    """The statements of the donor that make a feature, in order, for reset and for step."""

    def __init__(self, donor: Subject, feature: str) -> None:
        self.donor, self.features = donor, {feature}
        self.chosen: dict[str, set[int]] = {"reset": set(), "step": set()}

    def collect(self) -> bool:
        """Close over the locals that are needed; False when it grows too large or is empty."""
        for name, chosen in self.chosen.items():
            body = self.donor.function(name).body
            chosen |= {i for i, n in enumerate(body) if _mentions(n) & self.features}
            while True:
                needed = set().union(*(_mentions(body[i]) for i in chosen)) if chosen else set()
                more = {i for i, n in enumerate(body) if _assigned(n) & needed} - chosen
                more = {i for i in more if any(i < j for j in chosen)}
                if not more:
                    break
                chosen |= more
        total = sum(len(c) for c in self.chosen.values())
        return bool(self.chosen["step"]) and total <= MAX_STATEMENTS

    def statements(self, name: str) -> list[ast.stmt]:
        body = self.donor.function(name).body
        return [clone(body[i]) for i in sorted(self.chosen[name])]


class _Binding:
    """Names of the donor → names of the recipient, and what must be declared for them."""

    def __init__(self, subject: Subject, donor: Subject, parts: _Parts, rng: Random) -> None:
        self.subject, self.donor, self.parts, self.rng = subject, donor, parts, rng
        self.names: dict[
            str, str
        ] = {}  # plain names, and dotted ones as ``s.field``, ``Enum.MEMBER``
        self.fields: list[ast.stmt] = []
        self.lines: list[ast.stmt] = []
        self.members: list[ast.stmt] = []
        self.helpers: list[ast.stmt] = []
        self.verbs: list[str] = []
        self.code = {name: parts.statements(name) for name in parts.chosen}

    def bind(self) -> bool:
        """Find a partner for every name the code mentions; False where there is none."""
        mine, theirs = self.subject.player(), self.donor.player()
        assert mine is not None and theirs is not None
        self.names[f"s.{theirs.name}"] = f"s.{mine.name}"
        for _ in range(8):  # declarations mention further names
            known = set(self.names)
            for name in sorted(self._mentioned() - known):
                if not self._one(name):
                    return False
            if not self._mentioned() - set(self.names):
                return True
        return False

    def _mentioned(self) -> set[str]:
        nodes: Iterable[ast.AST] = (
            *self.code["reset"], *self.code["step"], *self.fields, *self.lines, *self.helpers
        )  # fmt: skip
        return set().union(*(_mentions(n) for n in nodes))

    def _one(self, name: str) -> bool:
        self.names.setdefault(name, name)
        owner, _, attr = name.partition(".")
        if attr:
            if owner == "s":
                return attr == "t" or self._field(attr)
            if owner == "act":
                self.verbs += [attr] if attr in VERBS else []
                return True
            enum = next((e for e in self.donor.tree.enums if e.name == owner), None)
            return enum is None or self._member(owner, attr)
        for node in self.donor.module.body:
            if isinstance(node, ast.Assign) and name in _assigned(node) and name != "game":
                return self._declare(self.lines, name, node)
            if isinstance(node, ast.ClassDef) and node.name == name and name != "State":
                return self._class(name, node)
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return self._declare(self.helpers, name, node)
        local = any(name in _assigned(self.donor.function(f)) for f in ("reset", "step"))
        if local and name in self.subject.names():
            self.names[name] = self.subject.fresh(name)
        return True

    def _field(self, name: str) -> bool:
        """Bind a field to one of the same type, or declare it and bring what sets it at reset."""
        field = self.donor.tree.field(name)
        board, own = self.donor.board(), self.subject.board()
        if board is not None and field.name == board[0].name:
            if own is None or self.subject.floor() is None:
                return False
            self.names[f"s.{name}"] = f"s.{own[0].name}"
            return True
        player = self.subject.player()
        same = [
            f.name
            for f in self.subject.tree.fields
            if f.type == field.type and isinstance(f.type, Scalar) and f is not player
        ]
        if same and f"s.{name}" not in self.parts.features and self.rng.random() < 0.4:
            self.names[f"s.{name}"] = f"s.{self.rng.choice(same)}"
            return True
        for item in self.donor.klass("State").body:
            if isinstance(item, ast.AnnAssign) and _target(item) == name:
                self.fields.append(clone(item))
                self.names[f"s.{name}"] = f"s.{self.subject.fresh(name)}"
                return self._follow(f"s.{name}")
        return False

    def _follow(self, feature: str) -> bool:
        """Bring the statements of a further feature as well."""
        self.parts.features.add(feature)
        if not self.parts.collect():
            return False
        self.code = {name: self.parts.statements(name) for name in self.parts.chosen}
        return True

    def _member(self, enum: str, member: str) -> bool:
        """Bind a member of the board's enum: floor, same name, same tags, or added."""
        board, own = self.donor.board(), self.subject.board()
        if board is None or board[1].name != enum:
            return True  # an enum of its own comes along as a class
        if own is None:
            return False
        mine = own[1]
        self.names[enum] = mine.name
        look = board[1].looks[board[1].members.index(member)]
        floor = self.subject.floor()
        if member == self.donor.floor() and floor is not None:
            partner = floor
        elif member in mine.members:
            partner = member
        else:
            alike = [
                m for m, k in zip(mine.members, mine.looks) if look.tags and k.tags == look.tags
            ]
            if alike and self.rng.random() < 0.5:
                partner = alike[0]
            else:
                item = next(
                    n
                    for n in self.donor.klass(enum).body
                    if isinstance(n, ast.Assign) and member in _assigned(n)
                )
                partner = self.subject.fresh(member)
                added = clone(item)
                added.targets[0].id = partner
                self.members.append(added)
        self.names[f"{enum}.{member}"] = f"{mine.name}.{partner}"
        return True

    def _class(self, name: str, node: ast.ClassDef) -> bool:
        board = self.donor.board()
        if board is not None and name == board[1].name:
            return self.names.get(name, name) != name or self.subject.board() is not None
        return self._declare(self.lines, name, node)

    def _declare(self, into: list[ast.stmt], name: str, node: ast.stmt) -> bool:
        self.names[name] = self.subject.fresh(name)
        into.append(clone(node))
        return True

    def write(self) -> bool:
        """Put everything into the recipient, renamed."""
        subject, rename = self.subject, _Rename(self.names)
        for block in (self.fields, self.lines, self.helpers, *self.code.values()):
            block[:] = [rename.visit(n) for n in block]
        body = subject.module.body
        state_at = body.index(subject.klass("State"))
        body[state_at:state_at] = [n for n in self.lines if isinstance(n, ast.ClassDef)]
        constants = [n for n in self.lines if isinstance(n, ast.Assign)]
        last = max(i for i, n in enumerate(body) if isinstance(n, ast.Assign))
        body[last + 1 : last + 1] = constants
        first = next(i for i, n in enumerate(body) if isinstance(n, ast.FunctionDef))
        body[first:first] = self.helpers
        subject.klass("State").body += self.fields
        board = subject.board()
        if board is not None:
            subject.klass(board[1].name).body += self.members
        if self.verbs:
            extend(subject.game, "verbs", self.verbs)
        step = self.code["step"]
        if self.rng.random() < 0.5:
            step = [_Calm().visit(n) for n in step]
        subject.function("reset").body += self.code["reset"]
        target = subject.function("step").body
        at = len(target) if self.rng.random() < 0.6 else self.rng.randrange(len(target) + 1)
        target[at:at] = step
        return True


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name):
            dotted = self.names.get(f"{node.value.id}.{node.attr}")
            if dotted is not None:
                owner, _, attr = dotted.partition(".")
                if owner in ("s", "act") or f"{node.value.id}.{node.attr}" != dotted:
                    return ast.Attribute(ast.Name(owner, ast.Load()), attr, node.ctx)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.name = self.names.get(node.name, node.name)
        node.body = [self.visit(n) if isinstance(n, ast.AnnAssign) else n for n in node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        for arg in node.args.args:
            arg.arg = self.names.get(arg.arg, arg.arg)
        node.body = [self.visit(n) for n in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        """A field or column: its own name is bound as ``s.name``; a column keeps its name."""
        name = _target(node)
        bound = self.names.get(f"s.{name}", f"s.{name}").partition(".")[2]
        node.target = ast.Name(bound, ast.Store())
        node.annotation = self.visit(node.annotation)
        node.value = self.visit(node.value) if node.value is not None else None
        return node


class _Calm(ast.NodeTransformer):
    """Pay a little where the donor won: the recipient keeps its own goal."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return statements("reward(0.1)")[0] if called(node.value) == "win" else node


def _target(node: ast.AnnAssign) -> str:
    return node.target.id if isinstance(node.target, ast.Name) else ""
