"""The conformance suite of one program, in the order in which it is run."""

from __future__ import annotations

import importlib.util
import os
import warnings
from typing import Any, NamedTuple, cast

import numpy as np

from envs_dsl.backends import Backend, Constants, State, StepOut, numpy_backend
from envs_dsl.interface import Observation
from envs_dsl.language.vocabulary import ACTIONS
from envs_dsl.program import Program, load
from envs_dsl.testing.contract import check_observation, check_out, check_state
from envs_dsl.testing.failure import fail
from envs_dsl.testing.leaves import difference, rows

__all__ = ["check_program"]

TOLERANCE = 1e-5
"""Of floats between the back ends, for one step from equal states."""


class _Run(NamedTuple):
    """A roll-out: states and observations before each step and after the last; steps' results."""

    states: list[State]
    seen: list[Observation]
    outs: list[StepOut]


def check_program(
    program: Program | str | os.PathLike[str],
    *,
    copies: int = 8,
    steps: int | None = None,
    seed: int = 0,
    jax: bool = False,
    gymnasium: bool | None = None,
    render: bool = True,
) -> tuple[str, ...]:
    """Run a program in every way it will be used, and say what breaks.

    Parts, by the names that an error and the answer use: "shapes", "ranges" and "ends" (reset, step
    and observe, for whole episodes of random play over the range of difficulty), "faults" (no NaN
    stored, no random cell drawn from none), "determinism" (the same again), "batch position" (the
    same alone and in another order), "illegal actions" (they act as STAY and are counted),
    "difficulty" (it moves the parameters, within their bounds), "render", "gymnasium" (its own
    ``check_env``), "jax" (the other back end, step by step from equal states).

    Args:
      program: a checked program, or the path of a file.
      copies: levels that are played.
      steps: at most so many of an episode; None: to the step limit.
      seed: of levels and actions.
      jax: compare with the JAX back end as well, over 8 steps (seconds of compilation).
      gymnasium: run gymnasium's check; None: where it is installed.
      render: draw a state.

    Returns:
      The parts that were checked; "difficulty" is left out where no parameter says ``harder``.

    Raises:
      ConformanceError: (an AssertionError) names the part and what was wrong.
      ProgramError: the file is no program. OSError: it cannot be read.
    """
    if not isinstance(program, Program):
        program = load(program)
    backend = numpy_backend(program)
    levels = _levels(program, copies, seed)
    limit = program.game.max_steps if steps is None else min(steps, program.game.max_steps)
    actions = _actions(program, copies, limit, seed)
    run = _check_play(program, backend, levels, actions)
    done = ["shapes", "ranges", "ends", "faults"]
    _check_determinism(program, backend, levels, actions, run)
    done.append("determinism")
    _check_batch_position(program, backend, levels, actions, run)
    done.append("batch position")
    _check_illegal(program, backend, run)
    done.append("illegal actions")
    if any(p.harder for p in program.params):
        _check_difficulty(program)
        done.append("difficulty")
    if render:
        _check_render(program, run)
        done.append("render")
    if gymnasium or (gymnasium is None and importlib.util.find_spec("gymnasium")):
        _check_gymnasium(program)
        done.append("gymnasium")
    if jax:
        _check_jax(program, backend, levels, actions, run)
        done.append("jax")
    return tuple(done)


