"""All originals whose packages are installed."""

from __future__ import annotations

import importlib
import importlib.util

from .trace import Original

__all__ = ["MODULES", "installed", "missing"]

MODULES = {"gymnax": "GYMNAX", "minigrid": "MINIGRID", "xminigrid": "XMINIGRID"}
"""Packages, and what the module of each in this folder calls its originals."""


def missing() -> list[str]:
    """The packages that are not there; the extra ``[ports]`` installs them."""
    return [name for name in MODULES if importlib.util.find_spec(name) is None]


def installed() -> list[type[Original]]:
    """The originals of the other packages."""
    found: list[type[Original]] = []
    for name, kinds in MODULES.items():
        if name not in missing():
            found += getattr(importlib.import_module(f".of_{name}", __package__), kinds)
    return found
