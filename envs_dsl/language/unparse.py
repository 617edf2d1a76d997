"""Syntax tree → canonical text, in the style of the bundled programs.

``ast.unparse`` is not enough: it drops comments, quotes with ', and knows no line width.

The text depends on the tree alone, so that ``unparse(parse(unparse(m))) == unparse(m)``.
"""

from __future__ import annotations

import ast
import io
import tokenize
from typing import NamedTuple

__all__ = ["Comment", "comments_of", "unparse"]

WIDTH = 100
INDENT = "    "

_BINARY = {ast.Add: ("+", 9), ast.Sub: ("-", 9), ast.Mult: ("*", 10), ast.Div: ("/", 10),
           ast.FloorDiv: ("//", 10), ast.Mod: ("%", 10)}  # fmt: skip
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_CHOICE, _OR, _AND, _NOT, _COMPARED, _UNARY, _ATOM = 1, 2, 3, 4, 5, 11, 13


class Comment(NamedTuple):
    """A comment of a source text: its 1-based line, its text with the ``#``, alone on the line?"""

    line: int
    text: str
    alone: bool


def comments_of(source: str) -> list[Comment]:
    """All comments of a text that parses, in order."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            found.append(Comment(token.start[0], token.string.rstrip(), alone))
    return found


def unparse(module: ast.Module, comments: list[Comment] | None = None) -> str:
    """Canonical text of a program, ending in a newline.

    Args:
      module: a syntax tree of the language (``envs_dsl.language.parse``), possibly edited.
      comments: comments to keep, placed by the line numbers of the tree they were read with.

    Raises:
      ValueError: the tree holds a node that is not in the language.
    """
    printer = _Printer(comments or [])
    printer.module(module)
    return "\n".join(printer.lines) + "\n"


class _Printer:
    def __init__(self, comments: list[Comment]) -> None:
        self.lines: list[str] = []
        self.comments = list(comments)

    def module(self, module: ast.Module) -> None:
        previous: ast.stmt | None = None
        for i, node in enumerate(module.body):
            if previous is not None and not self._together(previous, node, second=i == 1):
                self.lines.append("")
            self.statement(node, "")
            previous = node
        self._flush(None, "")

    def _together(self, above: ast.stmt, below: ast.stmt, *, second: bool) -> bool:
        """Whether no blank line parts two top-level statements."""
        if second and _is_docstring(above):
            return isinstance(below, ast.Assign) and _target_name(below) == "game"
        if not (isinstance(above, ast.Assign) and isinstance(below, ast.Assign)):
            return False
        return _target_name(above) != "game" and not _is_layout(above)

    def _flush(self, node: ast.stmt | None, indent: str) -> None:
        """Print the comments that stand above ``node`` (all that are left, at the end)."""
        line = getattr(node, "lineno", 0) if node is not None else 1 << 30
        while self.comments and self.comments[0].line < line:
            self.lines.append(indent + self.comments.pop(0).text)

    def statement(self, node: ast.stmt, indent: str) -> None:
        self._flush(node, indent)
        start = len(self.lines)
        body = self._head(node, indent)
        if self.comments and not self.comments[0].alone:
            last = node.body[0].lineno - 1 if body else node.end_lineno  # type: ignore[attr-defined]
            if self.comments[0].line <= (last or 0):
                comment = self.comments.pop(0).text
                if len(self.lines) == start + 1 and len(self.lines[-1]) + len(comment) < WIDTH - 1:
                    self.lines[-1] += "  " + comment
                else:
                    self.lines.insert(start, indent + comment)
        for child in body:
            self.statement(child, indent + INDENT)
        if isinstance(node, ast.If) and node.orelse:
            self._else(node, indent)

    def _head(self, node: ast.stmt, indent: str) -> list[ast.stmt]:
        """Print the first line of a statement; returns the block under it."""
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                self.lines.append(indent + _docstring(text))
            case ast.Expr(value=value):
                self._long(value, indent, "", "")
            case ast.Assign(targets=[target], value=value):
                self._long(value, indent, f"{_text(target)} = ", "")
            case ast.AugAssign(target=target, op=op, value=value):
                self._long(value, indent, f"{_text(target)} {_symbol(op)}= ", "")
            case ast.AnnAssign(target=target, annotation=annotation, value=None):
                self._long(annotation, indent, f"{_text(target)}: ", "")
            case ast.AnnAssign(target=target, annotation=annotation, value=value) if value:
                self._long(value, indent, f"{_text(target)}: {_text(annotation)} = ", "")
            case ast.If(test=test, body=body):
                self._long(test, indent, "if ", ":")
                return body
            case ast.For(target=target, iter=iterable, body=body):
                self._long(iterable, indent, f"for {_text(target)} in ", ":")
                return body
            case ast.Return(value=None):
                self.lines.append(indent + "return")
            case ast.Return(value=value) if value:
                self._long(value, indent, "return ", "")
            case ast.Break() | ast.Continue() | ast.Pass():
                self.lines.append(indent + type(node).__name__.lower())
            case ast.FunctionDef(name=name, args=arguments, body=body):
                names = ", ".join(a.arg for a in arguments.args)
                self.lines.append(f"{indent}def {name}({names}):")
                return body
            case ast.ClassDef(name=name, bases=bases, body=body):
                base = f"({', '.join(_text(b) for b in bases)})" if bases else ""
                self.lines.append(f"{indent}class {name}{base}:")
                return body
            case _:
                raise ValueError(f"{type(node).__name__} is not in the language")
        return []

    def _else(self, node: ast.If, indent: str) -> None:
        only = node.orelse[0]
        if len(node.orelse) == 1 and isinstance(only, ast.If):
            start = len(self.lines)
            self.statement(only, indent)
            for i in range(start, len(self.lines)):  # comments above it may come first
                if self.lines[i].startswith(f"{indent}if "):
                    self.lines[i] = f"{indent}el{self.lines[i][len(indent) :]}"
                    break
            return
        self.lines.append(f"{indent}else:")
        for child in node.orelse:
            self.statement(child, indent + INDENT)

    def _long(self, node: ast.expr, indent: str, before: str, after: str, rank: int = 0) -> None:
        """Print an expression between two texts, over several lines where one does not hold it."""
        whole = indent + before + _text(node, rank) + after
        if len(whole) <= WIDTH:
            self.lines.append(whole)
            return
        deeper = indent + INDENT
        if (
            isinstance(node, ast.Call)
            and (node.args or node.keywords)
            and not _is_layout_call(node)
        ):
            self.lines.append(f"{indent}{before}{_text(node.func, _ATOM)}(")
            for arg in node.args:
                self._long(arg, deeper, "", ",")
            for keyword in node.keywords:
                self._long(keyword.value, deeper, f"{keyword.arg}=", ",")
            self.lines.append(f"{indent}){after}")
            return
        pieces = _pieces(node)
        if not pieces:
            self.lines.append(whole)
            return
        self.lines.append(f"{indent}{before}(")
        for word, part, inner in pieces:
            self._long(part, deeper, word, "", inner)
        self.lines.append(f"{indent}){after}")


def _pieces(node: ast.expr) -> list[tuple[str, ast.expr, int]]:
    """Where an operator expression may be broken: (text before, operand, rank it needs)."""
    match node:
        case ast.BoolOp(op=op, values=values):
            # `and` inside `or` keeps its parentheses: few readers are sure of the order
            word, rank = ("and ", _AND) if isinstance(op, ast.And) else ("or ", _AND)
            return [(word if i else "", v, rank + 1) for i, v in enumerate(values)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [("not ", operand, _NOT)]
        case ast.BinOp(left=left, op=op, right=right):
            rank = _BINARY[type(op)][1]
            return [("", left, rank), (f"{_symbol(op)} ", right, rank + 1)]
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            rest = [(f"{_COMPARE[type(o)]} ", c, _COMPARED + 1) for o, c in zip(ops, comparators)]
            return [("", left, _COMPARED + 1), *rest]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [("", body, _OR), ("if ", test, _OR), ("else ", orelse, _CHOICE)]
    return []


def _text(node: ast.expr, rank: int = 0) -> str:
    """One line of text, in parentheses where the place needs a higher rank than the node has."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=str(text)):
            return _docstring(text) if "\n" in text else _quoted(text)
        case ast.Constant(value=bool() | None as value):
            return str(value)
        case ast.Constant(value=int() | float() as value):
            return _bracket(repr(value), rank > _UNARY and value < 0)
        case ast.Attribute(value=value, attr=attr):
            return f"{_text(value, _ATOM)}.{attr}"
        case ast.Subscript(value=value, slice=index):
            return f"{_text(value, _ATOM)}[{_text(index)}]"
        case ast.Call(func=func, args=args, keywords=keywords):
            given = [_text(a) for a in args] + [f"{k.arg}={_text(k.value)}" for k in keywords]
            return f"{_text(func, _ATOM)}({', '.join(given)})"
        case ast.Tuple(elts=items):
            inner = ", ".join(_text(i) for i in items)
            return f"({inner},)" if len(items) == 1 else f"({inner})"
        case ast.List(elts=items):
            return f"[{', '.join(_text(i) for i in items)}]"
        case ast.BoolOp(op=op):
            own = _AND if isinstance(op, ast.And) else _OR
        case ast.UnaryOp(op=ast.Not()):
            own = _NOT
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _bracket(f"-{_text(operand, _UNARY)}", rank > _UNARY)
        case ast.BinOp(op=op):
            own = _BINARY[type(op)][1]
        case ast.Compare():
            own = _COMPARED
        case ast.IfExp():
            own = _CHOICE
        case _:
            raise ValueError(f"{type(node).__name__} is not in the language")
    parts = [f"{word}{_text(part, inner)}" for word, part, inner in _pieces(node)]
    return _bracket(" ".join(parts), rank > own)


def _bracket(text: str, needed: bool) -> str:
    return f"({text})" if needed else text


def _symbol(op: ast.operator) -> str:
    return _BINARY[type(op)][0]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _docstring(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'"""{escaped}"""'


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _target_name(node: ast.Assign) -> str:
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _is_layout_call(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Layout"
    )


def _is_layout(node: ast.Assign) -> bool:
    return _is_layout_call(node.value)
