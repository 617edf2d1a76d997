"""Do the oracle, NumPy and JAX agree? On bundled programs and on random ones."""
