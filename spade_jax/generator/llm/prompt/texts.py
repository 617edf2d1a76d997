"""The prompt's text: templates and words, read from files beside this module, and their hash."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any

import jinja2
import yaml

from spade_jax.generator.llm.prompt.quote import fenced

__all__ = ["VERSION", "files_hash", "render", "words"]

VERSION = "3"
"""Of the prompt; raised with every change of wording or order that should be told apart."""

_PACKAGE = "spade_jax.generator.llm.prompt"


def render(template: str, **values: Any) -> str:
    """A template of ``templates/``, filled in; values are never read as templates themselves."""
    return _environment().get_template(f"{template}.j2").render(**values).strip()


@functools.cache
def words() -> Mapping[str, Any]:
    """The tables of ``words.yaml``: skills, mechanisms, simple, levers, advice."""
    return yaml.safe_load(_read("words.yaml"))


@functools.cache
def files_hash() -> str:
    """16 hexadecimal digits over the version and every file that the prompt is made from."""
    hasher = hashlib.sha256(VERSION.encode())
    folder = resources.files(_PACKAGE) / "templates"
    names = sorted(f"templates/{f.name}" for f in folder.iterdir() if f.name.endswith(".j2"))
    for name in (*names, "words.yaml", "themes.txt"):
        hasher.update(f"\0{name}\0{_read(name)}".encode())
    return hasher.hexdigest()[:16]


def _read(name: str) -> str:
    return (resources.files(_PACKAGE) / name).read_text(encoding="utf-8")


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(_PACKAGE, "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # plain text: quoting is by fences
    )
    environment.filters["fenced"] = fenced
    environment.filters["percent"] = _percent
    return environment
