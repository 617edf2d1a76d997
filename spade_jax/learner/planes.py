"""The policy-value network with features first and rows last: the form that the update runs.

The same function of the same parameters as ``network.PolicyValue``; a test holds them together. The
one-hot features of a view's cells are most of an update's numbers. With rows last they are compared
and written in long runs, and their product with the narrow embedding fills the vector unit with
rows instead of with its eight columns. They stay one-hot numbers and do not become indices: the
gradient of the embedding is a matmul so, and not a scatter.

XLA fuses a transposition into what reads it, byte by byte, unless the result crosses the border of
a loop or of a call. The update shuffles and transposes the packed cells before its loop over
minibatches; the roll-out has no such place and keeps rows first.

What the embedding gives lies channel by channel, and the view's kernel reads it cell by cell.
``by_channel`` turns the kernel instead of the numbers, once an update instead of twice a minibatch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envs_dsl.interface import ACTIONS, CELL_CHANNELS, VIEW
from spade_jax.learner.network import MASKED

__all__ = [
    "Planes",
    "apply_planes",
    "by_cell",
    "by_channel",
    "rows_by_channel",
    "unpack_planes",
]

_AREA = VIEW * VIEW


class Planes(NamedTuple):
    """Observations of N rows.

    Attributes:
      cells: uint8[6·81, N]: channel, then cell. hud: float32[N, 152]. legal: bool[N, 20].
    """

    cells: Any
    hud: Any
    legal: Any


def _column(dtype: Any, *parts: Any) -> np.ndarray:
    return np.concatenate([np.asarray(part, dtype) for part in parts])[:, None]


# In the order of ``unpack_cells``: colour, variant, tags, occupant, leading column, Bool grid,
# number. A feature is 1 where the masked bits of its channel are the wanted ones; the leading
# column and the number are those bits, scaled.
_COLOR, _VARIANT, _TAG, _WHO = (np.arange(count) for count in (16, 4, 8, 8))
_CHANNEL = np.repeat(np.arange(CELL_CHANNELS, dtype=np.int32), (16, 4, 8, 8, 2, 1))
_MASK = _column(np.uint8, [255] * 20, 1 << _TAG, [255] * 8, [127, 128, 255])
_WANTED = _column(np.uint8, _COLOR, _VARIANT, 1 << _TAG, _WHO, [0, 128, 0])
_HOT = _column(np.float32, [1] * 36, [0, 1, 0])
_SCALE = _column(np.float32, [0] * 36, [1 / 127, 0, 1 / 255])


def unpack_planes(cells: jax.Array) -> jax.Array:
    """``unpack_cells`` plane by plane: uint8[6, N] -> float32[39, N], the same numbers."""
    # One formula for all features. As one formula each, joined, XLA looks for the right one at
    # every number and takes ten times as long.
    bits = cells.at[_CHANNEL].get(mode="promise_in_bounds") & _MASK
    return jnp.where(bits == _WANTED, _HOT, 0.0) + bits.astype(jnp.float32) * _SCALE


def rows_by_channel(cells: jax.Array) -> jax.Array:
    """uint8[N, V, V, 6] -> uint8[N, 6·81]: what transposed is the cells of ``Planes``."""
    cells = cells.reshape(-1, _AREA, CELL_CHANNELS)
    return cells.swapaxes(1, 2).reshape(-1, CELL_CHANNELS * _AREA)


def by_channel(tree: Any) -> Any:
    """``tree`` with all parameters in it as ``apply_planes`` reads them.

    Args:
      tree: of ``PolicyValue``'s parameters, or of anything that holds trees like theirs, such as
        the state of an optimiser.
    """
    return _turn(tree, lambda kernel, width: kernel.reshape(_AREA, width, -1))


def by_cell(tree: Any) -> Any:
    """The inverse of ``by_channel``."""
    return _turn(tree, lambda kernel, width: kernel.reshape(width, _AREA, -1))


def _turn(tree: Any, axes: Callable[[jax.Array, int], jax.Array]) -> Any:
    def turn(node: Any) -> Any:
        if not isinstance(node, Mapping):
            return node
        kernel = node["view"]["kernel"]
        turned = axes(kernel, node["cell"]["kernel"].shape[1]).swapaxes(0, 1)
        return {**node, "view": {"kernel": turned.reshape(kernel.shape)}}

    return jax.tree.map(turn, tree, is_leaf=lambda node: isinstance(node, Mapping))


def apply_planes(
    params: Mapping[str, Mapping[str, jax.Array]], planes: Planes, dtype: Any = jnp.float32
) -> tuple[jax.Array, jax.Array]:
    """(masked logits float32[N, 20], value float32[N]).

    ``params``: those of ``PolicyValue``, made ready by ``by_channel``. ``dtype``: of the products'
    operands and results, in the gradient too; all else is float32.
    """

    def times(kernel: jax.Array, x: jax.Array) -> jax.Array:
        """float32[inputs, width], float32[inputs, N] -> float32[width, N]."""
        numbers = (((0,), (0,)), ((), ()))
        product = jax.lax.dot_general(kernel.astype(dtype), x.astype(dtype), numbers)
        return product.astype(jnp.float32)

    rows = planes.hud.shape[0]
    cells = unpack_planes(planes.cells.reshape(CELL_CHANNELS, _AREA * rows))
    look = jax.nn.relu(times(params["cell"]["kernel"], cells) + _bias(params, "cell"))
    hidden = times(params["view"]["kernel"], look.reshape(-1, rows))
    hidden = hidden + times(params["hud"]["kernel"], planes.hud.T)
    hidden = jax.nn.relu(hidden + _bias(params, "hud"))
    hidden = jax.nn.relu(times(params["core"]["kernel"], hidden) + _bias(params, "core"))
    kernel = jnp.concatenate([params["policy"]["kernel"], params["value"]["kernel"]], axis=1)
    both = times(kernel, hidden)
    logits = both[:ACTIONS] + _bias(params, "policy")
    value = both[ACTIONS] + params["value"]["bias"]
    return jnp.where(planes.legal, logits.T, MASKED), value


def _bias(params: Mapping[str, Mapping[str, jax.Array]], name: str) -> jax.Array:
    return params[name]["bias"][:, None]
