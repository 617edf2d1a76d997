"""A cohort: K programs, n copies each, stepped in one executable and joined at the policy.

Three rules keep it fast and exact:

- **No reset inside the step.** A copy that is done takes its next state from a pool of initial
  states that was drawn before the roll-out.
- **A truncated episode stays one row longer.** Its final state is kept, its observation goes
  through the policy like any other, and only then it is reset. That row is marked invalid; the
  value of the row *is* the bootstrap value at the truncation, exact, without a second forward pass
  or a second observation in the program. An episode that terminated needs no bootstrap and is
  replaced at once.
- **Everything is an argument**: constants, pools, network parameters, the salt of the noise. One
  executable serves all programs of the same skeletons, at any difficulty.

Shapes: T roll-out length, n copies, K programs, B = K·n, M pool size, S seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envs_dsl.backends import success
from envs_dsl.backends.apart import apart
from envs_dsl.interface import ACTIONS, CELL_CHANNELS, HUD, VIEW, Observation
from spade_jax.learner.network import log_prob
from spade_jax.learner.recurrent import Network, apply_step, forget
from spade_jax.play import OPPONENT_SALT, gumbel, hash_bits, random_actions

__all__ = [
    "Collected",
    "Episodes",
    "Opponent",
    "SlotCarry",
    "SlotInput",
    "Steps",
    "blank_shapes",
    "make_collect",
    "make_reset",
]

Opponent = Callable[[Observation, Any, Any, Any], Any]
"""(observation [n, S - 1, ...], level seeds int32[n, 2], t int32[n], salt) -> int32[n, S - 1]."""


class SlotInput(NamedTuple):
    """What a roll-out of one slot reads.

    Attributes:
      constants: of its program. pool: back-end state of M initial states.
      first_level: int32[]: id of the pool's first level.
    """

    constants: Any
    pool: Any
    first_level: Any


class SlotCarry(NamedTuple):
    """What one slot keeps between roll-outs, per copy.

    Attributes:
      state: back-end state [n]. observation: of that state, all seats [n, S, ...].
      pending: bool[n]: the state is no step's start: the final state of a truncated episode, or
        the blank one of a new slot. It is replaced at the end of the row.
      level: int32[n]: id of the level being played, unique in the slot.
      turn: int32[n]: levels begun so far.
      returns: float32[n], lengths: int32[n]: of the episode so far.
      memory: float32[n, H], of the recurrent core before ``observation``; () without a core.
    """

    state: Any
    observation: Observation
    pending: Any
    level: Any
    turn: Any
    returns: Any
    lengths: Any
    memory: Any = ()


class Steps(NamedTuple):
    """Transitions, time first: [T, B, ...]. Rows with ``valid`` False are no steps.

    The observation after step t is row t + 1's, also where the episode was truncated at t.
    ``healthy`` is False where the program gave something that is not finite.
    """

    cells: Any
    hud: Any
    legal: Any
    action: Any
    log_prob: Any
    value: Any
    reward: Any
    terminated: Any
    truncated: Any
    valid: Any
    healthy: Any


class Episodes(NamedTuple):
    """What ended where: [T, B]; the other fields count only where ``ended``."""

    ended: Any
    success: Any
    returns: Any
    lengths: Any
    level: Any


class Collected(NamedTuple):
    """One roll-out of a cohort.

    Attributes:
      steps: transitions [T, B]. last_value: float32[B], of the observation after the last step.
      episodes: [T, B]. faults: bool[B]: the copy's fault flag at the end.
      memory: float32[B, H], of the recurrent core before the first row; () without a core.
    """

    steps: Steps
    last_value: Any
    episodes: Episodes
    faults: Any
    memory: Any = ()


def random_opponent(observation: Observation, seeds: Any, t: Any, salt: Any) -> Any:
    """Uniformly random legal play, see ``Opponent``."""
    return random_actions(observation.legal, seeds, t, salt, jnp)


def blank_shapes(
    backend: Any, constants: Any, seats: int, copies: int, n_params: int, memory: Any = ()
) -> SlotCarry:
    """Shapes of a slot's carry. A new slot begins with zeros and all copies pending.

    So nothing is computed for it: its first row is an invalid one that fetches the first level.
    ``memory``: shape of the recurrent core's, see ``recurrent.memory_shape``.
    """

    def fresh(seeds: Any, params: Any) -> Any:
        return backend.reset(constants, seeds, params)

    def array(dtype: Any, *tail: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct((copies, *tail), dtype)

    return SlotCarry(
        state=jax.eval_shape(fresh, array(jnp.int32, 2), array(jnp.float32, n_params)),
        observation=Observation(
            cells=array(jnp.uint8, seats, VIEW, VIEW, CELL_CHANNELS),
            hud=array(jnp.float32, seats, HUD),
            legal=array(jnp.bool_, seats, ACTIONS),
        ),
        pending=array(jnp.bool_),
        level=array(jnp.int32),
        turn=array(jnp.int32),
        returns=array(jnp.float32),
        lengths=array(jnp.int32),
        memory=memory,
    )


def make_reset(backends: Sequence[Any]) -> Callable[[Any, Any, Any], Any]:
    """Function (constants, seeds, params), each a tuple over slots, -> tuple of initial states."""

    def reset(constants: Any, seeds: Any, params: Any) -> Any:
        return tuple(
            backend.reset(c, s, p) for backend, c, s, p in zip(backends, constants, seeds, params)
        )

    return reset


def _select(mask: jax.Array, yes: Any, no: Any) -> Any:
    """Rows of ``yes`` where mask[n], else of ``no``, in every leaf."""

    def pick(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.where(mask.reshape(mask.shape + (1,) * (a.ndim - 1)), a, b)

    return jax.tree.map(pick, yes, no)


def _renew(mask: jax.Array, index: jax.Array, pool: Any, state: Any) -> Any:
    """Rows ``index`` of ``pool`` where mask[n], else those of ``state``."""
    return _select(mask, jax.tree.map(lambda leaf: leaf[index], pool), state)


class _Outcome(NamedTuple):
    """What one slot's step gives besides the next carry, all [n]."""

    reward: Any
    terminated: Any
    truncated: Any
    healthy: Any
    episodes: Episodes


