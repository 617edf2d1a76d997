"""Requests go into files that a batch service takes; what comes back is found, or asked anew."""

import json
import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spade_jax.generator import AWAITING, Awaiting, GeneratorError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Message, Request, Sampling
from spade_jax.generator.llm.backends import make_backend
from spade_jax.generator.llm.backends.chat import (
    UnusableAnswer,
    body_of,
    read_answer,
    read_complaint,
)
from spade_jax.generator.llm.backends.config import ServerConfig

CONFIG = LlmConfig(server=ServerConfig(batch_model="big", answer_kib=4))
SCHEMA = {"type": "object"}


def _requests(n=3, kind="program"):
    return [Request(f"r2-{kind}-{i}", kind, (Message("user", f"number {i}"),)) for i in range(n)]


def _answer(request, text, status=200, error=None, **more):
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}
    response = {"status_code": status, "request_id": "x", "body": body}
    return {"id": "b", "custom_id": request.key, "response": response, "error": error}


def _failure(request):
    error = {"code": "batch_expired", "message": "Too late."}
    return {"id": "b", "custom_id": request.key, "response": None, "error": error}


def _put(folder, name, *records):
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    (folder / name).write_bytes(b"\n".join(lines) + b"\n")


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _await(folder, requests):
    with pytest.raises(Awaiting) as stop:
        make_backend(f"batch:{folder}", CONFIG).complete(requests)
    assert stop.value.exit_code == AWAITING and "\n" not in str(stop.value)
    return str(stop.value)


def test_it_writes_the_requests_stops_and_goes_on_with_the_answers(tmp_path):
    folder = tmp_path / "new" / "batch"
    requests = _requests()
    line = _await(folder, requests)
    (written,) = folder.iterdir()
    assert written.name == "requests-r2-program.jsonl"
    assert f"3 of 3 requests have no answer; they are in {written}" in line
    first = _lines(written)[0]
    assert first == {
        "custom_id": requests[0].key,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "big",
            "messages": [{"role": "user", "content": "number 0"}],
            "temperature": 0.8,
            "top_p": 0.95,
            "max_tokens": 1200,
            "seed": 0,
        },
    }
    assert len(first["custom_id"]) <= 64  # what the services take
    assert [w["custom_id"] for w in _lines(written)] == [r.key for r in requests]

    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    answers = [_answer(r, f"text {i}", usage=usage) for i, r in enumerate(requests)]
    _put(folder, "responses-1.jsonl", *reversed(answers))
    backend = make_backend(f"batch:{folder}", CONFIG)
    responses = backend.complete(requests)
    assert [r.text for r in responses] == ["text 0", "text 1", "text 2"]
    assert {(r.model, r.prompt_tokens, r.completion_tokens) for r in responses} == {("big", 5, 2)}
    assert backend.complete([]) == ()
    backend.close()


def test_only_what_has_no_answer_is_asked_again(tmp_path):
    requests = _requests()
    _await(tmp_path, requests)
    _put(tmp_path, "responses.jsonl", _answer(requests[1], "here"))
    assert "2 of 3" in _await(tmp_path, requests)
    names = sorted(p.name for p in tmp_path.glob("requests*"))
    assert len(names) == 2 and "requests-r2-program.jsonl" in names
    assert "2 of 3" in _await(tmp_path, requests)  # a second time writes nothing new
    assert sorted(p.name for p in tmp_path.glob("requests*")) == names
    names.remove("requests-r2-program.jsonl")
    rest = [line["custom_id"] for line in _lines(tmp_path / names[0])]
    assert rest == [requests[0].key, requests[2].key]


def test_twice_the_same_request_is_written_once(tmp_path):
    request = _requests(1)[0]
    _await(tmp_path, [request, request])
    assert len(_lines(tmp_path / "requests-r2-program.jsonl")) == 1


def test_files_with_anything_in_them(tmp_path):
    requests = _requests(6)
    _put(
        tmp_path,
        "responses-a.jsonl",
        b"\xef\xbb\xbf" + json.dumps(_failure(requests[0])).encode(),
        _answer(requests[1], "first"),
        b"",
        b"[1, 2]",
        b"\xff\xfe",
        b"[" * 3000,
        json.dumps(_answer(requests[2], "x" * 100_000)).encode(),  # longer than answers may be
        {"custom_id": 7},
        _answer(_requests(9)[8], "never asked"),
        _answer(requests[4], "", status=500),
        {"custom_id": requests[5].key, "response": {"status_code": 200, "body": [1]}},
    )
    _put(
        tmp_path,
        "responses-b.jsonl",
        _answer(requests[1], "second"),
        _answer(requests[0], "after all"),
        _answer(requests[2], "short"),
        _failure(requests[0]),
        _failure(requests[3]),
        _answer(requests[3], "", status=500),
        json.dumps(_answer(requests[3], "torn")).encode()[:-9],
    )
    (tmp_path / "responses-c.jsonl").mkdir()
    os.mkfifo(tmp_path / "responses-d.jsonl")
    responses = make_backend(f"batch:{tmp_path}", CONFIG).complete(requests)
    assert [r.text for r in responses] == ["after all", "first", "short", "", "", ""]
    assert [r.error for r in responses] == [
        "",
        "",
        "",
        "batch: Too late.",
        "batch: status 500",
        "batch: no choices[0].message in the answer",
    ]
    assert all(r.finish == ("error" if r.error else "stop") for r in responses)


