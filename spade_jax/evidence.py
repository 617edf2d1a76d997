"""Evidence against a program that misbehaved in training; it replays on the NumPy back end alone.

Training records nothing for this. When an iteration shows a program misbehaving, the roll-out of
its slot is run once more from the same state (the learner is deterministic), and what led to the
first fault is kept: the program, the level (seed and parameters), the actions and the step. The
actions go back to the episode's start where that lies in the roll-out; an episode that had begun
earlier is kept with the state in which the roll-out found it, and the actions from there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import map_leaves, numpy_backend, take
from envs_dsl.program import Program, ProgramError
from spade_jax.play import OPPONENT_SALT, random_actions
from spade_jax.types import from_json

__all__ = ["FAULT", "NOT_FINITE", "Evidence", "Recording", "find", "read_evidence", "replay"]

FAULT = "fault"
"""The fault flag: a NaN was stored or paid, or ``random_cell`` found no cell."""

NOT_FINITE = "not_finite"
"""A reward, an observation or the policy's value of one was not finite."""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """How one program misbehaved in one episode; ``to_json`` gives JSON values.

    Attributes:
      program_hash, source: the program.
      fault: ``FAULT`` or ``NOT_FINITE``.
      iteration, slot, copy: where in training it was seen.
      seed: of the level, two int32. params: of the level, P numbers.
      start: the back-end state from which ``actions`` go on, None for the level's own start.
      actions: S actions for each step up to the fault.
      step: completed steps of the episode when the fault was there (0: in the level itself).
    """

    program_hash: str
    source: str
    fault: str
    iteration: int
    slot: int
    copy: int
    seed: tuple[int, int]
    params: tuple[float, ...]
    start: Mapping[str, Any] | None
    actions: tuple[tuple[int, ...], ...]
    step: int


class Recording(NamedTuple):
    """The roll-out of one slot (n copies, T rows), as NumPy arrays: see ``Learner.record``.

    Attributes:
      state: back-end state [n] at its start. pool: back-end states [M] of the levels to come.
      first_level: id of the pool's first level. salt: of the opponents' actions.
      level: int32[n]: id of the level that a copy has after the last row.
      action: int32[T, n], of seat 0. levels: int32[T, n], id of the level being played.
      valid, terminated, healthy: bool[T, n], see ``cohort.Steps``.
    """

    state: Any
    pool: Any
    first_level: int
    salt: int
    level: NDArray[np.int32]
    action: NDArray[np.int32]
    levels: NDArray[np.int32]
    valid: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    healthy: NDArray[np.bool_]


def find(
    program: Program, recording: Recording, fault: str, *, iteration: int, slot: int
) -> Evidence | None:
    """The clearest evidence in a roll-out: from an episode's start if possible, then the shortest.

    The roll-out is followed on the NumPy back end, with the recorded actions.

    Returns:
      None where nothing of the kind is found.
    """
    backend = numpy_backend(program)
    constants = backend.constants(program)
    state, found = recording.state, list[Evidence]()
    origin, seats = state, program.game.players  # origin: where each copy's actions start
    actions: list[list[tuple[int, ...]]] = [[] for _ in recording.level]

    def keep(copies: NDArray[np.bool_], states: Any) -> None:
        for copy in np.flatnonzero(copies):
            begin = take(origin, slice(copy, copy + 1))
            evidence = Evidence(
                program_hash=program.hashes.program,
                source=program.source,
                fault=fault,
                iteration=iteration,
                slot=slot,
                copy=int(copy),
                seed=(int(begin.seed[0, 0]), int(begin.seed[0, 1])),
                params=tuple(begin.params[0].tolist()),
                start=None if begin.t[0] == 0 else _pack(begin),
                actions=tuple(actions[copy]),
                step=int(states.t[copy]),
            )
            found.append(evidence)

    keep(recording.valid[0] & _at_start(fault, backend, constants, state), state)
    for row, valid in enumerate(recording.valid):
        chosen = recording.action[row][:, None]
        if seats > 1:
            legal = backend.observe(constants, state).legal[:, 1:]
            salt = recording.salt + OPPONENT_SALT
            rivals = random_actions(legal, state.seed, state.t, np.uint32(salt & 0xFFFFFFFF))
            chosen = np.concatenate([chosen, rivals], axis=1)
        for copy in np.flatnonzero(valid):
            actions[copy].append(tuple(chosen[copy].tolist()))
        after, out = backend.step(constants, state, chosen)
        shown = _shown(fault, backend, constants, state, after, out)
        if fault == NOT_FINITE:  # what only the learner saw counts, and will not replay
            shown = shown | ~recording.healthy[row]
        keep(valid & shown, after)

        renew = ~valid | recording.terminated[row]
        following = recording.levels[row + 1] if row + 1 < len(recording.valid) else recording.level
        index = np.where(renew, following - recording.first_level, 0)
        fresh = take(recording.pool, index)
        state = _choose(renew, fresh, after)
        origin = _choose(renew, fresh, origin)
        for copy in np.flatnonzero(renew):
            actions[copy] = []
        keep(renew & _at_start(fault, backend, constants, state), state)
    found.sort(key=lambda e: (e.start is not None, len(e.actions), e.copy))
    return found[0] if found else None


def replay(evidence: Evidence) -> int | None:
    """Play the evidence on the NumPy back end.

    Returns:
      Completed steps of the episode when the fault showed first (``evidence.step`` where it is
      the same fault), None when it did not show.

    Raises:
      ValueError: it is not evidence: the program has errors or another hash, or the level, the
        start or the actions do not fit it.
    """
    program = _program(evidence)
    backend = numpy_backend(program)
    constants = backend.constants(program)
    seeds = _array(evidence.seed, np.zeros((1, 2), np.int32), "seed")
    blank = np.zeros((1, len(program.params)), np.float32)
    state = backend.reset(constants, seeds, _array(evidence.params, blank, "params"))
    if evidence.start is not None:
        state = _unpack(evidence.start, state, "start")
    actions = np.zeros((1, len(evidence.actions), program.game.players), np.int32)
    actions = _array(evidence.actions, actions, "actions")
    if evidence.start is None and _at_start(evidence.fault, backend, constants, state)[0]:
        return 0
    for row in range(actions.shape[1]):
        after, out = backend.step(constants, state, actions[:, row])
        if _shown(evidence.fault, backend, constants, state, after, out)[0]:
            return int(after.t[0])
        state = after
    return None


def read_evidence(record: Mapping[str, Any]) -> Evidence:
    """Evidence from its JSON values.

    Raises:
      ValueError: a field is missing, unknown or of a wrong kind.
    """
    for field in dataclasses.fields(Evidence):
        if field.name not in record:
            raise ValueError(f"Evidence has no {field.name}")
    evidence = from_json(Evidence, record)
    if not isinstance(evidence.source, str) or evidence.fault not in (FAULT, NOT_FINITE):
        raise ValueError(f"Evidence: its fault is {evidence.fault!r}")
    if not isinstance(evidence.actions, tuple) or not isinstance(evidence.step, int):
        raise ValueError("Evidence: actions and step are a list and a number")
    return evidence


def _program(evidence: Evidence) -> Program:
    try:
        program = Program.from_source(evidence.source)
    except ProgramError as error:
        raise ValueError(f"the program has errors: {str(error).splitlines()[0]}") from None
    if program.hashes.program != evidence.program_hash:
        raise ValueError(f"the program is not {evidence.program_hash}")
    return program


# ---- what a fault is ---------------------------------------------------------------------------


def _shown(
    fault: str, backend: Any, constants: Any, before: Any, after: Any, out: Any
) -> NDArray[np.bool_]:
    """Which copies show the fault first in this step: bool[n]."""
    if fault == FAULT:
        return after.fault & ~before.fault
    finite = np.isfinite(out.reward[:, 0]) & _finite(backend, constants, after)
    return ~finite


def _at_start(fault: str, backend: Any, constants: Any, state: Any) -> NDArray[np.bool_]:
    """Which copies are at an episode's start and have the fault already: bool[n]."""
    shown = state.fault if fault == FAULT else ~_finite(backend, constants, state)
    return (state.t == 0) & shown


