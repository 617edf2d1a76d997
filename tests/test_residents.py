"""Hand-written environments in the learner's slots: as gymnax steps them, and through a run."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import yaml
from flax import struct
from gymnax.environments import environment, spaces
from tiny_runs import TINY, start, timeless, write_config

from envs_dsl import Program
from envs_dsl.backends import success
from envs_dsl.env import SpadeEnv
from envs_dsl.wrappers import RewardWrapper
from examples.my_environment import Catch
from experiments import _cli, coevo
from experiments.config import to_plain
from experiments.report import numbers
from spade_jax import coevolution
from spade_jax.errors import UserError
from spade_jax.records import read_jsonl
from spade_jax.replay import first_difference, run_again
from spade_jax.report import read_run
from spade_jax.report.page import render_report
from spade_jax.residents import ResidentState, load_residents

ROOT = pathlib.Path(__file__).parents[1]
CATCH = "examples.my_environment:Catch"


# --- environments to be residents ---------------------------------------------------------------


@struct.dataclass
class Clock(environment.EnvState):
    paid: jax.Array


class Pays(environment.Environment[Any, Any]):
    """Pays 1 for action 1 and -1 for others; ends by itself after ``ends`` steps."""

    ends, actions, limit = 2, 3, 5

    @property
    def default_params(self) -> Any:
        return environment.EnvParams(max_steps_in_episode=self.limit)

    def reset_env(self, key: Any, params: Any) -> Any:
        return jnp.zeros((2, 2), jnp.int32), Clock(time=0, paid=jnp.float32(0.0))

    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        paid = jnp.where(action == 1, 1.0, -1.0)
        state = Clock(time=state.time + 1, paid=paid)
        return self.seen(state, action), state, paid, state.time == self.ends, {}

    def seen(self, state: Any, action: Any) -> Any:
        return jnp.full((2, 2), action, jnp.int32)

    def action_space(self, params: Any = None) -> Any:
        return spaces.Discrete(self.actions)


class Endless(Pays):
    ends, limit = 99, 3


class Wild(Pays):
    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        seen, state, paid, ended, info = super().step_env(key, state, action, params)
        return seen, state, paid / jnp.float32(0.0) * 0.0, ended, info


class Large(Pays):
    def reset_env(self, key: Any, params: Any) -> Any:
        return jnp.zeros(153), super().reset_env(key, params)[1]

    def seen(self, state: Any, action: Any) -> Any:
        return jnp.zeros(153)


class Many(Pays):
    actions = 21


class Drifting(Pays):
    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        seen, state, *rest = super().step_env(key, state, action, params)
        return seen, state.replace(paid=jnp.int32(0)), *rest


class Broken(Pays):
    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        return 1 / 0


class Old(Pays):
    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> Any:
        return super().step_env(key, state, action, params)[:4]


WALK = '''"""Walk right to the end of the corridor."""
game = Game(size=(3, 6), max_steps=8, skills=["navigation"])

class State:
    agent: Pos

def reset(s):
    s.agent = Pos(1, randint(0, 3))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    reward(0.125)
    if s.agent.col == 5:
        win()
'''


def paid_twice() -> Any:
    walk = SpadeEnv(Program.from_source(WALK, "walk"))
    return RewardWrapper(walk, lambda state, action, following, reward: 2 * reward)


def backend(name: str) -> Any:
    return load_residents([name if ":" in name else f"test_residents:{name}"])[0].backend


def begin(back: Any, copies: int = 4) -> ResidentState:
    seeds = jnp.arange(10, 10 + 2 * copies, dtype=jnp.int32).reshape(copies, 2)
    return jax.jit(back.reset)((), seeds, jnp.zeros((copies, 0)))


def key(seed: Any, number: int) -> Any:
    """What the documentation says a copy is given: the level's bits, folded with a number."""
    bits = np.asarray(seed, np.int32).view(np.uint32)
    return jax.random.fold_in(jax.random.wrap_key_data(jnp.asarray(bits)), number)


# --- the back end -------------------------------------------------------------------------------


def test_a_trajectory_is_that_of_gymnax() -> None:
    env, back = Catch(), backend(CATCH)
    state, step, observe = begin(back), jax.jit(back.step), jax.jit(back.observe)
    reset_env, step_env = jax.jit(env.reset_env), jax.jit(env.step_env)
    drawn = np.random.default_rng(0).integers(0, 3, (9, 2))
    alone = [reset_env(key(state.seed[i], 0), env.default_params) for i in range(4)]
    for t in range(9):
        cells, hud, legal = (np.asarray(part) for part in observe((), state))
        assert np.array_equal([np.asarray(a[0]) for a in alone], hud[:, 0, :11])
        assert not np.any(hud[:, 0, 11:]) and not np.any(cells)
        assert np.array_equal(np.flatnonzero(legal[0, 0]), [0, 1, 2])
        after = np.sign([int(a[1].ball) - int(a[1].paddle) for a in alone[:2]])
        actions = np.concatenate([1 + after, drawn[t]])  # two follow the ball, two do anything
        state, out = step((), state, jnp.asarray(actions)[:, None])
        alone = [
            step_env(key(state.seed[i], t + 1), alone[i][1], actions[i], env.default_params)
            for i in range(4)
        ]
        assert np.array_equal(np.asarray(out.reward)[:, 0], [float(a[2]) for a in alone])
        assert np.array_equal(out.terminated, [bool(a[3]) for a in alone])
        assert not np.any(out.truncated)
    assert np.all(out.terminated)
    assert np.array_equal(success(state.outcome), [bool(a[4]["success"]) for a in alone])
    assert np.array_equal(state.outcome, [1, 1, 2, 2])
    assert np.array_equal(state.t, [9] * 4) and not np.any(state.fault)


