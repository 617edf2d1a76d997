"""One round of writing: ideas, programs, repairs, salvage, each a single call of the back end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from envs_dsl import Program, ProgramError
from spade_jax.generator.llm import extract, prompt
from spade_jax.generator.llm.holes import Hole, fill, holes, shape
from spade_jax.generator.llm.ideas import fresh, from_theme, key_of
from spade_jax.generator.llm.messages import Request, Sampling
from spade_jax.generator.llm.prompt import Aim, Brief, Prompt, TooLong
from spade_jax.generator.llm.repair import Draft, salvage
from spade_jax.generator.llm.slots import Exchange, Slot
from spade_jax.generator.parents import parent_weights
from spade_jax.types import Context, PoolView

if TYPE_CHECKING:
    from spade_jax.generator.llm.writer import LanguageModel

__all__ = ["Round"]

SHOTS = 4
FILLED = ("parameters", "holes")
HOLES = 3  # fillings asked for one proposal: they are cheap, and the first that checks is taken
PARENTS = 6  # programs tried until one fits into the prompt or has the hole that is wanted
IDEA_TOKENS, HOLE_TOKENS = 160, 256

Wanted = tuple[Slot, str, Prompt, Sampling, dict]
"""A request before it has a number: for whom, its kind, prompt, sampling and shape."""


class Round:
    """One call of ``LanguageModel.propose``: its random numbers, its slots, what went wrong."""

    def __init__(self, owner: LanguageModel, context: Context, n: int) -> None:
        self.owner = owner
        self.config = owner.config
        self.context = context
        self.rng = prompt.rng_of(context)
        self.temperature = owner.ladder.temperature(self.config.temperature)
        self.spare: list[tuple[Slot, Draft, Exchange]] = []
        self.failures: list[str] = []
        self.asked = 0
        self.ideas: list[prompt.Idea] = []
        self.slots: list[Slot] = []
        for rung in owner.ladder.plan(n, _possible(context)):
            self.slots.append(self._slot(len(self.slots), rung))

    def run(self) -> list[Slot]:
        """All slots, worked on as far as it goes."""
        self._have_ideas([s for s in self.slots if s.rung == "program"])
        self._write()
        for number in range(self.config.repair_rounds):
            self._repair(number)
        for slot in self.slots:
            self._salvage(slot)
        self._share_out()
        return self.slots

    # --- what is wanted ---------------------------------------------------------------------------

    def _slot(self, index: int, rung: str) -> Slot:
        owner, taken = self.owner, {slot.aim.theme.text for slot in self.slots}
        family = owner.bandit.choose("theme", prompt.families(), self.rng)
        source = owner.bandit.choose("few_shot", prompt.SOURCES, self.rng)
        if owner.ladder.help >= 2:
            source = "bundled"  # written with care, and known to be played
        aim = prompt.aim(self.context, self.rng, family=family, without=taken)
        return Slot(index, rung, aim, self._shots(aim, source), source)

    def _shots(self, aim: Aim, source: str) -> tuple[prompt.Shot, ...]:
        # A third of the prompt at most for one example, by the cautious count of tokens.
        longest = self.config.prompt_budget
        return prompt.choose_shots(
            self.context, aim, SHOTS, self.rng, source=source, longest=longest
        )

    def _brief(self, slot: Slot) -> Brief:
        return Brief(
            self.context,
            slot.aim,
            slot.shots,
            self.owner.failures,
            self.config.prompt_budget,
            care=self.owner.ladder.help >= 1,
        )

    # --- ideas ------------------------------------------------------------------------------------

    def _have_ideas(self, slots: list[Slot]) -> None:
        """Give each slot an idea of its own."""
        size = self.config.ideas_per_request
        groups = [slots[i : i + size] for i in range(0, len(slots), size)] if size else []
        wanted: list[Wanted] = []
        for group in groups:
            sampling = self._sampling(IDEA_TOKENS * size)
            asked = self._prompt(group[0], prompt.ideas, size, self.owner.titles)
            if asked is not None:
                wanted.append((group[0], "ideas", asked, sampling, {}))
        known = list(self.owner.ideas)
        by_first = {id(group[0]): group for group in groups}
        for exchange, slot in self._complete(wanted, "ideas"):
            slot.exchanges.append(exchange)
            found = fresh(prompt.parse_ideas(exchange.response.text), known)
            known += [key_of(idea) for idea in found]
            for one, idea in zip(by_first[id(slot)], found, strict=False):
                one.idea, one.aim, one.shots = idea, slot.aim, slot.shots
                self.ideas.append(idea)
        for slot in slots:
            slot.idea = slot.idea or from_theme(slot.aim)

    # --- programs ---------------------------------------------------------------------------------

    def _write(self) -> None:
        wanted: list[Wanted] = []
        filled: dict[int, tuple[Program, Hole]] = {}
        for slot in self.slots:
            if slot.done:
                continue
            if slot.rung == "program":
                wanted += self._whole(slot)
            elif slot.rung == "edit":
                wanted += self._edit(slot)
            else:
                for want, program, hole in self._fillings(slot):
                    filled[len(wanted)] = program, hole
                    wanted.append(want)
        answers = self._complete(wanted, "write")
        for number, (exchange, slot) in enumerate(answers):
            if number in filled:
                if not slot.checked:
                    program, hole = filled[number]
                    slot.hole = hole.kind
                    texts, fault = _filled(program, hole, exchange)
                    slot.take(exchange, texts, "fill", fault)
            else:
                self._take(slot, exchange, slot.rung)

    def _whole(self, slot: Slot) -> list[Wanted]:
        idea = slot.idea or from_theme(slot.aim)
        asked = self._prompt(slot, prompt.program, idea)
        if asked is None:
            return []
        return [(slot, "program", asked, self._sampling(self.config.max_tokens), {"program": {}})]

    def _edit(self, slot: Slot) -> list[Wanted]:
        for parent in self._parents():
            slot.parent, slot.error = parent, ""
            asked = self._prompt(slot, prompt.edit, parent.source, success=parent.success)
            if asked is not None:
                sampling = self._sampling(self.config.max_tokens)
                return [(slot, "edit", asked, sampling, {"program": {}})]
        return []

    def _fillings(self, slot: Slot) -> list[tuple[Wanted, Program, Hole]]:
        """Requests to fill one hole each, of one program."""
        for parent in self._parents():
            slot.parent, slot.error = parent, ""
            try:
                program = Program.from_source(parent.source)
            except ProgramError:
                continue
            found = [h for h in holes(program) if (_is_parameter(h)) == (slot.rung == "parameters")]
            picked = self._pick_holes(found)
            wanted: list[tuple[Wanted, Program, Hole]] = []
            for hole in picked:
                asked = self._prompt(slot, prompt.hole, program.source, hole)
                if asked is not None:
                    sampling = self._sampling(HOLE_TOKENS)
                    want = (slot, "edit", asked, sampling, shape(program, hole))
                    wanted.append((want, program, hole))
            if wanted:
                return wanted
        slot.error = slot.error or "no program of the pool has such a hole"
        return []

    def _pick_holes(self, found: Sequence[Hole]) -> list[Hole]:
        """A few, each kind as likely: there are many more numbers than rules."""
        left, picked = list(found), list[Hole]()
        while left and len(picked) < HOLES:
            kinds = list(dict.fromkeys(h.kind for h in left))
            kind = kinds[int(self.rng.integers(len(kinds)))]
            of_kind = [h for h in left if h.kind == kind]
            hole = of_kind[int(self.rng.integers(len(of_kind)))]
            picked.append(hole)
            left.remove(hole)
        return picked

    def _parents(self) -> list[PoolView]:
        """Programs to change, in the order of a draw."""
        views = self.context.pool
        weights = parent_weights(self.context, self.owner.children)
        some = min(PARENTS, len(views))
        return [views[i] for i in self.rng.choice(len(views), some, replace=False, p=weights)]

    # --- mending ----------------------------------------------------------------------------------

    def _repair(self, number: int) -> None:
        """Send what does not check back with what is wrong, or ask again where nothing came."""
        wanted: list[Wanted] = []
        for slot in self.slots:
            if slot.done or slot.rung in FILLED:
                continue
            if slot.draft is None:
                wanted += self._whole(slot) if slot.rung == "program" else self._edit(slot)
                continue
            draft = slot.draft
            fault = draft.diagnostics, draft.error
            asked = self._prompt(slot, prompt.repair, draft.source, *fault)
            if asked is not None:
                sampling = self._sampling(self.config.max_tokens)
                wanted.append((slot, "repair", asked, sampling, {"program": {}}))
        for exchange, slot in self._complete(wanted, f"repair{number + 1}"):
            self._take(slot, exchange, "repair" if exchange.request.kind == "repair" else "again")

    def _take(self, slot: Slot, exchange: Exchange, step: str) -> None:
        texts = extract.programs(exchange.response.text, exchange.response.finish)
        self.spare += [(slot, draft, exchange) for draft in slot.take(exchange, texts, step)]

    def _salvage(self, slot: Slot) -> None:
        if not self.config.salvage or slot.checked or slot.draft is None:
            return
        before = len(slot.draft.source.splitlines())
        kept = salvage(slot.draft)
        if kept is not None:
            after = len(kept.source.splitlines())
            slot.steps.append({"step": "salvage", "lines": before, "kept": after})
            slot.draft = kept

    def _share_out(self) -> None:
        """A second program of an answer takes the place of one that came to nothing."""
        for slot in self.slots:
            if not slot.checked and self.spare:
                first, draft, exchange = self.spare.pop(0)
                slot.rung, slot.aim, slot.idea = first.rung, first.aim, first.idea
                slot.parent, slot.error, slot.broken = first.parent, "", False
                slot.shots, slot.few_shot, slot.hole = first.shots, first.few_shot, ""
                slot.draft, slot.wrote, slot.exchanges = draft, exchange, [exchange]
                slot.steps = [{"step": "beside", "slot": first.index}]

    # --- asking -----------------------------------------------------------------------------------

    def _prompt(
        self, slot: Slot, kind: Callable[..., Prompt], *what: Any, **more: Any
    ) -> Prompt | None:
        """A prompt for a slot; None where it does not fit, and the slot's error says so."""
        try:
            return kind(self._brief(slot), *what, **more)
        except TooLong as error:
            slot.error = str(error)
            return None

    def _sampling(self, tokens: int) -> Sampling:
        return Sampling(
            temperature=self.temperature,
            top_p=self.config.top_p,
            max_tokens=min(tokens, self.config.max_tokens),
            seed=int(self.rng.integers(2**31)),
        )

    def _complete(self, wanted: Sequence[Wanted], stage: str) -> list[tuple[Exchange, Slot]]:
        """One call of the back end for all that a stage wants to know."""
        if not wanted:
            return []
        start = f"r{self.context.round}-{stage}"
        requests = [
            # The seed as well: an ensemble may ask for more in the same round.
            Request(f"{start}-{i}-{sampling.seed:x}", kind, p.messages, sampling, shape)
            for i, (_, kind, p, sampling, shape) in enumerate(wanted)
        ]
        self.asked += len(requests)
        responses = self.owner.complete(requests)
        self.failures += [r.error for r in responses if r.finish == "error"]
        return [
            (Exchange(request, want[2], response), want[0])
            for request, want, response in zip(requests, wanted, responses, strict=True)
        ]


def _possible(context: Context) -> tuple[str, ...]:
    """The rungs on which there is something to ask: all but a new program need an old one."""
    return ("parameters", "holes", "edit", "program") if context.pool else ("program",)


def _is_parameter(hole: Hole) -> bool:
    return hole.kind == "constant" and hole.low is not None


def _filled(program: Program, hole: Hole, exchange: Exchange) -> tuple[tuple[str, ...], str]:
    """The program with the answer in the hole, or why it cannot stand there."""
    try:
        return (fill(program, hole, exchange.response.text),), ""
    except ValueError as error:
        return (), str(error)
