"""A bundle that somebody changed, and archives that were never one."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import run_folders as hand

from experiments import _cli, export
from spade_jax.bundle import Machine, check, export_run
from spade_jax.errors import UserError
from spade_jax.manifest import write_manifest


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(export.main, list(words))
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    run = hand.write_run(folder / "run")
    export_run(run, folder / "b.tar.gz", machine=Machine())
    return folder


@pytest.fixture
def folder(bundles: Path, tmp_path: Path) -> Path:
    with tarfile.open(bundles / "b.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    (top,) = tmp_path.iterdir()
    return top


def test_a_whole_bundle_is_told_so(bundles, folder, capsys) -> None:
    packed, there = check(bundles / "b.tar.gz"), check(folder)
    assert packed == there and packed.ok
    assert packed.files == sum(1 for p in folder.rglob("*") if p.is_file()) - 1
    assert packed.facts["run"]["rounds"] == 1
    assert call("--check", str(folder), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] and document["manifest"] == packed.manifest


def link(folder: Path) -> None:
    (folder / "metrics.jsonl").unlink()
    (folder / "metrics.jsonl").symlink_to("/etc/passwd")


def linked_folder(folder: Path) -> None:
    (folder / "more").symlink_to(folder.parent)


def touch(folder: Path) -> None:
    data = bytearray((folder / "report.html").read_bytes())
    data[100] ^= 1
    (folder / "report.html").write_bytes(data)


def add(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / "new").mkdir()
        (folder / "new" / name).write_text("x")

    return change


def other_manifest(folder: Path) -> None:
    write_manifest(folder, {"step": 1})


def endless_manifest(folder: Path) -> None:
    inner: list[object] = []
    for _ in range(400):
        inner = [inner]
    write_manifest(folder, {"bundle": 1, "run": inner})


def lying_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda f: (f / "config.yaml").unlink(), ["missing: config.yaml"]),
        (touch, ["changed: report.html"]),
        (
            lambda f: (f / "events.jsonl").write_text("{}\n"),
            ["changed: events.jsonl (3 bytes, not 0)"],
        ),
        (add("a.py"), ["extra: new/a.py"]),
        (add("\x1b[2Jboo\n"), ["unsafe: new/\\x1b[2Jboo\\n (its name is not one)"]),
        (link, ["unsafe: metrics.jsonl (a link, a device or a pipe)"]),
        (linked_folder, ["unsafe: more (a link, a device or a pipe)"]),
        (lambda f: os.mkfifo(f / "pipe"), ["unsafe: pipe (a link, a device or a pipe)"]),
        (
            lambda f: (f / "manifest.json").unlink(),
            ["damaged: {name} (manifest.json is missing, or not the first file)"],
        ),
        (lying_manifest, ["damaged: {name} (manifest.json is missing, or not the first file)"]),
        (
            lambda f: (f / "manifest.json").write_text("{}\n"),
            ["damaged: {name} (manifest.json is damaged)"],
        ),
        (other_manifest, ["damaged: {name} (manifest.json is not a bundle's)"]),
        (
            endless_manifest,
            ["damaged: {name} (manifest.json is nested more than 32 levels deep)"],
        ),
    ],
)
def test_a_changed_folder_is_told_line_by_line(folder, capsys, change, told) -> None:
    change(folder)
    assert call("--check", str(folder)) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [line.format(name=folder.name) for line in told]
    assert said.err == ""


def repacked(bundles: Path, target: Path, change: Callable[[tarfile.TarFile], None]) -> Path:
    """The bundle, with more in its archive."""
    with tarfile.open(bundles / "b.tar.gz") as old, tarfile.open(target, "w:gz") as new:
        for member in old.getmembers():
            new.addfile(member, old.extractfile(member))
        change(new)
    return target


def member(name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", to: str = "") -> Callable:
    def change(tar: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.size, info.linkname = kind, len(data), to
        tar.addfile(info, io.BytesIO(data))

    return change


def again(tar: tarfile.TarFile) -> None:
    member(f"{tar.getmembers()[0].name.partition('/')[0]}/config.yaml", data=b"seed: 1\n")(tar)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (member("../../evil"), "unsafe: ../../evil (its name leaves the folder)"),
        (member("/etc/cron.d/evil"), "unsafe: /etc/cron.d/evil (its name begins elsewhere)"),
        (member("C:/evil"), "unsafe: C:/evil (its name begins elsewhere)"),
        (member("other/evil"), "unsafe: other/evil (it is not in the bundle's folder)"),
        (member("evil"), "unsafe: evil (it is not in the bundle's folder)"),
        (member("a/b", tarfile.SYMTYPE, to="/etc"), "unsafe: a/b (a symbolic link)"),
        (member("a/b", tarfile.LNKTYPE, to="x"), "unsafe: a/b (a hard link)"),
        (member("a/b", tarfile.CHRTYPE), "unsafe: a/b (a device)"),
        (member("a/b", tarfile.FIFOTYPE), "unsafe: a/b (a pipe)"),
        (member("a/b", tarfile.DIRTYPE), "unsafe: a/b (a folder's entry)"),
        (member("a/b", b"x", b"11 path=/x\n"), "unsafe: a/b (not a plain file)"),
        (again, "unsafe: config.yaml (it is there twice)"),
    ],
)
def test_what_must_not_be_unpacked_is_named(bundles, tmp_path, change, told) -> None:
    archive = repacked(bundles, tmp_path / "b.tar.gz", change)
    found = check(archive)
    assert [str(fault) for fault in found.faults] == [told]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.tar.gz"]


def raw(header: tarfile.TarInfo, data: bytes = b"") -> bytes:
    return header.tobuf(tarfile.GNU_FORMAT) + data


def content(bundles: Path) -> bytes:
    return gzip.decompress((bundles / "b.tar.gz").read_bytes())


def blocks(bundles: Path) -> bytes:
    """The archive up to its last file, padded."""
    with tarfile.open(bundles / "b.tar.gz") as tar:
        last = tar.getmembers()[-1]
    end = last.offset_data + -(-last.size // 512) * 512
    return content(bundles)[:end]


def huge_name(bundles: Path) -> bytes:
    """A header that asks whoever reads it to hold a gigabyte of name in memory."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    return gzip.compress(blocks(bundles) + raw(info) + bytes(1 << 20))


