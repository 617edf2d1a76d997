"""What something was made with: the project's version and commit, Python, packages, processor."""

from __future__ import annotations

import importlib.metadata
import pathlib
import platform
import subprocess
import tomllib
from typing import Any

from spade_jax.records import Journal, RecordError, read_jsonl

__all__ = [
    "FILE",
    "PACKAGES",
    "commit",
    "processor",
    "read_versions",
    "record",
    "version_of",
    "versions",
]

FILE = "versions.jsonl"
"""In a run folder: a line for its beginning, and one wherever it went on with other versions."""

PACKAGES = (
    *("chex", "flax", "gymnax", "jax", "jaxlib", "numpy", "optax", "orbax-checkpoint", "scipy"),
    *("llguidance", "peft", "torch", "transformers"),
)
"""Distributions that the numbers of a run may depend on; those that are not there are left out."""

_ROOT = pathlib.Path(__file__).parents[1]


def versions() -> dict[str, Any]:
    """Versions as JSON values; nothing in them names the machine or who uses it.

    Returns:
      ``spade_jax`` (None where it cannot be told), ``commit`` (see there), ``python``, ``packages``
      (name → version), ``system`` (its name and the architecture), ``processor``.
    """
    return {
        "spade_jax": version_of("spade_jax") or _declared(),
        "commit": commit(),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := version_of(name))},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
    }


def record(folder: pathlib.Path) -> None:
    """Write down, in a run folder, what the run begins or goes on with, unless it is the same.

    Raises:
      OSError: it cannot be written.
    """
    import jax

    now = {**versions(), "device": jax.local_devices()[0].device_kind}
    try:
        before = read_versions(folder)[-1:]
    except RecordError:  # no reason not to go on with the run
        before = []
    if before != [now]:
        with Journal(folder / FILE) as journal:
            journal.write(now)


def read_versions(folder: pathlib.Path) -> list[dict[str, Any]]:
    """What a run began and went on with; nothing where it was not written down.

    Raises:
      RecordError: the record is damaged.
    """
    return read_jsonl(folder / FILE)


def commit() -> str | None:
    """The commit of this checkout, with ``-dirty`` where files differ from it; else None."""
    if not (_ROOT / ".git").exists():  # installed into somebody else's checkout, perhaps
        return None
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        run = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return run.stdout.strip()


def processor() -> str:
    """The processor's name; its architecture where the system does not say."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def version_of(name: str) -> str | None:
    """Of a distribution; None where it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _declared() -> str | None:
    """The version in the checkout's own declaration, where the project is not installed."""
    try:
        declared = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        return str(declared["project"]["version"])
    except (OSError, ValueError, KeyError):
        return None
