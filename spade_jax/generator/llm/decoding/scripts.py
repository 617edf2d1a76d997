"""The script of each shape of answer that is asked for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

from envs_dsl.language.grammar import SMALL, condition, grammar, read_so_far
from envs_dsl.language.parse import MAX_BYTES
from envs_dsl.program import check
from spade_jax.generator.llm.decoding.entity import EntityScript
from spade_jax.generator.llm.decoding.rule import RuleScript
from spade_jax.generator.llm.decoding.script import OneScript, Piece, Script
from spade_jax.generator.llm.decoding.whole import ProgramScript
from spade_jax.generator.llm.holes import Hole, hole_of

__all__ = ["script_for"]

MOST_JSON = 20_000

A_CONDITION = 56
"""Characters of a condition that a small model means; longer ones go round in circles."""


def script_for(shape: Mapping[str, Any], *, names: bool = True) -> Script | None:
    """The script of a ``Request.shape``; None for free text.

    Args:
      names: hold a program to the names that it declares; else to the form of a program alone.

    Raises:
      ValueError: a hole without a place.
    """
    if "program" in shape:
        return ProgramScript() if names else OneScript(Piece(grammar(), longest=MAX_BYTES))
    if "json" in shape:
        return OneScript(Piece(json.dumps(shape["json"]), json=True, longest=MOST_JSON))
    if "hole" in shape:
        source, hole = hole_of(shape)
        return _hole_script(source, hole)
    return None


def _hole_script(source: str, hole: Hole) -> Script:
    match hole.kind:
        case "constant":
            return OneScript(Piece(_number(hole)), _fits(source, hole))
        case "guard":
            known = read_so_far(_above(source, hole))
            simple = dataclasses.replace(SMALL, brackets=1)
            test = Piece(condition(known, hole.depth, simple), longest=A_CONDITION)
            # what stood there may be the only use of something
            joined = condition(known, hole.depth, simple, besides=hole.old)
            both = Piece(joined, longest=len(hole.old) + A_CONDITION)
            return OneScript(test, _fits(source, hole), both)
        case "rule":
            return RuleScript(source[: hole.start], source[hole.end :])
    return EntityScript(source)


def _fits(source: str, hole: Hole) -> Callable[[str], bool]:
    """Whether the program still checks with an answer in the hole, and is another one."""

    def fits(answer: str) -> bool:
        whole = source[: hole.start] + answer + source[hole.end :]
        return answer != hole.old and check(whole).ok

    return fits


def _above(source: str, hole: Hole) -> str:
    """The finished lines above a condition, whose brackets may have begun on an earlier line."""
    lines = source[: hole.start].split("\n")
    indent = "    " * hole.depth
    while len(lines) > 1 and not lines[-1].startswith((f"{indent}if", f"{indent}elif")):
        lines.pop()
    return "".join(f"{line}\n" for line in lines[:-1])


def _number(hole: Hole) -> str:
    """A number within bounds: whole ones are listed where they are few."""
    low, high = hole.low, hole.high
    if hole.whole and low is not None and high is not None and high - low < 200:
        listed = " | ".join(f'"{v}"' for v in range(int(low), int(high) + 1))
        return f'start: ({listed}) "\\n"\n'
    sign = '"-"? ' if low is None or low < 0 else ""
    if hole.whole:
        return f'start: {sign}/[1-9]?[0-9]/ "\\n"\n'
    return f'start: {sign}/[0-9]{{1,2}}\\.[0-9]{{1,2}}/ "\\n"\n'
