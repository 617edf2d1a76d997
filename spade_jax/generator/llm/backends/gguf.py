"""Weights on disk: where a model is found, and GGUF files converted once.

transformers can read GGUF, slowly: it unpacks every tensor each time. So a file is converted once
to a folder of bfloat16 safetensors in the user's cache, named after the file's SHA-256; what is
read later is checked against the hashes that were written with it. A second process that wants the
same file waits for the first.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Iterator

__all__ = ["Weights", "WeightsError", "cache_folder", "convert", "find", "sha256"]

_FORMAT = "bf16-1"
"""Changed whenever a conversion would come out differently."""

_DONE = "converted.json"


class WeightsError(ValueError):
    """No such model, or not one that can be read; one line, for a person."""


@dataclasses.dataclass(frozen=True)
class Weights:
    """Where a model is: ``kind`` is "folder", "gguf" or "hub"; ``place`` a path or a hub id."""

    kind: str
    place: str


def find(spec: str) -> Weights:
    """What a person wrote: a folder, a .gguf file, ``package:NAME`` or a hub id.

    ``package:NAME`` is the one .gguf file inside of an installed package, which is not imported.

    Raises:
      WeightsError: nothing is there.
    """
    if spec.startswith("package:"):
        return Weights("gguf", str(_packaged(spec.removeprefix("package:"))))
    path = pathlib.Path(spec).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise WeightsError(f"{spec} holds no model: there is no config.json in it")
        return Weights("folder", str(path.resolve()))
    if path.is_file():
        with path.open("rb") as handle:
            if handle.read(4) != b"GGUF":
                raise WeightsError(f"{spec} is not a GGUF file")
        return Weights("gguf", str(path.resolve()))
    if re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", spec) and path.suffix != ".gguf":
        return Weights("hub", spec)
    what = "a folder with config.json, a .gguf file, package:NAME, or OWNER/NAME of a hub"
    raise WeightsError(f"no model at {spec!r}: write {what}")


def _packaged(name: str) -> pathlib.Path:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    folders = list(found.submodule_search_locations or []) if found is not None else []
    if not folders:
        raise WeightsError(f"there is no installed package {name!r}")
    files = sorted(f for folder in folders for f in pathlib.Path(folder).rglob("*.gguf"))
    if len(files) != 1:
        raise WeightsError(f"the package {name!r} holds {len(files)} .gguf files, not one")
    return files[0]


def cache_folder() -> pathlib.Path:
    """Where converted models are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "spade_jax" / "models"


def sha256(path: pathlib.Path) -> str:
    """Of a file, as 64 hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def convert(file: pathlib.Path, cache: pathlib.Path | None = None) -> tuple[pathlib.Path, str]:
    """(folder of the converted model, SHA-256 of the file).

    Needs torch, transformers, accelerate and gguf only where the folder is not there yet.

    Raises:
      WeightsError: it cannot be read, or cannot be written to the cache.
    """
    digest = sha256(file)
    root = cache or cache_folder()
    folder = root / f"{digest[:32]}-{_FORMAT}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with _locked(root / f"{folder.name}.lock"):
            if not _whole(folder, digest):
                shutil.rmtree(folder, ignore_errors=True)
                _convert(file, folder, digest)
    except OSError as error:
        raise WeightsError(f"{file.name} cannot be converted into {root}: {error}") from None
    return folder, digest


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    """The one process that works on a model; others wait. Ends with the process that holds it."""
    import fcntl

    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _whole(folder: pathlib.Path, digest: str) -> bool:
    """Whether a finished conversion of that file is there, as it was written."""
    try:
        told = json.loads((folder / _DONE).read_text(encoding="utf-8"))
        files = dict(told["files"])
        return told["source"] == digest and all(
            sha256(folder / name) == value for name, value in files.items()
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _convert(file: pathlib.Path, folder: pathlib.Path, digest: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where = {"gguf_file": file.name, "local_files_only": True}
    try:
        model = AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.bfloat16, **where)
        tokenizer = AutoTokenizer.from_pretrained(file.parent, **where)
    except ImportError as error:
        raise WeightsError(f"reading GGUF needs the extra [llm]: {error}") from None
    except Exception as error:  # whatever the readers of a damaged or foreign file come to
        line = str(error).strip().split("\n")[0][:200]
        raise WeightsError(f"{file.name} cannot be read: {line}") from None
    # what was unpacked is no longer quantised; saving it would ask the quantiser, which cannot
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.") as temporary:
        target = pathlib.Path(temporary) / "model"
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        files = {p.name: sha256(p) for p in sorted(target.iterdir()) if p.is_file()}
        told = {"source": digest, "name": file.name, "format": _FORMAT, "files": files}
        (target / _DONE).write_text(json.dumps(told, indent=1), encoding="utf-8")
        os.replace(target, folder)
