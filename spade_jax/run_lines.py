"""What a run writes down of itself: a line an iteration, a measurement, a round, a pool change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import jax
import psutil

from spade_jax import curator, skills
from spade_jax.curator.heldout import HeldoutResult
from spade_jax.learner import IterationMetrics
from spade_jax.rooms import Rooms
from spade_jax.run_state import RunState, plan_of
from spade_jax.types import PoolEvent, PoolEventKind, to_json

__all__ = [
    "record_changes",
    "record_heldout",
    "record_iteration",
    "record_plan",
    "record_round",
]


def record_changes(rooms: Rooms, pool: curator.Pool, events: Sequence[PoolEvent]) -> None:
    """Record pool changes (``pool`` is the one after them); say who is quarantined."""
    for event in events:
        entry = pool.find(event.program_hash)
        rooms.recorder.pool_change(event, entry)
        if event.kind is PoolEventKind.QUARANTINE:
            story = f"python -m experiments.inspect {rooms.folder} {event.program_hash}"
            rooms.recorder.say(f"{entry.name} is quarantined: {event.reason}; see {story}")


def record_plan(rooms: Rooms, state: RunState) -> None:
    """One line where a resumed run is to end elsewhere than it was when it was saved.

    A run's last round is measured, and a budget may shorten it: who does it again has to know that
    a round was the last one once.
    """
    now = plan_of(rooms.config)
    if rooms.plan is not None and rooms.plan != now:
        rooms.recorder.metric("plan", round=state.round, before=rooms.plan, now=now)


def record_iteration(
    rooms: Rooms, state: RunState, metrics: IterationMetrics, seconds: float
) -> None:
    """One line a training iteration; where there are residents, with what each came to, and with
    how many minibatches were ``skipped`` if any were."""
    episodes = sum(s.episodes for s in metrics.slots)
    residents = {}
    if rooms.residents:
        residents["residents"] = {
            r.name: to_json(s)
            for r in rooms.residents
            for s in metrics.slots
            if s.program_hash == r.hashes.program
        }
    rooms.recorder.metric(
        "iteration",
        round=state.round,
        iteration=metrics.iteration,
        env_steps=state.env_steps,
        **metrics.losses,
        success=sum(s.successes for s in metrics.slots) / episodes if episodes else None,
        episodes=episodes,
        programs=len({s.program_hash for s in metrics.slots}),
        steps_per_s=metrics.env_steps / seconds,
        collect_seconds=metrics.collect_seconds,
        update_seconds=metrics.update_seconds,
        seconds=seconds,
        rss_mb=psutil.Process().memory_info().rss / 2**20,
        **residents,
        **({"skipped": metrics.skipped} if metrics.skipped else {}),
    )


def record_heldout(rooms: Rooms, state: RunState, result: HeldoutResult) -> None:
    """One line a held-out measurement."""
    each = result.episodes // len(result.programs)
    rooms.recorder.metric(
        "heldout",
        round=state.round,
        iteration=result.iteration,
        env_steps=state.env_steps,
        mean=result.success,
        worst=result.worst,
        programs={
            name: {"successes": round(rate * each), "episodes": each, "mean": rate}
            for name, rate in result.programs.items()
        },
    )


def record_round(
    rooms: Rooms,
    state: RunState,
    funnel: Counter[str],
    *,
    seconds: float,
    waited: Mapping[str, float],
    compile_seconds: float,
) -> None:
    """One line a round; of its seconds, those in which the learner stood ``waited``.

    Where difficulty is adaptive the line has that of every active program, by its hash.
    """
    adaptive = {}
    if rooms.config.adaptive:
        found = state.difficulties
        active = [e.program_hash for e in state.pool.active]
        adaptive["difficulties"] = {key: found[key].value for key in active if key in found}
    histogram = [0] * 10
    for entry in state.pool.active:
        if entry.success is not None:
            histogram[min(int(entry.success * 10), 9)] += 1
    rooms.recorder.metric(
        "round",
        round=state.round,
        env_steps=state.env_steps,
        pool_size=len(state.pool.active),
        archive_size=len(state.pool.archive),
        quarantined=len(state.pool.quarantined),
        histogram=histogram,
        funnel=dict(funnel),
        admitted=funnel["ok"],
        relabelled=sum(o.admitted and skills.relabelled(o.verdict) for o in state.outcomes),
        evicted=sum(state.pool.since[e.program_hash] == state.round for e in state.pool.archive),
        profile=[to_json(p) for p in state.profile],
        compile_seconds=compile_seconds,
        wait_seconds=sum(waited.values()),
        wait_screening_seconds=waited["screening"],
        seconds=seconds,
        **adaptive,
        **_resources(),
    )


def _resources() -> dict[str, float | None]:
    """Processor time of this process so far, its memory, and the device's where that is told."""
    process = psutil.Process()
    device = jax.local_devices()[0].memory_stats() or {}
    used = device.get("bytes_in_use")
    times = process.cpu_times()
    return {
        "cpu_seconds": times.user + times.system,
        "rss_mb": process.memory_info().rss / 2**20,
        "device_mb": None if used is None else used / 2**20,
    }
