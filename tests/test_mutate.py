"""Mutation: mutants check again, differ from their parents, and many are new games to win."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from envs_dsl import Program, check, library
from envs_dsl.backends import numpy_backend, success
from envs_dsl.behaviour import FEATURES, behaviour, behaviour_features, behaviour_hash
from envs_dsl.language.unparse import unparse
from envs_dsl.language.vocabulary import ACTIONS
from envs_dsl.mutate import OPERATORS, STRUCTURAL, move_params, mutate
from envs_dsl.mutate.entities import hazard, prey
from envs_dsl.mutate.objectives import OBJECTIVES
from envs_dsl.mutate.patch import apply
from envs_dsl.mutate.prune import tidy
from envs_dsl.mutate.scene import scene
from envs_dsl.mutate.subject import open_subject
from envs_dsl.mutate.terrain import CONTROLS, METERS, TERRAIN

SEEDS = {p.name: p for p in library.seeds()}
BUILDERS = (hazard, prey, *OBJECTIVES, *TERRAIN, *CONTROLS, *METERS)


def win_rates(program: Program, copies: int = 64) -> tuple[float, float]:
    """Shares of episodes won by random play and by doing nothing."""
    backend = numpy_backend(program)
    constants = backend.constants(program)
    legal = np.asarray([*range(5), *(ACTIONS.index(v) for v in program.game.verbs)])
    rng = np.random.default_rng(0)
    seeds = np.stack([np.arange(copies), np.full(copies, 5)], 1).astype(np.int32)
    state = backend.reset(constants, seeds, np.tile(program.default_params(), (copies, 1)))
    idle = np.arange(copies) < copies // 2
    for _ in range(program.game.max_steps):
        actions = rng.choice(legal, (copies, program.game.players)).astype(np.int32)
        actions[idle] = 0
        state, _ = backend.step(constants, state, actions)
    won = success(state.outcome)
    return float(won[~idle].mean()), float(won[idle].mean())


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_gives_new_programs_that_check(operator: str) -> None:
    found = 0
    for name in ("key_door", "crate", "orchard"):
        parent = SEEDS[name]
        mutant = mutate(parent, 1, operator, SEEDS["hunter"])
        if mutant is None:
            continue
        found += 1
        assert mutant.operator == operator
        assert mutant == mutate(parent, 1, operator, SEEDS["hunter"])
        child = Program.from_source(mutant.source)
        assert child.hashes.program != parent.hashes.program
        assert mutant.source not in (parent.source, unparse(ast.parse(parent.source)))
        assert unparse(ast.parse(mutant.source)) == mutant.source
    assert found >= 1


def test_mutants_behave_differently_and_many_are_new_games() -> None:
    names = sorted(SEEDS)
    total = differs = skeletons = playable = 0
    for k, name in enumerate(names * 3):
        parent, donor = SEEDS[name], SEEDS[names[(k * 5 + 3) % len(names)]]
        mutant = mutate(parent, k, donor=donor)
        if mutant is None:
            continue
        child = Program.from_source(mutant.source)
        total += 1
        differs += behaviour_hash(child) != behaviour_hash(parent)
        if child.hashes.skeleton != parent.hashes.skeleton:
            skeletons += 1
            by_chance, by_waiting = win_rates(child)
            playable += 0.0 < by_chance < 0.7 and by_waiting <= 0.05
    assert total >= 0.95 * len(names) * 3
    assert differs >= 0.8 * total
    assert skeletons >= 0.7 * total
    assert playable >= 0.4 * total


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: b.__name__)
def test_every_mechanic_fits_onto_every_kind_of_program(builder: Callable) -> None:
    fitted = 0
    for name in ("rooms", "drift", "hail", "courier"):
        for seed in range(2):
            subject = open_subject(SEEDS[name].source)
            assert subject is not None
            where = scene(subject, Random(seed))
            assert where is not None
            patch = builder(where)
            if patch is None:
                continue
            assert apply(subject, patch)
            tidy(subject)
            text = unparse(subject.module)
            checked = check(text)
            assert checked.ok, (name, checked.diagnostics, text)
            assert checked.program is not None and patch.sentence[-1] == "."
            assert checked.program.hashes.skeleton != SEEDS[name].hashes.skeleton
            fitted += 1
    assert fitted >= 4


def test_graft_carries_a_feature_and_binds_names_by_type() -> None:
    texts = set()
    for seed in range(12):
        mutant = mutate(SEEDS["rooms"], seed, "graft", SEEDS["key_door"])
        assert mutant is not None
        texts.add(mutant.source)
        assert "reset(s)" in mutant.source and check(mutant.source).ok
    joined = "\n".join(texts)
    assert len(texts) > 1
    assert "class Bat(Row)" in joined or "has_key" in joined or "Tile.KEY" in joined


def test_what_nothing_reads_is_swept_up() -> None:
    source = SEEDS["courier"].source.replace("if s.delivered >= NEED:", "if s.carrying:")
    source = source.replace("if s.delivered == 0:", "if not s.carrying:")
    source = source.replace("act.drop and s.carrying", "s.carrying")
    source = source.replace("(act.drop or chance(SLIP))", "chance(SLIP)")
    assert not check(source).ok  # NEED, delivered and the verb are left over
    subject = open_subject(SEEDS["courier"].source)
    assert subject is not None
    subject.module = ast.parse(source)
    tidy(subject)
    text = unparse(subject.module)
    assert "NEED" not in text and "delivered" not in text and '"drop"' not in text
    assert check(text).ok


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_parameter_moves_go_the_right_way_and_stay_in_range(name: str) -> None:
    program = SEEDS[name]
    for harder in (True, False):
        for seed in range(3):
            source = move_params(program, seed, harder)
            if source is None:  # all are at that end already
                assert not harder
                continue
            moved = Program.from_source(source)
            assert moved.hashes.skeleton == program.hashes.skeleton
            changes = 0
            for before, after in zip(program.params, moved.params):
                assert after.low <= after.value <= after.high and after.is_int == before.is_int
                up = (before.harder == "up") == harder
                assert after.value == before.value or (after.value > before.value) == up
                changes += after.value != before.value
            assert changes >= 1
    assert move_params(program, 0, True) == move_params(program, 0, True)


def test_wrong_use_is_told() -> None:
    with pytest.raises(ValueError, match="unknown operator 'resise'"):
        mutate(SEEDS["rooms"], 0, "resise")
    with pytest.raises(ValueError, match="donor"):
        mutate(SEEDS["rooms"], 0, "graft")
    assert set(STRUCTURAL) <= set(OPERATORS) and len(OPERATORS) >= 8


# --- behaviour ---------------------------------------------------------------------------------


def test_names_colours_and_comments_are_not_behaviour() -> None:
    source = SEEDS["hunter"].source
    other = (
        source.replace("Hunter", "Wolf").replace("hunters", "wolves").replace('"gold"', '"pink"')
    )
    assert behaviour_hash(Program.from_source(other)) == behaviour_hash(SEEDS["hunter"])


def test_rules_are_behaviour() -> None:
    source = SEEDS["hunter"].source
    for old, new in (
        ("toward(", "away("),
        ("reward(0.1)", "reward(0.2)"),
        ("s.coins >= NEED", "s.coins >= NEED + 1"),
        ("range(5)", "range(6)"),
    ):
        other = Program.from_source(source.replace(old, new))
        assert behaviour_hash(other) != behaviour_hash(SEEDS["hunter"]), (old, new)


def test_features_are_numbers_within_one_and_part_the_seeds() -> None:
    features = np.stack([behaviour_features(p) for p in SEEDS.values()])
    assert features.shape == (len(SEEDS), len(FEATURES)) and features.dtype == np.float32
    assert np.isfinite(features).all() and features.min() >= 0 and features.max() <= 1
    gaps = np.linalg.norm(features[:, None] - features[None], axis=-1)
    assert gaps[~np.eye(len(SEEDS), dtype=bool)].min() > 0.5
    first = behaviour(SEEDS["rooms"])
    again = behaviour(Program.from_source(SEEDS["rooms"].source))
    assert first.hash == again.hash and np.array_equal(first.features, again.features)
    assert len({behaviour_hash(p) for p in SEEDS.values()}) == len(SEEDS)
