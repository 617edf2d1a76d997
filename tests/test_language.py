"""The front end: what it accepts, what it reports and where, costs and hashes."""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from envs_dsl import Program, ProgramError, check
from envs_dsl.language import CODES, render
from envs_dsl.language.builtins import TABLE
from envs_dsl.language.canonical import canonical

BASE = '''"""Walk to the exit before time runs out."""
game = Game(size=(5, 6), max_steps=20)

SLIP = Param(0.1, 0.0, 0.5, harder="up")
N = 3


class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)


class Bug(Row):
    pos: Pos
    hp: Int(0, 3) = 1


class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    bugs: Table(Bug, 3)
    x: Int(-5, 5)
    f: Float(0.0, 1.0)


def reset(s):
    s.agent = Pos(1, 1)
    s.board[random_cell(not at(s.agent))] = Tile.EXIT
    spawn(s.bugs, pos=Pos(2, 2))
    s.x = 1
    s.f = 0.5


def step(s, act):
    {body}
    if s.x == 5 and s.f > SLIP and not solid(s.board[s.agent]):
        for bug in s.bugs:
            s.x += bug.hp
    s.agent = s.agent + act.move
    if s.board[s.agent] == Tile.EXIT:
        win()
'''


def with_body(*lines: str) -> str:
    return BASE.replace("{body}", "\n    ".join(lines))


def codes(text: str) -> list[str]:
    return [d.code for d in check(text).diagnostics]


def test_base_program_is_fine() -> None:
    checked = check(with_body("pass"))
    assert checked.ok, render(checked.diagnostics, with_body("pass"))
    assert checked.diagnostics == ()


BAD_BODIES = [
    ("E102", ["while True:", "    pass"], 35, 5),
    ("E102", ["s.x = [1]"], 35, 11),
    ("E102", ["s.x = 2 ** 3"], 35, 11),
    ("E102", ["s.x = 1 if 1 < s.x < 3 else 2"], 35, 16),
    ("E201", ["s.x = foo"], 35, 11),
    ("E201", ["s.x = random_sell(1)"], 35, 11),
    ("E202", ["s.y = 1"], 35, 5),
    ("E202", ["s.board[s.agent] = Tile.EXT"], 35, 24),
    ("E202", ["if act.use:", "    s.x = 1"], 35, 8),
    ("E203", ["Tile = 3"], 35, 5),
    ("E301", ["s.x = 0.5"], 35, 11),
    ("E301", ["a = 1", "a = True", "s.x = a"], 36, 5),
    ("E302", ["if s.board[s.agent] == 1:", "    s.x = 1"], 35, 28),
    ("E303", ["s.x = s.agent + 1"], 35, 11),
    ("E303", ["s.x = manhattan(s.agent, 1)"], 35, 30),
    ("E304", ["if s.board == Tile.WALL:", "    s.x = 1"], 35, 8),
    ("E304", ["if s.x:", "    s.x = 1"], 35, 8),
    ("E305", ["s.bugs = 1"], 35, 5),
    ("E305", ["s.t = 1"], 35, 5),
    ("E306", ["if s.x > 1:", "    a = 1", "s.x = a"], 37, 11),
    ("E307", ["s.x = s.agent[0]"], 35, 19),
    ("E307", ["s.board[3] = Tile.WALL"], 35, 13),
    ("E308", ["for i in range(s.x):", "    s.x += i"], 35, 20),
    ("E308", ["s.x = 99999999999"], 35, 11),
    ("E101", ["s.x = min(1, b=2, b=3)"], 35, 23),
    ("E308", ["for i in range(2147483648, 2147483650):", "    s.x += i"], 35, 20),
    ("E308", ["for i in range(-99999999999999999999):", "    s.x += i"], 35, 20),
    ("E309", ["s.x = manhattan(s.agent)"], 35, 11),
    ("E311", ["s.x + 1"], 35, 5),
    ("E311", ["s.x = reward(0.1)"], 35, 11),
    ("E312", ["ring(Vec2(0.0, 0.0), 1.0, \"red\")"], 35, 5),
    ("E605", ["if True:", "    s.x = 1"], 35, 8),
    ("W701", ["a = s.x"], 35, 5),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "line", "column"), BAD_BODIES)
def test_each_finding_has_its_code_and_place(
    code: str, body: list[str], line: int, column: int
) -> None:
    # the body of step starts on this line of BASE
    start = BASE.split("\n").index("    {body}") + 1
    found = [(d.code, d.line - start + 35, d.column) for d in check(with_body(*body)).diagnostics]
    assert (code, line, column) in found


