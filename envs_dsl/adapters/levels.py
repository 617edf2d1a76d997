"""Which level an episode plays: what ``reset(options=…)`` may say, read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from envs_dsl.language.builtins import nearest_name
from envs_dsl.program import Program

__all__ = ["OPTIONS", "Levels", "draw_seed", "read_difficulty", "read_levels"]

OPTIONS = ("difficulty", "params", "level_seed")


class Levels(NamedTuple):
    """Levels of B copies: difficulty float64[B], params float32[B, P], seeds int32[B, 2].

    ``seeds`` is None where they are to be drawn.
    """

    difficulty: np.ndarray
    params: np.ndarray
    seeds: np.ndarray | None


def draw_seed(rng: np.random.Generator) -> np.ndarray:
    """64 random bits of a level: int32[2]."""
    return rng.integers(0, 1 << 32, 2, np.uint32).view(np.int32)


def read_difficulty(value: Any, copies: int) -> np.ndarray:
    """One number for all copies, or one for each: float64[B].

    Raises:
      ValueError: not numbers from 0 to 1, or not one for each copy.
    """
    try:
        found = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"difficulty must be a number from 0 to 1, not {value!r}") from None
    if found.shape not in ((), (copies,)):
        raise ValueError(f"difficulty: {copies} copies need one number, or one for each")
    if not ((found >= 0) & (found <= 1)).all():
        raise ValueError(f"difficulty must lie from 0 to 1, not {value!r}")
    return np.broadcast_to(found, (copies,)).copy()


def read_levels(
    program: Program, options: Mapping[str, Any] | None, difficulty: np.ndarray
) -> Levels:
    """Levels for float64[B] ``difficulty``, changed by what ``options`` says.

    Options, all of them for this one reset:
      difficulty: from 0 (easiest) to 1 (hardest); 0.5 is the program as declared.
      params: parameter name → value; they overrule the difficulty.
      level_seed: which level. An int (as of ``python -m envs_dsl run --seed``), or the two int32
        of an earlier ``info["level"]["seed"]``: that level is played again.
    Several copies may each be given a value of their own (a leading axis of B).

    Raises:
      ValueError: an unknown option or parameter (the nearest is named), or a value out of range.
    """
    given = dict(options or {})
    for name in given:
        if name not in OPTIONS:
            raise ValueError(f"unknown reset option {name!r}: {_hint(name, OPTIONS)}")
    copies = len(difficulty)
    if "difficulty" in given:
        difficulty = read_difficulty(given["difficulty"], copies)
    params = np.stack([program.params_at(d) for d in difficulty]).astype(np.float32)
    names = [p.name for p in program.params]
    chosen = given.get("params") or {}
    if not isinstance(chosen, Mapping):
        raise ValueError(f"params must map names to values, not {chosen!r}")
    for name, value in chosen.items():
        if name not in names:
            raise ValueError(f"{program.name} has no parameter {name!r}: {_hint(name, names)}")
        declared = program.params[names.index(name)]
        numbers = np.asarray(value, np.float32)
        if not (
            (numbers >= np.float32(declared.low)) & (numbers <= np.float32(declared.high))
        ).all():
            raise ValueError(
                f"parameter {name} lies from {declared.low:g} to {declared.high:g}, not {value!r}"
            )
        params[:, names.index(name)] = numbers
    seeds = None
    if given.get("level_seed") is not None:
        seeds = np.broadcast_to(_seed_words(given["level_seed"]), (copies, 2)).copy()
    return Levels(difficulty, params, seeds)


def _seed_words(value: Any) -> np.ndarray:
    """int32[2] or int32[B, 2]."""
    words = np.asarray(value)
    if words.shape == () and words.dtype.kind in "iu" and 0 <= int(value) < 1 << 64:
        return np.asarray([int(value)], np.uint64).view(np.int32)
    pairs = words.dtype.kind in "iu" and words.ndim in (1, 2) and words.shape[-1] == 2
    if pairs and (words >= -(1 << 31)).all() and (words < 1 << 32).all():
        return words.astype(np.int64).astype(np.int32)
    raise ValueError(f"level_seed must be an int from 0 to 2**64 - 1 or two int32, not {value!r}")


def _hint(word: str, names: Sequence[str]) -> str:
    near = nearest_name(str(word), names)
    return f"did you mean {near!r}?" if near else "known: " + (", ".join(names) or "none")
