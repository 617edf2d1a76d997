"""Which skills a program exercises, from its structure and its play, and what its header claims.

    from envs_dsl.skills import compare, verified_skills

    verified_skills(program)            # ("navigation", "memory")
    compare(program).unsupported        # declared, but nothing speaks for them

The rules (``rules``) read facts (``evidence``) that come from the flow of values in ``step``
(``flow``) and from a few short episodes. They are judged against the bundled programs, whose skills
were given by hand: ``python -m envs_dsl skills envs_dsl/library/*/*.py``.
"""

from envs_dsl.skills.agreement import Agreement, Comparison, agreement, compare
from envs_dsl.skills.evidence import Evidence, evidence_of
from envs_dsl.skills.rules import reasons, verified_skills

__all__ = [
    "Agreement",
    "Comparison",
    "Evidence",
    "agreement",
    "compare",
    "evidence_of",
    "reasons",
    "verified_skills",
]
