"""Reading a run back and setting runs beside one another; ``report.page`` writes the HTML page."""

from spade_jax.report.comparison import Comparison, compare, to_document
from spade_jax.report.run_folder import HeldOut, PoolChange, Run, read_run

__all__ = ["Comparison", "HeldOut", "PoolChange", "Run", "compare", "read_run", "to_document"]
