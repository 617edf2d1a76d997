"""Constrained decoding: a model can only write what the language has and what is declared.

A script says which lines may come next (pure: text in, grammar out), ``guide`` turns them into
masks over a model's tokens (llguidance, imported when the first guide is made), and ``sampling``
draws tokens under a mask. Nothing here imports torch or knows of a model.
"""

from spade_jax.generator.llm.decoding.script import Script
from spade_jax.generator.llm.decoding.scripts import script_for

__all__ = ["Script", "script_for"]
