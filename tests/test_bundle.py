"""A run as a bundle: what is in it, what never is, and the same bytes each time."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tarfile
from pathlib import Path

import pytest
import run_folders as hand
import yaml

from envs_dsl import load
from envs_dsl.library import seeds
from experiments import _cli, export, replay
from experiments.config import to_plain
from spade_jax import checkpoint, versions
from spade_jax.bundle import Choice, Machine, export_run
from spade_jax.bundle import export as exporting
from spade_jax.bundle.scrub import Scrubber
from spade_jax.config import Config
from spade_jax.errors import UserError
from spade_jax.manifest import read_manifest
from spade_jax.report import read_run

HERE = Machine(user="alice", host="gpu17", folders=("/home/alice", "/home/alice/work/spade"))
MODEL = "llm:transformers:/home/alice/models/Tiny 1B"
FIRST, SECOND = seeds()[:2]
PROMPT = {"version": "2", "files": "f00d", "hash": "beef", "parts": {}}


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(export.main, list(words))
    return int(stop.value.code or 0)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A finished run of two rounds, with a seed that left the pool and a program that came in."""
    old, new = FIRST.hashes.program, SECOND.hashes.program
    made = hand.candidate("r1-0", source=SECOND.source, admitted=True, program=new, parents=[old])
    made["proposal"]["receipt"] = {"prompt": PROMPT, "response": "as written", "model": "tiny"}
    events = [
        hand.pool("admit", old, source=FIRST.source, name="first"),
        {"round": 1, **made},
        hand.pool("admit", new, 1, source=SECOND.source, name="second", seed=False),
        hand.evaluation(new, 0.5, 1),
        hand.pool("evict", old, 1),
    ]
    folder = hand.write_run(tmp_path / "runs" / "mine", events=events)
    (folder / "config.yaml").write_text(yaml.safe_dump(to_plain(Config(rounds=1, seed=4))))
    return folder


def told_by_a_machine(run: Path) -> None:
    """Write into a run what a machine and its server leave in one."""
    config = Config(rounds=1, generator=f"evolve+{MODEL}", compilation_cache="/home/alice/cache")
    (run / "config.yaml").write_text(yaml.safe_dump(to_plain(config)))
    texts = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
    texts[1]["proposal"]["generator"] = MODEL
    texts.append({"kind": "warning", "text": "model:\nOSError: /scratch/run7/x.bin (alice@gpu17)"})
    lines(run / "events.jsonl", texts)
    error = "cannot connect to gpu17.lab.example:8000 with sk-abcdefghijklmnopqrstuvwxyz"
    asked = {"id": "r1-idea-0", "kind": "ideas", "messages": [], "sampling": {}, "shape": ""}
    answers = [
        {"text": "n = a /b/c", "finish": "stop", "error": ""},
        {"text": "", "finish": "error", "error": error},
    ]
    lines(
        run / "exchanges.jsonl",
        [
            {"generator": f"evolve+{MODEL}"},
            *({"backend": MODEL, "key": str(i), "request": asked, "response": answer}
              for i, answer in enumerate(answers)),
        ],
    )  # fmt: skip


def lines(path: Path, records: list) -> None:
    path.write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records))


