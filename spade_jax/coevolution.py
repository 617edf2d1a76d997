"""Co-evolution: learner and environments, round by round.

``one_round`` reads from top to bottom as a figure of the method would. The two things that take
long, writing and examining programs and compiling the newcomers, run beside the training and are
waited for at fixed points, so that results never depend on how long anything took.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from spade_jax import curator
from spade_jax.config import Config
from spade_jax.curator import Candidate, heldout
from spade_jax.difficulty import at_difficulty, follow
from spade_jax.evidence import FAULT, NOT_FINITE
from spade_jax.generator import state_of
from spade_jax.learner import IterationMetrics, Layout, LearnerState, capability_profile
from spade_jax.measure import measure, measure_uncompiled
from spade_jax.recorder import OnEvent
from spade_jax.rooms import Rooms, open_rooms
from spade_jax.run_state import RunState, layout_of
from spade_jax.screening import Screened
from spade_jax.types import Context, Evaluation, PoolEvent, Reason, Verdict

__all__ = ["Config", "RunSummary", "one_round", "run"]


@dataclasses.dataclass(frozen=True)
class RunSummary:
    """How a run ended: rounds done, environment steps spent, held-out success, programs."""

    rounds: int
    env_steps: int
    heldout: float | None
    pool_size: int


def run(
    config: Config, run_dir: Path | str, *, resume: bool = False, on_event: OnEvent | None = None
) -> RunSummary:
    """Run an experiment in ``run_dir``, or go on with the one that is there.

    A checkpoint is written after every round. The same configuration gives the same metrics (times
    aside), whether or not the run was stopped and resumed in between.

    Args:
      config: what to run. run_dir: its folder, which exists. resume: go on from its last checkpoint
        (from the start when there is none yet).
      on_event: called with (kind, record) for everything that is recorded.

    Raises:
      UserError: the folder holds no run of this configuration, or an unknown generator is named.
      OSError: a file cannot be written; the run can be resumed.
    """
    with open_rooms(config, Path(run_dir), resume, on_event or (lambda kind, data: None)) as rooms:
        state = rooms.restored or begin(rooms)
        while not finished(state, config):
            state = pretrain(state, rooms) if state.round == 0 else one_round(state, rooms)
            rooms.save(state)
    return RunSummary(state.round - 1, state.env_steps, state.heldout, len(state.pool.active))


def finished(state: RunState, config: Config) -> bool:
    """The rounds are done, or the budget is spent."""
    if config.env_step_budget is not None and state.env_steps >= config.env_step_budget:
        return True
    if config.arm == "fixed" and config.env_step_budget is not None:
        return False
    return state.round > config.rounds


def begin(rooms: Rooms) -> RunState:
    """The bundled seeds as the pool, an untrained learner, and what it can do."""
    pool, events = curator.start(rooms.seed_entries())
    rooms.record_changes(pool, events)
    slots = curator.assign_slots(pool, ("",) * rooms.learner.config.slots, 0, rooms.thresholds)
    layout = layout_of(pool, slots, rooms.learner.config.cohort_size)
    state = RunState(
        round=0,
        env_steps=0,
        pool=pool,
        layout=layout,
        learner=rooms.learner.init(rooms.config.seed, layout),
        generator=state_of(rooms.generator),
    )
    state = measure_heldout(state, rooms)
    rooms.save(state)
    return state


def pretrain(state: RunState, rooms: Rooms) -> RunState:
    """Round 0: train on the ungated seeds, so that the first band is not set by random play."""
    with timed_round(rooms) as record:
        spent: Counter[str] = Counter()
        state = train(state, rooms, rooms.config.pretrain_iterations, spent)
        state = evaluate_pool(state, rooms, spent, ())
        state = measure_heldout(state, rooms)
        record(state, Counter())
    return dataclasses.replace(state, round=1)


def one_round(state: RunState, rooms: Rooms) -> RunState:
    """One round of co-evolution."""
    config = rooms.config
    with timed_round(rooms) as record:
        # Beside the training: new programs are written and examined with the policy as it is now,
        # and the executables of last round's newcomers are compiled.
        screening = rooms.start_screening(state, context_of(state, config))
        target, compiled = rooms.start_compiling(state)

        spent: Counter[str] = Counter()
        iterations = iterations_left(state, rooms)
        early = min(config.join_after, iterations)
        state = train(state, rooms, early, spent)
        state = join(state, rooms, target, compiled)
        state = train(state, rooms, iterations - early, spent)

        screened = rooms.wait_for_screening(screening)
        state = evaluate_pool(state, rooms, spent, archived_evaluations(state, screened))
        state = curate(state, rooms, screened)
        if state.round % config.heldout_every == 0 or last_round(state, config):
            state = measure_heldout(state, rooms)
        record(state, Counter(o.reason for o in state.outcomes))
    return dataclasses.replace(state, round=state.round + 1)


# --- what the generator is told -------------------------------------------------------------------


def context_of(state: RunState, config: Config) -> Context:
    """Pool, archive and profile; nothing of the held-out programs is in the state to be told."""
    words = np.random.SeedSequence([config.seed, state.round]).generate_state(1)
    return Context(
        round=state.round,
        seed=int(words[0] >> 1),
        pool=curator.views(state.pool),
        profile=state.profile,
        target=config.curator.target,
        band=config.curator.band,
    )


# --- training -------------------------------------------------------------------------------------


def train(state: RunState, rooms: Rooms, iterations: int, spent: Counter[str]) -> RunState:
    """PPO iterations on the layout; a program that misbehaves is quarantined, training goes on.

    ``spent`` is given the environment steps of each program.
    """
    for _ in range(iterations):
        started, before = time.perf_counter(), state.learner
        layout = played(state, rooms)
        with rooms.profiled(state):
            learner, metrics = rooms.learner.train_iteration(state.learner, layout)
        state = dataclasses.replace(
            state, learner=learner, env_steps=state.env_steps + metrics.env_steps
        )
        for slot in metrics.slots:
            spent[slot.program_hash] += slot.steps
        rooms.record_iteration(state, metrics, time.perf_counter() - started)
        faults = misbehaving(metrics, rooms.config)
        if faults:
            state = quarantine(state, rooms, faults, before)
        if rooms.config.adaptive:
            state = adapt(state, rooms, layout, metrics)
    return state


def played(state: RunState, rooms: Rooms) -> Layout:
    """The layout as it is trained on: where difficulty is adaptive, at that of each program."""
    if not rooms.config.adaptive:
        return state.layout
    return at_difficulty(state.layout, state.difficulties, rooms.config.difficulty)


def adapt(state: RunState, rooms: Rooms, layout: Layout, metrics: IterationMetrics) -> RunState:
    """Let the difficulties follow the success of an iteration that was played on ``layout``."""
    rows, numbers = rooms.learner.config.rollout_length, rooms.config.difficulty
    difficulties = follow(state.difficulties, layout, metrics, rows, numbers)
    return dataclasses.replace(state, difficulties=difficulties)


def join(state: RunState, rooms: Rooms, target: Layout, compiled: Future[None]) -> RunState:
    """Put the newcomers into their slots (waiting for their executables if they are late)."""
    error = rooms.wait_for_compiling(compiled)
    if {e.program_hash for e in state.pool.quarantined} & set(target.hashes):
        # Quarantined since the target was laid out: it must not come back with the newcomers.
        target = rooms.next_layout(state.pool, state.layout, state.round)
        error = rooms.compile_layout(target)
    if error is not None:
        return join_without_culprits(state, rooms, target, error)
    return lay_out(state, rooms, target)


def join_without_culprits(
    state: RunState, rooms: Rooms, target: Layout, error: BaseException
) -> RunState:
    """Quarantine the newcomers that do not compile even alone, and join the others.

    If those do not compile together either, though each does alone, nobody joins in this round:
    the next one tries again.
    """
    running = set(state.layout.hashes)
    pool, events = state.pool, list[PoolEvent]()
    for program in dict.fromkeys(p for p in target.programs if p.hashes.program not in running):
        alone = rooms.compile_alone(program)
        if alone is not None:
            evidence = {"error": first_line(alone), "stage": "compile"}
            key = program.hashes.program
            pool, changes = curator.quarantine(pool, key, state.round, "compile", evidence)
            events += changes
    rooms.record_changes(pool, events)
    state = dataclasses.replace(state, pool=pool)
    if events:
        target = rooms.next_layout(pool, state.layout, state.round)
        left = rooms.compile_layout(target)
        if left is None:
            return lay_out(state, rooms, target)
        error = left
    text = f"newcomers wait for the next round, their cohort did not compile: {first_line(error)}"
    rooms.recorder.say(text, warning=True)
    return state


def lay_out(state: RunState, rooms: Rooms, layout: Layout) -> RunState:
    """Go on with another layout; episodes of programs that keep their slot run on."""
    learner = rooms.learner.set_layout(state.learner, state.layout, layout)
    return dataclasses.replace(state, learner=learner, layout=layout)


def first_line(error: BaseException) -> str:
    """What an error says, for a record."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def misbehaving(metrics: IterationMetrics, config: Config) -> dict[str, str]:
    """Programs to take out of training, and why.

    Something not finite is never accepted. The fault flag is, as in screening, as long as the share
    of copies without it is at least the executor's ``min_stability``.
    """
    faulty = dict.fromkeys(metrics.faulty(config.executor.min_stability), FAULT)
    return faulty | dict.fromkeys(metrics.unhealthy, NOT_FINITE)


