"""Several sources of programs under one bandit: each is asked for as many as it has earned."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np

from spade_jax.generator.bandit import Bandit, choices_of, examined, reward
from spade_jax.generator.errors import Awaiting
from spade_jax.types import Context, Generator, Outcome, Proposal

__all__ = ["Ensemble", "told"]

_RECORD = "ensemble"  # key of what the ensemble keeps on a proposal's receipt
_SOURCE = "source"  # the kind of choice that its bandit decides


class Ensemble:
    """A generator made of generators (protocol ``spade_jax.types.Generator``).

    A bandit (``generator.bandit``) decides how many proposals each source is asked for. What a
    source does not give, because it raises or runs short, the others are asked for in the same
    round; ``notice`` says so in one line, and the bandit counts what is missing as worth nothing.
    A text that was found in the round already counts as missing. Sources are asked side by side,
    each in a thread: a slow one takes none of the others' time.

    Every proposal keeps its source's name in ``generator``. Its receipt gets ``ensemble``: the
    source's label, and how many each source was ``asked`` for and has ``given`` in that round; and
    ``choices``, with the label as "source". Each source observes its own proposals' outcomes alone.

    Args:
      sources: at least one; sources of one name are told apart as "name", "name#2", …

    Raises:
      ValueError: no source was given.
    """

    def __init__(self, sources: Sequence[Generator], fade: float = 0.95, floor: float = 0.2):
        if not sources:
            raise ValueError("an ensemble needs at least one source")
        self.sources: dict[str, Generator] = {}
        for source in sources:
            label, number = source.name, 1
            while label in self.sources:
                number += 1
                label = f"{source.name}#{number}"
            self.sources[label] = source
        self.name = "+".join(self.sources)
        self.notice = ""
        """One line about the last ``propose``, "" where every source did what it was asked."""
        self.aside = ""
        """What its sources have in ``aside``: one line that no replay says again."""
        self._bandit = Bandit(fade, floor)
        self._trouble: list[str] = []  # met in ``observe``, said after the next ``propose``

    def propose(self, context: Context, n: int) -> tuple[Proposal, ...]:
        """At most ``n`` proposals of all sources, no two alike, numbered through.

        Fewer if all run short.
        """
        seed = [context.seed & 0xFFFFFFFFFFFFFFFF, context.round]
        rng = np.random.default_rng(seed)
        asked: Counter[str] = Counter()
        found: list[tuple[str, Proposal]] = []
        said = list(self._trouble)
        alive, tries = list(self.sources), 0
        while alive and len(found) < n:
            draws = [self._bandit.choose(_SOURCE, alive, rng) for _ in range(n - len(found))]
            wanted = Counter(draws)
            there = dataclasses.replace(context, proposed=tuple(p for _, p in found))
            for label, given, why in self._ask(wanted, there, tries):
                share = wanted[label]
                asked[label] += share
                new = _new(given, [p for _, p in found])
                found += [(label, p) for p in new]
                if len(new) < share:
                    alive = [a for a in alive if a != label]
                    if len(new) < len(given):
                        why += f" ({len(given) - len(new)} more were there already)"
                    said.append(f"{label} gave {len(new)} of {share} programs{why}")
                elif why:
                    said.append(f"{label}{why}")
            tries += 1
        self.notice = "; ".join(said)
        asides = {label: getattr(source, "aside", "") for label, source in self.sources.items()}
        self.aside = "; ".join(f"{label}: {aside}" for label, aside in asides.items() if aside)
        given_by = Counter(label for label, _ in found)
        counts = {
            "asked": {s: asked[s] for s in self.sources},
            "given": {s: given_by[s] for s in self.sources},
        }
        return tuple(
            _numbered(p, f"r{context.round}-{i}", label, counts)
            for i, (label, p) in enumerate(found)
        )

    def _ask(
        self, wanted: Counter[str], context: Context, tries: int
    ) -> list[tuple[str, list[Proposal], str]]:
        """(label, proposals, what is to be said) of each source of which some are wanted."""
        asked = [
            (label, source, told(context, place, tries), wanted[label])
            for place, (label, source) in enumerate(self.sources.items())
            if wanted[label]
        ]
        with ThreadPoolExecutor(len(asked), thread_name_prefix="source") as threads:
            answers = list(threads.map(lambda one: _ask(*one[1:]), asked))
        return [(label, *answer) for (label, *_), answer in zip(asked, answers)]

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Tell each source what became of its proposals; learn which source pays."""
        own = {label: [o for o in outcomes if _label(o) == label] for label in self.sources}
        rounds = {o.proposal.round: o for mine in own.values() for o in mine}
        missing = [
            label
            for outcome in rounds.values()
            for label in self.sources
            for _ in range(_shortfall(outcome, label))
        ]
        results = [((label,), reward(o)) for label, mine in own.items() for o in examined(mine)]
        results += [((label,), 0.0) for label in missing]
        self._bandit.learn([({_SOURCE: names}, worth) for names, worth in results])
        self._trouble = []
        for label, source in self.sources.items():
            try:
                source.observe(own[label])
            except (Exception, SystemExit) as error:  # the other sources shall learn all the same
                self._trouble.append(f"{label} did not take its outcomes ({_line(error)})")

    def state_dict(self) -> dict[str, Any]:
        """The bandit's state and that of every source, as JSON values."""
        return {
            "bandit": self._bandit.state_dict(),
            "sources": {label: source.state_dict() for label, source in self.sources.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises KeyError if a source's state is missing."""
        self._bandit.load_state_dict(state["bandit"])
        for label, source in self.sources.items():
            source.load_state_dict(state["sources"][label])

    def hurry(self) -> None:
        """Tell the sources that can be told to come to an end with what they have."""
        for source in self.sources.values():
            if callable(hurry := getattr(source, "hurry", None)):
                hurry()

    def close(self) -> None:
        """Close the sources that can be closed."""
        for source in self.sources.values():
            if callable(close := getattr(source, "close", None)):
                close()


def told(context: Context, place: int, tries: int = 0) -> Context:
    """What a source of an ensemble is told: the context, with a seed of its own.

    A pure function answers the same question alike: a second call in a round, and a second source
    of one kind, must be asked another one.

    Args:
      context: the round's. place: of the source among all. tries: earlier calls in this round.
    """
    words = [context.seed & 0xFFFFFFFFFFFFFFFF, context.round, place, tries]
    state = np.random.SeedSequence(words).generate_state(1)
    return dataclasses.replace(context, seed=int(state[0] >> 1))


def _ask(source: Generator, context: Context, n: int) -> tuple[list[Proposal], str]:
    """At most ``n`` proposals of a source, and what is to be said of it, in brackets."""
    try:
        found = list(islice(source.propose(context, n), n))
    except Awaiting:  # the others cannot make up for it: the run stops here
        raise
    except (Exception, SystemExit) as error:  # a user's generator may raise anything
        return [], f" ({_line(error)})"
    usable = [p for p in found if isinstance(p, Proposal) and isinstance(p.receipt, Mapping)]
    if len(usable) < len(found):
        return usable, " (what else it gave are no proposals)"
    notice = getattr(source, "notice", "")
    return usable, f" ({notice})" if notice else ""


def _new(given: Sequence[Proposal], found: Sequence[Proposal]) -> list[Proposal]:
    """Those whose text is none of the found ones', nor that of one before them."""
    texts, new = {p.source for p in found}, list[Proposal]()
    for proposal in given:
        if proposal.source not in texts:
            texts.add(proposal.source)
            new.append(proposal)
    return new


def _line(error: BaseException) -> str:
    first = (str(error).splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _numbered(proposal: Proposal, id: str, label: str, counts: Mapping[str, Any]) -> Proposal:
    choices = {**choices_of(proposal.receipt), _SOURCE: (label,)}
    receipt = {
        **proposal.receipt,
        "choices": {kind: list(names) for kind, names in choices.items()},
        _RECORD: {_SOURCE: label, **counts},
    }
    return dataclasses.replace(proposal, id=id, receipt=receipt)


def _label(outcome: Outcome) -> str | None:
    record = outcome.proposal.receipt.get(_RECORD)
    return record.get(_SOURCE) if isinstance(record, Mapping) else None


def _shortfall(outcome: Outcome, label: str) -> int:
    """How many programs a source was asked for in vain in the round of an outcome."""
    record = outcome.proposal.receipt[_RECORD]
    return int(record["asked"].get(label, 0)) - int(record["given"].get(label, 0))
