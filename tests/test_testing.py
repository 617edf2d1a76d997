"""The conformance suite: it passes on sound programs, and tells every fault by its name."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envs_dsl import Program, ProgramError, library
from envs_dsl.backends import Backend, State
from envs_dsl.testing import ConformanceError, check_program
from envs_dsl.testing import program as suite

PARTS = (
    "shapes", "ranges", "ends", "faults", "determinism", "batch position", "illegal actions",
)  # fmt: skip

FALL = '''"""Walk right to the end before the time is up; wind pushes you about."""
game = Game(size=(3, 6), max_steps=6, verbs=["dash"], skills=["navigation"])

WIND = Param(0.2, 0.0, 0.5, harder="up")

class Gust(Row):
    pos: Pos
    force: Int(1, 5) = 1

class State:
    agent: Pos
    heat: Float(0.0, 2.0) = 1.0
    gusts: Table(Gust, 2)

def reset(s):
    s.agent = Pos(1, randint(0, 2))
    spawn(s.gusts, pos=Pos(0, 0))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.heat -= 0.1
    for g in s.gusts:
        g.force += 1
        if g.pos == s.agent and s.heat > 0.5:
            lose()
    if act.dash or chance(WIND):
        s.agent = try_move(s.agent, RIGHT)
    if s.agent.col == 5:
        win()
'''


@pytest.fixture
def fall() -> Program:
    return Program.from_source(FALL, "fall")


@pytest.mark.parametrize("name", tuple(library.bundled()))
def test_every_bundled_program_conforms(name: str) -> None:
    """gymnasium's own check of them all is in test_adapters."""
    done = check_program(library.find(name), steps=24, copies=4, gymnasium=False)
    assert set(PARTS) <= set(done) and "render" in done


@pytest.mark.parametrize("name", ["key_door", "sumo"])
def test_the_other_back_end_conforms(name: str) -> None:
    assert check_program(library.find(name), steps=8, jax=True)[-1] == "jax"


