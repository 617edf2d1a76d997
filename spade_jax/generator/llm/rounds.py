"""One round of writing, stage by stage: ideas, programs, repairs, salvage, parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spade_jax.generator.llm import prompt
from spade_jax.generator.llm.asking import FILLED, Asking, Wanted
from spade_jax.generator.llm.ideas import fresh, from_theme, key_of
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.generator.llm.repair import Draft, judge, salvage
from spade_jax.generator.llm.slots import Exchange, Slot
from spade_jax.generator.steering import moved, outside

__all__ = ["Round"]


class Round:
    """The work of one call of ``LanguageModel.propose``, and what went wrong in it.

    Args:
      asking: the round's choices. slots: proposals that are wanted.
      complete: requests → responses.
      known: keys of ideas that were had (see ``ideas.key_of``).

    Attributes:
      slots: the proposals. ideas: new ones. asked: how many requests. failures: errors of those.
    """

    def __init__(
        self,
        asking: Asking,
        slots: list[Slot],
        complete: Callable[[Sequence[Request]], tuple[Response, ...]],
        known: Sequence[str] = (),
    ) -> None:
        self.slots = slots
        self.ideas: list[prompt.Idea] = []
        self.asked = 0
        self.failures: list[str] = []
        self._asking = asking
        self._complete = complete
        self._known = list(known)
        self._spare: list[tuple[Wanted, Draft, Exchange]] = []

    def run(self) -> list[Slot]:
        """All slots, worked on as far as it goes."""
        config = self._asking.config
        self._have_ideas([s for s in self.slots if s.rung == "program"], config.ideas_per_request)
        self._work("write", self._asking.anew)
        for number in range(config.repair_rounds):
            self._work(f"repair{number + 1}", self._again)
        if config.salvage:
            for slot in self.slots:
                _salvage(slot)
        if config.second_programs:
            self._share_out()
        for slot in self.slots:
            self._steer(slot)
        return self.slots

    def _have_ideas(self, slots: list[Slot], size: int) -> None:
        """Give each slot an idea of its own; where none is left, the theme has to do."""
        groups = [slots[i : i + size] for i in range(0, len(slots), size)] if size else []
        wanted = [self._asking.ideas(group[0], size) for group in groups]
        by_first = {group[0].index: group for group in groups}
        for want, exchange in self._exchange([w for w in wanted if w is not None], "ideas"):
            first = want.slot
            first.exchanges.append(exchange)
            found = fresh(prompt.parse_ideas(exchange.response.text), self._known)
            self._known += [key_of(idea) for idea in found]
            for slot, idea in zip(by_first[first.index], found, strict=False):
                slot.idea, slot.aim, slot.shots = idea, first.aim, first.shots
                slot.few_shot = first.few_shot
                self.ideas.append(idea)
        for slot in slots:
            slot.idea = slot.idea or from_theme(slot.aim)

    def _again(self, slot: Slot) -> Wanted | None:
        """What does not check goes back with what is wrong; where nothing came, it is asked again.

        A piece is never repaired: another one is cheaper.
        """
        if slot.draft is None or slot.rung in FILLED:
            return self._asking.anew(slot)
        return self._asking.repair(slot)

    def _work(self, stage: str, ask: Callable[[Slot], Wanted | None]) -> None:
        wanted = [ask(slot) for slot in self.slots if not slot.done]
        for want, exchange in self._exchange([w for w in wanted if w is not None], stage):
            texts, fault = want.texts(exchange.response)
            step = "repair" if want.kind == "repair" else want.slot.rung
            more = want.slot.take(exchange, texts, step, fault, want.parent)
            if want.place is not None and want.slot.wrote is exchange:
                want.slot.hole = want.place[1].kind
            self._spare += [(want, draft, exchange) for draft in more]

    def _share_out(self) -> None:
        """A second program of an answer takes the place of one that came to nothing."""
        for slot in self.slots:
            if not slot.checked and self._spare:
                want, draft, exchange = self._spare.pop(0)
                slot.become(want.slot, draft, exchange, want.parent)

    def _steer(self, slot: Slot) -> None:
        """Move the parameters of a filled hole's program, where its parent is outside the band.

        What a small model puts into a hole seldom makes a mastered program hard.
        """
        program = slot.draft.program if slot.draft is not None else None
        if slot.rung != "holes" or slot.parent is None or program is None:
            return
        context = self._asking.context
        if not outside(slot.parent.success, context):
            return
        found = moved(program, slot.parent.success, context, self._asking.rng)
        if found is not None:
            other, direction = found
            slot.steps.append({"step": "parameters", "direction": direction})
            slot.draft = judge(other.source)

    def _exchange(self, wanted: Sequence[Wanted], stage: str) -> list[tuple[Wanted, Exchange]]:
        """One call of the back end for all that a stage wants to know."""
        if not wanted:
            return []
        start = f"r{self._asking.context.round}-{stage}"
        requests = [want.request(f"{start}-{i}") for i, want in enumerate(wanted)]
        responses = self._complete(requests)
        self.asked += len(requests)
        self.failures += [r.error for r in responses if r.finish == "error"]
        return [
            (want, Exchange(request, want.prompt, response))
            for want, request, response in zip(wanted, requests, responses, strict=True)
        ]


def _salvage(slot: Slot) -> None:
    """Keep the longest part of a draft that checks, if there is one."""
    if slot.checked or slot.draft is None:
        return
    kept = salvage(slot.draft)
    if kept is not None:
        before, after = (len(d.source.splitlines()) for d in (slot.draft, kept))
        slot.steps.append({"step": "salvage", "lines": before, "kept": after})
        slot.draft = kept
