"""How well a policy plays programs at several difficulties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from spade_jax.executor import ExecutorConfig, Request, Sandbox
from spade_jax.generator.corpus import DECLARED, DIFFICULTIES, at_difficulty
from spade_jax.types import Verdict

__all__ = ["probe", "probe_record", "rate"]


def probe(
    texts: Mapping[str, str],
    policy: Path,
    workers: int,
    show: Callable[[str, Mapping[float, Verdict]], None],
) -> dict[str, dict[float, Verdict]]:
    """Put each text through the executor at every difficulty.

    Args:
      texts: name → program text. policy: file of the one that plays. workers: sandbox processes.
      show: called with a name and its verdicts as soon as they are there.

    Returns:
      Name → difficulty → verdict.
    """
    found = {}
    with Sandbox(ExecutorConfig(workers=workers, nice=0)) as box:
        asked = {
            (name, d): box.submit(Request(at_difficulty(text, d), policy=str(policy)))
            for name, text in texts.items()
            for d in DIFFICULTIES
        }
        for name in texts:
            found[name] = {d: asked[name, d].result() for d in DIFFICULTIES}
            show(name, found[name])
    return found


def probe_record(verdicts: Mapping[float, Verdict], policy: str) -> dict[str, Any]:
    """What a receipt keeps of probes by a policy, named so: as declared, and at the other
    difficulties."""
    declared = verdicts[DECLARED]
    others = {
        f"{d:g}": {"reason": v.reason.value, "success": rate(v)}
        for d, v in verdicts.items()
        if d != DECLARED
    }
    return {
        "success": rate(declared),
        "episodes": declared.episodes,
        "mean_length": round(declared.stages[-1].detail["mean_length"], 2),
        "policy": policy,
        "others": others,
    }


def rate(verdict: Verdict) -> float | None:
    """Success in a probe; None where there was none."""
    return round(verdict.successes / verdict.episodes, 4) if verdict.episodes else None
