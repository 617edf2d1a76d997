"""A server may do what it likes: the answer is a text, or one line that says why there is none."""

import asyncio
import dataclasses
import gzip
import json
import socket
import sys
import threading
import time

import pytest
from chat_server import (
    MIB,
    ChatServer,
    completion,
    drips,
    drips_headers,
    drops,
    echoes,
    echoes_slowly,
    flood,
    half,
    hangs,
    says,
)

from spade_jax.generator import GeneratorError
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Message, Request, Sampling
from spade_jax.generator.llm.asked import Journaled
from spade_jax.generator.llm.backends import backend_kinds, gate, make_backend
from spade_jax.generator.llm.backends.address import parse_spec
from spade_jax.generator.llm.backends.config import ServerConfig
from spade_jax.generator.llm.backends.gate import Gate, retry_after
from spade_jax.generator.llm.backends.openai import Server

pytest.importorskip("httpx2")

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def _request(text="Say it.", number=0):
    return Request(f"r1-program-{number}", "program", (Message("user", text),))


def _server(http, **settings):
    settings = {"request_seconds": 20.0, "seconds_per_round": 40.0, "retries": 2, **settings}
    config = LlmConfig(**settings)
    return Server(f"tiny@{getattr(http, 'url', http)}", config, backoff=0.01)


def _ask(http, **settings):
    (response,) = _server(http, **settings).complete([_request()])
    return response


def test_answers_come_in_order_with_what_the_server_says_of_them():
    with ChatServer(echoes_slowly) as http:
        backend = make_backend(f"openai:tiny@{http.url}", LlmConfig(parallel=3))
        asked = [_request(f"number {i}", i) for i in range(7)]
        responses = backend.complete(asked)
        backend.close()
    assert [r.text for r in responses] == [f"number {i}" for i in range(7)]
    assert {(r.model, r.revision, r.finish, r.error) for r in responses} == {
        ("tiny-1", "fp_1", "stop", "")
    }
    assert {(r.prompt_tokens, r.completion_tokens) for r in responses} == {(7, 3)}
    assert all(r.seconds > 0 for r in responses)
    assert http.most <= 3
    assert backend.name == f"openai:tiny@{http.url}"
    path, headers, _ = http.seen[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_what_is_sent():
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=50, seed=(1 << 40) + 5, stop=("#",))
    messages = (Message("system", "You write."), Message("user", "Wörld \ud800"))
    with ChatServer(echoes) as http:
        backend = _server(http)
        backend.complete([Request("r1-program-0", "program", messages, sampling)])
    assert http.seen[0][2] == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "You write."},
            {"role": "user", "content": "Wörld \ufffd"},
        ],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 50,
        "seed": 5,
        "stop": ["#"],
    }


