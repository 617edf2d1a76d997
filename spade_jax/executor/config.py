"""Every limit and threshold of the executor, in one frozen record."""

from __future__ import annotations

import dataclasses

from spade_jax.types import Limits, Stage

__all__ = ["ExecutorConfig"]


@dataclasses.dataclass(frozen=True)
class ExecutorConfig:
    """How candidates are examined. Plain values only, so YAML and the command line reach them.

    Attributes:
      workers: worker processes (each uses one core).
      nice: added to the workers' niceness, so that training on the same cores goes first.
      start_seconds: wall clock a worker may take to start, and to accept a candidate.
      parse_seconds: wall clock of the stage parse; the parent enforces it.
      check_seconds: wall clock of the stage check.
      cost_seconds: wall clock of the stage cost.
      duplicate_seconds: wall clock of the stage duplicate.
      smoke_seconds: wall clock of the stage smoke.
      behaviour_seconds: wall clock of the stage behaviour.
      triviality_seconds: wall clock of the stage triviality.
      certificate_seconds: wall clock of the stage certificate.
      trace_seconds: wall clock of the stage trace.
      probe_seconds: wall clock of the stage probe.
      cpu_seconds: processor time a candidate may use over all its stages (``RLIMIT_CPU``).
      memory_mb: address space of a worker (``RLIMIT_AS``). JAX needs more than 1 GB of it.
      resident_mb: resident memory of a worker, watched by the parent.
      file_mb: largest file a worker may write (``RLIMIT_FSIZE``).
      answer_kb: longest message a worker may send.
      child_processes: whether a worker may start processes (no stage does).
      network: whether a worker may open network connections (no stage does).
      recycle_candidates: a worker is replaced after this many candidates, so that compiled
        programs and caches cannot pile up.
      temp_dir: where the workers' private folders go ("" is the system's choice).
      compilation_cache: folder of JAX's persistent compilation cache, shared with the workers; a
        run sets it to its own.

      near_constants: a program of the same skeleton as a known one is its duplicate if no constant
        differs by more than this share.
      smoke_episodes: roll-outs of the smoke stage with random play, and again with sticky random
        play; ≥ 32 of each.
      min_stability: least share of healthy smoke roll-outs.
      first_look: episodes of each repeated action (and of random play) before deciding whether it
        is worth measuring with ``script_episodes``.
      script_episodes: episodes behind every rejection as trivial; ≥ 256.
      noop_limit: no-op play winning more often than this is trivial.
      script_limit: random or repeated-action play winning more often than this is trivial.
      greedy_limit: play that is greedy for the next shaping reward winning more often is trivial.
      certificate_levels: levels that are searched until one is won (0: none).
      certificate_states: successor states computed in the search of one level (for each side).
      certificate_work: the same in element operations of the program's cost, so that a dear program
        gets fewer states (but never fewer than 1000).
      max_jaxpr_eqns: largest traced program (equations of reset, step and observe together).
      compile_programs: also compile what was traced, within ``trace_seconds``. Off by default:
        training compiles cohorts, not single programs.
      probe_episodes: whole fresh episodes of the probe; ≥ 256.
    """

    workers: int = 1
    nice: int = 5
    start_seconds: float = 60.0
    parse_seconds: float = 10.0
    check_seconds: float = 10.0
    cost_seconds: float = 10.0
    duplicate_seconds: float = 10.0
    smoke_seconds: float = 60.0
    behaviour_seconds: float = 30.0
    triviality_seconds: float = 120.0
    certificate_seconds: float = 30.0
    trace_seconds: float = 30.0
    probe_seconds: float = 120.0
    cpu_seconds: int = 180
    memory_mb: int = 2048
    resident_mb: int = 1536
    file_mb: int = 64
    answer_kb: int = 1024
    child_processes: bool = False
    network: bool = False
    recycle_candidates: int = 256
    temp_dir: str = ""
    compilation_cache: str = ""

    near_constants: float = 0.10
    smoke_episodes: int = 32
    min_stability: float = 0.9
    first_look: int = 32
    script_episodes: int = 256
    noop_limit: float = 0.05
    script_limit: float = 0.60
    greedy_limit: float = 0.99
    certificate_levels: int = 3
    certificate_states: int = 60_000
    certificate_work: int = 300_000_000
    max_jaxpr_eqns: int = 10_000
    compile_programs: bool = False
    probe_episodes: int = 256

    def __post_init__(self) -> None:
        for name in ("workers", "cpu_seconds", "recycle_candidates", "answer_kb", "file_mb"):
            if getattr(self, name) < 1:
                raise ValueError(f"executor.{name} is {getattr(self, name)}; it must be at least 1")
        for name in (
            "near_constants",
            "noop_limit",
            "script_limit",
            "greedy_limit",
            "min_stability",
        ):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"executor.{name} is {getattr(self, name)}; it must lie in 0..1")
        for name, least in (
            ("smoke_episodes", 32),
            ("first_look", 8),
            ("script_episodes", 256),
            ("probe_episodes", 256),
            ("certificate_levels", 0),
            ("certificate_states", 1000),
            ("certificate_work", 0),
            ("memory_mb", 256),
            ("resident_mb", 128),
        ):
            if getattr(self, name) < least:
                raise ValueError(
                    f"executor.{name} is {getattr(self, name)}; it must be at least {least}"
                )
        for stage in Stage:
            if self.seconds(stage) <= 0:
                raise ValueError(f"executor.{stage}_seconds must be greater than 0")

    @property
    def limits(self) -> Limits:
        """What makes a program trivial, as a generator may be told."""
        return Limits(self.noop_limit, self.script_limit, self.greedy_limit)

    def seconds(self, stage: Stage) -> float:
        """Wall-clock limit of ``stage``."""
        return float(getattr(self, f"{stage.value}_seconds"))
