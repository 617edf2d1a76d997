"""The journal of exchanges: what is recorded is what is used, whatever happened meanwhile."""

from __future__ import annotations

import json
import threading

import pytest
from scripted_model import Scripted

from spade_jax.generator.llm import Message, Request, Response, Sampling
from spade_jax.generator.llm.asked import Journaled, Recorded
from spade_jax.generator.llm.exchanges import FILE, Exchanges, read_exchanges, recorded_spec
from spade_jax.records import RecordError


def request(number: int = 0, text: str = "long instructions", **sampling) -> Request:
    messages = (Message("system", text), Message("user", f"question {number}"))
    return Request(f"r1-write-{number}-0", "program", messages, Sampling(**sampling))


def test_an_answer_is_read_back_bit_for_bit(tmp_path) -> None:
    path = tmp_path / FILE
    said = Response('text\n"ü"\ud83d', "m", "r", 3, 4, 0.1 + 0.2, "length")
    with_text = Response('text\n"ü"?', "m", "r", 3, 4, 0.1 + 0.2, "length")  # no lone surrogate
    journal = Exchanges(path, "llm:x")
    assert journal.get("x", request()) is None
    assert journal.put("x", [(request(), said)]) == (with_text,)
    journal.close()
    again = Exchanges(path, "llm:other")
    assert again.get("x", request()) == with_text
    for other in (("y", request()), ("x", request(1)), ("x", request(seed=1))):
        assert again.get(*other) is None
    assert again.put("x", [(request(), Response("later"))]) == (with_text,)  # the first one counts
    again.close()
    assert recorded_spec(path) == "llm:x"
    assert read_exchanges(path) == {("x", request().key): with_text}


def test_what_requests_have_in_common_is_written_once(tmp_path) -> None:
    path = tmp_path / FILE
    text = "word " * 2000
    for start in (0, 5):  # and again after a resume
        journal = Exchanges(path)
        pairs = [(request(i, text), Response("a")) for i in range(start, start + 5)]
        journal.put("x", pairs)
        journal.close()
    assert path.read_text().count("word word word") == text.count("word word word")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    contents = {line["text"]: line["content"] for line in lines if "text" in line}
    (first,) = [line for line in lines if line.get("key") == request(0, text).key]
    roles = [(role, contents[name]) for role, name in first["request"]["messages"]]
    assert roles == [("system", text), ("user", "question 0")]
    assert first["request"]["sampling"]["temperature"] == 0.8


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "line 2: not JSON"),
        ("[1]", "line 2: not a JSON object"),
        ("{}", "line 2: not an exchange"),
        ('{"backend": "x", "key": "k", "response": 3}', "line 2: not an exchange"),
        ('{"backend": "x", "key": "k", "response": {"txt": "a"}}', "line 2: not an exchange"),
        ('{"backend": "x", "key": "k", "response": {"text": 7}}', "text is int"),
        (
            '{"backend": "x", "key": "k", "response": {"text": "", "finish": "no"}}',
            "finish is 'no'",
        ),
        (
            '{"backend": "x", "key": "k", "response": {"text": "", "seconds": "1"}}',
            "seconds is str",
        ),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_damaged_journal_is_named_by_line(tmp_path, line, message) -> None:
    path = tmp_path / FILE
    path.write_text(f'{{"generator": "llm:x"}}\n{line}\n')
    with pytest.raises(RecordError, match=message):
        Exchanges(path)
    with pytest.raises(RecordError, match=message):
        read_exchanges(path)


def test_a_journal_without_its_first_line_is_of_no_generator(tmp_path) -> None:
    path = tmp_path / FILE
    for text in ("", '{"text": "a", "content": "b"}\n', '{"generator": ""}\n'):
        path.write_text(text)
        with pytest.raises(RecordError, match="does not say which generator"):
            recorded_spec(path)


def test_a_torn_last_line_is_asked_again(tmp_path) -> None:
    path = tmp_path / FILE
    journal = Exchanges(path)
    journal.put("x", [(request(0), Response("a")), (request(1), Response("b"))])
    journal.close()
    path.write_bytes(path.read_bytes()[:-20])
    journal = Exchanges(path)
    assert journal.get("x", request(0)) == Response("a")
    assert journal.get("x", request(1)) is None
    journal.close()


