"""Ideas are read back from what a model writes, however sloppily."""

from __future__ import annotations

import json

import pytest

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.generator.llm.prompt import IDEAS_SCHEMA, Idea, parse_ideas, render_idea

OVEN = Idea(
    title="Oven watch",
    player="carry every loaf out of the oven before it burns",
    hard="loaves burn at different times",
    skills=("navigation", "resource"),
    theme="baking bread",
    new="things that spoil where they lie",
)
TIDE = Idea(
    title="Tide line",
    player="dig a ditch before the sea comes",
    hard="the sea rises faster each time",
    skills=("puzzle",),
)
PLAIN = f"IDEA 1\n{render_idea(OVEN)}\n\nIDEA 2\n{render_idea(TIDE)}\n"


def test_what_is_written_is_read() -> None:
    assert parse_ideas(PLAIN) == (OVEN, TIDE)


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here are the ideas:\n\n```\n{PLAIN}```\nLet me know.",
        PLAIN.replace("IDEA ", "### Idea #").replace("title:", "**Title:**"),
        PLAIN.replace("title:", "- **title**:").replace("player:", "* player:"),
        PLAIN.replace("IDEA 1\n", "").replace("IDEA 2\n", ""),
        PLAIN.replace("IDEA 1\ntitle: ", "Idea 1: ").replace("IDEA 2\ntitle: ", "Idea 2 - "),
        PLAIN.replace("IDEA 1\n", "").replace("IDEA 2\n", "").replace("title", "1. Title"),
        PLAIN.replace("player:", "Goal:").replace("hard:", "What makes it hard:"),
        PLAIN.replace("the oven before", "the oven\n  before"),
        PLAIN.replace("\n", "\r\n"),
        f"<think>IDEA 1\ntitle: no\nplayer: not this one</think>{PLAIN}",
        f"IDEA 1\ntitle: no\nplayer: not this one\n</think>{PLAIN}",
        f"<thinking>{'well, ' * 30_000}</thinking>{PLAIN}",
        "**IDEA 1**\n" + PLAIN.partition("\n")[2],
    ],
    ids=[
        "prose", "headings", "bullets", "bare", "title-in-heading", "numbered", "other-names",
        "two-lines", "crlf", "thoughts", "begun-in-the-prompt", "long-thoughts", "bold-heading",
    ],
)  # fmt: skip
def test_sloppy_answers_are_read(text: str) -> None:
    assert parse_ideas(text) == (OVEN, TIDE)


def test_json_is_read_too() -> None:
    names = ("title", "player", "hard", "theme", "new")
    value = [{**{k: getattr(i, k) for k in names}, "skills": i.skills} for i in (OVEN, TIDE)]
    assert parse_ideas(json.dumps(value)) == (OVEN, TIDE)
    assert parse_ideas(f"```json\n{json.dumps({'ideas': value}, indent=2)}\n```") == (OVEN, TIDE)
    assert set(IDEAS_SCHEMA["properties"]["ideas"]["items"]["properties"]) >= set(value[0])


def test_missing_entries_and_unknown_skills() -> None:
    found = parse_ideas("IDEA 1\ntitle: Kite\nskills: Navigate, puzzles, flying\n")
    assert found == (Idea("Kite", "Kite", skills=("navigation", "puzzle")),)
    assert parse_ideas("player: fly the kite") == (Idea("fly the kite", "fly the kite"),)


def test_the_same_idea_twice_is_one() -> None:
    assert parse_ideas(PLAIN + PLAIN) == (OVEN, TIDE)


@pytest.mark.parametrize(
    "text",
    ["", "\0\ufffe", "IDEA 1\n", "[{", "{" * 5_000, "[" * 100_000, "title:", "no ideas today",
     "{}", "[1, 2]", '{"ideas": 3}', "<think>on and on"],
)  # fmt: skip
def test_nothing_comes_of_nothing(text: str) -> None:
    assert parse_ideas(text) == ()


def test_endless_answers_are_bounded() -> None:
    many = "".join(f"IDEA {i}\ntitle: number {i}\nplayer: {'go ' * 500}\n" for i in range(500))
    found = parse_ideas(many)
    assert len(found) == 20
    assert all(len(idea.player) <= 300 for idea in found)
    assert parse_ideas("title" * 30_000) == ()
    assert parse_ideas("*" * 100_000) == () and parse_ideas("title " * 20_000) == ()


def test_every_skill_is_a_word_of_its_own() -> None:
    for skill in SKILLS:
        assert parse_ideas(f"title: abcd\nskills: {skill}")[0].skills == (skill,)
