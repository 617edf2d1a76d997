"""The oracle, NumPy and JAX against one another. The long run is ``python -m tests.agreement``."""

from __future__ import annotations

import collections
import json
import pathlib
import statistics

import pytest
from agreement.command import bundled, main
from agreement.episodes import against_oracle, play
from agreement.laws import broken_laws
from agreement.modes import MODES, against_numpy
from agreement.observed import observed_otherwise
from agreement.tally import tally
from hypothesis import given, settings
from oracle import Oracle, shaken
from program_maker import program_of, programs
from small_programs import program

from envs_dsl import Program, load


@pytest.mark.parametrize("path", bundled(), ids=lambda path: path.stem)
def test_bundled_programs_do_what_the_oracle_says_and_break_no_law(path: pathlib.Path) -> None:
    program = load(path)
    episodes = play(program, copies=2, steps=12)
    assert against_oracle(program, episodes, range(2)) == []
    assert broken_laws(program, episodes) == []
    assert observed_otherwise(program, episodes, range(1)) == []


@settings(max_examples=25, deadline=None, derandomize=True)
@given(programs())
def test_random_programs_do_what_the_oracle_says_and_break_no_law(program: Program) -> None:
    episodes = play(program, copies=3, steps=4)
    assert [f for f in against_oracle(program, episodes, range(2)) if not f.tie] == []
    assert broken_laws(program, episodes) == []
    assert observed_otherwise(program, episodes, range(2)) == []


@pytest.mark.parametrize("seed", [32, 57])  # short: with floats, without
def test_random_programs_are_the_same_in_jax(seed: int) -> None:
    program, _ = program_of(seed)
    found, seconds = against_numpy(program, play(program, copies=4, steps=3, seed=seed))
    assert [f for f in found if not f.tie] == [] and set(seconds) == set(MODES)


def test_random_programs_are_long_and_seldom_refused() -> None:
    used, sizes, refused = collections.Counter[str](), [], 0
    for seed in range(40):
        program, attempts = program_of(seed)
        statements, builtins = tally(program)
        sizes.append(statements)
        used += builtins
        refused += attempts
    assert statistics.median(sizes) >= 20 and refused <= 8
    # the long run counts each builtin; forty programs must know most of them
    assert len(used) > 90


def test_the_command_says_what_it_compared(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(tmp_path / "log.jsonl")
    call = ["--programs", "3", "--no-bundled", "--no-jax", "--json", "--log", log]
    for shard in ("0/2", "1/2"):
        assert main([*call, "--shard", shard]) == 0
    capsys.readouterr()
    assert main(call) == 0  # all of it is in the log
    result = json.loads(capsys.readouterr().out)
    assert result["random_programs"] == 3 and result["disagreeing_programs"] == 0
    assert result["builtins"]["if_else"] > 0 and not any(result["programs_by_mode"].values())
    with pytest.raises(SystemExit) as usage:
        main(["--shard", "2/2"])
    assert usage.value.code == 2


def test_shaking_finds_what_hangs_on_a_rounding_and_nothing_else() -> None:
    step = """
    s.tie = sin(0.5) * sin(0.5) + cos(0.5) * cos(0.5) >= 1.0
    s.exact = 0.5 + 0.25 == 0.75 and sqrt(9.0) == 3.0 and 0.5 * s.t == 0.0
    s.far = sin(0.5) > 0.25
    """
    oracle = Oracle(program("tie: Bool\nexact: Bool\nfar: Bool", step).tree)
    start, seen = oracle.reset((0, 0)), []
    for seed in range(24):
        with shaken(seed):
            seen.append(oracle.step(start, [0]).state.fields)
    assert {fields["tie"] for fields in seen} == {True, False}
    assert all(fields["exact"] and fields["far"] for fields in seen)
