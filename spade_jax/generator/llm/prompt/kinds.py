"""The requests: ideas, a program from an idea, an edit, a hole to fill, a repair."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envs_dsl.language.vocabulary import SKILLS
from spade_jax.generator.llm.holes import Hole
from spade_jax.generator.llm.messages import Message
from spade_jax.generator.llm.prompt import modules
from spade_jax.generator.llm.prompt.aim import direction_of
from spade_jax.generator.llm.prompt.budget import Part, fit, tokens_of
from spade_jax.generator.llm.prompt.failures import findings_of, told
from spade_jax.generator.llm.prompt.idea import Idea, render_idea
from spade_jax.generator.llm.prompt.modules import Brief
from spade_jax.generator.llm.prompt.quote import one_line
from spade_jax.generator.llm.prompt.texts import VERSION, files_hash, render, words

__all__ = ["BLANK", "ORDER", "Prompt", "edit", "hole", "ideas", "program", "repair"]

BLANK = "<<HERE>>"
"""Stands in a program where the piece that is asked for belongs."""

_HOLE_WISH = {
    "easier": "the player wins more often",
    "same": "the rules make sense together",
    "harder": "the player wins less often",
}

ORDER: Mapping[str, tuple[tuple[str, int], ...]] = {
    "ideas": (
        ("failures", 2), ("shots", 1), ("existing", 2), ("pool", 2), ("failures", 1), ("shots", 0),
        ("profile", 2), ("guidance", 1), ("tests", 1), ("existing", 1), ("failures", 0),
        ("pool", 1), ("tests", 0), ("guidance", 0), ("profile", 1), ("existing", 0), ("pool", 0),
        ("profile", 0),
    ),
    "program": (
        ("failures", 2), ("shots", 3), ("pool", 2), ("failures", 1), ("shots", 2), ("reference", 1),
        ("pool", 1), ("profile", 1), ("guidance", 1), ("tests", 1), ("shots", 1), ("pool", 0),
        ("failures", 0), ("tests", 0), ("guidance", 0), ("reference", 0), ("profile", 0),
        ("shots", 0),
    ),
    "edit": (
        ("failures", 2), ("shots", 1), ("pool", 1), ("failures", 1), ("shots", 0), ("reference", 1),
        ("pool", 0), ("profile", 1), ("guidance", 1), ("tests", 1), ("failures", 0), ("tests", 0),
        ("guidance", 0), ("profile", 0), ("reference", 0),
    ),
    "hole": (
        ("failures", 1), ("shots", 1), ("reference", 1), ("failures", 0), ("shots", 0),
        ("guidance", 0), ("reference", 0),
    ),
    "repair": (("shots", 0), ("reference", 0)),
}  # fmt: skip
"""Kind of request → the parts in the order in which they give way, and how many of its shorter
forms each keeps at that point (examples and failures: how many of them are left).

