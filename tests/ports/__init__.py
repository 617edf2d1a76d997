"""Trace equality of the ports in ``envs_dsl/library/ports`` with the environments they port.

Both run side by side: from the same forced states, with the same actions and the same random draws,
every field, the endings and the unclamped score must be the same at every step. ``trace`` is the
comparison; the other modules say, original by original, how its states are written in our fields.

    python -m tests.ports [--json] [--steps 10000] [--only NAME ...]
"""
