"""What a language model would be asked next: made as a run makes it, and shown instead of sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from envs_dsl import check
from spade_jax.errors import UserError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.ensemble import told
from spade_jax.generator.llm.asked import failed
from spade_jax.generator.llm.asking import Asking
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.generator.llm.prompt import Prompt
from spade_jax.generator.llm.repair import Draft
from spade_jax.generator.llm.rounds import Round
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.types import Context, Outcome

__all__ = ["Kind", "model_of", "preview"]

Kind = Literal["ideas", "program", "edit", "hole", "repair"]

_RUNG: Mapping[Kind, str] = {"edit": "edit", "hole": "holes"}


class _Nobody:
    """A back end that nothing is sent to."""

    name = "nobody"

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        raise AssertionError("a prompt was to be shown, not sent")

    def close(self) -> None:
        """Nothing was started."""


def model_of(
    context: Context,
    config: LlmConfig | None = None,
    generator: str = "",
    state: Mapping[str, Any] | None = None,
    outcomes: Sequence[Outcome] = (),
) -> tuple[LanguageModel, Context]:
    """The language model of a run between two rounds, and what it will be told.

    Args:
      context: of the next round. config: settings of the run's models.
      generator: what the run calls its generator. state: that generator's, from a checkpoint.
      outcomes: of the last round, which it has not been told yet.

    Returns:
      The first language model among the run's sources, or one that knows nothing yet where there is
      none; and the context, with the seed that an ensemble gives to this source.

    Raises:
      UserError: the state is not a language model's.
    """
    sources = (state or {}).get("sources", {generator: state})
    for place, (label, own) in enumerate(sources.items()):
        if not isinstance(own, Mapping) or "ladder" not in own:
            continue
        recorded = label.startswith("recorded:")  # what it proposes bears the model's own name
        name = next((o.proposal.generator for o in outcomes), label) if recorded else label
        model = LanguageModel(_Nobody(), config, name=name)
        try:
            model.load_state_dict(own)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"the state of {label} cannot be read: {error!r}") from None
        model.observe(outcomes)
        return model, told(context, place) if len(sources) > 1 else context
    return LanguageModel(_Nobody(), config), context


def preview(
    model: LanguageModel, context: Context, kind: Kind, skill: str | None = None, n: int = 1
) -> Prompt:
    """The first prompt of one kind in a round.

    Everything is chosen and drawn by what a run uses (``asking``, ``rounds``), for all proposals of
    the round, since one random stream serves them in turn; without a ``skill`` it is what a run
    would send. Where the round would have no proposal of that kind, its first one becomes one. Two
    things a run gets from the model: the idea for a program (here, as in a run where none was had,
    the theme has to do) and the draft to repair (here the shortest program of the pool, with a
    slip).

    Args:
      n: how many proposals the model is asked for in that round.

    Raises:
      ValueError: no such skill. UserError: it cannot be asked: too small a budget, no such hole.
    """
    asking = Asking(model, context)
    slots = asking.slots(n, skill=skill)
    rung = _RUNG.get(kind, "program")
    slot = next((slot for slot in slots if slot.rung == rung), slots[0])
    slot.rung = rung
    if kind in ("edit", "hole", "program"):
        Round(asking, slots, _unanswered, model.ideas).run()
        asked = slot.exchanges[-1].prompt if not slot.error else None
    else:
        if kind == "repair":
            slot.draft = _slip(context, slot.aim.skill)
            wanted = asking.repair(slot)
        else:
            wanted = asking.ideas(slot, model.config.ideas_per_request or 1)
        asked = None if wanted is None else wanted.prompt
    if asked is None:
        raise UserError(slot.error)
    return asked


def _unanswered(requests: Sequence[Request]) -> tuple[Response, ...]:
    return (failed("shown, not sent"),) * len(requests)


def _slip(context: Context, skill: str) -> Draft:
    """The shortest program of the pool, of the skill if there is one, with a wrong name."""
    of_skill = [v for v in context.pool if skill in v.skills] or list(context.pool)
    if not of_skill:
        raise UserError("there is no program to repair: the pool is empty")
    view = min(of_skill, key=lambda v: (len(v.source), v.program_hash))
    text = view.source.replace("win()", "wins()", 1)
    return Draft(text, diagnostics=check(text).diagnostics)
