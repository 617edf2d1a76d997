"""A cache of keys and values that grows in place. Imports torch and transformers."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from transformers import Cache
from transformers.cache_utils import DynamicLayer

__all__ = ["make_roomy"]

_ROOM = 128
"""Tokens that are made room for at once."""


class _RoomyLayer(DynamicLayer):
    """``DynamicLayer`` copies all that it holds for every token; this one, where its room is full.

    ``keys`` and ``values`` are views of the room, so that the rest of the class stays as it is.
    """

    keys: Any
    values: Any
    _rooms: tuple[Tensor | None, Tensor | None] = (None, None)

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        keys, values = self._rooms
        self.keys, keys = _appended(self.keys, keys, key_states)
        self.values, values = _appended(self.values, values, value_states)
        self._rooms = (keys, values)
        return self.keys, self.values


def make_roomy(cache: Cache) -> None:
    """Have the plain layers of a filled cache grow in place from now on.

    Layers of other kinds (sliding windows, states) stay what they are.
    """
    for i, layer in enumerate(cache.layers):
        if type(layer) is DynamicLayer and layer.is_initialized:
            roomy = _RoomyLayer()
            roomy.__dict__.update(layer.__dict__)
            cache.layers[i] = roomy


def _appended(held: Tensor, room: Tensor | None, new: Tensor) -> tuple[Tensor, Tensor]:
    """(what is held with ``new`` behind it, the room that it is a view of): [B, H, T, D]."""
    length, more = held.shape[-2], new.shape[-2]
    mine = room is not None and held.data_ptr() == room.data_ptr()
    if room is None or not mine or room.shape[-2] < length + more:
        size = (*held.shape[:-2], length + more + _ROOM, held.shape[-1])
        room = held.new_empty(size)
        room[..., :length, :] = held
    room[..., length : length + more, :] = new
    return room[..., : length + more, :], room
