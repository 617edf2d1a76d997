"""A run folder as a bundle for others: read, replayed and checked without this machine."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import markupsafe

from spade_jax.bundle.archive import ENDINGS, is_bundle, move_folder, pack
from spade_jax.bundle.contents import Choice, LeftOut, copy_checkpoints, copy_records, left_out
from spade_jax.bundle.facts import facts_of, names_left, notes_on, rounds
from spade_jax.bundle.page import commands, page
from spade_jax.bundle.programs import write_programs
from spade_jax.bundle.scrub import Machine, Scrubber, clean_config
from spade_jax.errors import UserError
from spade_jax.generator.llm.exchanges import FILE as EXCHANGES
from spade_jax.generator.specs import asks_a_model
from spade_jax.manifest import MANIFEST, read_manifest, write_manifest
from spade_jax.report import Run, read_run
from spade_jax.report.page import render_report
from spade_jax.versions import read_versions, versions

__all__ = ["FORMAT", "Exported", "export_run"]

FORMAT = 1
"""Of bundles: ``bundle`` in their manifest."""


@dataclasses.dataclass(frozen=True)
class Exported:
    """A bundle that was written.

    Attributes:
      path: the archive or the folder. name: what the archive unpacks into.
      files: size of each file in it, by name. bytes: of the archive, or of all files.
      manifest: SHA-256 of the manifest's facts: who has it from you can tell your bundle.
      left_out: what of the run is not in it. notes: what whoever gets it should know.
      warnings: what you should look at before you hand it on.
    """

    path: Path
    name: str
    files: Mapping[str, int]
    bytes: int
    manifest: str
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def export_run(
    folder: Path,
    out: Path | None = None,
    choice: Choice | None = None,
    *,
    overwrite: bool = False,
    trouble: str = "",
    machine: Machine | None = None,
) -> Exported:
    """Write a run's bundle, whole or not at all. The same run gives the same bytes.

    Args:
      folder: of the run. It may still go on: what it has recorded is exported.
      out: a new ``.tar.gz`` or folder; None: an archive named after the run and its content, here.
      choice: what goes in. overwrite: replace an archive or a bundle's folder that is there.
      trouble: why this version cannot read the run's configuration, "" if it can.
      machine: whose names must not be in it; None: this one.

    Raises:
      UserError: not a run folder, a damaged one, one without a round; a target that is there.
      OSError: something cannot be read or written.
    """
    choice = choice or Choice()
    run = read_run(folder)
    if rounds(run) is None:
        raise UserError(f"{folder}: not one round is recorded; there is nothing to export yet")
    if out is not None:
        _check_target(out, run.path, overwrite)
    parent = Path() if out is None else out.absolute().parent
    if not parent.is_dir():
        raise UserError(f"no such folder: {parent}")
    machine = machine or Machine.here(folder, _key_variable(run.config))
    with tempfile.TemporaryDirectory(prefix=".export-", dir=parent) as scratch:
        staged = Path(scratch) / "bundle"
        staged.mkdir()
        facts = _stage(run, staged, choice, machine, trouble)
        write_manifest(staged, facts)
        hashed = read_manifest(staged)["files"]
        files = {name: entry["bytes"] for name, entry in hashed.items()}
        manifest = (staged / MANIFEST).read_bytes()
        name = _name(run, hashed)
        warnings = names_left(staged, machine)
        target = Path(f"{name}{ENDINGS[0]}") if out is None else out
        if out is None:
            _check_target(target, run.path, overwrite)
        if target.name.endswith(ENDINGS):
            pack(staged, target, name)
            size = target.stat().st_size
        else:
            move_folder(staged, target)
            size = sum(files.values()) + len(manifest)
    return Exported(
        path=target,
        name=name,
        files={MANIFEST: len(manifest), **files},
        bytes=size,
        manifest=manifest.split()[-1].decode(),
        left_out=tuple(LeftOut(**entry) for entry in facts["left_out"]),
        notes=tuple(facts["notes"]),
        warnings=warnings,
    )


def _stage(run: Run, into: Path, choice: Choice, machine: Machine, trouble: str) -> dict[str, Any]:
    """Write everything but the manifest; returns the manifest's facts."""
    config, paths = clean_config(run.config)
    scrubber = Scrubber(machine, paths, choice.hide)
    # A checkpoint counts the bytes of the journals, which a run that goes on makes longer.
    copy_checkpoints(run, into, choice, scrubber)
    same = copy_records(run, config, into, choice, scrubber)
    if choice.checkpoints != "none" and not (same and _tell_nothing(into, scrubber)):
        raise UserError(
            "the run's records hold paths or names that are taken out, and its checkpoints, which "
            "cannot be rewritten, go with them: export it without --checkpoints"
        )
    # From here on only what is in the bundle is looked at.
    clean = read_run(into)
    counted = write_programs(clean, into)
    page_of_run = render_report(clean).replace(str(markupsafe.escape(str(into))), "FOLDER")
    (into / "report.html").write_text(page_of_run, encoding="utf-8")
    model = clean.arm == "coevo" and asks_a_model(str(clean.config.get("generator", "")))
    recorded = not model or (into / EXCHANGES).is_file()
    rest = left_out(run.path, choice, into)
    facts = {
        "bundle": FORMAT,
        "run": facts_of(clean),
        **counted,
        "replays": recorded and not trouble,
        "notes": notes_on(clean, scrubber, recorded=recorded, trouble=trouble),
        "commands": commands(
            arm=clean.arm,
            asks_a_model=model,
            replays=recorded and not trouble,
            checkpoints=(into / "checkpoints").is_dir(),
        ),
        "ran_with": read_versions(into),
        "exported_with": versions(),
        "left_out": [dataclasses.asdict(entry) for entry in rest],
    }
    files = [p.relative_to(into).as_posix() for p in into.rglob("*") if p.is_file()]
    (into / "README.md").write_text(page(facts, files), encoding="utf-8")
    return facts


