"""The conformance cases, on every implementation of the language."""

from __future__ import annotations

from collections import Counter

import pytest
from conformance_cases import Case, cases

from envs_dsl import check
from envs_dsl.backends import jax_backend, numpy_backend

CASES = cases()
ACCEPTED = [case for case in CASES if not case.refused]
REFUSED = [case for case in CASES if case.refused]


def named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", ACCEPTED, ids=named)
def test_numpy(case: Case) -> None:
    program = case.program()
    case.check(case.play(numpy_backend(program), program))


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_refused(case: Case) -> None:
    errors = [d.code for d in check(case.text).diagnostics if d.severity == "error"]
    assert errors[:1] == [case.refused]


@pytest.mark.parametrize("case", ACCEPTED[::8], ids=named)
def test_jax(case: Case) -> None:
    program = case.program()
    case.check(case.play(jax_backend(program), program))


@pytest.mark.slow
@pytest.mark.parametrize("case", ACCEPTED, ids=named)
def test_jax_all(case: Case) -> None:
    program = case.program()
    case.check(case.play(jax_backend(program), program))


def test_cases_have_names_of_their_own() -> None:
    repeated = [name for name, count in Counter(case.name for case in CASES).items() if count > 1]
    assert not repeated
