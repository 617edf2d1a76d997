"""Which program runs in which slot.

The learner steps a fixed number of slots, ``cohort`` of them in one executable. Two rules pull
against each other: slots should go to what is learnable and what waited longest, and a slot that
changes recompiles its whole cohort. So: programs stay where they are; newcomers take free places
first, then places of programs that hold several, in as few cohorts as possible; and shares are
evened out only inside cohorts that change anyway (or when they are far off).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spade_jax.curator.config import CuratorConfig
from spade_jax.curator.pool import Pool
from spade_jax.curator.score import difficulty
from spade_jax.types import PoolEntry

__all__ = ["assign_slots", "changed_cohorts", "shares"]

# A share this far off (in slots) is worth one cohort's compilation.
_FAR_OFF = 2.0

# Where programs wait, one slot in so many may change hands in a round: each costs compilations.
_PART = 8


def shares(pool: Pool, slots: int, config: CuratorConfig, round: int) -> dict[str, float]:
    """Slots each active program should have in ``round``, fractional, by hash; sum: ``slots``.

    In proportion to 0.1 + learnability + ``staleness`` × rounds without training; a program not yet
    measured counts as fully learnable.
    """
    weights = {
        e.program_hash: 0.1
        + (1.0 if e.success is None else difficulty(e.success, config))
        + config.staleness * staleness(pool, e, round)
        for e in pool.active
    }
    total = sum(weights.values())
    return {key: slots * w / total for key, w in weights.items()}


def staleness(pool: Pool, entry: PoolEntry, round: int) -> int:
    """Rounds before ``round`` that went by without it: since it was trained on last, or came."""
    last = pool.trained.get(entry.program_hash, pool.since[entry.program_hash])
    return max(round - 1 - last, 0)


def assign_slots(
    pool: Pool, slots: Sequence[str], round: int, config: CuratorConfig | None = None
) -> tuple[str, ...]:
    """A program hash for every slot.

    Args:
      pool: its active programs are laid out; at least one.
      slots: the layout so far, "" for an empty slot. Its length never changes.
      round: this round, in which the layout is trained on; ties among programs in no slot take
        turns by it.
      config: shares and cohort size.

    Returns:
      The new layout, every slot filled: a pure function of the arguments. With enough slots every
      active program has one. With fewer, running programs give way in every round, at most a
      cohort or an eighth of the slots, and every skill of the pool keeps a slot where that is
      possible.

    Raises:
      ValueError: no active program, or no slots.
    """
    if not pool.active or not slots:
        raise ValueError(
            "nothing to lay out: the pool has no active program, or there are no slots"
        )
    layout = _Layout(pool, slots, config or CuratorConfig(), round)
    waiting = layout.waiting(round)
    waiting = layout.same_skeletons(waiting)
    waiting = layout.free_places(waiting)
    waiting = layout.spare_places(waiting)
    layout.give_way(waiting)
    layout.fill()
    layout.even_out()
    return tuple(layout.slots)


def changed_cohorts(before: Sequence[str], after: Sequence[str], cohort: int) -> tuple[int, ...]:
    """Cohorts in which any slot differs: what the learner has to look at."""
    return tuple(
        start // cohort
        for start in range(0, len(after), cohort)
        if tuple(before[start : start + cohort]) != tuple(after[start : start + cohort])
    )


class _Layout:
    """The layout while it is being made: lives inside one call of ``assign_slots``."""

    def __init__(self, pool: Pool, slots: Sequence[str], config: CuratorConfig, round: int):
        self.config = config
        self.pool = pool
        self.active: dict[str, PoolEntry] = {e.program_hash: e for e in pool.active}
        self.skeleton = {e.program_hash: e.skeleton_hash for e in pool.entries}
        self.before = list(slots)
        self.slots = [s if s in self.active else "" for s in slots]
        self.share = shares(pool, len(slots), config, round)
        # A vacated slot's cohort is compiled again whatever comes; so is one never filled.
        self.dirty: set[int] = set()

    def cohort(self, slot: int) -> int:
        return slot // self.config.cohort

    def counts(self) -> Counter[str]:
        return Counter(s for s in self.slots if s)

    def put(self, slot: int, program: str) -> None:
        self.slots[slot] = program
        old = self.before[slot]
        if self.skeleton.get(old) != self.skeleton[program]:
            self.dirty.add(self.cohort(slot))

    def skills_held(self) -> Counter[str]:
        return Counter(s for p in self.counts() for s in self.active[p].skills)

    def waiting(self, round: int) -> list[str]:
        """Active programs in no slot: first what has a skill nobody holds, then the untrained, then
        by share; ties take turns."""
        held = self.skills_held()
        counts = self.counts()
        turn = {p: (i + round) % len(self.active) for i, p in enumerate(self.active)}
        left = [p for p in self.active if not counts[p]]
        ordered = []
        while left:

            def claim(program: str) -> tuple[bool, bool, float, int]:
                entry = self.active[program]
                lacking = any(not held[s] for s in entry.skills)
                return lacking, entry.env_steps == 0, self.share[program], turn[program]

            first = max(left, key=claim)
            left.remove(first)
            held.update(self.active[first].skills)
            ordered.append(first)
        return ordered

    def same_skeletons(self, waiting: list[str]) -> list[str]:
        """A vacated slot goes to a program of the skeleton that left: nothing recompiles."""
        left = []
        for program in waiting:
            for slot, held in enumerate(self.slots):
                old = self.before[slot]
                if not held and old and self.skeleton.get(old) == self.skeleton[program]:
                    self.put(slot, program)
                    break
            else:
                left.append(program)
        return left

    def free_places(self, waiting: list[str]) -> list[str]:
        """Empty slots, those of the emptiest cohort first: it recompiles anyway."""
        free = [i for i, s in enumerate(self.slots) if not s]
        room = Counter(self.cohort(i) for i in free)
        free.sort(key=lambda i: (-room[self.cohort(i)], i))
        for program, slot in zip(waiting, free, strict=False):
            self.put(slot, program)
        return waiting[len(free) :]

    def spare_places(self, waiting: list[str]) -> list[str]:
        """Slots of programs that hold several, from as few cohorts as possible."""
        waiting = list(waiting)
        while waiting:
            spare = self.spare_by_cohort()
            if not spare:
                break
            best = max(spare, key=lambda c: (c in self.dirty, len(spare[c]), -c))
            for slot in spare[best][: len(waiting)]:
                self.put(slot, waiting.pop(0))
        return waiting

    def spare_by_cohort(self) -> dict[int, list[int]]:
        """Per cohort, the slots it could give up with every program keeping one."""
        result: dict[int, list[int]] = {}
        taken = set(self.changed())
        for cohort in range(-(-len(self.slots) // self.config.cohort)):
            counts = self.counts()
            members = [
                i
                for i in range(cohort * self.config.cohort, len(self.slots))[: self.config.cohort]
                if self.slots[i] and i not in taken
            ]
            # Those with the most above their share go first.
            members.sort(key=lambda i: (self.share[self.slots[i]] - counts[self.slots[i]], i))
            for slot in members:
                if counts[self.slots[slot]] > 1:
                    counts[self.slots[slot]] -= 1
                    result.setdefault(cohort, []).append(slot)
        return result

    def changed(self) -> list[int]:
        return [i for i, (a, b) in enumerate(zip(self.before, self.slots, strict=True)) if a != b]

    def give_way(self, waiting: list[str]) -> None:
        """More programs than slots: a few running ones make room, of equals the longest trained."""
        taken = set(self.changed())
        for program in waiting[: max(self.config.cohort, len(self.slots) // _PART)]:
            entry = self.active[program]
            held = self.skills_held()
            lacks = any(not held[s] for s in entry.skills)
            options = [
                i
                for i, p in enumerate(self.slots)
                if i not in taken
                and (lacks or all(held[s] > 1 for s in self.active[p].skills))
                and (lacks or entry.env_steps == 0 or self.share[p] + 0.5 < self.share[program])
            ]
            if not options:
                continue

            def cost(slot: int, held: Counter[str] = held) -> tuple[bool, bool, float, int, int]:
                running = self.active[self.slots[slot]]
                sole = any(held[s] <= 1 for s in running.skills)
                clean = bool(self.dirty) and self.cohort(slot) not in self.dirty
                return (sole, clean, self.share[running.program_hash], -running.env_steps, slot)

            slot = min(options, key=cost)
            taken.add(slot)
            self.put(slot, program)

    def fill(self) -> None:
        """What is still empty goes to the programs furthest below their share."""
        for slot, held in enumerate(self.slots):
            if not held:
                self.put(slot, self.furthest_below())

    def furthest_below(self) -> str:
        counts = self.counts()
        return max(self.active, key=lambda p: (self.share[p] - counts[p], p))

    def even_out(self) -> None:
        """Move spare slots to where shares say, in cohorts that change; elsewhere if far off."""
        for _ in range(len(self.slots)):
            counts = self.counts()
            needy = self.furthest_below()
            need = self.share[needy] - counts[needy]
            options = []
            for slot, program in enumerate(self.slots):
                excess = counts[program] - self.share[program]
                gain = need + excess
                if counts[program] < 2 or program == needy:
                    continue
                if gain > (1.0 if self.cohort(slot) in self.dirty else _FAR_OFF):
                    options.append((self.cohort(slot) in self.dirty, excess, -slot))
            if not options:
                return
            self.put(-max(options)[2], needy)
