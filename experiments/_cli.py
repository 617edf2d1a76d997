"""What every command shares: exit codes, one-line errors, flags made from dataclasses by tyro."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import io
import math
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn

import tyro

from spade_jax.errors import UserError, nearest

__all__ = ["INTERRUPTED", "parse", "parse_known", "run_command"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def run_command(
    command: Callable[[Sequence[str]], int], argv: Sequence[str] | None = None
) -> NoReturn:
    """Run ``command(arguments)`` and exit with its code; any error becomes one line on stderr.

    0 success, 1 the answer is "no" (or something failed), 2 wrong usage or a missing file,
    75 the run waits for answers that somebody has to bring, 130 interrupted. The traceback of an
    unexpected error goes to a file that the line names.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a display without some sign stops no run
            stream.reconfigure(errors="replace")
    try:
        code = command(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except UserError as error:
        code = _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        code = _say("interrupted", INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe went away (`… | head`)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        code = _say(*_os_error(error))
    except Exception as error:
        if "No space left on device" in str(error):  # as array-storage libraries report it
            code = _say(_disk_full(None), 1)
        else:
            code = _say(_unexpected(error), 1)
    sys.exit(code)


def _say(message: str, code: int) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return code


def _os_error(error: OSError) -> tuple[str, int]:
    if error.errno in _FULL:
        return _disk_full(error.filename), 1
    where = f": {error.filename}" if error.filename else ""
    usage = isinstance(
        error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError
    )
    return f"{error.strerror or error}{where}", 2 if usage else 1


def _disk_full(path: str | None) -> str:
    where = f" while writing {path}" if path else ""
    return f"disk full{where}; free some space, then go on with the same command and --resume"


def _unexpected(error: Exception) -> str:
    handle, path = tempfile.mkstemp(prefix="spade-error-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        traceback.print_exception(error, file=file)
    return f"unexpected {type(error).__name__}: {str(error)[:300]} (traceback in {path})"


# --- flags from dataclasses ---------------------------------------------------------------------

_REGISTRY = tyro.constructors.ConstructorRegistry()
_TRUE, _FALSE = ("on", "true", "yes", "1"), ("off", "false", "no", "0")


@_REGISTRY.primitive_rule
def _switch(info: tyro.constructors.PrimitiveTypeInfo) -> Any:
    """Switches of a configuration read `--adaptive on` or `--adaptive off`."""
    if info.type is not bool:
        return None

    def read(args: list[str]) -> bool:
        word = args[0].lower()
        if word not in _TRUE + _FALSE:
            raise ValueError(f"{args[0]!r} is neither on nor off")
        return word in _TRUE

    return tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="{on,off}",
        instance_from_str=read,
        is_instance=lambda value: isinstance(value, bool),
        str_from_instance=lambda value: ["on" if value else "off"],
    )


def parse_known(options: Any, argv: Sequence[str]) -> tuple[Any, list[str]]:
    """Read the flags of ``options`` (an instance holding the defaults); the rest is handed back."""
    words = [word for word in argv if word not in ("-h", "--help")]
    with _one_line():
        return tyro.cli(
            type(options),
            default=options,
            args=words,
            return_unknown_args=True,
            add_help=False,
            registry=_REGISTRY,
        )


def parse(
    options: Any, argv: Sequence[str], *, prog: str, about: str, config: Any = None
) -> tuple[Any, Any]:
    """Read a command line into ``(options, config)``.

    Args:
      options: dataclass instance with the defaults of the command's own flags.
      argv: the arguments. prog: `python -m …`. about: shown by --help; ends with examples.
      config: dataclass instance whose every field may be overridden, nested ones by
        `--learner.name value`; None for commands without a configuration.

    Raises:
      UserError: an unknown flag (with the nearest valid one) or a bad value.
      SystemExit: after --help.
    """
    parts = [options] if config is None else [options, config]
    _check_flags(parts, argv, prog)
    own: Any = type(options)
    fields: list[Any] = [
        (
            "options",
            Annotated[own, tyro.conf.arg(name=""), tyro.conf.FlagCreatePairsOff],
            dataclasses.field(),
        ),
    ]
    if config is not None:
        theirs: Any = type(config)
        kind = Annotated[theirs, tyro.conf.arg(name=""), tyro.conf.FlagConversionOff]
        fields.append(("config", kind, dataclasses.field()))
    whole = dataclasses.make_dataclass("Arguments", fields, frozen=True)
    with _one_line():
        result = tyro.cli(
            whole,
            prog=prog,
            description=about,
            default=whole(*parts),
            args=list(argv),
            registry=_REGISTRY,
        )
    settings = getattr(result, "config", None)
    if settings is not None:
        _check_finite(settings)
    return result.options, settings


def flag_names(instance: Any, prefix: str = "") -> list[str]:
    """The flags of a dataclass instance, without dashes: ``seed``, ``learner.num-envs``, …"""
    names: list[str] = []
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        name = f"{prefix}{field.name.replace('_', '-')}"
        if dataclasses.is_dataclass(value):
            names += flag_names(value, f"{name}.")
        else:
            names.append(name)
    return names


def _check_flags(parts: Sequence[Any], argv: Sequence[str], prog: str) -> None:
    known = {"help", *(name for part in parts for name in flag_names(part))}
    for word in argv:
        if re.fullmatch(r"--[A-Za-z][\w.-]*(=.*)?", word, re.DOTALL):
            name = word[2:].split("=", 1)[0]
            if name.replace("_", "-") not in known:
                guess = nearest(name, known)
                hint = f"did you mean --{guess}?" if guess else f"see {prog} --help"
                raise UserError(f"unknown option --{name}; {hint}")


def _check_finite(settings: Any, prefix: str = "") -> None:
    """Refuse inf and nan, which a configuration file cannot say either: none would be resumed."""
    for field in dataclasses.fields(settings):
        value, name = getattr(settings, field.name), f"{prefix}{field.name.replace('_', '-')}"
        if dataclasses.is_dataclass(value):
            _check_finite(value, f"{name}.")
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, float) and not math.isfinite(part):
                raise UserError(f"--{name} is {part}; it must be a finite number")


@contextlib.contextmanager
def _one_line() -> Any:
    """Turn the box that tyro prints about a bad argument into a one-line UserError."""
    captured = io.StringIO()
    try:
        with contextlib.redirect_stderr(captured):
            yield
    except ValueError as error:  # a check of the outermost dataclass; tyro reports nested ones
        raise UserError(str(error)) from None
    except SystemExit as stop:
        if not stop.code:
            raise
        text = re.sub(r"\x1b\[[0-9;]*m|[╭╮╰╯│─┌┐└┘]|-{4,}", " ", captured.getvalue())
        text = re.split(r"For full helptext|Argument helptext|Full helptext", text)[0]
        text = re.sub(
            r"^\s*(Parsing error|Value error|Required options|Unrecognized options)", "", text
        )
        text = re.sub(r"^Error parsing config(\.\w+)*: ", "", " ".join(text.split()))
        raise UserError(text or "bad arguments") from None
