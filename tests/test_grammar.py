"""The generated grammars take every bundled program and no text that has not a program's form.

Three engines that know nothing of one another: llguidance and the lark package on the Lark grammar,
and a recogniser of our own on the GBNF one.
"""

from __future__ import annotations

import functools
from pathlib import Path

import lark
import llguidance
import pytest
import yaml
from adversarial import cases
from gbnf_recogniser import Recogniser

from envs_dsl.__main__ import main
from envs_dsl.language.builtins import BUILTINS
from envs_dsl.language.diagnostics import Diagnostics
from envs_dsl.language.ebnf import Expr, gbnf, identifier, regex
from envs_dsl.language.ebnf import lark as in_lark
from envs_dsl.language.grammar import FORMATS, grammar
from envs_dsl.language.parse import MAX_BLOCKS, MAX_BRACKETS, MAX_BYTES, MAX_LINE, parse
from envs_dsl.language.unparse import comments_of, unparse
from envs_dsl.language.vocabulary import COLORS, DIRS, SKILLS, TAGS, VERBS
from envs_dsl.program import check
from envs_dsl.reference.examples import codes, read_example

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE.parent / "envs_dsl" / "library").glob("*/*.py"))
BY_FEATURE = ["seeds/sumo", "games/tic_tac_toe", "games/minesweeper", "ports/breakout_minatar"]
"""Few for the slow engines: contests, alternate turns, Hidden, tables, helpers, view."""


@functools.cache
def matcher() -> llguidance.LLMatcher:
    text = llguidance.LLMatcher.grammar_from_lark(grammar("lark"))
    found = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), text)
    assert not found.get_error()
    return found


def accepts(text: str) -> bool:
    """llguidance's answer."""
    state = matcher().deep_copy()
    data = list(text.encode("utf-8", "surrogatepass"))
    return state.try_consume_tokens(data) == len(data) and bool(state.is_accepting())


@functools.cache
def by_lark() -> lark.Lark:
    return lark.Lark(grammar("lark"), parser="earley", start="start")


def lark_accepts(text: str) -> bool:
    try:
        by_lark().parse(text)
    except lark.exceptions.UnexpectedInput:
        return False
    return True


@functools.cache
def by_gbnf() -> Recogniser:
    return Recogniser(grammar("gbnf"))


def source(name: str) -> str:
    return (HERE.parent / "envs_dsl" / "library" / f"{name}.py").read_text(encoding="utf-8")


def canonical_text(text: str) -> str:
    module = parse(text, Diagnostics())
    assert module is not None
    return unparse(module, comments_of(text))


# --- what is taken ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_every_bundled_program_is_taken_as_written_and_in_canonical_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert accepts(text)
    assert accepts(canonical_text(text))


def test_right_examples_of_the_reference_are_taken() -> None:
    right = [code.example.right_text for code in codes() if code.example.right_text]
    assert [text for text in right if not accepts(text)] == []


@pytest.mark.parametrize("name", BY_FEATURE)
def test_the_other_engines_take_programs_too(name: str) -> None:
    assert lark_accepts(source(name))
    assert by_gbnf().accepts(source(name))


DECLARED = '''"""Reach the flag."""
game = Game(size=(5, 5), max_steps=20, verbs=["use"], skills=["navigation"], camera="board")

EDGE = 3
FLAG = Pos(-1, 2)
AIM = Vec2(-0.5, 1)
WAY = UP

class Tile(Enum):
    FLOOR = Look(".", "black")

FREE = Tile.FLOOR

class State:
    board: Grid(Tile, outside=FREE) = FREE
    at: Pos = Pos(EDGE, -EDGE)
    flag: Pos = FLAG
    speed: Vec2(-EDGE, EDGE) = AIM

def reset(s):
    s.board[s.at] = FREE
    s.flag = random_cell(s.board == FREE)

def step(s, act):
    s.at = try_move(s.at, WAY)
    s.speed = s.speed + AIM
    if act.use and s.at == s.flag and s.speed.x > 0.5:
        win()
'''


def test_every_form_of_declaration_is_taken() -> None:
    assert check(DECLARED).ok
    assert accepts(DECLARED)
    assert lark_accepts(DECLARED)
    assert by_gbnf().accepts(DECLARED)


def test_every_word_of_the_language_stands_in_both_grammars() -> None:
    words = {row.name for row in BUILTINS} | {*COLORS, *TAGS, *VERBS, *SKILLS, *DIRS}
    for format in FORMATS:
        text = grammar(format)  # type: ignore[arg-type]
        assert [word for word in sorted(words) if word not in text] == []


# --- what is not --------------------------------------------------------------------------------


def beyond_grammar(text: str, code: str) -> bool:
    """Faults that no grammar of this size tells: lengths, depths, and names given twice."""
    depth, deepest = 0, 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    long = len(text) > MAX_BYTES or any(len(line) > MAX_LINE for line in text.split("\n"))
    return code == "E103" or (code == "E100" and (long or deepest > MAX_BRACKETS))


def faulty() -> list[tuple[str, str]]:
    found = [
        (case.name, case.text)
        for case in cases()
        if any(code.startswith("E1") for code, _ in case.verdict)
        and not any(beyond_grammar(case.text, code) for code, _ in case.verdict)
        and case.name not in TWICE | PYTHONS_LIMITS
    ]
    for file in sorted((HERE / "diagnostics").glob("*.yaml")):
        for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
            example = read_example(entry)
            told = [d.code for d in example.expected]
            if any(code.startswith("E1") for code in told) and not any(
                beyond_grammar(example.text, code) for code in told
            ):
                found.append((f"{file.stem}: {example.name}", example.text))
    return found


