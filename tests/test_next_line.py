"""The grammar of the next line: every line of every program is in it, and no undeclared name."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from line_maker import accepts, logical_lines

from envs_dsl.language.declarations import RESERVED
from envs_dsl.language.grammar import (
    SMALL,
    WIDE,
    Debt,
    condition,
    debts,
    next_line,
    paying,
    read_so_far,
)
from envs_dsl.language.vocabulary import SKILLS, TAGS, VERBS

LIBRARY = Path(__file__).parent.parent / "envs_dsl" / "library"
PROGRAMS = sorted(LIBRARY.glob("*/*.py"))
FEW = ["seeds/camp", "games/tic_tac_toe"]
"""Arrays indexed by an enum; helpers and alternate turns."""


def refused(path: Path) -> list[str]:
    before, found = "", []
    for printed, flat in logical_lines(path.read_text(encoding="utf-8")):
        known = read_so_far(before)
        assert known.faults == ()
        if not accepts(next_line(known), flat):
            found.append(flat)
        before += printed
    return found


@pytest.mark.parametrize("name", FEW)
def test_every_line_of_a_program_is_taken(name: str) -> None:
    assert refused(LIBRARY / f"{name}.py") == []


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_every_line_of_every_program_is_taken(path: Path) -> None:
    assert refused(path) == []


def test_a_small_program_with_a_hidden_board_still_needs_one_to_be_seen() -> None:
    text = (LIBRARY / "games" / "fog_maze.py").read_text(encoding="utf-8")
    before, line, _ = text.partition("    board: Grid(Tile, outside=Tile.WALL) = Tile.DARK\n")
    small = next_line(before, SMALL)
    assert accepts(small, line)
    assert not accepts(small, "    more: Pos\n")


WORDS = {*RESERVED, *keyword.kwlist, *VERBS, *SKILLS, *TAGS, "solid", "row", "col", "move", "t"}


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_a_line_with_a_name_that_nobody_declared_is_refused(data: st.DataObject) -> None:
    path = LIBRARY / f"{data.draw(st.sampled_from(FEW))}.py"
    lines = logical_lines(path.read_text(encoding="utf-8"))
    inside = [i for i, (_, flat) in enumerate(lines) if flat.startswith("    ")]
    at = data.draw(st.sampled_from(inside[len(inside) // 2 :]))
    flat = lines[at][1]
    before = "".join(printed for printed, _ in lines[:at])
    declared = set(re.findall(r"[A-Za-z_]\w*", before))
    found = [m for m in re.finditer(r"(?<![\w\"])[A-Za-z_]\w*", flat) if m[0] in declared - WORDS]
    if not found:
        return
    name = data.draw(st.sampled_from(found))
    wrong = f"{flat[: name.start()]}{name[0]}_zz{flat[name.end() :]}"
    if re.match(r"\s*(\w+ = |for )", wrong) and name.start() < 8 + len(flat) - len(flat.lstrip()):
        return  # a new local is a new name
    assert not accepts(next_line(before), wrong), wrong


BEGUN = '''"""Gather what there is and do not starve."""
game = Game(size=(7, 7), max_steps=60, verbs=["eat"])

LEAST = 3
GROW = Param(0.1, 0.0, 1.0, harder="down")


class Tile(Enum):
    GRASS = Look(".", "green")
    BUSH = Look("b", "red", item=True)


class Hare(Row):
    pos: Pos
    fed: Bool


class State:
    me: Pos
    board: Grid(Tile) = Tile.GRASS
    food: Int(0, 9) = 5
    hares: Table(Hare, 3)


def reset(s):
    s.me = random_cell(s.board == Tile.GRASS)


def step(s, act):
    near = nearest(s.board == Tile.BUSH, s.me)
    for hare in s.hares:
        if hare.fed:
            lucky = 1
'''

TAKEN = [
    "            s.food += lucky",
    "            kill(hare)",
    "            break",
    "        elif s.food < LEAST:",
    "        else:",
    "        hare.pos = try_move(hare.pos, toward(hare.pos, near))",
    "    if act.eat and s.board[s.me] == Tile.BUSH:",
    "    s.board = where(chance_grid(GROW), Tile.BUSH, s.board)",
    "    seen = count(s.board == Tile.BUSH) * 0.5",
    "    s.me = near if s.t > 3 else s.me + act.move",
    "    reward(0.1 * (s.food - 2))",
    "    lucky = 2",
    "    for lucky in dirs4():",
]
NOT_TAKEN = [
    ("an undeclared field", "    s.fod += 1"),
    ("an undeclared member", "    if s.board[s.me] == Tile.BUSHES:"),
    ("an undeclared column", "        hare.position = s.me"),
    ("an undeclared local", "    s.me = close"),
    ("an undeclared verb", "    if act.take:"),
    ("an undeclared helper", "    s.food = worth(s.me)"),
    ("a local that need not be there", "    s.food += lucky"),
    ("a row outside of its loop", "    kill(hare)"),
    ("a break outside of a loop", "    break"),
    ("an else without an if", "    else:"),
    ("a deeper block than there is", "                s.food = 1"),
    ("a cell compared with a number", "    if s.board[s.me] == 1:"),
    ("a place where a number is needed", "    s.food = s.me"),
    ("a Float where an Int is needed", "    s.food = 1.5"),
    ("a reward of a place", "    reward(s.me)"),
    ("a whole grid as a condition", "    if s.board == Tile.BUSH:"),
    ("a constant condition", "    if True:"),
    ("another type for a local", "    near = 3"),
    ("a name of the language", "    count = 3"),
    ("a second function of that name", "def step(s, act):"),
    ("a field that is only read", "    s.t = 0"),
    ("a value that nobody uses", "    s.food"),
]


@pytest.mark.parametrize("limits", [WIDE, SMALL], ids=["wide", "small"])
def test_lines_of_every_depth_are_taken(limits: object) -> None:
    grammar = next_line(BEGUN, limits)  # type: ignore[arg-type]
    lines = TAKEN if limits is WIDE else TAKEN[:-1]  # names are not used again in small programs
    assert [line for line in lines if not accepts(grammar, f"{line}\n")] == []


@pytest.mark.parametrize("limits", [WIDE, SMALL], ids=["wide", "small"])
def test_what_does_not_check_is_not_taken(limits: object) -> None:
    grammar = next_line(BEGUN, limits)  # type: ignore[arg-type]
    assert [what for what, line in NOT_TAKEN if accepts(grammar, f"{line}\n")] == []


def test_some_lines_must_follow_a_head() -> None:
    grammar = next_line(f"{BEGUN}    if act.eat:\n")
    assert accepts(grammar, "        win()\n")
    assert not accepts(grammar, "    win()\n")


def test_a_text_that_begins_no_program_is_told() -> None:
    for text in ("x = (\n", '"""Open', "def f(:\n", BEGUN + "  x = 1\n", "no line end"):
        with pytest.raises(ValueError):
            read_so_far(text)