def unpacked(archive: Path, into: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    (top,) = into.iterdir()
    return top


def test_a_bundle_holds_what_is_read_replayed_and_checked(run, tmp_path) -> None:
    made = export_run(run, tmp_path / "out.tar.gz", machine=HERE)
    folder = unpacked(made.path, tmp_path / "unpacked")
    assert folder.name == made.name and made.name.startswith("coevo-s4-")
    assert read_run(folder).env_steps == read_run(run).env_steps == 20_000
    for name in ("config.yaml", "metrics.jsonl"):
        assert (folder / name).read_text() == (run / name).read_text() or name == "config.yaml"
    assert yaml.safe_load((folder / "config.yaml").read_text()) == to_plain(
        Config(rounds=1, seed=4)
    )
    facts = read_manifest(folder)
    assert facts["bundle"] == 1 and facts["replays"] is True
    assert facts["programs"] == {"archive": 1, "pool": 1}
    assert facts["prompts"] == {"version 2, f00d": 1}
    assert facts["exported_with"]["packages"]["jax"] and facts["exported_with"]["spade_jax"]
    assert facts["commands"]["replay"] == "python -m experiments.replay FOLDER --verify"
    assert set(facts["files"]) == set(made.files) - {"manifest.json"}
    page = (folder / "README.md").read_text()
    assert "1 of 1 rounds, 20,000 environment steps" in page
    assert facts["commands"]["replay"] in page and "`exchanges.jsonl`" not in page
    assert "<h1>coevo, seed 4</h1>" in (folder / "report.html").read_text()


def test_programs_come_with_verdict_receipt_and_hashes(run, tmp_path) -> None:
    made = export_run(run, tmp_path / "out", machine=HERE)
    listed = {
        p["name"]: p for p in json.loads((made.path / "programs.json").read_text())["programs"]
    }
    first, second = listed["first"], listed["second"]
    assert (first["status"], first["seed"], first["verdict"]) == ("archive", True, None)
    assert (second["status"], second["proposal"]) == ("pool", "r1-0")
    assert second["parents"] == [] and second["measured"] == [[1, 50, 100]]
    assert second["verdict"]["ok"] and second["receipt"]["response"] == "as written"
    assert second["prompt"] == {"version": "2", "files": "f00d", "hash": "beef"}
    for entry in listed.values():
        assert load(made.path / entry["file"]).hashes.program == entry["program_hash"]


def test_the_same_run_gives_the_same_bytes(run, tmp_path) -> None:
    one = export_run(run, tmp_path / "one.tar.gz", machine=HERE)
    moved = tmp_path / "elsewhere" / "other-name"
    shutil.copytree(run, moved)
    two = export_run(moved, tmp_path / "two.tgz", machine=dataclasses.replace(HERE, user="bob"))
    assert one.path.read_bytes() == two.path.read_bytes()
    with tarfile.open(one.path) as tar:
        members = tar.getmembers()
    names = [m.name.partition("/")[2] for m in members]
    assert names == ["manifest.json", *sorted(names[1:])]
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {
        (0, 0, 0, "", "", 0o644)
    }
    changed = [*(run / "metrics.jsonl").read_text().splitlines(), '{"kind":"note"}', ""]
    (run / "metrics.jsonl").write_text("\n".join(changed))
    assert export_run(run, tmp_path / "three.tar.gz", machine=HERE).name != one.name


def test_nothing_of_the_machine_is_in_it(run, tmp_path) -> None:
    told_by_a_machine(run)
    made = export_run(run, tmp_path / "out", machine=HERE)
    for file in made.path.rglob("*"):
        if file.is_file():
            for word in (b"alice", b"gpu17", b"/home/", b"sk-abc", b"/scratch", bytes(tmp_path)):
                assert word not in file.read_bytes(), (file, word)
    config = yaml.safe_load((made.path / "config.yaml").read_text())
    name = "llm:transformers:PATH/Tiny 1B"
    assert config["generator"] == f"evolve+{name}" and config["compilation_cache"] == "auto"
    exchanges = [json.loads(x) for x in (made.path / "exchanges.jsonl").read_text().splitlines()]
    assert exchanges[0]["generator"] == f"evolve+{name}"
    assert {x["backend"] for x in exchanges[1:]} == {name}
    assert exchanges[1]["response"]["text"] == "n = a /b/c"
    assert exchanges[2]["response"]["error"] == "cannot connect to HOST:8000 with [key]"
    events = [json.loads(x) for x in (made.path / "events.jsonl").read_text().splitlines()]
    assert events[1]["proposal"]["generator"] == name
    assert events[-1]["text"] == "model:\nOSError: PATH/x.bin (USER@HOST)"
    assert any(note.startswith("Taken out") for note in made.notes) and not made.warnings


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("/home/alice/x/y.py:12 failed", "PATH/y.py:12 failed"),
        ("in /home/bob", "in PATH"),
        ("/tmp/a/m and /tmp/b/m", "PATH/m and PATH-2/m"),
        ("file:///data/runs/a", "file://PATH/a"),
        ("http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1/chat/completions"),
        ("openai:a/b@http://gpu17/v1", "openai:a/b@http://HOST/v1"),
        ("w / h and n // 2 / 3, 1/2/3, </div></p>", "w / h and n // 2 / 3, 1/2/3, </div></p>"),
        ("gpu17 is a word, and alice too", "gpu17 is a word, and alice too"),
        ("Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [key]"),
        ("a secret-thing, not secret-things", "a HIDDEN, not secret-things"),
        ("/data/secret-thing/secret-thing", "PATH/HIDDEN"),
    ],
)
def test_what_is_taken_out_of_a_line(text: str, clean: str) -> None:
    assert Scrubber(HERE, hide=["secret-thing"]).text(text) == clean