def test_lines_that_could_not_be_read_are_mentioned(tmp_path):
    (request,) = _requests(1)
    smuggled = b" " * 300_000 + json.dumps(_answer(request, "at the end of a long line")).encode()
    _put(tmp_path, "responses.jsonl", b"{torn", smuggled)
    assert "(lines there that cannot be read: 2)" in _await(tmp_path, [request])


def test_what_is_wrong_with_the_folder_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    assert "Not a directory" in _await(tmp_path / "file" / "x", _requests(1))
    with pytest.raises(GeneratorError, match="which model"):
        make_backend(f"batch:{tmp_path}", LlmConfig())


@pytest.mark.parametrize(
    ("structured", "field"),
    [
        ("off", None),
        ("openai", None),
        ("llama.cpp", ("grammar",)),
        ("sglang", ("ebnf",)),
        ("vllm", ("structured_outputs", "grammar")),
        ("vllm-0.11", ("guided_grammar",)),
    ],
)
def test_the_form_of_an_answer_in_the_words_of_the_server(structured, field):
    def body(shape, constrain="lines"):
        config = LlmConfig(constrain=constrain, server=ServerConfig(structured=structured))
        return body_of(Request("r1-x-0", "program", (), shape=shape), "m", config)

    plain = body({})
    extra = {k: v for k, v in body({"program": {}}).items() if k not in plain}
    if field is None:
        assert not extra
    else:
        for name in field:
            assert list(extra) == [name]
            extra = extra[name]
        assert "\nroot ::= " in extra
    assert body({"program": {}}, constrain="off") == plain
    assert body({"hole": {}}) == plain
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
    extra = {} if structured == "off" else {"response_format": form}
    assert body({"json": SCHEMA}) == plain | extra

    config = LlmConfig(server=ServerConfig(structured=structured))
    asked = body_of(Request("r1-ideas-0", "ideas", ()), "m", config)
    if structured == "off":
        assert "response_format" not in asked
    else:
        schema = asked["response_format"]["json_schema"]["schema"]
        assert schema["type"] == "object" and schema["required"] == ["ideas"]


def test_fields_a_model_refuses_are_left_out():
    server = ServerConfig(length_field="max_completion_tokens", leave_out=("temperature", "seed"))
    request = Request("r1-x-0", "program", (), Sampling(max_tokens=9))
    body = body_of(request, "m", LlmConfig(server=server))
    assert body == {"model": "m", "messages": [], "top_p": 0.95, "max_completion_tokens": 9}
    with pytest.raises(ValueError, match="leave_out"):
        ServerConfig(leave_out=("model",))


def test_there_is_room_for_thoughts_beside_every_answer():
    config = LlmConfig(server=ServerConfig(reasoning_tokens=8000))
    for kind, tokens in (("ideas", 640), ("edit", 256), ("program", 1200)):
        request = Request("r1-x-0", kind, (), Sampling(max_tokens=tokens))
        assert body_of(request, "m", config)["max_tokens"] == tokens + 8000
        assert body_of(request, "m", LlmConfig())["max_tokens"] == tokens
    with pytest.raises(ValueError, match="reasoning_tokens"):
        ServerConfig(reasoning_tokens=-1)


_WORDS = st.sampled_from(
    ["choices", "message", "content", "text", "usage", "error", "model", "detail"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(_JSON, _JSON)
@example({"choices": [{"message": {"content": ["x", {"text": 1}], "refusal": 3}}]}, None)
@example({"choices": "choices"}, {"error": {"message": [1], "code": {}}})
def test_any_json_is_an_answer_or_a_line(body, error):
    texts = [*read_complaint(error)]
    try:
        answer = read_answer(body)
        texts += [answer.text, answer.model, answer.revision]
        assert answer.prompt_tokens >= 0
    except UnusableAnswer as line:
        texts.append(str(line))
    assert all(isinstance(t, str) for t in texts)
