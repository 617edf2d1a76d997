"""The commands: ``python -m envs_dsl check | run | render | solve | mutate | …``.

Exit code 0 on success, 1 when the answer is "no" (a program is rejected, no mutant was found), 2 on
wrong usage or a missing file.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from envs_dsl import commands

__all__ = ["main"]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    args = _parser().parse_args(argv)
    try:
        return int(args.command(args))
    except commands.Usage as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except commands.Refused as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # files are opened elsewhere: this is standard output
        print(f"error: {error.strerror or error}", file=sys.stderr)
        return 2
    except Exception as error:
        if os.environ.get("SPADE_TRACEBACK"):
            raise
        what = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"error: internal fault: {what} (SPADE_TRACEBACK=1 shows more)", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m envs_dsl",
        description="Environments as programs: check, play, draw and mutate them.",
        epilog="examples:\n"
        "  python -m envs_dsl check game.py\n"
        "  python -m envs_dsl render game.py --ascii\n"
        "  python -m envs_dsl run --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str, *examples: str) -> argparse.ArgumentParser:
        lines = [f"  python -m envs_dsl {name} {example}".rstrip() for example in examples]
        epilog = "examples:\n" + "\n".join(lines)
        return known.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    for add in (_add_play, _add_judges, _add_texts, _add_language):
        add(command)
    return parser


_Command = Callable[..., argparse.ArgumentParser]
"""Name, what it does, examples → its parser."""


def _add_play(command: _Command) -> None:
    """Commands that look at a program as it is."""
    check = command("check", "check programs, with cost and hashes", "game.py", "pool/*.py --json")
    check.add_argument("files", nargs="+", metavar="FILE", help="program text")
    check.add_argument("--json", action="store_true", help="one JSON document on stdout")
    check.set_defaults(command=commands.check)

    run = command(
        "run",
        "play one episode",
        "game.py --seed 1 --policy random --json",
        "game.py --seed 1 --actions 4,4,2,0 --backend jax",
        "duel.py --actions 1:2,0:4   (two seats)",
    )
    run.add_argument("file", metavar="FILE", help="program text")
    run.add_argument("--seed", type=_seed, default=0, metavar="N", help="of level and play (0)")
    run.add_argument(
        "--steps", type=_count, metavar="N", help="stop after N steps (at the episode's end)"
    )
    run.add_argument(
        "--actions",
        metavar="A,B,...",
        help="action numbers 0-19, seats as a:b; `builtins` lists the actions",
    )
    run.add_argument("--policy", choices=("random", "noop"), help="random legal actions, or STAY")
    run.add_argument(
        "--backend", choices=("numpy", "jax"), default="numpy", help="what runs it (numpy)"
    )
    run.add_argument("--batch", type=_positive, default=1, metavar="B", help="copies to run along")
    run.add_argument("--json", action="store_true", help="one JSON document on stdout")
    run.set_defaults(command=commands.run)

    render = command(
        "render",
        "show a level, or random play on it",
        "game.py --seed 1 --ascii",
        "game.py --seed 1 --steps 40 --gif play.gif",
        "pool/*.py --png pool.png   (a contact sheet)",
    )
    render.add_argument("files", nargs="+", metavar="FILE", help="program text; several with --png")
    render.add_argument("--seed", type=_seed, default=0, metavar="N", help="of level and play (0)")
    render.add_argument("--steps", type=_count, metavar="N", help="random steps before (0; GIF 60)")
    kind = render.add_mutually_exclusive_group(required=True)
    kind.add_argument("--ascii", action="store_true", help="text on stdout")
    kind.add_argument("--png", metavar="OUT", help="picture of the last state")
    kind.add_argument("--gif", metavar="OUT", help="animation of the play")
    render.set_defaults(command=commands.render)


def _add_judges(command: _Command) -> None:
    """Commands that say what is true of a program."""
    skills = command(
        "skills",
        "compare declared skills with what programs exercise",
        "game.py",
        "envs_dsl/library/*/*.py --json",
    )
    skills.add_argument("files", nargs="+", metavar="FILE", help="program text")
    skills.add_argument("--json", action="store_true", help="one JSON document on stdout")
    skills.set_defaults(command=commands.skills)

    solve = command(
        "solve",
        "search levels for a win",
        "game.py --seeds 20",
        "game.py --budget 1000000 --json",
    )
    solve.description = (
        "Search levels for a win. Exit code 1 when a level is proven unsolvable; 0 when all are "
        "solved, or unknown within the budget."
    )
    solve.add_argument("file", metavar="FILE", help="program text")
    solve.add_argument(
        "--seeds", type=_positive, default=1, metavar="N", help="levels 0 to N-1 (1)"
    )
    solve.add_argument(
        "--budget",
        type=_states,
        default=200_000,
        metavar="STATES",
        help="successor states computed in a search (200000)",
    )
    solve.add_argument("--json", action="store_true", help="one JSON document on stdout")
    solve.set_defaults(command=commands.solve)


def _add_texts(command: _Command) -> None:
    """Commands that make another text of a program."""
    mutate = command(
        "mutate",
        "write a mutated program",
        "game.py --seed 3",
        "game.py --seed 3 --operator resize",
    )
    mutate.add_argument("file", metavar="FILE", help="program text")
    mutate.add_argument("--seed", type=_seed, default=0, metavar="N", help="of every choice (0)")
    mutate.add_argument(
        "--operator", metavar="NAME", help="by default one is drawn; a wrong name lists them"
    )
    mutate.add_argument(
        "--donor", metavar="FILE", help="what graft takes from (default: a bundled program)"
    )
    mutate.set_defaults(command=commands.mutate)

    fmt = command(
        "fmt", "print a program's canonical text", "game.py > tidy.py", "draft.py --fix > game.py"
    )
    fmt.add_argument("file", metavar="FILE", help="program text")
    fmt.add_argument(
        "--fix", action="store_true", help="first mend what is unambiguous; notices on stderr"
    )
    fmt.set_defaults(command=commands.fmt)


def _add_language(command: _Command) -> None:
    """Commands that tell of the language."""
    builtins = command("builtins", "print the fixed words, operators and builtins", "")
    builtins.set_defaults(command=commands.builtins)

    grammar = command(
        "grammar",
        "print the grammar, for engines that hold a model to it",
        "> envs_dsl.lark",
        "--format gbnf > envs_dsl.gbnf",
    )
    grammar.add_argument(
        "--format",
        choices=("lark", "gbnf"),
        default="lark",
        help="lark (Lark, llguidance) or gbnf (llama.cpp and others)",
    )
    grammar.set_defaults(command=commands.grammar)

    reference = command(
        "reference",
        "print the language reference",
        "> docs/language.md",
        "--compact   (what prompts use)",
    )
    reference.add_argument("--compact", action="store_true", help="the short form for prompts")
    reference.add_argument(
        "--cases",
        metavar="DIR",
        help="conformance cases to link the rules to (tests/conformance, where it is there)",
    )
    reference.set_defaults(command=commands.reference)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _seed(text: str) -> int:
    value = _whole(text)
    if not 0 <= value < 1 << 64:
        raise argparse.ArgumentTypeError("a seed lies from 0 to 2**64 - 1")
    return value


def _count(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def _positive(text: str) -> int:
    value = _whole(text)
    if not 1 <= value <= 65536:
        raise argparse.ArgumentTypeError("must be from 1 to 65536")
    return value


def _states(text: str) -> int:
    value = _whole(text)
    if not 1 <= value <= 10**9:
        raise argparse.ArgumentTypeError("must be from 1 to 1000000000")
    return value


if __name__ == "__main__":
    sys.exit(main())
