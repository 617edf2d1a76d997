"""Several processes that train together, each with the devices of its machine (jax.distributed).

All of them run the same program and decide the same things. Process 0 leads: what depends on a
clock or on files (generation, screening, a checkpoint to go on from) happens there alone and is
shared with the others, and it alone writes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import numpy as np
from jax.experimental import multihost_utils

from spade_jax.errors import UserError

__all__ = ["agreed", "connect", "leads", "share", "together"]

T = TypeVar("T")


def connect(coordinator: str, process_id: int | None, processes: int | None) -> None:
    """Join the processes that train together, before any device is used.

    Args:
      coordinator: HOST:PORT of process 0, reachable from all; "auto" where the cluster tells
        (TPU, Slurm, Open MPI, Kubernetes).
      process_id, processes: this process's number and how many there are; not needed with "auto".

    Raises:
      UserError: what was given is not enough, or the others were not there in time.
    """
    if coordinator != "auto":
        if process_id is None or processes is None:
            raise UserError("--coordinator needs --process-id and --processes")
        if not 0 <= process_id < processes:
            raise UserError(f"--process-id {process_id} does not lie in 0..{processes - 1}")
        if not coordinator.rpartition(":")[0] or not coordinator.rpartition(":")[2].isdigit():
            raise UserError(f"--coordinator {coordinator!r} is not HOST:PORT")
    # CPUs need it for sums across processes; accelerators do not look at it.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        if coordinator == "auto":
            jax.distributed.initialize()
        else:
            jax.distributed.initialize(coordinator, processes, process_id)
    except (RuntimeError, ValueError) as error:
        first = (str(error).splitlines() or [""])[0]
        raise UserError(f"cannot join the processes at {coordinator}: {first}") from None


def together() -> bool:
    """Whether there is more than this process."""
    return jax.process_count() > 1


def leads() -> bool:
    """Whether this process is the one that writes and decides."""
    return jax.process_index() == 0


def share(value: Any) -> Any:
    """Process 0's value in every process; all have to call it, at the same point.

    Pickled by process 0 and read by the others, which run the same code for the same person. What a
    confined worker or a model answers came to process 0 as JSON (``executor.process``,
    ``llm.backends.transformers``) and is a record of ours by then; a parent never unpickles it. The
    way between the processes is that of ``jax.distributed``, which asks nobody who they are: its
    ports belong in a network that only trusted machines can reach.
    """
    if not together():
        return value
    data = np.frombuffer(pickle.dumps(value if leads() else None), np.uint8)
    size = int(multihost_utils.broadcast_one_to_all(np.asarray(data.size, np.int32)))
    data = data if leads() else np.zeros(size, np.uint8)
    received = np.asarray(multihost_utils.broadcast_one_to_all(data), np.uint8)
    return pickle.loads(received.tobytes())


def agreed(make: Callable[[], T]) -> T:
    """What ``make()`` gives in process 0, in every process; an error there is one in all.

    Raises:
      UserError: in the other processes, when process 0 failed.
    """
    if not together():
        return make()
    if not leads():
        error, value = share(None)
        if error is not None:
            raise UserError(f"process 0 stopped: {error}")
        return value
    try:
        value = make()
    except BaseException as error:
        share((str(error) or type(error).__name__, None))
        raise
    share((None, value))
    return value
