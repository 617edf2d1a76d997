"""A run for others, in one file: written by ``export_run``, looked at by ``check``."""

from spade_jax.bundle.check import Checked, Fault, check
from spade_jax.bundle.contents import Choice, LeftOut
from spade_jax.bundle.export import Exported, export_run
from spade_jax.bundle.scrub import Machine

__all__ = [
    "Checked",
    "Choice",
    "Exported",
    "Fault",
    "LeftOut",
    "Machine",
    "check",
    "export_run",
]
