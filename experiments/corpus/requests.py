"""``requests``: what a language model is asked, written to a folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import tyro

from experiments._cli import parse
from spade_jax.collecting import Folder, readable
from spade_jax.errors import UserError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.corpus import entries
from spade_jax.generator.llm.backends.batch import request_line
from spade_jax.records import write_atomic

__all__ = ["ABOUT", "Options", "main"]

ABOUT = """\
Write requests for programs to a folder: the prompts that a run would send, as a batch in OpenAI's
format, and once more as one page that can be read (read.md). What is asked for follows the rounds
of a run if one is given (every other request) and a learner of which nothing is known; the nine
skills take turns, and no theme comes twice.

Answer them with a batch service, its output in FOLDER/responses-*.jsonl, or by hand, one file a
request in FOLDER/answers/; then run `add`.

Examples:
  python -m experiments.corpus requests --n 120 --out asked
  python -m experiments.corpus requests --n 20 --seed 7 --run runs/a/coevo --out asked
"""


@dataclasses.dataclass(frozen=True)
class Options:
    out: Annotated[Path, tyro.conf.arg(metavar="FOLDER")]
    """Folder to write to; a new one, or one that has no requests yet."""
    n: int = 20
    """How many."""
    seed: int = 0
    """Of the draws; another seed asks for other themes."""
    run: Path | None = None
    """Run folder: the requests are those of its rounds."""
    budget: int = 6_000
    """Most tokens of a prompt."""
    model: str = "any"
    """Model that the batch names."""


def main(argv: Sequence[str]) -> int:
    """Run the command."""
    options, _ = parse(
        Options(tyro.MISSING), argv, prog="python -m experiments.corpus requests", about=ABOUT
    )
    if (options.out / "folder.json").exists():
        raise UserError(f"{options.out} holds requests already; name another folder")
    if not 1 <= options.n <= 300:
        raise UserError(f"--n {options.n}: 1 to 300, there are no more themes")
    titles = tuple(str(e.receipt.get("idea", {}).get("title", e.name)) for e in entries())
    folder = Folder(
        options.out,
        "" if options.run is None else str(options.run),
        options.seed,
        options.n,
        options.budget,
        known=titles,
    )
    asked = [folder.ideas_request(i)[0] for i in range(folder.n)]
    folder.save()
    lines = [request_line(request, options.model, LlmConfig()) for request in asked]
    write_atomic(options.out / "requests-ideas.jsonl", "\n".join(lines) + "\n")
    write_atomic(options.out / "read.md", readable(folder))
    (options.out / "answers").mkdir(exist_ok=True)
    print(f"{folder.n} requests in {options.out}: requests-ideas.jsonl, and read.md to read them")
    return 0
