"""The process a local model lives in: lines of JSON in, lines of JSON out.

``{"do": "load", …}`` is answered by ``{"ok": true, …}``; ``{"do": "complete", "requests": […]}`` by
one ``{"index": i, "response": {…}}`` for each request, as soon as it is there; what fails
as a whole by ``{"error": "one line"}``. ``{"do": "drop"}`` has what is not answered yet of the
batch before it answered by failures; nothing answers it itself.
It ends when its input does.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import queue
import sys
import threading
from collections.abc import Mapping
from typing import IO, Any

from spade_jax.background import stand_back
from spade_jax.generator.llm.backends import gguf
from spade_jax.generator.llm.messages import Message, Request, Response, Sampling

__all__ = ["main", "request_of", "weights_at"]

_Told = queue.Queue[tuple[dict[str, Any], threading.Event]]

NICE = 5
"""The training goes first, as it does before the workers that examine programs."""


def main() -> int:
    """Serve until the input ends."""
    stand_back(NICE)
    # libraries print what they like: only messages go where messages are read
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    told: _Told = queue.Queue()
    threading.Thread(target=_listen, args=(told,), daemon=True).start()
    model = None
    while True:
        message, dropped = told.get()
        try:
            if message["do"] == "load":
                model = _load(message)
                _say(out, {"ok": True, "revision": model.revision, "device": model.device})
            else:
                assert model is not None
                requests = [request_of(r) for r in message["requests"]]
                tell = functools.partial(_answer, out)
                model.complete(requests, tell, dropped.is_set)
        except Exception as error:
            line = " ".join(str(error).split())[:250]
            _say(out, {"error": line if isinstance(error, gguf.WeightsError) else _named(error)})


def _answer(out: IO[str], index: int, response: Response) -> None:
    _say(out, {"index": index, "response": dataclasses.asdict(response)})


def _named(error: Exception) -> str:
    line = " ".join(str(error).split())[:250]
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _listen(told: _Told) -> None:
    dropped = threading.Event()  # whether the message before is of no use any more
    try:
        for line in sys.stdin:
            message = json.loads(line)
            if message["do"] == "drop":
                dropped.set()
            else:
                dropped = threading.Event()
                told.put((message, dropped))
    finally:
        os._exit(0)  # whoever asked is gone: nobody waits for what is under way


def _say(out: IO[str], message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def request_of(values: Mapping[str, Any]) -> Request:
    """A ``Request`` out of its JSON values."""
    messages = tuple(Message(**m) for m in values["messages"])
    sampling = dict(values["sampling"])
    sampling["stop"] = tuple(sampling.get("stop", ()))
    return Request(
        values["id"], values["kind"], messages, Sampling(**sampling), values.get("shape", {})
    )


def _load(message: Mapping[str, Any]) -> Any:
    from spade_jax.generator.llm.backends.local_model import LocalModel

    kind, place = message["kind"], message["place"]
    if kind == "hub":
        _reachable(place)
    folder, revision = weights_at(kind, place)
    return LocalModel(
        folder,
        name=message["name"],
        revision=revision,
        device=message["device"],
        threads=message["threads"],
        constrain=message["constrain"],
        adapter=message.get("adapter", ""),
        offline=kind != "hub",
    )


def weights_at(kind: str, place: str) -> tuple[str, str]:
    """(folder or hub id, revision, "" where the library has to say it) of ``gguf.Weights``."""
    if kind == "gguf":
        folder, revision = gguf.convert(pathlib.Path(place))
        return str(folder), revision
    return place, _digest(pathlib.Path(place)) if kind == "folder" else ""


def _digest(folder: pathlib.Path) -> str:
    """SHA-256 over the weights of a folder: of the one file, or of the hashes of several."""
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))
    hashes = [gguf.sha256(file) for file in files]
    if len(hashes) == 1:
        return hashes[0]
    import hashlib

    return hashlib.sha256("".join(hashes).encode()).hexdigest() if hashes else ""


def _reachable(name: str) -> None:
    """Tell at once where a hub's model cannot be had: the library tries for most of a minute."""
    from huggingface_hub import HfApi, snapshot_download

    try:
        snapshot_download(name, local_files_only=True, allow_patterns=["config.json"])
        return  # it was downloaded before
    except Exception:
        pass
    try:
        HfApi().model_info(name, timeout=10)
    except Exception as error:
        line = " ".join(str(error).split())[:150]
        raise gguf.WeightsError(f"the hub does not give {name}: {line}") from None


if __name__ == "__main__":
    sys.exit(main())
