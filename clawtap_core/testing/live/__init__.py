"""The live check: an installed CLI in a HOME of its own, against a scripted model."""
