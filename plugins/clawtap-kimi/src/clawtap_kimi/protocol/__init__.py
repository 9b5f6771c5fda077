"""Kimi Code's machine protocol."""
