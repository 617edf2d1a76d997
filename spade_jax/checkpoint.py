"""Full-state checkpoints that are either whole or not there.

A checkpoint is a folder ``step_<number>`` with

    arrays/         every non-empty array, written by orbax as a flat dict of numbered leaves
    meta.json       everything that is not an array (pool, generator state, offsets, counters)
    manifest.json   names, dtypes and shapes of the leaves; SHA-256 and size of every file above

It is written into a hidden folder, the manifest last, synced, and renamed into place: a killed
process leaves the checkpoints before it untouched. Orbax alone would not do: it loads flipped bytes
without a word, rejects strings and empty arrays, and gives lists for named tuples. Hence our own
manifest, a ``target`` that gives the structure on loading, and JSON for all the rest.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import logging
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from spade_jax.errors import UserError
from spade_jax.manifest import damage, read_manifest, sync_tree, write_manifest
from spade_jax.records import sync_folder

__all__ = [
    "CheckpointError",
    "Restored",
    "best",
    "damage",
    "exists",
    "latest",
    "listed",
    "restore",
    "save",
]

_PREFIX = "step_"
_PARTIAL = ".partial-"


class CheckpointError(UserError, ValueError):
    """No usable checkpoint, or one of another structure; one line, for a person."""


@dataclasses.dataclass(frozen=True)
class Restored:
    """What was saved.

    Attributes:
      step: its step number.
      arrays: structure of the target; leaves equal to the saved ones bit for bit.
      meta: the JSON part.
      path: where it came from.
      notices: one line for each newer checkpoint that was damaged and passed over.
    """

    step: int
    arrays: Any
    meta: dict[str, Any]
    path: Path
    notices: tuple[str, ...] = ()


def save(
    folder: Path | str,
    step: int,
    arrays: Any,
    meta: Mapping[str, Any],
    *,
    keep: int = 3,
    score: float | None = None,
) -> Path:
    """Write one checkpoint; afterwards remove all but the last ``keep`` and the best.

    Args:
      folder: the run's ``checkpoints`` folder, created when absent.
      step: a number that grows; checkpoints of this step and later ones (left from before a
        resume) are replaced.
      arrays: pytree of NumPy or JAX arrays and PRNG keys; zero-size arrays and empty containers
        are allowed, Python numbers and strings are not (they belong into ``meta``).
      meta: JSON values.
      keep: how many of the newest to keep (≥ 1).
      score: what "best" means, greater is better; None is never the best.

    Returns:
      The checkpoint's folder.

    Raises:
      TypeError: a leaf is not an array, or a meta value is not a JSON value.
      OSError: disk full or folder not writable. No half checkpoint is left in its place.
    """
    if step < 0 or keep < 1:
        raise ValueError(f"step {step}, keep {keep}: step must be ≥ 0 and keep ≥ 1")
    folder = Path(folder)
    leaves = _leaves(arrays)
    described = [_describe(name, leaf) | _impl(leaf) for name, leaf in leaves]
    text = json.dumps(dict(meta), separators=(",", ":"))
    folder.mkdir(parents=True, exist_ok=True)
    _remove_partial(folder)
    existing = listed(folder)
    partial = folder / f"{_PARTIAL}{uuid.uuid4().hex[:12]}"
    try:
        partial.mkdir()
        (partial / "meta.json").write_text(text, encoding="utf-8")
        _write_arrays(partial / "arrays", leaves)
        write_manifest(partial, {"step": step, "score": score, "leaves": described})
        sync_tree(partial)
        path = _free_name(folder, step)
        os.rename(partial, path)
        sync_folder(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    for old in existing:
        if _order(old)[0] >= step:
            shutil.rmtree(old, ignore_errors=True)
    _prune(folder, keep)
    return path


def restore(folder: Path | str, target: Any, *, path: Path | str | None = None) -> Restored:
    """Load the newest undamaged checkpoint.

    Args:
      folder: the run's ``checkpoints`` folder.
      target: pytree of the saved structure, or a function from the saved ``meta`` to it; leaves
        are arrays, keys or ``jax.ShapeDtypeStruct`` (only shape, dtype and kind matter). NumPy
        leaves come back as NumPy arrays, others as JAX arrays with the target's sharding, if it
        has one.
      path: load this one (from ``best``) instead of the newest.

    Raises:
      CheckpointError: there is none, all are damaged, or the structure is not the target's.
      FileNotFoundError: ``folder`` does not exist.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: no such checkpoint folder")
    candidates = [Path(path)] if path is not None else listed(folder)
    if not candidates:
        raise CheckpointError(f"{folder}: no checkpoint")
    damaged: list[str] = []
    for candidate in candidates:
        fault = damage(candidate)
        if fault is None:
            step, arrays, meta = _load(candidate, target)
            notices = tuple(f"{line}; using the one before" for line in damaged)
            return Restored(step, arrays, meta, candidate, notices)
        damaged.append(f"checkpoint {candidate.name} is damaged ({fault})")
    raise CheckpointError(f"{folder}: no undamaged checkpoint: {damaged[0]}")


