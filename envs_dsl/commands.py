"""What each command does with its parsed arguments; each gives the exit code.

Only what a command needs is imported, inside of it: ``check`` loads no array library.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs_dsl.program import Program

__all__ = [
    "Refused",
    "Usage",
    "builtins",
    "check",
    "fmt",
    "grammar",
    "mutate",
    "reference",
    "render",
    "run",
    "skills",
    "solve",
]


class Usage(Exception):
    """Wrong usage or a missing file: one line for the user, exit code 2."""


class Refused(Exception):
    """The answer is no: text for the user, exit code 1."""


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


def check(args: argparse.Namespace) -> int:
    """Diagnostics, cost and hashes of every file."""
    import dataclasses

    from envs_dsl.language.diagnostics import render as told
    from envs_dsl.program import check as read

    texts = [(path, _text(path)) for path in args.files]
    reports, ok = [], True
    for path, text in texts:
        found = read(text)
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
            print(told(found.diagnostics, text))
        if program is None:
            print(f"{path}: rejected")
        else:
            cost = ", ".join(f"{k} {v}" for k, v in dataclasses.asdict(program.cost).items())
            print(f"{path}: ok ({cost}; program {program.hashes.program})")
    if args.json:
        print(json.dumps(reports, indent=2))
    return 0 if ok else 1


def run(args: argparse.Namespace) -> int:
    """One episode, step by step."""
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


def render(args: argparse.Namespace) -> int:
    """Text, a picture, a contact sheet or an animation."""
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


def skills(args: argparse.Namespace) -> int:
    """Declared skills beside those that play exercises."""
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


def solve(args: argparse.Namespace) -> int:
    """A certificate; the answer is no when a level is proven unsolvable."""
    from envs_dsl.certify import Limits, certify

    program = _load(args.file)
    found = certify(program, range(args.seeds), Limits(states=args.budget))
    if args.json:
        print(json.dumps(found.as_json()))
    else:
        print("\n".join(found.as_text()))
    return 1 if found.count("unsolvable") else 0


def mutate(args: argparse.Namespace) -> int:
    """The text of a mutant."""
    from envs_dsl.mutate import OPERATORS
    from envs_dsl.mutate import mutate as mutant_of

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
    found = mutant_of(program, args.seed, args.operator, donor)
    if found is None:
        raise Refused(f"{args.file}: no mutant found with this seed and operator")
    print(found.source, end="")
    return 0


def fmt(args: argparse.Namespace) -> int:
    """Canonical text."""
    from envs_dsl.language.diagnostics import Diagnostics
    from envs_dsl.language.diagnostics import render as told
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
        raise Refused(f"{args.file}: not a program\n{told(out.result(), text)}")
    print(unparse(module, comments_of(text)), end="")
    return 0


def builtins(args: argparse.Namespace) -> int:
    """The fixed words and the table of builtins."""
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


def reference(args: argparse.Namespace) -> int:
    """The reference, whole or compact."""
    import pathlib

    from envs_dsl.reference import compact, page

    cases = pathlib.Path(args.cases or "tests/conformance")
    if args.cases and not cases.is_dir():
        raise Usage(f"{cases}: no such folder")
    text = compact() if args.compact else page(cases)
    print(text, end="")
    return 0


def grammar(args: argparse.Namespace) -> int:
    """The grammar in one of its spellings."""
    from envs_dsl.language.grammar import grammar as text_of

    print(text_of(args.format), end="")
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
