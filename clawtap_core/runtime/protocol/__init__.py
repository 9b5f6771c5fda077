"""Sessions of CLIs that run over stdio in their machine protocol."""
