"""Errors a person can act on: one line that says what, where, and the nearest valid thing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["UserError", "nearest", "unknown_name"]


class UserError(Exception):
    """Something the user can mend. Commands print it on one line and exit with ``exit_code``.

    ``exit_code`` is 2 for wrong usage or a missing file, 1 where the answer is "no".
    """

    def __init__(self, message: str, *, exit_code: int = 2):
        super().__init__(message)
        self.exit_code = exit_code


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like ``name``; None when nothing is at all like it."""
    names = sorted(known)
    folded = {n.casefold().replace("-", "_"): n for n in names}
    wanted = name.casefold().replace("-", "_")
    hits = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.5)
    if not hits:  # a field typed without its path: `num_envs` for `learner.num_envs`
        tails = [key for key in folded if key.rpartition(".")[2] == wanted]
        hits = tails[:1]
    return folded[hits[0]] if hits else None


def unknown_name(kind: str, name: str, known: Iterable[str], *, where: str = "") -> UserError:
    """The error for a name that does not exist: it offers the nearest, else lists what there is."""
    names = sorted(known)
    guess = nearest(name, names)
    hint = f"did you mean {guess!r}?" if guess else f"known: {', '.join(names)}"
    return UserError(f"{where + ': ' if where else ''}unknown {kind} {name!r}; {hint}")
