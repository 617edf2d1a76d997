"""A folder as one ``.tar.gz``: the same files give the same bytes, and it is there whole or not."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import tarfile
import uuid
from pathlib import Path

from spade_jax.errors import UserError
from spade_jax.manifest import MANIFEST, read_manifest
from spade_jax.records import sync_folder

__all__ = ["ENDINGS", "is_bundle", "move_folder", "pack"]

ENDINGS = (".tar.gz", ".tgz")


def pack(folder: Path, target: Path, name: str) -> None:
    """Write the files of a folder as an archive that unpacks into ``name/``.

    The manifest comes first, the others by name; no times, owners or rights are kept.

    Raises:
      UserError: a file is too large, or its name too long, for the format.
      OSError: it cannot be written; what was there before is intact then.
    """
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    files.sort(key=lambda file: file != MANIFEST)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with (
            open(partial, "xb") as raw,
            gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
        ):
            for file in files:
                member = tarfile.TarInfo(f"{name}/{file}")
                member.size = (folder / file).stat().st_size
                member.mode = 0o644
                with open(folder / file, "rb") as content:
                    tar.addfile(member, content)
        with open(partial, "rb") as written:
            os.fsync(written.fileno())
        os.replace(partial, target)
    except ValueError as error:  # what a header of this format cannot say
        raise UserError(f"cannot pack {target.name} ({error}); name a folder instead") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
    sync_folder(target.parent)


def move_folder(folder: Path, target: Path) -> None:
    """Put a finished folder in its place; a bundle that was there gives way to it."""
    os.chmod(folder, 0o755)
    old = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.old")
    if target.exists():
        os.rename(target, old)
    try:
        os.rename(folder, target)
    except OSError:
        if old.exists():
            os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)
    sync_folder(target.parent)


def is_bundle(folder: Path) -> bool:
    """Whether a folder has the manifest of a bundle, intact or not otherwise."""
    try:
        return "bundle" in read_manifest(folder)
    except (OSError, ValueError):
        return False