def test_chance_of_a_constant_is_no_constant_condition() -> None:
    assert codes(with_body("if chance(0.5):", "    s.x = 1")) == []


REPLACED = [
    ("E110", '"""Walk to the exit before time runs out."""', ""),
    ("E111", "game = Game(size=(5, 6), max_steps=20)", ""),
    ("E111", "def step(s, act):", "def step(s):"),
    ("E204", "max_steps=20", "max_step=20"),
    ("E204", '"black"', '"blck"'),
    ("E308", "size=(5, 6)", "size=(500, 6)"),
    ("E308", "Param(0.1, 0.0, 0.5", "Param(0.9, 0.0, 0.5"),
    ("E308", "f: Float(0.0, 1.0)", "f: Float(0.0, 1e-39)"),
    ("E308", "f: Float(0.0, 1.0)", "f: Players(Pos)"),
    ("E309", "f: Float(0.0, 1.0)", "f: Players"),
    ("E309", "f: Float(0.0, 1.0)", "f: Grid"),
    ("E309", "f: Float(0.0, 1.0)", "f: Array"),
    ("E301", "hp: Int(0, 3) = 1", "hp: Int(0, 3) = 7"),
    ("E402", "f: Float(0.0, 1.0)", "f: Float(0.0, 1.0)\n    b2: Grid(Tile)"),
    ("E601", "        win()", "        s.x = 2"),
    ("E602", "max_steps=20", 'max_steps=20, verbs=["use"]'),
    ("E603", "    s.f = 0.5\n", ""),
    ("E604", "s.f > SLIP and", "SLIP > 0.2 and"),
    ("E604", "s.f > SLIP and", "s.f > 0.2 and"),
    ("E606", "        win()", "        win(0)"),
    ("W702", "Walk to the exit before time runs out.", "Walk."),
]


@pytest.mark.parametrize(("code", "old", "new"), REPLACED)
def test_declarations_and_sense(code: str, old: str, new: str) -> None:
    text = with_body("pass")
    assert old in text
    assert code in codes(text.replace(old, new, 1))


def test_caps_are_enforced() -> None:
    big = [
        "for i in range(64):",
        "    s.x += count(flood(s.board == Tile.EXIT, s.board != Tile.WALL, 64))",
    ]
    assert "E501" in codes(with_body(*big))
    deep: list[str] = []
    for k in range(5):
        deep.append("    " * k + f"for i{k} in range(2):")
    deep.append("    " * 5 + "s.x += 1")
    assert "E506" in codes(with_body(*deep))


@pytest.mark.parametrize(("count", "code"), [(20, "E503"), (40, "E502")])
def test_nested_helpers_cannot_explode(count: int, code: str) -> None:
    helpers = ["def h0(x):\n    return x + 1\n"]
    for k in range(1, count):
        helpers.append(f"def h{k}(x):\n    return h{k - 1}(x) + h{k - 1}(x)\n")
    text = with_body(f"s.x = h{count - 1}(s.x)").replace(
        "def reset(s):", "\n".join(helpers) + "\ndef reset(s):"
    )
    assert codes(text) == [code]


def test_at_most_five_findings_in_source_order() -> None:
    body = [f"s.q{k} = 1" for k in range(9)]
    found = check(with_body(*body)).diagnostics
    assert len(found) == 5
    assert [d.line for d in found] == sorted(d.line for d in found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "é",
        "x" * 20_000,
        "(" * 100,
        "-" * 100 + "1",
        "a.b" * 30,
        "f'{x}'",
        "[x for x in y]",
        "lambda: 0",
        "import os",
        "@d\ndef f(): pass",
        "async def step(s, act): pass",
        "x: int = 3",
        "def f(*a, **k): pass",
        "game = Game(*x)",
        "game = Game(size=(9,), **{})",
        "class A(B): pass",
        "class State:\n  x = 1",
        "__import__('os')",
        "s.__class__",
        "print(1)",
        "(yield)",
        "x = y = 3",
        "for i in range(3):\n  pass\nelse:\n  pass",
        "game = Game(size=(1e999, 2))",
        "match x:\n  case 1: pass",
        "class Tile(Enum):\n    A = Look(1, 2, solid=3)",
        "X = Param(1j, 0, 1)",
        "X = 99999999999999999999",
    ],
)
def test_rubbish_gets_findings_never_an_exception(text: str) -> None:
    checked = check(text)
    assert not checked.ok
    assert checked.diagnostics
    assert all(d.code in CODES and d.code != "E900" for d in checked.diagnostics)


