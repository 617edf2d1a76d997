"""What to ask for one proposal: idea, program, edit, filling or repair, as a request to be."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from envs_dsl import Program, ProgramError
from spade_jax.generator.llm import extract, prompt
from spade_jax.generator.llm.holes import Hole, fill, holes, shape
from spade_jax.generator.llm.ideas import from_theme
from spade_jax.generator.llm.messages import Request, Response, Sampling
from spade_jax.generator.llm.prompt import Aim, Brief, Prompt, TooLong
from spade_jax.generator.llm.slots import Slot
from spade_jax.generator.parents import parent_weights
from spade_jax.types import Context, PoolView

if TYPE_CHECKING:
    from spade_jax.generator.llm.writer import LanguageModel

__all__ = ["FILLED", "Asking", "Wanted"]

FILLED = ("parameters", "holes")
"""Rungs on which a piece of a program is asked for, not a program."""

SHOTS = 4
PARENTS = 6  # programs tried until one fits into the prompt or has the hole that is wanted
IDEA_TOKENS, HOLE_TOKENS = 160, 256


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A request before it has an id.

    Attributes:
      slot: for which proposal. kind, sampling, shape: of the request. prompt: its messages.
      place: program and hole where a piece of a program is asked for.
      parent: the program of the pool that is to be changed.
    """

    slot: Slot
    kind: str
    prompt: Prompt
    sampling: Sampling
    shape: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    place: tuple[Program, Hole] | None = None
    parent: PoolView | None = None

    def request(self, start: str) -> Request:
        """The request; its id begins with ``start`` and ends with its seed, since an ensemble may
        ask for more in the same round."""
        id = f"{start}-{self.sampling.seed:x}"
        return Request(id, self.kind, self.prompt.messages, self.sampling, self.shape)

    def texts(self, response: Response) -> tuple[tuple[str, ...], str]:
        """The program texts that an answer comes to, or none and why."""
        if self.place is None:
            return extract.programs(response.text, response.finish), ""
        try:
            return (fill(*self.place, response.text),), ""
        except ValueError as error:
            return (), str(error)


