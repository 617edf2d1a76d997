"""The language: text in, checked typed tree out. Imports no JAX and no NumPy."""

from envs_dsl.language.check import Analysis, analyse
from envs_dsl.language.cost import CAPS, Cost
from envs_dsl.language.diagnostics import CODES, Diagnostic, render
from envs_dsl.language.types import Game, Param

__all__ = ["CAPS", "CODES", "Analysis", "Cost", "Diagnostic", "Game", "Param", "analyse", "render"]
