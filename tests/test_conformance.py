"""The conformance cases, on every implementation of the language."""

from __future__ import annotations

from collections import Counter

import pytest
from conformance_cases import Case, cases

from envs_dsl.backends import jax_backend, numpy_backend
from envs_dsl.reference import rules

CASES = cases()
PLAYED = [case for case in CASES if case.expect is not None]
TEXTS = [case for case in CASES if case.facts]


def named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", PLAYED, ids=named)
def test_numpy(case: Case) -> None:
    program = case.program()
    case.check(case.play(numpy_backend(program), program))


@pytest.mark.parametrize("case", PLAYED, ids=named)
def test_numpy_alone(case: Case) -> None:
    program = case.program()  # what is the same in all copies is calculated once: here all is
    case.check(case.play(numpy_backend(program), program, (1, 0)))


@pytest.mark.parametrize("case", PLAYED, ids=named)
def test_oracle(case: Case) -> None:
    case.check(case.play_oracle(case.program()))


@pytest.mark.parametrize("case", TEXTS, ids=named)
def test_text(case: Case) -> None:
    case.check_facts()


@pytest.mark.parametrize("case", PLAYED[::12], ids=named)
def test_jax(case: Case) -> None:
    program = case.program()
    case.check(case.play(jax_backend(program), program))


@pytest.mark.slow
@pytest.mark.parametrize("case", PLAYED, ids=named)
def test_jax_all(case: Case) -> None:
    program = case.program()
    case.check(case.play(jax_backend(program), program))


def test_cases_have_names_of_their_own() -> None:
    repeated = [name for name, count in Counter(case.name for case in CASES).items() if count > 1]
    assert not repeated


def test_every_rule_has_a_positive_and_a_negative_case() -> None:
    ids = {rule.id for section in rules() for rule in section.rules}
    wanted = {(id_, sign) for id_ in ids for sign in ("positive", "negative")}
    assert {(id_, case.sign) for case in CASES for id_ in case.rules} == wanted
    assert len(CASES) >= 300
