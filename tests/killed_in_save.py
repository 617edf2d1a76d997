"""A co-evolution that ends itself by SIGKILL in the middle of a save.

``python -m killed_in_save MOMENT NUMBER COEVO-FLAGS…``: at the moment (of ``MOMENTS``) of the
NUMBER-th checkpoint that this process writes.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from experiments import coevo
from experiments._cli import run_command
from spade_jax import checkpoint

MOMENTS = {
    "before the arrays": ("_write_arrays", False),
    "after the arrays": ("_write_arrays", True),
    "before the manifest": ("write_manifest", False),
    "before the rename": ("sync_tree", True),
}
"""The function of ``spade_jax.checkpoint`` where it happens, and whether only when it is done."""


def die_in_save(moment: str, number: int) -> None:
    name, done = MOMENTS[moment]
    original = getattr(checkpoint, name)
    calls = 0

    def deadly(*args: Any) -> None:
        nonlocal calls
        calls += 1
        if done:
            original(*args)
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        if not done:
            original(*args)

    setattr(checkpoint, name, deadly)


if __name__ == "__main__":
    die_in_save(sys.argv[1], int(sys.argv[2]))
    run_command(coevo.main, sys.argv[3:])