def test_a_key_of_the_environment_is_taken_out(run, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2hunter2")
    events = (run / "events.jsonl").read_text()
    (run / "events.jsonl").write_text(f'{events}{{"kind":"warning","text":"hunter2hunter2"}}\n')
    made = export_run(run, tmp_path / "out")
    assert "hunter2" not in (made.path / "events.jsonl").read_text()


def test_a_name_that_stands_somewhere_is_told(run, tmp_path) -> None:
    machine = dataclasses.replace(HERE, user="second")
    (warning,) = [
        w for w in export_run(run, tmp_path / "a", machine=machine).warnings if "events" in w
    ]
    assert warning.startswith("your user name, 'second', stands in events.jsonl (2 times): look")


def test_what_is_left_out_is_said(run, tmp_path) -> None:
    told_by_a_machine(run)
    (run / "profile" / "deep").mkdir(parents=True)
    (run / "profile" / "deep" / "trace").write_bytes(b"x" * 1000)
    (run / "notes.txt").write_text("mine")
    made = export_run(run, tmp_path / "out", Choice(exchanges="none"), machine=HERE)
    left = {rest.name: rest for rest in made.left_out}
    assert set(left) == {"exchanges.jsonl", "notes.txt", "profile"}
    assert left["profile"].bytes == 1000 and "trace" in left["profile"].why
    assert not set(made.files) & set(left)
    facts = read_manifest(made.path)
    assert facts["replays"] is False and "replay" not in facts["commands"]
    assert any("cannot be done again" in note for note in made.notes)
    with pytest.raises(SystemExit) as stop:
        _cli.run_command(replay.main, [str(made.path), "--verify"])
    assert stop.value.code == 2


def test_a_replay_without_the_answers_is_refused(run, capsys) -> None:
    told_by_a_machine(run)
    (run / "exchanges.jsonl").unlink()
    with pytest.raises(SystemExit):
        _cli.run_command(replay.main, [str(run), "--verify"])
    assert "has no record of what models answered" in capsys.readouterr().err


def test_a_run_that_goes_on_meanwhile_can_be_gone_on_from(run, tmp_path, monkeypatch) -> None:
    import numpy as np

    def go_on(step: int) -> None:
        """What a run does between two rounds: it writes lines, then their checkpoint."""
        offsets = {}
        for name in ("metrics", "events"):
            with (run / f"{name}.jsonl").open("a") as journal:
                journal.write('{"kind":"warning","text":"beside"}\n')
            offsets[name] = (run / f"{name}.jsonl").stat().st_size
        checkpoint.save(run / "checkpoints", step, {"w": np.ones(3)}, {"offsets": offsets})

    go_on(1)
    for step, name in enumerate(("copy_records", "copy_checkpoints"), start=2):
        original = getattr(exporting, name)

        def meanwhile(*given, original=original, step=step):
            done = original(*given)
            go_on(step)
            return done

        monkeypatch.setattr(exporting, name, meanwhile)
    made = export_run(run, tmp_path / "out", Choice(checkpoints="last"), machine=HERE)
    (meta,) = (made.path / "checkpoints").glob("*/meta.json")
    for name, offset in json.loads(meta.read_text())["offsets"].items():
        text = (made.path / f"{name}.jsonl").read_bytes()
        assert len(text) >= offset and text[offset - 1 : offset] == b"\n"


def test_checkpoints_that_are_wanted(run, tmp_path) -> None:
    import numpy as np

    for step, score in ((1, 0.9), (2, 0.1)):
        checkpoint.save(run / "checkpoints", step, {"w": np.ones(3)}, {"round": step}, score=score)
    best = export_run(run, tmp_path / "best.tar.gz", Choice(checkpoints="best"), machine=HERE)
    folder = unpacked(best.path, tmp_path / "unpacked") / "checkpoints"
    assert [p.name for p in folder.iterdir()] == ["step_00000001"]
    assert checkpoint.damage(folder / "step_00000001") is None
    for file in folder.rglob("*"):
        assert file.is_dir() or bytes(tmp_path) not in file.read_bytes(), file
    assert [rest.name for rest in best.left_out] == ["checkpoints"]
    every = export_run(run, tmp_path / "all", Choice(checkpoints="all"), machine=HERE)
    assert len(list((every.path / "checkpoints").iterdir())) == 2 and not every.left_out
    assert "go on" in read_manifest(every.path)["commands"]
    told_by_a_machine(run)
    with pytest.raises(UserError, match="export it without --checkpoints"):
        export_run(run, tmp_path / "no", Choice(checkpoints="last"), machine=HERE)
    assert not (tmp_path / "no").exists()


def test_an_unfinished_run_and_a_torn_line(run, tmp_path) -> None:
    (run / "config.yaml").write_text(yaml.safe_dump(to_plain(Config(rounds=5))))
    whole = (run / "events.jsonl").read_text()
    (run / "events.jsonl").write_text(whole + '{"kind": "candi')
    made = export_run(run, tmp_path / "out", machine=HERE)
    assert "Unfinished: 1 of 5 rounds are recorded." in made.notes
    assert (made.path / "events.jsonl").read_text() == whole


def test_what_is_imported_to_do_it_again_is_named(tmp_path: Path) -> None:
    run = hand.write_run(tmp_path / "run")
    file = run / "config.yaml"
    config = yaml.safe_load(file.read_text())
    config |= {"generator": "evolve+mine:Writer", "residents": ["mine:Catch"]}
    file.write_text(yaml.safe_dump(config))
    made = export_run(run, tmp_path / "b.tar.gz", machine=HERE)
    told = [note for note in made.notes if note.startswith("Doing it again imports and runs ")]
    assert [note.split(" runs ")[1].split(",")[0] for note in told] == ["mine:Writer", "mine:Catch"]


def damaged(run: Path) -> None:
    (run / "metrics.jsonl").write_text('{"kind":"round"\n{}\n')


def without_rounds(run: Path) -> None:
    lines(run / "metrics.jsonl", [hand.iteration(1, 10)])


def hostile(run: Path) -> None:
    lines(run / "events.jsonl", [hand.pool("admit", "../../evil", source="x")])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (damaged, "metrics.jsonl, line 1: not JSON"),
        (without_rounds, "not one round is recorded"),
        (hostile, "'../../evil' is no program hash"),
        (lambda run: (run / "config.yaml").unlink(), "is not a run folder"),
        (lambda run: (run / "config.yaml").write_text("a: ["), "config.yaml is damaged"),
    ],
)
def test_a_damaged_run_is_one_line(run, tmp_path, monkeypatch, capsys, change, told) -> None:
    monkeypatch.chdir(tmp_path)
    change(run)
    assert call(str(run)) == 2
    said = capsys.readouterr()
    assert told in said.err and said.err.count("\n") == 1 and said.out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["runs"]