Parts that are not named never give way: the role, the prohibitions and the task itself.
"""


@dataclasses.dataclass(frozen=True)
class Prompt:
    """What is sent, and what is kept of how it was made.

    Attributes:
      messages: a system and a user message.
      receipt: JSON values: ``version``, ``files`` (hash of the prompt's files), ``hash`` (of those
        and the messages), ``kind``, ``parts`` (name → which of its forms, from 0, the fullest),
        ``left_out`` (for want of room), ``tokens`` and ``budget``, ``shots`` (program hashes),
        ``failures`` (how many), ``aim``.
    """

    messages: tuple[Message, ...]
    receipt: Mapping[str, Any]


def ideas(brief: Brief, count: int = 4, known: Iterable[str] = ()) -> Prompt:
    """Ask for ``count`` ideas; ``known``: titles of ideas had already. ``parse_ideas`` reads them.

    Raises:
      TooLong: the budget is too small for the task itself.
    """
    titles = "\n".join(one_line(title, 80) for title in list(known)[-20:])
    task = render("ask_ideas", count=count, known=titles, skills=SKILLS, theme=brief.aim.theme.text)
    parts = [
        modules.profile(brief),
        modules.pool(brief),
        modules.existing(brief),
        modules.shots(brief),
        modules.failures(brief),
        modules.guidance(brief, whole=True),
        modules.prohibitions(brief),
        modules.tests(brief),
    ]
    return _prompt("ideas", brief, [modules.role(brief), modules.world(brief)], parts, task)


def program(brief: Brief, idea: Idea | None = None, lines: int = 80) -> Prompt:
    """Ask for a program of at most ``lines`` lines that carries out an idea.

    Without one, theme and mechanism are those of the aim.

    Raises:
      TooLong: the budget is too small for reference and task.
    """
    task = render("ask_program", idea=render_idea(idea) if idea else "", lines=lines)
    parts = [
        modules.profile(brief),
        modules.pool(brief),
        modules.shots(brief),
        modules.failures(brief),
        modules.guidance(brief, whole=idea is None),
        modules.prohibitions(brief),
        modules.tests(brief),
    ]
    language = modules.reference(brief, skills=idea.skills if idea else ())
    return _prompt("program", brief, [modules.role(brief), language], parts, task)


def edit(brief: Brief, source: str, change: str = "", success: float | None = None) -> Prompt:
    """Ask for a program changed so that ``change`` ("a key is needed for the gate").

    Args:
      brief: as for all. source: the program. change: by the aim if "".
      success: the learner's on the program; which way difficulty goes is then decided by it.

    Raises:
      TooLong: the budget is too small for the program; take a shorter one.
    """
    brief = _towards_target(brief, success)
    change = one_line(change, 400) or _wish(brief)
    task = render("ask_edit", source=source, change=change, success=success)
    parts = [
        modules.profile(brief),
        modules.pool(brief),
        modules.shots(brief),
        modules.failures(brief),
        modules.guidance(brief, parent=success),
        modules.prohibitions(brief),
        modules.tests(brief),
    ]
    start = [modules.role(brief), modules.reference(brief, source=source, optional=True)]
    return _prompt("edit", brief, start, parts, task)


def hole(
    brief: Brief, source: str, place: Hole, change: str = "", success: float | None = None
) -> Prompt:
    """Ask for one piece of a program (see ``generator.llm.holes``).

    Args:
      brief: as for all. source: the program. place: one of its holes, which ``BLANK`` marks in what
        is sent. change: what the piece should bring about; a direction of difficulty if "".
      success: the learner's on the program; which way difficulty goes is then decided by it.

    Raises:
      TooLong: the budget is too small for the program.
    """
    brief = _towards_target(brief, success)
    task = render(
        "ask_hole",
        kind=place.kind,
        blank=BLANK,
        source=source if place.kind == "entity" else _marked(source, place),
        about=one_line(place.about),
        wanted=place.wanted,
        old=place.old,
        change=one_line(change, 400) or _HOLE_WISH[brief.aim.direction],
    )
    parts = [modules.shots(brief), modules.failures(brief), modules.guidance(brief, parent=success)]
    start = [modules.role(brief), modules.reference(brief, source=source, optional=True)]
    return _prompt("hole", brief, start, parts, task)


def _marked(source: str, place: Hole) -> str:
    """The program with ``BLANK`` where the answer will stand."""
    mark = BLANK
    if place.kind == "rule":  # whole lines, indentation and all
        mark = "    " * place.depth + BLANK + ("" if place.old else "\n")
        if not place.old and not source[: place.start].endswith("\n"):
            mark = f"\n{mark}"
    return source[: place.start] + mark + source[place.end :]


def repair(
    brief: Brief,
    source: str,
    diagnostics: Iterable[Any] = (),
    error: str = "",
    reason: str = "",
    most: int = 3,
    success: float | None = None,
) -> Prompt:
    """Ask for a refused program mended.

    Args:
      brief: as for all. source: the program. diagnostics: ``envs_dsl.Diagnostic`` records, or their
        JSON form; the first ``most`` errors are told, each with line and hint.
      error: where a later stage refused it, its line. reason: its code, for advice.
      success: the learner's on the program that it was made from, as for an edit.

    Raises:
      TooLong: the budget is too small for the program.
    """
    brief = _towards_target(brief, success)
    lines = source.split("\n")
    found = []
    for finding in findings_of(diagnostics)[:most]:
        found.append(told(finding))
        if 1 <= finding.line <= len(lines):
            found.append(f"    {lines[finding.line - 1].strip()[:120]}")
    task = render(
        "ask_repair",
        source=source,
        findings="\n".join(found),
        error=one_line(error, 400),
        advice=words()["advice"].get(reason, ""),
    )
    start = [modules.role(brief), modules.reference(brief, source=source, optional=True)]
    return _prompt("repair", brief, start, [modules.shots(brief)], task)


def _towards_target(brief: Brief, success: float | None) -> Brief:
    """The brief with the direction that a program of that success is to be moved in."""
    if success is None:
        return brief
    direction = direction_of(success, brief.context)
    return dataclasses.replace(brief, aim=dataclasses.replace(brief.aim, direction=direction))


def _wish(brief: Brief) -> str:
    """What an edit should bring about, from the aim."""
    aim = brief.aim
    parts = [f"it exercises {aim.skill} ({words()['skills'][aim.skill]})"]
    if aim.direction != "same":
        parts.append(f"it becomes {aim.direction}")
    return " and ".join(parts)


def _prompt(
    kind: str, brief: Brief, system: Sequence[Part], user: Sequence[Part], task: str
) -> Prompt:
    def messages(texts: Mapping[str, str]) -> tuple[Message, ...]:
        first = [texts[part.name] for part in system]
        second = [*(texts[part.name] for part in user), task]
        return (
            Message("system", "\n\n".join(filter(None, first))),
            Message("user", "\n\n".join(filter(None, second))),
        )

    parts = [*system, *user]
    chosen = fit(
        parts, ORDER[kind], brief.budget, lambda texts: tokens_of(messages(texts), brief.count)
    )
    texts = {part.name: part.forms[chosen[part.name]] for part in parts}
    sent = messages(texts)
    shown, told_of = (
        next((len(p.forms) - 1 - chosen[p.name] for p in parts if p.name == name), 0)
        for name in ("shots", "failures")
    )
    receipt = {
        "version": VERSION,
        "files": files_hash(),
        "hash": _hash(sent),
        "kind": kind,
        "parts": {name: chosen[name] for name, text in texts.items() if text},
        "left_out": [part.name for part in parts if part.forms[0] and not texts[part.name]],
        "tokens": tokens_of(sent, brief.count),
        "budget": brief.budget,
        "shots": [shot.program_hash for shot in brief.shots[:shown]],
        "failures": told_of,
        "aim": brief.aim.as_json(),
    }
    return Prompt(sent, receipt)


def _hash(messages: Sequence[Message]) -> str:
    """The prompt's: 16 hexadecimal digits over version, files and messages."""
    text = json.dumps([files_hash(), [[m.role, m.content] for m in messages]], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:16]
