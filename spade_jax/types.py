"""The records that flow through a round of co-evolution, in the order in which they flow.

``Proposal`` (generator) → ``Verdict`` (executor) → ``Evaluation`` (curator) → ``PoolEntry``
(pool) → ``Outcome`` (back to the generator). Each record is frozen, holds only plain values, and is
written as one JSON line. The key of a program everywhere is its program hash.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from spade_jax.fits import hints_of, misfit

__all__ = [
    "Context",
    "Evaluation",
    "Generator",
    "Limits",
    "Outcome",
    "PoolEntry",
    "PoolEvent",
    "PoolEventKind",
    "PoolView",
    "Proposal",
    "Reason",
    "SkillEstimate",
    "Stage",
    "StageResult",
    "Verdict",
    "from_json",
    "to_json",
]


class Stage(enum.StrEnum):
    """What a candidate goes through, from cheap to dear, in the order of running."""

    PARSE = "parse"
    CHECK = "check"
    COST = "cost"
    DUPLICATE = "duplicate"
    SMOKE = "smoke"
    BEHAVIOUR = "behaviour"
    TRIVIALITY = "triviality"
    CERTIFICATE = "certificate"
    TRACE = "trace"
    PROBE = "probe"


class Reason(enum.StrEnum):
    """Why a candidate ended where it did; ``OK`` passed every stage it was put through."""

    OK = "ok"
    # parse, check, cost
    SYNTAX = "syntax"
    INVALID = "invalid"
    TOO_COSTLY = "too_costly"
    # duplicates
    DUPLICATE = "duplicate"
    SAME_BEHAVIOUR = "same_behaviour"
    # smoke
    NONDETERMINISTIC = "nondeterministic"
    NOT_FINITE = "not_finite"
    BAD_OBSERVATION = "bad_observation"
    FAULT = "fault"
    NO_REWARD = "no_reward"
    NEVER_ENDS = "never_ends"
    # triviality
    NOOP_WINS = "noop_wins"
    SCRIPT_WINS = "script_wins"
    # certificate
    UNSOLVABLE = "unsolvable"
    # trace
    TRACE_TOO_LARGE = "trace_too_large"
    # any stage in a worker
    TIMEOUT = "timeout"
    MEMORY = "memory"
    KILLED = "killed"
    INTERNAL = "internal"
    # predictor
    NOT_PROBED = "not_probed"
    # curator
    TOO_EASY = "too_easy"
    TOO_HARD = "too_hard"
    UNCERTAIN = "uncertain"
    LOW_RANK = "low_rank"
    HELD_OUT = "held_out"
    # a person
    REFUSED = "refused"

    @property
    def depends_on_clock(self) -> bool:
        """True where a second try could answer differently: a resumed run reads these back."""
        return self in (Reason.TIMEOUT, Reason.MEMORY, Reason.KILLED)


@dataclasses.dataclass(frozen=True)
class Proposal:
    """A candidate program as its generator wrote it.

    Attributes:
      id: unique in the run, ``r<round>-<index>``.
      source: program text, not yet checked.
      generator: name of the generator ("evolve", "seeds", a user's own).
      operator: what made it (a mutation operator, "parameters", "crossover", …).
      parents: program hashes it was made from.
      round: round in which it was proposed.
      receipt: whatever the generator wants kept (prompt hash, model, raw response …); JSON values.
    """

    id: str
    source: str
    generator: str
    operator: str
    parents: tuple[str, ...] = ()
    round: int = 0
    receipt: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class StageResult:
    """One stage's answer. ``detail`` holds JSON values only (rates, limits, diagnostics)."""

    name: Stage
    ok: bool
    seconds: float
    detail: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The executor's answer on one proposal.

    Attributes:
      proposal_id: which proposal.
      ok: it passed every stage.
      reason: ``Reason.OK`` or why not.
      stages: results in the order they ran, the last one being the one that failed, if any.
      program_hash, skeleton_hash, behaviour_hash: "" where not reached.
      features: behaviour descriptor (floats), empty where not reached.
      stability: share of smoke roll-outs that were healthy, 0–1.
      success: successes of the probe; episodes: episodes of the probe (0 if not reached).
      env_steps: environment steps spent on it by all stages (counted against the budget).
      error: one line for a person, "" when ok.
    """

    proposal_id: str
    ok: bool
    reason: Reason
    stages: tuple[StageResult, ...] = ()
    program_hash: str = ""
    skeleton_hash: str = ""
    behaviour_hash: str = ""
    features: tuple[float, ...] = ()
    stability: float = 0.0
    successes: int = 0
    episodes: int = 0
    env_steps: int = 0
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Success of the current policy on one program: a Beta posterior from whole, fresh episodes.

    Attributes:
      program_hash: which program; iteration: PPO iterations done when it was measured.
      successes, episodes: counts; the posterior is Beta(1 + successes, 1 + failures).
      mean, low, high: posterior mean and central 95 % interval.
      env_steps: environment steps it took.
      mean_return, mean_length: over the same episodes.
    """

    program_hash: str
    iteration: int
    successes: int
    episodes: int
    mean: float
    low: float
    high: float
    env_steps: int
    mean_return: float = 0.0
    mean_length: float = 0.0


@dataclasses.dataclass(frozen=True)
class PoolEntry:
    """A program in the pool (or the archive), with what the curator knows of it.

    Attributes:
      program_hash, skeleton_hash, behaviour_hash: identities.
      source: canonical text. name: short name shown to people.
      generator, operator, parents, round_admitted: where it came from.
      skills: skill tags, of a generated program the verified ones (see ``skills.tags``).
      features: behaviour descriptor.
      stability: from the executor, 0–1.
      history: (round, Beta mean, episodes) after each evaluation, oldest first.
      env_steps: training environment steps spent on it so far.
      strikes: consecutive rounds outside the keep band (hysteresis).
      score: last rank, see curator.score.
      seed: one of the bundled seeds (never gated; may be evicted like any other).
    """

    program_hash: str
    skeleton_hash: str
    behaviour_hash: str
    source: str
    name: str
    generator: str
    operator: str
    parents: tuple[str, ...]
    round_admitted: int
    skills: tuple[str, ...]
    features: tuple[float, ...]
    stability: float
    history: tuple[tuple[int, float, int], ...] = ()
    env_steps: int = 0
    strikes: int = 0
    score: float = 0.0
    seed: bool = False

    @property
    def success(self) -> float | None:
        """Latest posterior mean, None before the first evaluation."""
        return self.history[-1][1] if self.history else None


class PoolEventKind(enum.StrEnum):
    """What can happen to a program of the pool."""

    ADMIT = "admit"
    EVICT = "evict"
    QUARANTINE = "quarantine"
    RESTORE = "restore"


@dataclasses.dataclass(frozen=True)
class PoolEvent:
    """One pool change, with its reason and evidence (JSON values)."""

    round: int
    kind: PoolEventKind
    program_hash: str
    reason: str
    evidence: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class SkillEstimate:
    """The learner's success on one skill: pooled Beta mean and central 95 % interval."""

    skill: str
    mean: float
    low: float
    high: float
    programs: int
    episodes: int


@dataclasses.dataclass(frozen=True)
class PoolView:
    """What a generator may know of one pool or archive program."""

    program_hash: str
    behaviour_hash: str
    source: str
    name: str
    skills: tuple[str, ...]
    success: float | None
    features: tuple[float, ...]
    active: bool


@dataclasses.dataclass(frozen=True)
class Limits:
    """Shares of won episodes, in [0, 1], above which a program is refused as trivial.

    Attributes:
      noop: of standing still. script: of one action over and over, or random play.
      greedy: of play that takes the action whose step pays most.
    """

    noop: float
    script: float
    greedy: float


@dataclasses.dataclass(frozen=True)
class Context:
    """Everything a generator is told in one round. Held-out tasks are not part of it, by type.

    Attributes:
      round: this round. seed: for the generator's own randomness in this round.
      pool: active and archived programs. profile: per skill. target: the success rate aimed at.
      band: (low, high) success rates that are admitted.
      limits: beyond which plain players make a program trivial; None where they are not known.
      proposed: in this round already, where a mixture asks a source once more.
    """

    round: int
    seed: int
    pool: tuple[PoolView, ...]
    profile: tuple[SkillEstimate, ...]
    target: float = 0.5
    band: tuple[float, float] = (0.3, 0.7)
    limits: Limits | None = None
    proposed: tuple[Proposal, ...] = ()

    @property
    def taken(self) -> frozenset[str]:
        """Program hashes of the pool, and of what was proposed in this round (by its receipts)."""
        receipts = (p.receipt.get("program") for p in self.proposed)
        return frozenset(
            (*(v.program_hash for v in self.pool), *(r for r in receipts if isinstance(r, str)))
        )


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a proposal: told to the generator that made it.

    Attributes:
      score: the curator's rank, None for what was not ranked.
      novelty: its diversity beside the pool, 0–1, None for what did not pass the executor.
    """

    proposal: Proposal
    verdict: Verdict
    admitted: bool
    reason: str
    score: float | None = None
    novelty: float | None = None


class Generator(Protocol):
    """What writes environments. Bring your own: see docs/generators.md.

    ``propose`` must be a pure function of (state, context): the run is replayed from checkpoints.
    ``state_dict`` returns JSON values only.
    """

    name: str

    def propose(self, context: Context, n: int) -> Sequence[Proposal]: ...

    def observe(self, outcomes: Sequence[Outcome]) -> None: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...


def to_json(record: Any) -> dict[str, Any]:
    """A record as JSON values (tuples become lists, enums their text)."""
    return _plain(record)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


_HASH = re.compile(r"[A-Za-z0-9_]{0,64}")
_ENUMS = {"name": Stage, "reason": Reason, "kind": PoolEventKind}


def from_json(cls: type, data: Mapping[str, Any]) -> Any:
    """Rebuild a record of type ``cls`` from ``to_json`` output.

    Raises:
      ValueError: a field is unknown, of another type, or a required one is missing; a program hash
        is none (files are named after it).
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{cls.__name__}: {type(data).__name__} is no record")
    fields = {f.name: f for f in dataclasses.fields(cls)}
    unknown = set(data) - set(fields)
    if unknown:
        raise ValueError(f"{cls.__name__} has no field {sorted(unknown)[0]!r}")
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name == "program_hash" and not (isinstance(value, str) and _HASH.fullmatch(value)):
            raise ValueError(f"{value!r:.80} is no program hash")
        if cls is Outcome and name in ("proposal", "verdict"):
            values[name] = from_json(Proposal if name == "proposal" else Verdict, value)
            continue
        hint = Sequence[Any] if name == "stages" else hints_of(cls)[name]
        if fault := misfit(value, hint, name):
            raise ValueError(f"{cls.__name__}: {fault}")
        if cls is Verdict and name == "stages":
            value = tuple(from_json(StageResult, v) for v in value)
        elif (cls, name) in ((StageResult, "name"), (Verdict, "reason"), (PoolEvent, "kind")):
            value = _ENUMS[name](value)
        elif isinstance(value, list):
            value = tuple(tuple(v) if isinstance(v, list) else v for v in value)
        values[name] = value
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"{cls.__name__}: {error}") from None
