"""Programs out of answers, and out of programs that do not check."""

from __future__ import annotations

import itertools

import pytest
from scripted_model import SEEDS, fenced, variant

from envs_dsl import Program
from spade_jax.generator.llm import extract, repair
from spade_jax.generator.llm.extract import MOST_PROGRAMS, programs
from spade_jax.generator.llm.repair import Draft, better, judge, salvage

ONE = SEEDS[0].source.strip("\n") + "\n"
TWO = SEEDS[1].source.strip("\n") + "\n"
PLAIN = f"Sure! Here is the game you asked for:\n\n{ONE}\nI hope that the learner likes it."


@pytest.mark.parametrize(
    "answer",
    [
        ONE,
        fenced(ONE),
        f"```\n{ONE}```",
        f"~~~~ python\n{ONE}~~~~",
        f"  ```py\n{ONE}  ```",
        f"```python\n{ONE}",  # the fence is never closed
        ONE.replace("\n", "\r\n"),
        PLAIN,
        f"<think>\n```python\ndef step(s, act):\n    pass\n```\n</think>\n{fenced(ONE)}",
        f"I try this:\n{fenced(TWO)}\nNo, better:\n</think>\n{fenced(ONE)}",  # begun in the prompt
        f"<Think>a</Think>{TWO}<think>\nb\n</think>\n</think>\n{ONE}",
        f"```text\ntitle: a game\n```\n{fenced(ONE)}",
        f"{fenced(ONE)}\nCall it like this:\n```python\nx = play()\n```",
    ],
)
def test_one_program(answer: str) -> None:
    assert programs(answer) == (ONE,)


@pytest.mark.parametrize(
    "answer",
    [
        fenced(ONE) + "\n\n" + fenced(TWO),
        f"```python\n{ONE}\n{TWO}```",
        f"{ONE}\n\n{TWO}",
        f"```python\n{ONE}\n```python\n{TWO}\n```",  # the first fence is never closed
    ],
)
def test_two_programs(answer: str) -> None:
    assert programs(answer) == (ONE, TWO)


def test_parts_in_fences_of_their_own_are_one_program() -> None:
    head, _, tail = ONE.partition("def step(")
    (found,) = programs(
        f"The state:\n```python\n{head}```\nThe rules:\n```python\ndef step({tail}```"
    )
    assert Program.from_source(found).hashes.program == SEEDS[0].hashes.program


def test_of_an_answer_that_was_cut_off_the_torn_line_is_left_out() -> None:
    lines = ONE.split("\n")
    half = "\n".join(lines[:-4])
    assert programs(f"```python\n{half}\n    s.age", "length") == (half + "\n",)
    assert programs(f"{half}\n    s.age", "length") == (half + "\n",)
    assert programs(fenced(ONE) + "and so o", "length") == (ONE,)  # closed before it was cut


@pytest.mark.parametrize(
    "answer",
    ["", "no", "```\n```", "<think>def step(s):", "1. do this\n2. that", f"{ONE}</think>\nno"],
)
def test_no_program(answer: str) -> None:
    assert programs(answer) == ()


@pytest.mark.parametrize(
    "hostile",
    [
        "def f(" + ")" * 150_000,
        "```" + " " * 150_000 + "!\n" + "```\n" * 40_000,
        "game" + "\n" * 150_000 + "= Gam",
        '"""' * 60_000,
        "<think>" * 25_000,
        "</think>" * 25_000,
        fenced(ONE) * 500,
        ('"""a\n' * 12 + "game = Game()\n") * 3000,
    ],
)
def test_hostile_answers_take_no_time(hostile: str) -> None:
    # A pattern that is quadratic in any of these takes minutes.
    assert len(programs(hostile)) <= MOST_PROGRAMS


def test_each_block_of_an_answer_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    real = extract._has_step
    monkeypatch.setattr(extract, "_has_step", lambda text: looked.append(len(text)) or real(text))
    answer = "```\nA = 1\n```\n" * 10_000
    programs(answer)
    assert looked and sum(looked) <= len(answer)


def test_judging_mends_what_is_unambiguous() -> None:
    draft = judge(ONE.replace("def step(s, act):", "def step(self, act):").replace("and", "&&"))
    assert draft.program is None or draft.mended
    clean = judge(ONE)
    assert clean.program is not None and clean.mended == () and clean.source == ONE


def test_a_checker_that_fails_has_accepted_nothing(monkeypatch) -> None:
    def fail(text: str) -> None:
        raise RecursionError

    monkeypatch.setattr(repair, "check", fail)
    draft = judge(ONE)
    assert draft.program is None
    assert draft.error == "the checker failed to answer (RecursionError)"


def test_nearer_to_a_program_is_better() -> None:
    unread, wrong_name = judge("def step(:"), judge(variant(0).replace("s.agent", "s.agnt"))
    clean, senseless = judge(ONE), judge(ONE.replace("win()", "reward(0.1)"))
    assert wrong_name.codes[0].startswith("E2") and senseless.codes[0].startswith("E6")
    order = [Draft("", error="nothing"), unread, wrong_name, senseless, clean]
    for worse, nearer in itertools.pairwise(order):
        assert better(nearer, worse) and not better(worse, nearer)


def test_salvage_drops_the_statement_at_fault_and_no_more() -> None:
    wanted = variant(0).strip("\n")
    lines = wanted.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("def step")) + 1
    bad = ["    s.nothing = 1", "    if s.nowhere == 3:", "        reward(0.1)"]
    kept = salvage(judge("\n".join(lines[:at] + bad + lines[at:])))
    assert kept is not None and kept.source.strip("\n") == wanted


def test_salvage_keeps_the_longest_prefix() -> None:
    source = SEEDS[0].source.strip("\n")
    kept = salvage(
        judge(source + "\n    if s.agent == (((\n    what follows is noise\n    x = = 3")
    )
    assert kept is not None and kept.source.strip("\n") == source


@pytest.mark.parametrize("text", ["", "def step(:", "x = 1\n" * 300, "(" * 20_000, "\0"])
def test_what_holds_no_program_is_not_salvaged(text: str) -> None:
    assert salvage(judge(text)) is None


def test_a_missing_goal_is_not_salvaged_by_leaving_out_more() -> None:
    assert salvage(judge(SEEDS[0].source.replace("win()", "reward(0.1)"))) is None
