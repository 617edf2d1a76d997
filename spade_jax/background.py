"""Processes beside the training: they let it go first."""

from __future__ import annotations

import os

__all__ = ["stand_back"]

_AUTOGROUP = "/proc/self/autogroup"


def stand_back(nice: int) -> None:
    """Make the calling process nicer by ``nice``, as far as the system heeds that.

    Where Linux schedules sessions as groups, niceness only counts within the group; so a process
    that leads a session of its own sets the weight of that as well.
    """
    own = os.nice(nice)
    if os.path.exists(_AUTOGROUP) and os.getsid(0) == os.getpid():
        try:
            with open(_AUTOGROUP, "w") as file:
                file.write(str(own))
        except OSError:
            return  # it is only a preference