def test_a_file_and_what_was_checked(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("gymnasium")
    file = tmp_path / "fall.py"
    file.write_text(FALL, encoding="utf-8")
    assert check_program(file) == (*PARTS, "difficulty", "render", "gymnasium")
    fixed = FALL.replace(', harder="up"', "")
    file.write_text(fixed, encoding="utf-8")
    assert check_program(file, render=False, gymnasium=False) == PARTS
    file.write_text("nothing", encoding="utf-8")
    with pytest.raises(ProgramError):
        check_program(file)


# --- planted faults ---------------------------------------------------------------------------


def after(change: Callable[[Backend, State, Any], State]) -> dict[str, Any]:
    """A method ``step`` that changes the state (given the actions) afterwards."""

    def step(self: Backend, constants: Any, state: State, actions: Any) -> Any:
        following, out = Backend.step(self, constants, state, actions)
        return change(self, following, actions), out

    return {"step": step}


def put(state: State, **fields: Any) -> State:
    return state._replace(fields={**state.fields, **fields})


def nan_heat(self: Backend, state: State, actions: Any) -> State:
    return put(state, heat=np.where(state.t == 3, np.nan, state.fields["heat"]).astype(np.float32))


def strong_gust(self: Backend, state: State, actions: Any) -> State:
    gusts = {**state.fields["gusts"], "force": state.fields["gusts"]["force"] + 5}
    return put(state, gusts=gusts)


def by_place(self: Backend, state: State, actions: Any) -> State:
    """The first copy of a batch alone is another one."""
    agent = state.fields["agent"].copy()
    agent[0, 1] = 0
    return put(state, agent=agent)


def by_call(self: Backend, state: State, actions: Any) -> State:
    """Each call moves a little further."""
    self.calls = getattr(self, "calls", 0) + 1  # type: ignore[attr-defined]
    return put(state, heat=np.float32(1 / self.calls) + 0 * state.fields["heat"])  # type: ignore[attr-defined]


def heard(self: Backend, state: State, actions: Any) -> State:
    """An action that the program does not have heats."""
    return put(state, heat=np.where(actions[:, 0] == 7, np.float32(2), state.fields["heat"]))


def silent(self: Backend, state: State, actions: Any) -> State:
    return state._replace(illegal=0 * state.illegal)


def seen(change: Callable[[Any], Any]) -> dict[str, Any]:
    return {"observe": lambda self, *args: change(Backend.observe(self, *args))}


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("ranges", after(nan_heat), "heat is not a number"),
    ("ranges", after(strong_gust), r"gusts\.force is \d+, outside 1\.0 to 5\.0"),
    ("shapes", after(lambda b, s, a: put(s, heat=s.fields["heat"].astype(np.float64))),
     r"heat is float64\[8\], not float32\[8\]"),
    ("shapes", after(lambda b, s, a: s._replace(t=s.t[:1])), r"t is int32\[1\], not int32\[8\]"),
    ("ends", after(lambda b, s, a: s._replace(t=s.t + 1)), r"s\.t is 2 after 1 steps|truncated"),
    ("ends", after(lambda b, s, a: s._replace(outcome=s.outcome + 1)), "exactly where the game"),
    ("faults", after(lambda b, s, a: s._replace(fault=s.t > 1)), "in step 2 of copy 0"),
    ("determinism", after(by_call), "played twice, after 1 steps heat"),
    ("batch position", after(by_place), "in reverse order, in step 1 agent"),
    ("illegal actions", after(heard), "STAY and then drop: heat"),
    ("illegal actions", after(silent), "-1 was not counted"),
    ("shapes", seen(lambda o: o._replace(cells=o.cells[..., :5])), r"9, 9, 5\], not uint8"),
    ("ranges", seen(lambda o: o._replace(hud=o.hud + np.float32(np.inf))), "is not finite"),
    ("ranges", seen(lambda o: o._replace(cells=o.cells | 8)), "channel 1 of cells exceeds 3"),
    ("ranges", seen(lambda o: o._replace(legal=o.legal & False)), "STAY must always be legal"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "methods", "message"), FAULTS)
def test_a_faulty_back_end_is_told(
    fall: Program,
    monkeypatch: pytest.MonkeyPatch,
    check: str,
    methods: dict[str, Any],
    message: str,
) -> None:
    from envs_dsl.backends.numpy_ops import NUMPY

    broken = type("Broken", (Backend,), methods)(fall.tree, NUMPY)
    monkeypatch.setattr(suite, "numpy_backend", lambda program: broken)
    with pytest.raises(ConformanceError, match=message) as caught:
        check_program(fall, gymnasium=False, render=False)
    assert caught.value.check == check


def test_a_program_that_draws_from_nothing_is_told() -> None:
    text = FALL.replace(
        "s.heat -= 0.1", "s.heat -= 0.1\n    s.agent = random_cell(BORDER and not BORDER)"
    )
    with pytest.raises(ConformanceError, match="faults: a NaN, or a random_cell of no cell"):
        check_program(Program.from_source(text, "void"))


def test_a_difficulty_that_moves_nothing_is_told(
    fall: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    still = np.asarray([0.2], np.float32)
    monkeypatch.setattr(Program, "params_at", lambda self, difficulty: still)
    with pytest.raises(ConformanceError, match="difficulty: WIND does not get harder"):
        check_program(fall, gymnasium=False)


def test_back_ends_that_disagree_are_told(fall: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the JAX back end with the numbers of a program that cools faster."""
    import envs_dsl.backends as backends

    faster = Program.from_source(FALL.replace("-= 0.1", "-= 0.2"), "faster")
    other = backends.jax_backend(faster)
    numbers = other.constants(faster)
    monkeypatch.setattr(other, "constants", lambda program: numbers)
    monkeypatch.setattr(backends, "jax_backend", lambda program: other)
    with pytest.raises(ConformanceError, match=r"jax: in step 1 \(NumPy, JAX\) heat\[0\]"):
        check_program(fall, jax=True, gymnasium=False, render=False)
