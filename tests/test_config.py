"""Configurations from YAML and flags: what is accepted, and what each mistake is answered with."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Literal

import pytest
import yaml

from experiments import _cli
from experiments.config import from_plain, load_file, load_preset, presets, to_plain
from spade_jax.config import Config
from spade_jax.errors import UserError, nearest


@dataclasses.dataclass(frozen=True)
class Inner:
    num_envs: int = 1024
    rate: float = 3e-4
    sizes: tuple[int, ...] = (64, 64)
    band: tuple[float, float] = (0.3, 0.7)

    def __post_init__(self) -> None:
        if self.num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, got {self.num_envs}")


@dataclasses.dataclass(frozen=True)
class Outer:
    seed: int = 0
    generator: str = "evolve"
    arm: Literal["coevo", "fixed"] = "coevo"
    adaptive: bool = True
    budget: int | None = None
    learner: Inner = dataclasses.field(default_factory=Inner)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError("seed must not be negative")


@dataclasses.dataclass(frozen=True)
class Own:
    preset: str = "quick"
    out: Path | None = None
    resume: bool = False


def test_plain_values_give_the_configuration_back() -> None:
    config = Outer(seed=3, budget=10, learner=Inner(sizes=(8,), band=(0.2, 0.8)))
    text = yaml.safe_dump(to_plain(config))
    assert from_plain(Outer(), yaml.safe_load(text), where="x") == config


def test_fields_not_named_keep_their_values() -> None:
    base = Outer(seed=7, learner=Inner(num_envs=5))
    changed = from_plain(base, {"learner": {"rate": "1e-3"}}, where="x")
    assert changed == Outer(seed=7, learner=Inner(num_envs=5, rate=1e-3))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"sed": 1}, "x: unknown field 'sed'; did you mean 'seed'?"),
        (
            {"learner": {"num_env": 1}},
            "unknown field 'learner.num_env'; did you mean 'learner.num_e",
        ),
        ({"num_envs": 1}, "unknown field 'num_envs'; did you mean 'learner.num_envs'?"),
        ({"zzzzqqq": 1}, "unknown field 'zzzzqqq'; known: adaptive, arm, budget"),
        ({"seed": "one"}, "x: seed: expected a whole number, got 'one'"),
        ({"seed": True}, "x: seed: expected a whole number, got True"),
        ({"seed": 1.5}, "x: seed: expected a whole number, got 1.5"),
        ({"adaptive": "maybe"}, "x: adaptive: expected on or off, got 'maybe'"),
        ({"arm": "fixd"}, "x: arm: 'fixd' is not possible; did you mean 'fixed'?"),
        ({"learner": 3}, "x: learner: expected fields of its own, got 3"),
        ({"learner": {"rate": float("nan")}}, "x: learner.rate: expected a number"),
        ({"learner": {"rate": 10**400}}, "x: learner.rate: expected a number"),
        ({"learner": {"band": [1]}}, "x: learner.band: expected 2 values, got 1"),
        ({"learner": {"sizes": 3}}, "x: learner.sizes: expected a list, got 3"),
        ({"learner": {"num_envs": 0}}, "num_envs must be at least 1, got 0"),
        ({"generator": ["a"]}, "x: generator: expected a text, got a list"),
    ],
)
def test_mistakes_are_named(data: dict, message: str) -> None:
    with pytest.raises(UserError) as caught:
        from_plain(Outer(), data, where="x")
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: [1", "not YAML"),
        ("- 1\n- 2\n", "expected `field: value` lines, got a list"),
        ("!!python/object/apply:os.getcwd []\n", "not YAML"),
        ("seed: 2020-99-99\n", "cannot be read"),
        ("[" * 5000, "cannot be read"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nseed: *b\n", "not YAML: an alias (*name) is not read"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"c\.yaml") as caught:
        load_file(file, Outer())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"seed": -1}, "seed is -1; it must lie in 0"),
        ({"seed": 1 << 64}, "it must lie in 0"),
        ({"env_step_budget": 0}, "env_step_budget is 0; it must be at least 1"),
        ({"candidates_per_round": -1}, "candidates_per_round is -1; it must be at least 0"),
        (
            {"curator": {"episodes": 300}},
            "curator.episodes is 300; it must be at most 256 (executor.probe_episodes), or no",
        ),
        ({"learner": {"learning_rate": 0}}, "learner.learning_rate is 0.0; it must be above 0"),
    ],
)
def test_values_that_no_run_could_use(data: dict, message: str) -> None:
    with pytest.raises(UserError) as caught:
        from_plain(Config(), data, where="x")
    assert message in str(caught.value)


def test_an_arm_that_admits_nothing_may_ask_for_any_number_of_episodes() -> None:
    config = from_plain(Config(), {"arm": "fixed", "curator": {"episodes": 300}}, where="x")
    assert config.curator.episodes == 300


def test_missing_binary_and_empty_files(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        load_file(tmp_path / "none.yaml", Outer())
    binary = tmp_path / "b.yaml"
    binary.write_bytes(bytes(range(128, 256)))
    with pytest.raises(UserError, match="not a text file"):
        load_file(binary, Outer())
    empty = tmp_path / "e.yaml"
    empty.write_text("")
    assert load_file(empty, Outer()) == Outer()


def test_unknown_preset_offers_the_nearest() -> None:
    assert {"smoke", "quick", "full", "gpu"} <= set(presets())
    with pytest.raises(UserError, match="unknown preset 'quik'; did you mean 'quick'"):
        load_preset("quik", Outer())


def test_nearest_ignores_case_and_dashes() -> None:
    assert nearest("Num-Envs", ["num_envs", "seed"]) == "num_envs"
    assert nearest("qqqq", ["num_envs", "seed"]) is None


def _parse(*words: str) -> tuple[Own, Outer]:
    return _cli.parse(Own(), list(words), prog="python -m x", about="x", config=Outer())


def test_every_field_is_a_flag() -> None:
    own, config = _parse(
        "--resume", "--seed", "4", "--adaptive", "off", "--budget", "9",
        "--learner.num-envs", "2", "--learner.sizes", "1", "2", "3", "--out", "a",
    )  # fmt: skip
    assert own == Own(out=Path("a"), resume=True)
    assert config == Outer(
        seed=4, adaptive=False, budget=9, learner=Inner(num_envs=2, sizes=(1, 2, 3))
    )
    assert {"seed", "learner.num-envs", "learner.band"} <= set(_cli.flag_names(Outer()))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sed", "1"], "unknown option --sed; did you mean --seed?"),
        (["--num-envs", "1"], "unknown option --num-envs; did you mean --learner.num-envs?"),
        (["--seed", "x"], "--seed"),
        (["--seed"], "--seed"),
        (["--adaptive", "maybe"], "'maybe' is neither on nor off"),
        (["--arm", "fixd"], "fixd"),
        (["--learner.rate", "inf"], "--learner.rate is inf; it must be a finite number"),
        (["--learner.band", "0", "nan"], "--learner.band is nan; it must be a finite number"),
        (["--learner.num-envs", "0"], "num_envs must be at least 1, got 0"),
        (["--seed", "-1"], "seed must not be negative"),
        (["stray"], "stray"),
    ],
)
def test_bad_flags_are_one_line(words: list[str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        _parse(*words)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_own_flags_are_read_before_the_configuration_is_known() -> None:
    own, rest = _cli.parse_known(Own(), ["--preset", "smoke", "--seed", "3", "--help"])
    assert own.preset == "smoke"
    assert rest == ["--seed", "3"]


def _unexplained(record: object, prefix: str = "") -> list[str]:
    """Settings of which --help would say nothing."""
    found: list[str] = []
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if dataclasses.is_dataclass(value):
            found += _unexplained(value, f"{prefix}{field.name}.")
        elif not re.search(rf"^ +{field.name}: \S", type(record).__doc__ or "", re.M):
            found.append(prefix + field.name)
    return found


def test_every_setting_is_explained() -> None:
    assert _unexplained(Config()) == []
