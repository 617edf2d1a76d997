"""How fast environments step under random actions, beside the libraries one would take instead.

    python -m benchmarks.rollout [--copies 1024] [--length 128] [--only NAME …] [--fused] [--json]

Each workload is one environment in several libraries, rolled out in one process: the same number
of copies, the same number of steps in one jitted scan, uniformly random actions drawn in the same
way, a fresh level at each reset, observations computed and summed. An observation is written out
before it is summed, as a policy would find it. With ``--fused`` the same is measured in another
form as well, in which XLA may sum it while it computes it, and what never changes once and for all:
most of a whole observation of ours does not in a small game. Each form of ours is held against the
same form of the others.

What a roll-out needs is in the time: our pool of levels is drawn within it (see
``benchmarks.sides``). The state goes on from one repeat to the next, and the clocks start spread
over an episode, so that resets come all the time. Compilation is timed apart.

Ours is measured with the whole observation, one shape for all programs, and with the compact one
that a roll-out buffer of one program holds (written out). ``--programs`` adds bundled seed programs
alone, in random legal play.

Bars are ratios of steps a second (medians of ten repeats, interleaved). A peer that is not
installed (``pip install -e '.[bench]'``) is left out with a note.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import command
from benchmarks.programs import pick
from benchmarks.report import Bar, Plot, Report, at_least
from benchmarks.sides import (
    COMPACT,
    Side,
    attempt,
    gymnax_side,
    navix_side,
    our_side,
    xminigrid_side,
)
from benchmarks.timing import REPEATS, Timing, compile_seconds, ratio, side_by_side
from envs_dsl import library
from envs_dsl.backends import Backend
from envs_dsl.language.vocabulary import ACTIONS as NAMES
from envs_dsl.program import Program

__all__ = ["WORKLOADS", "Roller", "Workload", "main", "measure"]

FRESH = 0.99
"""Share of resets that must be to a level never played before."""

MINIGRID = ("UP", "RIGHT", "LEFT", "take", "drop", "open")
WALKING = ("UP", "RIGHT", "LEFT", "STAY", "STAY", "STAY")
COMPASS = ("UP", "RIGHT", "DOWN", "LEFT")
PADDLE = ("STAY", "LEFT", "RIGHT")
ROAD = ("STAY", "UP", "DOWN")


@dataclasses.dataclass(frozen=True)
class Workload:
    """One environment in several libraries.

    Attributes:
      port: our program. actions: our names for the peers' actions, in their order.
      peers: package → its name of the environment. bars: package → how many times faster we are.
      levels: in our pool for each copy: as many as random play gets through in 128 steps, nearly
        (at least ``FRESH`` of the resets are counted to be fresh, or a note says so).
    """

    name: str
    port: str
    actions: tuple[str, ...]
    peers: dict[str, str]
    bars: dict[str, float]
    levels: int = 1


def _minigrid(name: str, port: str, actions: tuple[str, ...], id: str) -> Workload:
    peers = {"xminigrid": f"MiniGrid-{id}", "navix": f"Navix-{id}-v0"}
    return Workload(name, port, actions, peers, {"xminigrid": 20.0, "navix": 10.0})


def _gymnax(
    name: str, port: str, actions: tuple[str, ...], id: str, bar: float, levels: int = 1
) -> Workload:
    return Workload(name, port, actions, {"gymnax": id}, {"gymnax": bar}, levels)


WORKLOADS = (
    _minigrid("door_key", "minigrid_door_key", MINIGRID, "DoorKey-8x8"),
    _minigrid("empty", "minigrid_empty_16", WALKING, "Empty-16x16"),
    _gymnax("four_rooms", "four_rooms_misc", COMPASS, "FourRooms-misc", 1.0, levels=2),
    _gymnax("breakout", "breakout_minatar", PADDLE, "Breakout-MinAtar", 1.0, levels=17),
    _gymnax("freeway", "freeway_minatar", ROAD, "Freeway-MinAtar", 1.0),
    _gymnax("cartpole", "cartpole_v1", ("LEFT", "RIGHT"), "CartPole-v1", 0.7, levels=8),
)


class Roller:
    """A compiled roll-out of one side, called again and again: each call goes on from the last.

    Attributes:
      compile_seconds: of tracing and compiling. done, stale: episodes that ended, and those that
        went on with a level played before, one count a call, on the device.
    """

    def __init__(self, side: Side, copies: int, length: int, fused: bool = False) -> None:
        self.side, self.calls = side, 0
        self.done: list[jax.Array] = []
        self.stale: list[jax.Array] = []
        self.turns: jax.Array | None = None
        self._state = jax.jit(side.start)(jax.random.key(0))
        arguments = (self._state, np.uint32(0))
        run = functools.partial(_roll, side, copies, length, fused)
        self._run, self.compile_seconds = compile_seconds(lambda: jax.jit(run).lower(*arguments))

    def __call__(self) -> Any:
        """One roll-out; what was summed."""
        self.calls += 1
        self._state, total, done, stale = self._run(self._state, np.uint32(self.calls))
        self.done.append(done)
        self.stale.append(stale)
        return total, self._state

    @property
    def resets(self) -> int:
        return int(sum(np.asarray(done).sum() for done in self.done))

    @property
    def fresh(self) -> float | None:
        """Share of resets to levels never played before; None where there was no reset."""
        stale = int(sum(np.asarray(count).sum() for count in self.stale))
        return 1.0 - stale / self.resets if self.resets else None


def _roll(side: Side, copies: int, length: int, fused: bool, state: Any, number: Any) -> Any:
    """``length`` random steps: (state, sums of what was seen, endings [n], stale endings [n])."""
    acting, preparing, stepping = jax.random.split(jax.random.key(number), 3)
    actions = jax.random.randint(acting, (length, copies), 0, side.actions, jnp.int32)
    state, prepared = side.prepare(preparing, state)
    zeros = jnp.zeros(copies, jnp.int32)

    def row(carry: Any, given: Any) -> Any:
        state, total, done, stale = carry
        action, t = given
        key = jax.random.fold_in(stepping, t)
        state, observation, reward, ended, fresh = side.step(prepared, key, state, action)
        if not fused:
            observation = jax.lax.optimization_barrier(observation)
        seen = sum(jnp.sum(leaf, dtype=jnp.float32) for leaf in jax.tree.leaves(observation))
        total = total + seen + jnp.sum(reward, dtype=jnp.float32)
        return (state, total, done + ended, stale + (ended & ~fresh)), None

    start = (state, jnp.float32(0), zeros, zeros)
    rows = (actions, jnp.arange(length, dtype=jnp.int32))
    (state, total, done, stale), _ = jax.lax.scan(row, start, rows)
    return state, total, done, stale


def _rollers(
    workload: Workload, copies: int, length: int, fused: bool
) -> tuple[dict[str, Roller], list[str]]:
    """The compiled roll-outs of a workload by name, and notes on those that are missing.

    A name is that of a library, with ", fused" or ", compact" for another form than the plain one.
    """
    program = library.find(workload.port)
    codes = [NAMES.index(name) for name in workload.actions]
    made: dict[str, Callable[[str], Side]] = {
        "gymnax": lambda name: gymnax_side(name, copies),
        "xminigrid": lambda name: xminigrid_side(name, copies),
        "navix": lambda name: navix_side(name, copies, program.game.max_steps),
    }

    def forms(name: str, side: Side) -> dict[str, Roller]:
        plain = {name: Roller(side, copies, length)}
        more = {f"{name}, fused": Roller(side, copies, length, fused=True)} if fused else {}
        return plain | more

    rollers = forms("ours", our_side(program, copies, codes, workload.levels))
    if hasattr(Backend, COMPACT):
        compact = our_side(program, copies, codes, workload.levels, compact=True)
        rollers["ours, compact"] = Roller(compact, copies, length)
    notes = []
    for package, name in workload.peers.items():
        found, note = attempt(lambda: forms(package, made[package](name)), package)  # noqa: B023
        if found is not None:
            rollers |= found
        else:
            notes.append(f"{workload.name}: {note}")
    return rollers, notes


def compare(
    workload: Workload, copies: int, length: int, repeats: int, fused: bool
) -> tuple[list[dict[str, Any]], list[Bar], list[str]]:
    """The sides of one workload beside each other: rows, bars and notes."""
    rollers, notes = _rollers(workload, copies, length, fused)
    times = side_by_side(rollers, repeats)
    rows = [
        _row(workload.name, name, roller, times[name], copies, length)
        for name, roller in rollers.items()
    ]
    bars = []
    for package, bar in workload.bars.items():
        for form, name, other in (
            ("whole", "ours", package),
            ("whole, fused", "ours, fused", f"{package}, fused"),
            ("compact", "ours, compact", package),
        ):
            if name in times:
                value = ratio(times[name], times[other]) if other in times else None
                bars.append(at_least(f"{workload.name} / {package}, {form}", value, bar))
    for name, roller in rollers.items():
        if roller.fresh is not None and roller.fresh < FRESH:
            notes.append(f"{workload.name}, {name}: only {roller.fresh:.3f} of resets were fresh")
    return rows, bars, notes


def _row(
    workload: str, name: str, roller: Roller, timing: Timing, copies: int, length: int
) -> dict[str, Any]:
    steps = copies * length
    return {
        "workload": workload,
        "side": name,
        **timing.rates(steps),
        "compile_seconds": roller.compile_seconds,
        "resets_per_1000_steps": 1000 * roller.resets / (steps * roller.calls),
        "fresh": roller.fresh,
        "levels_per_copy": roller.side.levels_per_copy,
    }


def alone(program: Program, copies: int, length: int, repeats: int) -> dict[str, Any]:
    """One program of one seat in random play of all its actions, nothing beside it."""
    codes = [*range(5), *(NAMES.index(verb) for verb in program.game.verbs)]
    side = our_side(program, copies, codes, levels_per_copy=1)
    roller = Roller(side, copies, length)
    timing = side_by_side({"": roller}, repeats)[""]
    return _row(program.name, "ours", roller, timing, copies, length)


def measure(
    copies: int = 1024,
    length: int = 128,
    repeats: int = REPEATS,
    only: Sequence[str] = (),
    programs: Sequence[Program] = (),
    fused: bool = False,
    tiny: bool = False,
) -> Report:
    """Every workload (or ``only`` those), then ``programs`` alone."""
    rows: list[dict[str, Any]] = []
    bars: list[Bar] = []
    notes: list[str] = []
    for workload in WORKLOADS:
        if not only or workload.name in only:
            command.progress(f"rollout: {workload.name}")
            found = compare(workload, copies, length, repeats, fused)
            rows, bars, notes = rows + found[0], bars + found[1], notes + found[2]
    tables = {"random actions": rows}
    if programs:
        tables["bundled programs"] = [alone(p, copies, length, repeats) for p in programs]
    return Report(
        benchmark="rollout",
        settings={"copies": copies, "length": length, "repeats": repeats},
        tables=tables,
        bars=bars,
        peers=("gymnax", "xminigrid", "navix"),
        plots=[
            Plot(
                "random actions, fresh levels, 1 process",
                "random actions",
                x="workload",
                y="steps_per_second",
                by="side",
                log=True,
            )
        ],
        notes=notes,
        tiny=tiny,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = command.parser("rollout", __doc__)
    parser.add_argument("--copies", type=int, default=1024, help="environments stepped at once")
    parser.add_argument("--length", type=int, default=128, help="steps of one roll-out")
    names = [workload.name for workload in WORKLOADS]
    parser.add_argument("--only", nargs="+", choices=names, default=[], help="workloads (all)")
    parser.add_argument("--programs", nargs="*", metavar="NAME", help="seeds as well (or all)")
    parser.add_argument("--fused", action="store_true", help="observations not written out as well")
    options = parser.parse_args(argv)
    programs = [] if options.programs is None else pick(options.programs)
    programs = [program for program in programs if program.game.players == 1]
    if options.tiny:
        only = options.only or ["cartpole"]
        report = measure(8, 4, 2, only, programs, options.fused, tiny=True)
    else:
        report = measure(
            options.copies,
            options.length,
            options.repeats,
            options.only,
            programs,
            options.fused,
        )
    return command.finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
