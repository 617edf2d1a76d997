"""Learner and environments co-evolve: see ``coevolution.run`` and docs/architecture.md."""