def exists(folder: Path | str) -> bool:
    """Whether a checkpoint was ever completed here, damaged or not."""
    return bool(listed(Path(folder)))


def latest(folder: Path | str) -> Path | None:
    """The newest undamaged checkpoint, None if there is none."""
    return next((p for p in listed(Path(folder)) if damage(p) is None), None)


def best(folder: Path | str) -> Path | None:
    """The undamaged checkpoint of the highest score (newest of equals), None if none has one."""
    scored = [(s, p) for p in listed(Path(folder)) if (s := _score(p)) is not None]
    scored.sort(key=lambda item: (item[0], _order(item[1])), reverse=True)
    return next((p for _, p in scored if damage(p) is None), None)


# ---- leaves -------------------------------------------------------------------------------------


def _is_key(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _leaves(tree: Any) -> list[tuple[str, Any]]:
    """(name, leaf) of a pytree in its own order; None counts as an empty container."""
    flat, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in flat]


def _describe(name: str, leaf: Any) -> dict[str, Any]:
    """The manifest's line on one leaf; also decides what is a leaf at all."""
    if _is_key(leaf):
        kind, dtype = "key", str(leaf.dtype)
    elif isinstance(leaf, np.ndarray | np.generic | jax.Array | jax.ShapeDtypeStruct):
        kind, dtype = "array", str(leaf.dtype)
    else:
        raise TypeError(f"checkpoint leaf {name} is {type(leaf).__name__}, not an array: use meta")
    if dtype == "object":
        raise TypeError(f"checkpoint leaf {name} has dtype object: use meta")
    return {"name": name, "kind": kind, "dtype": dtype, "shape": list(leaf.shape)}


def _impl(leaf: Any) -> dict[str, Any]:
    return {"impl": str(jax.random.key_impl(leaf))} if _is_key(leaf) else {}


def _plain(leaf: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)


def _rebuild(value: np.ndarray, entry: dict[str, Any], like: Any) -> Any:
    """A loaded array as the kind of leaf the target has."""
    if isinstance(like, np.ndarray | np.generic):
        return value[()] if isinstance(like, np.generic) else value
    sharding = getattr(like, "sharding", None)
    if _is_key(like):
        key = jax.random.wrap_key_data(jax.numpy.asarray(value), impl=entry["impl"])
        return key if sharding is None else jax.device_put(key, sharding)
    # A copy: an array that shares the loaded memory would not own it.
    array = jax.numpy.array(value)
    return array if sharding is None else jax.device_put(array, sharding)


def _checkpointer() -> tuple[Any, Any]:
    import orbax.checkpoint as ocp  # here: it takes a quarter of a second, and workers never save

    # Whoever saves or loads does so alone. Orbax would wait for the other processes that train with
    # this one, in a collective that meets whatever those are at.
    here = jax.process_index()
    alone = ocp.options.MultiprocessingOptions(primary_host=here, active_processes={here})
    handler = ocp.PyTreeCheckpointHandler(multiprocessing_options=alone)
    return ocp, ocp.Checkpointer(handler, multiprocessing_options=alone)


def _write_arrays(path: Path, leaves: list[tuple[str, Any]]) -> None:
    full = {f"{i:05d}": _plain(leaf) for i, (_, leaf) in enumerate(leaves) if leaf.size}
    if not full:
        path.mkdir()
        return
    # Known beforehand, since the threads of TensorStore print what happens to them.
    if shutil.disk_usage(path.parent).free < sum(leaf.nbytes for leaf in full.values()):
        raise _disk_full(path)
    ocp, checkpointer = _checkpointer()
    log = logging.getLogger("absl")
    before = log.disabled
    log.disabled = True
    try:
        checkpointer.save(path.absolute(), args=ocp.args.PyTreeSave(full))
    except OSError:
        raise
    except (ValueError, RuntimeError) as error:
        # TensorStore reports a full disk as a ValueError.
        if os.strerror(errno.ENOSPC) in str(error):
            raise _disk_full(path) from error
        raise OSError(f"cannot write {path.name}: {str(error).splitlines()[0]}") from error
    finally:
        log.disabled = before
        checkpointer.close()