def quarantine(
    state: RunState, rooms: Rooms, faults: Mapping[str, str], before: LearnerState
) -> RunState:
    """Take programs (hash → fault) out of training, each with evidence that replays.

    ``before``: the learner when the iteration began. The last active program stays: without any
    there would be nothing to go on with.
    """
    pool, events, trained_on = state.pool, list[PoolEvent](), played(state, rooms)
    for key, fault in sorted(faults.items()):
        if [e.program_hash for e in pool.active] == [key]:
            rooms.recorder.say(f"{key} misbehaves ({fault}) but is the last program", warning=True)
            continue
        slots = [slot for slot, held in enumerate(state.layout.hashes) if held == key]
        evidence = rooms.evidence(before, trained_on, slots, fault)
        pool, changes = curator.quarantine(pool, key, state.round, fault, evidence)
        events += changes
    if not events:
        return state
    rooms.record_changes(pool, events)
    layout = rooms.next_layout(pool, state.layout, state.round)
    return lay_out(dataclasses.replace(state, pool=pool), rooms, layout)


def iterations_left(state: RunState, rooms: Rooms) -> int:
    """Iterations of this round; fewer in the last one when a budget says so."""
    planned = rooms.config.iterations_per_round
    budget = rooms.config.env_step_budget
    if budget is None:
        return planned
    settings = rooms.learner.config
    steps = settings.batch * settings.rollout_length
    return max(1, min(planned, round((budget - state.env_steps) / steps)))


