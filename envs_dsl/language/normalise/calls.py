"""Rewrites of calls: prefixes of libraries, Python's ``random``, looks and directions."""

from __future__ import annotations

import ast

from envs_dsl.language.builtins import TABLE
from envs_dsl.language.normalise.edits import Edit, Rewrite, Source
from envs_dsl.language.vocabulary import DIRS, TAGS

__all__ = ["REWRITES"]

_LIBRARIES = (
    "np", "jnp", "numpy", "math", "jax", "jax.numpy", "jax.lax", "jax.nn", "lax", "random",
    "np.random", "numpy.random", "builtins",
)  # fmt: skip

_OTHER_NAMES = {
    "maximum": "max", "fmax": "max", "minimum": "min", "fmin": "min", "absolute": "abs",
    "fabs": "abs", "rint": "round", "select": "where", "rand": "rand", "random": "rand",
    "gauss": "normal", "normalvariate": "normal", "norm": "length",
}  # fmt: skip

_NUMBERS = {"pi": "3.141592653589793", "tau": "6.283185307179586", "e": "2.718281828459045"}


def _library(node: ast.expr, source: Source) -> str | None:
    """The library that ``node`` names (``np``, ``jax.numpy``), if the program has no such name."""
    text = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    root = text.split(".")[0]
    return text if text in _LIBRARIES and root not in source.names else None


def prefix(node: ast.Attribute, source: Source) -> Edit | None:
    """``np.where`` → ``where``, ``math.pi`` → its value, ``random.random`` → ``rand``."""
    library = _library(node.value, source)
    if library is None or isinstance(source.parent(node), ast.Attribute):
        return None
    if node.attr in _NUMBERS:
        return source.replace(node, _NUMBERS[node.attr], f"{library}.{node.attr} written out")
    new = _OTHER_NAMES.get(node.attr, node.attr)
    if node.attr == "randint" and library != "random":
        return None  # its upper bound is not included: see below
    if new not in TABLE or new in ("and", "or", "not"):
        return None
    return source.replace(node, new, f"{library}.{node.attr} written as {new}")


def exclusive_randint(node: ast.Call, source: Source) -> Edit | None:
    """``np.random.randint(a, b)``, whose upper bound is not included."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=value, attr="randint" | "integers"),
            args=[low, high],
            keywords=[],
        ) if _library(value, source) in ("np.random", "numpy.random"):
            text = f"randint({source.of_node(low)}, {source.of_node(high)} - 1)"
            return source.replace(node, text, "np.random.randint written as randint")
    return None


def choice(node: ast.Call, source: Source) -> Edit | None:
    """``random.choice([a, b, c])`` → ``pick(a, b, c)``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=value, attr="choice"),
            args=[ast.List(elts=items) | ast.Tuple(elts=items)],
            keywords=[],
        ) if _library(value, source) and len(items) > 1:
            inner = ", ".join(
                " ".join(source.text[source.start(i) : source.end(i)].split()) for i in items
            )
            return source.replace(node, f"pick({inner})", "choice written as pick")
    return None


def logical(node: ast.Call, source: Source) -> Edit | None:
    """``np.logical_and(a, b)`` → ``a and b``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args, keywords=[]) if (
            _library(value, source)
        ):
            words = {"logical_and": "and", "logical_or": "or", "logical_not": "not"}
            word = words.get(attr)
            if word == "not" and len(args) == 1:
                text = f"not {source.of_node(args[0])}"
            elif word in ("and", "or") and len(args) == 2:
                text = f"{source.of_node(args[0])} {word} {source.of_node(args[1])}"
            else:
                return None
            return source.replace(node, source.bracket(node, text), f"{attr} written as {word}")
    return None


def float_of(node: ast.Call, source: Source) -> Edit | None:
    """``float(x)``: an Int widens by itself."""
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[value], keywords=[]) if (
            "float" not in source.names
        ):
            return source.replace(node, f"({source.of_node(value)} * 1.0)", "float(x) written out")
    return None


def direction(node: ast.Attribute, source: Source) -> Edit | None:
    """``Dir.UP`` → ``UP``."""
    match node:
        case ast.Attribute(value=ast.Name(id="Dir" | "Direction" | "Move" as name), attr=attr) if (
            attr in DIRS and name not in source.names
        ):
            return source.replace(node, attr, f"{name}.{attr} written as {attr}")
    return None


def tag_list(node: ast.keyword, source: Source) -> Edit | None:
    """``Look("#", "gray", tags=["solid"])`` → ``solid=True``."""
    match node:
        case ast.keyword(arg="tags", value=ast.List(elts=items) | ast.Tuple(elts=items)):
            words = [str(i.value) if isinstance(i, ast.Constant) else "" for i in items]
            if words and all(word in TAGS for word in words):
                text = ", ".join(f"{word}=True" for word in words)
                return source.replace(node, text, "tags=[...] written as options")
    return None


def grey(node: ast.Constant, source: Source) -> Edit | None:
    """``"grey"`` among looks."""
    inside = source.parent(node)
    look = isinstance(inside, ast.Call) and ast.unparse(inside.func) == "Look"
    if not look or not isinstance(node.value, str) or node.value not in ("grey", "darkgrey"):
        return None
    new = node.value.replace("grey", "gray")
    return source.replace(node, f'"{new}"', f"{node.value} written as {new}")


REWRITES: tuple[Rewrite, ...] = (
    (ast.Attribute, prefix),
    (ast.Call, exclusive_randint),
    (ast.Call, choice),
    (ast.Call, logical),
    (ast.Call, float_of),
    (ast.Attribute, direction),
    (ast.keyword, tag_list),
    (ast.Constant, grey),
)
