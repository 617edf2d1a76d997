"""The limits a worker puts on itself before it touches a candidate, and which of them hold."""

from __future__ import annotations

import dataclasses
import os
import resource
import sys
from collections.abc import Mapping

from spade_jax.background import stand_back
from spade_jax.executor import confine
from spade_jax.executor.config import ExecutorConfig

__all__ = ["Capabilities", "arm_cpu", "confine_worker"]

_MB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Capabilities:
    """Which limits this system enforces.

    Attributes:
      enforced: limit → how. missing: limit → why this system does not enforce it.
    """

    enforced: Mapping[str, str]
    missing: Mapping[str, str]

    def line(self) -> str:
        """One line for a person."""
        if not self.missing:
            return f"sandbox: all limits enforced ({', '.join(self.enforced)})"
        gaps = "; ".join(f"{name} ({why})" for name, why in self.missing.items())
        return f"sandbox: not enforced here: {gaps}"


def confine_worker(config: ExecutorConfig, folder: str) -> Capabilities:
    """Put every limit on the calling process that the system allows.

    To be called before the process has a second thread. ``folder`` is the only place (with the
    compilation cache) where files may be made afterwards.
    """
    enforced = {"time": "the parent's clock", "processor time": "RLIMIT_CPU"}
    missing: dict[str, str] = {}
    if sys.platform == "linux":
        enforced["memory"] = "RLIMIT_AS, resident memory watched"
        _set(resource.RLIMIT_AS, config.memory_mb * _MB)
    else:
        enforced["memory"] = "resident memory watched"
        missing["address space"] = f"{sys.platform} does not honour RLIMIT_AS"
    enforced["file size"] = "RLIMIT_FSIZE"
    _set(resource.RLIMIT_FSIZE, config.file_mb * _MB)
    _set(resource.RLIMIT_CORE, 0)
    _prefer_as_victim()
    stand_back(config.nice)
    confine.die_with_parent()

    no_namespace = "" if config.network else confine.leave_network()
    folders = [folder, *([config.compilation_cache] if config.compilation_cache else [])]
    refused = confine.deny_writes_outside(folders)
    _note(enforced, missing, "files outside the private folder", "Landlock", refused)
    need_filter = not config.child_processes or (not config.network and no_namespace)
    no_filter = confine.seccomp(config.child_processes, config.network) if need_filter else ""
    if not config.network:
        how = "seccomp" if no_namespace else "network namespace"
        why = f"{no_namespace}; {no_filter}" if no_namespace and no_filter else ""
        _note(enforced, missing, "network", how, why)
    if not config.child_processes:
        _note(enforced, missing, "child processes", "seccomp", no_filter)
    return Capabilities(enforced, missing)


def arm_cpu(seconds: int) -> None:
    """Let the process use ``seconds`` more of processor time; beyond that SIGXCPU ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = used + 1 + seconds
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _set(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (limit, limit))


def _note(
    enforced: dict[str, str], missing: dict[str, str], limit: str, how: str, refused: str
) -> None:
    if refused:
        missing[limit] = refused
    else:
        enforced[limit] = how


def _prefer_as_victim() -> None:
    """When the machine runs out of memory, Linux shall end a worker rather than the training."""
    path = "/proc/self/oom_score_adj"
    if os.path.exists(path):
        try:
            with open(path, "w") as file:
                file.write("800")
        except OSError:
            # Only a preference: a container may forbid it, and no limit hangs on it.
            return