def last_round(state: RunState, config: Config) -> bool:
    return finished(dataclasses.replace(state, round=state.round + 1), config)


# --- measuring ------------------------------------------------------------------------------------


def evaluate_pool(
    state: RunState, rooms: Rooms, spent: Counter[str], archived: Sequence[Evaluation]
) -> RunState:
    """Success of the policy on every active program, from whole fresh episodes.

    The arm "fixed" decides nothing by it, and spends its steps on training instead.
    """
    if rooms.config.arm == "fixed":
        pool = curator.update(state.pool, (), state.round, rooms.thresholds, spent)
        return dataclasses.replace(state, pool=pool)
    programs = list(dict.fromkeys(state.layout.programs))
    active = {e.program_hash: e for e in state.pool.active}
    programs = [p for p in programs if p.hashes.program in active]
    found = measure(rooms, state, programs, rooms.thresholds.episodes, seed=state.round + 1)
    pool = curator.update(
        state.pool, (*found, *archived), state.round, rooms.thresholds, dict(spent)
    )
    for evaluation in (*found, *archived):
        rooms.recorder.evaluation(state.round, evaluation)
    profile = capability_profile(
        (active[e.program_hash].skills, e.successes, e.episodes) for e in found
    )
    steps = state.env_steps + sum(e.env_steps for e in found)
    return dataclasses.replace(state, pool=pool, profile=profile, env_steps=steps)


