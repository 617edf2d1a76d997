"""Is a bundle what its manifest says? Nothing of it is unpacked, followed or believed."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spade_jax.bundle.reading import Damaged, Item, items_of
from spade_jax.errors import UserError
from spade_jax.manifest import MANIFEST, parse_manifest

__all__ = ["Checked", "Fault", "check"]

_MOST_FAULTS = 1000
_MANIFEST_BYTES = 1 << 26
_MOST_LEVELS = 32
_UNLISTED_BYTES = 1 << 26
"""Of files that the manifest does not know, that are read past before reading ends."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_PRINTABLE = re.compile(r"[ -~]+")


@dataclasses.dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
      kind: "missing", "changed", "extra", "unsafe" (must not be unpacked) or "damaged" (cannot be
        read on). name: of the file, as printable ASCII. why: in a few words, or "".
    """

    kind: str
    name: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}{f' ({self.why})' if self.why else ''}"


@dataclasses.dataclass(frozen=True)
class Checked:
    """What a check found.

    Attributes:
      faults: none where all is as the manifest says. files, bytes: that are as it says.
      manifest: SHA-256 of its facts, "" where it cannot be read. facts: those, the files left out.
    """

    faults: tuple[Fault, ...]
    files: int = 0
    bytes: int = 0
    manifest: str = ""
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.faults


def check(path: Path) -> Checked:
    """Check a bundle, an archive or a folder, against its own manifest.

    A manifest vouches against accidents. Against a person it does only if its SHA-256 is what the
    author of the bundle says it is.

    Raises:
      UserError: there is no such file or folder.
      OSError: it cannot be read at all.
    """
    if not path.is_dir() and not path.is_file():
        raise UserError(f"no such bundle: {path}")
    faults: list[Fault] = []
    good: dict[str, int] = {}
    manifest: tuple[str, dict[str, Any]] | None = None
    try:
        with items_of(path) as items:
            manifest = _manifest(items)
            for fault in _compared(items, manifest[1]["files"], good):
                faults.append(fault)
                if len(faults) == _MOST_FAULTS:
                    faults.append(Fault("damaged", shown(path.name), "and more; not read on"))
                    break
    except Damaged as error:
        faults.append(Fault("damaged", shown(path.name), shown(str(error))))
    if manifest is None:
        return Checked(tuple(faults))
    digest, facts = manifest
    rest = {key: value for key, value in facts.items() if key != "files"}
    return Checked(tuple(faults), len(good), sum(good.values()), digest, rest)


def shown(name: str) -> str:
    """A name as it may be printed: no control characters, not long."""
    text = name if _PRINTABLE.fullmatch(name) else ascii(name)[1:-1]
    return text if len(text) <= 200 else f"{text[:200]}…"


def _manifest(items: Iterator[Item]) -> tuple[str, dict[str, Any]]:
    """(SHA-256, facts with ``files``) of the manifest, which comes first."""
    first = next(items, None)
    if first is None or first.name != MANIFEST or first.unsafe:
        raise Damaged(f"{MANIFEST} is missing, or not the first file")
    if first.size > _MANIFEST_BYTES:
        raise Damaged(f"{MANIFEST} is too large to be one")
    data = b"".join(first.chunks())
    try:
        facts = parse_manifest(data)
    except ValueError as error:
        raise Damaged(str(error)) from None
    if _deeper(facts, _MOST_LEVELS):
        raise Damaged(f"{MANIFEST} is nested more than {_MOST_LEVELS} levels deep")
    if not isinstance(facts.get("bundle"), int):
        raise Damaged(f"{MANIFEST} is not a bundle's")
    for name, entry in facts["files"].items():
        if not isinstance(entry, dict) or not _is_entry(entry) or name == MANIFEST:
            raise Damaged(f"{MANIFEST}: its line on {shown(name)} cannot be read")
    return data.split()[-1].decode(), facts


def _deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(v, levels - 1) for v in inner)


def _is_entry(entry: Mapping[str, Any]) -> bool:
    size, digest = entry.get("bytes"), entry.get("sha256")
    whole = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    return whole and isinstance(digest, str) and bool(_SHA256.fullmatch(digest))


def _compared(
    items: Iterator[Item], files: Mapping[str, Any], good: dict[str, int]
) -> Iterator[Fault]:
    """What is wrong; ``good`` takes the size of each file that is as it should be."""
    seen: set[str] = {MANIFEST}
    unlisted = 0
    for item in items:
        name = shown(item.name)
        entry = files.get(item.name)
        right = False
        if item.unsafe:
            yield Fault("unsafe", name, item.unsafe)
        elif item.name in seen:
            yield Fault("unsafe", name, "it is there twice")
        elif entry is None:
            yield Fault("extra", name)
        elif item.size != entry["bytes"]:
            yield Fault("changed", name, f"{item.size:,} bytes, not {entry['bytes']:,}")
        elif _digest(item) != entry["sha256"]:
            yield Fault("changed", name)
        else:
            right, good[item.name] = True, item.size
        seen.add(item.name)
        if not right:
            unlisted += item.size
            if unlisted > _UNLISTED_BYTES:
                raise Damaged(f"{name} says it holds {item.size:,} bytes; the rest was not read")
    for name in files:
        if name not in seen:
            yield Fault("missing", shown(name))


def _digest(item: Item) -> str:
    digest = hashlib.sha256()
    for chunk in item.chunks():
        digest.update(chunk)
    return digest.hexdigest()
