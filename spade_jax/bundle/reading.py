"""The files of an archive or a folder that nobody vouches for, one after another.

An archive is read from front to end, header by header, in pieces of bounded size: nothing in it can
ask for memory, for a place on the disk, or for a second look. What is no plain file is named and
passed over.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from spade_jax.manifest import MANIFEST

__all__ = ["Damaged", "Item", "items_of"]

_CHUNK = 1 << 20
_BLOCK = 512
_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.DIRTYPE: "a folder's entry",
    tarfile.FIFOTYPE: "a pipe",
}


class Damaged(Exception):
    """It cannot be read on; one line."""


class Item:
    """One file.

    Attributes:
      name: below the bundle's own folder. size: in bytes, as it is said to be.
      unsafe: why it must not be unpacked, "" for a plain file with a plain name.
    """

    def __init__(self, name: str, size: int, unsafe: str, read: Callable[[], Iterator[bytes]]):
        self.name, self.size, self.unsafe = name, size, unsafe
        self._read = read

    def chunks(self) -> Iterator[bytes]:
        """Its content, ``size`` bytes in all; before the next file is asked for.

        Raises:
          Damaged: it ends before that.
        """
        return self._read()


@contextlib.contextmanager
def items_of(path: Path) -> Iterator[Iterator[Item]]:
    """The files of a bundle; the manifest first.

    Raises (here, and while the files are gone through):
      Damaged: it cannot be read as what it is.
    """
    try:
        if path.is_dir():
            yield _of_folder(path)
        else:
            with gzip.open(path, "rb") as stream:
                yield _of_archive(stream)
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
        raise Damaged(f"not a whole .tar.gz: {error}") from None
    except (OSError, ValueError, OverflowError) as error:
        what = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Damaged(f"cannot be read: {what}") from None


def unsafe_name(name: str) -> str:
    """Why a name must not be unpacked, "" if it may."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ":" in parts[0]:
        return "its name begins elsewhere"
    if ".." in parts:
        return "its name leaves the folder"
    if not all(part not in ("", ".") for part in parts) or not name.isprintable():
        return "its name is not one"
    return ""


# --- folders ------------------------------------------------------------------------------------


def _of_folder(folder: Path) -> Iterator[Item]:
    found = sorted(_walk(folder, ""), key=lambda e: (e[0] != MANIFEST, e[0]))
    for name, path in found:
        status = os.lstat(path)
        plain = stat.S_ISREG(status.st_mode)
        kind = "" if plain else "a link, a device or a pipe"
        yield Item(name, status.st_size if plain else 0, kind or unsafe_name(name), _reader(path))


def _walk(folder: Path | str, prefix: str) -> Iterator[tuple[str, str]]:
    """(name, path) of everything below a folder that is no folder; links are not followed."""
    waiting = [(str(folder), prefix)]
    while waiting:
        place, before = waiting.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, f"{before}{entry.name}/"))
                else:
                    yield f"{before}{entry.name}", entry.path


def _reader(path: str) -> Callable[[], Iterator[bytes]]:
    def read() -> Iterator[bytes]:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            left = os.fstat(file.fileno()).st_size
            while left > 0 and (data := file.read(min(left, _CHUNK))):
                left -= len(data)
                yield data

    return read


# --- archives -----------------------------------------------------------------------------------


def _of_archive(stream: BinaryIO | gzip.GzipFile) -> Iterator[Item]:
    """Items of a tar stream, without any of the extensions that tar formats have."""
    top: str | None = None
    while True:
        header = _exactly(stream, _BLOCK)
        if not any(header):
            _only_zeros(stream)
            return
        try:
            member = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise Damaged(f"not an archive: {error}") from None
        if member.size < 0:
            raise Damaged("a file of negative size")
        if top is None:
            top = member.name.partition("/")[0]
        yield from _item(stream, member, top)


def _item(stream: BinaryIO | gzip.GzipFile, member: tarfile.TarInfo, top: str) -> Iterator[Item]:
    plain = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
    unsafe = unsafe_name(member.name)
    before, slash, name = member.name.partition("/")
    if not plain:
        unsafe = _KINDS.get(member.type, "not a plain file")
    elif not unsafe and not (slash and before == top and not unsafe_name(top)):
        unsafe = "it is not in the bundle's folder"
    inside = slash and before == top and name
    left = member.size

    def read() -> Iterator[bytes]:
        nonlocal left
        while left:
            data = _exactly(stream, min(left, _CHUNK))
            left -= len(data)
            yield data

    yield Item(name if inside else member.name, member.size, unsafe, read)
    for _ in read():  # what nobody wanted
        pass
    _exactly(stream, -member.size % _BLOCK)


def _exactly(stream: BinaryIO | gzip.GzipFile, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise Damaged("it ends in the middle")
    return data


def _only_zeros(stream: BinaryIO | gzip.GzipFile) -> None:
    """Behind the last file there is nothing, as archives are padded."""
    rest = stream.read(_CHUNK)
    if any(rest) or len(rest) == _CHUNK:
        raise Damaged("something comes after the last file")
