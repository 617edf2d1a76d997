"""A folder of requests and what it is made from: the same call makes the same prompts again."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envs_dsl import library
from envs_dsl.language.vocabulary import SKILLS
from spade_jax.errors import UserError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import prompt
from spade_jax.generator.llm.messages import Message, Request, Sampling
from spade_jax.records import write_atomic
from spade_jax.report import read_run
from spade_jax.types import Context, PoolEntry, PoolView, SkillEstimate, from_json

__all__ = ["Folder", "contexts", "request_of"]

_FILE = "folder.json"


@dataclasses.dataclass(frozen=True)
class Folder:
    """What the requests of a folder were made from (``folder.json``).

    Attributes:
      path: the folder. run: run folder whose rounds say what is wanted ("" for the bundled seeds).
      seed: of the draws. n: how many requests. budget: tokens of a prompt.
      ideas: how many each asks for. known: titles of ideas that were had already.
      version, files: of the prompt, to notice when it is another one.
    """

    path: Path
    run: str = ""
    seed: int = 0
    n: int = 20
    budget: int = 6_000
    ideas: int = 1
    known: tuple[str, ...] = ()
    version: str = prompt.VERSION
    files: str = dataclasses.field(default_factory=prompt.files_hash)

    def save(self) -> None:
        """Write ``folder.json``; the folder is made."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values["path"] = self.path.name
        self.path.mkdir(parents=True, exist_ok=True)
        write_atomic(self.path / _FILE, json.dumps(values, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Folder:
        """Read it back.

        Raises:
          UserError: there is none, it is damaged, or the prompt is another one by now.
        """
        try:
            values = json.loads((path / _FILE).read_text(encoding="utf-8"))
            values |= {"path": path, "known": tuple(values["known"])}
            folder = cls(**values)
        except FileNotFoundError:
            raise UserError(f"{path} holds no requests; write them with `requests`") from None
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"{path / _FILE} is damaged: {error}") from None
        if (folder.version, folder.files) != (prompt.VERSION, prompt.files_hash()):
            raise UserError(f"{path} was asked by another prompt (version {folder.version})")
        return folder

    @functools.cached_property
    def briefs(self) -> tuple[prompt.Brief, ...]:
        """One a request: the skills in turn, no theme twice; of a learner of which nothing is known
        and, every other time, of one of the run's rounds in turn."""
        first, rounds = contexts("")[0], contexts(self.run)
        taken: set[str] = set()
        briefs = []
        for i in range(self.n):
            context = rounds[i // 2 % len(rounds)] if i % 2 else first
            context = dataclasses.replace(context, seed=self.seed)
            rng = prompt.rng_of(context, i)
            aim = prompt.aim(context, rng, skill=SKILLS[i % len(SKILLS)], without=taken)
            taken.add(aim.theme.text)
            briefs.append(prompt.brief_of(context, aim, rng, budget=self.budget))
        return tuple(briefs)

    def name(self, index: int) -> str:
        """Of a request: of its files and in its receipt."""
        return f"s{self.seed}q{index:03d}"

    def ideas_request(self, index: int) -> tuple[Request, Mapping[str, Any]]:
        """The request for ideas, and its prompt's receipt."""
        asked = prompt.ideas(self.briefs[index], count=self.ideas, known=self.known)
        return request_of(f"r0-ideas-{self.name(index)}", "ideas", asked.messages), asked.receipt

    def program_request(self, index: int, idea: prompt.Idea) -> tuple[Request, Mapping[str, Any]]:
        """The request for the program of an idea, and its prompt's receipt."""
        asked = prompt.program(self.briefs[index], idea)
        name = f"r0-program-{self.name(index)}"
        return request_of(name, "program", asked.messages), asked.receipt

    def repair_request(
        self,
        index: int,
        round: int,
        source: str,
        diagnostics: Sequence[Any],
        error: str,
        reason: str,
    ) -> tuple[Request, Mapping[str, Any]]:
        """The request to mend a refused text, and its prompt's receipt."""
        asked = prompt.repair(self.briefs[index], source, diagnostics, error, reason)
        name = f"r0-repair-{self.name(index)}-{round}"
        return request_of(name, "repair", asked.messages), asked.receipt


def request_of(id: str, kind: str, messages: tuple[Message, ...]) -> Request:
    """A request with the sampling that a run would use; a service may have its own."""
    config = LlmConfig()
    sampling = Sampling(config.temperature, config.top_p, max(config.max_tokens, 4096))
    return Request(id, kind, messages, sampling)


@functools.lru_cache(maxsize=4)
def contexts(run: str) -> tuple[Context, ...]:
    """What a generator was told in each round of a run; what it is told at first without one.

    Raises:
      UserError: there is no such run, or it has no finished round.
    """
    if not run:
        return (Context(0, 0, _seed_views({}), ()),)
    told = read_run(run)
    curator = told.config.get("curator", {})
    band = tuple(curator.get("band", (0.3, 0.7)))
    found = []
    for line in told.rounds:
        number = int(line["round"])
        success = {
            e["program_hash"]: float(e["mean"])
            for e in told.evaluations
            if int(e.get("round", 0)) <= number
        }
        inside: dict[str, PoolView] = {v.program_hash: v for v in _seed_views(success)}
        for change in told.pool_changes:
            if change.round > number:
                continue
            if change.change == "admit" and change.program is not None:
                entry = from_json(PoolEntry, change.program)
                inside[entry.program_hash] = _view(entry, success.get(entry.program_hash))
            elif change.change in ("evict", "quarantine") and change.program_hash in inside:
                view = inside[change.program_hash]
                inside[change.program_hash] = dataclasses.replace(view, active=False)
        profile = tuple(from_json(SkillEstimate, e) for e in line.get("profile", ()))
        target = float(curator.get("target", 0.5))
        found.append(Context(number, 0, tuple(inside.values()), profile, target, band))
    if not found:
        raise UserError(f"{run} has no finished round")
    return tuple(found)


def _view(entry: PoolEntry, success: float | None) -> PoolView:
    return PoolView(
        entry.program_hash,
        entry.behaviour_hash,
        entry.source,
        entry.name,
        entry.skills,
        success,
        entry.features,
        True,
    )


def _seed_views(success: Mapping[str, float]) -> tuple[PoolView, ...]:
    """The bundled seeds; their descriptors are left out, which the prompt can do without."""
    return tuple(
        PoolView(
            p.hashes.program, "", p.source, p.name, p.game.skills,
            success.get(p.hashes.program), (), True,
        )
        for p in library.seeds()
    )  # fmt: skip
