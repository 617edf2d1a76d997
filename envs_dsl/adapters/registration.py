"""Every bundled program under an id of gymnasium, and any other program without one."""

from __future__ import annotations

import functools
import os
from typing import Any

import gymnasium

from envs_dsl import library
from envs_dsl.adapters.adaptive import AdaptiveDifficulty, AdaptiveVectorDifficulty
from envs_dsl.adapters.single import SpadeGymEnv
from envs_dsl.adapters.vector import SpadeVectorEnv
from envs_dsl.adaptive import AdaptiveConfig
from envs_dsl.language.builtins import nearest_name
from envs_dsl.program import Program, load

__all__ = [
    "env_id",
    "env_ids",
    "make",
    "make_adaptive",
    "make_adaptive_vec",
    "make_vec",
    "register",
]

NAMESPACE = "Spade"


def env_id(name: str, adaptive: bool = False) -> str:
    """The id of a bundled program: ``key_door`` → ``Spade/KeyDoor-v0``.

    Raises:
      ValueError: there is no such program; the message names the nearest.
    """
    known = library.bundled()
    if name not in known:
        raise ValueError(f"no bundled program {name!r}: {_hint(name)}")
    camel = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    return f"{NAMESPACE}/{'Adaptive-' if adaptive else ''}{camel}-v0"


def env_ids(adaptive: bool = False) -> tuple[str, ...]:
    """The ids of all bundled programs, in order of their names."""
    return tuple(env_id(name, adaptive) for name in library.bundled())


def register() -> None:
    """Tell gymnasium the ids. Nothing is parsed or built before ``gymnasium.make`` asks for it.

    Importing ``envs_dsl.adapters`` does this.
    """
    here = "envs_dsl.adapters"
    for name in library.bundled():
        for adaptive in (False, True):
            identity = env_id(name, adaptive)
            if identity in gymnasium.registry:
                continue
            kind = "_adaptive" if adaptive else ""
            gymnasium.register(
                identity,
                entry_point=f"{here}:make{kind}",
                vector_entry_point=f"{here}:make{kind}_vec",
                kwargs={"program": name},
            )


def make(program: Program | str | os.PathLike[str], **kwargs: Any) -> SpadeGymEnv:
    """Any program as a ``gymnasium.Env``.

    Args:
      program: a checked program, the path of a file, or the name of a bundled one.
      **kwargs: for ``SpadeGymEnv`` (difficulty, render_mode).

    Raises:
      ProgramError: the file is not a program. OSError: it cannot be read.
      ValueError: there is no bundled program of that name (the nearest is named), or a bad
        argument.
    """
    return SpadeGymEnv(_program(program), **kwargs)


def make_vec(
    program: Program | str | os.PathLike[str], num_envs: int = 1, **kwargs: Any
) -> SpadeVectorEnv:
    """Any program as a ``gymnasium.vector.VectorEnv``; see ``make`` and ``SpadeVectorEnv``."""
    return SpadeVectorEnv(_program(program), num_envs, **kwargs)


def make_adaptive(
    program: Program | str | os.PathLike[str],
    config: AdaptiveConfig | None = None,
    **kwargs: Any,
) -> AdaptiveDifficulty:
    """Any program with levels whose difficulty follows success; see ``AdaptiveDifficulty``."""
    return AdaptiveDifficulty(make(program, **kwargs), config)


def make_adaptive_vec(
    program: Program | str | os.PathLike[str],
    num_envs: int = 1,
    config: AdaptiveConfig | None = None,
    **kwargs: Any,
) -> AdaptiveVectorDifficulty:
    """A batch with one difficulty that follows success; see ``AdaptiveVectorDifficulty``."""
    return AdaptiveVectorDifficulty(make_vec(program, num_envs, **kwargs), config)


def _program(program: Program | str | os.PathLike[str]) -> Program:
    if isinstance(program, Program):
        return program
    path = os.fspath(program)
    if path in library.bundled():
        return _bundled(path)
    if not path.endswith(".py") and os.sep not in path and not os.path.exists(path):
        raise ValueError(f"no bundled program {path!r}: {_hint(path)}")
    return load(path)


@functools.lru_cache(maxsize=256)
def _bundled(name: str) -> Program:
    return library.find(name)


def _hint(name: str) -> str:
    known = tuple(library.bundled())
    near = nearest_name(name, known)
    return f"did you mean {near!r}?" if near else "known: " + ", ".join(known)
