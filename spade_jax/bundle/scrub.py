"""Taking out of a run's records what names a machine or a person, and whatever looks like a key.

The same text becomes the same replacement in every file, so that a run is still done again from
what is left: a model that was asked for by its folder has one name in the configuration, in the
exchanges and on its programs.
"""

from __future__ import annotations

import dataclasses
import getpass
import os
import re
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spade_jax.errors import UserError
from spade_jax.generator import generator_names
from spade_jax.generator.specs import parts_of

__all__ = ["Machine", "Scrubber", "clean_config"]

_FOLDERS = {"compilation_cache": "auto", "executor": {"temp_dir": "", "compilation_cache": ""}}
"""Settings that name a folder of the machine and change no result, with their defaults."""

_WRITTEN = frozenset({"source", "content", "doc"})
"""Fields that hold programs or prompts: a slash in there divides."""

_PART = r"[^\s\"'`<>|:;,()\[\]{}+@/\\*]+"
_ABSOLUTE = rf"(?:(?<![\w/.<)\]-])~?|(?<=file://))(?:/{_PART}){{2,}}/?"
_HOME = re.compile(r"/(?:home|Users|root|export/home)/[^/]+")
_KEYS = (
    r"\b(?:sk-[\w-]{20,}|hf_[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|AIza[\w-]{30,})"
    r"|(?<=Bearer )[\w.~+/=-]{16,}"
)
_SHORTEST_KEY = 8
_NOBODY = frozenset({"admin", "jovyan", "localhost", "nobody", "root", "runner", "ubuntu", "user"})
"""Names that a thousand machines have."""


@dataclasses.dataclass(frozen=True)
class Machine:
    """What must not be told of the machine that exports.

    Attributes:
      user, host: names, "" where they are unknown or say nothing.
      folders: absolute paths. keys: secrets of the environment.
    """

    user: str = ""
    host: str = ""
    folders: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def here(cls, run: Path, key_variable: str = "") -> Machine:
        """This one. ``key_variable``: of the environment, which holds a server's key."""
        try:
            user = getpass.getuser()
        except (KeyError, OSError):  # a number without a name, as in containers
            user = ""
        home = Path(os.path.expanduser("~"))
        places = [run, Path.cwd(), home, Path(__file__).parents[2], Path(sys.prefix)]
        folders = {str(p) for place in places for p in (place.absolute(), place.resolve())}
        key = os.environ.get(key_variable, "").strip() if key_variable else ""
        host = socket.gethostname().partition(".")[0]
        return cls(
            user="" if user.lower() in _NOBODY else user,
            host="" if host.lower() in _NOBODY else host,
            folders=(*sorted(folders - {"/"}), tempfile.gettempdir()),
            keys=(key,) if len(key) >= _SHORTEST_KEY else (),
        )


class Scrubber:
    """Replaces, alike wherever it is met, what a bundle must not hold.

    Paths become ``PATH/NAME``, ``PATH-2/NAME`` where that is another one; keys ``[key]``; the
    machine's and the user's name, where they stand in an address, ``HOST`` and ``USER``; words that
    a person named, ``HIDDEN``. In programs, prompts and answers only the paths of this machine and
    of the configuration are looked for.

    Args:
      machine: what this machine is called. paths: further ones, as they are written. hide: words.
    """

    def __init__(
        self, machine: Machine, paths: Iterable[str] = (), hide: Sequence[str] = ()
    ) -> None:
        self.replaced: Counter[str] = Counter()
        """How often what kind of thing was replaced: "path", "key", "name", "word"."""
        self._names: dict[str, str] = {}
        self._folders = frozenset(machine.folders)
        own = sorted({*paths, *(f for f in machine.folders if f.count("/") > 1)}, key=len)
        local = "|".join(rf"{re.escape(p)}(?![\w-])(?:/{_PART})*/?" for p in reversed(own))
        keys = "|".join([*map(re.escape, machine.keys), _KEYS])
        words = "|".join(rf"(?<!\w){re.escape(w)}(?!\w)" for w in hide)
        always = {"key": keys, "word": words, "path": local}
        self._hidden = re.compile(words or r"(?!)")
        self._written = _pattern(always)
        anywhere = f"{local}|{_ABSOLUTE}" if local else _ABSOLUTE
        names = {"host": _host(machine.host), "user": _user(machine.user)}
        self._said = _pattern({**always, "path": anywhere, **names})

    def text(self, text: str, *, written: bool = False) -> str:
        """The text without it. ``written``: it is a program, a prompt or an answer."""
        return (self._written if written else self._said).sub(self._instead, text)

    def value(self, value: Any, key: str = "", within: str = "") -> Any:
        """A JSON value without it. ``key``: the field it is in; ``within``: the field of that."""
        if isinstance(value, str):
            answer = key == "response" or (key, within) == ("text", "response")
            return self.text(value, written=answer or key in _WRITTEN)
        if isinstance(value, Mapping):
            # a name of another version's configuration may be a number
            pairs = [(str(k), v) for k, v in value.items()]
            return {self.text(k): self.value(v, k, key) for k, v in pairs}
        if isinstance(value, list):
            return [self.value(v, key, within) for v in value]
        return value

    def _instead(self, found: re.Match[str]) -> str:
        kind = str(found.lastgroup)
        self.replaced["name" if kind in ("host", "user") else kind] += 1
        if kind != "path":
            return {"key": "[key]", "host": "HOST", "user": "USER", "word": "HIDDEN"}[kind]
        path = found[0].rstrip("/")
        if path not in self._names:
            # The last part of a home is a person's name.
            named = path not in self._folders and not _HOME.fullmatch(path)
            last = f"/{self._hidden.sub('HIDDEN', path.rpartition('/')[2])}" if named else ""
            taken, number = set(self._names.values()), 1
            while (name := f"PATH{f'-{number}' if number > 1 else ''}{last}") in taken:
                number += 1
            self._names[path] = name
        return self._names[path]


def clean_config(config: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A configuration with the defaults for folders of the machine, and the paths left in it.

    Those are in ``generator``; ``Scrubber`` knows a path with a blank in it only if it is told.
    """
    clean = _defaults(config, _FOLDERS)
    return clean, tuple(_paths(str(config.get("generator", ""))))


def _defaults(config: Mapping[str, Any], folders: Mapping[str, Any]) -> dict[str, Any]:
    clean = dict(config)
    for key, default in folders.items():
        value = clean.get(key)
        if isinstance(default, Mapping) and isinstance(value, Mapping):
            clean[key] = _defaults(value, default)
        elif isinstance(value, str) and ("/" in value or value.startswith("~")):
            clean[key] = default
    return clean


def _paths(spec: str) -> Iterable[str]:
    try:
        parts = parts_of(spec, generator_names())
    except UserError:
        return
    for part in parts:
        what = part.removeprefix("llm:").partition(":")[2]
        if what.startswith(("/", "~")):
            yield what


def _pattern(kinds: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{kind}>{p})" for kind, p in kinds.items() if p))


def _host(name: str) -> str:
    """Where it is an address: between ``//`` or ``@`` and what may follow, or before a port."""
    full = rf"{re.escape(name)}(?:\.[\w-]+)*"
    after = rf"(?:(?<=//)|(?<=@)){full}(?![\w-])"
    return rf"{after}|(?<![\w.-]){full}(?=:\d)" if name else ""


def _user(name: str) -> str:
    return rf"(?<![\w.-]){re.escape(name)}(?=@)" if name else ""