def test_only_what_is_not_known_is_asked(tmp_path) -> None:
    model = Scripted(lambda r, n: f"answer {n}")
    asked = Journaled(model, Exchanges(tmp_path / FILE), at_once=2)
    asked.begin(1)
    wanted = [request(i) for i in range(3)]
    first = asked.complete(wanted)
    assert [len(call) for call in model.calls] == [2, 1]
    more = asked.complete([request(7), *wanted])
    assert more[1:] == first and more[0].text == "answer 3"
    assert [len(call) for call in model.calls] == [2, 1, 1]
    asked.close()
    assert model.closed == 1


def test_what_comes_too_late_has_failed_and_stays_so(tmp_path) -> None:
    never = threading.Event()
    model = Scripted(lambda r, n: "quick" if n < 2 else str(never.wait(30)))
    asked = Journaled(model, Exchanges(tmp_path / FILE), seconds=0.5, at_once=2)
    asked.begin(1)
    answers = asked.complete([request(i) for i in range(6)])
    assert [a.finish for a in answers] == ["stop"] * 2 + ["error"] * 4
    assert answers[5].error == "no answer within the round's 0.5 seconds"
    asked.begin(1)  # an ensemble may ask twice: the round's time is over all the same
    assert asked.complete([request(8)])[0].finish == "error"
    never.set()
    asked.begin(2)
    assert asked.complete([request(9)])[0].text == "True"
    asked.close()
    again = Journaled(Scripted(lambda r, n: "now"), Exchanges(tmp_path / FILE))
    again.begin(1)
    assert again.complete([request(i) for i in range(6)]) == answers
    again.close()


class OneByOne(Scripted):
    """It has answered the first request of a batch when the others are still awaited."""

    def __init__(self, gate: threading.Event) -> None:
        super().__init__(lambda r, n: str(gate.wait(30)))
        self.there: dict[str, Response] = {}

    def complete(self, requests):
        self.there = {requests[0].key: Response("first")}
        return super().complete(requests)

    def so_far(self):
        return self.there


def test_what_came_in_time_stands_where_the_rest_of_its_batch_is_late(tmp_path) -> None:
    gate = threading.Event()
    asked = Journaled(OneByOne(gate), Exchanges(tmp_path / FILE), seconds=0.5)
    asked.begin(1)
    answers = asked.complete([request(i) for i in range(3)])
    assert [a.finish for a in answers] == ["stop", "error", "error"]
    assert answers[0].text == "first"
    asked.begin(1)  # too late to be asked at all: what another batch came to is not its answer
    assert asked.complete([request(7)])[0].finish == "error"
    gate.set()
    asked.close()
    again = Journaled(Scripted(lambda r, n: "now"), Exchanges(tmp_path / FILE))
    again.begin(1)
    assert again.complete([request(i) for i in range(3)]) == answers
    again.close()


def test_hurry_ends_the_round_and_not_the_next() -> None:
    gate = threading.Event()
    model = Scripted(lambda r, n: str(gate.wait(30)) if n == 0 else "free")
    asked = Journaled(model)
    asked.begin(1)
    threading.Timer(0.2, asked.hurry).start()
    (answer,) = asked.complete([request(0)])
    assert answer.finish == "error" and "--llm.seconds-per-round" in answer.error
    gate.set()
    asked.begin(2)
    assert asked.complete([request(1)])[0].text == "free"
    timed = Journaled(Scripted(lambda r, n: "x"), seconds=60.0)
    timed.begin(1)
    timed.hurry()  # a person gave it time: it is waited for
    assert timed.complete([request(0)])[0].text == "x"


def test_nothing_is_recorded_once_the_run_is_over(tmp_path) -> None:
    gate, begun = threading.Event(), threading.Event()

    def answer(r: Request, n: int) -> str:
        begun.set()
        return str(gate.wait(30))

    asked = Journaled(Scripted(answer), Exchanges(tmp_path / FILE))
    asked.begin(1)
    raised: list[BaseException] = []

    def work() -> None:
        try:
            asked.complete([request(0)])
        except ValueError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(30)
    asked.close()
    asked.close()
    gate.set()
    thread.join(30)
    assert len(raised) == 1
    assert read_exchanges(tmp_path / FILE) == {}


def test_a_record_knows_what_it_knows() -> None:
    recorded = Recorded("llm:x", {("llm:x", request(0).key): Response("a")})
    known, unknown = recorded.complete([request(0), request(1)])
    assert known == Response("a")
    assert unknown.error == "the record has no answer to r1-write-1-0"