def archived_evaluations(state: RunState, screened: Screened) -> tuple[Evaluation, ...]:
    """Measurements of archived programs, by the workers, with the policy of the round's start."""
    return tuple(
        curator.evaluation(key, int(state.learner.iteration), v.successes, v.episodes, v.env_steps)
        for key, v in sorted(screened.archived.items())
        if v.episodes
    )


def measure_heldout(state: RunState, rooms: Rooms) -> RunState:
    """Success on the held-out programs: fixed seeds, nothing learned from it, not in the budget."""
    result = heldout.measure(
        lambda programs, episodes, seed: measure_uncompiled(rooms, state, programs, episodes, seed),
        int(state.learner.iteration),
        rooms.config.heldout_episodes,
    )
    rooms.record_heldout(state, result)
    return dataclasses.replace(state, heldout=result.success)


# --- curation -------------------------------------------------------------------------------------


def curate(state: RunState, rooms: Rooms, screened: Screened) -> RunState:
    """Evict, restore, gate and admit; then the generator's outcomes are known."""
    if screened.warning:
        rooms.recorder.say(screened.warning, warning=True)
    if rooms.config.arm == "fixed":
        return state
    pool, round = state.pool, state.round
    pool, evicted = curator.evict(pool, round, rooms.thresholds)
    pool, restored = curator.restore(pool, round, rooms.thresholds)
    events: list[PoolEvent] = [*evicted, *restored]
    for key, verdict in sorted(screened.health.items()):
        if verdict.ok and verdict.reason is Reason.OK:
            pool, changes = curator.release(pool, key, round, verdict.stability)
            events += changes
    admission = curator.select(
        pool, candidates_of(pool, screened, rooms), round, rooms.thresholds, heldout.identities()
    )
    rooms.record_changes(admission.pool, (*events, *admission.events))
    for outcome in admission.outcomes:
        rooms.recorder.candidate(round, outcome)
    spent = sum(v.env_steps for v in all_verdicts(screened))
    return dataclasses.replace(
        state,
        pool=admission.pool,
        outcomes=admission.outcomes,
        generator=state.generator if screened.generator is None else screened.generator,
        env_steps=state.env_steps + spent,
    )


def candidates_of(pool: curator.Pool, screened: Screened, rooms: Rooms) -> tuple[Candidate, ...]:
    """Proposals with their verdicts, named and with their skills."""
    return tuple(
        rooms.candidate(pool, proposal, verdict)
        for proposal, verdict in zip(screened.proposals, screened.verdicts, strict=True)
    )


def all_verdicts(screened: Screened) -> Iterator[Verdict]:
    yield from screened.verdicts
    yield from screened.health.values()
    yield from screened.archived.values()


@contextmanager
def timed_round(rooms: Rooms) -> Iterator[Any]:
    """Records the round once it is over, with its time and what it compiled."""
    started, waited = time.perf_counter(), dict(rooms.waited)
    compiled = rooms.learner.compile_seconds

    def record(after: RunState, funnel: Counter[str]) -> None:
        rooms.record_round(
            after,
            funnel,
            seconds=time.perf_counter() - started,
            waited={what: total - waited[what] for what, total in rooms.waited.items()},
            compile_seconds=rooms.learner.compile_seconds - compiled,
        )

    yield record
