"""Held-out programs: fixed seeds, plain averages, and one door to them."""

import ast
import pathlib
import types

import pytest

import spade_jax.curator.heldout as heldout
from spade_jax.curator.posterior import evaluation

ROOT = pathlib.Path(heldout.__file__).parents[2]


def _fake(name):
    return types.SimpleNamespace(name=name, hashes=types.SimpleNamespace(skeleton=f"k{name}"))


@pytest.fixture
def two_programs(monkeypatch):
    monkeypatch.setattr(heldout, "_programs", lambda: (_fake("herd"), _fake("ford")))


def test_measure_averages_over_programs(two_programs):
    asked = []

    def evaluate(programs, episodes, seed):
        asked.append((tuple(p.name for p in programs), episodes, seed))
        return [
            evaluation("a", 7, 10, 20, 500),
            evaluation("b", 7, 20, 20, 300),
        ]

    found = heldout.measure(evaluate, 7, episodes=20)
    assert found.programs == {"herd": 0.5, "ford": 1.0}
    assert (found.success, found.worst, found.episodes, found.env_steps) == (0.75, 0.5, 40, 800)
    heldout.measure(evaluate, 8, episodes=20)
    assert asked == [(("herd", "ford"), 20, heldout.SEED)] * 2


def test_an_incomplete_answer_is_refused(two_programs):
    with pytest.raises(ValueError, match="1 results for 2 programs"):
        heldout.measure(lambda programs, episodes, seed: [evaluation("a", 0, 0, 1, 1)], 0)
    with pytest.raises(ValueError, match="for 2 programs"):
        heldout.measure(lambda programs, episodes, seed: [evaluation("a", 0, 0, 0, 0)] * 2, 0)


def _mentions(path, name):
    """Whether a module's code (not its prose) has an identifier, attribute or string ``name``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and node.id == name:
            return True
        if isinstance(node, ast.Attribute) and node.attr == name:
            return True
        if isinstance(node, ast.alias) and name in node.name.split("."):
            return True
        if isinstance(node, ast.Constant) and node.value == name:
            return True
    return False


def test_only_the_curators_heldout_module_can_name_them():
    for package in ("spade_jax", "experiments"):
        named = [p for p in (ROOT / package).rglob("*.py") if _mentions(p, "heldout_dev")]
        allowed = [ROOT / "spade_jax/curator/heldout.py"] if package == "spade_jax" else []
        assert named == allowed


def test_rooms_of_the_training_path_do_not_import_it():
    for room in ("generator", "learner", "executor"):
        for path in (ROOT / "spade_jax" / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
                elif isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                else:
                    continue
                assert not [n for n in names if n.startswith("spade_jax.curator")], path
