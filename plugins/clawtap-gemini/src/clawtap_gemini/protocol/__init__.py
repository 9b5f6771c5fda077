"""Gemini CLI's machine protocol."""
