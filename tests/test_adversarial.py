"""Hostile inputs get their verdicts, reach nothing, cost little, and run if they are accepted."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from adversarial import Case, base, cases
from adversarial.bounds import out_of_bounds

from envs_dsl import Program, check
from envs_dsl.backends import numpy_backend

HERE = Path(__file__).parent
CASES = cases()
ACCEPTED = [case for case in CASES if case.accepted]
MOST_SECONDS = 1.0
MOST_WORK = 10_000
"""Dearer programs make one step of one copy: loops of many trips take their time in NumPy."""


def ids(found: list[Case] | tuple[Case, ...]) -> list[str]:
    return [case.name for case in found]


def test_the_corpus_is_large_and_its_names_are_unique() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)
    assert check(base()).diagnostics == ()


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_the_verdict(case: Case) -> None:
    checked = check(case.text)
    assert tuple((d.code, d.line) for d in checked.diagnostics) == case.verdict
    assert checked.ok is case.accepted


# --- what checking reaches and takes ----------------------------------------------------------


@functools.cache
def watched() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(HERE / "adversarial" / "watch.py")],
        capture_output=True,
        text=True,
        cwd=HERE.parent,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_checking_reaches_nothing() -> None:
    """Python's parser is all that sees a text; on a syntax error it asks for a file that cannot be.

    The audit hook would see files, imports, sockets, processes, exec and anything compiled.
    """
    events = {(event, words) for _, event, words in watched()["events"]}
    opened = {words for event, words in events if event == "open"}
    assert opened <= {"('/dev/null/program', 'rb', 0)"}
    assert {event for event, _ in events} <= {"open", "compile"}
    # one call of the parser for a text, and what it compiles is that text, to a syntax tree
    texts = {case.name: case.text for case in CASES}
    compiled = [(name, words) for name, event, words in watched()["events"] if event == "compile"]
    assert len({name for name, _ in compiled}) == len(compiled)
    for name, words in compiled:
        assert words.startswith(f"({texts[name].encode()!r}"[:60])


def test_the_watcher_sees_what_reaches_out() -> None:
    code = (
        "import sys; seen = []; sys.addaudithook(lambda e, a: seen.append(e));"
        "open('/dev/null').close(); exec('1'); import colorsys;"
        "assert {'open', 'exec', 'compile', 'import'} <= set(seen)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_checking_takes_little_time_and_memory() -> None:
    slow = [(name, s) for name, _, s in watched()["checked"] if s > MOST_SECONDS]
    assert slow == []
    assert watched()["grown"] <= 200 << 20
    same = {name: tuple(map(tuple, found)) for name, found, _ in watched()["checked"]}
    assert same == {case.name: case.verdict for case in CASES}, "a memory limit changed a verdict"


# --- accepted programs run ------------------------------------------------------------------------


@pytest.mark.parametrize("case", ACCEPTED, ids=ids(ACCEPTED))
def test_what_is_accepted_runs_within_its_bounds(case: Case) -> None:
    program = Program.from_source(case.text)
    back = numpy_backend(program)
    copies, steps = (8, 6) if program.cost.work <= MOST_WORK else (1, 1)
    rng = np.random.default_rng(0)
    constants = back.constants(program)
    params = np.tile(program.default_params(), (copies, 1))
    seeds = rng.integers(-(2**31), 2**31, (copies, 2)).astype(np.int32)
    with np.errstate(all="raise"):
        state = back.reset(constants, seeds, params)
        assert out_of_bounds(program.tree, state) == []
        for _ in range(steps):
            actions = rng.integers(0, 20, (copies, program.game.players)).astype(np.int32)
            state, out = back.step(constants, state, actions)
            assert out_of_bounds(program.tree, state) == []
            assert np.isfinite(np.asarray(out.reward)).all()
            assert (np.abs(np.asarray(out.reward)) <= 2).all()
