"""One proposal on its way: what is wanted, what was asked and answered, how far it has come."""

from __future__ import annotations

import dataclasses
from typing import Any

from spade_jax.generator.llm.exchanges import trimmed
from spade_jax.generator.llm.messages import Request, Response
from spade_jax.generator.llm.prompt import Aim, Failure, Idea, Prompt, Shot
from spade_jax.generator.llm.prompt.failures import excerpt, findings_of
from spade_jax.generator.llm.repair import Draft, better, judge
from spade_jax.types import PoolView, Reason

__all__ = ["Exchange", "Slot"]

MOST_RAW = 16_384
"""Characters of a raw answer in a receipt; the whole of it is in the journal of exchanges."""


@dataclasses.dataclass(frozen=True)
class Exchange:
    """A request with its prompt and its answer."""

    request: Request
    prompt: Prompt
    response: Response


@dataclasses.dataclass
class Slot:
    """Work on one proposal; lives for one call of ``propose``.

    Attributes:
      index: which one. rung: how much the model is trusted with. aim, idea: what is wanted.
      shots, few_shot: programs that are shown, and the kind of choice behind them.
      parent: the program that the draft was made from (none of a whole new one).
      draft: the best so far. wrote: the exchange that wrote it. exchanges: all there were for it.
      steps: what happened to the draft, one record a step. error: why nothing can come of it.
    """

    index: int
    rung: str
    aim: Aim
    shots: tuple[Shot, ...]
    few_shot: str
    idea: Idea | None = None
    parent: PoolView | None = None
    draft: Draft | None = None
    wrote: Exchange | None = None
    exchanges: list[Exchange] = dataclasses.field(default_factory=list)
    steps: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    hole: str = ""
    error: str = ""
    broken: bool = False
    """The back end failed: nothing can be said of the model."""

    @property
    def done(self) -> bool:
        """Whether no more is to be asked for it."""
        return self.broken or bool(self.error) or self.checked

    @property
    def checked(self) -> bool:
        """Whether there is a program."""
        return self.draft is not None and self.draft.program is not None

    @property
    def choices(self) -> dict[str, list[str]]:
        """What was chosen, by kind, for a bandit (``generator.bandit.choices_of``)."""
        return {
            "operator": [self.rung],
            "theme": [self.aim.theme.family],
            "few_shot": [self.few_shot],
        }

    @property
    def failure(self) -> Failure | None:
        """What is wrong with the draft, to be shown in later prompts."""
        if self.draft is None or self.checked or not self.draft.diagnostics:
            return None
        first = self.draft.diagnostics[0]
        reason = Reason.SYNTAX if first.code.startswith("E1") else Reason.INVALID
        text = excerpt(self.draft.source, findings_of(self.draft.diagnostics))
        return Failure(reason.value, str(first), text)

    def take(
        self,
        exchange: Exchange,
        texts: tuple[str, ...],
        step: str,
        fault: str = "",
        parent: PoolView | None = None,
    ) -> list[Draft]:
        """Judge what an answer holds and keep the best draft.

        Args:
          step: what was asked for. fault: why the answer holds nothing.
          parent: the program that was to be changed, where it is not the draft itself.

        Returns:
          What else in the answer is a program.
        """
        self.exchanges.append(exchange)
        if exchange.response.finish == "error":
            self.broken = self.draft is None
            self.steps.append({"step": step, "error": exchange.response.error})
            return []
        drafts = [judge(text) for text in texts]
        best = None
        for draft in drafts:
            if best is None or not better(best, draft):
                best = draft
        kept = best is not None and (self.draft is None or better(best, self.draft))
        self.steps.append(
            {
                "step": step,
                "exchange": exchange.request.key,
                "programs": len(drafts),
                "codes": list(best.codes) if best is not None else [],
                "mended": list(best.mended) if best is not None else [],
                "kept": kept,
                **({"error": fault} if fault else {}),
            }
        )
        if kept and best is not None:
            self.draft, self.wrote, self.broken = best, exchange, False
            self.parent = parent or self.parent
        return [d for d in drafts if d is not best and d.program is not None]

    def become(
        self, other: Slot, draft: Draft, exchange: Exchange, parent: PoolView | None
    ) -> None:
        """Take over a second program that an answer to ``other`` held.

        That exchange remains the other's: what it cost is counted there.
        """
        self.rung, self.aim, self.idea = other.rung, other.aim, other.idea
        self.parent = parent or other.parent
        self.shots, self.few_shot, self.hole = other.shots, other.few_shot, ""
        self.error, self.broken = "", False
        self.draft, self.wrote = draft, exchange
        self.steps = [{"step": "beside", "slot": other.index}]

    def receipt(self, ladder: dict[str, Any]) -> dict[str, Any]:
        """All that is known of how the program came about; JSON values."""
        assert self.wrote is not None
        sampling, response = self.wrote.request.sampling, trimmed(self.wrote.response)
        answers = [e.response for e in self.exchanges]
        record: dict[str, Any] = {
            "choices": self.choices,
            "prompt": dict(self.wrote.prompt.receipt),
            "model": response.model,
            "revision": response.revision,
            "sampling": {**dataclasses.asdict(sampling), "stop": list(sampling.stop)},
            "response": response.text[:MOST_RAW],
            "finish": response.finish,
            "prompt_tokens": sum(a.prompt_tokens for a in answers),
            "completion_tokens": sum(a.completion_tokens for a in answers),
            "seconds": sum(a.seconds for a in answers),
            "aim": self.aim.as_json(),
            "theme": self.aim.theme.text,
            "steps": self.steps,
            "repairs": sum(s["step"] == "repair" for s in self.steps),
            "salvaged": any(s["step"] == "salvage" for s in self.steps),
            "ladder": ladder,
            "exchanges": list(dict.fromkeys(e.request.key for e in (*self.exchanges, self.wrote))),
        }
        if self.idea is not None:
            record["idea"] = {**dataclasses.asdict(self.idea), "skills": list(self.idea.skills)}
        if self.hole:
            record["hole"] = self.hole
        if self.draft is not None and self.draft.program is not None:
            record["program"] = self.draft.program.hashes.program
        return record
