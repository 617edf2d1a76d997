"""The oracle, NumPy and JAX against one another. The long run is ``python -m tests.agreement``."""

from __future__ import annotations

import pathlib

import pytest
from agreement.episodes import against_oracle, play

import envs_dsl.library
from envs_dsl import load

LIBRARY = pathlib.Path(envs_dsl.library.__file__).parent
BUNDLED = sorted(path for path in LIBRARY.glob("*/*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_numpy_does_what_the_oracle_says_on_bundled_programs(path: pathlib.Path) -> None:
    program = load(path)
    episodes = play(program, copies=4, steps=20)
    assert against_oracle(program, episodes, range(4)) == []
