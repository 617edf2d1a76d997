"""A folder whose files are vouched for by a SHA-256 manifest, written last.

``manifest.json`` holds one JSON line of facts and, on a second line, that line's own digest.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from spade_jax.records import sync_folder

__all__ = [
    "MANIFEST",
    "damage",
    "hash_files",
    "parse_manifest",
    "read_manifest",
    "sync_tree",
    "write_manifest",
]

MANIFEST = "manifest.json"
_FORMAT = 1


def damage(path: Path | str) -> str | None:
    """What is wrong with a checkpoint, in a few words; None when it is as it was written."""
    path = Path(path)
    try:
        manifest = read_manifest(path)
        present = hash_files(path, sync=False)
    except (OSError, ValueError) as error:
        return str(error)
    files = manifest["files"]
    for name, entry in files.items():
        if name not in present:
            return f"{name} is missing"
        if present[name] != entry:
            return f"{name} differs from the manifest"
    extra = sorted(set(present) - set(files))
    return f"{extra[0]} is not in the manifest" if extra else None


def hash_files(path: Path, *, sync: bool) -> dict[str, dict[str, Any]]:
    """SHA-256 and size of every file below ``path`` except the manifest, by relative name."""
    result: dict[str, dict[str, Any]] = {}
    for file in sorted(p for p in path.rglob("*") if p.is_file()):
        name = file.relative_to(path).as_posix()
        if name == MANIFEST:
            continue
        with open(file, "rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
            if sync:
                os.fsync(handle.fileno())
        result[name] = {"sha256": digest, "bytes": file.stat().st_size}
    return result


def write_manifest(path: Path, facts: dict[str, Any]) -> None:
    """Hash and sync every file of the folder, then write and sync the manifest.

    Args:
      path: the folder.
      facts: JSON values kept beside the file list.
    """
    facts = {"format": _FORMAT, **facts, "files": hash_files(path, sync=True)}
    text = json.dumps(facts, separators=(",", ":"))
    with open(path / MANIFEST, "w", encoding="utf-8") as file:
        file.write(f"{text}\n{hashlib.sha256(text.encode()).hexdigest()}\n")
        file.flush()
        os.fsync(file.fileno())


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a folder.

    Raises:
      ValueError: it is missing, damaged or of another format.
    """
    try:
        return parse_manifest((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise ValueError(f"{MANIFEST} is missing") from None


def parse_manifest(data: bytes) -> dict[str, Any]:
    """The facts of a manifest file, the list of files with them.

    Raises:
      ValueError: it is damaged or of another format.
    """
    body, _, rest = data.partition(b"\n")
    if rest != hashlib.sha256(body).hexdigest().encode() + b"\n":
        raise ValueError(f"{MANIFEST} is damaged")
    try:
        manifest = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError(f"{MANIFEST} is not JSON") from None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else None
        raise ValueError(f"manifest format {found}, this version reads {_FORMAT}")
    if not isinstance(manifest.get("files"), dict):
        raise ValueError(f"{MANIFEST} lists no files")
    return manifest


def sync_tree(path: Path) -> None:
    """Make every name below ``path`` durable."""
    for sub in [path, *(p for p in path.rglob("*") if p.is_dir())]:
        sync_folder(sub)
