"""A fuzzer of the language: hostile bytes, tokens, trees and made-up programs, without end.

``python -m tests.fuzz --minutes 30`` tries inputs of each kind until the time is up. What must hold
of every input is in ``properties.py``; what breaks one is saved, with the input made smaller.
"""
