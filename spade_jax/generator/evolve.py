"""Evolution over the archive: typed mutation, grafts and directed parameter moves. Needs no model.

Most proposals are new *skeletons* (another structure, not other numbers): one to three mutations
stacked on a parent. A parent far from the target success rate also has its parameters moved towards
it, so that a child of a mastered program is not born mastered. A smaller share are parameter moves
alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envs_dsl import Program, ProgramError
from envs_dsl.mutate import OPERATORS, STRUCTURAL, mutate
from spade_jax.generator.bandit import OperatorBandit, examined
from spade_jax.generator.parents import donor_weights, parent_weights
from spade_jax.generator.steering import EASIER, HARDER, moved, outside
from spade_jax.types import Context, Outcome, PoolView, Proposal

__all__ = ["Evolve"]

_DEPTHS = (0.6, 0.3, 0.1)  # of one, two and three stacked mutations
# The small operators often leave behaviour all but unchanged, and those that only move a value can
# make no new skeleton: so most mutations are of a whole mechanic.
_MECHANIC = 0.75
_SMALL = tuple(o for o in OPERATORS if o not in (*STRUCTURAL, "jitter_param", "jitter_literal"))
_TRIES = 24  # for one proposal, before it is given up
_STEP_TRIES = 6  # operators tried for one of the stacked mutations


@dataclasses.dataclass(frozen=True)
class _Child:
    program: Program
    parent: PoolView
    operators: tuple[str, ...]
    donors: tuple[str, ...] = ()


class Evolve:
    """The default generator (protocol ``spade_jax.types.Generator``).

    ``propose`` draws only from ``context.seed`` and changes nothing; all learning happens in
    ``observe``, so that proposing again from a checkpoint gives the same proposals.

    Args:
      parameter_share: greatest share of proposals that only move parameters.
      memory: how many program hashes of earlier proposals are remembered (never proposed again).
    """

    name = "evolve"

    def __init__(self, parameter_share: float = 0.25, memory: int = 50_000):
        self.parameter_share = parameter_share
        self.memory = memory
        self._bandit = OperatorBandit()
        self._proposed: dict[str, None] = {}  # in order of proposal
        self._children: dict[str, float] = {}
        self._cache: dict[str, Program] = {}

    def propose(self, context: Context, n: int) -> tuple[Proposal, ...]:
        """At most ``n`` programs that check, all different, none in the archive or proposed before.

        Fewer where that many could not be found in a bounded number of tries; none for an empty
        pool.
        """
        if not context.pool:
            return ()
        search = _Search(self, context)
        proposals: list[Proposal] = []
        moves = int(self.parameter_share * n)
        for _ in range(n):
            wants_move = moves > 0 and search.rng.random() < self.parameter_share
            child = search.parameter_move() if wants_move else search.new_skeleton()
            if child is None and moves > 0:
                wants_move, child = True, search.parameter_move()
            if child is None:
                continue
            moves -= wants_move
            proposals.append(_proposal(child, context, len(proposals), self.name))
        return tuple(proposals)

    def observe(self, outcomes: Sequence[Outcome]) -> None:
        """Learn from one round: which operators paid, who has many children, what was proposed."""
        own = [o for o in outcomes if o.proposal.generator == self.name]
        self._bandit.observe([(o.proposal.receipt.get("operators", ()), o) for o in examined(own)])
        for outcome in own:
            program = outcome.proposal.receipt.get("program")
            if program:
                self._proposed[program] = None
            for parent in outcome.proposal.parents[:1]:
                self._children[parent] = self._children.get(parent, 0.0) + 1.0
        while len(self._proposed) > self.memory:
            del self._proposed[next(iter(self._proposed))]

    def state_dict(self) -> dict[str, Any]:
        """Everything learned, as JSON values."""
        return {
            "proposed": list(self._proposed),
            "children": dict(self._children),
            "operators": self._bandit.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` gave. Raises KeyError if a part is missing."""
        self._proposed = dict.fromkeys(state["proposed"])
        self._children = {k: float(v) for k, v in state["children"].items()}
        self._bandit.load_state_dict(state["operators"])

    def _program(self, view: PoolView) -> Program:
        """A pool program, parsed once (a cache of a pure function: no part of the state)."""
        if view.program_hash not in self._cache:
            self._cache[view.program_hash] = Program.from_source(view.source, name=view.name)
        return self._cache[view.program_hash]


