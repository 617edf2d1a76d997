"""From evidence to skills: one rule a skill, each of which says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envs_dsl.language.vocabulary import SKILLS
from envs_dsl.skills.evidence import Evidence, evidence_of

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["reasons", "verified_skills"]

STILL = 0.1
"""A world in which less than this share of levels changes by itself waits for the player."""
OFTEN = 0.5
"""A share of lost episodes that makes a threat of what ends them."""


def verified_skills(program: Program) -> tuple[str, ...]:
    """The skills that the program exercises, in the order of ``SKILLS``; may be none."""
    found = reasons(program)
    return tuple(skill for skill in SKILLS if skill in found)


def reasons(program: Program, found: Evidence | None = None) -> dict[str, str]:
    """Skill → why the program exercises it, in a few words.

    ``found`` is its evidence; None gathers it.
    """
    found = found or evidence_of(program)
    rules = {
        "navigation": _navigation(found),
        "manipulation": _manipulation(found),
        "resource": _resource(found),
        "avoidance": _avoidance(program, found),
        "memory": _memory(found),
        "puzzle": _puzzle(program, found),
        "continuous": _continuous(found),
        "contest": "seats win against each other" if program.tree.contest else "",
        "cooperation": _cooperation(program),
    }
    return {skill: why for skill, why in rules.items() if why}


def _navigation(e: Evidence) -> str:
    """Winning is a matter of where the player is: an arrival, or a collection among obstacles."""
    if e.arrivals:
        return f"winning means reaching a place ({_list(e.arrivals)})"
    if e.pickups and e.obstacles:
        return f"{_list(e.pickups)} grows by walking there, around obstacles"
    return ""


def _manipulation(e: Evidence) -> str:
    """Things are moved: pushed or changed ahead of the player, carried, or driven."""
    if e.pushed:
        return f"the player moves or changes what lies ahead ({_list(e.pushed)})"
    if e.driven:
        return f"winning hangs on rows that the player drives ({_list(e.driven)})"
    if e.carried:
        return f"what was picked up changes the world ({_list(e.carried)})"
    return ""


def _resource(e: Evidence) -> str:
    """A number is earned and spent."""
    return f"earned and spent: {_list(e.stocks)}" if e.stocks else ""


def _avoidance(program: Program, e: Evidence) -> str:
    """Something that moves ends the game by touch; or so does what is still, often; or idleness."""
    if e.dangers:
        return f"it moves, and its touch does harm ({_list(e.dangers)})"
    if e.pits and program.tree.contest:
        return f"a wrong step ends the game ({_list(e.pits)})"
    if e.pits and max(e.idle_loss, e.random_loss) >= OFTEN:
        return f"a wrong step ends the game, and often does ({_list(e.pits)})"
    if e.idle_loss >= OFTEN and not e.stocks and not e.steered:
        return "doing nothing loses"
    return ""


def _memory(e: Evidence) -> str:
    """What the game turns on is not to be seen all the time."""
    return f"the end depends on hidden {_list(e.hidden)}" if e.hidden else ""


def _puzzle(program: Program, e: Evidence) -> str:
    """The world waits for the player, and winning is more than arriving or hoarding.

    A contest is one where the seats have no places of their own, as in board games.
    """
    if program.tree.contest:
        return "" if e.bodies or e.steered else "a board game: the seats have no places"
    if e.idle_change >= STILL or e.steered or e.stocks:
        return ""
    if e.slides:
        return "the world waits, and the player slides"
    if e.arrivals and not e.pickups:
        return ""
    return "the world waits, and winning is more than to arrive"


def _continuous(e: Evidence) -> str:
    """The action drives smooth motion."""
    return f"the action drives smooth motion ({_list(e.steered)})" if e.steered else ""


def _cooperation(program: Program) -> str:
    shared = program.game.players > 1 and not program.tree.contest
    return "several seats win together" if shared else ""


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(name.partition(":")[2] or name for name in names)
