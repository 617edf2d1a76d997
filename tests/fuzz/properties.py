"""What must hold of every text, of every accepted program, and how a breach is told."""

from __future__ import annotations

import ast
import time
from random import Random
from typing import NamedTuple

import numpy as np
from adversarial.bounds import out_of_bounds
from agreement.episodes import against_oracle, play

from envs_dsl.backends import jax_backend, numpy_backend
from envs_dsl.language import CODES
from envs_dsl.language.diagnostics import MAX_SHOWN, Diagnostics, render
from envs_dsl.language.normalise import normalise
from envs_dsl.language.parse import MAX_BYTES, MAX_LINE, parse
from envs_dsl.language.tree import walk
from envs_dsl.language.unparse import comments_of, unparse
from envs_dsl.program import Checked, Program, check

__all__ = [
    "MOST_SECONDS",
    "Breach",
    "checked",
    "judged",
    "normalised",
    "on_jax",
    "played",
    "printed",
]

MOST_SECONDS = 1.0
"""CPU seconds that checking one text may take; a slow one is tried again before it counts."""
MOST_WORK = 20_000
"""Programs dearer than this are not stepped: loops of many trips take their time in NumPy."""


class Breach(Exception):
    """A property does not hold."""


class Told(NamedTuple):
    """What must be the same whenever a text is checked."""

    diagnostics: tuple[object, ...]
    hashes: object


def _told(found: Checked) -> Told:
    return Told(found.diagnostics, found.program.hashes if found.program else None)


def checked(text: str) -> Program | None:
    """Check a text: findings with a place in it, in order, soon, and the same ones again."""
    found, seconds = _timed(text)
    if seconds > MOST_SECONDS:
        seconds = min(seconds, _timed(text)[1], _timed(text)[1])
    if seconds > MOST_SECONDS:
        raise Breach(f"checking takes {seconds:.1f} s")
    lines = text.split("\n")
    told = [(d.line, d.column) for d in found.diagnostics]
    if told != sorted(told) or len(told) > MAX_SHOWN:
        raise Breach(f"findings out of order: {told}")
    for d in found.diagnostics:
        if d.code == "E900" or d.code not in CODES:
            raise Breach(f"{d.code}: {d.message}")
        if not 1 <= d.line <= len(lines) or d.column < 1:
            raise Breach(f"{d} is outside of the text")
    if found.ok != all(d.severity == "warning" for d in found.diagnostics):
        raise Breach("ok contradicts the findings")
    if found.ok != (found.program is not None):
        raise Breach("ok without a program, or the other way round")
    render(found.diagnostics, text)
    if _told(check(text)) != _told(found):
        raise Breach("checked again, it gets another answer")
    return found.program


def _timed(text: str) -> tuple[Checked, float]:
    start = time.process_time()
    found = check(text)
    return found, time.process_time() - start


def normalised(text: str) -> None:
    """The normaliser answers every text, and does nothing to its own answer."""
    once = normalise(text)
    twice = normalise(once.text)
    if twice.text != once.text:
        raise Breach("normalising twice is not normalising once")


def printed(program: Program) -> None:
    """Canonical text means the same, and is its own canonical text."""
    module = parse(program.source, Diagnostics())
    assert module is not None
    text = unparse(module, comments_of(program.source))
    if len(text) > MAX_BYTES or any(len(line) > MAX_LINE for line in text.split("\n")):
        return  # wider than it was written: a text at the limits need not fit when it is spread
    again = parse(text, Diagnostics())
    if again is None:
        raise Breach("canonical text does not parse")
    if ast.dump(again) != ast.dump(module):
        raise Breach("canonical text has another tree")
    if unparse(again, comments_of(text)) != text:
        raise Breach("canonical text is not its own canonical text")
    if check(text).program != program:
        raise Breach("canonical text is another program")


def played(program: Program, rng: Random) -> bool:
    """Some steps in NumPy: every number finite and in its range. False: too dear to be stepped."""
    if program.cost.work > MOST_WORK:
        return False
    episodes = play(program, copies=4, steps=5, seed=rng.randrange(1 << 20))
    back = numpy_backend(program)
    constants = back.constants(program)
    for state in episodes.states:
        wrong = out_of_bounds(program.tree, state)
        if wrong:
            raise Breach(f"out of bounds: {', '.join(wrong)}")
    for leaf in back.observe(constants, episodes.states[-1]):
        value = np.asarray(leaf)
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise Breach("an observation is not finite")
    back.view(constants, episodes.states[-1])
    return True


def judged(program: Program, rng: Random) -> bool:
    """The oracle says the same as NumPy. False: too dear to be asked."""
    if program.cost.work > MOST_WORK // 4:
        return False
    episodes = play(program, copies=2, steps=3, seed=rng.randrange(1 << 20))
    for finding in against_oracle(program, episodes, range(2)):
        if not finding.tie:
            raise Breach(f"the oracle differs at step {finding.t}: {finding.words}")
    return True


def on_jax(program: Program, rng: Random) -> bool:
    """JAX, compiled, makes exactly the states that NumPy makes, where no float can round.

    Programs with floats must run and stay finite. False: too dear to be compiled.
    """
    import jax

    if program.cost.work > MOST_WORK // 4 or program.cost.ops > 400:
        return False
    episodes = play(program, copies=2, steps=2, seed=rng.randrange(1 << 20))
    back = jax_backend(program)
    constants = back.constants(program)
    step = jax.jit(back.step)
    for t, actions in enumerate(episodes.actions):
        got, _ = step(constants, episodes.states[t], actions)
        wrong = out_of_bounds(program.tree, jax.tree_util.tree_map(np.asarray, got))
        if wrong:
            raise Breach(f"out of bounds in JAX: {', '.join(wrong)}")
        if _has_floats(program):
            continue
        ours = jax.tree_util.tree_leaves(got._asdict())
        theirs = jax.tree_util.tree_leaves_with_path(episodes.states[t + 1]._asdict())
        for mine, (path, other) in zip(ours, theirs, strict=True):
            a, b = np.asarray(mine), np.asarray(other)
            if not (np.allclose(a, b, 1e-5, 1e-5) if a.dtype.kind == "f" else (a == b).all()):
                raise Breach(f"JAX differs in {jax.tree_util.keystr(path)}: {a} and {b}")
    jax.clear_caches()
    return True


def _has_floats(program: Program) -> bool:
    """Whether anything but rewards is reckoned in floats: an int may then hang on a rounding."""
    tree = program.tree
    return any(
        getattr(getattr(node, "type", None), "kind", "") in ("Float", "Vec2")
        or getattr(getattr(getattr(node, "type", None), "elem", None), "kind", "") == "Float"
        for node in walk((*tree.reset, *tree.step))
    )
