"""Training in a round: iterations on a layout of programs, and what changes the layout meanwhile.

Newcomers join it, programs that misbehave or that a person refused leave it, and difficulties
follow success. All of it happens between two iterations.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future

from spade_jax import curator
from spade_jax.config import Config
from spade_jax.difficulty import at_difficulty, follow
from spade_jax.evidence import FAULT, NOT_FINITE
from spade_jax.learner import IterationMetrics, Layout, LearnerState
from spade_jax.rooms import Rooms
from spade_jax.run_lines import record_changes, record_iteration
from spade_jax.run_state import RunState
from spade_jax.types import PoolEvent

__all__ = ["heed", "join", "lay_out", "train"]


def train(state: RunState, rooms: Rooms, iterations: int, spent: Counter[str]) -> RunState:
    """PPO iterations on the layout; a program that misbehaves is quarantined, training goes on.

    A resident that does stays, with a warning: it is not the pool's to take out. ``spent`` is given
    the environment steps of each program of the pool.
    """
    wild: Counter[str] = Counter()
    kept = {resident.hashes.program for resident in rooms.residents}
    for _ in range(iterations):
        rooms.stop_if_awaiting()
        started, before = time.perf_counter(), state.learner
        layout = played(state, rooms)
        with rooms.profiled(state):
            learner, metrics = rooms.learner.train_iteration(state.learner, layout)
        state = dataclasses.replace(
            state, learner=learner, env_steps=state.env_steps + metrics.env_steps
        )
        for slot in metrics.slots:
            if slot.program_hash not in kept:
                spent[slot.program_hash] += slot.steps
        rooms.skipped += metrics.skipped
        record_iteration(rooms, state, metrics, time.perf_counter() - started)
        faults = misbehaving(metrics, rooms.config)
        wild.update(r.name for r in rooms.residents if faults.pop(r.hashes.program, None))
        if faults:
            state = quarantine(state, rooms, faults, before)
        if rooms.config.adaptive:
            state = adapt(state, rooms, layout, metrics)
    for name, count in wild.items():
        what = f"gave values that are not finite in {count} of {iterations} iterations"
        rooms.recorder.say(f"resident {name} {what}; those did not count", warning=True)
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
    """Quarantine the newcomers that do not compile even alone, for good, and join the others.

    If those do not compile together either, though each does alone, nobody joins in this round:
    the next one tries again. Who has left the pool leaves the layout all the same.
    """
    running = set(state.layout.hashes)
    pool, events, culprits = state.pool, list[PoolEvent](), list[str]()
    for program in dict.fromkeys(p for p in target.programs if p.hashes.program not in running):
        alone = rooms.compile_alone(program)
        if alone is not None:
            evidence = {"error": first_line(alone), "stage": "compile"}
            key = program.hashes.program
            pool, changes = curator.quarantine(pool, key, state.round, "compile", evidence)
            events += changes
            culprits.append(key)
    record_changes(rooms, pool, events)
    state = dataclasses.replace(state, pool=pool, uncompiled=(*state.uncompiled, *culprits))
    if events:
        target = rooms.next_layout(pool, state.layout, state.round)
        left = rooms.compile_layout(target)
        if left is None:
            return lay_out(state, rooms, target)
        error = left
    text = f"newcomers wait for the next round, their cohort did not compile: {first_line(error)}"
    rooms.recorder.say(text, warning=True)
    return without_leavers(state, rooms)


def without_leavers(state: RunState, rooms: Rooms) -> RunState:
    """Lay out those that run already and are still in the pool, if one of the others ran."""
    running = set(state.layout.hashes)
    stay = tuple(e for e in state.pool.active if e.program_hash in running)
    kept = {resident.hashes.program for resident in rooms.residents}
    if not stay or running <= kept | {e.program_hash for e in stay}:
        return state
    pool = dataclasses.replace(state.pool, active=stay)
    return lay_out(state, rooms, rooms.next_layout(pool, state.layout, state.round))


def lay_out_anew(state: RunState, rooms: Rooms) -> RunState:
    """Go on with the layout of a pool that somebody has left.

    Newcomers move up into it, which may not be compiled yet, or not compile.
    """
    layout = rooms.next_layout(state.pool, state.layout, state.round)
    error = rooms.compile_layout(layout)
    if error is not None:
        return join_without_culprits(state, rooms, layout, error)
    return lay_out(state, rooms, layout)


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
    record_changes(rooms, pool, events)
    return lay_out_anew(dataclasses.replace(state, pool=pool), rooms)


def heed(state: RunState, rooms: Rooms) -> RunState:
    """Take programs out for good that a person has refused; what is in training leaves at once.

    The last active program stays, with a warning, until there is another one.
    """
    pool, events = state.pool, list[PoolEvent]()
    for verdict in rooms.refusals(state.round):
        key = verdict.program_hash
        if key not in {e.program_hash for e in pool.entries}:
            continue
        if [e.program_hash for e in pool.active] == [key]:
            text = f"{key} was rejected by audit but is the last program"
            rooms.recorder.say(text, warning=True)
            continue
        pool, changes = curator.refuse(pool, key, state.round, verdict.because)
        events += changes
    if not events:
        return state
    record_changes(rooms, pool, events)
    state = dataclasses.replace(state, pool=pool)
    if not {e.program_hash for e in events} & set(state.layout.hashes):
        return state
    return lay_out_anew(state, rooms)
