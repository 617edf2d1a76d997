"""Generation and validation of one round, beside training: it never makes the learner wait.

The generator is told what became of its last proposals, writes new ones, and the executor's workers
examine them, all in a thread of its own. Whoever collects the result waits only if it is late, and
what comes out does not depend on when: verdicts that did depend on a clock are read back from the
run's journal.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from envs_dsl import check
from envs_dsl.likeness import constants
from spade_jax.executor import Request, Sandbox
from spade_jax.generator import Awaiting, GeneratorError, state_of
from spade_jax.genuine import genuine
from spade_jax.predictor import (
    Prediction,
    Predictor,
    Row,
    choose,
    expectations,
    features_of,
    not_probed,
    rows_of,
)
from spade_jax.records import VerdictJournal
from spade_jax.types import Context, Generator, Outcome, PoolEntry, Proposal, Stage, Verdict

__all__ = ["Known", "Screened", "Screening", "constants_of"]


@dataclasses.dataclass(frozen=True)
class Known:
    """What makes a candidate a duplicate.

    Attributes:
      programs, behaviours: hashes. constants: see ``Request.known_constants``.
    """

    programs: frozenset[str] = frozenset()
    behaviours: frozenset[str] = frozenset()
    constants: tuple[tuple[str, str, tuple[float, ...]], ...] = ()


def constants_of(entries: Iterable[PoolEntry]) -> tuple[tuple[str, str, tuple[float, ...]], ...]:
    """The constants of pool programs, for ``Known``; a text that is no program has none."""
    return tuple(
        (e.program_hash, e.skeleton_hash, found)
        for e in entries
        if (found := _constants(e.source)) is not None
    )


@functools.lru_cache(maxsize=4096)
def _constants(source: str) -> tuple[float, ...] | None:
    program = check(source).program
    return None if program is None else constants(program)


@dataclasses.dataclass(frozen=True)
class Screened:
    """What came of one round's generation.

    Attributes:
      proposals, verdicts: pairwise.
      warning: one line when the generator failed ("" otherwise): a broken generator costs its
        proposals, not the run.
      aside: one line that is said and that a replay need not say again ("" for none).
      generator: the generator's state after it proposed; None where it could not be had.
      health: verdicts on programs in quarantine, by program hash.
      archived: probes of archived programs, by program hash.
      predictions: what was expected of candidates, by proposal id (see ``spade_jax.predictor``).
      rows: what the predictor learns from the verdicts.
    """

    proposals: tuple[Proposal, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    warning: str = ""
    aside: str = ""
    generator: Mapping[str, Any] | None = None
    health: Mapping[str, Verdict] = dataclasses.field(default_factory=dict)
    archived: Mapping[str, Verdict] = dataclasses.field(default_factory=dict)
    predictions: Mapping[str, Prediction] = dataclasses.field(default_factory=dict)
    rows: tuple[Row, ...] = ()


class Screening:
    """Runs the generator and the executor in the background; one round at a time."""

    def __init__(
        self,
        generator: Generator,
        sandbox: Sandbox,
        journal: VerdictJournal,
        probe_share: float = 1.0,
    ) -> None:
        """``probe_share``: see ``spade_jax.config.Config``."""
        self.generator = generator
        self._probe_share = probe_share
        self._sandbox = sandbox
        self._journal = journal
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="screening")

    def start(
        self,
        context: Context,
        n: int,
        outcomes: Sequence[Outcome],
        policy: Path,
        known: Known,
        quarantined: Sequence[PoolEntry] = (),
        archived: Sequence[PoolEntry] = (),
        predictor: Predictor | None = None,
    ) -> Future[Screened]:
        """Begin a round.

        Args:
          context: what the generator is told. n: how many programs it is asked for.
          outcomes: of its last proposals, told first.
          policy: file of the policy that probes are played with.
          known: what counts as a duplicate.
          quarantined: programs whose health is tested again.
          archived: programs that are probed again.
          predictor: what it has learned so far.

        The future's ``result`` raises Awaiting where the generator has to wait for somebody.
        """
        return self._thread.submit(
            self._work,
            context,
            n,
            outcomes,
            policy,
            known,
            quarantined,
            archived,
            predictor or Predictor(),
        )

    def _work(
        self,
        context: Context,
        n: int,
        outcomes: Sequence[Outcome],
        policy: Path,
        known: Known,
        quarantined: Sequence[PoolEntry],
        archived: Sequence[PoolEntry],
        predictor: Predictor,
    ) -> Screened:
        proposals, warning = self._propose(context, n, outcomes)
        try:
            state = state_of(self.generator)
        except GeneratorError as error:
            state, warning = None, warning or str(error)

        def request(
            proposal: Proposal, until: Stage, known: Known, so_far: Verdict | None = None
        ) -> Request:
            return Request(
                source=proposal.source,
                id=proposal.id,
                known_programs=tuple(sorted(known.programs)),
                known_behaviours=tuple(sorted(known.behaviours)),
                known_constants=known.constants,
                policy=str(policy),
                seed=context.seed,
                until=until,
                so_far=so_far,
            )

        def again(entry: PoolEntry, what: str) -> Proposal:
            key = entry.program_hash
            return Proposal(f"r{context.round}-{what}-{key}", entry.source, "pool", what)

        def ask(*asked: Any) -> Callable[[], Verdict]:
            return self._ask(asked[0], request(*asked))

        # All are handed in before the first is waited for: the workers are never idle.
        choosy = self._probe_share < 1.0 and predictor.ready
        if choosy:
            looks = [dataclasses.replace(p, id=f"{p.id}-look") for p in proposals]
            waiting = [ask(p, Stage.BEHAVIOUR, known) for p in looks]
        else:
            waiting = [ask(p, Stage.PROBE, known) for p in proposals]
        health = {
            e.program_hash: ask(again(e, "health"), Stage.SMOKE, Known()) for e in quarantined
        }
        probes = {e.program_hash: ask(again(e, "archive"), Stage.PROBE, Known()) for e in archived}
        verdicts = [answer() for answer in waiting]
        numbers = features_of(proposals, verdicts, context)
        expected = expectations(predictor, numbers)
        if choosy:
            chosen = choose(expected, self._probe_share, context.seed)
            waiting = []
            for proposal, so_far in zip(proposals, verdicts, strict=True):
                if proposal.id in chosen:
                    waiting.append(ask(proposal, Stage.PROBE, known, so_far))
                    continue
                final = dataclasses.replace(so_far, proposal_id=proposal.id)
                if proposal.id in expected:
                    final = not_probed(proposal, so_far, expected[proposal.id])
                waiting.append(functools.partial(self._journal.put, proposal, final))
            verdicts = [answer() for answer in waiting]
        return Screened(
            proposals=proposals,
            verdicts=tuple(verdicts),
            warning=warning,
            aside=_said(self.generator, "aside"),
            generator=state,
            health={key: answer() for key, answer in health.items()},
            archived={key: answer() for key, answer in probes.items()},
            predictions=expected,
            rows=rows_of(numbers, verdicts, context),
        )

    def _propose(
        self, context: Context, n: int, outcomes: Sequence[Outcome]
    ) -> tuple[tuple[Proposal, ...], str]:
        try:
            self.generator.observe(outcomes)
            found = tuple(islice(self.generator.propose(context, n), n)) if n else ()
            faults = [_fault(p) for p in found]
            usable = [p for p, fault in zip(found, faults, strict=True) if not fault]
            numbered = tuple(
                dataclasses.replace(p, id=f"r{context.round}-{i}", round=context.round)
                for i, p in enumerate(usable)
            )
        except Awaiting:  # the run ends, and is resumed when there are answers
            raise
        except (Exception, SystemExit) as error:  # a user's generator may raise anything
            first = (str(error).splitlines() or [""])[0]
            return (), f"generator {self.generator.name}: {type(error).__name__}: {first}"
        fault = next(filter(None, faults), "")
        said = [fault and f"a proposal is left out: {fault}", _said(self.generator, "notice")]
        line = "; ".join(filter(None, said))
        return numbered, line and f"generator {self.generator.name}: {line}"

    def _ask(self, proposal: Proposal, request: Request) -> Callable[[], Verdict]:
        """How to get the verdict: read it back where it is known, else wait for a worker."""
        known = self._journal.get(proposal)
        if known is not None:
            return lambda: genuine(proposal, known)
        future = self._sandbox.submit(request)
        return lambda: self._journal.put(proposal, genuine(proposal, future.result()))

    def hurry(self) -> None:
        """Tell a generator that can be told (``hurry()``) to come to an end with what it has."""
        if callable(hurry := getattr(self.generator, "hurry", None)):
            hurry()

    def close(self) -> None:
        """Forget what has not begun; a running generator call is left to end by itself."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _said(generator: Generator, attribute: str) -> str:
    """What a generator says of its last ``propose`` in an attribute, as one line."""
    text = getattr(generator, attribute, "")
    return " ".join(text.split()) if isinstance(text, str) else ""


def _fault(proposal: Any) -> str:
    """Why a proposal cannot be examined and recorded, "" when it can."""
    if not isinstance(proposal, Proposal):
        return f"{type(proposal).__name__} is not a Proposal"
    for name in ("source", "generator", "operator"):
        if not isinstance(text := getattr(proposal, name), str):
            return f"its {name} is {type(text).__name__}, not str"
    if not isinstance(parents := proposal.parents, tuple | list):
        return f"its parents are {type(parents).__name__}, not a tuple"
    try:
        "".join((proposal.source, proposal.generator, proposal.operator, *parents)).encode()
        json.dumps(dict(proposal.receipt))
    except (TypeError, ValueError, RecursionError) as error:
        return f"it cannot be recorded: {error}"
    return ""
