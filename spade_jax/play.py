"""Roll-outs of an injected policy on the NumPy back end, and the policies that need no JAX.

This is what the executor's workers, the curator and the learner share. Nothing here imports JAX,
so a worker starts in a fraction of a second and never compiles. All randomness is counter-based:
the noise of a decision is an integer hash of (the episode's seed, t, a salt, a lane), so an episode
depends neither on its place in the batch nor on what is played beside it. The learner draws the
same noise from the same counters in JAX (``learner/cohort.py``).
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs_dsl.backends import success, take
from envs_dsl.interface import ACTIONS, Observation
from spade_jax.forward import Forward
from spade_jax.records import write_atomic

__all__ = [
    "AnyPolicy",
    "EpisodeStats",
    "Policy",
    "RecurrentPolicy",
    "against",
    "constant",
    "episode_seeds",
    "gumbel",
    "hash_bits",
    "load_policy",
    "noop",
    "numpy_policy",
    "play_numpy",
    "random_actions",
    "random_legal",
    "save_policy",
    "scripted",
    "uniform",
]

Array = Any  # a NumPy array, or a JAX array where a function is used by both
Policy = Callable[[Observation, NDArray[np.int32], NDArray[np.int32]], NDArray[np.int32]]
"""(observation [B, S, ...], episode seeds int32[B, 2], t int32[B]) -> actions int32[B, S]."""


@dataclasses.dataclass(frozen=True)
class RecurrentPolicy:
    """A policy that remembers. It keeps nothing itself: whoever plays it carries its memory.

    Attributes:
      start: (B) -> the memory before the first step of B episodes, an array [B, ...].
      act: (observation, episode seeds, t, memory) -> (actions int32[B, S], memory); the first three
        as for ``Policy``. Row i of the memory is that of row i's episode.
    """

    start: Callable[[int], NDArray[Any]]
    act: Callable[..., tuple[NDArray[np.int32], NDArray[Any]]]


AnyPolicy = Policy | RecurrentPolicy

OPPONENT_SALT = 0x0BB0
"""Salt of the seats that are not the learner's, in NumPy and in JAX alike."""

_COMPACT_BELOW = 0.75  # drop finished copies from the batch once fewer than this share are running


# ---- counter-based randomness ----------------------------------------------------------------


def _mix(x: Array) -> Array:
    """A full-avalanche 32-bit mixer (two multiplies); ``x`` is a uint32 array."""
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def hash_bits(seeds: Array, t: Array, salt: Array | int, lanes: int) -> Array:
    """Random bits of (seed, t, salt, lane), the same from NumPy and from JAX arrays.

    Args:
      seeds: int32[..., 2]. t: int32[...]. salt: a number, or uint32 of a shape that broadcasts.
      lanes: how many values for each (seed, t).

    Returns:
      uint32[..., lanes].
    """
    unsigned = np.uint32
    salted = np.asarray([salt & 0xFFFFFFFF], unsigned) if isinstance(salt, int) else salt
    h = _mix(seeds[..., 0].astype(unsigned) ^ salted)
    h = _mix(h ^ seeds[..., 1].astype(unsigned))
    h = _mix(h ^ (t.astype(unsigned) + unsigned(0x9E3779B9)))
    lane = np.arange(1, lanes + 1, dtype=unsigned) * unsigned(0x85EBCA6B)
    return _mix(h[..., None] ^ lane)


def uniform(bits: Array) -> Array:
    """float32 in the open interval (0, 1) from uint32 bits (24 of them)."""
    return (bits >> np.uint32(8)).astype(np.float32) * np.float32(2**-24) + np.float32(2**-25)


def gumbel(bits: Array, xp: Any = np) -> Array:
    """Standard Gumbel noise, float32, from uint32 bits; ``xp`` is numpy or jax.numpy."""
    return -xp.log(-xp.log(uniform(bits)))


