"""Checks that anyone can run on a program of their own.

from envs_dsl.testing import check_program

def test_my_game():
    check_program("my_game.py")
"""

from envs_dsl.testing.failure import ConformanceError
from envs_dsl.testing.program import check_program

__all__ = ["ConformanceError", "check_program"]