class Asking:
    """The random choices of one round, and the prompts that are made from them."""

    def __init__(self, owner: LanguageModel, context: Context) -> None:
        self.owner = owner
        self.config = owner.config
        self.context = context
        self.rng = prompt.rng_of(context)

    def slots(self, n: int, skill: str | None = None) -> list[Slot]:
        """``n`` proposals that are wanted, with different themes as long as there are enough.

        ``skill``: of all of them, instead of one drawn for each.
        """
        possible = ("parameters", "holes", "edit", "program")
        rungs = self.owner.ladder.plan(n, possible if self.context.pool else ("program",))
        found: list[Slot] = []
        for rung in rungs:
            family = self.owner.bandit.choose("theme", prompt.families(), self.rng)
            source = self.owner.bandit.choose("few_shot", prompt.SOURCES, self.rng)
            if self.owner.ladder.help >= 2:
                source = "bundled"  # written with care, and known to be played
            taken = {slot.aim.theme.text for slot in found}
            aim = prompt.aim(self.context, self.rng, skill=skill, family=family, without=taken)
            found.append(Slot(len(found), rung, aim, self._shots(aim, source), source))
        return found

    def ideas(self, slot: Slot, count: int) -> Wanted | None:
        """Several ideas at once, for the aim of ``slot``."""
        asked = self._prompt(slot, prompt.ideas, count, self.owner.titles)
        return (
            None
            if asked is None
            else Wanted(slot, "ideas", asked, self._sampling(IDEA_TOKENS * count))
        )

    def anew(self, slot: Slot) -> Wanted | None:
        """What the slot's rung asks for: a program, an edit or a filling."""
        if slot.rung == "program":
            asked = self._prompt(slot, prompt.program, slot.idea or from_theme(slot.aim))
            return (
                None
                if asked is None
                else Wanted(slot, "program", asked, self._sampling(), {"program": {}})
            )
        slot.error = ""
        for parent in self._parents():
            wanted = self._edit(slot, parent) if slot.rung == "edit" else self._fill(slot, parent)
            if wanted is not None:
                slot.error = ""
                return dataclasses.replace(wanted, parent=parent)
        slot.error = slot.error or f"no program of the pool has {slot.rung} to fill in"
        return None

    def repair(self, slot: Slot) -> Wanted | None:
        """The slot's draft mended, by what the checker says of it."""
        draft = slot.draft
        assert draft is not None
        success = slot.parent.success if slot.parent is not None else None
        asked = self._prompt(
            slot, prompt.repair, draft.source, draft.diagnostics, draft.error, success=success
        )
        return (
            None
            if asked is None
            else Wanted(slot, "repair", asked, self._sampling(), {"program": {}})
        )

    def _edit(self, slot: Slot, parent: PoolView) -> Wanted | None:
        asked = self._prompt(slot, prompt.edit, parent.source, success=parent.success)
        return (
            None
            if asked is None
            else Wanted(slot, "edit", asked, self._sampling(), {"program": {}})
        )

    def _fill(self, slot: Slot, parent: PoolView) -> Wanted | None:
        try:
            program = Program.from_source(parent.source)
        except ProgramError:
            return None
        wants_parameter = slot.rung == "parameters"
        found = [h for h in holes(program) if _is_parameter(h) == wants_parameter]
        if not found:
            return None
        # Each kind as likely: there are many more numbers than rules.
        kind = self._one(list(dict.fromkeys(hole.kind for hole in found)))
        hole = self._one([hole for hole in found if hole.kind == kind])
        # Little is asked: half of the prompt does where it can.
        for budget in (self.config.prompt_budget // 2, self.config.prompt_budget):
            asked = self._prompt(
                slot, prompt.hole, program.source, hole, budget=budget, success=parent.success
            )
            if asked is not None:
                sampling = self._sampling(HOLE_TOKENS)
                place = (program, hole)
                return Wanted(slot, "edit", asked, sampling, shape(program, hole), place)
        return None

    def _parents(self) -> list[PoolView]:
        """Programs to change, in the order of a draw."""
        views = self.context.pool
        weights = parent_weights(self.context, self.owner.children)
        some = min(PARENTS, len(views))
        return [views[i] for i in self.rng.choice(len(views), some, replace=False, p=weights)]

    def _one(self, items: Sequence[Any]) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def _shots(self, aim: Aim, source: str) -> tuple[prompt.Shot, ...]:
        # A third of the prompt at most for one example, by the cautious count of tokens.
        longest = self.config.prompt_budget
        others = (*prompt.bundled_shots(), *prompt.corpus_shots())
        return prompt.choose_shots(
            self.context, aim, SHOTS, self.rng, others=others, source=source, longest=longest
        )

    def _prompt(
        self, slot: Slot, kind: Callable[..., Prompt], *what: Any, budget: int = 0, **more: Any
    ) -> Prompt | None:
        """A prompt for a slot; None where it does not fit, and the slot's error says so."""
        brief = Brief(
            self.context,
            slot.aim,
            slot.shots,
            self.owner.failures,
            budget or self.config.prompt_budget,
            care=self.owner.ladder.help >= 1,
        )
        try:
            return kind(brief, *what, **more)
        except TooLong as error:
            slot.error = str(error)
            return None

    def _sampling(self, tokens: int | None = None) -> Sampling:
        most = self.config.max_tokens
        return Sampling(
            temperature=self.owner.ladder.temperature(self.config.temperature),
            top_p=self.config.top_p,
            max_tokens=most if tokens is None else min(tokens, most),
            seed=int(self.rng.integers(2**31)),
        )


def _is_parameter(hole: Hole) -> bool:
    return hole.kind == "constant" and hole.low is not None
