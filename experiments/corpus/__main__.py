"""``python -m experiments.corpus COMMAND``: the bundled collection of written programs."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from experiments._cli import run_command
from spade_jax.errors import unknown_name

ABOUT = """\
usage: python -m experiments.corpus COMMAND ...

The bundled collection of programs that a language model wrote (--generator corpus).

  check      examine it again: every gate, distances, coverage, receipts
  requests   write prompts for more to a folder
  add        take the answers of such a folder in
  probe      measure a policy on it, for the receipts

`python -m experiments.corpus COMMAND --help` says more.
"""

_COMMANDS = ("add", "check", "probe", "requests")


def main(argv: Sequence[str]) -> int:
    """Run one of the commands."""
    if not argv or argv[0] in ("-h", "--help"):
        print(ABOUT, end="")
        return 0 if argv else 2
    if argv[0] not in _COMMANDS:
        raise unknown_name("command", argv[0], _COMMANDS)
    # Imported when asked for: writing requests needs no executor, checking no prompt.
    command = importlib.import_module(f"experiments.corpus.{argv[0]}")
    return int(command.main(argv[1:]))


if __name__ == "__main__":
    run_command(main)
