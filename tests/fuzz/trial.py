"""One input after another, in a process that may hang or die: the work of the fuzzer."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import pathlib
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from random import Random
from typing import Any

from adversarial import base, cases

from envs_dsl import library
from envs_dsl.program import Program
from fuzz import properties
from fuzz.texts import MAKERS, MakerFault

__all__ = ["Tally", "breach_of", "pool", "run", "smaller"]

MOST_HANG = 20.0
"""CPU seconds after which an input counts as one that hangs."""
MOST_POOL = 400


@dataclasses.dataclass
class Tally:
    """What was tried: inputs by kind, and how many of them went how far."""

    tried: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    accepted: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    played: int = 0
    judged: int = 0
    on_jax: int = 0


class Hang(Exception):
    """The input took MOST_HANG CPU seconds."""


def pool() -> list[str]:
    """Bundled programs and hostile inputs of moderate size."""
    root = pathlib.Path(library.__file__).parent
    bundled = [p.read_text(encoding="utf-8") for p in sorted(root.glob("*/*.py"))]
    hostile = [case.text for case in cases() if len(case.text) < 4000]
    return [base(), *bundled * 3, *hostile]


def run(
    seed: int, seconds: float, jax_share: float, last: pathlib.Path
) -> Iterator[dict[str, Any]]:
    """Try inputs for so long; yields findings, and the tally about twice a minute and at the end.

    Args:
      seed: of every choice. jax_share: share of the accepted programs that JAX compiles.
      last: a file that always holds the input being tried.
    """
    rng, texts, tally = Random(seed), pool(), Tally()
    fixed = len(texts)
    kinds, weights = list(MAKERS), [weight for _, weight in MAKERS.values()]
    stop, next_report = time.monotonic() + seconds, time.monotonic() + 30
    signal.signal(signal.SIGVTALRM, _interrupt)
    while time.monotonic() < stop:
        kind = rng.choices(kinds, weights)[0]
        try:
            text = MAKERS[kind][0](texts, rng)
        except MakerFault as fault:
            yield {"finding": fault.args[0], "kind": kind, "text": fault.args[1]}
            continue
        last.write_text(json.dumps([kind, text]), encoding="utf-8")
        tally.tried[kind] += 1
        luck = rng.random()
        breach, program = _try(text, rng.randrange(1 << 30), tally, luck, jax_share)
        if breach:
            yield {"finding": breach, "kind": kind, "text": text}
        elif program is not None:
            tally.accepted[kind] += 1
            if len(text) < 6000:  # what was accepted is changed further
                texts.append(text)
                if len(texts) > fixed + MOST_POOL:
                    del texts[fixed + rng.randrange(MOST_POOL)]
        if time.monotonic() > next_report:
            next_report += 30
            yield {"tally": _plain(tally)}
    yield {"tally": _plain(tally), "done": True}


def breach_of(text: str) -> str:
    """The breach of a text, "" when there is none (without the checks that are seldom made)."""
    return _try(text, 0, Tally(), 0.0, 0.0)[0]


def smaller(text: str, breach: str, tries: int = 300) -> str:
    """A shorter text with the same kind of breach: lines, then single characters, are left out."""
    kind, stop = breach.split(":")[0], time.monotonic() + 60

    def same(candidate: str) -> bool:
        return breach_of(candidate).split(":")[0] == kind

    if not same(text):
        return text
    for split, join in ((lambda t: t.split("\n"), "\n"), (list, "")):
        parts = split(text)
        size = max(len(parts) // 2, 1)
        while size and tries > 0 and time.monotonic() < stop:
            i = 0
            while i < len(parts) and tries > 0:
                candidate = parts[:i] + parts[i + size :]
                tries -= 1
                if same(join.join(candidate)):
                    parts = candidate
                else:
                    i += size
            size //= 2
        text = join.join(parts)
    return text


def _try(
    text: str, seed: int, tally: Tally, luck: float, jax_share: float
) -> tuple[str, Program | None]:
    """The breach ("" for none) and the program that was accepted, if one was."""
    rng = Random(seed)
    program: Program | None = None
    try:
        with _limit():
            program = properties.checked(text)
            if program is None:
                if luck < 0.3:
                    properties.normalised(text)
                return "", None
            properties.printed(program)
            if luck < 0.7:
                tally.played += properties.played(program, rng)
            if luck < 0.4:
                tally.judged += properties.judged(program, rng)
        if 0 < luck < jax_share:
            tally.on_jax += properties.on_jax(program, rng)
    except properties.Breach as error:
        return f"breach: {error}", None
    except Hang:
        where = "" if program is None else f" (accepted, work {program.cost.work})"
        return f"hang: more than {MOST_HANG:.0f} s of CPU{where}", None
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{pathlib.Path(place.filename).name}:{place.lineno}"
        return f"{type(error).__name__} in {at}: {error}", None
    return "", program


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _interrupt(*_: object) -> None:
    raise Hang


def _plain(tally: Tally) -> dict[str, Any]:
    size = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return {
        "tried": dict(tally.tried),
        "accepted": dict(tally.accepted),
        "played": tally.played,
        "judged": tally.judged,
        "on_jax": tally.on_jax,
        "resident_mb": round(size / 2**20, 1),
    }