def random_actions(legal: Array, seeds: Array, t: Array, salt: Array | int, xp: Any = np) -> Array:
    """A uniformly random legal action for every seat.

    Args:
      legal: bool[B, S, 20]. seeds: int32[B, 2]. t: int32[B]. salt: as for ``hash_bits``.

    Returns:
      int32[B, S]; STAY (0) where nothing is legal.
    """
    seats = legal.shape[1]
    bits = hash_bits(seeds, t, salt, seats * ACTIONS).reshape(legal.shape)
    # The draw keeps 24 bits and adds one, so that every legal action beats every illegal one.
    draw = xp.where(legal, (bits >> np.uint32(8)) + np.uint32(1), np.uint32(0))
    return xp.argmax(draw, axis=-1).astype(np.int32)


def episode_seeds(seed: int, count: int, stream: int = 0) -> NDArray[np.int32]:
    """``count`` level seeds, int32[count, 2], a pure function of (seed, stream, index)."""
    words = np.asarray([[seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF]], np.uint32)
    index = np.arange(count, dtype=np.uint32)
    return hash_bits(words, index, stream, 2).view(np.int32)


# ---- whole episodes --------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class EpisodeStats:
    """Whole episodes, seat 0's view of them.

    Attributes:
      success: bool[E]: ended in a win of seat 0.
      returns: float32[E]: sum of the clamped rewards.
      lengths: int32[E]: steps.
      env_steps: environment steps spent on them.
    """

    success: NDArray[np.bool_]
    returns: NDArray[np.float32]
    lengths: NDArray[np.int32]
    env_steps: int

    @property
    def episodes(self) -> int:
        """How many episodes."""
        return len(self.success)

    @property
    def successes(self) -> int:
        """How many of them were won."""
        return int(self.success.sum())


def play_numpy(
    backend: Any,
    constants: Any,
    program: Any,
    policy: AnyPolicy,
    seeds: NDArray[np.int32],
    params: NDArray[np.float32],
    max_steps: int | None = None,
) -> EpisodeStats:
    """Play exactly one whole episode in every copy.

    Args:
      backend: ``numpy_backend(program)``. constants: ``backend.constants(program)``.
      program: for its step limit.
      policy: chooses the actions of all seats; every episode begins with a fresh memory.
      seeds: int32[B, 2], one level a copy. params: float32[B, P].
      max_steps: stop here even if an episode is still running (it then counts as not won);
        the program's own limit by default.

    Returns:
      Statistics of the B episodes, in the order of ``seeds``.
    """
    seeds = np.asarray(seeds, np.int32)
    batch = len(seeds)
    limit = program.game.max_steps if max_steps is None else max_steps
    won = np.zeros(batch, bool)
    returns = np.zeros(batch, np.float32)
    lengths = np.zeros(batch, np.int32)

    act, memory = _begin(policy, batch)
    state = backend.reset(constants, seeds, np.asarray(params, np.float32))
    rows = np.arange(batch)  # which episode each row of the state is
    running = np.ones(batch, bool)  # by row
    for t in range(limit):
        if not running.any():
            break
        if running.mean() < _COMPACT_BELOW:
            keep = np.flatnonzero(running)
            state, rows, running = take(state, keep), rows[keep], running[keep]
            memory = take(memory, keep)
        observation = backend.observe(constants, state)
        clock = np.full(len(rows), t, np.int32)
        actions, memory = act(observation, seeds[rows], clock, memory)
        state, out = backend.step(constants, state, actions)
        active = rows[running]
        returns[active] += out.reward[running, 0]
        lengths[active] += 1
        ended = running & (out.terminated | out.truncated)
        won[rows[ended]] = success(state.outcome)[ended] & out.terminated[ended]
        running = running & ~ended
    return EpisodeStats(won, returns, lengths, int(lengths.sum()))


def _begin(policy: AnyPolicy, batch: int) -> tuple[Callable[..., tuple[NDArray, Any]], Any]:
    """How to act with a memory, and the memory of ``batch`` new episodes: () where none is kept."""
    if isinstance(policy, RecurrentPolicy):
        return policy.act, policy.start(batch)
    return lambda observation, seeds, t, memory: (policy(observation, seeds, t), memory), ()


# ---- policies --------------------------------------------------------------------------------


