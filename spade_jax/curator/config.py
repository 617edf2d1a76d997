"""What the curator decides by, in one place."""

from __future__ import annotations

import dataclasses

__all__ = ["CuratorConfig"]


@dataclasses.dataclass(frozen=True)
class CuratorConfig:
    """Thresholds and weights of admission, eviction and slot assignment.

    Admission comes first, then the pool, then the slots.

    Attributes:
      episodes: fresh whole episodes a probe or evaluation must have (≥ 256: with 16 a true 0.8
        lands in the band one time in five).
      band: success rates aimed at.
      gate_mass: posterior mass that must lie in the band.
      target: success rate of greatest difficulty score.
      shape: "learnability" (4p(1−p), bent so that its top is at ``target``) or "plateau" (1 in the
        whole band, falling to 0 at 0 and 1).
      alpha: weight of difficulty in the rank; alpha, beta and gamma sum to 1.
      beta: weight of diversity in the rank.
      gamma: weight of stability in the rank.
      cut: least rank that is admitted.
      neighbours: how many nearest programs diversity is measured to.
      scale: behaviour distance at which diversity is 1 − 1/e.
      sparse_weight: share of diversity that depends on how rare the program's skills are.
      min_distance: a program nearer than this to one in the pool is its clone, whatever its rank.
      admit_max: newcomers a round; each recompiles its cohort, so a multiple of ``cohort``.

      pool_cap: most programs in the pool.
      pool_floor: eviction stops at this many programs.
      keep_band: (low, high) posterior means; outside it an evaluated program gets a strike, inside
        it loses all of them.
      strikes: consecutive strikes that evict.
      grace: rounds after admission or restoration in which a program is not evicted as stalled or
        least useful (strikes still count).
      stall_rounds: evaluations that learning progress is measured over.
      stall_progress: success per million of the program's own environment steps below which it has
        stalled, once the 95 % interval of the measured change excludes more.
      forget_drop: fall of an archived program below its best success that counts as forgotten.
      restore_max: archived programs restored a round.
      margin: by how much a restored program must outrank the least useful one of a full pool.

      cohort: slots compiled into one executable; a run sets it to the learner's ``cohort_size``.
      staleness: what one round without training adds to a program's share, against learnability's
        0 to 1.
    """

    episodes: int = 256
    band: tuple[float, float] = (0.3, 0.7)
    gate_mass: float = 0.8
    target: float = 0.5
    shape: str = "learnability"
    alpha: float = 0.5
    beta: float = 0.3
    gamma: float = 0.2
    cut: float = 0.6
    neighbours: int = 3
    scale: float = 0.15
    sparse_weight: float = 0.3
    min_distance: float = 0.01
    admit_max: int = 8

    pool_cap: int = 24
    pool_floor: int = 4
    keep_band: tuple[float, float] = (0.1, 0.9)
    strikes: int = 3
    grace: int = 2
    stall_rounds: int = 4
    stall_progress: float = 0.05
    forget_drop: float = 0.3
    restore_max: int = 2
    margin: float = 0.1

    cohort: int = 4
    staleness: float = 0.25

    def __post_init__(self) -> None:
        low, high = self.band
        keep_low, keep_high = self.keep_band
        if not 0 <= keep_low <= low < high <= keep_high <= 1:
            raise ValueError(
                f"curator.keep_band {self.keep_band} must enclose curator.band {self.band}"
            )
        if not low <= self.target <= high:
            raise ValueError(f"curator.target {self.target} is outside curator.band {self.band}")
        if self.shape not in ("learnability", "plateau"):
            raise ValueError(f"curator.shape {self.shape!r}: use 'learnability' or 'plateau'")
        if abs(self.alpha + self.beta + self.gamma - 1) > 1e-6:
            raise ValueError("curator.alpha + beta + gamma must be 1")
        if not 1 <= self.pool_floor <= self.pool_cap:
            raise ValueError(
                f"curator.pool_floor {self.pool_floor} must be 1 to pool_cap ({self.pool_cap})"
            )
        for name in ("episodes", "neighbours", "admit_max", "strikes", "cohort", "stall_rounds"):
            if getattr(self, name) < 1:
                raise ValueError(f"curator.{name} must be ≥ 1")