def test_where_no_success_is_told_a_return_above_zero_is_one() -> None:
    back = backend("Pays")
    state, step = begin(back, 3), jax.jit(back.step)
    state, out = step((), state, jnp.asarray([[1], [1], [0]]))
    assert not np.any(out.terminated) and np.array_equal(state.outcome, [0, 0, 0])
    state, out = step((), state, jnp.asarray([[1], [0], [0]]))
    assert np.all(out.terminated) and np.array_equal(state.total, [2.0, 0.0, -2.0])
    assert np.array_equal(success(state.outcome), [True, False, False])
    state, out = step((), state, jnp.asarray([[0], [1], [1]]))  # it goes on, the end stays
    assert np.array_equal(success(state.outcome), [True, False, False])


def test_the_time_limit_truncates_and_decides_nothing() -> None:
    back = backend("Endless")
    state, step = begin(back, 1), jax.jit(back.step)
    for t in range(3):
        state, out = step((), state, jnp.asarray([[1]]))
        assert (bool(out.truncated[0]), bool(out.terminated[0])) == (t == 2, False)
    assert int(state.outcome[0]) == 0


def test_actions_that_it_does_not_have_act_as_the_first() -> None:
    back = backend("Pays")
    state, _ = jax.jit(back.step)((), begin(back, 3), jnp.asarray([[2], [3], [19]]))
    seen = back.observe((), state)
    assert np.array_equal(seen.hud[:, 0, :4], [[2] * 4, [0] * 4, [0] * 4])  # flattened, as floats
    assert seen.hud.dtype == jnp.float32