def test_a_fault_that_only_the_whole_line_shows_is_told() -> None:
    assert read_so_far(BEGUN).faults == ()
    told = read_so_far(f"{BEGUN}    for k in range(9999):\n").faults
    assert [d.code for d in told] == ["E308"]


def test_a_condition_alone() -> None:
    grammar = condition(BEGUN, 1)
    assert accepts(grammar, "s.food < 3 and not act.eat:\n")
    assert not accepts(grammar, "s.food:\n")
    joined = condition(BEGUN, 1, besides="s.t > 3 or act.eat")
    assert accepts(joined, "(s.t > 3 or act.eat) and s.food < 3:\n")
    assert not accepts(joined, "s.food < 3:\n")
    with pytest.raises(ValueError):
        condition(BEGUN, 7)


# --- what is owed ---------------------------------------------------------------------------------


def test_debts_are_what_the_checker_would_tell() -> None:
    owed = debts(read_so_far(BEGUN))
    assert owed == (
        Debt("write", "board"),
        Debt("write", "food"),
        Debt("read", "food"),
        Debt("write", "hares"),
        Debt("verb", "eat"),
        Debt("param", "GROW"),
        Debt("win"),
    )


@pytest.mark.parametrize(
    ("debt", "line", "other"),
    [
        (Debt("write", "food"), "    s.food = 3\n", "    near = s.me\n"),
        (Debt("read", "food"), "    if s.food == 0:\n", "    if s.t == 0:\n"),
        (Debt("write", "hares"), "    spawn(s.hares, pos=s.me)\n", "    s.food = 3\n"),
        (Debt("verb", "eat"), "    if act.eat:\n", "    if s.food == 1:\n"),
        (Debt("param", "GROW"), "    if chance(GROW):\n", "    if chance(0.5):\n"),
        (Debt("win"), "    if s.food > 8:\n", "    s.food = 3\n"),
    ],
)
def test_a_paying_line_settles_its_debt(debt: Debt, line: str, other: str) -> None:
    known = read_so_far(BEGUN)
    grammar = paying(known, debt)
    assert accepts(grammar, line)
    assert not accepts(grammar, other)
    if debt.kind != "win":
        assert debt not in debts(read_so_far(BEGUN + line))


@pytest.mark.parametrize("end", ["", "class Hare", "class State", "def reset"])
def test_outside_of_functions_nothing_is_paid(end: str) -> None:
    known = read_so_far(BEGUN.partition(end)[0] if end else "")
    assert {paying(known, debt) for debt in debts(known)} == {""}


def test_the_win_stands_under_a_condition() -> None:
    known = read_so_far(f"{BEGUN}    if s.food > 8:\n")
    assert accepts(paying(known, Debt("win")), "        win()\n")