TWICE = {"names: a column twice", "python: one parameter twice"}
PYTHONS_LIMITS = {"unreadable: 12000 minus signs over lines"}
"""What is well formed and too deep for Python's parser, in any version."""


def test_no_text_without_the_form_of_a_program_is_taken() -> None:
    texts = faulty()
    assert len(texts) > 150
    assert [name for name, text in texts if accepts(text)] == []


def test_the_other_engines_refuse_such_texts_too() -> None:
    texts = [text for _, text in faulty() if len(text) < 2000][::12]
    assert not any(lark_accepts(text) for text in texts)
    assert not any(by_gbnf().accepts(text) for text in texts[::2])


FRAME = '''"""Reach the exit in time."""
game = Game(size=(5, 5), max_steps=9)
class State:
    p: Pos
def reset(s):
    s.p = Pos(0, 0)
def step(s, act):
{body}
    if s.p == Pos(3, 3):
        win()
'''
GOOD = [
    "    s.p = s.p + act.move",
    "    x = (1 +  # one\n      2)\n    s.p = Pos(x, x)",
    "    x = min(\n        1,\n        2,\n    )\n    s.p = Pos(x, 1)",
    "\n    # a comment\n\n    s.p = s.p + act.move  # and another\n  # at any column\n",
    "    importance = 1\n    s.p = Pos(importance, 1)",
    "    if_x = not (1 == 2) and (2 == 2)\n    if if_x:\n        s.p = Pos(1, 1)",
    "    x = 1 if 1 == 1 else 2 if 2 == 2 else 3\n    s.p = Pos(x, -x)",
    "    for i in range(2):\n        if i == 1:\n            break\n        continue",
    "    return",
    "    sp = 1.5e3 - -2.5 * 0.5\n    s.p = Pos(floor(sp), 3 // 2 % 2)",
]
BAD = [
    "    s.p = s.p + act.move;",
    "     s.p = s.p",
    "   s.p = s.p",
    "\ts.p = s.p",
    "    import os",
    "    x = lambda",
    "    class_ = class",
    "    x = 1if 1 == 1 else 2",
    "    x = 1 if1 == 1 else 2",
    "    x = notx or y z",
    "    x = a andb",
    "    x = (1 + 2",
    "    x = 1 + 2)",
    "    x = 1 +\n      2",
    "    x == 1",
    "    x = y = 1",
    "    x = 1 < 2 < 3",
    "    x = [1]",
    "    x = (1, 2)",
    "    x = (1,)",
    "    x = s.p()",
    "    x = 'a'",
    "    x = None",
    "    x = 01",
    "    x = manhattan(s.p)",
    "    x = win()",
    "    win",
    "    break",
    "    return 1",
    "    if x:\n    y = 1",
    "    if x:\n            y = 1",
    "    else:\n        y = 1",
    "    while x:\n        y = 1",
    "    x = f(a=1)",
    "    x = f(*a)",
    "    def f(x):\n        return x",
]


@pytest.mark.parametrize("engine", [accepts, lark_accepts, lambda text: by_gbnf().accepts(text)])
def test_small_bodies(engine: object) -> None:
    assert callable(engine)
    assert [b for b in GOOD if not engine(FRAME.format(body=b))] == []
    assert [b for b in BAD if engine(FRAME.format(body=b))] == []


def test_blocks_nest_as_deep_as_the_checker_allows() -> None:
    def nested(depth: int) -> str:
        # the body of step is the first block
        lines = [f"{'    ' * k}if s.t == {k}:" for k in range(1, depth)]
        return FRAME.format(body="\n".join([*lines, "    " * depth + "s.p = s.p"]))

    assert accepts(nested(MAX_BLOCKS))
    assert parse(nested(MAX_BLOCKS), Diagnostics()) is not None
    assert not accepts(nested(MAX_BLOCKS + 1))
    assert parse(nested(MAX_BLOCKS + 1), Diagnostics()) is None


# --- the parts ------------------------------------------------------------------------------------


def test_identifiers_are_all_names_but_the_reserved() -> None:
    import re

    names = re.compile(regex(identifier(["if", "in", "int", "x"])))
    for word in ("i", "ifs", "inn", "inte", "intx", "xx", "y", "_", "If", "a1", "in_"):
        assert names.fullmatch(word), word
    for word in ("if", "in", "int", "x", "", "1a", "a-b", "a b"):
        assert not names.fullmatch(word), word


def test_both_spellings_of_a_small_grammar() -> None:
    from envs_dsl.language.ebnf import Chars, Ref, choice, maybe, some

    rules: dict[str, Expr] = {
        "start": (Ref("WORD"), maybe(choice("a/b", 'say "x"'), Ref("WORD"))),
        "WORD": some(Chars("a-z")),
    }
    assert in_lark(rules) == 'start: WORD (("a/b" | "say \\"x\\"") WORD)?\nWORD: /[a-z]+/\n'
    assert gbnf(rules) == 'root ::= word (("a/b" | "say \\"x\\"") word)?\nword ::= [a-z]+\n'


@pytest.mark.parametrize("format", FORMATS)
def test_the_command_prints_it(format: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grammar", "--format", format]) == 0
    assert capsys.readouterr().out == grammar(format)  # type: ignore[arg-type]


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ValueError, match="'bnf': use lark or gbnf"):
        grammar("bnf")  # type: ignore[arg-type]
