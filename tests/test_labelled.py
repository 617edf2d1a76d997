"""The gates against labelled programs: no sound one is rejected, every planted fault is found."""

from __future__ import annotations

import pytest
from labelled import EXPECTED, judge, programs


@pytest.mark.parametrize("entry", programs(), ids=lambda entry: entry.name)
def test_gates_answer_as_labelled(entry) -> None:
    judged = judge(entry)
    assert judged.right, f"{judged.reason}: {judged.verdict.error}"


def test_what_is_in_the_set() -> None:
    labels = [entry.label for entry in programs()]
    assert set(labels) == set(EXPECTED) and len({e.name for e in programs()}) == len(labels)
    sound = [entry for entry in programs() if entry.label == "sound"]
    assert sum("/" in entry.name for entry in sound) <= len(sound) / 2
