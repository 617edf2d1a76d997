"""Random programs, well typed by construction: every statement form, type and builtin.

``source_of(seed)`` is a text, ``program_of(seed)`` the first of its tries that passes the check,
``programs()`` the same as a Hypothesis strategy.
"""

from __future__ import annotations

import random

from hypothesis import strategies as st

from envs_dsl import Program
from envs_dsl.program import check

from .program import ProgramMaker

__all__ = ["TRIES", "program_of", "programs", "source_of"]

TRIES = 8


def source_of(seed: int, attempt: int = 0) -> str:
    """A program text; the same for the same seed and attempt, wherever it runs."""
    return ProgramMaker(random.Random(f"{seed}/{attempt}")).text()


def program_of(seed: int) -> tuple[Program, int]:
    """A checked program, and how many tries were refused before it (by a cap, mostly).

    Raises:
      AssertionError: none of ``TRIES`` tries passed.
    """
    for attempt in range(TRIES):
        checked = check(source_of(seed, attempt), f"random-{seed}")
        if checked.program is not None:
            return checked.program, attempt
    raise AssertionError(f"no program of seed {seed} passes: {checked.diagnostics}")


def programs() -> st.SearchStrategy[Program]:
    """Checked random programs."""
    return st.integers(0, 2**32 - 1).map(lambda seed: program_of(seed)[0])
