"""Who answers: back ends of language models, found by what a person writes.

``openai:MODEL@URL`` asks a server, ``transformers:PATH_OR_ID`` a model in a process of its own,
``batch:DIR`` leaves the requests in files, ``noise:SEED`` is the control: a random number generator
under the constraints that a model is held to. Nothing heavy is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spade_jax.errors import unknown_name
from spade_jax.generator.errors import GeneratorError
from spade_jax.generator.llm.messages import Backend

if TYPE_CHECKING:
    from spade_jax.generator.config import LlmConfig

__all__ = ["backend_kinds", "make_backend"]


def _openai(what: str, config: LlmConfig) -> Backend:
    from spade_jax.generator.llm.backends.openai import Server

    return Server(what, config)


def _batch(what: str, config: LlmConfig) -> Backend:
    from spade_jax.generator.llm.backends.batch import Batch

    return Batch(what, config)


def _transformers(what: str, config: LlmConfig) -> Backend:
    from spade_jax.generator.llm.backends.transformers import Local

    return Local(what, config)


def _noise(what: str, config: LlmConfig) -> Backend:
    from spade_jax.generator.llm.backends.noise import Noise

    return Noise(what, config)


# Kind → (what makes it of the text after the colon, what a person may write).
_KINDS: dict[str, tuple[Callable[[str, LlmConfig], Backend], str]] = {
    "batch": (_batch, "batch:requests-and-answers"),
    "noise": (_noise, "noise:0"),
    "openai": (_openai, "openai:Qwen/Qwen2.5-Coder-7B-Instruct@http://127.0.0.1:8000/v1"),
    "transformers": (_transformers, "transformers:HuggingFaceTB/SmolLM2-135M-Instruct"),
}


def backend_kinds() -> dict[str, str]:
    """Kinds of back ends that ``make_backend`` knows, each with an example."""
    return {kind: example for kind, (_, example) in sorted(_KINDS.items())}


def make_backend(spec: str, config: LlmConfig) -> Backend:
    """A new back end.

    Args:
      spec: ``KIND:WHAT``, one of ``backend_kinds()``; what ``WHAT`` is depends on the kind.
      config: settings of generation.

    Raises:
      GeneratorError: unknown kind (the nearest one is offered), a ``WHAT`` that cannot be used, or
        a library that is not installed. Nobody has been asked anything by then.
    """
    kind, _, what = spec.partition(":")
    if kind not in _KINDS:
        raise GeneratorError(str(unknown_name("back end", kind, _KINDS)))
    make, example = _KINDS[kind]
    if not what:
        raise GeneratorError(f"{spec!r} lacks what comes after the colon, e.g. {example}")
    return make(what, config)
