"""Does the request steer? What was asked of a generator against what its programs turned out to be.

Chance is what the same programs would give if the requests had been dealt out among them at random:
a collection in which most programs have a skill meets most requests for it without listening.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

__all__ = ["Case", "matches", "moves", "steering"]

DRAWS = 10_000
PLAYERS = ("learner", "random", "greedy")


@dataclasses.dataclass(frozen=True)
class Case:
    """A request and the program that came of it.

    Attributes:
      name: for a person. skill, mechanism, direction: asked for ("" for none).
      skills: as play verified them; nothing declared counts. declared: by the program's header.
      mechanisms: read from its behaviour descriptor.
      success: by who played: "learner" (the policy that probed it), "random", "greedy"; what was
        not played is left out.
      parent_success: the learner's on the program that was to be changed, None for a new one.
    """

    name: str
    skill: str
    mechanism: str
    direction: str
    skills: tuple[str, ...]
    declared: tuple[str, ...] = ()
    mechanisms: tuple[str, ...] = ()
    success: Mapping[str, float] = dataclasses.field(default_factory=dict)
    parent_success: float | None = None


def steering(cases: Sequence[Case], seed: int = 0) -> dict[str, Any]:
    """Everything below, of one collection, as JSON values; None where there is nothing to tell."""
    asked = [c for c in cases if c.mechanism]
    return {
        "programs": len(cases),
        "skill": matches([c.skill for c in cases], [c.skills for c in cases], seed),
        "by_skill": {
            skill: _of_one(skill, cases) for skill in sorted({c.skill for c in cases if c.skill})
        },
        "declared": matches([c.skill for c in cases], [c.declared for c in cases], seed),
        "mechanism": matches(
            [c.mechanism for c in asked],
            [c.mechanisms for c in asked],
            seed,
            groups=[c.skill for c in asked],
        ),
        "harder": {who: _harder(who, cases, seed) for who in PLAYERS},
        "moves": moves(cases),
    }


def matches(
    wanted: Sequence[str],
    found: Sequence[Sequence[str]],
    seed: int = 0,
    draws: int = DRAWS,
    groups: Sequence[str] = (),
) -> dict[str, Any] | None:
    """How often a program has what was asked for.

    Args:
      wanted: a request a program. found: what each program has. seed, draws: of the resampling.
      groups: requests are dealt out only among programs of the same one; () is one group.

    Returns:
      ``share`` with its Wilson interval (``low``, ``high``); ``chance``: the share over all ways to
      deal the requests out, exactly, with the central 95 % of ``draws`` of them (``chance_low``,
      ``chance_high``); ``p``: how many of those do as well (one-sided, never 0); ``lift``: share −
      chance with a bootstrap interval over programs (``lift_low``, ``lift_high``). None for none.
    """
    n = len(wanted)
    if not n:
        return None
    has = np.array([[w in f for f in found] for w in wanted])
    rng = np.random.default_rng(seed)
    hits = int(np.trace(has))
    chance, dealt, lifts = 0.0, np.zeros(draws), np.zeros(draws)
    labels = np.asarray(groups if len(groups) else [""] * n)
    for label in np.unique(labels):
        part = has[np.ix_(labels == label, labels == label)]
        size = len(part)
        chance += part.sum() / size / n
        order = rng.permuted(np.tile(np.arange(size), (draws, 1)), axis=1)
        dealt += part[np.arange(size), order].sum(axis=1) / n
        # With program i c[i] times, c · diag of its requests are met; by chance c has c / |c|.
        counts = rng.multinomial(size, np.full(size, 1 / size), size=draws).astype(np.float64)
        met, luck = counts @ np.diag(part), ((counts @ part) * counts).sum(axis=1) / size
        lifts += (met - luck) / n
    low, high = _wilson(hits, n)
    return {
        "hits": hits,
        "of": n,
        "share": hits / n,
        "low": low,
        "high": high,
        "chance": float(chance),
        "chance_low": float(np.quantile(dealt, 0.025)),
        "chance_high": float(np.quantile(dealt, 0.975)),
        "p": float((1 + (dealt >= hits / n - 1e-12).sum()) / (1 + draws)),
        "lift": float(hits / n - chance),
        "lift_low": float(np.quantile(lifts, 0.025)),
        "lift_high": float(np.quantile(lifts, 0.975)),
    }


def _of_one(skill: str, cases: Sequence[Case]) -> dict[str, Any]:
    """Of the programs that were asked to be of a skill, and of the others, how many are."""
    asked = [skill in c.skills for c in cases if c.skill == skill]
    others = [skill in c.skills for c in cases if c.skill != skill]
    low, high = _wilson(sum(asked), len(asked))
    return {
        "hits": sum(asked),
        "of": len(asked),
        "share": sum(asked) / len(asked),
        "low": low,
        "high": high,
        "otherwise": sum(others) / len(others) if others else None,
    }


def _harder(
    who: str, cases: Sequence[Case], seed: int = 0, draws: int = DRAWS
) -> dict[str, Any] | None:
    """Success of ``who`` on programs that were to be harder, less that on the others.

    Negative is as asked. Skills differ in difficulty, so only programs of one request's skill are
    compared, and directions are dealt out anew only among those; a skill that was always asked for
    in one direction says nothing. Weights: programs of the skill. None where none says anything.
    """
    strata = []
    for skill in sorted({c.skill for c in cases}):
        of_skill = [c for c in cases if c.skill == skill and who in c.success and c.direction]
        harder = np.array([c.direction == "harder" for c in of_skill], bool)
        if harder.any() and not harder.all():
            strata.append((harder, np.array([c.success[who] for c in of_skill])))
    if not strata:
        return None
    rng = np.random.default_rng(seed)
    n = sum(len(success) for _, success in strata)
    value = sum(len(s) * (s[h].mean() - s[~h].mean()) for h, s in strata) / n
    dealt, again = np.zeros(draws), np.zeros(draws)
    for harder, success in strata:
        size, some = len(success), int(harder.sum())
        orders = rng.permuted(np.tile(np.arange(size), (draws, 1)), axis=1)
        mixed = success[orders]
        dealt += size * (mixed[:, :some].mean(axis=1) - mixed[:, some:].mean(axis=1)) / n
        up, down = success[harder], success[~harder]
        gap = rng.choice(up, (draws, some)).mean(axis=1)
        gap -= rng.choice(down, (draws, size - some)).mean(axis=1)
        again += size * gap / n
    return {
        "of": n,
        "harder": sum(int(h.sum()) for h, _ in strata),
        "difference": float(value),
        "low": float(np.quantile(again, 0.025)),
        "high": float(np.quantile(again, 0.975)),
        "p": float((1 + (dealt <= value + 1e-12).sum()) / (1 + draws)),
    }


def moves(cases: Sequence[Case]) -> dict[str, Any] | None:
    """Of changed programs, how many are harder or easier than the one they were made from.

    By the direction that was asked for: ``of``, how many came out ``harder`` and ``easier``, and
    the mean ``change`` of the learner's success. A child of a program that is far from 0.5 moves
    back by chance too, so this shows less than it seems to. None where no parent's is known.
    """
    found: dict[str, Any] = {}
    for direction in ("easier", "same", "harder"):
        change = np.array(
            [
                c.success["learner"] - c.parent_success
                for c in cases
                if c.direction == direction
                and "learner" in c.success
                and c.parent_success is not None
            ],
            np.float64,
        )
        if change.size:
            found[direction] = {
                "of": int(change.size),
                "harder": int((change < 0).sum()),
                "easier": int((change > 0).sum()),
                "change": float(change.mean()),
            }
    return found or None


def _wilson(hits: int, of: int) -> tuple[float, float]:
    found = stats.binomtest(hits, of).proportion_ci(method="wilson")
    return float(found.low), float(found.high)