def test_nothing_is_written_over_unasked(run, tmp_path, capsys) -> None:
    out, folder, other = tmp_path / "o.tar.gz", tmp_path / "bundle", tmp_path / "other"
    assert call(str(run), "--out", str(out)) == call(str(run), "--out", str(folder)) == 0
    before = out.read_bytes()
    (other / "mine").mkdir(parents=True)
    capsys.readouterr()
    for words, told in (
        ([str(out)], "exists; add --overwrite"),
        ([str(folder)], "exists; add --overwrite"),
        ([str(other), "--overwrite"], "is not a bundle that may be replaced"),
        ([str(run), "--overwrite"], "is not a bundle that may be replaced"),
        ([str(tmp_path / "o.zip")], "as FILE.tar.gz or as a folder"),
        ([str(tmp_path / "none" / "o.tar.gz")], "no such folder"),
    ):
        assert call(str(run), "--out", *words) == 2
        said = capsys.readouterr().err
        assert told in said and said.count("\n") == 1
    (folder / "README.md").write_text("changed")
    assert call(str(run), "--out", str(out), "--overwrite") == 0
    assert call(str(run), "--out", str(folder), "--overwrite") == 0
    assert out.read_bytes() == before and (folder / "README.md").read_text() != "changed"
    assert (other / "mine").is_dir()


