"""Random bits, one number at a time: the hash of (seed, t) and of (block, draw).

The definition is that of ``envs_dsl.backends.random``: everything wraps at 32 bits.
"""

from __future__ import annotations

__all__ = ["block_of", "draw_bits", "share"]

_SITE, _LOOP, _LANE, _CELL = 0x9E3779B1, 0x85EBCA77, 0x27D4EB2F, 0xC2B2AE3D
_WORD = 0xFFFFFFFF


def _fmix32(h: int) -> int:
    h ^= h >> 16
    h = h * 0x85EBCA6B & _WORD
    h ^= h >> 13
    h = h * 0xC2B2AE35 & _WORD
    return h ^ h >> 16


def block_of(seed: tuple[int, int], t: int) -> tuple[int, int]:
    """The 64 random bits of step ``t`` (−1: of ``reset``)."""
    a = _fmix32((seed[0] & _WORD) ^ _fmix32((t * _SITE + 0x243F6A88) & _WORD))
    b = _fmix32(((seed[1] & _WORD) + _fmix32((t * _CELL + 0x85A308D3) & _WORD)) & _WORD)
    first = _fmix32((a + b) & _WORD)
    return first, _fmix32(b ^ first)


def draw_bits(block: tuple[int, int], site: int, loop: int, lane: int = 0, cell: int = 0) -> int:
    """The 32 bits of a draw: its site, the index of the loops around it, lane and cell."""
    key = (site * _SITE + lane * _LANE + loop * _LOOP + cell * _CELL) & _WORD
    return _fmix32((_fmix32(block[0] ^ key) + block[1]) & _WORD)


def share(bits: int) -> float:
    """A float32 in [0, 1) from the upper 24 bits."""
    return (bits >> 8) * 2.0**-24
