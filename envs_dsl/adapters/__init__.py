"""Programs as gymnasium environments; importing this registers all bundled ones.

    import gymnasium
    import envs_dsl.adapters

    env = gymnasium.make("Spade/KeyDoor-v0", render_mode="ansi")
    envs = gymnasium.make_vec("Spade/KeyDoor-v0", num_envs=64)      # one NumPy batch
    env = gymnasium.make("Spade/Adaptive-KeyDoor-v0")               # difficulty follows success
    env = envs_dsl.adapters.make("my_game.py")                      # any program

gymnasium has no registration by plug-in since version 1.0: an id is known once this package is
imported, which the form ``gymnasium.make("envs_dsl.adapters:Spade/KeyDoor-v0")`` does by itself.
All run on the NumPy back end: no JAX is imported and nothing is compiled. For JAX and gymnax see
``envs_dsl.env``.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError as error:
    raise ImportError(
        "envs_dsl.adapters needs gymnasium: pip install 'spade_jax[gymnasium]'"
    ) from error

from envs_dsl.adapters.adaptive import AdaptiveDifficulty, AdaptiveVectorDifficulty
from envs_dsl.adapters.features import CellFeatures, OwnActions
from envs_dsl.adapters.registration import (
    env_id,
    env_ids,
    make,
    make_adaptive,
    make_adaptive_vec,
    make_vec,
    register,
)
from envs_dsl.adapters.single import SpadeGymEnv
from envs_dsl.adapters.spaces import action_space, observation_space
from envs_dsl.adapters.vector import SpadeVectorEnv

__all__ = [
    "AdaptiveDifficulty",
    "AdaptiveVectorDifficulty",
    "CellFeatures",
    "OwnActions",
    "SpadeGymEnv",
    "SpadeVectorEnv",
    "action_space",
    "env_id",
    "env_ids",
    "make",
    "make_adaptive",
    "make_adaptive_vec",
    "make_vec",
    "observation_space",
    "register",
]

register()
