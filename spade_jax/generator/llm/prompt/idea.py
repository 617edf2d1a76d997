"""Ideas as short structured text: how they are asked for, written and read back."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.generator.llm.prompt.quote import one_line
from spade_jax.generator.llm.thoughts import without_thoughts

__all__ = ["IDEAS_SCHEMA", "Idea", "parse_ideas", "render_idea"]

_MOST_TEXT, _MOST_LINE, _MOST_IDEAS = 100_000, 1_000, 20
_LENGTHS = {"title": 80, "player": 300, "hard": 300, "skills": 200, "theme": 120, "new": 300}

_NAMES = {
    "title": ("title", "name", "idea"),
    "player": ("player", "goal", "task", "objective", "player must", "what the player must do"),
    "hard": ("hard", "challenge", "difficulty", "what makes it hard", "obstacle"),
    "skills": ("skills", "skill", "tags"),
    "theme": ("theme", "setting"),
    "new": ("new", "novelty", "what is new", "difference"),
}
_FIELDS = {name: field for field, names in _NAMES.items() for name in names}

_IDEA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("title", "player", "hard")},
        "skills": {"type": "array", "items": {"enum": list(SKILLS)}, "minItems": 1},
        **{name: {"type": "string"} for name in ("theme", "new")},
    },
    "required": ["title", "player", "hard", "skills"],
}

IDEAS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"ideas": {"type": "array", "minItems": 1, "items": _IDEA}},
    "required": ["ideas"],
}
"""JSON schema of the same, for servers that can be held to one; ``parse_ideas`` reads it too."""


@dataclasses.dataclass(frozen=True)
class Idea:
    """A program in words.

    Attributes:
      title: a few words. player: what the player must do. hard: what makes it hard.
      skills: of the vocabulary. theme: what it is about. new: what no program of the pool has.
    """

    title: str
    player: str
    hard: str = ""
    skills: tuple[str, ...] = ()
    theme: str = ""
    new: str = ""


def render_idea(idea: Idea) -> str:
    """The idea in the form that is asked for, empty entries left out."""
    values = {**dataclasses.asdict(idea), "skills": ", ".join(idea.skills)}
    return "\n".join(
        f"{name}: {one_line(values[name], n)}" for name, n in _LENGTHS.items() if values[name]
    )


def parse_ideas(text: str) -> tuple[Idea, ...]:
    """The ideas in an answer, in order; none where there are none. Never raises.

    The form that is read::

        IDEA 1
        title: Oven watch
        player: carry every loaf out of the oven before it burns
        hard: loaves burn at different times
        skills: resource, navigation
        theme: baking bread
        new: things that spoil where they lie

    Headings may be missing, numbered otherwise or decorated (``**Title:** …``, ``1. title: …``,
    ``- title: …``); an entry may run over several lines; other names in use for an entry are
    understood; prose and fences around it, and a model's thoughts before it, are passed over. A
    JSON list of objects with these keys does as well. An idea needs a title or what the player must
    do; unknown skills are dropped; at most 20 ideas are read.
    """
    text = without_thoughts(text)[:_MOST_TEXT]
    raw = _from_json(text) or _from_lines(text)
    ideas = [idea for idea in map(_idea, raw) if idea is not None]
    return tuple(dict.fromkeys(ideas))[:_MOST_IDEAS]


def _from_json(text: str) -> list[dict[str, str]]:
    start = text.find("[")
    if start < 0 or not re.match(r"\[\s*\{", text[start:]):
        start = text.find("{")
    if start < 0:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return []
    if isinstance(value, dict):
        value = value.get("ideas", [value])
    if not isinstance(value, list):
        return []
    return [_named(item) for item in value[:_MOST_IDEAS] if isinstance(item, dict)]


def _named(item: Mapping[Any, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in item.items():
        field = _FIELDS.get(str(key).replace("_", " ").strip().lower())
        if field and isinstance(value, str | list):
            found.setdefault(
                field, value if isinstance(value, str) else ", ".join(map(str, value[:20]))
            )
    return found


_HEADING = re.compile(r"(?i)^\W*idea\s*(?:no\.?\s*|#\s*)?\d+\W*(.*)$")
_ENTRY = re.compile(
    r"^(?:\d{1,2}[.)]\W{0,4})?([A-Za-z][A-Za-z ]{1,30}?)[^\w:=]{0,4}[:=][\s*_\"']{0,6}(.*)$"
)


def _from_lines(text: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{}]
    current = ""
    for whole in text.splitlines():
        line = whole[:_MOST_LINE]
        heading = _HEADING.match(line)
        entry = _ENTRY.match(re.sub(r"^\W+", "", line))
        field = _FIELDS.get(entry[1].strip().lower()) if entry else None
        if heading and (field is None or field == "title"):
            found.append({"title": _bare(heading[1])} if _bare(heading[1]) else {})
            current = ""
        elif entry and field:
            if field in found[-1] and (field == "title" or found[-1].get("player")):
                found.append({})
            found[-1].setdefault(field, _bare(entry[2]))
            current = field
        elif not line.strip() or line.strip().startswith("```"):
            current = ""
        elif current:
            found[-1][current] += " " + _bare(line)
    return [item for item in found if item]


def _bare(text: str) -> str:
    return text.strip().strip('*_#"').strip()


def _idea(raw: Mapping[str, str]) -> Idea | None:
    values = {name: one_line(raw.get(name, ""), most) for name, most in _LENGTHS.items()}
    title, player = values["title"], values["player"]
    if len(title) + len(player) < 4:
        return None
    return Idea(
        title=title or one_line(player, 40),
        player=player or title,
        hard=values["hard"],
        skills=_skills(values["skills"]),
        theme=values["theme"],
        new=values["new"],
    )


def _skills(text: str) -> tuple[str, ...]:
    """Words of the vocabulary, also when they are bent a little: navigate, Puzzles."""
    found = re.findall(r"[a-z]+", text.lower())
    return tuple(s for s in SKILLS if any(s[:5] == word[:5] for word in found))