def test_without_a_key_none_is_sent(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer(echoes) as http:
        assert _ask(http).text == "Say it."
        monkeypatch.setenv("OTHER_KEY", "another-secret")
        assert _ask(http, server=ServerConfig(key_variable="OTHER_KEY")).text == "Say it."
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert _ask(http, server=ServerConfig(key_variable="")).text == "Say it."
    assert [h.get("Authorization") for _, h, _ in http.seen] == [
        None,
        "Bearer another-secret",
        None,
    ]


@pytest.mark.parametrize(
    "first",
    [
        says({"error": {"message": "slow down"}}, 429),
        says({"error": {"message": "overloaded"}}, 500),
        says(b"<html>Bad gateway</html>", 502),
        says(b'{"choices": [{"mess'),
        half,
        drops,
    ],
    ids=["429", "500", "502", "invalid JSON", "half", "dropped"],
)
def test_a_passing_trouble_costs_another_try(first):
    with ChatServer(first, echoes) as http:
        response = _ask(http)
    assert (response.text, response.finish, len(http.seen)) == ("Say it.", "stop", 2)


@pytest.mark.parametrize(
    ("behaviour", "line", "tries"),
    [
        (says({"error": {"message": "overloaded"}}, 500), "500 Internal Server Error: over", 3),
        (says({"error": "queue full"}, 429), "429 Too Many Requests: queue full", 3),
        (half, "the connection broke", 3),
        (drops, "the connection broke", 3),
        (says(b"\xff\xfe no JSON"), "not JSON", 3),
        (says(b"[" * 100_000), "not JSON", 3),
        (says({"error": {"message": "no such model"}}, 404), "404 Not Found: no such model", 1),
        (says({"detail": [{"loc": ["seed"]}]}, 422), "seed", 1),
        (says({"error": {"message": "top_p?\n\x1b[31mred"}}, 400), "top_p? [31mred (llm", 1),
        (says({"error": {"code": "insufficient_quota", "message": "pay"}}, 429), "pay", 1),
        (says({"error": {}}, 429, {"Retry-After": "3600"}), "asks for 3,600 s", 1),
        (says(b"", 307, {"Location": "http://127.0.0.1:9/v1"}), "redirects", 1),
        (says([1, 2]), "no choices[0].message", 1),
        (says({"choices": []}), "no choices[0].message", 1),
        (says({"choices": [{"message": "text"}]}), "not an object", 1),
        (says(completion(None)), "no text", 1),
        (says(completion({"text": "x"})), "no text", 1),
        (says(completion("half a te", "content_filter")), "filter", 1),
        (says(gzip.compress(b" " * MIB), headers={"Content-Encoding": "gzip"}), "compressed", 1),
        (flood(), "larger than 4,194,304 bytes", 1),
        (flood(status=400), "400 Bad Request", 1),
    ],
)
def test_a_lasting_trouble_is_one_line(behaviour, line, tries):
    with ChatServer(behaviour) as http:
        response = _ask(http)
    assert response.finish == "error"
    assert line in response.error
    assert response.error.startswith("127.0.0.1:") and response.error.isprintable()
    assert len(response.error) < 300
    assert response.model
    assert len(http.seen) == tries


@pytest.mark.parametrize("behaviour", [hangs, drips, drips_headers])
def test_no_request_takes_longer_than_it_may(behaviour):
    with ChatServer(behaviour) as http:
        response = _ask(http, request_seconds=0.3, retries=1)
    assert response.error.endswith("no answer within 0.3 s")
    assert len(http.seen) == 2


def test_all_together_take_no_longer_than_they_may():
    with ChatServer(echoes, hangs) as http:
        backend = _server(http, seconds_per_round=1.0, parallel=1)
        responses = backend.complete([_request(number=i) for i in range(3)])
    assert [r.finish for r in responses] == ["stop", "error", "error"]
    assert all("1 s for all" in r.error for r in responses[1:])


def test_of_a_flood_little_is_read():
    with ChatServer(flood()) as http:
        _ask(http, server=ServerConfig(answer_kib=64))
    assert http.sent < 20 * MIB  # what the sockets of both sides hold, and a little


def test_a_server_that_is_not_there_is_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        port = taken.getsockname()[1]
        response = _ask(f"http://127.0.0.1:{port}/v1")
    assert response.error.startswith(f"127.0.0.1:{port}: cannot connect")


def test_what_holds_for_all_requests_is_asked_once():
    with ChatServer(says({"error": {"message": "who are you?"}}, 401)) as http:
        responses = _server(http, parallel=1).complete([_request(number=i) for i in range(4)])
    assert all("who are you?" in r.error for r in responses)
    assert len(http.seen) == 1


def test_the_wait_a_server_asks_for_holds_for_everybody():
    busy = says({}, 429, {"Retry-After": "1"})
    with ChatServer(busy, echoes) as http:
        backend = _server(http, parallel=1)
        responses = backend.complete([_request(number=i) for i in range(3)])
    assert [r.finish for r in responses] == ["stop"] * 3
    assert min(http.times[1:]) - http.times[0] > 0.9


def test_a_wait_of_a_day_is_not_waited_for():
    day = says({"error": {"message": "come back tomorrow"}}, 429, {"Retry-After": "86400"})
    with ChatServer(day, echoes) as http:
        backend = _server(http, parallel=1)
        responses = backend.complete([_request(number=i) for i in range(2)])
        assert all("it asks for 86,400 s" in r.error for r in responses)
        assert backend.complete([_request()])[0].finish == "stop"  # the next round asks again
    assert len(http.seen) == 2


def test_a_redirect_does_not_carry_the_key_away():
    with ChatServer(echoes) as elsewhere:
        away = says(b"", 302, {"Location": f"{elsewhere.url}/chat/completions"})
        with ChatServer(away) as http:
            assert "redirects" in _ask(http).error
    assert not elsewhere.seen


def test_half_surrogates_and_parts_become_texts_that_can_be_stored():
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "é"}]
    with ChatServer(
        says(b'{"choices":[{"message":{"content":"x\\ud800y \\ud83d\\ude00"}}],"model":"\\udc00"}'),
        says(completion(parts, "length", usage=None, model=None)),
        says(completion("t", usage={"prompt_tokens": -3, "completion_tokens": 10**400})),
    ) as http:
        first, second, third = (_ask(http) for _ in range(3))
    assert first.text == "x\ufffdy 😀"
    json.dumps(dataclasses.asdict(first), ensure_ascii=False).encode()
    assert (second.text, second.finish, second.model) == ("aé", "length", "tiny")
    assert (second.prompt_tokens, third.prompt_tokens, third.completion_tokens) == (0, 0, 0)


