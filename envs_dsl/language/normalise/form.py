"""Rewrites of the form of a program: imports, classes, heads of functions, idle statements."""

from __future__ import annotations

import ast
import re

from envs_dsl.language.normalise.edits import Edit, Rewrite, Source

__all__ = ["REWRITES"]

_HEADS = {"reset": ("s",), "step": ("s", "act"), "view": ("s",)}
_TYPES = {"bool": "Bool", "Boolean": "Bool", "Position": "Pos", "Direction": "Dir"}


def imports(node: ast.stmt, source: Source) -> Edit:
    """``import jax``: every builtin is there already."""
    return source.without_line(node, "import dropped")


def main_block(node: ast.If, source: Source) -> Edit | None:
    """``if __name__ == "__main__":`` at the end."""
    match node.test:
        case ast.Compare(left=ast.Name(id="__name__")):
            return source.without_line(node, "if __name__ dropped")
    return None


def printing(node: ast.Expr, source: Source) -> Edit | None:
    """``print(...)``."""
    match node.value:
        case ast.Call(func=ast.Name(id="print")) if "print" not in source.names:
            return source.without_line(node, "print dropped")
    return None


def decorators(node: ast.FunctionDef | ast.ClassDef, source: Source) -> Edit | None:
    """``@dataclass``, ``@staticmethod`` and the like."""
    if not node.decorator_list:
        return None
    start = source.text.rfind("@", 0, source.start(node.decorator_list[0]))
    return Edit(start, source.start(node), "", "decorators dropped")


def bases(node: ast.ClassDef, source: Source) -> Edit | None:
    """``class State(NamedTuple)``, ``class Tile(IntEnum)``."""
    if node.decorator_list or len(node.bases) != 1 or node.keywords:
        return None
    base = node.bases[0]
    name = ast.unparse(base)
    if node.name == "State":
        start = source.text.rfind("(", 0, source.start(base))
        end = source.text.index(")", source.end(base)) + 1
        return Edit(start, end, "", f"State does not derive from {name}")
    if name in ("IntEnum", "enum.Enum", "enum.IntEnum", "StrEnum"):
        return source.replace(base, "Enum", f"{name} written as Enum")
    return None


def local_type(node: ast.AnnAssign, source: Source) -> Edit | None:
    """``x: Int = 3`` in a function, or for a constant."""
    inside = source.parent(node)
    if node.value is None or isinstance(inside, ast.ClassDef) or not _simple(node):
        return None
    start, end = source.end(node.target), source.start(node.value)
    between = source.text[start:end]
    new = " = " + "(" * (between.split("=")[-1].count("("))
    return Edit(start, end, new, "annotation of a name dropped")


def _simple(node: ast.AnnAssign) -> bool:
    return isinstance(node.target, ast.Name) and node.simple == 1


def returned_type(node: ast.FunctionDef, source: Source) -> Edit | None:
    """``def step(s, act) -> None:``."""
    if node.returns is None:
        return None
    start = source.text.rfind("->", 0, source.start(node.returns))
    start = len(source.text[:start].rstrip())
    return Edit(start, source.end(node.returns), "", "annotation of a function dropped")


def parameter_type(node: ast.arg, source: Source) -> Edit | None:
    """``def step(s: State, act: Action)``."""
    if node.annotation is None:
        return None
    start = source.start(node) + len(node.arg)
    return Edit(start, source.end(node.annotation), "", "annotation of a parameter dropped")


def missing_parameter(node: ast.FunctionDef, source: Source) -> Edit | None:
    """``def step(s):`` where one player acts."""
    if node.name != "step" or "players" in source.text or len(node.args.args) != 1:
        return None
    if node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
        return None
    end = source.end(node.args.args[0])
    return Edit(end, end, ", act", "parameter act added to step")


def spare_parameter(node: ast.FunctionDef, source: Source) -> Edit | None:
    """``def reset(s, key):`` where nothing reads ``key``."""
    wanted = _HEADS.get(node.name)
    if wanted is None or len(node.args.args) != len(wanted) + 1 or _odd(node.args):
        return None
    last, before = node.args.args[-1], node.args.args[-2]
    if last.annotation or before.annotation or _uses(node, last.arg):
        return None
    what = f"parameter {last.arg} of {node.name} dropped"
    return Edit(source.end(before), source.end(last), "", what)


def parameter_name(node: ast.arg, source: Source) -> Edit | None:
    """``def step(state, action)``: the parameters are called ``s`` and ``act``."""
    new = _renamed(node.arg, node, source)
    if new is None or node.annotation is not None:
        return None
    return source.replace(node, new, f"{node.arg} written as {new}")


def parameter_use(node: ast.Name, source: Source) -> Edit | None:
    """Uses of a parameter under another name, and ``self`` that is nowhere declared."""
    new = _renamed(node.id, node, source)
    if new is None and node.id in ("self", "state") and node.id not in source.names:
        function = source.function(node)
        if function is not None and "s" in [a.arg for a in function.args.args]:
            new = "s"
    return None if new is None else source.replace(node, new, f"{node.id} written as {new}")


def _renamed(name: str, node: ast.AST, source: Source) -> str | None:
    """What the parameter ``name`` of the function around ``node`` is called, if otherwise."""
    function = source.function(node)
    if function is None or function.name not in _HEADS or _odd(function.args):
        return None
    wanted = list(_HEADS[function.name])
    given = [a.arg for a in function.args.args]
    if len(given) != len(wanted) or name not in given or given.count(name) > 1:
        return None
    if function.name == "step" and re.search(r"\bplayers\s*=(?!\s*1\b)", source.text):
        alternate = re.search(r"\bturns\s*=\s*[\"']alternate", source.text)
        wanted[1] = "act" if alternate else "acts"
    new = wanted[given.index(name)]
    free = new not in given and not _uses(function, new)
    return new if new != name and free else None


def _odd(arguments: ast.arguments) -> bool:
    return bool(
        arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
    ) or bool(arguments.posonlyargs)


def _uses(function: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(function))


def type_names(node: ast.Name, source: Source) -> Edit | None:
    """``lit: bool`` among fields."""
    inside = source.parent(node)
    field = isinstance(inside, ast.AnnAssign) and inside.annotation is node
    new = _TYPES.get(node.id)
    if new is None or not field or source.function(node) or node.id in source.names:
        return None
    return source.replace(node, new, f"{node.id} written as {new}")


def truth(node: ast.Name, source: Source) -> Edit | None:
    """``true`` and ``false``."""
    if node.id not in ("true", "false") or node.id in source.names:
        return None
    return source.replace(
        node, node.id.capitalize(), f"{node.id} written as {node.id.capitalize()}"
    )


REWRITES: tuple[Rewrite, ...] = (
    ((ast.Import, ast.ImportFrom), imports),
    (ast.If, main_block),
    (ast.Expr, printing),
    ((ast.FunctionDef, ast.ClassDef), decorators),
    (ast.ClassDef, bases),
    (ast.AnnAssign, local_type),
    (ast.FunctionDef, returned_type),
    (ast.arg, parameter_type),
    (ast.FunctionDef, missing_parameter),
    (ast.FunctionDef, spare_parameter),
    (ast.arg, parameter_name),
    (ast.Name, parameter_use),
    (ast.Name, type_names),
    (ast.Name, truth),
)
