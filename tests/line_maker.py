"""Programs cut into logical lines, and texts written at random under a grammar."""

from __future__ import annotations

import ast
import functools
import itertools

import pytest

import envs_dsl.language.unparse as printer
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.parse import parse
from spade_jax.generator.llm.decoding import noise
from spade_jax.generator.llm.decoding.guide import Guide, Vocabulary, byte_vocabulary
from spade_jax.generator.llm.decoding.script import Script


def logical_lines(text: str) -> list[tuple[str, str]]:
    """Canonical lines of a program, each with the blank lines above it: as printed, which may be
    broken in brackets, and unbroken."""
    module = parse(text, Diagnostics())
    assert module is not None
    printed = printer.unparse(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printer, "WIDTH", 1 << 20)
        flat = printer.unparse(module)
    return list(zip(_cut(printed), _cut(flat), strict=True))


def _cut(text: str) -> list[str]:
    starts: set[int] = set()

    def visit(body: list[ast.stmt]) -> None:
        for node in body:
            starts.add(node.lineno)
            visit(getattr(node, "body", []))
            rest = getattr(node, "orelse", [])
            if rest and not (isinstance(rest[0], ast.If) and rest[0].col_offset == node.col_offset):
                starts.add(rest[0].lineno - 1)
            visit(rest)

    visit(ast.parse(text).body)
    lines, found, done = text.split("\n"), [], 0
    ordered = [*sorted(starts), len(lines) + 1]
    for start, following in itertools.pairwise(ordered):
        end = following - 1
        while end > start and not lines[end - 1].strip():
            end -= 1
        found.append("".join(f"{line}\n" for line in lines[done:end]))
        done = end
    return found


@functools.cache
def bytes_alone() -> Vocabulary:
    return byte_vocabulary()


def accepts(grammar: str, text: str) -> bool:
    """Whether a Lark grammar takes a whole text (llguidance)."""
    matcher = bytes_alone().matcher(grammar)
    data = list(text.encode())
    return matcher.try_consume_tokens(data) == len(data) and bool(matcher.is_accepting())


def write_noise(script: Script, seed: int) -> Guide:
    """Let a random number generator write under a script."""
    return noise.write_noise(bytes_alone(), script, seed)[0]
