"""Do NumPy's observations show what the oracle sees?"""

from __future__ import annotations

import numpy as np
from oracle import observation, one_copy

from envs_dsl import Program
from envs_dsl.backends import numpy_backend

from .episodes import Episodes
from .same import RELATIVE

__all__ = ["observed_otherwise"]

SCALED = 4
"""From this channel on cells hold numbers scaled to whole steps, of which Floats may miss one."""


def observed_otherwise(program: Program, episodes: Episodes, copies: range) -> list[str]:
    """What the oracle contradicts in every third state, in words."""
    back = numpy_backend(program)
    constants = back.constants(program)
    found = []
    for state in episodes.states[::3]:
        got = back.observe(constants, state)
        for copy in copies:
            one = one_copy(program.tree, state, copy)
            for seat in range(program.game.players):
                cells, hud, legal = observation(program.tree, one, seat)
                off = np.abs(np.asarray(cells) - got.cells[copy, seat].astype(int))
                where = f"t {one.t}, copy {copy}, seat {seat}"
                if off[..., :SCALED].any() or off[..., SCALED:].max() > 1:
                    found.append(f"{where}: cells {np.argwhere(off).tolist()}")
                if not np.allclose(hud, got.hud[copy, seat], RELATIVE, RELATIVE):
                    slots = np.argwhere(~np.isclose(hud, got.hud[copy, seat], RELATIVE, RELATIVE))
                    found.append(f"{where}: hud {slots.ravel().tolist()}")
                if legal != got.legal[copy, seat].tolist():
                    found.append(f"{where}: legal {legal}")
    return found
