"""The commands: ``python -m envs_dsl check | run | render | solve | mutate | …``.

Exit code 0 on success, 1 when the answer is "no" (a program is rejected, no mutant was found), 2 on
wrong usage or a missing file. Only what a command needs is imported: ``check`` loads no array
library.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = ["main"]


class Usage(Exception):
    """Wrong usage or a missing file: one line for the user, exit code 2."""


class Refused(Exception):
    """The answer is no: text for the user, exit code 1."""


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
    except Usage as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Refused as error:
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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str, *examples: str) -> argparse.ArgumentParser:
        lines = [f"  python -m envs_dsl {name} {example}".rstrip() for example in examples]
        epilog = "examples:\n" + "\n".join(lines)
        return commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    check = command("check", "check programs, with cost and hashes", "game.py", "pool/*.py --json")
    check.add_argument("files", nargs="+", metavar="FILE", help="program text")
    check.add_argument("--json", action="store_true", help="one JSON document on stdout")
    check.set_defaults(command=_check)

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
    run.set_defaults(command=_run)

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
    render.set_defaults(command=_render)

    skills = command(
        "skills",
        "compare declared skills with what programs exercise",
        "game.py",
        "envs_dsl/library/*/*.py --json",
    )
    skills.add_argument("files", nargs="+", metavar="FILE", help="program text")
    skills.add_argument("--json", action="store_true", help="one JSON document on stdout")
    skills.set_defaults(command=_skills)

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
    solve.set_defaults(command=_solve)

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
    mutate.set_defaults(command=_mutate)

    fmt = command(
        "fmt", "print a program's canonical text", "game.py > tidy.py", "draft.py --fix > game.py"
    )
    fmt.add_argument("file", metavar="FILE", help="program text")
    fmt.add_argument(
        "--fix", action="store_true", help="first mend what is unambiguous; notices on stderr"
    )
    fmt.set_defaults(command=_fmt)

    builtins = command("builtins", "print the fixed words, operators and builtins", "")
    builtins.set_defaults(command=_builtins)

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
    grammar.set_defaults(command=_grammar)

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
        default="tests/conformance",
        help="conformance cases to link the rules to (tests/conformance, where it is there)",
    )
    reference.set_defaults(command=_reference)
    return parser


def _seed(text: str) -> int:
    value = int(text)
    if not 0 <= value < 1 << 64:
        raise argparse.ArgumentTypeError("a seed lies from 0 to 2**64 - 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return value


def _positive(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 65536:
        raise argparse.ArgumentTypeError("must be from 1 to 65536")
    return value


def _states(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 10**9:
        raise argparse.ArgumentTypeError("must be from 1 to 1000000000")
    return value


def _text(path: str) -> str:
    from envs_dsl.program import MOST_BYTES

    try:
        with open(path, "rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", errors="replace")
    except OSError as error:
        raise Usage(f"{path}: {error.strerror or error}") from None


def _load(path: str) -> Program:
    from envs_dsl.program import Program, ProgramError

    name = os.path.splitext(os.path.basename(path))[0]
    try:
        return Program.from_source(_text(path), name)
    except ProgramError as error:
        raise Refused(f"{path}: not a program\n{error.render()}") from None


# --- the commands ---------------------------------------------------------------------------------


def _check(args: argparse.Namespace) -> int:
    import dataclasses

    from envs_dsl.language.diagnostics import render
    from envs_dsl.program import check

    texts = [(path, _text(path)) for path in args.files]
    reports, ok = [], True
    for path, text in texts:
        found = check(text)
        ok = ok and found.ok
        program = found.program
        if args.json:
            reports.append(
                {
                    "file": path,
                    "ok": found.ok,
                    "diagnostics": [d.as_json() for d in found.diagnostics],
                    "cost": dataclasses.asdict(found.cost) if found.cost else None,
                    "hashes": dataclasses.asdict(program.hashes) if program else None,
                }
            )
            continue
        if found.diagnostics:
            print(render(found.diagnostics, text))
        if program is None:
            print(f"{path}: rejected")
        else:
            cost = ", ".join(f"{k} {v}" for k, v in dataclasses.asdict(program.cost).items())
            print(f"{path}: ok ({cost}; program {program.hashes.program})")
    if args.json:
        print(json.dumps(reports, indent=2))
    return 0 if ok else 1


def _run(args: argparse.Namespace) -> int:
    from envs_dsl import episode
    from envs_dsl.language.vocabulary import ACTIONS

    if (args.actions is None) == (args.policy is None):
        raise Usage("run needs either --actions or --policy")
    program = _load(args.file)
    if args.actions is not None:
        try:
            script = episode.parse_actions(args.actions, program.game.players)
        except ValueError as error:
            raise Usage(str(error)) from None
        actions = episode.scripted(script, args.batch)
        steps = len(script) if args.steps is None else min(args.steps, len(script))
    else:
        actions = episode.policy(program, args.policy, args.seed, args.batch)
        steps = program.game.max_steps if args.steps is None else args.steps
    result = episode.play(program, args.seed, actions, steps, args.backend, args.batch)
    if args.json:
        print(json.dumps(result.as_json()))
        return 0
    width = 6 * program.game.players
    for step in result.steps:
        end = step.outcome or ("truncated" if step.truncated else "")
        action = ":".join(ACTIONS[int(number)] for number in str(step.action).split(":"))
        print(f"{step.t:4d}  {action:<{width}}  reward {step.reward}  {end}".rstrip())
    print(f"return {result.total}  state {result.state_hash}")
    return 0


def _render(args: argparse.Namespace) -> int:
    from envs_dsl import episode
    from envs_dsl.render import render_rgb, render_text, save_gif, save_png

    if len(args.files) > 1 and args.png is None:
        raise Usage("several programs go on one page only with --png")
    steps = args.steps if args.steps is not None else (60 if args.gif is not None else 0)
    played = []
    for path in args.files:
        program = _load(path)
        actions = episode.policy(program, "random", args.seed, 1)
        play = episode.play(program, args.seed, actions, steps, "numpy", 1, keep=True)
        played.append((program, play.states))
    program, states = played[0]
    try:
        if args.ascii:
            print(render_text(program, states[-1]))
        elif args.gif is not None:
            save_gif(args.gif, [render_rgb(program, state) for state in states])
        elif len(played) == 1:
            save_png(args.png, render_rgb(program, states[-1]))
        else:
            from envs_dsl.render_sheet import contact_sheet, fitting_scale

            pictures = [
                (program.name, render_rgb(program, states[-1], 0, fitting_scale(program.game.size)))
                for program, states in played
            ]
            save_png(args.png, contact_sheet(pictures))
    except OSError as error:
        path = args.gif if args.png is None else args.png
        raise Usage(f"{path}: {error.strerror or error}") from None
    return 0


def _skills(args: argparse.Namespace) -> int:
    from envs_dsl.skills import agreement, compare

    found = [compare(_load(path)) for path in args.files]
    table = agreement(found)
    if args.json:
        document = {
            "programs": [c.as_json() for c in found],
            "skills": {skill: counts.as_json() for skill, counts in table.items()},
            "relabelled": sum(c.relabelled for c in found),
        }
        print(json.dumps(document, indent=2))
        return 0
    for c in found:
        print(f"{c.name}: declared {', '.join(c.declared) or 'nothing'}")
        for skill, why in c.verified.items():
            print(f"  {'+' if skill in c.missing else ' '} {skill}: {why}")
        for skill in c.unsupported:
            print(f"  - {skill}: nothing speaks for it")
    if len(found) > 1:
        print(f"{'skill':<14}both  verified  declared  precision  recall")
        for skill, n in table.items():
            shares = (f"{v:.2f}" if v is not None else "-" for v in (n.precision, n.recall))
            precision, recall = shares
            print(
                f"{skill:<14}{n.both:4d}{n.verified:10d}{n.declared:10d}{precision:>11}{recall:>8}"
            )
        print(f"{sum(c.relabelled for c in found)} of {len(found)} programs get other labels")
    return 0


def _solve(args: argparse.Namespace) -> int:
    from envs_dsl.certify import Limits, certify

    program = _load(args.file)
    found = certify(program, range(args.seeds), Limits(states=args.budget))
    if args.json:
        print(json.dumps(found.as_json()))
    else:
        print("\n".join(found.as_text()))
    return 1 if found.count("unsolvable") else 0


def _mutate(args: argparse.Namespace) -> int:
    from envs_dsl.mutate import OPERATORS, mutate

    if args.operator is not None and args.operator not in OPERATORS:
        from envs_dsl.language.builtins import nearest_name

        near = nearest_name(args.operator, OPERATORS)
        hint = f"did you mean {near}?" if near else "operators: " + ", ".join(OPERATORS)
        raise Usage(f"unknown operator {args.operator!r}: {hint}")
    program = _load(args.file)
    if args.donor is not None:
        donor = _load(args.donor)
    else:
        from envs_dsl import library

        alike = [p for p in library.seeds() if p.game.players == program.game.players]
        others = [p for p in alike if p != program] or library.seeds()
        donor = others[args.seed % len(others)]
    found = mutate(program, args.seed, args.operator, donor)
    if found is None:
        raise Refused(f"{args.file}: no mutant found with this seed and operator")
    print(found.source, end="")
    return 0


def _fmt(args: argparse.Namespace) -> int:
    from envs_dsl.language.diagnostics import Diagnostics, render
    from envs_dsl.language.parse import parse
    from envs_dsl.language.unparse import comments_of, unparse

    text, out = _text(args.file), Diagnostics()
    if args.fix:
        from envs_dsl.language.normalise import normalise

        text, notices = normalise(text)
        for line, what in notices:
            print(f"{args.file}:{line}: {what}", file=sys.stderr)
    module = parse(text, out)
    if module is None or out.has_errors:
        raise Refused(f"{args.file}: not a program\n{render(out.result(), text)}")
    print(unparse(module, comments_of(text)), end="")
    return 0


def _builtins(args: argparse.Namespace) -> int:
    from envs_dsl.language.builtins import BUILTINS, OPERATORS

    print("words")
    for name, text in _words():
        print(f"  {name:<14} {text}")
    group = ""
    for row in (*OPERATORS, *BUILTINS):
        if row.group != group:
            print(f"\n{row.group}")
            group = row.group
        for i, signature in enumerate(row.signatures):
            print(f"  {row.name:<14} {signature:<42} {row.doc if i == 0 else ''}".rstrip())
    return 0


def _reference(args: argparse.Namespace) -> int:
    import pathlib

    from envs_dsl import reference

    page = reference.compact() if args.compact else reference.page(pathlib.Path(args.cases))
    print(page, end="")
    return 0


def _grammar(args: argparse.Namespace) -> int:
    from envs_dsl.language.grammar import grammar

    print(grammar(args.format), end="")
    return 0


def _words() -> list[tuple[str, str]]:
    """The fixed words of the language, in lines that fit a terminal."""
    import textwrap

    from envs_dsl.language import vocabulary as fixed

    groups = (
        ("actions", [f"{number} {name}" for number, name in enumerate(fixed.ACTIONS)]),
        ("directions", fixed.DIRS),
        ("tags of a look", fixed.TAGS),
        ("colours", fixed.COLORS),
        ("skills", fixed.SKILLS),
    )
    lines = []
    for name, words in groups:
        parts = textwrap.wrap(", ".join(w.replace(" ", "\0") for w in words), 80)
        texts = [part.replace("\0", " ") for part in parts]
        lines += [(name if i == 0 else "", text) for i, text in enumerate(texts)]
    return lines


if __name__ == "__main__":
    sys.exit(main())
