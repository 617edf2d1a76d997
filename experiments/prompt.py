"""Show what would be sent to a language model, and send nothing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments._cli import parse, run_command
from experiments._run import resumed
from spade_jax.errors import UserError, nearest
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import prompt
from spade_jax.generator.llm.preview import Kind, model_of, preview
from spade_jax.generator.llm.writer import LanguageModel
from spade_jax.types import Context, Outcome, PoolView, SkillEstimate, from_json

ABOUT = """\
Show what a language model would be asked in the next round of a run, or in the first round of a new
one. Nothing is sent. It is made by what makes it in a run, from the state of the run's language
model (of one that knows nothing, where the run has none). Two things come from the model in a run:
the idea for a program, for which the theme stands here, and the draft to repair, for which a
program of the pool stands with a slip in it.

Shown is the first request of its kind in that round. Of which program a piece or a change is asked
depends on how many proposals the round has (--proposals: the run's candidates_per_round). In a
mixture the model is asked for a share of them, which is drawn when it is asked.

Examples:
  python -m experiments.prompt --fresh
  python -m experiments.prompt --fresh --kind ideas --budget 12000
  python -m experiments.prompt runs/a/coevo --kind edit --skill memory
  python -m experiments.prompt runs/a/coevo --json
"""


@dataclasses.dataclass(frozen=True)
class Options:
    run: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="[RUN]")] = None
    """Run folder; what its newest checkpoint knows is in the prompt."""
    fresh: bool = False
    """The first round of a new run instead: the bundled seeds, nothing measured yet."""
    kind: Kind = "program"
    """What is asked for."""
    budget: int | None = None
    """Most tokens, by a cautious estimate (default: the run's; 2,500 for small models, 12,000 for
    large ones)."""
    skill: str = ""
    """The skill that is wanted (default: drawn as a run would)."""
    proposals: int | None = None
    """How many the model is asked for in that round (default: the run's candidates_per_round; in a
    mixture the model gets a share of these)."""
    seed: int = 0
    """Of what is drawn, with --fresh."""
    json: bool = False
    """Print messages and receipt as one JSON document."""


def main(argv: Sequence[str]) -> int:
    options, _ = parse(Options(), argv, prog="python -m experiments.prompt", about=ABOUT)
    if (options.run is None) != options.fresh:
        raise UserError("name a run folder, or --fresh (not both)")
    if options.proposals is not None and options.proposals < 1:
        raise UserError("--proposals must be at least 1")
    if options.run is None:
        from spade_jax.config import Config

        model, context = model_of(fresh(options.seed)[0])
        n = Config().candidates_per_round
    else:
        model, context, n = of_run(options.run)
    if options.budget is not None:
        model.config = _with_budget(model.config, options.budget)
    asked = ask(options, model, context, options.proposals or n)
    if options.json:
        sent = [dataclasses.asdict(message) for message in asked.messages]
        print(json.dumps({"messages": sent, "receipt": asked.receipt}, indent=1))
        return 0
    for message in asked.messages:
        print(f"[{message.role}]\n{message.content}\n")
    print(f"[receipt]\n{json.dumps(asked.receipt, indent=1)}")
    return 0


def ask(options: Options, model: LanguageModel, context: Context, n: int) -> prompt.Prompt:
    """The prompt of one kind, in a round of ``n`` proposals.

    Raises:
      UserError: an unknown skill, or a budget that is too small.
    """
    try:
        return preview(model, context, options.kind, options.skill or None, n)
    except ValueError as error:
        guess = nearest(options.skill, prompt.skill_weights(context))
        hint = "" if guess is None else f"; did you mean {guess}?"
        raise UserError(f"{error}{hint}") from None


def _with_budget(config: LlmConfig, budget: int) -> LlmConfig:
    try:
        return dataclasses.replace(config, prompt_budget=budget)
    except ValueError as error:
        raise UserError(f"--budget: {error}") from None


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


def of_run(folder: Path) -> tuple[LanguageModel, Context, int]:
    """The language model of a run, what it is told in the round that the run would do next, and how
    many proposals that round has.

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
    outcomes = tuple(from_json(Outcome, o) for o in meta["outcomes"])
    model, told = model_of(context, config.llm, config.generator, meta["generator"], outcomes)
    return model, told, config.candidates_per_round


if __name__ == "__main__":
    run_command(main)