def _advance(
    backend: Any,
    inputs: SlotInput,
    carry: SlotCarry,
    actions: jax.Array,
    memory: Any,
    slot_copies: int | None,
) -> tuple[SlotCarry, _Outcome]:
    """Step one slot, then replace what is done from the pool; ``memory`` is that after the row."""
    copies = carry.pending.shape[0]
    stride = copies if slot_copies is None else slot_copies
    valid = ~carry.pending
    state, out = apart(backend.step)(inputs.constants, carry.state, actions)
    finite = jnp.isfinite(out.reward[:, 0])
    reward = jnp.where(valid & finite, out.reward[:, 0], 0.0)
    terminated = out.terminated & valid
    truncated = out.truncated & valid & ~out.terminated
    returns, lengths = carry.returns + reward, carry.lengths + valid
    episodes = Episodes(
        ended=terminated | truncated,
        success=terminated & success(state.outcome),
        returns=returns,
        lengths=lengths,
        level=carry.level,
    )

    # Copy i plays levels i, n + i, 2n + i … of the pool: no two copies share one.
    size = jax.tree.leaves(inputs.pool)[0].shape[0]
    begun = carry.turn % jnp.int32(size // copies)
    copy = jnp.arange(copies, dtype=jnp.int32)
    index = begun * jnp.int32(copies) + copy
    level = inputs.first_level + begun * jnp.int32(stride) + copy
    renew = carry.pending | terminated
    state = apart(_renew)(renew, index, inputs.pool, state)
    observation = apart(backend.observe)(inputs.constants, state)
    clean = jnp.isfinite(observation.hud)
    observation = observation._replace(hud=jnp.where(clean, observation.hud, 0.0))
    following = SlotCarry(
        state=state,
        observation=observation,
        pending=truncated,
        level=jnp.where(renew, level, carry.level),
        turn=carry.turn + renew,
        returns=jnp.where(renew, 0.0, returns),
        lengths=jnp.where(renew, 0, lengths),
        memory=forget(renew, memory),
    )
    healthy = (finite | ~valid) & jnp.all(clean, axis=(1, 2))
    return following, _Outcome(reward, terminated, truncated, healthy, episodes)


def _noise_salt(inputs: SlotInput, carry: SlotCarry, salt: jax.Array) -> jax.Array:
    """Salt of each copy's noise: another one each time the pool starts over, uint32[n].

    Otherwise a copy that meets a level again in the same roll-out would repeat its own episode.
    """
    size = jax.tree.leaves(inputs.pool)[0].shape[0]
    rounds = jnp.maximum(carry.turn - 1, 0) // jnp.int32(size // carry.turn.shape[0])
    return salt + rounds.astype(jnp.uint32) * np.uint32(0x9E3779B1)


def make_collect(
    backends: Sequence[Any],
    network: Network,
    length: int,
    opponent: Opponent = random_opponent,
    slot_copies: int | None = None,
) -> Callable[..., tuple[tuple[SlotCarry, ...], Collected]]:
    """The roll-out function of a cohort.

    Args:
      backends: JAX back end of each slot. network: the policy. length: T.
      opponent: plays the seats from 1 on.
      slot_copies: copies that a slot has altogether, where these are only one device's share; then
        ``first_level`` is the one of the share's first copy.

    Returns:
      ``collect(carries, params, inputs, salt, noise) -> (carries, Collected)``: carries and inputs
      are tuples over slots; salt uint32[]; noise float32[]: 1 samples the policy, 0 plays its most
      likely action.
    """

    def collect(carries: Any, params: Any, inputs: Any, salt: Any, noise: Any) -> Any:
        def forward(carries: tuple[SlotCarry, ...]) -> Any:
            joined = _join([_seat0(c.observation) for c in carries])
            memory = _join([c.memory for c in carries])
            return joined, *apply_step(network, params, joined, memory)

        def row(carries: tuple[SlotCarry, ...], _: None) -> Any:
            joined, logits, value, memory = forward(carries)
            seeds = jnp.concatenate([c.state.seed for c in carries])
            t = jnp.concatenate([c.state.t for c in carries])
            salts = jnp.concatenate(
                [_noise_salt(i, c, salt) for i, c in zip(inputs, carries, strict=True)]
            )
            draw = gumbel(hash_bits(seeds, t, salts, ACTIONS), jnp)
            action = jnp.argmax(logits + noise * draw, axis=-1).astype(jnp.int32)
            following, outcomes, start = [], [], 0
            for backend, given, carry in zip(backends, inputs, carries, strict=True):
                stop = start + carry.pending.shape[0]
                actions = action[start:stop, None]
                if carry.observation.legal.shape[1] > 1:
                    others = Observation(*(part[:, 1:] for part in carry.observation))
                    rival = opponent(others, carry.state.seed, carry.state.t, salt + OPPONENT_SALT)
                    actions = jnp.concatenate([actions, rival], axis=1)
                own = _part(memory, start, stop)
                after, outcome = _advance(backend, given, carry, actions, own, slot_copies)
                following.append(after)
                outcomes.append(outcome)
                start = stop
            result = _join(outcomes)
            steps = Steps(
                cells=joined.cells,
                hud=joined.hud,
                legal=joined.legal,
                action=action,
                log_prob=log_prob(logits, action),
                value=value,
                reward=result.reward,
                terminated=result.terminated,
                truncated=result.truncated,
                valid=~jnp.concatenate([c.pending for c in carries]),
                healthy=result.healthy & jnp.isfinite(value),
            )
            return tuple(following), (steps, result.episodes)

        before = _join([c.memory for c in carries])
        carries, (steps, episodes) = jax.lax.scan(row, carries, None, length=length)
        _, _, last, _ = forward(carries)
        faults = jnp.concatenate([c.state.fault for c in carries])
        return carries, Collected(steps, last, episodes, faults, before)

    return collect


def _seat0(observation: Observation) -> Observation:
    return Observation(*(part[:, 0] for part in observation))


def _part(tree: Any, start: int, stop: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[start:stop], tree)


def _join(parts: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
