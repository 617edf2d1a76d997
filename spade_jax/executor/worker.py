"""A worker process: ``python -m spade_jax.executor.worker REQUESTS ANSWERS`` (two open pipes).

It reads one JSON line at a time: first the set-up, then a request per candidate. It answers with
JSON lines: ``{"hello": …}`` once it is confined, then per candidate ``{"stage": name}`` before
each stage, ``{"so_far": verdict}`` after it and ``{"verdict": verdict}`` at the end. Standard
output is not part of the protocol, so nothing printed by a library can break it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
import time
from typing import Any

from spade_jax.executor.config import ExecutorConfig
from spade_jax.executor.examine import examine, load_object
from spade_jax.executor.limits import arm_cpu, confine_worker
from spade_jax.executor.request import Request
from spade_jax.types import to_json

__all__ = ["main"]


def main(argv: list[str]) -> int:
    """Serve until the request pipe closes."""
    requests, answers = os.fdopen(int(argv[0]), "rb"), int(argv[1])
    setup = json.loads(requests.readline())
    config = ExecutorConfig(**setup["config"])
    capabilities = confine_worker(config, os.getcwd())
    if sys.platform != "linux":
        threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    stages = load_object(setup["stages"])
    _send(answers, {"hello": dataclasses.asdict(capabilities)})
    while line := requests.readline():
        request = Request.from_json(json.loads(line))
        arm_cpu(config.cpu_seconds)
        verdict = examine(
            request,
            config,
            stages,
            on_start=lambda stage: _send(answers, {"stage": stage.value}),
            on_done=lambda so_far: _send(answers, {"so_far": to_json(so_far)}),
        )
        _send(answers, {"verdict": to_json(verdict)})
    return 0


def _send(answers: int, message: dict[str, Any]) -> None:
    data = memoryview((json.dumps(message) + "\n").encode())
    while data:
        data = data[os.write(answers, data) :]


def _watch_parent(parent: int) -> None:
    """Where no signal tells of the parent's death: end when this process is handed to another."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
