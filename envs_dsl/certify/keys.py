"""States as bytes: what is compared to find copies, and what is counted to find news."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import State
from envs_dsl.backends.layout import int_bounds
from envs_dsl.certify.influence import influence_of
from envs_dsl.language.tree import Tree
from envs_dsl.language.types import Array, Field, Grid, Scalar

__all__ = ["BINS", "StateKeys"]

BINS = 1024
"""Values that an atom of ``StateKeys.atoms`` can take."""

_STEPS = 16  # into which the range of a Float is cut


class StateKeys:
    """How the states of one program are told apart.

    Attributes:
      fields: the fields that have a say in the end. timeless: see ``Influence``.

    Where turns alternate, the seat on turn is compared too.
    """

    def __init__(self, tree: Tree) -> None:
        influence = influence_of(tree)
        self.fields, self.timeless = influence.fields, influence.timeless
        self._tree = tree

    def keys(self, state: State) -> list[bytes]:
        """One key a copy: two copies have equal keys iff they agree in ``fields``.

        (Up to a 128-bit hash, where the fields are longer than that.)
        """
        rows = len(state.t)
        parts = [
            np.ascontiguousarray(array.astype(_narrow(declared, self._tree.game.size)))
            .view(np.uint8)
            .reshape(rows, -1)
            for declared, array in self._leaves(state)
        ]
        if self._tree.game.turns == "alternate":
            parts.append(state.turn.astype(np.uint8)[:, None])
        if not parts:
            return [b""] * rows
        width = sum(part.shape[1] for part in parts)
        words = np.zeros((rows, -(-width // 8) * 8), np.uint8)
        np.concatenate(parts, axis=1, out=words[:, :width])
        return _digest(words.view(np.uint64))

    def atoms(self, state: State) -> NDArray[np.int32]:
        """What a copy is made of, int32[B, F] in 0..BINS-1: each number, each place, and a mix.

        A state is news when one of its atoms is rare. Numbers are cut to a few steps, so that
        continuous motion has atoms that come back.
        """
        rows = len(state.t)
        columns: list[NDArray[np.int64]] = []
        small: list[NDArray[np.int64]] = []
        for declared, array in self._leaves(state):
            coarse = _coarse(declared, array, self._tree.game.size)
            flat = coarse.reshape(rows, -1)
            columns.append(flat)
            if flat.shape[1] <= 8:
                small.append(flat)
        if small:
            mix = np.zeros(rows, np.int64)
            for column in np.concatenate(small, axis=1).T:
                mix = (mix * 1_000_003 + column + 1) & 0xFFFFFFFF
            columns.append(((mix * 0x9E3779B1) >> 16)[:, None])
        if not columns:
            return np.zeros((rows, 1), np.int32)
        return (np.concatenate(columns, axis=1) % BINS).astype(np.int32)

    def _leaves(self, state: State) -> list[tuple[Field | None, Any]]:
        """The arrays that have a say, with their declarations (None: a table's "alive")."""
        found: list[tuple[Field | None, Any]] = []
        for name in self.fields:
            value, declared = state.fields[name], self._tree.field(name)
            if isinstance(value, dict):
                row = self._tree.row(declared.type.row_type)  # type: ignore[union-attr]
                columns = {column.name: column for column in row.columns}
                found += [(columns.get(column), array) for column, array in value.items()]
            else:
                found.append((declared, value))
        return found


def _narrow(declared: Field | None, size: tuple[int, int]) -> Any:
    """The smallest dtype that holds every value of a declared field (None: a Bool)."""
    if declared is None:
        return np.bool_
    kind = _kind(declared)
    if kind == "Int" and declared.range is not None:
        low, high = int_bounds(declared.range)
        return np.promote_types(np.min_scalar_type(int(low)), np.min_scalar_type(int(high)))
    if kind == "Pos":
        return np.int8 if max(size) <= 64 else np.int16
    return {"Bool": np.bool_, "Enum": np.uint8, "Dir": np.uint8, "Int": np.int32}.get(
        kind, np.float32
    )


def _kind(declared: Field) -> str:
    type_ = declared.type
    assert isinstance(type_, Scalar | Grid | Array)
    return (type_ if isinstance(type_, Scalar) else type_.elem).kind


def _digest(words: NDArray[np.uint64]) -> list[bytes]:
    """A 128-bit hash of each row of uint64[B, W] (the row itself where W ≤ 2)."""
    if words.shape[1] <= 2:
        return np.ascontiguousarray(words).view(f"V{8 * words.shape[1]}")[:, 0].tolist()
    lanes = np.empty((len(words), 2), np.uint64)
    lanes[:] = np.asarray([0x243F6A8885A308D3, 0x13198A2E03707344], np.uint64)
    factors = np.asarray([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
    shift = np.uint64(29)
    for column in words.T:
        lanes ^= column[:, None]
        lanes *= factors
        lanes ^= lanes >> shift
    return lanes.view("V16")[:, 0].tolist()


def _coarse(declared: Field | None, array: Any, size: tuple[int, int]) -> NDArray[np.int64]:
    """Small integers of the shape of ``array``; a Pos becomes the number of its cell."""
    if declared is None or array.dtype.kind == "b":
        return array.astype(np.int64)
    if _kind(declared) == "Pos":
        return array[..., 0].astype(np.int64) * (4 * size[1]) + array[..., 1]
    if array.dtype.kind == "f":
        low, high = (declared.range.lo, declared.range.hi) if declared.range else (-1.0, 1.0)
        span = max(high - low, 1e-9)
        return np.floor((array.astype(np.float64) - low) * (_STEPS / span)).astype(np.int64)
    return array.astype(np.int64)
