"""A back end that says what a test tells it to say, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from envs_dsl import library
from spade_jax.generator.llm import Request, Response
from spade_jax.types import Context, PoolView, SkillEstimate

SEEDS = tuple(library.seeds())

Answer = Callable[[Request, int], "str | Response"]


class Scripted:
    """``answer(request, number)`` is the text (or the response) to the ``number``-th request."""

    name = "scripted"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.calls: list[list[Request]] = []
        self.closed = 0

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        start = sum(map(len, self.calls))
        self.calls.append(list(requests))
        said = [self.answer(r, start + i) for i, r in enumerate(requests)]
        return tuple(
            Response(s, "tiny", "rev1", 10, 5, 0.5) if isinstance(s, str) else s for s in said
        )

    def close(self) -> None:
        self.closed += 1

    @property
    def kinds(self) -> list[list[str]]:
        return [[r.kind for r in call] for call in self.calls]


def ideas(number: int) -> str:
    """An answer with two ideas that no other number gives."""
    words = "abcdefgh"
    tag = "".join(words[int(d)] for d in oct(number + 8)[2:])
    return (
        f"IDEA 1\ntitle: bread {tag} oven\nplayer: carry {tag}{tag} loaves\nskills: resource\n\n"
        f"IDEA 2\ntitle: night {tag} watch\nplayer: find {tag}x thieves\nskills: memory\n"
    )


def variant(number: int) -> str:
    """A program that checks, a different one for each number."""
    program = SEEDS[number % len(SEEDS)]
    steps = program.game.max_steps
    changed = program.source.replace(f"max_steps={steps}", f"max_steps={steps + 1 + number}")
    assert changed != program.source
    return changed


def fenced(source: str) -> str:
    return f"Here it is:\n\n```python\n{source}```\nHave fun!"


def views(success: float | None = 0.5) -> tuple[PoolView, ...]:
    return tuple(
        PoolView(p.hashes.program, f"b{i}", p.source, p.name, p.game.skills, success, (), True)
        for i, p in enumerate(SEEDS)
    )


def context(round: int = 1, seed: int = 0, pool: tuple[PoolView, ...] | None = None) -> Context:
    profile = (
        SkillEstimate("navigation", 0.8, 0.7, 0.9, 4, 1000),
        SkillEstimate("memory", 0.1, 0.05, 0.2, 1, 256),
    )
    return Context(round, seed, views() if pool is None else pool, profile)
