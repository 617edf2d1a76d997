"""Environments as programs: check, compile and play programs of the environment language.

Importing this package loads neither JAX nor NumPy; the back ends do that when they are asked for.
"""

from envs_dsl.language import Diagnostic
from envs_dsl.program import Checked, Program, ProgramError, check, load

__all__ = ["Checked", "Diagnostic", "Program", "ProgramError", "check", "load"]
