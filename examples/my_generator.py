"""A generator of your own, in thirty lines: `--generator examples.my_generator:Harder`."""

import numpy as np

from envs_dsl import Program
from envs_dsl.mutate import move_params
from spade_jax.types import Proposal


class Harder:
    """Takes the programs the learner does best and moves their parameters one step up."""

    name = "harder"
    admitted = 0

    def propose(self, context, n):
        rng = np.random.default_rng([context.seed, context.round])  # no other randomness
        proposals = []
        for view in sorted(context.pool, key=lambda view: -(view.success or 0.0))[:n]:
            program = Program.from_source(view.source)
            if text := move_params(program, int(rng.integers(2**31)), harder=True):
                name, parents = f"r{context.round}-{len(proposals)}", (view.program_hash,)
                proposals.append(Proposal(name, text, self.name, "up", parents, context.round))
        return proposals

    def observe(self, outcomes):
        self.admitted += sum(o.admitted for o in outcomes if o.proposal.generator == self.name)

    def state_dict(self):
        return {"admitted": self.admitted}

    def load_state_dict(self, state):
        self.admitted = state["admitted"]