def _levels(program: Program, copies: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Seeds int32[B, 2] and params float32[B, P], spread over the range of difficulty."""
    seeds = np.random.default_rng(seed).integers(0, 1 << 32, (copies, 2), np.uint32)
    spread = np.linspace(0.0, 1.0, copies) if copies > 1 else np.asarray([0.5])
    params = np.stack([program.params_at(d) for d in spread]).astype(np.float32)
    return seeds.view(np.int32), params


def _actions(program: Program, copies: int, steps: int, seed: int) -> np.ndarray:
    """Random legal actions: int32[T, B, S]."""
    legal = np.asarray(program.game.actions, np.int32)
    rng = np.random.default_rng(seed + 1)
    return rng.choice(legal, (steps, copies, program.game.players))


def _play(
    program: Program,
    backend: Backend,
    levels: tuple[Any, Any],
    actions: np.ndarray,
    check: bool = False,
) -> _Run:
    """A roll-out; with ``check`` each part is judged before the next is asked for."""
    constants, copies = backend.constants(program), actions.shape[1]
    state = backend.reset(constants, *levels)
    run = _Run([], [], [])
    for t in range(len(actions) + 1):
        if check:
            check_state(program, state, copies)
        run.states.append(state)
        run.seen.append(backend.observe(constants, state))
        if check:
            check_observation(program, run.seen[t], copies)
        if t == len(actions):
            break
        state, out = backend.step(constants, state, actions[t])
        if check:
            check_out(program, out, state, copies)
        run.outs.append(out)
    return run


def _check_play(
    program: Program, backend: Backend, levels: tuple[Any, Any], actions: np.ndarray
) -> _Run:
    copies = actions.shape[1]
    run = _play(program, backend, levels, actions, check=True)
    running, paid = np.ones(copies, bool), np.zeros((copies, program.game.players))
    for t, state in enumerate(run.states):
        if (np.asarray(state.t) != t).any():
            fail("ends", f"s.t is {state.t[0]} after {t} steps")
        if (np.asarray(state.fault) & running).any():
            copy = int(np.flatnonzero(np.asarray(state.fault) & running)[0])
            when = "reset" if t == 0 else f"step {t}"
            fail("faults", f"a NaN, or a random_cell of no cell, in {when} of copy {copy}")
        if t > 0:
            out = run.outs[t - 1]
            paid += np.where(running[:, None], out.reward, 0)
            running &= ~(out.terminated | out.truncated)
    if (np.abs(paid) > 1 + TOLERANCE).any():
        fail("ranges", f"an episode paid {paid.flat[np.abs(paid).argmax()]:g}, beyond ±1")
    if len(actions) == program.game.max_steps and running.any():
        fail("ends", f"an episode went on beyond max_steps={program.game.max_steps}")
    return run


def _check_determinism(
    program: Program, backend: Backend, levels: Any, actions: np.ndarray, run: _Run
) -> None:
    again = _play(program, backend, levels, actions)
    for t, (one, other) in enumerate(zip(run.states, again.states)):
        if found := difference(one, other):
            fail("determinism", f"played twice, after {t} steps {found}")
    for t, (seen, other_seen) in enumerate(zip(run.seen, again.seen)):
        if found := difference(seen, other_seen):
            fail("determinism", f"seen twice, after {t} steps {found}")


def _check_batch_position(
    program: Program, backend: Backend, levels: tuple[Any, Any], actions: np.ndarray, run: _Run
) -> None:
    """Each step again from the same states, in reverse order and (the last copy) alone.

    Floats within the tolerance: array libraries may round a lane apart from its neighbours.
    """
    constants, copies = backend.constants(program), actions.shape[1]
    orders = ((np.arange(copies)[::-1], "in reverse order"), (np.asarray([copies - 1]), "alone"))
    for index, what in orders:
        first = backend.reset(constants, levels[0][index], levels[1][index])
        if found := difference(rows(run.states[0], index), first, TOLERANCE):
            fail("batch position", f"{what}, after reset {found}")
        for t, chosen in enumerate(actions):
            after, _ = backend.step(constants, rows(run.states[t], index), chosen[index])
            if found := difference(rows(run.states[t + 1], index), after, TOLERANCE):
                fail("batch position", f"{what}, in step {t + 1} {found}")


def _check_illegal(program: Program, backend: Backend, run: _Run) -> None:
    """All actions that the program does not have, against STAY, from the first state."""
    constants, start = backend.constants(program), run.states[0]
    stayed, _ = backend.step(constants, start, np.zeros_like(start.last_action))
    heard = 1 if program.game.turns == "alternate" else program.game.players
    for action in (
        -1,
        *(i for i in range(len(ACTIONS)) if i not in program.game.actions),
        len(ACTIONS),
    ):
        chosen = np.full_like(start.last_action, action)
        after, _ = backend.step(constants, start, chosen)
        name = ACTIONS[action] if 0 <= action < len(ACTIONS) else str(action)
        if ((after.illegal - start.illegal) != heard).any():
            fail("illegal actions", f"{name} was not counted in `illegal`, once for each seat")
        if found := difference(stayed, after._replace(illegal=stayed.illegal)):
            fail("illegal actions", f"STAY and then {name}: {found}")


def _check_difficulty(program: Program) -> None:
    values = np.stack([program.params_at(d) for d in np.linspace(0, 1, 11)])
    for i, p in enumerate(program.params):
        column = values[:, i]
        if (column < np.float32(p.low)).any() or (column > np.float32(p.high)).any():
            fail("difficulty", f"{p.name} leaves its bounds {p.low:g} to {p.high:g}")
        rising = np.diff(column) * (-1 if p.harder == "down" else 1)
        if p.harder and ((rising < 0).any() or not (rising > 0).any()):
            fail("difficulty", f"{p.name} does not get harder with difficulty")
        if not p.harder and np.ptp(column) > 0:
            fail("difficulty", f"{p.name} moves, but does not say `harder`")


def _check_render(program: Program, run: _Run) -> None:
    from envs_dsl.render import render_rgb, render_text

    text = render_text(program, run.states[-1])
    if len(text.splitlines()) < program.game.size[0]:
        fail("render", "the text has fewer lines than the board has rows")
    frame = render_rgb(program, run.states[-1])
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[-1] != 3:
        fail("render", f"the picture is {frame.dtype}{list(frame.shape)}, not uint8[rows, cols, 3]")


def _check_gymnasium(program: Program) -> None:
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    from envs_dsl.adapters import make

    env, entry = make(program), cast(Any, make)
    # a spec lets the check build further copies, one for each render mode
    env.spec = gymnasium.envs.registration.EnvSpec("Own-v0", entry, kwargs={"program": program})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            check_env(env)
        except (AssertionError, Warning, gymnasium.error.Error) as error:
            fail("gymnasium", " ".join(str(error).split()))


def _check_jax(
    program: Program, backend: Backend, levels: tuple[Any, Any], actions: np.ndarray, run: _Run
) -> None:
    import jax

    from envs_dsl.backends import jax_backend

    other = jax_backend(program)
    constants = other.constants(program)

    def step(constants: Constants, state: State, chosen: Any) -> Any:
        after, out = other.step(constants, state, chosen)
        return after, out, other.observe(constants, after)

    compiled = jax.jit(step)
    first = jax.jit(other.reset)(constants, *levels)
    if found := difference(run.states[0], first, TOLERANCE):
        fail("jax", f"after reset (NumPy, JAX) {found}")
    for t, chosen in enumerate(actions[:8]):
        theirs = compiled(constants, run.states[t], chosen)
        ours = (run.states[t + 1], run.outs[t], run.seen[t + 1])
        for mine, its in zip(ours, theirs):
            if found := difference(mine, its, TOLERANCE):
                fail("jax", f"in step {t + 1} (NumPy, JAX) {found}")
