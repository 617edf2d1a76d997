"""Certificates: can the levels of a program be won at all, and how?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import jax_backend, numpy_backend
from envs_dsl.backends.state import SEAT, WIN
from envs_dsl.certify.search import Found, Level, Limits, search
from envs_dsl.certify.seats import Choices

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["Certificate", "LevelAnswer", "Side", "certify", "replay"]

_WHY = {
    "closed": "no state is left to go to, and none of them wins",
    "step limit": "no play wins before the step limit, a longer one might",
    "sampled": "no play that was tried wins, and not all were: there are too many at a time",
    "budget": "the budget is spent",
}


@dataclasses.dataclass(frozen=True)
class Side:
    """What was found for one side of a level: the player, the team, or a seat of a contest.

    Attributes:
      seat: the seat that is to win a contest, None where all win together.
      answer: "solvable", "unsolvable" or "unknown".
      witness: actions of all seats, step by step; None without a win.
      shortest: no shorter play wins.
      rival: what the other seats of a contest do in the witness: "random" or "helping" ("" where
        there are none).
      states: successor states computed.
      why: see ``search.Found``.
    """

    seat: int | None
    answer: str
    witness: tuple[tuple[int, ...], ...] | None
    shortest: bool
    rival: str
    states: int
    why: str

    @property
    def length(self) -> int | None:
        """Steps of the witness."""
        return None if self.witness is None else len(self.witness)

    def as_text(self) -> str:
        """One line for a person."""
        after = f"({self.states} states)"
        if self.witness is None:
            return f"{self.answer}: {_WHY[self.why]} {after}"
        best = "shortest" if self.shortest else "best found"
        rival = {"": "", "random": ", rivals at random", "helping": ", rivals helping"}[self.rival]
        actions = ",".join(str(action) for action in script(self.witness) or ())
        return f"{self.answer} in {self.length} steps, {best}{rival}: {actions} {after}"

    def as_json(self) -> dict[str, Any]:
        """JSON values; the witness as the command ``run`` takes it."""
        data = dataclasses.asdict(self) | {"length": self.length}
        data["witness"] = script(self.witness)
        return data


@dataclasses.dataclass(frozen=True)
class LevelAnswer:
    """The answer on one level: "solvable" if every side can win it, "unsolvable" if one cannot."""

    seed: int
    sides: tuple[Side, ...]

    @property
    def answer(self) -> str:
        return _together(side.answer for side in self.sides)

    @property
    def beyond_limit(self) -> bool:
        """For some side every play was followed to the step limit, and none wins."""
        return any(side.why == "step limit" for side in self.sides)

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "seed": self.seed,
            "answer": self.answer,
            "sides": [side.as_json() for side in self.sides],
        }


@dataclasses.dataclass(frozen=True)
class Certificate:
    """The answers on several levels. Each holds for that level: its random bits were known."""

    levels: tuple[LevelAnswer, ...]

    def count(self, answer: str) -> int:
        """Levels with this answer."""
        return sum(level.answer == answer for level in self.levels)

    @property
    def answer(self) -> str:
        """Of the whole program.

        "solvable": every side can win at least one of the levels; "unsolvable": some side can win
        none of them; else "unknown".
        """
        columns = zip(*(level.sides for level in self.levels))
        return _together(_any(side.answer for side in column) for column in columns)

    @property
    def hopeless(self) -> bool:
        """Some side wins none of the levels, proven: within the step limit or without any."""
        columns = zip(*(level.sides for level in self.levels))
        return any(
            all(side.answer == "unsolvable" or side.why == "step limit" for side in column)
            for column in columns
        )

    def as_json(self) -> dict[str, Any]:
        """JSON values.

        ``lengths`` and ``witnesses`` list the solvable levels, in order (of a contest: seat 0's
        win); ``levels`` has everything.
        """
        solved = [level.sides[0] for level in self.levels if level.answer == "solvable"]
        return {
            "answer": self.answer,
            "solvable": self.count("solvable"),
            "unsolvable": self.count("unsolvable"),
            "unknown": self.count("unknown"),
            "lengths": [side.length for side in solved],
            "witnesses": [script(side.witness) for side in solved],
            "levels": [level.as_json() for level in self.levels],
        }

    def as_text(self) -> list[str]:
        """Lines for a person."""
        lines = []
        for level in self.levels:
            for side in level.sides:
                who = "" if side.seat is None else f", seat {side.seat}"
                lines.append(f"level {level.seed}{who}: {side.as_text()}")
        counts = ", ".join(f"{self.count(a)} {a}" for a in ("solvable", "unsolvable", "unknown"))
        return [*lines, counts]


def certify(
    program: Program,
    seeds: Iterable[int] = (0,),
    limits: Limits | None = None,
    params: NDArray[np.float32] | None = None,
    *,
    until_solved: bool = False,
    until_hopeful: bool = False,
) -> Certificate:
    """Search levels of a program for a win.

    Alone, and in co-operation, a level is solvable if the player or the team can win it. In a
    contest every seat must be able to: first against rivals who play at random (so that the win is
    the seat's own doing), then with everybody's help, which finds wins where a rival must give way
    and can prove that there is none.

    Args:
      program: the program. seeds: level numbers, as the commands ``run`` and ``solve`` take them.
      limits: of each search of each level. params: float32[P], the declared ones by default.
      until_solved: leave out the levels after the first that everybody who must can win.
      until_hopeful: leave out the levels after those that rule ``hopeless`` out.

    Returns:
      The certificate. Every witness has been replayed on the NumPy back end, step by step.

    Raises:
      AssertionError: a witness does not replay (a fault of the search, never of the program).
    """
    limits = limits or Limits()
    values = program.default_params() if params is None else np.asarray(params, np.float32)
    levels = []
    for seed in seeds:
        levels.append(_level(program, seed, limits, values))
        if until_solved and levels[-1].answer == "solvable":
            break
        if until_hopeful and not Certificate(tuple(levels)).hopeless:
            break
    return Certificate(tuple(levels))


def replay(
    program: Program,
    seed: int,
    witness: Iterable[Iterable[int]],
    backend: Literal["numpy", "jax"] = "numpy",
    params: NDArray[np.float32] | None = None,
) -> int:
    """The outcome code after playing ``witness`` on a level, one copy, one step at a time.

    Floats may drift apart between the back ends in long plays (see the language's reference).
    """
    engine = numpy_backend(program) if backend == "numpy" else jax_backend(program)
    step: Any = engine.step
    if backend == "jax":
        import jax

        step = jax.jit(step)
    constants = engine.constants(program)
    values = program.default_params() if params is None else np.asarray(params, np.float32)
    state = engine.reset(constants, level_seed(seed)[None], values[None])
    for t, action in enumerate(witness):
        if int(state.outcome[0]) or t >= program.game.max_steps:
            raise ValueError(f"the episode ends before step {t} of the witness")
        state, _ = step(constants, state, np.asarray([tuple(action)], np.int32))
    return int(state.outcome[0])


def level_seed(seed: int) -> NDArray[np.int32]:
    """The 64 bits of a level number: int32[2]."""
    return np.asarray([seed % (1 << 64)], np.uint64).view(np.int32)


def script(witness: tuple[tuple[int, ...], ...] | None) -> list[int | str] | None:
    """A witness as the command ``run`` takes it: numbers, with several seats ``a:b``."""
    if witness is None:
        return None
    return [a[0] if len(a) == 1 else ":".join(map(str, a)) for a in witness]


def _level(program: Program, seed: int, limits: Limits, params: NDArray[np.float32]) -> LevelAnswer:
    level = Level(program, level_seed(seed), params, limits)
    if program.tree.contest:
        sides = tuple(_contender(level, seat) for seat in range(program.game.players))
    else:
        sides = (_side(None, "", search(level, Choices(program.game), WIN)),)
    for side in sides:
        if side.witness is not None:
            goal = WIN if side.seat is None else SEAT + side.seat
            assert replay(program, seed, side.witness, params=params) == goal, "no replay"
    return LevelAnswer(seed, sides)


def _contender(level: Level, seat: int) -> Side:
    game, goal = level.program.game, SEAT + seat
    alone = search(level, Choices(game, seat), goal)
    if alone.witness is not None:
        return _side(seat, "random", alone)
    found = search(level, Choices(game), goal)
    found = dataclasses.replace(found, states=found.states + alone.states)
    return _side(seat, "helping", found)


def _side(seat: int | None, rival: str, found: Found) -> Side:
    witness = found.witness
    plain = None if witness is None else tuple(tuple(int(a) for a in row) for row in witness)
    return Side(seat, found.answer, plain, found.shortest, rival, found.states, found.why)


def _together(answers: Iterable[str]) -> str:
    """All must be solvable; one that is not spoils it."""
    found = set(answers)
    if "unsolvable" in found:
        return "unsolvable"
    return "solvable" if found <= {"solvable"} else "unknown"


def _any(answers: Iterable[str]) -> str:
    """One solvable level is enough; unsolvable only if all are."""
    found = set(answers)
    if "solvable" in found:
        return "solvable"
    return "unsolvable" if found == {"unsolvable"} else "unknown"