def _tell_nothing(folder: Path, scrubber: Scrubber) -> bool:
    """Whether there is nothing to be taken out of what checkpoints say in words."""
    said = [json.loads(p.read_bytes()) for p in folder.glob("checkpoints/*/meta.json")]
    return all(scrubber.value(meta) == meta for meta in said)


def _key_variable(config: Mapping[str, Any]) -> str:
    """Of the environment, which holds a server's key; "" where the configuration names none."""
    value: Any = config
    for name in ("llm", "server", "key_variable"):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""


def _name(run: Run, files: Mapping[str, Any]) -> str:
    """A name for the bundle: what run it is, and of which content."""
    content = "".join(entry["sha256"] for entry in files.values())
    arm = re.sub(r"[^A-Za-z0-9]+", "", run.arm)[:20] or "run"
    return f"{arm}-s{run.seed}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def _check_target(out: Path, run: Path, overwrite: bool) -> None:
    """Refuse what should not be written over.

    Raises:
      UserError: it is there and may not be replaced, or is not a name for a bundle.
    """
    archive = out.name.endswith(ENDINGS)
    if not archive and out.suffix in (".tar", ".zip", ".gz", ".xz", ".bz2", ".zst"):
        raise UserError(f"{out}: a bundle is written as FILE.tar.gz or as a folder")
    if not out.exists() and not out.is_symlink():
        return
    if not overwrite:
        raise UserError(f"{out} exists; add --overwrite to replace it, or choose another --out")
    if archive != out.is_file() or out.is_symlink():
        raise UserError(f"{out} is not {'a file' if archive else 'a folder'}; choose another --out")
    if not archive and (not is_bundle(out) or out.resolve() == run.resolve()):
        raise UserError(f"{out} is not a bundle that may be replaced; choose another --out")