def _finite(backend: Any, constants: Any, state: Any) -> NDArray[np.bool_]:
    return np.isfinite(backend.observe(constants, state).hud).all(axis=(1, 2))


# ---- states ------------------------------------------------------------------------------------


def _choose(mask: NDArray[np.bool_], yes: Any, no: Any) -> Any:
    """Rows of ``yes`` where mask[n], else of ``no``."""

    def pick(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        return np.where(mask.reshape(mask.shape + (1,) * (a.ndim - 1)), a, b)

    return map_leaves(pick, yes, no)


def _pack(tree: Any) -> Any:
    """A state of one copy as JSON values."""
    if isinstance(tree, dict):
        return {name: _pack(value) for name, value in tree.items()}
    if isinstance(tree, tuple):
        return {name: _pack(value) for name, value in tree._asdict().items()}  # type: ignore[attr-defined]
    return tree[0].tolist()


def _unpack(value: Any, like: Any, where: str) -> Any:
    """The inverse of ``_pack``; ``like`` is any state of one copy of the same program."""
    if not isinstance(like, dict | tuple):
        return _array(value, like, where)
    parts = like if isinstance(like, dict) else like._asdict()  # type: ignore[attr-defined]
    if not isinstance(value, Mapping) or value.keys() != parts.keys():
        raise ValueError(f"{where} is not a state of this program")
    read = {name: _unpack(value[name], part, f"{where}.{name}") for name, part in parts.items()}
    return read if isinstance(like, dict) else type(like)(**read)


def _array(value: Any, like: NDArray[Any], where: str) -> NDArray[Any]:
    """``value`` with a leading axis of 1, in the dtype and the shape of ``like``."""
    try:
        array = np.asarray(value, like.dtype).reshape(1, *np.shape(value))
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(())
    if array.size == like.size == 0:
        return like
    if array.shape != like.shape:
        raise ValueError(f"{where} is not {like.dtype}{list(like.shape[1:])}")
    return array
