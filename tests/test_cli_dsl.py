"""The commands of ``python -m envs_dsl``, and the canonical text that ``fmt`` prints."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envs_dsl import Program, check
from envs_dsl.__main__ import main
from envs_dsl.language.unparse import comments_of, unparse
from envs_dsl.metadata import read_header, write_header

LIBRARY = Path(__file__).parents[1] / "envs_dsl" / "library"
KEY_DOOR = str(LIBRARY / "seeds" / "key_door.py")
SCRAMBLE = str(LIBRARY / "seeds" / "scramble.py")
PROGRAMS = sorted(LIBRARY.glob("*/*.py"))


def call(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    try:
        code = main(argv)
    except SystemExit as stop:  # argparse
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    code, out, err = call(capsys, *argv)
    assert code == 0 and err == ""
    return json.loads(out)


@pytest.fixture
def broken(tmp_path: Path) -> str:
    path = tmp_path / "broken.py"
    path.write_text(Path(KEY_DOOR).read_text().replace("s.has_key = True", "s.has_kee = 3"))
    return str(path)


def test_check_reports_cost_and_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    (report,) = document(capsys, "check", KEY_DOOR, "--json")
    program = Program.from_source(Path(KEY_DOOR).read_text())
    assert report["file"] == KEY_DOOR and report["ok"] and report["diagnostics"] == []
    assert set(report["cost"]) == {"work", "depth", "ops", "draws", "state_bytes"}
    assert report["hashes"] == {
        "skeleton": program.hashes.skeleton,
        "program": program.hashes.program,
    }


def test_check_rejects_with_code_1_and_diagnostics(
    capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    code, out, _ = call(capsys, "check", KEY_DOOR, broken, "--json")
    good, bad = json.loads(out)
    assert code == 1 and good["ok"] and not bad["ok"] and bad["hashes"] is None
    first = bad["diagnostics"][0]
    assert set(first) == {"code", "severity", "line", "column", "message", "hint"}
    assert first["code"] == "E202" and "has_key" in first["hint"]
    code, out, _ = call(capsys, "check", broken)
    assert code == 1 and "^" in out and "hint:" in out


@pytest.mark.parametrize("command", ["check", "run", "render", "mutate", "fmt"])
def test_a_missing_file_is_one_line_and_code_2(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    more = {"run": ["--policy", "noop"], "render": ["--ascii"]}.get(command, [])
    code, out, err = call(capsys, command, "no/such/file.py", *more)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and "no/such/file.py" in err


def test_bytes_that_are_no_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "soup.py"
    path.write_bytes(bytes(range(256)) * 3)
    code, out, _ = call(capsys, "check", str(path), "--json")
    (report,) = json.loads(out)
    assert code == 1 and report["cost"] is None and report["hashes"] is None
    assert report["diagnostics"][0]["code"] == "E100"
    for command in (["run", "--policy", "noop"], ["render", "--ascii"], ["mutate"], ["fmt"]):
        code, out, err = call(capsys, command[0], str(path), *command[1:])
        assert code == 1 and out == "" and "E100" in err and "Traceback" not in err


def test_run_is_the_same_on_both_back_ends_and_in_a_batch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    base = ["run", KEY_DOOR, "--seed", "3", "--policy", "random", "--steps", "12", "--json"]
    numpy = document(capsys, *base)
    assert numpy == document(capsys, *base, "--batch", "3")
    assert numpy == document(capsys, *base, "--backend", "jax")
    assert [s["t"] for s in numpy["steps"]] == list(range(12))
    other = document(capsys, *base[:3], "4", *base[4:])
    assert other["state_hash"] != numpy["state_hash"]


def test_run_stops_at_the_end_and_sums_rewards(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "walk.py"
    path.write_text(
        '"""Walk to the right until the end."""\ngame = Game(size=(3, 4), max_steps=5)\n'
        "class State:\n    agent: Pos\n"
        "def reset(s):\n    s.agent = Pos(0, 0)\n"
        "def step(s, act):\n    s.agent = try_move(s.agent, act.move)\n    reward(0.25)\n"
        "    if s.agent.col == 2:\n        win()\n"
    )
    found = document(capsys, "run", str(path), "--actions", "4,4,4,4", "--json")
    assert found["steps"] == [
        {"t": 0, "action": 4, "reward": 0.25, "terminated": False, "truncated": False,
         "outcome": None},
        {"t": 1, "action": 4, "reward": 0.75, "terminated": True, "truncated": False,
         "outcome": "win"},
    ]  # fmt: skip
    assert found["return"] == 1.0
    found = document(capsys, "run", str(path), "--policy", "noop", "--json")
    assert len(found["steps"]) == 5 and found["steps"][-1]["truncated"]
    assert found["steps"][-1]["outcome"] is None


def test_several_seats_have_several_actions_and_rewards(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = document(capsys, "run", SCRAMBLE, "--actions", "1:2,0:3", "--json")
    assert [s["action"] for s in found["steps"]] == ["1:2", "0:3"]
    assert len(found["return"]) == 2 == len(found["steps"][0]["reward"])


def test_where_turns_alternate_the_others_are_shown_as_staying(
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = str(LIBRARY / "games" / "tic_tac_toe.py")
    code, out, _ = call(capsys, "run", game, "--policy", "random", "--steps", "9", "--json")
    taken = [step["action"].split(":") for step in json.loads(out)["steps"]]
    assert code == 0 and all("0" in action for action in taken), taken


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["run", KEY_DOOR], "either --actions or --policy"),
        (["run", KEY_DOOR, "--actions", "1,99"], "'99'"),
        (["run", KEY_DOOR, "--actions", "1:2"], "1 seats need 1 numbers"),
        (["run", KEY_DOOR, "--policy", "clever"], "--policy"),
        (["run", KEY_DOOR, "--policy", "noop", "--seed", "-1"], "--seed"),
        (["run", KEY_DOOR, "--policy", "noop", "--seed", "x"], "'x' is not a whole number"),
        (["reference", "--cases", "no/such"], "no/such: no such folder"),
        (["render", KEY_DOOR], "--ascii"),
        (["render", KEY_DOOR, "--png", ""], ": Is a directory"),
        (["render", KEY_DOOR, SCRAMBLE, "--ascii"], "--png"),
        (["mutate", KEY_DOOR, "--operator", "resise"], "did you mean resize"),
        (["frobnicate"], "frobnicate"),
        ([], "COMMAND"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(
    capsys: pytest.CaptureFixture[str], argv: list[str], words: str
) -> None:
    code, out, err = call(capsys, *argv)
    assert (code, out) == (2, "")
    assert words in err and err.count("\n") == 1


def test_a_file_without_end_and_a_full_disk() -> None:
    command = [sys.executable, "-m", "envs_dsl", "check"]
    endless = subprocess.run([*command, "/dev/zero"], capture_output=True, text=True)
    assert endless.returncode == 1 and "characters; 12288 are allowed" in endless.stdout
    with open("/dev/full", "w") as full:
        said = subprocess.run([*command, KEY_DOOR], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (said.returncode, said.stderr) == (2, "error: No space left on device\n")


def test_render_writes_what_is_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = call(capsys, "render", KEY_DOOR, "--seed", "2", "--ascii")
    assert code == 0 and out.startswith("#########\n") and "@ agent" in out
    png, gif = tmp_path / "a.png", tmp_path / "a.gif"
    assert call(capsys, "render", KEY_DOOR, "--steps", "2", "--png", str(png))[0] == 0
    assert call(capsys, "render", KEY_DOOR, "--steps", "3", "--gif", str(gif))[0] == 0
    assert png.read_bytes()[:4] == b"\x89PNG" and gif.read_bytes()[:3] == b"GIF"
    code, _, err = call(capsys, "render", KEY_DOOR, "--png", str(tmp_path / "none" / "a.png"))
    assert code == 2 and err.count("\n") == 1
    sheet = tmp_path / "sheet.png"
    assert call(capsys, "render", KEY_DOOR, SCRAMBLE, "--png", str(sheet))[0] == 0
    assert sheet.stat().st_size > png.stat().st_size


def test_run_names_the_actions(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "run", KEY_DOOR, "--actions", "4,0")
    assert code == 0 and [line.split()[1] for line in out.splitlines()[:2]] == ["RIGHT", "STAY"]
    _, out, _ = call(capsys, "run", SCRAMBLE, "--actions", "1:2")
    assert out.split()[1] == "UP:DOWN"


def test_mutate_prints_a_program_that_checks(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "mutate", KEY_DOOR, "--seed", "4")
    assert code == 0 and check(out).ok
    assert call(capsys, "mutate", KEY_DOOR, "--seed", "4")[1] == out
    code, out, _ = call(capsys, "mutate", KEY_DOOR, "--operator", "graft", "--seed", "1")
    assert code == 0 and check(out).ok


def test_builtins_prints_the_whole_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "builtins")
    assert code == 0
    for word in ("operators", "try_move", "flood", "Pos, Dir -> Pos", "random_cell", "19 flip"):
        assert word in out


@pytest.mark.parametrize("command", ["", "check", "run", "render", "mutate", "fmt", "builtins"])
def test_help_has_examples(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = call(capsys, *([command] if command else []), "--help")
    assert code == 0 and "examples:" in out


def test_check_loads_no_array_library() -> None:
    code = (
        "import sys; from envs_dsl.__main__ import main; main(sys.argv[1:]); "
        "print([m for m in ('jax', 'numpy', 'PIL', 'gymnax') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", KEY_DOOR],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(LIBRARY.parents[1])},
    )
    assert done.stdout.strip().endswith("[]")


# --- canonical text ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_fmt_keeps_meaning_and_is_stable(path: Path) -> None:
    text = path.read_text()
    module = ast.parse(text)
    once = unparse(module, comments_of(text))
    assert ast.dump(ast.parse(once)) == ast.dump(module)
    assert unparse(ast.parse(once), comments_of(once)) == once
    assert max(map(len, once.split("\n"))) <= 100


def test_fmt_keeps_header_and_comments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "commented.py"
    path.write_text(
        "# env_id: abc\n# tags: a, b\n'''Walk about until you win.'''\n"
        "game=Game(size=(5,5),max_steps=9)\n"
        "class State:\n    agent: Pos  # who\n"
        "def reset(s):\n    # the middle\n    s.agent=Pos(2,2)\n"
        "def step(s,act):\n"
        "    if act.move==UP and (s.agent.row>1 or not s.t<3): # maybe\n        win()\n"
        "    elif (s.t>5):\n        # late\n        lose()\n"
        "    else:\n        s.agent=s.agent+(-1*2-(3-1)>0 and UP or act.move)\n"
    )
    code, out, _ = call(capsys, "fmt", str(path))
    assert code == 0
    assert out == (
        "# env_id: abc\n# tags: a, b\n"
        '"""Walk about until you win."""\n'
        "game = Game(size=(5, 5), max_steps=9)\n\n"
        "class State:\n    agent: Pos  # who\n\n"
        "def reset(s):\n    # the middle\n    s.agent = Pos(2, 2)\n\n"
        "def step(s, act):\n"
        "    if act.move == UP and (s.agent.row > 1 or not s.t < 3):  # maybe\n        win()\n"
        "    elif s.t > 5:\n        # late\n        lose()\n"
        "    else:\n        s.agent = s.agent + ((-1 * 2 - (3 - 1) > 0 and UP) or act.move)\n"
    )
    assert read_header(out) == {"env_id": "abc", "tags": "a, b"}
    assert write_header(out, {"env_id": "new"}).split("\n")[:2] == [
        "# env_id: new",
        '"""Walk about until you win."""',
    ]


def test_long_lines_are_broken_where_python_allows() -> None:
    names = " or ".join(
        f"(s.board == Tile.MEMBER_NUMBER_{i} and not at(s.agent))" for i in range(6)
    )
    text = f"def step(s, act):\n    s.mask = where({names}, {names}, s.mask)\n    x = {names}\n"
    module = ast.parse(text)
    out = unparse(module)
    assert ast.dump(ast.parse(out)) == ast.dump(module)
    assert max(map(len, out.split("\n"))) <= 100 and unparse(ast.parse(out)) == out


def test_fmt_mends_first_where_it_is_asked_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = PROGRAMS[0].read_text().replace("def reset(s):", "import jax\n\n\ndef reset(s):")
    path = tmp_path / "draft.py"
    path.write_text(draft)
    assert main(["fmt", str(path)]) == 1
    capsys.readouterr()
    assert main(["fmt", str(path), "--fix"]) == 0
    shown = capsys.readouterr()
    line = draft.split("\n").index("import jax") + 1
    assert shown.err == f"{path}:{line}: import dropped\n"
    assert check(shown.out).ok
