"""The generator that asks a language model (protocol ``spade_jax.types.Generator``).

What is wanted comes from the run's state, what a model makes of it is journaled, and everything in
between is deterministic: ``propose`` is a pure function of (state, context) and those exchanges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from spade_jax.generator.bandit import Bandit, choices_of, examined, reward
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm.asked import Journaled
from spade_jax.generator.llm.asking import Asking
from spade_jax.generator.llm.exchanges import Exchanges
from spade_jax.generator.llm.ideas import key_of
from spade_jax.generator.llm.ladder import Ladder
from spade_jax.generator.llm.messages import Backend
from spade_jax.generator.llm.prompt import Failure, Idea, recent_failures
from spade_jax.generator.llm.rounds import Round
from spade_jax.generator.llm.slots import Slot
from spade_jax.generator.llm.tuning.job import key_of as tuning_key
from spade_jax.generator.llm.tuning.samples import Sample, gather, samples_of
from spade_jax.generator.llm.tuning.tuner import Tuner
from spade_jax.types import Context, Outcome, Proposal, from_json, to_json

__all__ = ["LanguageModel"]

IDEAS = 200
"""Latest ideas that are remembered."""

TUNINGS = 8
"""Latest tunings that are remembered: the newest that is finished answers."""


class LanguageModel:
    """Asks a back end for environments: ideas, then programs, edits or pieces of programs.

    Each round is at most one call of the back end for ideas, one for programs and one for each
    repair round. Only what checks is proposed; ``notice`` says in one line what went wrong.

    Args:
      backend: who answers. config: settings.
      exchanges: the run's journal, asked before the back end; None records nothing.
      name: the generator's, on every proposal; by default ``llm:`` and the back end's.
      patient: wait for every answer (of a batch, which may take days), and ask all at once.
      tuner: who tunes the model where ``config.tune_every`` says so. What is learned from and when
        is state in any case, so that a run is replayed without it.
    """

    def __init__(
        self,
        backend: Backend,
        config: LlmConfig | None = None,
        exchanges: Exchanges | None = None,
        *,
        name: str = "",
        patient: bool = False,
        tuner: Tuner | None = None,
    ) -> None:
        self.config = config or LlmConfig()
        self.name = name or f"llm:{backend.name}"
        self.notice = ""
        """One line about the last ``propose``, "" where there is nothing to say."""
        self.aside = ""
        """One line that no replay says again: of a tuning that failed; a replay tunes nothing."""
        self.ladder = Ladder(self.config.freedom)
        self.bandit = Bandit()
        self.ideas: tuple[str, ...] = ()  # keys, see ``ideas.key_of``
        self.titles: tuple[str, ...] = ()
        self.failures: tuple[Failure, ...] = ()
        self.children: dict[str, float] = {}
        self.samples: tuple[Sample, ...] = ()
        self.tunings: tuple[tuple[int, str], ...] = ()  # (round, key), oldest first
        self.tuned_on: tuple[Sample, ...] = ()  # of the newest key, which may begin rounds later
        self._asked = 0  # in which round last
        self._tuner = tuner
        # Of the rounds since the last ``observe``: a failed draft never gets an outcome.
        self._failed: list[tuple[str, dict[str, list[str]], Failure | None]] = []
        self._new_ideas: list[Idea] = []
        self._backend = Journaled(
            backend,
            exchanges,
            who=self.name,
            seconds=self.config.seconds_per_round,
            patient=patient,
            at_once=self.config.parallel,
        )

    def propose(self, context: Context, n: int) -> tuple[Proposal, ...]:
        """At most ``n`` programs that check, none in the pool, no two alike.

        Raises:
          Awaiting: the back end needs somebody to do something first.
        """
        self.notice = ""
        if n < 1:
            return ()
        if self._tuner is not None:
            self._tuner.adopt([key for _, key in self.tunings])
        proposals = self.take(self.write(context, n), context)
        if self._tuner is not None and self.tunings:
            # Now that the model has nothing else to do.
            self._tuner.start(self.tunings[-1][1], self.tuned_on)
            self.aside = self._tuner.notice
        return proposals

    def take(self, work: Round, context: Context) -> tuple[Proposal, ...]:
        """The proposals of a round that was written: see ``propose``. The rest counts as failed."""
        self._asked = context.round
        slots = work.slots
        taken = set(context.taken)
        kept: list[Slot] = []
        for slot in slots:
            program = slot.draft.program if slot.draft is not None else None
            if program is not None and program.hashes.program not in taken:
                taken.add(program.hashes.program)
                kept.append(slot)
            elif not slot.broken:
                self._failed.append((slot.rung, slot.choices, slot.failure))
        self._new_ideas += work.ideas
        self.notice = _notice(slots, kept, work)
        return tuple(self._proposal(slot, context, i) for i, slot in enumerate(kept))

    def write(self, context: Context, n: int) -> Round:
        """One round of ``n`` slots, those that came to nothing too; changes no state.

        Raises:
          Awaiting: the back end needs somebody to do something first.
        """
        self._backend.begin(context.round)
        asking = Asking(self, context)
        work = Round(asking, asking.slots(n), self._backend.complete, self.ideas)
        work.run()
        return work

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Learn from a round: the ladder, the bandit, ideas that were had, failures to show."""
        own = [o for o in outcomes if o.proposal.generator == self.name]
        told = examined(own)
        results = [(o.proposal.operator, o.verdict.ok) for o in told]
        results += [(rung, False) for rung, _, _ in self._failed]
        worth = [(choices_of(o.proposal.receipt), reward(o)) for o in told]
        worth += [(choices_of({"choices": choices}), 0.0) for _, choices, _ in self._failed]
        if results:
            self.ladder.observe(self._asked, results)
            self.bandit.learn(worth)
        drafts = tuple(f for _, _, f in reversed(self._failed) if f is not None)
        self.failures = recent_failures(own, (*drafts, *self.failures))
        self.ideas = (*self.ideas, *map(key_of, self._new_ideas))[-IDEAS:]
        self.titles = (*self.titles, *(idea.title for idea in self._new_ideas))[-IDEAS:]
        for parent in (p for o in own for p in o.proposal.parents[:1]):
            self.children[parent] = self.children.get(parent, 0.0) + 1.0
        self._failed, self._new_ideas = [], []
        self._learn(own)

    def _learn(self, own: Sequence[Outcome]) -> None:
        """Keep what the model can be tuned on, and say when it is."""
        every, config = self.config.tune_every, self.config.tuning
        if not every or not own:
            return
        self.samples = gather(self.samples, samples_of(own, config.weights), config.most)
        round = max(o.proposal.round for o in own)
        last, before = self.tunings[-1] if self.tunings else (0, "")
        if round - last < every or len(self.samples) < config.least:
            return
        key = tuning_key(self.name, self.samples, config)
        if key != before:
            self.tunings = (*self.tunings, (round, key))[-TUNINGS:]
            self.tuned_on = self.samples

    def state_dict(self) -> dict[str, Any]:
        """Everything learned, as JSON values."""
        return {
            "ladder": self.ladder.state_dict(),
            "bandit": self.bandit.state_dict(),
            "ideas": list(self.ideas),
            "titles": list(self.titles),
            "failures": [to_json(f) for f in self.failures],
            "children": dict(self.children),
            "samples": [to_json(sample) for sample in self.samples],
            "tunings": [list(pair) for pair in self.tunings],
            "tuned_on": [to_json(sample) for sample in self.tuned_on],
            "failed": [
                [rung, choices, None if failure is None else to_json(failure)]
                for rung, choices, failure in self._failed
            ],
            "new_ideas": [to_json(idea) for idea in self._new_ideas],
            "round": self._asked,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises KeyError if a part is missing."""
        self.ladder.load_state_dict(state["ladder"])
        self.bandit.load_state_dict(state["bandit"])
        self.ideas, self.titles = tuple(state["ideas"]), tuple(state["titles"])
        self.failures = tuple(from_json(Failure, f) for f in state["failures"])
        self.children = {k: float(v) for k, v in state["children"].items()}
        self.samples = tuple(from_json(Sample, s) for s in state.get("samples", ()))
        self.tunings = tuple((int(r), str(key)) for r, key in state.get("tunings", ()))
        kept = state.get("tuned_on", state.get("samples", ()))
        self.tuned_on = tuple(from_json(Sample, s) for s in kept)
        self._failed = [
            (rung, choices, None if failure is None else from_json(Failure, failure))
            for rung, choices, failure in state["failed"]
        ]
        self._new_ideas = [from_json(Idea, idea) for idea in state["new_ideas"]]
        self._asked = int(state.get("round", 0))

    def hurry(self) -> None:
        """Come to an end with what there is; may be called from another thread."""
        self._backend.hurry()

    def close(self) -> None:
        """End the back end and close the journal; a second call does nothing."""
        if self._tuner is not None:
            self._tuner.close()
        self._backend.close()

    def _proposal(self, slot: Slot, context: Context, index: int) -> Proposal:
        assert slot.draft is not None
        rate, attempts = self.ladder.rate(slot.rung)
        ladder = {
            "place": self.ladder.place,
            "rate": round(rate, 4),
            "attempts": round(attempts, 4),
        }
        return Proposal(
            id=f"r{context.round}-{index}",
            source=slot.draft.source,
            generator=self.name,
            operator=slot.rung,
            parents=() if slot.parent is None else (slot.parent.program_hash,),
            round=context.round,
            receipt=slot.receipt(ladder),
        )


def _notice(slots: Sequence[Slot], kept: Sequence[Slot], work: Round) -> str:
    said: list[str] = []
    if work.failures:
        most, _ = Counter(work.failures).most_common(1)[0]
        said.append(f"{len(work.failures)} of {work.asked} requests failed: {most}")
    errors = Counter(slot.error for slot in slots if slot.error and not slot.checked)
    if errors:
        most, times = errors.most_common(1)[0]
        said.append(f"{times} of {len(slots)} programs could not be asked for: {most}")
    if not kept and not said:
        said.append(f"none of {len(slots)} programs checked")
    return "; ".join(said)