class _Search:
    """One call of ``propose``: its random numbers, weights, and what is taken already."""

    def __init__(self, owner: Evolve, context: Context):
        seed = [context.seed & 0xFFFFFFFFFFFFFFFF, context.round]
        self.rng = np.random.Generator(np.random.Philox(key=np.array(seed, np.uint64)))
        self.owner = owner
        self.context = context
        self.parents = parent_weights(context, owner._children)
        self.donors = donor_weights(context)
        self.programs = {*owner._proposed, *context.taken}
        self.skeletons = {owner._program(v).hashes.skeleton for v in context.pool}
        self.skeletons |= {str(p.receipt.get("skeleton")) for p in context.proposed}

    def new_skeleton(self) -> _Child | None:
        """A child whose structure is in neither the pool nor this batch."""
        for _ in range(_TRIES):
            parent = self._pick(self.parents)
            depth = 1 + int(self.rng.choice(len(_DEPTHS), p=_DEPTHS))
            child = self._mutated(parent, depth)
            if child is None or child.program.hashes.skeleton in self.skeletons:
                continue
            child = self._steered(child)
            if self._take(child):
                return child
        return None

    def parameter_move(self) -> _Child | None:
        """A parent with its parameters moved towards the target success rate."""
        for _ in range(_TRIES):
            parent = self._pick(self.parents)
            child = self._moved(_Child(self.owner._program(parent), parent, ()))
            if child is not None and self._take(child):
                return child
        return None

    def _mutated(self, parent: PoolView, depth: int) -> _Child | None:
        child = _Child(self.owner._program(parent), parent, ())
        while len(child.operators) < depth:
            for _ in range(_STEP_TRIES):
                names = STRUCTURAL if self.rng.random() < _MECHANIC else _SMALL
                operator = self.owner._bandit.choose(names, self.rng)
                donor = self._pick(self.donors) if operator == "graft" else None
                found = mutate(
                    child.program,
                    int(self.rng.integers(2**31)),
                    operator,
                    None if donor is None else self.owner._program(donor),
                )
                program = None if found is None else _checked(found.source)
                if program is not None:
                    donors = child.donors if donor is None else (*child.donors, donor.program_hash)
                    child = _Child(program, parent, (*child.operators, operator), donors)
                    break
            else:
                return None
        return child

    def _steered(self, child: _Child) -> _Child:
        """Parameters moved as well if the parent is outside the band: its child would be too."""
        if not outside(child.parent.success, self.context):
            return child
        return self._moved(child) or child

    def _moved(self, child: _Child) -> _Child | None:
        found = moved(child.program, child.parent.success, self.context, self.rng)
        if found is None:
            return None
        program, direction = found
        return dataclasses.replace(child, program=program, operators=(*child.operators, direction))

    def _take(self, child: _Child) -> bool:
        hashes = child.program.hashes
        if hashes.program in self.programs:
            return False
        self.programs.add(hashes.program)
        self.skeletons.add(hashes.skeleton)
        return True

    def _pick(self, weights: np.ndarray) -> PoolView:
        return self.context.pool[int(self.rng.choice(len(weights), p=weights))]


def _checked(source: str) -> Program | None:
    """The program of a text, None if the checker refuses it (two mutations may not go together)."""
    try:
        return Program.from_source(source)
    except ProgramError:
        return None


def _proposal(child: _Child, context: Context, index: int, generator: str) -> Proposal:
    only_parameters = set(child.operators) <= {HARDER, EASIER}
    return Proposal(
        id=f"r{context.round}-{index}",
        source=child.program.source,
        generator=generator,
        operator="parameters" if only_parameters else "+".join(child.operators),
        parents=tuple(dict.fromkeys((child.parent.program_hash, *child.donors))),
        round=context.round,
        receipt={
            "program": child.program.hashes.program,
            "skeleton": child.program.hashes.skeleton,
            "operators": list(child.operators),
            "new_skeleton": not only_parameters,
            "parent_success": child.parent.success,
        },
    )
