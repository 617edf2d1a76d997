"""``python -m spade_jax.executor FILE... [--json]``: the whole verdict on programs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from envs_dsl.program import MOST_BYTES
from spade_jax.executor import ExecutorConfig, Request, Sandbox, SandboxError
from spade_jax.types import Stage, Verdict, to_json

__all__ = ["main"]

_EXAMPLES = """\
examples:
  python -m spade_jax.executor my_game.py
  python -m spade_jax.executor envs/*.py --json --workers 2
  python -m spade_jax.executor my_game.py --policy runs/last/policy.npz
  python -m spade_jax.executor my_game.py --until trace

exit status: 0 every program passed, 1 at least one was rejected, 2 wrong usage or unreadable file
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the files of the command line in a sandbox; the exit status."""
    options = _parse(arguments)
    try:
        verdicts = _examine(options)
        if options.json:
            print(json.dumps([_document(verdict) for verdict in verdicts], indent=2))
        else:
            print("\n\n".join(_table(verdict) for verdict in verdicts))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 2
    return 0 if all(verdict.ok for verdict in verdicts) else 1


def _examine(options: argparse.Namespace) -> list[Verdict]:
    sources = [_read(path) for path in options.files]
    if options.policy is not None and not os.path.isfile(options.policy):
        raise FileNotFoundError(2, "No such file", options.policy)
    with Sandbox(ExecutorConfig(workers=min(options.workers, len(sources)), nice=0)) as box:
        if box.capabilities.missing:
            print(box.capabilities.line(), file=sys.stderr)
        requests = (
            Request(source, id=path, policy=options.policy, until=Stage(options.until))
            for path, source in zip(options.files, sources)
        )
        futures = [box.submit(request) for request in requests]
        return [future.result() for future in futures]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (see {self.prog} --help)\n")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="python -m spade_jax.executor",
        description="Examine programs in confined worker processes: is each fit to be trained on?",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="program in the language")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--workers", type=_positive, default=1, help="worker processes (1)")
    parser.add_argument("--policy", metavar="NPZ", help="policy to probe with (random legal play)")
    parser.add_argument(
        "--until", choices=[stage.value for stage in Stage], default="probe", help="last stage"
    )
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(MOST_BYTES).decode("utf-8", "replace")


def _document(verdict: Verdict) -> dict[str, Any]:
    data = to_json(verdict)
    return {"file": data.pop("proposal_id"), **data}


def _table(verdict: Verdict) -> str:
    """A verdict for a person, a line a stage."""
    head = f"{verdict.proposal_id}: {'ok' if verdict.ok else verdict.reason.value}"
    lines = [head if verdict.ok else f"{head}: {verdict.error}"]
    for stage in verdict.stages:
        mark = "ok  " if stage.ok else "FAIL"
        lines.append(
            f"  {mark} {stage.name.value:<12}{stage.seconds:8.3f} s  {_brief(stage.detail)}"
        )
    if verdict.program_hash:
        lines.append(
            f"  program {verdict.program_hash}  skeleton {verdict.skeleton_hash}"
            f"  {verdict.env_steps} environment steps"
        )
    return "\n".join(lines)


def _brief(detail: Any) -> str:
    parts = []
    for name, value in detail.items():
        if isinstance(value, float):
            parts.append(f"{name} {value:.3g}")
        elif isinstance(value, str | int):
            parts.append(f"{name} {value}")
        elif name == "rates":
            parts.append(", ".join(f"{key} {rate:.0%}" for key, rate in value.items()))
    return ", ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
