"""The generator learns: a local model is tuned on the programs of its own that were accepted."""