def _disk_full(path: Path) -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def _read_arrays(path: Path, described: list[dict[str, Any]], target: list[Any]) -> list[Any]:
    """Values of all leaves; those of size 0 are the target's own, there is nothing to read."""
    full = [f"{i:05d}" for i, entry in enumerate(described) if 0 not in entry["shape"]]
    loaded: dict[str, np.ndarray] = {}
    if full:
        ocp, checkpointer = _checkpointer()
        how = {name: ocp.RestoreArgs(restore_type=np.ndarray) for name in full}
        item = dict.fromkeys(full, 0)
        try:
            loaded = checkpointer.restore(
                path.absolute(), args=ocp.args.PyTreeRestore(item=item, restore_args=how)
            )
        finally:
            checkpointer.close()
    return [
        _rebuild(loaded[name], entry, like) if (name := f"{i:05d}") in loaded else _empty(like)
        for i, (entry, like) in enumerate(zip(described, target, strict=True))
    ]


def _empty(like: Any) -> Any:
    if isinstance(like, jax.ShapeDtypeStruct):
        return jax.numpy.empty(like.shape, like.dtype)
    return like


def _load(path: Path, target: Any) -> tuple[int, Any, dict[str, Any]]:
    manifest = read_manifest(path)
    meta = json.loads((path / "meta.json").read_text(encoding="utf-8"))
    if callable(target):
        try:
            target = target(meta)
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"checkpoint {path.name} is of another configuration: {error}"
            ) from None
    described = manifest["leaves"]
    named = _leaves(target)
    wanted = [_describe(name, leaf) for name, leaf in named]
    for saved, want in zip(described, wanted, strict=False):
        if any(saved[key] != want[key] for key in want):
            raise CheckpointError(
                f"checkpoint {path.name}: leaf {saved['name']} is {saved['dtype']}"
                f"{saved['shape']}, this run has {want['name']} {want['dtype']}{want['shape']}"
            )
    if len(described) != len(wanted):
        raise CheckpointError(
            f"checkpoint {path.name} has {len(described)} arrays, this run has {len(wanted)}"
        )
    rebuilt = _read_arrays(path / "arrays", described, [leaf for _, leaf in named])
    arrays = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(target), rebuilt)
    return manifest["step"], arrays, meta


# ---- files --------------------------------------------------------------------------------------


def _order(path: Path) -> tuple[int, int]:
    """(step, attempt) of a checkpoint folder's name; ValueError if it is not one."""
    step, _, attempt = path.name.removeprefix(_PREFIX).partition(".")
    return int(step), int(attempt or 0)


def listed(folder: Path | str) -> list[Path]:
    """Checkpoint folders, newest first, damaged ones included."""
    found = []
    if Path(folder).is_dir():
        for path in Path(folder).iterdir():
            if path.name.startswith(_PREFIX) and path.is_dir():
                with contextlib.suppress(ValueError):  # a folder somebody else put there
                    found.append((_order(path), path))
    return [path for _, path in sorted(found, reverse=True)]


def _free_name(folder: Path, step: int) -> Path:
    """A new name for this step: nothing is ever renamed over, so nothing can be lost midway."""
    attempt = 0
    while True:
        path = folder / (f"{_PREFIX}{step:08d}" + (f".{attempt}" if attempt else ""))
        if not path.exists():
            return path
        attempt += 1


def _remove_partial(folder: Path) -> None:
    for path in folder.glob(f"{_PARTIAL}*"):
        shutil.rmtree(path, ignore_errors=True)


def _score(path: Path) -> float | None:
    try:
        score = read_manifest(path).get("score")
    except (OSError, ValueError):
        return None
    return score if isinstance(score, int | float) else None


def _prune(folder: Path, keep: int) -> None:
    ordered = listed(folder)
    champion = best(folder)
    for path in ordered[keep:]:
        if path != champion:
            shutil.rmtree(path, ignore_errors=True)