def test_the_key_is_in_no_record():
    leaks = [
        says({"error": {"message": f"wrong key {KEY}"}}, 401),
        says(f"<b>{KEY}</b>".encode(), 400),
        says({}, 403, reason=f"Forbidden {KEY}"),
        says(completion(f"your key is {KEY}", model=KEY, system_fingerprint=f"x{KEY}")),
        says({"choices": [{"message": {"refusal": KEY}}]}),
        says({"error": {"message": "x " * 90 + KEY}}, 400),
    ]
    for leak in leaks:
        with ChatServer(leak) as http:
            backend = _server(http)
            record = repr((backend.complete([_request()]), backend.name, backend))
        assert "[ke" in record  # one of them is cut off there
        assert KEY not in record and KEY[:8] not in record
    assert KEY not in repr(_server("http://127.0.0.1:1/v1")._config)


def _under_way(backend, http):
    """A request that the server has seen: the thread that waits, and what will be answered."""
    found = []
    thread = threading.Thread(target=lambda: found.extend(backend.complete([_request()])))
    thread.start()
    while not http.seen:
        time.sleep(0.01)
    return thread, found


def test_close_gives_up_what_is_under_way():
    with ChatServer(hangs) as http:
        backend = _server(http)
        thread, found = _under_way(backend, http)
        backend.close()
        thread.join(10)
        assert [r.error.split(": ")[-1] for r in found] == ["closed"]
        backend.close()
        assert backend.complete([_request()])[0].finish == "error"
        assert len(http.seen) == 1


def test_what_is_given_up_holds_up_nothing_later():
    with ChatServer(hangs, echoes) as http:
        backend = _server(http)
        thread, found = _under_way(backend, http)
        backend.cancel()
        thread.join(10)
        assert [r.error.split(": ")[-1] for r in found] == ["given up"]
        backend.cancel()  # nothing is under way
        assert backend.complete([_request()])[0].text == "Say it."


def test_a_server_that_was_too_late_in_one_round_answers_in_the_next():
    with ChatServer(hangs, echoes) as http:
        asked = Journaled(_server(http, seconds_per_round=None), seconds=3.0)
        asked.begin(1)
        assert asked.complete([_request()])[0].finish == "error"
        asked.begin(2)
        assert asked.complete([_request(number=1)])[0].text == "Say it."
        asked.close()


def test_it_works_where_an_event_loop_is_running():
    async def notebook():
        return _ask(http)

    with ChatServer(echoes) as http:
        assert asyncio.run(notebook()).text == "Say it."


