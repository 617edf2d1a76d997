"""What one training iteration tells the world."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from spade_jax.learner.cohort import Collected
from spade_jax.learner.ppo import Losses

__all__ = ["IterationMetrics", "SlotMetrics", "gather"]


@dataclasses.dataclass(frozen=True)
class SlotMetrics:
    """One slot in one iteration. Training roll-outs are biased: see ``evaluate`` for success rates.

    Attributes:
      slot: its index. program_hash: whose it was.
      steps: environment steps. episodes, successes: of the episodes that ended.
      mean_return, mean_length: over those, 0 if none.
      healthy: everything it gave was finite; otherwise its rows were left out of the update.
      faults: share of its copies whose fault flag was set at the end.
    """

    slot: int
    program_hash: str
    steps: int
    episodes: int
    successes: int
    mean_return: float
    mean_length: float
    healthy: bool
    faults: float


@dataclasses.dataclass(frozen=True)
class IterationMetrics:
    """One iteration; all but the two times is a pure function of the state before.

    Attributes:
      iteration: counted from 1. env_steps: steps of this iteration.
      slots: one entry a slot.
      losses: means over the minibatches, by name.
      collect_seconds, update_seconds: wall clock.
      skipped: minibatches that changed nothing, since their gradient was not finite.
    """

    iteration: int
    env_steps: int
    slots: tuple[SlotMetrics, ...]
    losses: dict[str, float]
    collect_seconds: float
    update_seconds: float
    skipped: int = 0

    @property
    def unhealthy(self) -> tuple[str, ...]:
        """Hashes of the programs that gave something not finite."""
        return tuple(sorted({s.program_hash for s in self.slots if not s.healthy}))

    def faulty(self, least: float) -> tuple[str, ...]:
        """Hashes of the programs of whose copies a smaller share than ``least`` is without fault.

        The flag counts where it is set at the end of the roll-out, in the episode that is running.
        """
        shares: dict[str, list[float]] = {}
        for slot in self.slots:
            shares.setdefault(slot.program_hash, []).append(1.0 - slot.faults)
        return tuple(sorted(k for k, s in shares.items() if sum(s) / len(s) < least))


def gather(
    iteration: int,
    hashes: Sequence[str],
    collected: Sequence[Collected],
    losses: Losses,
    collect_seconds: float,
    update_seconds: float,
) -> IterationMetrics:
    """Put the metrics of an iteration together; waits for the device."""

    def joined(part: Any) -> np.ndarray:
        return np.concatenate([np.asarray(part(c)) for c in collected], axis=-1)

    valid = joined(lambda c: c.steps.valid)
    ended = joined(lambda c: c.episodes.ended)
    success = joined(lambda c: c.episodes.success) & ended
    returns = joined(lambda c: c.episodes.returns)
    lengths = joined(lambda c: c.episodes.lengths)
    faults = joined(lambda c: c.faults)
    healthy = np.asarray(losses.healthy)
    width = valid.shape[1] // len(hashes)
    slots = []
    for slot, name in enumerate(hashes):
        columns = slice(slot * width, (slot + 1) * width)
        over = ended[:, columns]
        count = int(over.sum())
        slots.append(
            SlotMetrics(
                slot=slot,
                program_hash=name,
                steps=int(valid[:, columns].sum()),
                episodes=count,
                successes=int(success[:, columns].sum()),
                mean_return=float(returns[:, columns][over].mean()) if count else 0.0,
                mean_length=float(lengths[:, columns][over].mean()) if count else 0.0,
                healthy=bool(healthy[slot]),
                faults=float(faults[columns].mean()),
            )
        )
    means = {k: v for k, v in losses._asdict().items() if k not in ("healthy", "skipped")}
    return IterationMetrics(
        iteration=iteration,
        env_steps=int(valid.sum()),
        slots=tuple(slots),
        losses={k: float(v) for k, v in means.items()},
        collect_seconds=collect_seconds,
        update_seconds=update_seconds,
        skipped=int(losses.skipped),
    )