def test_checking_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Python would make a syntax error of its warning
        assert codes(with_body("s.x = 1if s.x == 1else 2")) == []


def test_every_code_used_is_declared() -> None:
    import envs_dsl.language as language

    folder = language.__path__[0]
    import pathlib
    import re

    used = set()
    for file in pathlib.Path(folder).glob("*.py"):
        used |= set(re.findall(r'"([EW]\d{3})"', file.read_text()))
    assert used <= set(CODES)
    assert set(CODES) <= used


def test_hashes_say_what_is_the_same() -> None:
    text = with_body("a = s.x + 1", "s.x = a")
    first = Program.from_source(text).hashes
    renamed = Program.from_source(
        text.replace("a = s.x + 1", "bb = 1 + s.x").replace("s.x = a", "s.x = bb")
    )
    assert renamed.hashes == first
    number = Program.from_source(text.replace("s.x + 1", "s.x + 2")).hashes
    assert number.skeleton == first.skeleton
    assert number.program != first.program
    param = Program.from_source(text.replace("Param(0.1", "Param(0.2")).hashes
    assert (param.skeleton == first.skeleton, param.program == first.program) == (True, False)
    steps = Program.from_source(text.replace("max_steps=20", "max_steps=21")).hashes
    assert (steps.skeleton == first.skeleton, steps.program == first.program) == (True, False)
    other = Program.from_source(text.replace("s.x + 1", "s.x - 1")).hashes
    assert other.skeleton != first.skeleton
    dead = Program.from_source(text.replace("s.x = a", "s.x = a\n    zz = s.x * 3")).hashes
    assert dead == first


@pytest.mark.parametrize("value", ["2 + s.x", "(randint(0, 3) - 1) + randint(0, 3)"])
def test_canonical_form_is_idempotent(value: str) -> None:
    tree = Program.from_source(with_body(f"a = {value}", "s.x = a")).tree
    assert canonical(tree) == tree


def test_cost_counts_by_hand() -> None:
    """One more ``s.x = s.x + 1``: add of two scalars is 1, the store to a scalar field is 1.

    A trip of a loop and a store to a local cost 1 too: nothing that is repeated is free.
    """
    # the cost is that of the dearer of reset and step: make it step's
    dear = "s.x = count(flood(s.board == Tile.EXIT, s.board != Tile.WALL, 9))"
    plain = Program.from_source(with_body(dear)).cost
    one = Program.from_source(with_body(dear, "s.x = s.x + 1")).cost
    looped = Program.from_source(with_body(dear, "for i in range(7):", "    s.x = s.x + 1")).cost
    assert one.work - plain.work == 2
    assert looped.work - plain.work == 7 * (1 + 2)
    local = Program.from_source(with_body(dear, "y = s.x", "s.x = y")).cost
    assert local.work - plain.work == 2


def test_params_at_moves_between_the_bounds() -> None:
    program = Program.from_source(with_body("pass"))
    assert program.params_at(0.5).tolist() == pytest.approx([0.1])
    assert program.params_at(0.0).tolist() == [0.0]
    assert program.params_at(1.0).tolist() == [0.5]
    assert program.params_at(0.75).tolist() == pytest.approx([0.3])
    assert program.default_params().dtype == "float32"


def test_program_error_says_the_first_error() -> None:
    with pytest.raises(ProgramError, match=r"E201 \d+:\d+ unknown name foo"):
        Program.from_source(with_body("s.x = foo"))


def test_table_rows_are_documented_and_unique() -> None:
    assert all(row.doc for row in TABLE.values())
    assert all(ast.parse(f"{name}") for name in TABLE if name not in ("and", "or", "not"))


def test_checking_imports_neither_jax_nor_numpy() -> None:
    code = (
        "import sys, envs_dsl; envs_dsl.check('x = 1');"
        "sys.exit(any(m in sys.modules for m in ('jax', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_threads_may_check_at_once() -> None:
    """CPython 3.11 keeps the parser's depth in one place for all threads."""
    text = with_body("s.x = ((((1 + s.x) * 2) - 3) * (4 - s.x))")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: codes(text), range(200)))
    assert answers == [[]] * 200