def negative(bundles: Path) -> bytes:
    info = tarfile.TarInfo("b/less")
    info.size = -512
    return gzip.compress(blocks(bundles) + raw(info))


def huge(bundles: Path) -> bytes:
    info = tarfile.TarInfo("b/huge")
    info.size = 1 << 50
    return gzip.compress(blocks(bundles) + raw(info) + bytes(1 << 20))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda b: b"", "it ends in the middle"),
        (lambda b: b"hello", "not a whole .tar.gz"),
        (lambda b: gzip.compress(b"hello" * 1000), "not an archive"),
        (lambda b: gzip.compress(bytes(10240)), "manifest.json is missing"),
        (lambda b: (b / "b.tar.gz").read_bytes()[:-3000], "not a whole .tar.gz"),
        (lambda b: gzip.compress(blocks(b)), "it ends in the middle"),
        (lambda b: gzip.compress(content(b) + b"more"), "something comes after"),
        (lambda b: gzip.compress(blocks(b)[:-512]), "it ends in the middle"),
        (huge, "says it holds 1,125,899,906,842,624 bytes; the rest was not read"),
        (huge_name, "says it holds 1,073,741,824 bytes; the rest was not read"),
        (negative, "a file of negative size"),
    ],
)
def test_an_archive_that_cannot_be_read_is_one_line(bundles, tmp_path, capsys, make, told) -> None:
    (tmp_path / "x.tar.gz").write_bytes(make(bundles))
    assert call("--check", str(tmp_path / "x.tar.gz")) == 1
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].startswith("damaged: x.tar.gz (") and told in said.out
    assert said.err == "" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "facts",
    [
        "[]",
        '{"format":1,"bundle":1}',
        '{"format":1,"bundle":1,"files":[]}',
        '{"format":1,"bundle":1,"files":{"a":1}}',
        '{"format":1,"bundle":1,"files":{"a":{"sha256":"x","bytes":1}}}',
        '{"format":1,"bundle":1,"files":{"a":{"sha256":"' + "0" * 64 + '","bytes":-1}}}',
        '{"format":9,"bundle":1,"files":{}}',
        '{"format":1,"files":{}}',
        "[" * 100_000,
        "9" * 10_000,
    ],
)
def test_a_hostile_manifest_is_one_line(tmp_path, facts: str) -> None:
    import hashlib

    folder = tmp_path / "b"
    folder.mkdir()
    digest = hashlib.sha256(facts.encode()).hexdigest()
    (folder / "manifest.json").write_text(f"{facts}\n{digest}\n")
    (fault,) = check(folder).faults
    assert fault.kind == "damaged" and "\n" not in str(fault)


def test_a_bundle_that_is_not_there(tmp_path, capsys) -> None:
    with pytest.raises(UserError, match="no such bundle"):
        check(tmp_path / "none")
    assert call() == 2
    assert "name a run folder to export, or --check a bundle" in capsys.readouterr().err
