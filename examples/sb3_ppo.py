"""Train PPO of Stable-Baselines3 on a bundled program, and see whether it beats random play.

    pip install -e '.[sb3]'
    python examples/sb3_ppo.py --program drift --steps 30000

The program runs as one NumPy batch; nothing is compiled. The answer is one JSON line: the success
rates of random play and of the trained policy on the same fresh levels. Exit code 1 if the policy
is not the better one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO

from envs_dsl.adapters import make_vec
from envs_dsl.adapters.sb3 import SB3VecEnv


def success_rate(envs: SB3VecEnv, choose: Callable[[Any], np.ndarray], seed: int) -> float:
    """Share of first episodes won, one in each copy."""
    envs.seed(seed)
    observation = envs.reset()
    won, over = np.zeros(envs.num_envs, bool), np.zeros(envs.num_envs, bool)
    while not over.all():
        observation, _, done, infos = envs.step(choose(observation))
        for i in np.flatnonzero(done & ~over):
            won[i] = infos[i]["is_success"]
        over |= done
    return float(won.mean())


def train(program: str, steps: int, difficulty: float, seed: int) -> dict[str, Any]:
    """Train, then measure both on 512 levels that training has not seen."""
    torch.set_num_threads(1)  # a network this small gains nothing from more

    def batch(copies: int) -> SB3VecEnv:
        return SB3VecEnv(
            make_vec(program, copies, difficulty=difficulty, autoreset_mode="SameStep")
        )

    model = PPO(
        "MultiInputPolicy",
        batch(32),
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        gamma=0.97,
        seed=seed,
        device="cpu",
    )
    model.learn(total_timesteps=steps)
    levels, rng = batch(512), np.random.default_rng(seed)
    return {
        "program": program,
        "steps": model.num_timesteps,
        "random": success_rate(
            levels, lambda _: rng.integers(0, levels.action_space.n, 512), 1_000_000
        ),
        "trained": success_rate(levels, lambda o: model.predict(o)[0], 1_000_000),
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="drift", help="a bundled program or a file (drift)")
    parser.add_argument("--steps", type=int, default=30_000, help="environment steps (30000)")
    parser.add_argument("--difficulty", type=float, default=0.25, help="0 to 1 (0.25)")
    parser.add_argument("--seed", type=int, default=0, help="of everything (0)")
    args = parser.parse_args(argv)
    found = train(args.program, args.steps, args.difficulty, args.seed)
    print(json.dumps(found))
    return 0 if found["trained"] > found["random"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
