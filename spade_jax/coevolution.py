"""Co-evolution: learner and environments, round by round.

``one_round`` reads from top to bottom as a figure of the method would. The two things that take
long, writing and examining programs and compiling the newcomers, run beside the training and are
waited for at fixed points, so that results never depend on how long anything took.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from envs_dsl import Program
from spade_jax import curator
from spade_jax.config import Config
from spade_jax.curator import Candidate, heldout
from spade_jax.generator import state_of
from spade_jax.learner import capability_profile
from spade_jax.measure import measure, measure_uncompiled
from spade_jax.recorder import ASIDE, OnEvent
from spade_jax.rooms import Rooms, open_rooms
from spade_jax.run_lines import record_changes, record_heldout, record_plan, record_round
from spade_jax.run_state import RunState, context_at
from spade_jax.screening import Screened
from spade_jax.training import heed, join, train
from spade_jax.types import Context, Evaluation, PoolEvent, Reason, Verdict

__all__ = ["Config", "RunSummary", "one_round", "over", "run"]


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
      Awaiting: the generator waits for somebody (a batch of requests is to be answered); the run
        can be resumed then.
      OSError: a file cannot be written; the run can be resumed.
    """
    with open_rooms(config, Path(run_dir), resume, on_event or (lambda kind, data: None)) as rooms:
        state = rooms.restored or begin(rooms)
        record_plan(rooms, state)
        while not finished(state, config):
            state = pretrain(state, rooms) if state.round == 0 else one_round(state, rooms)
            rooms.save(state)
        # What a person has said since counts for a run that is over, too.
        heeded = heed(state, rooms)
        if heeded is not state:
            state = heeded
            rooms.save(state)
    return RunSummary(state.round - 1, state.env_steps, state.heldout, len(state.pool.active))


def finished(state: RunState, config: Config) -> bool:
    """The rounds are done, or the budget is spent."""
    return over(state.round, state.env_steps, config)


def over(round: int, env_steps: int, config: Config) -> bool:
    """Whether a run ends before ``round``, with so many environment steps spent."""
    if config.env_step_budget is not None and env_steps >= config.env_step_budget:
        return True
    if config.arm == "fixed" and config.env_step_budget is not None:
        return False
    return round > config.rounds


def begin(rooms: Rooms) -> RunState:
    """The bundled seeds as the pool, an untrained learner, and what it can do."""
    pool, events = curator.start(rooms.seed_entries())
    record_changes(rooms, pool, events)
    layout = rooms.first_layout(pool)
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
        # What a person refused since the last round is gone before anything is made of it.
        state = heed(state, rooms)

        # Beside the training: new programs are written and examined with the policy as it is now,
        # and the executables of last round's newcomers are compiled.
        screening = rooms.start_screening(state, context_of(state, config))
        target, compiled = rooms.start_compiling(state)

        began = int(state.learner.iteration)
        spent: Counter[str] = Counter()
        iterations = iterations_left(state, rooms)
        early = min(config.join_after, iterations)
        state = train(state, rooms, early, spent)
        state = join(state, rooms, target, compiled)
        written = max(early, iterations // 3)  # what is written has to be examined as well
        state = train(state, rooms, written - early, spent)
        rooms.hurry_screening()
        state = train(state, rooms, iterations - written, spent)

        screened = rooms.wait_for_screening(screening)
        state = evaluate_pool(state, rooms, spent, archived_evaluations(screened, began))
        state = curate(state, rooms, screened)
        if state.round % config.heldout_every == 0 or last_round(state, config):
            state = measure_heldout(state, rooms)
        record(state, Counter(o.reason for o in state.outcomes))
    return dataclasses.replace(state, round=state.round + 1)


# --- what the generator is told -------------------------------------------------------------------


def context_of(state: RunState, config: Config) -> Context:
    """Pool, archive and profile; nothing of the held-out programs is in the state to be told."""
    return context_at(state.round, state.pool, state.profile, config)


# --- how long -------------------------------------------------------------------------------------


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
    """Success of the policy on the active programs, from whole fresh episodes.

    Those in no slot are played without being compiled: as many as there are slots, the longest
    unmeasured first. The arm "fixed" decides nothing by it, and spends its steps on training
    instead.
    """
    if rooms.config.arm == "fixed":
        pool = curator.update(state.pool, (), state.round, rooms.thresholds, spent)
        return dataclasses.replace(state, pool=pool)
    active = {e.program_hash: e for e in state.pool.active}
    placed = {p.hashes.program: p for p in state.layout.programs if p.hashes.program in active}
    without = [entry for key, entry in active.items() if key not in placed]
    oldest = curator.longest_unmeasured(without, rooms.learner.config.slots)
    waiting = [Program.from_source(entry.source) for entry in oldest]
    episodes, seed = rooms.thresholds.episodes, state.round + 1
    found = measure(rooms, state, list(placed.values()), episodes, seed=seed)
    found += measure_uncompiled(rooms, state, waiting, episodes, seed=seed)
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


def archived_evaluations(screened: Screened, iteration: int) -> tuple[Evaluation, ...]:
    """Measurements of archived programs, by the workers, with the policy of the round's start.

    ``iteration``: the one that the round began after.
    """
    return tuple(
        curator.evaluation(key, iteration, v.successes, v.episodes, v.env_steps)
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
    record_heldout(rooms, state, result)
    return dataclasses.replace(state, heldout=result.success, heldout_at=result.iteration)


# --- curation -------------------------------------------------------------------------------------


def curate(state: RunState, rooms: Rooms, screened: Screened) -> RunState:
    """Evict, restore, gate and admit; then the generator's outcomes are known."""
    if screened.warning:
        rooms.recorder.say(screened.warning, warning=True)
    if screened.aside:
        rooms.recorder.say(f"{ASIDE}{screened.aside}", warning=True)
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
    record_changes(rooms, admission.pool, (*events, *admission.events))
    for outcome in admission.outcomes:
        rooms.recorder.candidate(round, outcome)
        if expected := screened.predictions.get(outcome.proposal.id):
            rooms.recorder.prediction(round, outcome, expected)
    spent = sum(v.env_steps for v in all_verdicts(screened))
    return dataclasses.replace(
        state,
        pool=admission.pool,
        outcomes=admission.outcomes,
        generator=state.generator if screened.generator is None else screened.generator,
        predictor=state.predictor.learn(screened.rows),
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
    """Records the round once it is over, with its time and what it compiled.

    Says before that, once, if the learner could not learn from all of it.
    """
    started, waited, before = time.perf_counter(), dict(rooms.waited), rooms.skipped
    compiled = rooms.learner.compile_seconds

    def record(after: RunState, funnel: Counter[str]) -> None:
        if skipped := rooms.skipped - before:
            what = f"the gradients of {skipped} minibatches were not finite and changed nothing"
            text = f"round {after.round}: {what}; is a reward far beyond -1 to 1?"
            rooms.recorder.say(text, warning=True)
        record_round(
            rooms,
            after,
            funnel,
            seconds=time.perf_counter() - started,
            waited={what: total - waited[what] for what, total in rooms.waited.items()},
            compile_seconds=rooms.learner.compile_seconds - compiled,
        )

    yield record
