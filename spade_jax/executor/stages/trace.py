"""The trace: can JAX turn the program into a graph of bounded size, in bounded time?"""

from __future__ import annotations

from typing import Any

from spade_jax.executor.request import Candidate, Finding
from spade_jax.types import Reason

__all__ = ["count_equations", "trace"]

_COPIES = 4


def trace(candidate: Candidate) -> Finding:
    """Trace reset, step and observe, and count the equations. Ends with TRACE_TOO_LARGE.

    With ``config.compile_programs`` the graph is compiled too, on this process's account. Neither
    can be interrupted from inside: the sandbox ends the worker when the stage's time is up.
    """
    # Imported here, so that a candidate that ends earlier costs no JAX at all.
    import jax
    import numpy as np

    from envs_dsl.backends import jax_backend

    program, config = candidate.program, candidate.config
    backend = jax_backend(program)
    constants = backend.constants(program)

    def course(constants: Any, seeds: Any, params: Any, actions: Any) -> Any:
        state = backend.reset(constants, seeds, params)
        before = backend.observe(constants, state)
        state, out = backend.step(constants, state, actions)
        return before, state, out, backend.observe(constants, state)

    inputs = (
        constants,
        np.zeros((_COPIES, 2), np.int32),
        np.zeros((_COPIES, len(program.params)), np.float32),
        np.zeros((_COPIES, program.game.players), np.int32),
    )
    traced = jax.jit(course).trace(*inputs)
    equations = count_equations(traced.jaxpr.jaxpr)
    detail: dict[str, Any] = {"equations": equations, "limit": config.max_jaxpr_eqns}
    if equations > config.max_jaxpr_eqns:
        error = f"{equations} equations when traced; the limit is {config.max_jaxpr_eqns}"
        return Finding(Reason.TRACE_TOO_LARGE, detail, error)
    if config.compile_programs:
        traced.lower().compile()  # how long it takes shows in the stage's seconds
    detail["compiled"] = config.compile_programs
    return Finding(detail=detail)


def count_equations(jaxpr: Any) -> int:
    """Equations of a jaxpr and of every jaxpr inside it (loops and branches: their body once)."""
    total = 0
    for equation in jaxpr.eqns:
        total += 1
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                inner = getattr(inner, "jaxpr", inner)  # a closed jaxpr holds an open one
                if hasattr(inner, "eqns"):
                    total += count_equations(inner)
    return total
