"""Show what would be sent to a language model, and send nothing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from envs_dsl import Program
from experiments._cli import parse, run_command
from experiments._run import resumed
from spade_jax.errors import UserError, nearest
from spade_jax.generator.llm import prompt
from spade_jax.generator.llm.holes import holes
from spade_jax.types import Context, Outcome, PoolView, SkillEstimate, from_json

ABOUT = """\
Show what a language model would be asked in the next round of a run, or in the first round of a new
one. Nothing is sent. The first idea, and the program to edit or to repair, are stand-ins from the
bundled programs and the pool, where in a run they come from the model.

Examples:
  python -m experiments.prompt --fresh
  python -m experiments.prompt --fresh --kind ideas --budget 12000
  python -m experiments.prompt runs/a/coevo --kind edit --skill memory
  python -m experiments.prompt runs/a/coevo --json
"""

Kind = Literal["ideas", "program", "edit", "hole", "repair"]


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="[RUN]")] = None
    """Run folder; what its newest checkpoint knows is in the prompt."""
    fresh: bool = False
    """The first round of a new run instead: the bundled seeds, nothing measured yet."""
    kind: Kind = "program"
    """What is asked for."""
    budget: int = 2_500
    """Most tokens, by a cautious estimate (2,500 for small models, 12,000 for large ones)."""
    skill: str = ""
    """The skill that is wanted (default: drawn as a run would)."""
    seed: int = 0
    """Of what is drawn, with --fresh."""
    json: bool = False
    """Print messages and receipt as one JSON document."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.prompt", about=ABOUT)
    if (options.run is None) != options.fresh:
        raise UserError("name a run folder, or --fresh (not both)")
    context, outcomes = fresh(options.seed) if options.run is None else of_run(options.run)
    asked = ask(options, context, outcomes)
    if options.json:
        sent = [dataclasses.asdict(message) for message in asked.messages]
        print(json.dumps({"messages": sent, "receipt": asked.receipt}, indent=1))
        return 0
    for message in asked.messages:
        print(f"[{message.role}]\n{message.content}\n")
    print(f"[receipt]\n{json.dumps(asked.receipt, indent=1)}")
    return 0


def ask(options: Options, context: Context, outcomes: Sequence[Outcome]) -> prompt.Prompt:
    """The prompt of one kind.

    Raises:
      UserError: an unknown skill, or a budget that is too small.
    """
    rng = prompt.rng_of(context)
    try:
        aim = prompt.aim(context, rng, skill=options.skill or None)
    except ValueError as error:
        guess = nearest(options.skill, prompt.skill_weights(context))
        raise UserError(
            f"{error}" if guess is None else f"{error}; did you mean {guess}?"
        ) from None
    failures = prompt.recent_failures(outcomes)
    brief = prompt.brief_of(context, aim, rng, budget=options.budget, failures=failures)
    source, success = _some_program(context, aim.skill)
    try:
        match options.kind:
            case "ideas":
                return prompt.ideas(brief)
            case "program":
                return prompt.program(brief, _stand_in(aim))
            case "edit":
                return prompt.edit(brief, source, success=success)
            case "hole":
                places = holes(Program.from_source(source))
                return prompt.hole(brief, source, places[int(rng.integers(len(places)))])
            case "repair":
                return prompt.repair(brief, *_broken(source))
    except prompt.TooLong as error:
        raise UserError(str(error)) from None


def fresh(seed: int) -> tuple[Context, tuple[Outcome, ...]]:
    """What a generator is told in round 1 of a new run, but for measured success."""
    from envs_dsl.behaviour import behaviour
    from envs_dsl.library import seeds
    from spade_jax.executor.config import ExecutorConfig

    views = []
    for program in seeds():
        found = behaviour(program)
        features = tuple(float(f) for f in found.features)
        key, skills = program.hashes.program, program.game.skills
        views.append(
            PoolView(key, found.hash, program.source, program.name, skills, None, features, True)
        )
    return Context(
        round=1, seed=seed, pool=tuple(views), profile=(), limits=ExecutorConfig().limits
    ), ()


def of_run(folder: Path) -> tuple[Context, tuple[Outcome, ...]]:
    """What the generator is told in the round that the run would do next.

    Raises:
      UserError: there is no such run, or it has no checkpoint yet.
    """
    from spade_jax import checkpoint, curator
    from spade_jax.config import Config
    from spade_jax.run_state import context_at

    if not (folder / "config.yaml").is_file():
        raise UserError(f"{folder} is not a run folder (it has no config.yaml)")
    config = resumed(folder, Config())
    newest = checkpoint.latest(folder / "checkpoints")
    if newest is None:
        raise UserError(f"{folder} has no checkpoint yet; --fresh shows the prompt of a new run")
    meta: dict[str, Any] = json.loads((newest / "meta.json").read_text(encoding="utf-8"))
    profile = tuple(from_json(SkillEstimate, p) for p in meta["profile"])
    context = context_at(meta["round"], curator.from_state(meta["pool"]), profile, config)
    return context, tuple(from_json(Outcome, o) for o in meta["outcomes"])


def _stand_in(aim: prompt.Aim) -> prompt.Idea:
    return prompt.Idea(
        title=aim.theme.text,
        player="(what the model's idea says the player must do)",
        hard="(what makes it hard)",
        skills=(aim.skill,),
        theme=aim.theme.text,
        new="(what is new against the pool)",
    )


def _some_program(context: Context, skill: str) -> tuple[str, float | None]:
    """The shortest program of the pool, of the skill if there is one, and its success."""
    of_skill = [v for v in context.pool if skill in v.skills] or list(context.pool)
    if not of_skill:
        first = prompt.bundled_shots()[0]
        return first.source, None
    view = min(of_skill, key=lambda v: (len(v.source), v.program_hash))
    return view.source, view.success


def _broken(source: str) -> tuple[str, tuple[Any, ...]]:
    """A program with a slip, and what the checker says of it."""
    from envs_dsl import check

    text = source.replace("win()", "wins()", 1)
    return text, check(text).diagnostics


if __name__ == "__main__":
    run_command(main)