def test_a_rate_is_kept_across_calls(monkeypatch):
    now, passed = [100.0], []
    monkeypatch.setattr(gate.time, "monotonic", lambda: now[0])

    async def sleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(gate.asyncio, "sleep", sleep)
    limited = Gate(per_minute=30, parallel=4)

    async def call():
        limited.begin()
        for _ in range(2):
            async with limited.passage():
                passed.append(now[0])

    asyncio.run(call())
    asyncio.run(call())
    limited.pause(60)
    asyncio.run(call())
    assert passed == [100, 102, 104, 106, 166, 168]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("", 0),
        ("soon", 0),
        ("nan", 0),
        ("inf", 0),
        ("-3", 0),
        ("9" * 30, 0),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value) == seconds


def test_retry_after_may_be_a_date(monkeypatch):
    monkeypatch.setattr(gate.time, "time", lambda: 1_000_000_000.0)  # 01:46:40
    assert retry_after("Sun, 09 Sep 2001 01:46:50 GMT") == 10
    assert retry_after("Sun, 09 Sep 2001 01:46:30 GMT") == 0
    assert retry_after("Sun, 99 Sep 2001 01:46:30 GMT") == 0


def test_specs():
    assert parse_spec("org/llama3:8b@http://127.0.0.1:8000/v1/") == (
        "org/llama3:8b",
        "http://127.0.0.1:8000/v1",
    )
    assert parse_spec("m@https://h/v1/chat/completions") == ("m", "https://h/v1")
    assert parse_spec("gpt@official") == ("gpt", "https://api.openai.com/v1")
    assert parse_spec("a@b@http://[::1]:80/v1") == ("a@b", "http://[::1]:80/v1")


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("openai", "lacks what comes after the colon"),
        ("openai:", "lacks what comes after the colon"),
        ("opanai:m@http://h/v1", "did you mean 'openai'?"),
        ("openai:gpt-4.1", "which server?"),
        ("openai:@http://h/v1", "which server?"),
        ("openai:m@h/hunter22", "openai:m@…: which server?"),
        ("openai:m@file:///etc/hunter22", "openai:m@…: which server?"),
        ("openai:m@http:///v1", "no host"),
        ("openai:m@http://u:hunter22@h/v1", "no user or password"),
        ("openai:m@http://h/v1?api-key=hunter22", "no ? and no #"),
        ("openai:m@http://h:hunter22/v1", "cannot be read"),
        ("openai:m@http://h /v1", "blank"),
        ("openai:m@http://h\n/v1", "blank"),
    ],
)
def test_a_spec_that_cannot_be_used_is_one_line(spec, line):
    with pytest.raises(GeneratorError) as error:
        make_backend(spec, LlmConfig())
    assert line in str(error.value)
    assert "\n" not in str(error.value) and "hunter22" not in str(error.value)


def test_a_key_that_is_missing_or_damaged_is_one_line(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "two words-secret")
    with pytest.raises(GeneratorError, match="OPENAI_API_KEY holds") as error:
        _server("http://127.0.0.1:1/v1")
    assert "secret" not in str(error.value)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")  # as `cat` of a file gives it
    with ChatServer(echoes) as http:
        assert _ask(http).text == "Say it."
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(GeneratorError, match="needs a key"):
        make_backend("openai:m@official", LlmConfig())
    with pytest.raises(ValueError, match="name of an environment variable") as wrong:
        ServerConfig(key_variable=KEY)
    assert KEY not in str(wrong.value)


def test_a_missing_library_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(GeneratorError, match="pip install httpx2"):
        _server("http://127.0.0.1:1/v1")


def test_a_broken_set_up_is_an_answer_too(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://x")
    assert _ask("http://127.0.0.1:1/v1").finish == "error"


def test_every_kind_has_an_example():
    assert all(example.startswith(f"{kind}:") for kind, example in backend_kinds().items())
