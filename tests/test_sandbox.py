"""The sandbox with real processes and stages that misbehave."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from spade_jax.executor import ExecutorConfig, Request, Sandbox, SandboxError, examine
from spade_jax.types import Reason, Stage, Verdict, to_json

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

import sandbox_stages  # noqa: E402

STAGES = "sandbox_stages:STAGES"
CONFIG = ExecutorConfig(smoke_seconds=20.0, file_mb=2, nice=0)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    """One sandbox for the tests that do no lasting harm."""
    config = dataclasses.replace(CONFIG, temp_dir=str(tmp_path_factory.mktemp("shared")))
    with Sandbox(config, stages=STAGES) as box:
        yield box


def make(tmp_path: Path, **changes) -> Sandbox:
    config = dataclasses.replace(CONFIG, temp_dir=str(tmp_path), **changes)
    return Sandbox(config, stages=STAGES)


def ask(box: Sandbox, source: str) -> Verdict:
    return box.submit(Request(source, id=source[:20])).result(timeout=60)


def without_seconds(verdict: Verdict) -> Verdict:
    stages = tuple(dataclasses.replace(s, seconds=0.0) for s in verdict.stages)
    return dataclasses.replace(verdict, stages=stages)


def gone(pid: int, within: float = 3.0) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


# ---- the ordinary course ----


@pytest.mark.parametrize(
    "source", ["fine hello", "reject bad luck", "raise oh dear", "not_json nan"]
)
def test_same_verdict_as_in_process(shared: Sandbox, source: str) -> None:
    request = Request(source, id="r1-0")
    there = shared.submit(request).result(timeout=60)
    here = examine(request, CONFIG, sandbox_stages.STAGES)
    assert without_seconds(there) == without_seconds(here)
    assert there.proposal_id == "r1-0"
    assert there.program_hash == "feed"


def test_verdict_is_json_and_counts_steps(shared: Sandbox) -> None:
    verdict = ask(shared, "fine hello")
    assert verdict.ok and verdict.reason is Reason.OK
    assert verdict.env_steps == 10
    assert [s.name for s in verdict.stages] == [Stage.PARSE, Stage.SMOKE]
    json.dumps(to_json(verdict), allow_nan=False)


def test_many_results_belong_to_their_requests(tmp_path: Path) -> None:
    with make(tmp_path, workers=2) as box:
        futures = [box.submit(Request(f"fine {i}", id=f"r0-{i}")) for i in range(60)]
        for i, future in enumerate(futures):
            verdict = future.result(timeout=60)
            assert verdict.proposal_id == f"r0-{i}"
            assert verdict.stages[1].detail["said"] == str(i)


def test_until_stops_early(shared: Sandbox) -> None:
    request = Request("hang", until=Stage.PARSE)
    verdict = shared.submit(request).result(timeout=30)
    assert verdict.ok and len(verdict.stages) == 1


def test_large_request_and_awkward_text(shared: Sandbox) -> None:
    hashes = tuple(f"{i:016x}" for i in range(50_000))
    request = Request("fine \x00\ud800 ü\u2028" + "z" * 20_000, known_programs=hashes)
    verdict = shared.submit(request).result(timeout=60)
    assert verdict.ok and verdict.stages[1].detail["said"].startswith("\x00\ud800 ü\u2028z")


@pytest.mark.parametrize(
    ("source", "reason"),
    [("giant", Reason.INTERNAL), ("not_json", Reason.INTERNAL), ("raise x", Reason.INTERNAL)],
)
def test_bad_findings_are_internal_errors(shared: Sandbox, source: str, reason: Reason) -> None:
    ask(shared, "fine")  # workers start when something is asked
    pid = shared.pids
    verdict = ask(shared, source)
    assert verdict.reason is reason and verdict.error and "\n" not in verdict.error
    assert shared.pids == pid, "the worker goes on"


# ---- time ----


@pytest.mark.parametrize("deed", ["hang", "spin", "deaf"])
def test_hung_stage_ends_within_limit_and_two_seconds(tmp_path: Path, deed: str) -> None:
    with make(tmp_path, smoke_seconds=1.0) as box:
        assert ask(box, "fine").ok
        started = time.monotonic()
        verdict = ask(box, deed)
        assert time.monotonic() - started < 1.0 + 2.0
        assert verdict.reason is Reason.TIMEOUT and not verdict.ok
        assert verdict.stages[0].ok and verdict.program_hash == "feed", "what was found is kept"
        assert verdict.stages[1].name is Stage.SMOKE and not verdict.stages[1].ok
        assert verdict.stages[1].detail["limit"] == {"seconds": 1.0}
        assert verdict.env_steps == 7
        assert ask(box, "fine after").ok


def test_processor_time_is_limited_and_rearmed(tmp_path: Path) -> None:
    with make(tmp_path, cpu_seconds=1, smoke_seconds=30.0) as box:
        for _ in range(2):
            verdict = ask(box, "spin")
            assert verdict.reason is Reason.TIMEOUT
            assert verdict.stages[-1].detail["signal"] == "SIGXCPU"
        assert ask(box, "fine").ok


# ---- memory ----


def test_memory_hog(tmp_path: Path) -> None:
    with make(tmp_path, memory_mb=700, resident_mb=2000) as box:
        started = time.monotonic()
        assert ask(box, "eat").reason is Reason.MEMORY
        assert time.monotonic() - started < 20.0
        assert ask(box, "fine").ok


def test_resident_memory_is_watched(tmp_path: Path) -> None:
    with make(tmp_path, resident_mb=300) as box:
        assert ask(box, "fine").ok
        verdict = ask(box, "eat_stubbornly")
        assert verdict.reason is Reason.MEMORY
        assert verdict.stages[-1].detail["limit"] == {"resident_mb": 300}
        assert ask(box, "fine").ok


# ---- files ----


def test_file_size_is_bounded_and_the_folder_is_emptied(shared: Sandbox) -> None:
    detail = ask(shared, "write").stages[1].detail
    assert detail["error"] == "OSError" and detail["written"] <= 2 << 20
    assert ask(shared, "listing").stages[1].detail["files"] == []


def test_no_files_outside_the_private_folder(shared: Sandbox, tmp_path: Path) -> None:
    target = tmp_path / "outside"
    verdict = ask(shared, f"write_outside {target}")
    if "files outside the private folder" in shared.capabilities.missing:
        pytest.skip("this system cannot enforce it")
    assert verdict.stages[1].detail["error"] == "PermissionError"
    assert not target.exists()


def test_private_folders_are_removed(tmp_path: Path) -> None:
    with make(tmp_path) as box:
        folder = Path(ask(box, "write").stages[1].detail["folder"])
        assert folder.is_relative_to(tmp_path) and folder.exists()
        assert ask(box, "kill_self SIGKILL").reason is Reason.KILLED
        ask(box, "write")
    assert list(tmp_path.iterdir()) == []


def test_folders_of_a_killed_owner_are_swept(tmp_path: Path) -> None:
    script = (
        "import sys, os, signal\n"
        "from spade_jax.executor import ExecutorConfig, Sandbox, Request\n"
        f"box = Sandbox(ExecutorConfig(temp_dir={str(tmp_path)!r}), stages={STAGES!r})\n"
        "box.submit(Request('fine')).result()\n"
        "print(*box.pids, flush=True)\n"
        "box.submit(Request('hang')); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert gone(int(done.stdout.split()[0])), "workers die with their owner"
    left = list(tmp_path.iterdir())
    assert len(left) == 1
    with make(tmp_path) as box:
        assert ask(box, "fine").ok
        assert not left[0].exists()


# ---- network, processes, environment ----


def test_no_network(shared: Sandbox) -> None:
    if "network" in shared.capabilities.missing:
        pytest.skip("this system cannot enforce it")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        detail = ask(shared, f"connect 127.0.0.1:{port}").stages[1].detail
    assert detail["error"] != ""


def test_environment_is_scrubbed(shared: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ask(shared, "listing").stages[1].detail["env"]
    assert "JAX_PLATFORMS" in names and "OMP_NUM_THREADS" in names
    monkeypatch.setenv("SECRET_TOKEN", "x")
    with Sandbox(CONFIG, stages=STAGES) as box:
        names = ask(box, "listing").stages[1].detail["env"]
    assert "SECRET_TOKEN" not in names


def test_children_are_refused(shared: Sandbox) -> None:
    if "child processes" in shared.capabilities.missing:
        pytest.skip("this system cannot enforce it")
    detail = ask(shared, "fork").stages[1].detail
    assert detail == {"error": "PermissionError", "children": []}


def test_children_are_reaped(tmp_path: Path) -> None:
    with make(tmp_path, child_processes=True) as box:
        detail = ask(box, "fork").stages[1].detail
        assert len(detail["children"]) == 2
        assert all(psutil.pid_exists(pid) for pid in detail["children"])
    assert all(gone(pid) for pid in detail["children"])


def test_children_of_a_hung_stage_are_reaped(tmp_path: Path) -> None:
    with make(tmp_path, child_processes=True, smoke_seconds=1.5) as box:
        future = box.submit(Request("fork numbers"))
        deadline = time.monotonic() + 30
        while not (found := list(tmp_path.glob("*/*/numbers"))):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.1)
        children = [int(word) for word in found[0].read_text().split()]
        assert future.result(timeout=30).reason is Reason.TIMEOUT
        assert len(children) == 2 and all(gone(pid) for pid in children)


# ---- workers that die or talk nonsense ----


def test_sigkill_mid_stage_costs_that_candidate_alone(tmp_path: Path) -> None:
    with make(tmp_path) as box:
        before = box.submit(Request("fine before"))
        victim = box.submit(Request("announce", id="victim"))
        after = [box.submit(Request(f"fine {i}")) for i in range(5)]
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("*/*/running")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        (pid,) = box.pids
        os.kill(pid, signal.SIGKILL)
        assert before.result(timeout=30).ok
        verdict = victim.result(timeout=30)
        assert verdict.reason is Reason.KILLED and verdict.proposal_id == "victim"
        assert "SIGKILL" in verdict.error and verdict.program_hash == "feed"
        assert all(future.result(timeout=30).ok for future in after)
        assert box.pids != (pid,)


def test_sigkill_between_candidates_costs_nothing(tmp_path: Path) -> None:
    with make(tmp_path) as box:
        assert ask(box, "fine").ok
        os.kill(box.pids[0], signal.SIGKILL)
        assert ask(box, "fine again").ok


@pytest.mark.parametrize("source", ["exit 3", "exit 0", "kill_self SIGSEGV", "kill_self SIGTERM"])
def test_a_worker_that_ends_itself(tmp_path: Path, source: str) -> None:
    with make(tmp_path) as box:
        assert ask(box, source).reason is Reason.KILLED
        assert ask(box, "fine").ok


def test_a_stopped_worker_is_replaced(tmp_path: Path) -> None:
    with make(tmp_path, smoke_seconds=1.0) as box:
        assert ask(box, "kill_self SIGSTOP").reason is Reason.TIMEOUT
        assert ask(box, "fine").ok


def test_garbage_on_standard_output_is_harmless(shared: Sandbox) -> None:
    verdict = ask(shared, "garbage")
    assert verdict.ok and verdict.stages[1].detail == {"printed": True}
    assert ask(shared, "fine").ok


@pytest.mark.parametrize(
    "text",
    [
        "rubbish\n",
        "[1]\n",
        '{"verdict": 3}\n',
        '{"verdict": {"reason": "ok"}}\n',
        '{"stage": "smoke"}\n',
        '{"stage": "no such"}\n',
        "{}\n",
        "[" * 100_000 + "\n",
    ],
)
def test_forged_messages_end_the_worker(tmp_path: Path, text: str) -> None:
    with make(tmp_path, child_processes=True) as box:
        verdict = ask(box, f"forge {text}")
        assert verdict.reason is Reason.KILLED and not verdict.ok
        assert ask(box, "fine").ok


def test_endless_output_ends_the_worker(tmp_path: Path) -> None:
    with make(tmp_path) as box:
        verdict = ask(box, "flood")
        assert verdict.reason is Reason.KILLED and "kB" in verdict.error
        assert ask(box, "fine").ok


def test_workers_are_recycled(tmp_path: Path) -> None:
    with make(tmp_path, recycle_candidates=2) as box:
        assert ask(box, "fine").ok
        (first,) = box.pids
        assert ask(box, "fine").ok
        assert ask(box, "fine").ok
        assert box.pids != (first,)


# ---- starting and closing ----


def test_capabilities_are_said(shared: Sandbox) -> None:
    found = shared.capabilities
    assert "time" in found.enforced and "file size" in found.enforced
    assert set(found.enforced).isdisjoint(found.missing)
    assert found.line().startswith("sandbox: ")


def test_a_sandbox_that_cannot_start_says_why(tmp_path: Path) -> None:
    config = dataclasses.replace(CONFIG, temp_dir=str(tmp_path))
    with Sandbox(config, stages="no_such_module:STAGES") as box:
        with pytest.raises(SandboxError, match="no_such_module"):
            box.capabilities
        with pytest.raises(SandboxError, match="no_such_module"):
            box.submit(Request("fine")).result(timeout=60)


def test_close_ends_everything_at_once(tmp_path: Path) -> None:
    others = set(threading.enumerate())
    box = make(tmp_path, workers=2)
    futures = [box.submit(Request("hang")) for _ in range(6)]
    box.capabilities
    time.sleep(0.3)
    pids = box.pids
    started = time.monotonic()
    box.close()
    assert time.monotonic() - started < 5.0
    assert all(gone(pid) for pid in pids)
    for future in futures:
        assert future.cancelled() or isinstance(future.exception(), SandboxError)
    with pytest.raises(SandboxError, match="closed"):
        box.submit(Request("fine"))
    box.close()
    assert list(tmp_path.iterdir()) == []
    assert set(threading.enumerate()) <= others


def test_close_while_starting(tmp_path: Path) -> None:
    started = time.monotonic()
    make(tmp_path).close()
    assert time.monotonic() - started < 5.0
    assert list(tmp_path.iterdir()) == []


def test_submitting_does_not_block(shared: Sandbox) -> None:
    started = time.monotonic()
    futures = [shared.submit(Request("fine")) for _ in range(200)]
    assert time.monotonic() - started < 0.5
    assert all(f.result(timeout=60).ok for f in futures)


def test_configuration_is_checked() -> None:
    with pytest.raises(ValueError, match=r"executor\.probe_episodes is 8"):
        ExecutorConfig(probe_episodes=8)
    with pytest.raises(ValueError, match="trace_seconds"):
        ExecutorConfig(trace_seconds=0)


def test_the_filter_alone_stops_network_and_processes_but_not_threads() -> None:
    script = (
        "import os, socket, subprocess, threading\n"
        "from spade_jax.executor.confine import seccomp\n"
        "print(seccomp(processes=False, network=False) or 'entered')\n"
        "thread = threading.Thread(target=lambda: print('thread'))\n"
        "thread.start(); thread.join()\n"
        "socket.socket(socket.AF_UNIX).close()\n"
        "for deed in (socket.socket, os.fork, lambda: subprocess.run(['true'])):\n"
        "    try:\n"
        "        deed()\n"
        "        print('done')\n"
        "    except PermissionError:\n"
        "        print('refused')\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=60
    )
    lines = done.stdout.split("\n")
    if lines[0] != "entered":
        pytest.skip(lines[0])
    assert lines[1:5] == ["thread", "refused", "refused", "refused"], done.stderr


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="no groups of sessions here")
def test_workers_stand_back(tmp_path: Path) -> None:
    wanted = min(19, os.nice(0) + 7)
    with make(tmp_path, nice=7) as box:
        ask(box, "def ok(): ...")
        workers = [
            child.pid
            for child in psutil.Process().children()
            if "spade_jax.executor.worker" in child.cmdline() and child.nice() == wanted
        ]
        groups = [Path(f"/proc/{pid}/autogroup").read_text().split() for pid in workers]
    assert workers
    assert all(group[-2:] == ["nice", str(wanted)] for group in groups)
