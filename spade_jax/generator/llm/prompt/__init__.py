"""The prompt: what is asked of a language model, as a pure function of the run's state.

A ``Brief`` holds what every request is made from; ``ideas``, ``program``, ``edit``, ``hole`` and
``repair`` turn it into a ``Prompt``: messages that keep to a budget of tokens, and a receipt::

    wanted = aims(context, 1)[0]
    brief = brief_of(context, wanted, rng_of(context, 1), budget=2_500, failures=kept)
    asked = ideas(brief, count=4)                # → back end → parse_ideas(answer)
    asked = program(brief, idea)                 # → back end → a program text
"""

from spade_jax.generator.llm.prompt.aim import (
    DIRECTIONS,
    Aim,
    aim,
    aims,
    direction_of,
    rng_of,
    skill_weights,
)
from spade_jax.generator.llm.prompt.budget import TooLong, estimate, tokens_of
from spade_jax.generator.llm.prompt.failures import Failure, failure_of, recent_failures
from spade_jax.generator.llm.prompt.idea import IDEAS_SCHEMA, Idea, parse_ideas, render_idea
from spade_jax.generator.llm.prompt.kinds import (
    BLANK,
    ORDER,
    Prompt,
    edit,
    hole,
    ideas,
    program,
    repair,
)
from spade_jax.generator.llm.prompt.modules import Brief, brief_of
from spade_jax.generator.llm.prompt.quote import fenced
from spade_jax.generator.llm.prompt.shots import (
    SOURCES,
    Shot,
    bundled_shots,
    choose_shots,
    corpus_shots,
    pool_shots,
)
from spade_jax.generator.llm.prompt.texts import VERSION, files_hash
from spade_jax.generator.llm.prompt.themes import Theme, draw_theme, families, themes

__all__ = [
    "BLANK",
    "DIRECTIONS",
    "IDEAS_SCHEMA",
    "ORDER",
    "SOURCES",
    "VERSION",
    "Aim",
    "Brief",
    "Failure",
    "Idea",
    "Prompt",
    "Shot",
    "Theme",
    "TooLong",
    "aim",
    "aims",
    "brief_of",
    "bundled_shots",
    "choose_shots",
    "corpus_shots",
    "direction_of",
    "draw_theme",
    "edit",
    "estimate",
    "failure_of",
    "families",
    "fenced",
    "files_hash",
    "hole",
    "ideas",
    "parse_ideas",
    "pool_shots",
    "program",
    "recent_failures",
    "render_idea",
    "repair",
    "rng_of",
    "skill_weights",
    "themes",
    "tokens_of",
]
