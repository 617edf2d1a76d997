"""The probe: how often the current policy wins, over whole fresh episodes."""

from __future__ import annotations

from envs_dsl.backends import numpy_backend
from spade_jax import play
from spade_jax.executor.request import Candidate, Finding

__all__ = ["probe"]

_STREAM = 0x9B0B  # keeps the probe's levels apart from those of every other use of the seed


def probe(candidate: Candidate) -> Finding:
    """Successes of the policy on the program's own levels; always ok: the curator judges the rate.

    ``request.factory`` names a function ``path -> spade_jax.play.AnyPolicy``. Without a policy file
    random legal play is measured, and the detail says so.
    """
    from spade_jax.executor.examine import load_object

    request, program = candidate.request, candidate.program
    if request.policy is None:
        name, policy = "random", play.against(play.random_legal())
    else:
        name, policy = "file", load_object(request.factory)(request.policy)
    backend = numpy_backend(program)
    episodes = candidate.config.probe_episodes
    seeds = play.episode_seeds(request.seed, episodes, _STREAM)
    params = program.default_params()[None].repeat(episodes, axis=0)
    stats = play.play_numpy(backend, backend.constants(program), program, policy, seeds, params)
    detail = {
        "policy": name,
        "success": stats.successes / stats.episodes,
        "mean_return": float(stats.returns.mean()),
        "mean_length": float(stats.lengths.mean()),
    }
    learned = {"successes": stats.successes, "episodes": stats.episodes}
    return Finding(detail=detail, env_steps=stats.env_steps, learned=learned)
