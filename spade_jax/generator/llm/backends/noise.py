"""The control of every model: random characters under the same constraints."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm.decoding import script_for
from spade_jax.generator.llm.decoding.guide import Vocabulary, byte_vocabulary
from spade_jax.generator.llm.decoding.noise import write_noise
from spade_jax.generator.llm.messages import Request, Response

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["Noise"]


class Noise:
    """Answers with noise; see ``Backend``. The prompt is not read, only the shape asked for.

    Args:
      what: a whole number, mixed into the seeds of the requests.
      config: settings; with ``constrain`` "off" the answers are empty.

    Raises:
      GeneratorError: ``what`` is no whole number, or llguidance is not installed.
    """

    def __init__(self, what: str, config: LlmConfig) -> None:
        if not what.isdecimal() or len(what) > 9:
            raise GeneratorError(f"noise:{what}: after the colon comes a seed, e.g. noise:0")
        self.name = f"noise:{what}"
        self._seed = int(what)
        self._constrain = config.constrain
        self._vocabulary = _vocabulary()

    def complete(self, requests: Sequence[Request]) -> tuple[Response, ...]:
        return tuple(map(self._answer, requests))

    def close(self) -> None:
        pass

    def _answer(self, request: Request) -> Response:
        start = time.perf_counter()
        if self._constrain == "off":
            return Response("", self.name)
        # one seed a request: the key holds the seed of the draw and the place in the run
        seed = (int(request.key[:15], 16) + self._seed) % (1 << 63)
        try:
            script = script_for(request.shape, names=self._constrain == "lines")
            if script is None:
                return Response("", self.name)
            guide, drawn = write_noise(self._vocabulary, script, seed)
        except Exception as error:  # a hole that is none, a piece that nothing can follow
            line = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            return Response("", self.name, finish="error", error=line)
        seconds = time.perf_counter() - start
        finish = "stop" if guide.ended and not guide.gave_up else "length"
        return Response(guide.text, self.name, "", 0, drawn, seconds, finish)


def _vocabulary() -> Vocabulary:
    try:
        return byte_vocabulary()
    except ImportError:
        raise GeneratorError(
            "noise: constrained decoding needs llguidance: pip install 'spade_jax[llm]'"
        ) from None