def test_a_wrapped_program_is_seen_as_it_is() -> None:
    back = backend("paid_twice")
    env = back.environment.env
    seeds = jnp.asarray([[3, 4]], jnp.int32)
    state = jax.jit(back.reset)((), seeds, jnp.zeros((1, 0)))
    seen, alone = env.reset(key(seeds[0], 0))
    for mine, theirs in zip(back.observe((), state), seen, strict=True):
        assert np.array_equal(np.asarray(mine)[0, 0], theirs)
    state, out = jax.jit(back.step)((), state, jnp.asarray([[4]]))
    _, _, paid, *_ = env.step(key(seeds[0], 1), alone, 4)
    assert float(out.reward[0, 0]) == pytest.approx(2 * float(paid)) and float(paid) != 0.0


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["examples.my_environment"], "expected module:Class"),
        (["examples.nowhere:Catch"], "cannot import examples.nowhere"),
        (["examples.my_environment:Cath"], "did you mean 'Catch'"),
        (["examples.my_generator:Harder"], "is a Harder, not a gymnax Environment"),
        (["test_residents:Large"], r"float32\[153\]; it must be an Observation"),
        (["test_residents:Many"], "has 21 actions; there may be 1 to 20"),
        (["test_residents:Drifting"], r"its state.paid is int32\[\]; it must be float32\[\]"),
        (["test_residents:Broken"], "cannot be run under JAX .ZeroDivisionError"),
        (["test_residents:Old"], "step_env gives 4 values"),
        (["gymnax.environments.classic_control.pendulum:Pendulum"], "Box; they must be Discrete"),
        ([CATCH, CATCH], "twice"),
        ([CATCH, "test_residents:Pays"], "2 residents leave none of the 2 slots"),
    ],
)
def test_what_cannot_be_a_resident_is_one_line(
    names: list[str], message: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    words = ["--preset", "smoke", "--learner.slots", "2", "--run-dir", str(run), "--residents"]
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(coevo.main, [*words, *names])
    (line,) = capsys.readouterr().err.splitlines()
    assert stop.value.code == 2 and line.startswith("error: ") and not run.exists()
    assert re.search(message, line), line


# --- a run --------------------------------------------------------------------------------------


CONFIG = dataclasses.replace(
    TINY,
    pretrain_iterations=1,
    rounds=1,
    heldout_episodes=4,
    generator="none",
    residents=("catching:Catch", "test_residents:Wild"),
    learner=dataclasses.replace(TINY.learner, slots=3, cohort_size=3),
)


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """A module of a user's own, ``catching``."""
    folder = tmp_path_factory.mktemp("mine")
    text = (ROOT / "examples" / "my_environment.py").read_text()
    (folder / "catching.py").write_text(text)
    sys.path.insert(0, str(folder))
    yield folder / "catching.py"
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def finished(mine: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of two residents, one of them wild, in one executable with a program."""
    folder = tmp_path_factory.mktemp("resident")
    (folder / "config.yaml").write_text(yaml.safe_dump(to_plain(CONFIG)))
    coevolution.run(CONFIG, folder)
    return folder


def test_residents_are_trained_on_to_the_end(finished: pathlib.Path) -> None:
    iterations = [r for r in read_jsonl(finished / "metrics.jsonl") if r["kind"] == "iteration"]
    assert len(iterations) == 1 + 2
    for line in iterations:
        catch, wild = line["residents"]["catching:Catch"], line["residents"]["test_residents:Wild"]
        assert (catch["slot"], wild["slot"]) == (1, 2)
        assert catch["healthy"] and not wild["healthy"]
        assert 0 < catch["steps"] <= 16 * 16
    assert sum(line["residents"]["catching:Catch"]["episodes"] for line in iterations) > 25
    events = read_jsonl(finished / "events.jsonl")
    pool = {e["event"]["program_hash"] for e in events if e["kind"] == "pool"}
    assert not pool & {line["program_hash"] for line in iterations[0]["residents"].values()}
    said = [e["text"] for e in events if e["kind"] == "warning"]
    assert said and all(
        text.startswith("resident test_residents:Wild gave values that are not finite")
        for text in said
    )


def test_a_run_with_residents_goes_on_where_it_was_broken_off(
    finished: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    def stop(kind: str, data: Any) -> None:
        if kind == "iteration" and data["round"] == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        coevolution.run(CONFIG, tmp_path, on_event=stop)
    coevolution.run(CONFIG, tmp_path, resume=True)
    for journal in ("metrics.jsonl", "events.jsonl"):
        assert timeless(tmp_path / journal) == timeless(finished / journal)


@pytest.mark.slow
def test_a_run_with_residents_is_done_again(finished: pathlib.Path, tmp_path: pathlib.Path) -> None:
    run_again(CONFIG, finished, tmp_path, lambda kind, data: None)
    assert first_difference(finished, tmp_path, whole=True) is None


def test_a_recurrent_policy_is_trained_on_them_alike_on_two_devices(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = dataclasses.replace(TINY.learner, slots=3, cohort_size=3, core="gru")
    config = write_config(tmp_path, rounds=1, residents=(CATCH,), learner=learner)
    running = []
    for devices in ("1", "2"):
        some = "--xla_backend_optimization_level=0 --xla_force_host_platform_device_count="
        monkeypatch.setenv("XLA_FLAGS", some + devices)
        through = ("experiments.coevo", "--devices", devices)
        running.append(start(config, tmp_path / devices, through=through))
    try:
        assert [process.wait(600) for process in running] == [0, 0]
    finally:
        for process in running:
            process.kill()
    one, two = (
        [r for r in read_jsonl(tmp_path / d / "metrics.jsonl") if r["kind"] == "iteration"]
        for d in ("1", "2")
    )
    assert [r["residents"] for r in one] == [r["residents"] for r in two]
    assert sum(r["residents"][CATCH]["episodes"] for r in one) > 0


def test_the_report_lists_them(finished: pathlib.Path) -> None:
    run = read_run(finished)
    catch, wild = numbers(run)["residents"]
    assert catch["name"] == "catching:Catch" and set(catch["success"]) == {0, 1}
    assert (catch["unhealthy"], wild["unhealthy"]) == (0, 3)
    lines = [line["residents"]["catching:Catch"] for line in run.iterations if line["round"] == 1]
    share = sum(s["successes"] for s in lines) / sum(s["episodes"] for s in lines)
    assert catch["success"][1] == pytest.approx(share)
    page = render_report(run)
    assert "Residents" in page and "catching:Catch" in page and f"{share:.3f}" in page


def test_a_changed_resident_is_refused(finished: pathlib.Path, mine: pathlib.Path) -> None:
    before = mine.read_text()
    mine.write_text(before.replace("ROWS, COLUMNS = 10, 5", "ROWS, COLUMNS = 10, 4"))
    try:
        with pytest.raises(UserError, match="text of catching has changed"):
            coevolution.run(CONFIG, finished, resume=True)
    finally:
        mine.write_text(before)


def test_the_documented_example_is_the_file() -> None:
    page = (ROOT / "docs" / "generators.md").read_text(encoding="utf-8")
    text = (ROOT / "examples" / "my_environment.py").read_text(encoding="utf-8")
    assert text.rstrip() in page
    (wrapper,) = (block for block in page.split("```") if "import RewardWrapper" in block)
    shown: dict[str, Any] = {}
    exec(wrapper.removeprefix("python\n"), shown)
    env = shown["KeyDoor"]()
    assert isinstance(env, RewardWrapper) and env.name == "key_door"
    assert "--residents examples.my_environment:Catch" in coevo.ABOUT
