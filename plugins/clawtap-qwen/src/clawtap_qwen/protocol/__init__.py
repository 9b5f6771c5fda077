"""Qwen Code's machine protocol."""
