"""The bundled programs: ``seeds`` to train on, ``heldout_dev`` only to measure with, ``games``
and ``ports`` to compare with and to read.

All are folders of plain program text beside this file; nothing here is ever executed as Python. A
function reads each of them, so that a training path which only knows ``seeds`` cannot touch the
other sets.
"""

from __future__ import annotations

import functools
import importlib.resources
from typing import Literal, get_args

from envs_dsl.language.builtins import nearest_name
from envs_dsl.program import Program

__all__ = ["bundled", "find", "games", "heldout_dev", "names", "ports", "seeds"]

Folder = Literal["seeds", "heldout_dev", "games", "ports"]


def seeds() -> list[Program]:
    """The seed programs, sorted by name: easy, each a skeleton of its own.

    Returns:
      A new list of shared, frozen programs.

    Raises:
      ProgramError: a bundled file does not check (a defect of the installation).
    """
    return list(_load("seeds"))


def heldout_dev() -> list[Program]:
    """The held-out development programs, sorted by name: for measurement, **never for training**.

    Their families are not among the seeds. Giving one of them to a generator (as an example, a
    parent or a donor) or to a learner makes every held-out figure meaningless: only the held-out
    evaluation may call this.

    Returns:
      A new list of shared, frozen programs.

    Raises:
      ProgramError: a bundled file does not check (a defect of the installation).
    """
    return list(_load("heldout_dev"))


def games() -> list[Program]:
    """Games that people know, sorted by name: to read, to play and to show what can be said.

    They are not training material unless somebody asks for them: some are relatives of the
    held-out families.

    Returns:
      A new list of shared, frozen programs.

    Raises:
      ProgramError: a bundled file does not check (a defect of the installation).
    """
    return list(_load("games"))


def ports() -> list[Program]:
    """Well-known environments of other packages, rule for rule, sorted by name: to compare with.

    They are not training material. Docstring and comments say which moves and verbs stand for the
    original's actions. ``State.score`` is the original's return times a fixed unit; the reward is
    bounded as everywhere. Where the original has no win, the parameter ``GOAL``, beyond reach as
    declared, can set one.

    Returns:
      A new list of shared, frozen programs.

    Raises:
      ProgramError: a bundled file does not check (a defect of the installation).
    """
    return list(_load("ports"))


def names(folder: Folder = "seeds") -> tuple[str, ...]:
    """The sorted program names of a folder, without parsing anything.

    Raises:
      ValueError: ``folder`` is not one of the four.
    """
    if folder not in get_args(Folder):
        known = ", ".join(repr(name) for name in get_args(Folder)[:-1])
        raise ValueError(f"library folder {folder!r}: use {known} or {get_args(Folder)[-1]!r}")
    return tuple(sorted(_texts(folder)))


def bundled() -> dict[str, str]:
    """Every bundled program: name → folder, in order of the names; nothing is parsed.

    Names are unique over all folders, also those with functions of their own above.
    """
    return dict(_folders())


def find(name: str) -> Program:
    """One bundled program, whatever its folder; a held-out one is still for measurement only.

    Raises:
      ValueError: there is no such program; the message names the nearest one.
    """
    folder = bundled().get(name)
    if folder is None:
        near = nearest_name(name, bundled())
        hint = f"did you mean {near!r}?" if near else "known: " + ", ".join(bundled())
        raise ValueError(f"no bundled program {name!r}: {hint}")
    return Program.from_source(_texts(folder)[name], name=name)


@functools.cache
def _folders() -> dict[str, str]:
    root = importlib.resources.files(__name__)
    folders = sorted(entry.name for entry in root.iterdir() if entry.is_dir())
    found = {name: folder for folder in folders for name in _texts(folder)}
    return dict(sorted(found.items()))


@functools.cache
def _load(folder: Folder) -> tuple[Program, ...]:
    texts = _texts(folder)
    return tuple(Program.from_source(texts[name], name=name) for name in sorted(texts))


@functools.cache
def _texts(folder: str) -> dict[str, str]:
    root = importlib.resources.files(__name__) / folder
    return {
        entry.name.removesuffix(".py"): entry.read_text(encoding="utf-8")
        for entry in root.iterdir()
        if entry.name.endswith(".py")
    }
