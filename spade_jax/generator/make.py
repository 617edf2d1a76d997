"""From what a person wrote to a generator; what is not asked for is not imported."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import yaml

from spade_jax.errors import nearest
from spade_jax.generator import specs
from spade_jax.generator.config import LlmConfig
from spade_jax.generator.errors import GeneratorError
from spade_jax.own_class import OwnClassError, is_own_class, make_own
from spade_jax.plain_yaml import read_yaml
from spade_jax.types import Context, Generator, Outcome, Proposal

if TYPE_CHECKING:
    from spade_jax.generator.llm import Backend, Response
    from spade_jax.generator.llm.exchanges import Exchanges
    from spade_jax.generator.llm.tuning.tuner import Tuner

__all__ = ["Nothing", "generator_names", "make_generator"]


class Nothing:
    """Proposes nothing: the fixed pool of the baseline."""

    name = "none"

    def propose(self, context: Context, n: int) -> Sequence[Proposal]:
        """No proposals."""
        return ()

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Nothing to learn from."""

    def state_dict(self) -> dict[str, Any]:
        """No state."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """No state."""


def _evolve() -> Generator:
    from spade_jax.generator.evolve import Evolve

    return Evolve()


def _corpus() -> Generator:
    from spade_jax.generator.corpus import Corpus

    return Corpus()


_REGISTRY: dict[str, Callable[[], Generator]] = {
    "corpus": _corpus,
    "evolve": _evolve,
    "none": Nothing,
}


def generator_names() -> tuple[str, ...]:
    """Bare names that ``make_generator`` knows; it says what works besides."""
    return tuple(sorted(_REGISTRY))


def make_generator(
    spec: str, config: LlmConfig | None = None, folder: Path | str | None = None
) -> Generator:
    """A new generator. It starts nothing before it is first asked for programs.

    Args:
      spec: one of ``generator_names()``; ``llm:BACKEND`` with one of ``llm.backends``;
        ``batch:FOLDER`` (requests in files, answers from files); ``recorded:RUN`` (the answers that
        another run got); ``module:Class`` of an importable class that can be called without
        arguments; or several of those mixed, ``a+b``.
      config: settings of language models.
      folder: of the run, where exchanges with models are recorded; None records nothing.

    Raises:
      GeneratorError (a ValueError): unknown name (the nearest one is offered), module or class, a
        class without one of the protocol's methods, a back end or a record that cannot be used.
      RecordError: the record of exchanges is damaged.
    """
    making = _Making(config or LlmConfig(), None if folder is None else Path(folder))
    kind, _, what = spec.partition(":")
    if kind == "recorded":
        return _recorded(what, making)
    return _make(spec, making)


@dataclasses.dataclass
class _Making:
    """What the parts of one generator are made with; they share the journal of exchanges."""

    config: LlmConfig
    folder: Path | None
    known: Mapping[tuple[str, str], Response] | None = None
    journal: Exchanges | None = None

    def exchanges(self, spec: str) -> Exchanges | None:
        from spade_jax.generator.llm import exchanges

        if self.journal is None and self.folder is not None:
            self.journal = exchanges.Exchanges(self.folder / exchanges.FILE, spec)
        return self.journal


def _recorded(what: str, making: _Making) -> Generator:
    """The generator of another run, with the answers that it got there."""
    from spade_jax.generator.llm import exchanges

    path = Path(what)
    path = path if path.is_file() else path / exchanges.FILE
    if not what or not path.is_file():
        raise GeneratorError(f"recorded:{what}: there is no {path}; name a run that asked a model")
    spec = exchanges.recorded_spec(path)
    hidden = set(specs.own_classes(spec)) - _named(path.parent)
    if hidden:
        raise GeneratorError(
            f"recorded:{what}: {path.name} would have {min(hidden)} imported, which the run's "
            "config.yaml does not name as its generator"
        )
    making.known = exchanges.read_exchanges(path)
    return _make(spec, making)


def _named(run: Path) -> set[str]:
    """Classes of its author's that a run's configuration says it works with."""
    try:
        config = read_yaml((run / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return set()
    return (
        set(specs.own_classes(str(config.get("generator")))) if isinstance(config, dict) else set()
    )


def _make(spec: str, making: _Making) -> Generator:
    parts = specs.parts_of(spec, _REGISTRY)
    made = [_part(part, spec, making) for part in parts]
    models = [p for p in parts if p.partition(":")[0] in ("llm", "batch")]
    if making.config.tune_every and models and not any("transformers:" in p for p in models):
        raise GeneratorError(
            f"generator {spec!r}: llm.tune-every tunes a local model (llm:transformers:…); "
            f"what answers behind {models[0].partition('@')[0]} cannot be tuned from here"
        )
    if len(made) == 1:
        return made[0]
    from spade_jax.generator.ensemble import Ensemble

    return Ensemble(made)


def _part(name: str, spec: str, making: _Making) -> Generator:
    if name in _REGISTRY:
        return _REGISTRY[name]()
    kind, _, what = name.partition(":")
    if kind in ("llm", "batch"):
        return _model(name, what if kind == "llm" else name, spec, making)
    if kind == "recorded":
        raise GeneratorError(
            f"generator {spec!r}: recorded:RUN stands alone; RUN knows the mixture"
        )
    if ":" not in name or kind in _REGISTRY:
        raise specs.unknown(name, _REGISTRY)
    return _of_class(name)


def _model(name: str, backend: str, spec: str, making: _Making) -> Generator:
    from spade_jax.generator.llm.asked import Recorded
    from spade_jax.generator.llm.backends import make_backend
    from spade_jax.generator.llm.writer import LanguageModel

    asked: Backend
    if making.known is not None:
        asked = Recorded(name, making.known)
    else:
        asked = make_backend(backend, making.config)
    patient = making.known is not None or name.startswith("batch:")
    journal = making.exchanges(spec)
    tuner = _tuner(name, asked, making)
    return LanguageModel(asked, making.config, journal, name=name, patient=patient, tuner=tuner)


def _tuner(name: str, asked: Backend, making: _Making) -> Tuner | None:
    """Who tunes the model, where that is wanted and can be done."""
    from spade_jax.generator.llm import exchanges
    from spade_jax.generator.llm.tuning import tuner

    if not making.config.tune_every or making.known is not None or not tuner.tunable(asked):
        return None
    if making.config.tuning.method == "lora" and importlib.util.find_spec("peft") is None:
        raise GeneratorError("llm.tune-every needs peft: pip install 'spade_jax[llm]'")
    if making.folder is None:
        return None
    journal = making.folder / exchanges.FILE
    return tuner.Tuner(asked, making.config, journal, making.folder, name)


def _of_class(name: str) -> Generator:
    """A user's own: ``module:Class``."""
    if not is_own_class(name):
        raise specs.unknown(name, _REGISTRY)
    try:
        _, generator = make_own(name)
    except OwnClassError as error:
        absent = isinstance(error.__cause__, ImportError)
        if absent and nearest(name.partition(":")[0], specs.PREFIXES) and "." not in name:
            raise specs.unknown(name, _REGISTRY) from None
        raise GeneratorError(f"generator {name!r}: {error}") from None
    for method in ("propose", "observe", "state_dict", "load_state_dict"):
        if not callable(getattr(generator, method, None)):
            raise GeneratorError(f"generator {name!r} has no method {method}()")
    if not isinstance(getattr(generator, "name", None), str):
        raise GeneratorError(f"generator {name!r} has no attribute 'name' (a string)")
    return cast(Generator, generator)
