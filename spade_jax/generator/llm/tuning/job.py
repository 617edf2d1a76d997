"""A tuning as files: what it is made from, and what came of it.

``RUN/adapters/KEY.jsonl`` holds the settings and the examples; ``RUN/adapters/KEY/`` the weights
and ``tuned.json``, which is there once they are whole. KEY names all that the weights depend on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spade_jax.generator.llm.exchanges import read_requests
from spade_jax.generator.llm.messages import Message, Request, Sampling
from spade_jax.generator.llm.tuning.config import TuningConfig
from spade_jax.generator.llm.tuning.samples import Sample
from spade_jax.records import RecordError, iterate_jsonl, write_atomic

__all__ = ["DONE", "FOLDER", "Adapter", "Example", "finished", "key_of", "read_job", "write_job"]

FOLDER, DONE = "adapters", "tuned.json"


@dataclasses.dataclass(frozen=True)
class Adapter:
    """Tuned weights: their folder, and the SHA-256 of the file they are in."""

    folder: Path
    digest: str


@dataclasses.dataclass(frozen=True)
class Example:
    """What is asked, what should be answered, how much it counts.

    ``code``: the text is a program alone, without the fence that a free answer has around it.
    """

    request: Request
    text: str
    weight: float
    code: bool


def key_of(name: str, samples: Sequence[Sample], config: TuningConfig) -> str:
    """16 hexadecimal digits of all that a tuning depends on; ``name``: of the generator."""
    settings = dataclasses.asdict(config)
    settings.pop("seconds")
    what = [name, settings, [dataclasses.asdict(s) for s in samples]]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def write_job(
    path: Path,
    settings: Mapping[str, Any],
    samples: Sequence[Sample],
    journal: Path,
    name: str,
) -> int:
    """Write the inputs of a tuning; the number of examples.

    Args:
      path: ``KEY.jsonl``; its folder exists. settings: JSON values for the process that trains.
      samples: what to learn from. journal: of exchanges, which has the requests and the answers;
        a sample that it does not have is left out. name: under which the journal has them.

    Raises:
      RecordError: the journal is damaged. OSError: it cannot be written.
    """
    known = read_requests(journal, name, {s.request for s in samples})
    lines = [json.dumps(dict(settings))]
    for sample in samples:
        if sample.request in known:
            request, response = known[sample.request]
            example = {
                "request": dataclasses.asdict(request),
                "text": sample.program or response.text,
                "weight": sample.weight,
                "code": bool(sample.program),
            }
            lines.append(json.dumps(example))
    write_atomic(path, "\n".join(lines) + "\n")
    return len(lines) - 1


def read_job(path: Path) -> tuple[dict[str, Any], list[Example]]:
    """(settings, examples) as ``write_job`` wrote them.

    Raises:
      FileNotFoundError, RecordError: there is no such file, or it is damaged.
    """
    lines = list(iterate_jsonl(path))
    try:
        return lines[0], [_example(line) for line in lines[1:]]
    except (KeyError, IndexError, TypeError) as error:
        what = f"{type(error).__name__}: {error}"
        raise RecordError(f"{path}: not the inputs of a tuning ({what})") from None


def _example(line: Mapping[str, Any]) -> Example:
    asked = line["request"]
    sampling = dict(asked["sampling"])
    sampling["stop"] = tuple(sampling.get("stop", ()))
    messages = tuple(Message(**m) for m in asked["messages"])
    request = Request(asked["id"], asked["kind"], messages, Sampling(**sampling), asked["shape"])
    return Example(request, str(line["text"]), float(line["weight"]), bool(line["code"]))


def finished(folder: Path) -> Adapter | None:
    """The adapter in a folder, as it was written; None where it is not whole."""
    try:
        told = json.loads((folder / DONE).read_text(encoding="utf-8"))
        file = folder / str(told["file"])
        with file.open("rb") as handle:
            whole = hashlib.file_digest(handle, "sha256").hexdigest() == told["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Adapter(folder, told["sha256"]) if whole else None