def test_what_fails_midway_leaves_nothing(run, tmp_path, monkeypatch) -> None:
    target = tmp_path / "o.tar.gz"
    target.write_bytes(b"before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for where in ("render_report", "pack"):
        with monkeypatch.context() as patch:
            patch.setattr(exporting, where, full)
            with pytest.raises(OSError, match="No space"):
                export_run(run, target, overwrite=True, machine=HERE)
    assert target.read_bytes() == b"before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["o.tar.gz", "runs"]


def test_versions_are_written_down_once_and_go_along(run, tmp_path, monkeypatch) -> None:
    versions.record(run)
    versions.record(run)
    (made,) = versions.read_versions(run)
    assert made["python"] and made["packages"]["numpy"] and made["device"]
    monkeypatch.setattr(versions, "commit", lambda: "abc1234-dirty")
    versions.record(run)
    assert len(versions.read_versions(run)) == 2
    bundle = export_run(run, tmp_path / "out", machine=HERE)
    assert read_manifest(bundle.path)["ran_with"] == versions.read_versions(run)
    assert any("-dirty" in note for note in bundle.notes)
    assert "Made, one after another, with" in (bundle.path / "README.md").read_text()


def test_the_command_says_sizes_and_how_to_check(run, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (run / "policy.npz").write_bytes(b"x" * 2000)
    assert call("runs/mine") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("coevo-s4-") and " kB, " in said[0] and said[0].endswith(" files")
    assert "left out: policy.npz, 2.0 kB (a checkpoint has it)" in said
    (archive,) = tmp_path.glob("*.tar.gz")
    assert said[-1].endswith(f"python -m experiments.export --check {archive.name}")
    assert call("--check", archive.name) == 0
    assert capsys.readouterr().out.startswith("as it was exported: ")
    assert call("runs/mine", "--out", "b", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["path"] == "b" and document["left_out"][0]["name"] == "policy.npz"


def test_a_configuration_of_another_version_is_bundled_to_be_read(run, tmp_path, capsys) -> None:
    (run / "config.yaml").write_text(yaml.safe_dump({"seed": 4, "rounds": 1, "gone": 1}))
    assert call(str(run), "--out", str(tmp_path / "out")) == 0
    assert "note: The version that exported it cannot do it again: unknown field 'gone'" in (
        capsys.readouterr().out
    )
    assert read_manifest(tmp_path / "out")["replays"] is False
    (run / "config.yaml").write_text("seed: 4\nllm: 5\nlearner: {1: 2}\n")
    assert call(str(run), "--out", str(tmp_path / "odd")) == 0