def random_legal(salt: int = 0) -> Policy:
    """Every seat plays a uniformly random legal action."""

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        return random_actions(observation.legal, seeds, t, salt)

    return act


def constant(action: int) -> Policy:
    """Every seat repeats one action (where it is illegal the environment makes it STAY)."""

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        return np.full(observation.legal.shape[:2], action, np.int32)

    return act


def noop() -> Policy:
    """Every seat stays."""
    return constant(0)


def scripted(actions: Sequence[int]) -> Policy:
    """Every seat plays ``actions`` in order, over and over."""
    script = np.asarray(actions, np.int32)
    if script.ndim != 1 or len(script) == 0:
        raise ValueError("a script is a non-empty sequence of action indices")

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        batch, seats = observation.legal.shape[:2]
        return np.broadcast_to(script[t % len(script)][:, None], (batch, seats)).astype(np.int32)

    return act


def _seats(observation: Observation, seats: slice) -> Observation:
    return Observation(*(part[:, seats] for part in observation))


def against(policy: Policy, opponent: Policy | None = None) -> Policy:
    """``policy`` in seat 0, ``opponent`` (random legal play by default) in all the others."""
    rival = random_legal(OPPONENT_SALT) if opponent is None else opponent

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        mine = policy(_seats(observation, slice(0, 1)), seeds, t)
        return _with_rivals(mine, rival, observation, seeds, t)

    return act


def _with_rivals(
    mine: NDArray, rival: Policy, observation: Observation, seeds: NDArray, t: NDArray
) -> NDArray:
    """Actions of all seats from those of seat 0, int32[B, 1]."""
    if observation.legal.shape[1] == 1:
        return mine
    return np.concatenate([mine, rival(_seats(observation, slice(1, None)), seeds, t)], axis=1)


# ---- the learner's policy ---------------------------------------------------------------------


def numpy_policy(
    params: Mapping[str, NDArray[np.float32]], *, greedy: bool = False, salt: int = 0
) -> AnyPolicy:
    """The learner's policy in seat 0, random legal play in the others; needs no JAX.

    Args:
      params: flat NumPy parameters, see ``Forward``; those of a recurrent core, where there are
        any, make it a ``RecurrentPolicy``. greedy: the most likely action, no noise.
      salt: another salt gives other noise on the same levels.
    """
    network = Forward(params)

    rival = random_legal(salt + OPPONENT_SALT)

    def choose(logits: NDArray, seeds: NDArray, t: NDArray) -> NDArray:
        if not greedy:
            bits = hash_bits(seeds, t, salt, logits.shape[1] * ACTIONS)
            logits = logits + gumbel(bits).reshape(logits.shape)
        return np.argmax(logits, axis=-1).astype(np.int32)

    def act(observation: Observation, seeds: NDArray, t: NDArray) -> NDArray:
        return choose(network(observation)[0], seeds, t)

    def act_recurrent(
        observation: Observation, seeds: NDArray, t: NDArray, memory: NDArray
    ) -> tuple[NDArray, NDArray]:
        own = Observation(*(part[:, 0] for part in observation))
        logits, _, memory = network.step(own, memory)
        mine = choose(logits[:, None], seeds, t)
        return _with_rivals(mine, rival, observation, seeds, t), memory

    if not network.recurrent:
        return against(act, rival)
    return RecurrentPolicy(network.blank, act_recurrent)


def save_policy(path: Path | str, params: Mapping[str, NDArray[np.float32]]) -> None:
    """Write flat parameters for the workers (.npz); a reader never sees half a file."""
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in params.items()}
    content = io.BytesIO()
    np.savez(content, **arrays)
    write_atomic(path, content.getvalue())


def load_policy(path: Path | str, *, greedy: bool = False, salt: int = 0) -> AnyPolicy:
    """The policy ``save_policy`` wrote.

    Raises:
      FileNotFoundError: no such file. ValueError: not such a file.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            params = {name: data[name] for name in data.files}
        params["policy/kernel"]
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(
            f"{Path(path).name}: not a saved policy ({type(error).__name__})"
        ) from None
    return numpy_policy(params, greedy=greedy, salt=salt)
