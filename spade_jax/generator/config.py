"""Every setting of generation by a language model, in one frozen record."""

from __future__ import annotations

import dataclasses
from typing import Literal

from spade_jax.generator.llm.backends.config import ServerConfig
from spade_jax.generator.llm.tuning.config import TuningConfig

__all__ = ["LlmConfig"]


@dataclasses.dataclass(frozen=True)
class LlmConfig:
    """How a language model is asked for environments. Read where ``Config.generator`` names one.

    Attributes:
      prompt_budget: most tokens of a prompt (about; 2,500 suits models under 2B parameters).
      max_tokens: most tokens of one answer that is a program.
      temperature: to begin with; the ladder lowers it when quality sags. 0 takes the likeliest.
      top_p: share of the probability that tokens are drawn from.
      ideas_per_request: ideas asked for in one request; 0 writes programs straight from a theme.
      repair_rounds: times a program that does not check is sent back with its diagnostics, 0–3.
      salvage: where repair fails, keep the longest part of a program that does check.
      second_programs: a further program in an answer takes the place of a proposal that came to
        nothing.
      freedom: what is asked for, from the least to the most: parameter moves, filled holes, edits,
        whole programs; "auto" moves between them with the share that passes.
      constrain: what a back end that can do so holds a program to while it is written: nothing, the
        grammar, or the grammar with the names declared so far ("lines").
      seconds_per_round: generation of a round ends after this long with what there is; the learner
        waits for it. None: when a third of the round's training is done and newcomers have joined,
        so that there is time to examine what was written.
      request_seconds: a server that has not answered one request after this long has failed.
      retries: further tries of a request that a server refused or dropped.
      requests_per_minute: most requests sent to a server; 0 is no limit.
      parallel: requests a server is sent at a time, and prompts a local model decodes at a time.
      threads: of a local model on CPU. It runs beside training: more slow the learner down.
      device: of a local model: "auto", "cpu", "cuda", …
      server: what a server understands, and what may come from it.
      tune_every: a local model is tuned on its own accepted programs every so many rounds, beside
        the training; 0 leaves it as it came.
      tuning: how that is done.
    """

    prompt_budget: int = 2500
    max_tokens: int = 1200
    temperature: float = 0.8
    top_p: float = 0.95
    ideas_per_request: int = 4
    repair_rounds: int = 3
    salvage: bool = True
    second_programs: bool = True
    freedom: Literal["auto", "parameters", "holes", "edit", "program"] = "auto"
    constrain: Literal["off", "grammar", "lines"] = "lines"
    seconds_per_round: float | None = None
    request_seconds: float = 120.0
    retries: int = 4
    requests_per_minute: int = 0
    parallel: int = 8
    threads: int = 1
    device: str = "auto"
    server: ServerConfig = dataclasses.field(default_factory=ServerConfig)
    tune_every: int = 0
    tuning: TuningConfig = dataclasses.field(default_factory=TuningConfig)

    def __post_init__(self) -> None:
        for name in ("prompt_budget", "max_tokens", "parallel", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        whole = ("ideas_per_request", "retries", "requests_per_minute", "tune_every")
        for name in ("temperature", *whole):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0")
        for name in ("seconds_per_round", "request_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is {value}; it must be greater than 0")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}; it must lie in (0, 1]")
        if not 0 <= self.repair_rounds <= 3:
            raise ValueError(f"repair_rounds is {self.repair_rounds}; it must lie in 0..3")
